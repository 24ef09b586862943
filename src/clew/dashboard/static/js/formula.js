// The formula and the threshold, tried on the pages found so far while they are typed.

import { api, button, count, digits, fill, h, many, marked, of, outside, toast } from "./lib.js";

const WAIT_MS = 300;

/** The card of the formula. `saved` is called when it was; returns {node, leave}. */
export function formulaCard(project, { saved }) {
  const text = h("textarea", { id: "formula", rows: "2", class: "grow", maxlength: "1000", spellcheck: "false", "aria-describedby": "formula-help formula-said", oninput: later });
  const threshold = h("input", { id: "threshold", type: "number", min: "0", max: "1", step: "any", required: true, oninput: later });
  const said = h("div", { id: "formula-said", class: "tried", role: "status" });
  const meaning = h("p", { class: "says" });
  const save = button("Save", store, { class: "main" });
  const back = button("Undo", () => { put(known); try_(); text.focus(); setTimeout(buttons); });
  const node = h("section", { class: "card full", "aria-labelledby": "formula-title" },
    h("h2", { id: "formula-title" }, "What is wanted"),
    h("label", { for: "formula" }, "Formula over topics"),
    h("div", { class: "row" }, text),
    h("p", { id: "formula-help", class: "says" }, "Names of topics with and, or, not and brackets: ", h("code", {}, "sailing and not (hotels or jobs)"), ". Empty: any topic."),
    h("div", { class: "row" }, h("label", { for: "threshold" }, "A page counts from a relevance of"), threshold, save, back),
    meaning, said);
  let known = { formula: "", threshold: 0.5 }, timer = 0, asking = null, wrong = true;

  function put(from) {
    text.value = from.formula;
    threshold.value = String(from.threshold);
  }
  const changed = () => text.value !== known.formula || Number(threshold.value) !== known.threshold;
  function buttons() {
    save.disabled = wrong || !changed();
    back.disabled = !changed();
  }
  function later() {
    clearTimeout(timer);
    wrong = true;
    buttons();
    timer = setTimeout(try_, WAIT_MS);
  }
  async function try_() {
    asking?.abort();
    const mine = asking = new AbortController();
    if (!threshold.checkValidity()) { wrong = true; fill(said, h("p", { class: "bad" }, "The relevance must be a number from 0 to 1.")); buttons(); return; }
    try {
      const found = await api(of(project, "formula", "preview"), { method: "POST", body: { formula: text.value, threshold: Number(threshold.value) }, signal: mine.signal });
      wrong = Boolean(found.problem);
      text.setAttribute("aria-invalid", String(wrong));
      fill(said, ...(wrong ? problem(found) : counts(found)));
    } catch (error) {
      if (error.name === "AbortError") return;
      wrong = true;
      fill(said, h("p", { class: "bad" }, error.message));
    }
    buttons();
  }
  function problem(found) {
    if (found.start === null) return [h("p", { class: "bad" }, found.problem)];
    const place = Math.min(found.start, text.value.length);
    const shown = text.value.length > place ? marked(text.value, [[place, place + 1]]) : [text.value, h("mark", {}, " ")];
    return [h("p", { class: "bad" }, `At character ${place + 1}: ${found.problem}`), h("pre", { class: "where" }, ...shown)];
  }
  function counts(found) {
    const parts = [];
    if (found.reading) timer = setTimeout(try_, 3 * WAIT_MS);
    if (found.note) parts.push(h("p", { class: "warn" }, found.note));
    if (!found.judged) return parts;
    const net = changed() || found.more || found.fewer;
    parts.push(h("p", {}, h("strong", {}, `${count(found.now)} → ${count(found.then)}`), ` of ${many(found.judged, "judged page")} ${net ? "would count" : "count"}`,
      found.more || found.fewer ? `: ${count(found.more)} more, ${count(found.fewer)} fewer` : ""));
    if (net && found.topics.length > 1) parts.push(h("ul", { class: "plain inline" }, found.topics.slice(0, 12).map((one) => h("li", { class: "chip" }, `${one.path || "no topic"} ${count(one.now)} → ${count(one.then)}`))));
    const lists = [pages("Would count", found.newly, found.more), pages("Would not count any more", found.no_longer, found.fewer)].filter(Boolean);
    if (lists.length) parts.push(h("div", { class: "wide" }, lists));
    return parts;
  }
  function pages(title, rows, total) {
    if (!rows.length) return null;
    return h("div", {}, h("h3", {}, `${title} (${count(total)})`), h("ul", { class: "plain pages" }, rows.map((one) => h("li", {}, h("span", { class: "number" }, digits(one.relevance)), " ", outside(one.url, one.title || one.url)))));
  }
  async function store() {
    const done = await api(of(project, "formula"), { method: "PUT", body: { formula: text.value, threshold: Number(threshold.value), stamp: known.stamp } });
    toast(done.done);
    await load();
    await saved();
    setTimeout(buttons); // the button that was pressed is set free first
  }
  async function load() {
    const typed = changed() && known.stamp ? { formula: text.value, threshold: threshold.value } : null;
    known = await api(of(project, "formula"));
    if (!typed || typed.formula === known.formula) put(known);
    fill(meaning, known.running ? ["A crawl is running: what you save counts when it was ", h("a", { href: `#/${encodeURIComponent(project)}/crawl` }, "stopped and started again"), ", then for all pages."]
      : "What you save counts when the crawl goes on: then all pages get new verdicts first, and all links new scores.");
    text.disabled = !known.tree;
    if (!known.tree) text.placeholder = "one topic: everything like the examples; a formula needs a tree of topics";
    await try_();
  }
  return { node, load, leave: () => { clearTimeout(timer); asking?.abort(); } };
}
