// One page: its text with the terms that weighed most, the copy as it was fetched, why, how the crawl came there,
// neighbours, and its label.

import { api, button, count, digits, facts, fill, h, keys, many, of, outside, when } from "../../lib.js";
import { keptList, labelBar, labels, neighbours, showKeys } from "./parts.js";

const KEYS = [["r", "this page is relevant"], ["i", "it is irrelevant"], ["u", "take its label back"], ["j, k", "next or previous page of the list"], ["b", "back to the list"], ["t", "text or archived copy"], ["?", "these keys"]];

const COMPUTING_MS = 1000;

export async function show(root, { project, to, topics, number }) {
  const page = await api(of(project, "pages", number));
  const giver = labels(project, topics), list = keptList(project);
  const address = (one) => to(project, "collection", one);
  const effect = h("p", { class: "soft small", role: "status" });
  const bar = labelBar(giver, page.url, page.label, (now, answer) => fill(effect, `${answer.effect}.`));
  const text = textView(page), views = tabs(text.node, page, project);
  const reasons = h("section", { class: "card" }), path = h("section", { class: "card" }), linked = h("div", {});
  const place = list.numbers.indexOf(number), back = list.address || to(project, "collection");
  const go = (step) => { const next = list.numbers[place + step]; if (place >= 0 && next) location.hash = address(next); };
  root.append(
    h("p", { class: "row" }, h("a", { class: "button", href: back }, "← The list"),
      place > 0 && button("Previous page", () => go(-1)), place >= 0 && place < list.numbers.length - 1 && button("Next page", () => go(1))),
    h("h1", {}, page.title || page.url), h("p", {}, outside(page.url)),
    h("div", { class: "card" }, h("h2", {}, "Is this what you want?"), giver.choice(), page.judged || page.outcome === "ok" ? bar.node : h("p", {}, "There is no page to label."), effect),
    factsOf(page, to, project),
    h("div", { class: "wide reading" }, h("section", { class: "card full" }, views.node), reasons, path,
      h("section", { class: "card" }, h("h2", {}, "It links to"), leads(page, address)),
      h("section", { class: "card" }, h("h2", {}, "Pages that link here"), linked)),
    h("p", {}, button("Keys (?)", () => showKeys(KEYS), { class: "quiet small" })));
  explain(project, number, reasons, path, text, address);
  links(project, number, linked, address);
  return keys({ ...bar.keys, j: () => go(1), k: () => go(-1), b: () => { location.href = back; }, t: views.turn, "?": () => showKeys(KEYS) });
}

function factsOf(page, to, project) {
  const repeats = page.duplicate_number ? h("a", { href: to(project, "collection", page.duplicate_number) }, page.duplicate_of || `page ${page.duplicate_number}`) : null;
  const source = page.found_on_number ? h("a", { href: to(project, "collection", page.found_on_number) }, page.found_on || `page ${page.found_on_number}`) : "a seed, or given otherwise";
  return facts([
    page.relevance === null ? ["outcome", `${page.outcome}${page.reason ? `: ${page.reason}` : ""}`] : ["relevance", `${digits(page.relevance)}, ${page.relevant ? "relevant" : "not relevant"}`],
    page.topic && ["topic", page.topic], page.language && ["language", page.language], page.date && ["of", page.date], page.author && ["author", page.author],
    ["host", page.host], ["fetched", when(Date.parse(page.fetched_at) / 1000)], ["links from a seed", count(page.depth)], ["found on", source],
    repeats && ["repeats", repeats], ["size", `${count(page.bytes)} bytes, ${page.content_type}`],
  ]);
}

/** The text, which `mark` fills again with marks: [start, end, place of the term]. */
function textView(page) {
  const body = h("div", { class: "prose", tabindex: "0", role: "region", "aria-label": "Text of the page" }), letters = Array.from(page.text);
  const plain = (start, end) => letters.slice(start, end).join("");
  function mark(marks, terms) {
    let place = 0;
    fill(body, letters.length ? null : h("p", { class: "says" }, page.judged ? "No text of this page is kept: look at the archived copy." : "No page came back."));
    for (const [start, end, term] of marks) {
      const [word, weight] = terms[term];
      body.append(plain(place, start), h("mark", { class: weight < 0 ? "against" : null, title: `${word}: ${weight > 0 ? "+" : ""}${weight.toFixed(3)}` }, plain(start, end)));
      place = end;
    }
    body.append(plain(place, letters.length));
  }
  mark([], []);
  const kind = { main: "The main text; menus and the like are left out.", full: "All text of the page: no main text was found.", none: "" }[page.text_kind];
  return { node: h("div", {}, kind && h("p", { class: "soft small" }, kind, page.text_cut ? " It goes on; only its beginning is shown." : ""), body), mark };
}

