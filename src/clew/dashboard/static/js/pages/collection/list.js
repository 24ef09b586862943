// The pages of a collection: topics beside a list, a search, filters, and labels by single keys.

import { api, button, count, fill, h, keys, many, of, query, share, toast } from "../../lib.js";
import { keepList, labels, line, neighbours, showKeys } from "./parts.js";

const SIZE = 50, SEARCHED = 20, AGAIN_MS = 2000;
const NAMES = ["q", "topic", "host", "language", "since", "until", "relevant", "order", "offset"];
const KEYS = [["j, k", "next or previous page of the list"], ["Enter", "open it"], ["r", "it is relevant"], ["i", "it is irrelevant"], ["u", "take its label back"], ["/", "search"], ["?", "these keys"]];

export const stateOf = (given) => Object.fromEntries(NAMES.map((name) => [name, given.get(name) || ""]));

/** What a state of filters asks for: pages, their total, whether there are more. */
export const ask = (project, state) => (state.q ? searched(project, state) : listed(project, state));

export async function show(root, { project, query: given, to, topics, first }) {
  const state = stateOf(given);
  const giver = labels(project, topics);
  const status = h("p", { class: "says", role: "status" }), list = h("ol", { class: "plain" }), paging = h("div", { class: "row" });
  let lines = [], turn = 0, again = 0;

  const address = () => to(project, "collection") + query(state);
  function go(changes) {
    Object.assign(state, { offset: "" }, changes);
    history.pushState(null, "", address());
    search.restore();
    topicTree.restore();
    load(true);
  }

  async function load(moved = false, early = null) {
    clearTimeout(again);
    const mine = ++turn;
    if (moved) list.setAttribute("aria-busy", "true");
    try {
      const found = await (early || ask(project, state));
      if (mine !== turn || !list.isConnected) return;
      const busy = !moved && list.contains(document.activeElement);
      if (!busy) draw(found);
      say(found);
      if (found.adding && !found.adding.why) again = setTimeout(() => load(), AGAIN_MS);
    } catch (error) {
      if (mine !== turn) return;
      fill(list);
      fill(paging);
      fill(status, h("span", { class: "bad" }, error.message));
    } finally {
      list.removeAttribute("aria-busy");
    }
  }

  function draw(found) {
    lines = found.pages.map((one) => ({ one, ...line(one, to(project, "collection", one.number), one.label) }));
    fill(list, lines.map((each) => each.node));
    keepList(project, address(), found.pages.map((one) => one.number));
    const offset = Number(state.offset) || 0;
    fill(paging,
      offset > 0 && button("Previous", () => go({ offset: String(Math.max(offset - found.size, 0) || "") }), { id: "previous" }),
      found.more && button("Next", () => { go({ offset: String(offset + found.size) }); scrollTo(0, 0); }, { id: "next" }));
  }

  function say(found) {
    const first = (Number(state.offset) || 0) + 1, last = first + found.pages.length - 1;
    const waits = found.adding && !found.adding.why, notes = waits ? [] : found.notes;
    const range = waits && !found.pages.length ? "" : found.pages.length ? `${count(first)} to ${count(last)}${found.total === null ? "" : ` of ${many(found.total, "page")}`}` : empty(state);
    const adding = found.adding ? (found.adding.why || (found.adding.of ? `adding pages to the search index: ${count(found.adding.done)} of ${count(found.adding.of)}; what is there is searched` : "adding pages to the search index …")) : "";
    fill(status, [range, ...notes, adding].filter(Boolean).join(" · "));
  }

  const search = searchForm(state, go);
  const topicTree = tree(topics, state, go);
  const near = rankings(project, to, state, topics);
  fill(root, ...root.childNodes, search.node, giver.choice() ? h("div", { class: "row" }, giver.choice()) : null,
    h("div", { class: topicTree.node ? "beside" : "" }, topicTree.node,
      h("section", { "aria-label": "Pages" }, h("h2", { class: "unseen" }, "Pages"), status, list, paging, near,
        h("p", {}, button("Keys (?)", () => showKeys(KEYS), { class: "quiet small" })))));
  await load(true, first);

  const place = () => lines.findIndex((each) => each.node.contains(document.activeElement));
  const move = (step) => { const next = lines[Math.min(Math.max(place() + step, 0), lines.length - 1)]; if (next) { next.title.focus(); next.node.scrollIntoView({ block: "nearest" }); } };
  const mark = async (verdict) => {
    const each = lines[place()];
    if (!each) { toast("first choose a page: j or k"); return; }
    try {
      await giver.give(each.one.url, verdict);
      each.one.label = verdict === "none" ? "" : verdict;
      each.label(each.one.label);
    } catch (error) { toast(error.message, true); }
  };
  const off = keys({ j: () => move(1), k: () => move(-1), r: () => mark(giver.yes()), i: () => mark("irrelevant"), u: () => mark("none"), "/": () => search.focus(), "?": () => showKeys(KEYS) });
  return () => { off(); clearTimeout(again); turn += 1; };
}

