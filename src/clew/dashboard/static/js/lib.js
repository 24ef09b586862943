// What the pages share. Text from the web only ever becomes text nodes and attributes that cannot run: nothing here,
// and nothing in the pages, uses innerHTML.

/** An element: h("p", {class: "says", onclick: f}, "text", node, [nodes]). Properties that begin with "on" are handlers;
 *  null, undefined and false are left out. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

export function add(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** Replaces what an element holds. */
export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

/** A link to somewhere on the web, for http and https only; anything else is shown as text. */
export function outside(url, ...children) {
  const shown = children.length ? children : [url];
  if (!/^https?:\/\//i.test(url)) return h("span", { class: "url" }, ...shown);
  return h("a", { href: url, rel: "noopener noreferrer", target: "_blank", class: "url" }, ...shown);
}

/** Asks the API; `path` follows /api. Throws an Error that says what is wrong. */
export async function api(path, { method = "GET", body, signal } = {}) {
  const headers = { accept: "application/json" };
  if (method !== "GET") headers["x-clew"] = "1";
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/api${path}`, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the dashboard does not answer: is clew serve still running?");
  }
  const data = await answer.json().catch(() => null);
  if (!answer.ok) throw Object.assign(new Error((data && data.error) || `the dashboard answered ${answer.status}`), { status: answer.status });
  return data;
}

/** The API path of a project: of("p", "pages", 12) is /projects/p/pages/12. */
export const of = (project, ...parts) => `/projects/${[project, ...parts].map(encodeURIComponent).join("/")}`;

/** A query string of what is given; leaves out what is empty. */
export function query(values) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== "" && value !== null && value !== undefined && value !== false) found.set(name, value);
  const text = found.toString();
  return text && `?${text}`;
}

/** A short message at the lower edge, read out by screen readers. */
export function toast(text, bad = false) {
  const node = h("div", { class: bad ? "toast bad" : "toast" }, text);
  document.getElementById("toasts").append(node);
  setTimeout(() => node.remove(), bad ? 12000 : 5000);
}

/** A button that does something that may fail: it is off meanwhile, and errors are told. */
export function button(label, act, props = {}) {
  const node = h("button", { type: "button", ...props }, label);
  node.addEventListener("click", async () => {
    const focused = document.activeElement === node;
    node.disabled = true;
    try { await act(node); } catch (error) { if (error.name !== "AbortError") toast(error.message, true); } finally { node.disabled = false; }
    if (focused && document.activeElement === document.body) near(node)?.focus(); // who is off, or hidden, has no focus
  });
  return node;
}

/** The element itself where it is shown, else the nearest control that is. */
function near(node) {
  const shown = (one) => one.getClientRects().length && !one.disabled;
  if (shown(node)) return node;
  for (let around = node.parentElement; around; around = around.parentElement) {
    const found = [...around.querySelectorAll("button, input, select, a[href]")].find(shown);
    if (found) return found;
  }
  return null;
}

/** Asks before something that cannot be taken back; resolves to true or false. */
export function sure(question, yes = "Yes") {
  return new Promise((resolve) => {
    const done = (answer) => { dialog.close(); dialog.remove(); resolve(answer); };
    const dialog = h("dialog", { "aria-label": question },
      h("p", {}, question),
      h("div", { class: "row" },
        h("button", { type: "button", class: "main", onclick: () => done(true) }, yes),
        h("button", { type: "button", onclick: () => done(false) }, "Cancel")));
    dialog.addEventListener("cancel", () => done(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const count = (value) => (value === null || value === undefined ? "–" : whole.format(value));
export const share = (value, places = 3) => (value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(places));
export const many = (n, one, several = `${one}s`) => `${count(n)} ${n === 1 ? one : several}`;

/** A score with as many digits as tell it from 0 and 1. */
export function digits(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  for (let places = 3; places < 9; places += 1) {
    const text = value.toFixed(places);
    if ((Number(text) !== 1 && Number(text) !== 0) || value === 1 || value === 0) return text;
  }
  return String(value);
}

export function span(seconds) {
  const s = Math.round(seconds);
  if (s < 90) return `${s} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  return s < 172800 ? `${(s / 3600).toFixed(1)} h` : `${(s / 86400).toFixed(1)} days`;
}

/** The time of day for times of today, else the day too. `at`: seconds since 1970. */
export function when(at) {
  const date = new Date(at * 1000);
  const today = new Date().toDateString() === date.toDateString();
  return today ? date.toLocaleTimeString() : date.toLocaleString();
}

/** Characters of a figure from which on it gets more room. */
export const LONG = 16;

/** Figures with names: facts([["fetched", "12"]]); texts of some length get more room. */
export const facts = (pairs) => h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) => h("div", { class: String(value).length > LONG ? "long" : null }, h("dt", {}, name), h("dd", {}, value))));

/** A table; columns are [name, cell(row), {number, page}]. On narrow screens a row becomes a block. */
export function table(caption, columns, rows) {
  const kind = (options) => (options && options.number ? "number" : options && options.page ? "page" : null);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "blocks" }, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map(([name, , options]) => h("th", { scope: "col", class: kind(options) }, name || h("span", { class: "unseen" }, "actions"))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([name, cell, options]) => h("td", { class: kind(options), "data-name": options && options.page ? null : name || null }, cell(row))))))));
}

/** Text in pieces, some of them marked: marks are [start, end] in characters. */
export function marked(text, marks) {
  const letters = Array.from(text), nodes = [];
  let place = 0;
  for (const [start, end] of marks || []) {
    nodes.push(letters.slice(place, start).join(""), h("mark", {}, letters.slice(start, end).join("")));
    place = end;
  }
  nodes.push(letters.slice(place).join(""));
  return nodes;
}

/** Calls `act` for single keys, unless something is being typed. */
export function keys(map) {
  const heard = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable) return;
    const act = map[event.key];
    if (act) { event.preventDefault(); act(); }
  };
  document.addEventListener("keydown", heard);
  return () => document.removeEventListener("keydown", heard);
}
