// The uncertain pages, one after the other, labelled with single keys. What the judge thinks of them is not told: it
// would lead the answer.

import { api, button, fill, h, keys, of, outside, query, toast } from "../../lib.js";
import { estimate, labels, showKeys } from "./parts.js";

const ASKED = 20;
const KEYS = [["r", "this page is relevant"], ["i", "it is irrelevant"], ["s", "skip it"], ["u", "back to the page before, its label is taken back"], ["?", "these keys"]];

export async function show(root, { project, to, topics }) {
  const giver = labels(project, topics), body = h("div", {});
  root.append(h("h2", {}, "Uncertain pages"),
    h("p", { class: "says" }, "Half of these pages are near the threshold, where a label teaches the judge most; half were drawn at random among those judged relevant, where labels measure the precision. Say of each what it is."), body);
  let pages = [], place = 0, before = null, now = null, given = [], busy = false;

  async function begin() {
    fill(body, h("p", { class: "says", role: "status" }, "Choosing pages …"));
    const found = await api(of(project, "uncertain") + query({ n: ASKED }));
    pages = found.pages;
    [place, before, now, given] = [0, found.labelled, found.labelled, []];
    await draw();
  }

  async function draw() {
    if (place >= pages.length) { end(); return; }
    const one = pages[place];
    const text = h("div", { class: "prose short", tabindex: "0", role: "region", "aria-label": "Text of the page" }, h("span", { class: "soft" }, "Loading …"));
    const bar = h("progress", { max: pages.length, value: place, "aria-label": "Pages asked about" });
    const heading = h("h3", { tabindex: "-1" }, one.title || "(no title)");
    fill(body, h("p", { role: "status" }, `${place + 1} of ${pages.length}`), bar, giver.choice(),
      h("div", { class: "card" }, heading, h("p", {}, outside(one.url)), text),
      h("div", { class: "row stuck" },
        button("Relevant (r)", () => answer(giver.yes()), { class: "main" }), button("Irrelevant (i)", () => answer("irrelevant"), { class: "main" }),
        button("Skip (s)", () => answer("")), given.length > 0 && button("Back (u)", undo),
        h("a", { class: "button", href: to(project, "collection", one.number) }, "All about it")),
      told(), h("p", {}, button("Keys (?)", () => showKeys(KEYS), { class: "quiet small" })));
    heading.focus({ preventScroll: true });
    try {
      const page = await api(of(project, "pages", one.number));
      if (pages[place] === one) fill(text, page.text || "No text of this page is kept: open the original.");
    } catch (error) { fill(text, h("span", { class: "bad" }, error.message)); }
  }

  const told = () => h("p", { class: "soft" }, `Precision, estimated: ${before === now || estimate(before.precision) === estimate(now.precision) ? estimate(now.precision) : `${estimate(before.precision)} → ${estimate(now.precision)}`}`);

  async function answer(verdict) {
    if (busy || place >= pages.length) return;
    busy = true;
    try {
      if (verdict) now = await giver.give(pages[place].url, verdict);
      given.push(verdict);
      place += 1;
    } catch (error) { toast(error.message, true); } finally { busy = false; }
    await draw();
  }

  async function undo() {
    if (busy || !given.length) return;
    busy = true;
    try {
      if (given[given.length - 1]) now = await giver.give(pages[place - 1].url, "none");
      given.pop();
      place -= 1;
    } catch (error) { toast(error.message, true); } finally { busy = false; }
    await draw();
  }

  function end() {
    const labelled = given.filter(Boolean).length;
    fill(body, h("div", { class: "card" },
      h("p", { role: "status" }, pages.length ? `You labelled ${labelled} of ${pages.length} pages.` : "Nothing to ask: every page that was judged has a label."),
      pages.length > 0 && told(), labelled > 0 && h("p", {}, `What your labels do: ${now.effect}.`),
      h("div", { class: "row" }, pages.length > 0 && button("More pages", begin, { class: "main" }), given.length > 0 && button("Back (u)", undo), h("a", { class: "button", href: to(project, "collection") }, "The list"))));
  }

  const off = keys({ r: () => answer(giver.yes()), i: () => answer("irrelevant"), s: () => answer(""), u: undo, "?": () => showKeys(KEYS) });
  try { await begin(); } catch (error) { off(); throw error; }
  return off;
}