async function listed(project, state) {
  const asked = { topic: state.topic, host: state.host, language: state.language, relevant: state.relevant, order: state.order, limit: SIZE, offset: state.offset };
  const found = await api(of(project, "pages") + query(asked));
  return { pages: found.pages, total: found.total, size: SIZE, more: found.offset + found.pages.length < found.total, notes: [], adding: null };
}

async function searched(project, state) {
  const asked = { q: state.q, topic: state.topic, host: state.host, language: state.language, since: state.since, until: state.until, everything: state.relevant === "all" || state.relevant === "false" ? "true" : "", limit: SEARCHED, offset: state.offset };
  const [answer, given] = await Promise.all([api(of(project, "search") + query(asked)), api(of(project, "labels") + query({ limit: 1000 }))]);
  const known = new Map(given.pages.map((one) => [one.url, one.verdict]));
  const pages = answer.found.hits.map((one) => ({ ...one, label: known.get(one.url) || "" }));
  return { pages, total: null, size: SEARCHED, more: answer.more, notes: [`${many(answer.found.pages, "page")} searched`, ...answer.found.notes], adding: answer.adding };
}

function empty(state) {
  if (state.q) return `no page found for ${state.q}`;
  if (state.topic || state.host || state.language) return "no page is like that: clear the filters";
  return "no relevant page was found yet: look at all pages (filters), or go on crawling";
}

function searchForm(state, go) {
  const input = (name, label, more = {}) => h("label", {}, label, " ", h("input", { name, ...more }));
  const select = (name, label, options) => h("label", {}, label, " ", h("select", { name }, options.map(([value, text]) => h("option", { value }, text))));
  const box = h("input", { name: "q", type: "search", class: "grow", "aria-label": "Search the texts", placeholder: 'words, "a phrase", -without, begin*', maxlength: 1000 });
  const node = h("form", { role: "search", class: "card" },
    h("div", { class: "row" }, box, h("button", { class: "main" }, "Search")),
    h("details", { open: ["host", "language", "since", "until", "relevant", "order"].some((name) => state[name]) }, h("summary", {}, "Filters and order"),
      h("div", { class: "row" },
        select("relevant", "Show", [["", "relevant pages"], ["false", "pages that are not"], ["all", "all that were judged"]]),
        select("order", "Order", [["", "most relevant first"], ["newest", "fetched last first"], ["oldest", "fetched first first"]]),
        input("host", "Host", { maxlength: 300 }), input("language", "Language", { maxlength: 20, size: 4, placeholder: "en" }),
        input("since", "Since", { type: "date" }), input("until", "Until", { type: "date" }),
        button("Clear", () => go(Object.fromEntries(NAMES.map((name) => [name, ""])))))));
  const fields = ["q", "host", "language", "since", "until", "relevant", "order"];
  const restore = () => {
    for (const name of fields) node.elements[name].value = state[name];
    for (const name of ["since", "until"]) node.elements[name].disabled = !state.q && !box.value;
    node.elements.order.disabled = Boolean(box.value);
  };
  box.addEventListener("input", () => { for (const name of ["since", "until"]) node.elements[name].disabled = !box.value; node.elements.order.disabled = Boolean(box.value); });
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    go(Object.fromEntries(fields.map((name) => [name, node.elements[name].value.trim()])));
  });
  restore();
  return { node, restore, focus: () => { box.focus(); box.select(); } };
}

