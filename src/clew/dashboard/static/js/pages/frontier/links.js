// The best waiting links: rows stay while they wait, and nothing moves while somebody is among them.

import { api, button, count, digits, fill, h, of, outside, query, sure, toast } from "../../lib.js";
import { nothing } from "../collection/parts.js";

const FIRST = 25, MOST = 200, EVERY_MS = 5000, COMPUTING_MS = 1000;

export function links({ project, to, signal, changed, running }) {
  const status = h("p", { class: "says", role: "status" }), body = h("tbody"), empty = h("div");
  const more = button("Show more", () => { limit = Math.min(limit * 2, MOST); return load(true); });
  const refresh = button("Refresh", () => load(true));
  const table = h("table", { class: "blocks waiting", hidden: true }, h("caption", { class: "unseen" }, "Best waiting links"),
    h("thead", {}, h("tr", {}, ["score", "link", "stands on", null].map((name) => h("th", { scope: "col", class: name === "score" ? "number" : null }, name || h("span", { class: "unseen" }, "actions"))))), body);
  const node = h("section", { class: "card", "aria-labelledby": "waiting" },
    h("div", { class: "row" }, h("h2", { id: "waiting", class: "grow" }, "Best waiting links"), refresh), status, empty, table, h("div", { class: "row" }, more));
  let limit = FIRST, timer = 0, turn = 0, is = false;
  more.hidden = true;

  async function load(asked = false) {
    clearTimeout(timer);
    if (!asked && (document.hidden || busy()) && body.children.length) { later(EVERY_MS); return; }
    const mine = ++turn;
    try {
      const found = await api(of(project, "frontier") + query({ limit }), { signal });
      if (mine !== turn) return;
      is = found.running;
      running(is);
      draw(found);
      if (found.computing) timer = setTimeout(() => load(true), COMPUTING_MS);
      else if (is) later(EVERY_MS);
    } catch (error) {
      if (error.name === "AbortError" || mine !== turn) return;
      running(false);
      fill(body);
      table.hidden = more.hidden = true;
      fill(status);
      fill(empty, error.status === 409 ? nothing(project, to, error) : h("p", { class: "bad" }, error.message));
    }
  }

  const later = (ms) => { timer = setTimeout(() => load(), ms); };
  const busy = () => body.contains(document.activeElement) || Boolean(document.querySelector("dialog[open]"));

  function draw(found) {
    const known = new Map([...body.children].map((row) => [row.dataset.url, row])), focused = document.activeElement;
    found.links.forEach((one, place) => {
      const row = known.get(one.url) || line(one);
      known.delete(one.url);
      row.renew(one);
      if (body.children[place] !== row) body.insertBefore(row, body.children[place] || null);
    });
    for (const row of known.values()) row.remove();
    if (focused !== document.activeElement && body.contains(focused)) focused.focus(); // a row that moves loses it
    fill(empty);
    table.hidden = !found.links.length;
    more.hidden = found.links.length < limit || limit >= MOST;
    fill(status, said(found));
  }

  function said({ running: live, computing, links: some }) {
    if (computing) return some.length ? "Something changed: the best links are being looked for again …" : "The best links are being looked for …";
    if (!some.length) return live ? "Nothing waits at this moment." : "Nothing waits: every link that may be followed was followed. More seeds or a wider scope give the crawl more to do.";
    return live ? `The best ${count(some.length)} of this moment, again every 5 s unless you are among them. Dropping a link or blocking its host takes effect at once.`
      : `The best ${count(some.length)}, as the next run will find them.`;
  }

  function line(one) {
    const score = h("td", { class: "number", "data-name": "score" }), words = h("ul", { class: "why", hidden: true });
    const why = h("button", { type: "button", "aria-expanded": "false", "aria-label": `Why: ${one.url}`, onclick: () => open() }, "Why");
    const open = () => { words.hidden = !words.hidden; why.setAttribute("aria-expanded", String(!words.hidden)); };
    const off = button("Drop", () => drop(one, row), { "aria-label": `Drop ${one.url}` });
    const never = button("Block host", () => block(one, row), { "aria-label": `Block host ${one.host}` });
    const row = h("tr", { "data-url": one.url }, score,
      h("td", { class: "page" }, one.anchor && h("div", { class: "title" }, one.anchor), outside(one.url), words),
      h("td", { class: "page from" }, stands(one)),
      h("td", { class: "page" }, h("div", { class: "row acts" }, why, off, never)));
    row.acts = { w: why, d: off, b: never };
    row.renew = (now) => {
      const shown = [digits(now.score), now.tier > 0 && h("div", { class: "chip" }, "comes first")];
      if (score.dataset.shown !== `${now.score} ${now.tier}`) { fill(score, shown); score.dataset.shown = `${now.score} ${now.tier}`; }
      const text = now.words.join("\n");
      if (words.dataset.text !== text) { fill(words, now.words.length ? now.words.map((part) => h("li", {}, part)) : h("li", {}, "the strategy says nothing about it")); words.dataset.text = text; }
    };
    return row;
  }

  /** The page with the link; those that were visited are in the collection. */
  function stands(one) {
    if (one.source_visit) return [h("small", {}, "on "), h("a", { href: to(project, "collection", String(one.source_visit)) }, one.source_title || one.source)];
    return one.source ? [h("small", {}, "on "), outside(one.source)] : h("small", {}, "on no page: a seed, or put there");
  }

  async function drop(one, row) {
    toast((await api(of(project, "frontier", "drop"), { method: "POST", body: { url: one.url } })).done);
    leave([row], "d");
    await changed();
  }

  async function block(one, row) {
    const words = is ? "at once, in this run and all later ones" : "from the next run on";
    if (!(await sure(`Never fetch anything of ${one.host} ${words}? It goes onto the do-not-crawl list.`, "Block it"))) return;
    toast((await api(of(project, "frontier", "block"), { method: "POST", body: { entry: one.host } })).done);
    leave([...body.children].filter((other) => other === row || new URL(other.dataset.url).host === one.host), "b");
    await changed();
  }

  /** Rows go; who was in them is led to the next one. */
  function leave(rows, act) {
    const all = [...body.children], next = all.slice(all.indexOf(rows[0])).find((row) => !rows.includes(row)) || all.find((row) => !rows.includes(row));
    for (const row of rows) row.remove();
    (next ? next.acts[act] : refresh).focus();
  }

  const place = () => [...body.children].findIndex((row) => row.contains(document.activeElement));
  function move(step) {
    const rows = body.children, row = rows[Math.min(Math.max(place() + step, 0), rows.length - 1)];
    if (row) { row.acts.w.focus(); row.scrollIntoView({ block: "nearest" }); }
  }
  const act = (name) => () => { const row = body.children[place()]; if (row) row.acts[name].click(); else toast("first choose a link: j or k"); };

  return { node, load, end: () => clearTimeout(timer), keys: { j: () => move(1), k: () => move(-1), w: act("w"), d: act("d"), b: act("b") } };
}
