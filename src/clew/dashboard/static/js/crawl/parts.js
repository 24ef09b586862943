// Parts of the Crawl page. Each is {node, set(...)}: set changes what differs and leaves the rest, so that focus and
// selection stay where they are.

import { LONG, count, digits, fill, h, many, share, span, when } from "../lib.js";

/** Sets the text of an element where it differs. */
export function text(node, value) {
  if (node.textContent !== String(value)) node.textContent = String(value);
  return node;
}

/** Makes the children of `parent` those of `rows`, in their order: elements whose key is known stay and are refreshed. */
export function sync(parent, rows, key, make, refresh = () => {}) {
  const known = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  rows.forEach((row, place) => {
    const name = String(key(row));
    let node = known.get(name);
    if (node) known.delete(name);
    else { node = make(row); node.dataset.key = name; }
    refresh(node, row);
    if (parent.children[place] !== node) parent.insertBefore(node, parent.children[place] || null);
  });
  for (const node of known.values()) node.remove();
}

/** Figures with names, some of which are not known at times: set([["fetched", "12"], ...]). */
export function figures() {
  const node = h("dl", { class: "facts" });
  const set = (pairs) => sync(node, pairs.filter(Boolean), (pair) => pair[0],
    ([name]) => h("div", {}, h("dt", {}, name), h("dd")),
    (entry, [, value]) => { entry.classList.toggle("long", String(value).length > LONG); text(entry.lastChild, value); });
  return { node, set };
}

/** A bar with words before and a figure behind it. */
function bar() {
  return h("li", { class: "gauge" }, h("span", { class: "what" }), h("span", { class: "bar", "aria-hidden": "true" }, h("span")), h("span", { class: "value" }));
}

function refreshBar(node, { what, value, part }) {
  text(node.children[0], what);
  node.children[1].firstChild.style.width = `${(100 * Math.min(Math.max(part, 0), 1)).toFixed(1)}%`;
  text(node.children[2], value);
}

/** Bars: set([{what, value, part}]), part from 0 to 1. */
export function bars(label) {
  const node = h("ul", { class: "plain gauges", "aria-label": label });
  return { node, set: (rows) => sync(node, rows, (row) => row.key ?? row.what, bar, refreshBar) };
}

const RULES = {
  max_pages: "pages fetched in all",
  for: "time of this run",
  relevant_pages: "pages judged relevant",
  irrelevant_pages: "pages that are not relevant",
  irrelevant_run: "pages in a row that are not relevant",
  topic_pages: "pages of the topic that has the fewest",
  top_of_topics: "the focus cannot be widened any more",
  min_precision: "share judged relevant",
  min_score: "score of the best waiting link",
};

/** A stopping rule as a bar. */
export function rule({ name, value, limit, share: part }) {
  const what = RULES[name] || name;
  if (name === "for") return { key: name, what, value: `${span(value)} of ${span(limit)}`, part };
  if (name === "top_of_topics") return { key: name, what, value: value ? "yes" : "not yet", part };
  if (name.startsWith("min_")) return { key: name, what, value: `${share(value)}, stops below ${share(limit)}`, part };
  return { key: name, what, value: `${count(value)} of ${count(limit)}`, part };
}

/** Score bands as bars, the best first. */
export function bands({ bands: found, first }) {
  const most = Math.max(1, ...found.map((one) => one.links));
  const rows = [...found].reverse().map((one, place) => ({
    key: place, what: `${digits(one.low)} to ${digits(one.high)}`, value: count(one.links), part: one.links / most,
  }));
  return first ? [{ key: "first", what: "before all others", value: count(first), part: first / most }, ...rows] : rows;
}

/** What the strategy is after: its queues, classes or experts. */
export function queues() {
  const node = h("ul", { class: "plain queues" });
  const set = (rows) => sync(node, rows.map((row, place) => ({ ...row, place })), (row) => `${row.place} ${row.name}`,
    (row) => h("li", {}, h("b", {}, row.name), " ", h("span", {}), " ", h("span", { class: "soft" })),
    (entry, row) => {
      text(entry.children[1], row.links !== null ? many(row.links, "link") : row.value === null ? "" : Number.isInteger(row.value) ? count(row.value) : share(row.value));
      text(entry.children[2], row.words);
    });
  return { node, set };
}

/** A list with times and words that grows at its upper end. */
export function log(label) {
  const list = h("ol", { class: "plain" });
  const node = h("div", { class: "log", tabindex: "0", role: "region", "aria-label": label }, list);
  const set = (rows) => sync(list, rows, (row) => row.number,
    (row) => h("li", {}, h("small", {}, at(row)), h("span", {}, capital(row.text))));
  return { node, set };
}

export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** Where in the crawl something happened, and when in real time: simulated webs have none. */
function at(row) {
  const place = `page ${count(row.visit)}`;
  return row.at > 1e9 ? `${when(row.at)} · ${place}` : place;
}

/** A table whose rows stay: columns are [name, cell(row) as text, {number, page}]. */
export function grid(caption, columns, key) {
  const kind = (options) => (options?.number ? "number" : options?.page ? "page" : null);
  const body = h("tbody");
  const node = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "blocks" }, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map(([name, , options]) => h("th", { scope: "col", class: kind(options) }, name)))), body));
  const set = (rows) => sync(body, rows, key,
    () => h("tr", {}, columns.map(([name, , options]) => h("td", { class: kind(options), "data-name": options?.page ? null : name }))),
    (tr, row) => columns.forEach(([, cell], place) => text(tr.children[place], cell(row) ?? "")));
  return { node, set };
}

export const HOSTS = [["active", "being asked"], ["waiting", "waiting"], ["resting", "resting"], ["refused", "refused"], ["visited", "visited"]];

/** The columns of a list of hosts in a state. */
export function hostColumns(state) {
  const host = ["host", (row) => row.name, { page: true }];
  if (state === "visited") return [host, ["pages", (row) => count(row.visits), { number: true }], ["relevant", (row) => count(row.relevant), { number: true }]];
  const links = [state === "refused" ? "URLs" : "links", (row) => (row.links === null ? "" : count(row.links)), { number: true }];
  const why = ["why", (row) => row.why];
  const until = ["not before", (row) => (row.until === null ? "" : row.until > 1e9 ? when(row.until) : "a little later")];
  if (state === "active") return [host, links];
  return state === "refused" ? [host, links, why] : [host, links, why, until];
}

/** Fills a paragraph, or hides it where there is nothing to say. */
export function says(node, value) {
  node.hidden = !value;
  if (node.textContent !== value) fill(node, value || "");
}
