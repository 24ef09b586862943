// The Frontier page: the best waiting links, what became of any URL, and steering by hand.

import { state as chip } from "../app.js";
import { h, keys } from "../lib.js";
import { showKeys } from "./collection/parts.js";
import { ask } from "./frontier/ask.js";
import { blocked } from "./frontier/blocked.js";
import { links } from "./frontier/links.js";
import { refused } from "./frontier/refused.js";

const KEYS = [
  ["j, k", "next or previous link"], ["w", "why it has its score"], ["d", "drop it"], ["b", "block its host"],
  ["/", "ask about a URL"], ["r", "refresh"], ["?", "these keys"],
];
const NOW = "A crawl is running: what you change here takes effect at once.";
const LATER = "No crawl is running: what you change here takes effect when the crawl is started next.";

export async function show(root, { project, to, query }) {
  const gone = new AbortController(), effect = h("p", { class: "says", role: "status" });
  const context = { project, to, signal: gone.signal, changed: () => Promise.all([list.load(true), never.load(), not.load()]), running };
  const list = links(context), url = ask(context), never = blocked(context), not = refused(context);

  function running(is) {
    const words = is ? NOW : LATER;
    if (effect.textContent !== words) effect.textContent = words;
    chip(is ? "running" : "", "good");
  }

  root.append(h("h1", {}, "Frontier"), effect, h("div", { class: "wide steer" }, url.node, never.node), list.node, not.node);
  await Promise.all([list.load(), never.load(), not.load()]);
  if (query.get("url")) url.about(query.get("url"));
  const unkey = keys({ ...list.keys, "/": () => url.focus(), r: () => list.load(true), "?": () => showKeys(KEYS) });
  return () => { gone.abort(); list.end(); unkey(); chip(""); };
}
