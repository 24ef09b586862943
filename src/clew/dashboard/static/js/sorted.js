// Tables that are sorted by their columns: by the heads of the columns, and where a row is a block by a list of them.

import { h } from "./lib.js";

/** A table that can be sorted; the heads keep the focus. Columns: {name, cell(row), value(row), number, page, down}: what a cell
 *  holds, and a number or text to sort by (null comes last), which falls first where `down`. `foot`: rows that stay
 *  below; `by`: the column it is sorted by at first, from 0, null for the order of `rows`. */
export function sorted(caption, columns, rows, { foot = [], by = null } = {}) {
  let place = by, down = by !== null && Boolean(columns[by].down);
  const kind = (column) => (column.number ? "number" : column.page ? "page" : null);
  const cells = (row) => columns.map((column) => h(column.page ? "th" : "td",
    { class: kind(column), role: column.page ? "rowheader" : "cell", scope: column.page ? "row" : null, "data-name": column.page ? null : column.name }, column.cell(row)));
  const drawn = new Map(rows.map((row) => [row, h("tr", { role: "row" }, cells(row))]));
  const body = h("tbody", { role: "rowgroup" });
  const heads = columns.map((column, i) => h("th", { scope: "col", role: "columnheader", class: kind(column) },
    h("button", { type: "button", class: "sort", onclick: () => choose(i, i === place ? !down : Boolean(column.down)) }, column.name, h("span", { class: "arrow", "aria-hidden": "true" }))));
  const select = h("select", { onchange: () => choose(Number(select.value), Boolean(columns[select.value]?.down)) },
    by === null && h("option", { value: "-1" }, "as listed"), columns.map((column, i) => h("option", { value: String(i), selected: i === by }, column.name)));
  const turn = h("button", { type: "button", onclick: () => choose(place, !down) }, "Turn round");

  function choose(i, falling) {
    [place, down] = [i === -1 ? null : i, falling];
    select.value = String(i ?? -1);
    heads.forEach((head, at) => {
      if (at === place) head.setAttribute("aria-sort", down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
      head.querySelector(".arrow").textContent = at === place ? (down ? " ▼" : " ▲") : "";
    });
    turn.disabled = place === null;
    body.append(...order().map((row) => drawn.get(row)));
  }

  function order() {
    if (place === null) return rows;
    const value = columns[place].value, lacks = (row) => value(row) === null || value(row) === undefined;
    const compare = (a, b) => (typeof value(a) === "string" ? value(a).localeCompare(value(b), "en", { numeric: true }) : value(a) - value(b));
    const known = rows.filter((row) => !lacks(row)).sort((a, b) => (down ? compare(b, a) : compare(a, b)));
    return [...known, ...rows.filter(lacks)];
  }

  choose(place, down);
  return h("div", {},
    h("div", { class: "row narrow" }, h("label", {}, "Sort by", select), turn),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      h("table", { class: "blocks sorted", role: "table" }, h("caption", { class: "unseen" }, caption),
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), body,
        foot.length > 0 && h("tfoot", { role: "rowgroup" }, foot.map((row) => h("tr", { role: "row" }, cells(row)))))));
}

/** A list to choose from: choices are [value, text]. */
export function choice(name, choices, value, act) {
  const select = h("select", { onchange: () => act(select.value) }, choices.map(([one, text]) => h("option", { value: one, selected: one === value }, text)));
  return h("label", {}, name, select);
}