/** A topic with the counts of those below it added. */
function withThoseBelow(one, _, all) {
  const some = all.filter((other) => other === one || other.path.startsWith(`${one.path}/`)), sum = (name) => some.reduce((total, each) => total + each[name], 0);
  const relevant = sum("relevant");
  return { ...one, judged: sum("judged"), relevant, labelled: sum("labelled"), relevance: relevant ? some.reduce((total, each) => total + each.relevant * (each.relevance || 0), 0) / relevant : null };
}

/** The topics with what was found of each; nothing where there is one topic. */
function tree(topics, state, go) {
  if (topics.filter((one) => one.number >= 0).length < 2) return { node: null, restore: () => {} };
  const items = topics.map(withThoseBelow).map((one) => {
    const depth = one.number < 0 ? 0 : one.path.split("/").length - 1;
    const node = h("button", { type: "button", class: "quiet topic", title: one.path, onclick: () => go({ topic: state.topic === one.path ? "" : one.path }) },
      h("span", { class: one.wanted ? "wanted" : "" }, one.path.split("/").pop()),
      h("span", { class: "soft small" }, `${count(one.relevant)} of ${count(one.judged)}${one.relevance === null ? "" : ` · ${share(one.relevance, 2)}`}${one.labelled ? ` · ${many(one.labelled, "label")}` : ""}`));
    node.style.paddingLeft = `${0.5 + depth * 0.9}rem`;
    return { one, node };
  });
  const every = h("button", { type: "button", class: "quiet topic", onclick: () => go({ topic: "" }) }, "All topics");
  const restore = () => {
    for (const { one, node } of items) node.setAttribute("aria-pressed", String(state.topic === one.path));
    every.setAttribute("aria-pressed", String(!state.topic));
  };
  restore();
  const wide = matchMedia("(min-width: 42rem)").matches;
  const node = h("aside", { "aria-label": "Topics" }, h("details", { class: "card", open: wide || state.topic !== "" },
    h("summary", {}, "Topics"), h("p", { class: "soft small" }, "relevant of judged pages, with those of the topics below, and their mean relevance; wanted topics are bold"), every, items.map((each) => each.node)));
  return { node, restore };
}

/** Authorities and hubs of the chosen topic, looked for when they are opened. */
function rankings(project, to, state, topics) {
  const body = h("div", {}), topic = () => state.topic;
  let shown = null;
  const node = h("details", { class: "card" }, h("summary", {}, "Authorities and hubs"), body);
  const load = async () => {
    if (!node.open || shown === topic()) return;
    shown = topic();
    fill(body, h("p", { class: "says" }, "Looking at links …"));
    try {
      const found = await api(of(project, "topics", "rankings") + query({ topic: shown }));
      const part = (title, says, ranked) => h("section", {}, h("h3", {}, title), h("p", { class: "soft small" }, says),
        ranked.length ? neighbours(ranked.map((one) => ({ ...one.page })), (number) => to(project, "collection", number)) : h("p", {}, "none: no links between hosts lead to the same pages"));
      fill(body, h("p", { class: "says" }, `By the links of ${count(found.looked_at)} of ${many(found.pages, "relevant page")}${shown ? ` about ${shown}` : topics.length > 2 ? " about all topics" : ""}.`),
        h("div", { class: "wide" }, part("Authorities", "pages that many of them link to", found.authorities), part("Hubs", "pages that link to many authorities", found.hubs)));
    } catch (error) { shown = null; fill(body, h("p", { class: "bad" }, error.message)); }
  };
  node.addEventListener("toggle", load);
  return node;
}
