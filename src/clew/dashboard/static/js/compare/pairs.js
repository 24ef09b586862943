// All pairs of methods, tested: over all tasks, or on one.

import { fill, h, share } from "../lib.js";
import { choice, sorted } from "../sorted.js";

/** What a test says, in words. */
function verdict(test) {
  if (test.told_apart) return h("strong", { class: "good" }, test.difference > 0 ? `✓ ${test.one} is better` : `✓ ${test.other} is better`);
  return test.p === null ? `not tested (${test.test.replace(/^none: /, "")})` : "not told apart";
}

const small = (p) => (p === null ? "–" : p < 0.001 ? "< 0.001" : p.toFixed(3));
const signed = (value) => (value === null ? "–" : `${value > 0 ? "+" : value < 0 ? "−" : ""}${share(Math.abs(value))}`);

/** The same test seen from a method, if it is the other one. */
function from(test, name) {
  if (test.other !== name) return test;
  const turned = (value) => (value === null ? null : -value);
  return { ...test, one: test.other, other: test.one, difference: turned(test.difference), low: turned(test.high), high: turned(test.low) };
}

/** The card with the tests. */
export function pairs(results) {
  const scopes = [...new Map(results.differences.map((one) => [JSON.stringify([one.task, one.units]), one])).entries()]
    .map(([key, one]) => [key, one.task ? one.task : one.units === "webs" ? "all tasks, by webs" : "all tasks, by repeats"]);
  const card = h("section", { class: "card", "aria-labelledby": "pairs" }, h("h2", { id: "pairs" }, "All pairs tested"));
  if (!scopes.length) {
    card.append(h("p", { class: "says" }, "There is one method, so there is nothing to tell apart: clew lab run --strategies all compares several."));
    return card;
  }
  const at = { scope: scopes[0][0], method: "" }, box = h("div");
  card.append(
    h("p", { class: "says" }, "Differences in area over the oracle's on the same draws. Two methods are told apart where p is below .05, corrected for the number of pairs by Holm's method, and the difference is at least .01. By repeats it holds on these webs, by webs over webs of their kind."),
    h("div", { class: "row" },
      choice("On", scopes, at.scope, (found) => { at.scope = found; draw(); }),
      results.methods.length > 2 && choice("Pairs of", [["", "all methods"], ...results.methods.map((one) => [one.name, one.name])], "", (found) => { at.method = found; draw(); })),
    box);

  function draw() {
    const [task, units] = JSON.parse(at.scope);
    const rows = results.differences.filter((one) => one.task === task && one.units === units && (!at.method || [one.one, one.other].includes(at.method))).map((one) => from(one, at.method));
    fill(box, rows.length === 0 ? h("p", { class: "soft" }, "This method did not run there.") : sorted("Pairs of methods, tested", [
      { name: "one", page: true, cell: (row) => row.one, value: (row) => row.one },
      { name: "against", cell: (row) => row.other, value: (row) => row.other },
      { name: "difference", number: true, down: true, value: (row) => row.difference, cell: (row) => signed(row.difference) },
      { name: "interval (95 %)", number: true, down: true, value: (row) => row.low, cell: (row) => (row.low === null ? "–" : `${signed(row.low)} to ${signed(row.high)}`) },
      { name: units, number: true, down: true, value: (row) => row.n, cell: (row) => row.n },
      { name: "p (Holm)", number: true, value: (row) => row.p_holm, cell: (row) => small(row.p_holm) },
      { name: "so", cell: verdict, value: (row) => (row.told_apart ? 0 : row.p === null ? 2 : 1) },
    ], rows));
  }

  draw();
  return card;
}
