// Found-curves of a task: medians of the repeats, and bands from the least to the most.

import { key, lines } from "../chart.js";
import { api, count, fill, h, query, table, toast } from "../lib.js";
import { choice } from "../sorted.js";

const POINTS = 100, FIRST = 4;

/** Lines differ in colour and in dashes, so that neither alone tells them apart. */
const look = (i) => `s${i % 4} d${(i + Math.floor(i / 4)) % 4}`;
const limitLook = (i) => `limit d${i % 4}`;

/** Found after `x` fetches in one run; what stopped early keeps its last value. */
function foundAt(curve, x) {
  const { fetched, found } = curve, last = fetched.length - 1;
  if (x >= fetched[last]) return found[last];
  const next = fetched.findIndex((one) => one > x), before = next - 1;
  return found[before] + ((x - fetched[before]) / (fetched[next] - fetched[before])) * (found[next] - found[before]);
}

function median(values) {
  const order = [...values].sort((a, b) => a - b), half = order.length >> 1;
  return order.length % 2 ? order[half] : (order[half - 1] + order[half]) / 2;
}

/** The repeats of a method at some fetches. */
function drawn(curves, name, at, style) {
  const own = curves.filter((one) => one.method === name), columns = at.map((x) => own.map((one) => foundAt(one, x)));
  return { name, look: style, x: at, y: columns.map(median), low: columns.map((all) => Math.min(...all)), high: columns.map((all) => Math.max(...all)), repeats: own.length };
}

/** The card with the curves. */
export function curvesOf(results, folder) {
  const at = { task: results.tasks[0].name, bands: false, off: null };
  const picks = h("fieldset", { class: "picks" }), box = h("div"), figures = h("div");
  const bands = h("input", { type: "checkbox", onchange: () => { at.bands = bands.checked; draw(); } });
  let curves = [], turn = 0;
  const card = h("section", { class: "card", "aria-labelledby": "curves" }, h("h2", { id: "curves" }, "Curves"),
    h("p", { class: "says" }, "Relevant pages found after so many fetches, medians of the repeats: higher and further left is better. The greedy oracle knows all links and the truth; no crawl that follows links passes the upper bound."),
    h("div", { class: "row" },
      results.tasks.length > 1 && choice("Task", results.tasks.map((one) => [one.name, one.name]), at.task, (found) => { at.task = found; load(); }),
      h("label", { class: "check" }, bands, "from the least to the most of the repeats")),
    box, picks, h("details", {}, h("summary", {}, "The same in figures"), figures));

  async function load() {
    const mine = ++turn;
    try {
      const found = await api(`/curves${query({ folder, task: at.task })}`);
      if (mine !== turn) return;
      curves = found;
      choose();
      draw();
    } catch (error) { toast(error.message, true); }
  }

  /** What can be drawn: methods, the best first, and what was possible. */
  function named() {
    const task = results.tasks.find((one) => one.name === at.task), limits = [...new Set(curves.filter((one) => one.is_limit).map((one) => one.method))];
    return [...task.ranked.map((name, i) => [name, look(i), i < FIRST]), ...limits.map((name, i) => [name, limitLook(i), i === 0])];
  }

  function choose() {
    at.on = new Set(named().filter(([name, , first]) => (at.off ? !at.off.has(name) : first)).map(([name]) => name));
    fill(picks, h("legend", {}, "Lines"), named().map(([name, style]) => {
      const box = h("input", { type: "checkbox", checked: at.on.has(name), onchange: () => {
        if (box.checked) at.on.add(name); else at.on.delete(name);
        at.off = new Set(named().map(([one]) => one).filter((one) => !at.on.has(one)));
        draw();
      } });
      return h("label", { class: "check" }, box, key(style), name);
    }));
  }

  function draw() {
    const task = results.tasks.find((one) => one.name === at.task), step = task.budget / POINTS;
    const places = [...new Set(Array.from({ length: POINTS + 1 }, (_, i) => Math.round(i * step)))];
    const series = named().filter(([name]) => at.on.has(name)).map(([name, style]) => drawn(curves, name, places, style));
    if (!series.length) { fill(box, h("p", { class: "soft" }, "Choose at least one line.")); fill(figures); return; }
    const last = (one) => count(one.y[one.y.length - 1]);
    fill(box, lines({
      series: series.map((one) => (at.bands && one.repeats > 1 ? one : { ...one, low: null })), xLabel: "fetches", height: 300,
      describe: `Relevant pages found on ${at.task} within ${count(task.budget)} fetches: ${series.map((one) => `${one.name} ${last(one)}`).join(", ")}`,
    }));
    fill(figures, table(`Relevant pages found on ${at.task}`, [
      ["line", (one) => one.name, { page: true }],
      ...[0.25, 0.5, 0.75, 1].map((part) => [`after ${count(Math.round(part * task.budget))}`, (one) => {
        const i = Math.round(part * (places.length - 1));
        return [count(one.y[i]), one.high[i] > one.low[i] && h("small", {}, ` ${count(one.low[i])} – ${count(one.high[i])}`)];
      }, { number: true }]),
    ], series));
  }

  load();
  return card;
}
