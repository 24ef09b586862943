// What is wanted: the tree of topics with their examples, edited in place; archetypes; how well topics are told apart.

import { api, button, count, digits, fill, h, many, of, outside, query, share, sure, toast } from "../lib.js";
import { formulaCard } from "../formula.js";

const POLL_MS = 1500, MANY = 150, WAIT_MS = 300;
const LISTS = { relevant: "Other wanted pages", irrelevant: "Pages that are not wanted" };
const STATES = { read: ["read", "good"], unread: ["not read yet", ""], missing: ["could not be had", "bad"] };
const ARCHETYPES = { archetype: "trains the judge", adopted: "adopted", offered: "could be one", refused: "refused" };

export async function show(root, { project, rest, to }) {
  const at = (...parts) => of(project, ...parts);
  let known = null, chosen = rest[0] || "", found = [], study = { state: "none", topics: [] }, gone = false, timer = 0, words = "", examplesOf = null;
  const formula = formulaCard(project, { saved: () => load() });
  const tree = h("div", { class: "tree", onkeydown: arrows });
  const filter = h("input", { type: "search", "aria-label": "Find topics", placeholder: "Find topics", oninput: () => { clearTimeout(timer); timer = setTimeout(() => { words = filter.value; load(); }, WAIT_MS); } });
  const panel = h("section", { class: "card", "aria-label": "The chosen topic" });
  const left = h("section", { class: "card", "aria-labelledby": "tree-title" }, h("h2", { id: "tree-title" }, "Topics"), filter, tree);
  root.append(h("h1", {}, "Topics"), h("p", { class: "says" }, "What you want, and the pages that show it. Changes go into the project's files."),
    h("div", { class: "wide" }, formula.node, left, panel));

  // -- the tree -----------------------------------------------------------------------------------------

  async function load(then = chosen) {
    known = await api(at("topics") + query({ words }));
    if (gone) return;
    chosen = known.topics.some((one) => one.path === then) || then in LISTS ? then : (known.topics[0] || {}).path || "relevant";
    filter.hidden = known.found <= MANY && !words;
    draw();
    await pick(chosen, false);
    if (known.topics.some((one) => one.relevant === null) && known.crawled) setTimeout(countLater, 2 * POLL_MS);
  }
  /** The counts of a large crawl come later: the tree alone is drawn again, for somebody may be typing. */
  async function countLater() {
    if (gone) return;
    const later = await api(at("topics") + query({ words }));
    if (gone || later.stamp !== known.stamp) return;
    if (later.topics.some((one) => one.relevant === null)) { setTimeout(countLater, 2 * POLL_MS); return; }
    known = later;
    if (!tree.querySelector("form")) draw();
  }
  function draw() {
    const focused = tree.contains(document.activeElement);
    fill(tree, branch(words ? null : ""), known.found > known.topics.length ? h("p", { class: "says" }, `the first ${count(known.topics.length)} of ${count(known.found)}: find others by name`) : null,
      known.topics.length ? null : h("p", {}, "No topic is called so."),
      h("h3", {}, "Lists of pages"), h("ul", { class: "plain" }, Object.entries(LISTS).map(([name, title]) => h("li", {}, pickButton(name, title, many(known.lists[name], "page"))))),
      known.tree ? adder("", "Add a topic at the first level") : planter());
    if (focused) mark()?.focus();
  }
  function branch(parent) {
    const own = parent === null ? known.topics : known.topics.filter((one) => one.parent === parent);
    return own.length ? h("ul", {}, own.map((one) => h("li", {}, pickButton(one.path, parent === null ? one.path : one.name, says(one), one.wanted), parent === null ? null : branch(one.path)))) : null;
  }
  const says = (one) => [many(one.inherited, "example"), known.crawled && one.relevant !== null ? many(one.relevant, "relevant page") : ""].filter(Boolean).join(", ");
  function pickButton(path, title, about, wanted = false) {
    return h("button", { type: "button", class: "quiet topic", "data-path": path, "aria-current": path === chosen ? "true" : null, onclick: () => pick(path) },
      h("span", { class: "name" }, title), wanted ? h("span", { class: "chip good" }, "wanted") : null, known.untaught.includes(path) ? h("span", { class: "chip bad" }, "needs an example") : null, " ", h("small", {}, about));
  }
  const mark = () => [...tree.querySelectorAll("button.topic")].find((one) => one.dataset.path === chosen);
  function arrows(event) {
    if (!event.target.classList.contains("topic")) return;
    const all = [...tree.querySelectorAll("button.topic")], place = all.indexOf(event.target);
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined && all[next]) { event.preventDefault(); all[next].focus(); }
    if (event.key === "F2" && !(event.target.dataset.path in LISTS)) { event.preventDefault(); pick(event.target.dataset.path).then(() => panel.querySelector(".rename")?.click()); }
  }
  async function edit(path, options) {
    const done = await api(path, options);
    toast(done.done);
    await Promise.all([load(done.path || chosen), formula.load()]);
    if (study.state !== "none") seeStudy();
    if (document.activeElement === document.body) mark()?.focus();
    return done;
  }

  /** A line to type into, with a button: `act(text)`. */
  function line(label, yes, act, { value = "", cancel = null, type = "text" } = {}) {
    const input = h("input", { class: "grow", type, value, required: true, maxlength: "2000", "aria-label": label, placeholder: label });
    const go = h("button", { class: "main" }, yes);
    const form = h("form", { class: "row", onsubmit: async (event) => {
      event.preventDefault();
      go.disabled = true;
      try { await act(input.value); input.value = ""; } catch (error) { toast(error.message, true); input.focus(); } finally { go.disabled = false; }
    } }, input, go, cancel ? h("button", { type: "button", onclick: cancel }, "Cancel") : null);
    form.addEventListener("keydown", (event) => { if (event.key === "Escape" && cancel) cancel(); });
    return { form, input };
  }
  function adder(parent, label) {
    const holder = h("div", {});
    const open = h("button", { type: "button" }, label);
    const close = () => { fill(holder, open); open.focus(); };
    open.addEventListener("click", () => {
      const about = h("input", { class: "grow", maxlength: "2000", "aria-label": "Description, or nothing", placeholder: "what it is about, in a sentence" });
      const first = h("input", { class: "grow", maxlength: "2000", "aria-label": "URL of an example page", placeholder: "URL of a page that shows it" });
      const name = line("Name of the new topic", "Add", (text) => edit(at("topics"), { method: "POST", body: { name: text, parent, description: about.value, examples: first.value.trim() ? [first.value.trim()] : [], stamp: known.stamp } }), { cancel: close });
      name.input.maxLength = 200;
      name.input.after(about, first);
      fill(holder, name.form);
      name.input.focus();
    });
    holder.append(open);
    return holder;
  }
  function planter() {
    const name = line("Name of the first topic", "Make a tree", (text) => edit(at("topics", "tree"), { method: "POST", body: { name: text, stamp: known.stamp } }));
    return h("div", {}, h("h3", {}, "Several topics"), h("p", { class: "says" }, "This project has one topic, that of its examples. With a tree you can tell several apart and want some of them. The URLs of relevant.txt become examples of its first topic."), name.form);
  }

  // -- the chosen topic ---------------------------------------------------------------------------------

  async function pick(path, move = true) {
    chosen = path;
    for (const one of tree.querySelectorAll("button.topic")) one.toggleAttribute("aria-current", false);
    mark()?.setAttribute("aria-current", "true");
    history.replaceState(null, "", to(project, "topics", path));
    const [examples, others] = await Promise.all([api(at("topics", "examples") + query({ where: path })).catch(() => []), api(at("archetypes"))]);
    if (gone || chosen !== path) return;
    found = others;
    fillPanel(path, examples);
    if (move && innerWidth < 700) panel.scrollIntoView();
  }
  function fillPanel(path, examples) {
    const topic = known.topics.find((one) => one.path === path);
    examplesOf = path;
    const open = document.activeElement && panel.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    fill(panel, topic ? head(topic) : h("h2", {}, LISTS[path] || path), exampleList(path, examples, topic), topic ? archetypeList(path) : null, topic ? h("div", { class: "study" }) : null);
    drawStudy();
    if (open) [...panel.querySelectorAll("input, button")].find((one) => one.getAttribute("aria-label") === open)?.focus();
  }
  function head(topic) {
    const title = h("h2", { class: "row" }, topic.path);
    const tools = h("div", { class: "row" },
      h("button", { type: "button", class: "rename", onclick: rename }, "Rename"),
      h("button", { type: "button", onclick: () => moveTopic(topic) }, "Move …"),
      button("Remove", () => removeTopic(topic), { class: "danger" }));
    function rename() {
      const back = () => { fill(title, topic.path); tools.hidden = false; tools.querySelector(".rename").focus(); };
      const name = line("New name", "Rename", (text) => edit(at("topics"), { method: "PATCH", body: { path: topic.path, name: text, stamp: known.stamp } }), { value: topic.name, cancel: back });
      fill(title, name.form);
      tools.hidden = true;
      name.input.select();
    }
    const description = h("textarea", { id: "description", rows: "2", maxlength: "2000", class: "grow" });
    description.value = topic.description;
    const save = button("Save description", () => edit(at("topics"), { method: "PATCH", body: { path: topic.path, description: description.value, stamp: known.stamp } }));
    save.hidden = true;
    description.addEventListener("input", () => { save.hidden = description.value === topic.description; });
    return h("div", {}, title, tools, h("label", { for: "description" }, "What it is about"), h("div", { class: "row" }, description, save),
      Object.keys(topic.keywords).length ? h("p", {}, "Keywords: ", Object.entries(topic.keywords).map(([word, weight]) => [h("span", { class: "chip" }, weight === 1 ? word : `${word} ${weight}`), " "])) : null,
      adder(topic.path, `Add a topic below ${topic.name}`));
  }
  async function moveTopic(topic) {
    const places = known.topics.filter((one) => one.path !== topic.path && one.path !== topic.parent && !one.path.startsWith(`${topic.path}/`)).map((one) => [one.path, one.path]);
    if (topic.parent) places.unshift(["", "the first level"]);
    const parent = await choose(`Move ${topic.name} below`, places, "Move");
    if (parent !== null) await edit(at("topics"), { method: "PATCH", body: { path: topic.path, parent, stamp: known.stamp } }).catch((error) => toast(error.message, true));
  }
  async function removeTopic(topic) {
    const below = known.topics.filter((one) => one.path.startsWith(`${topic.path}/`)).length;
    const what = [below ? `${many(below, "topic")} below it` : "", many(topic.inherited, "example")].filter(Boolean).join(" and ");
    if (await sure(`Remove ${topic.path} with ${what}? Pages of the crawl stay, and belong to no topic until they are judged anew.`, "Remove")) {
      chosen = topic.parent;
      await edit(at("topics") + query({ path: topic.path, stamp: known.stamp }), { method: "DELETE" });
      mark()?.focus();
    }
  }
  /** Asks for one of some choices: resolves to its value, or null. */
  function choose(question, choices, yes) {
    return new Promise((resolve) => {
      const select = h("select", { "aria-label": question, class: "grow" }, choices.map(([value, title]) => h("option", { value }, title)));
      const done = (value) => { dialog.close(); dialog.remove(); resolve(value); };
      const dialog = h("dialog", { "aria-label": question }, h("p", {}, question), h("div", { class: "row" }, select),
        h("div", { class: "row" }, h("button", { type: "button", class: "main", disabled: !choices.length, onclick: () => done(select.value) }, yes), h("button", { type: "button", onclick: () => done(null) }, "Cancel")));
      dialog.addEventListener("cancel", () => done(null));
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  // -- examples and archetypes --------------------------------------------------------------------------

  function exampleList(path, examples, topic) {
    const below = topic && topic.inherited > topic.own ? `, and ${count(topic.inherited - topic.own)} of topics below` : "";
    const total = topic ? topic.own : known.lists[path] ?? examples.length;
    const add = line(path in LISTS ? "URL, or path of a page on this machine" : "URL of a page", "Add example", (text) => edit(at("topics", "examples"), { method: "POST", body: { where: path, page: text, stamp: known.stamp } }).then(() => panel.querySelector(".add input")?.focus()));
    add.form.classList.add("add");
    return h("div", {}, h("h3", {}, `Examples (${count(total)}${below})`), add.form,
      topic && known.untaught.includes(path) ? h("p", { class: "bad" }, "Nothing shows what this topic means: give it an example, or most judges cannot be trained and the crawl cannot go on.") : null,
      examples.length ? h("ul", { class: "plain pages" }, examples.map((one) => exampleRow(path, one))) : h("p", { class: "says" }, "No page yet: add the URL of one that shows what is meant. Five tell something, twenty tell it well."),
      total > examples.length ? h("p", { class: "says" }, `the first ${count(examples.length)} are shown`) : null);
  }
  function exampleRow(path, one) {
    const [words_, kind] = STATES[one.state], name = one.title || one.line;
    const places = [...known.topics.map((topic) => [topic.path, topic.path]), ...Object.entries(LISTS)].filter(([value]) => value !== path);
    const move = async () => {
      const place = await choose(`Move ${name} to`, places, "Move");
      if (place !== null) await edit(at("topics", "examples"), { method: "PATCH", body: { where: path, page: one.line, to: place, stamp: known.stamp } });
    };
    return h("li", {}, h("div", { class: "grow" }, outside(one.line, name), " ", one.title ? h("div", { class: "url soft" }, one.line) : null,
      h("span", { class: `chip ${kind}` }, words_), one.label ? h("span", { class: "chip warn" }, `labelled ${one.label}`) : null),
    button("Move …", move, { "aria-label": `Move the example ${name}` }),
    button("Remove", () => edit(at("topics", "examples") + query({ where: path, page: one.line, stamp: known.stamp }), { method: "DELETE" }).then(() => panel.querySelector(".add input")?.focus()), { class: "danger", "aria-label": `Remove the example ${name}` }));
  }
  function archetypeList(path) {
    const own = found.filter((one) => one.topic === path);
    if (!known.crawled) return null;
    return h("div", {}, h("h3", {}, "Pages of the crawl that teach the judge"),
      h("p", { class: "says" }, "Strategies such as bingo train the judge with archetypes. An adopted page is labelled; a refused one teaches nothing, though it may be relevant."),
      own.length ? h("ul", { class: "plain pages" }, own.map((one) => archetypeRow(path, one))) : h("p", { class: "says" }, "None yet: they come as the crawl finds relevant pages of this topic."));
  }
  function archetypeRow(path, one) {
    const name = one.title || one.url;
    const act = (options, place = "archetypes") => async () => {
      const done = await api(at(...place.split("/")) + (options.query || ""), options);
      toast(done.done);
      await load();
    };
    return h("li", {},
      h("div", { class: "grow" }, one.relevance === null ? null : [h("span", { class: "number" }, digits(one.relevance)), " "], outside(one.url, name), " ", h("span", { class: `chip ${one.state === "refused" ? "bad" : one.state === "offered" ? "" : "good"}` }, ARCHETYPES[one.state])),
      one.state === "adopted" || one.state === "refused" ? null : button("Adopt", act({ method: "PUT", body: { url: one.url, topic: path } }), { "aria-label": `Adopt ${name}` }),
      one.state === "refused" ? button("Allow again", act({ method: "POST", body: { url: one.url } }, "archetypes/allow"), { "aria-label": `Allow ${name} again` })
        : one.state === "adopted" ? null : button("Refuse", act({ method: "DELETE", query: query({ url: one.url }) }), { class: "danger", "aria-label": `Refuse ${name}` }));
  }

  // -- terms and reliability ----------------------------------------------------------------------------

  async function seeStudy() {
    study = await api(at("topics", "about"));
    if (gone) return;
    drawStudy();
    if (study.state === "computing") { setTimeout(() => { if (!gone) seeStudy().catch((error) => toast(error.message, true)); }, POLL_MS); }
  }
  const begin = (fetch) => async () => { study = await api(at("topics", "about"), { method: "POST", body: { fetch } }); await seeStudy(); };
  function drawStudy() {
    const holder = panel.querySelector(".study");
    if (!holder) return;
    const one = study.topics.find((topic) => topic.path === examplesOf);
    const parts = [h("h3", {}, "Terms and reliability")];
    if (study.state === "computing") parts.push(h("p", { class: "says", role: "status" }, "Training the judge on parts of the examples …"));
    if (study.state === "failed") parts.push(h("p", { class: "bad" }, study.problem));
    if (study.state === "ready" && one) parts.push(...studied(one));
    if (study.state === "none" && !known.crawled) parts.push(h("p", { class: "says" }, "Nothing was crawled yet. The examples can be fetched now to see what they tell."), button("Fetch the examples", begin(true)));
    else if (study.state !== "computing") {
      if (study.stale) parts.push(h("p", { class: "warn" }, "The project changed since; new examples count when the crawl has read them."));
      parts.push(h("div", { class: "row" }, button(study.state === "none" ? "Look at the examples" : "Look again", begin(false))));
    }
    fill(holder, parts);
  }
  function studied(one) {
    const terms = (title, list) => (list.length ? h("p", {}, `${title}: `, list.map((term) => [h("span", { class: "chip" }, term), " "])) : null);
    const parts = [terms("Typical", one.typical), one.apart.join() === one.typical.join() ? null : terms("Sets it apart", one.apart)];
    if (one.thin) parts.push(h("p", { class: "warn" }, `Not enough examples to tell how well the judge knows it: ${count(one.positives)}; give it five at least, better twenty.`));
    else parts.push(bar("Of what the judge files here, belongs here", one.precision, "precision"), bar("Of what belongs here, the judge finds", one.recall, "recall"));
    const lost = Object.entries(one.confused);
    if (lost.length) parts.push(h("p", {}, `Examples that go elsewhere: ${lost.map(([path, part]) => `${Math.round(part * 100)} % to ${path}`).join(", ")}.`));
    return parts;
  }
  function bar(text, value, name) {
    if (value === null) return h("p", {}, `${text}: not known`);
    const inner = h("span", {});
    inner.style.width = `${Math.round(value * 100)}%`;
    return h("div", {}, h("p", {}, `${text}: `, h("strong", {}, share(value, 2)), " ", h("small", {}, `(estimated ${name})`)), h("div", { class: "bar", "aria-hidden": "true" }, inner));
  }

  await Promise.all([load(), formula.load()]);
  api(at("topics", "about")).then((told) => { study = told; if (!gone) { drawStudy(); if (told.state === "computing") return seeStudy(); if (told.state === "none" && known.crawled) return begin(false)(); } return null; }).catch((error) => toast(error.message, true));
  return () => { gone = true; clearTimeout(timer); formula.leave(); };
}