/** Two tabs: the text, and the copy in a frame that runs nothing, loaded when it is first looked at. */
function tabs(text, page, project) {
  const copy = h("div", { id: "copy", role: "tabpanel", "aria-labelledby": "tab-copy", hidden: true });
  const panels = [h("div", { id: "text", role: "tabpanel", "aria-labelledby": "tab-text" }, text), copy];
  const names = [["tab-text", "Text"], ["tab-copy", "Archived copy"]];
  const heads = names.map(([id, name], i) => h("button", { type: "button", id, role: "tab", "aria-controls": panels[i].id, onclick: () => choose(i) }, name));
  let now = 0;
  function choose(which) {
    now = which;
    heads.forEach((head, i) => { head.setAttribute("aria-selected", String(i === which)); head.tabIndex = i === which ? 0 : -1; });
    panels.forEach((panel, i) => { panel.hidden = i !== which; });
    if (which === 1 && !copy.hasChildNodes()) fill(copy, page.archived ? frame(page, project) : h("p", {}, "No copy of this page is kept (store.archive is false, or the file was taken away)."));
  }
  choose(0);
  const row = h("div", { class: "row tabs", role: "tablist", "aria-label": "Text and archived copy", onkeydown: (event) => {
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") { choose(1 - now); heads[now].focus(); }
  } }, heads);
  return { node: h("div", {}, h("h2", { class: "unseen" }, "What the page says"), row, ...panels), turn: () => choose(1 - now) };
}

const frame = (page, project) => [
  h("p", { class: "soft small" }, "As it was fetched: scripts and forms are off, pictures and styles of other addresses are not loaded."),
  h("iframe", { src: `/archived/${encodeURIComponent(project)}/${page.number}`, sandbox: "", referrerpolicy: "no-referrer", title: `Archived copy of ${page.url}` })];

async function explain(project, number, reasons, path, text, address) {
  fill(reasons, h("h2", {}, "Why"), h("p", { class: "says", role: "status" }, "Looking for the reasons …"));
  fill(path, h("h2", {}, "How the crawl came there"), h("p", { class: "says" }, "…"));
  try {
    const { explanation, marks } = await told(project, number, reasons);
    if (!explanation) return;
    text.mark(marks, explanation.terms);
    fill(reasons, h("h2", {}, "Why"), h("p", {}, explanation.verdict), terms(explanation.terms));
    fill(path, h("h2", {}, "How the crawl came there"), steps(explanation.path, number, address));
  } catch (error) {
    fill(reasons, h("h2", {}, "Why"), h("p", { class: "bad" }, error.message));
    fill(path, h("h2", {}, "How the crawl came there"), h("p", { class: "soft" }, "This cannot be told without the judge."));
  }
}

/** The answer, asked for again while the reasons are being looked for; none once the page is left. */
async function told(project, number, node) {
  for (;;) {
    const answer = await api(of(project, "pages", number, "why"));
    if (!answer.computing || !node.isConnected) return answer;
    fill(node, h("h2", {}, "Why"), h("p", { class: "says", role: "status" }, "Looking for the reasons: the judge is trained again …"));
    await new Promise((done) => setTimeout(done, COMPUTING_MS));
  }
}

function terms(found) {
  if (!found.length) return h("p", { class: "soft" }, "No terms can be shown: the page is not in the archive, or holds none that the judge knows.");
  const most = Math.max(...found.map(([, weight]) => Math.abs(weight)));
  return [h("p", { class: "soft small" }, "The terms that weighed most: + speaks for the page, − against it."),
    h("ul", { class: "plain terms" }, found.map(([term, weight]) => {
      const bar = h("span", { class: weight < 0 ? "against" : null });
      bar.style.width = `${(Math.abs(weight) / most) * 100}%`;
      return h("li", {}, h("span", {}, term), h("span", { class: weight < 0 ? "bad" : "good" }, `${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(4)}`), h("div", { class: "bar" }, bar));
    }))];
}

const steps = (path, number, address) => h("ol", { class: "steps" }, path.map((step) => h("li", {},
  step.number === number ? h("span", {}, step.url) : h("a", { href: address(step.number) }, step.url),
  h("div", { class: "soft small" }, `the link's score ${digits(step.score)} · relevance of the page ${digits(step.relevance)}${step.anchor ? ` · the link reads “${step.anchor}”` : ""}`),
  step.parts.length ? h("div", { class: "soft small" }, step.parts.join("; ")) : null)));

function leads(page, address) {
  const { pages, visited, waiting } = page.links;
  if (!visited && !waiting) return h("p", { class: "soft" }, "It has no links.");
  const rest = [visited > pages.length ? `${many(visited - pages.length, "more visited page")}` : "", waiting ? `${many(waiting, "link")} not followed` : ""].filter(Boolean).join(", ");
  return [pages.length ? neighbours(pages, address) : null, h("p", { class: "soft" }, pages.length && rest ? `and ${rest}` : rest)];
}

async function links(project, number, node, address) {
  fill(node, h("p", { class: "says", role: "status" }, "Looking through the links …"));
  try {
    const found = await api(of(project, "pages", number, "linked-from"));
    fill(node, found.pages.length ? neighbours(found.pages, address) : h("p", { class: "soft" }, "No visited page links here."), found.more ? h("p", { class: "soft" }, "and others") : null);
  } catch (error) { fill(node, h("p", { class: "bad" }, error.message)); }
}
