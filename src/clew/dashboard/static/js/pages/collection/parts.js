// What the views of the collection share: labels, the line of a page, the list of keys.

import { api, button, digits, fill, h, marked, of, query, toast } from "../../lib.js";

const KEPT = "clew-list";

/** The list that was shown last: its address and the numbers of its pages, so that a page knows its neighbours there. */
export const keepList = (project, address, numbers) => sessionStorage.setItem(KEPT, JSON.stringify({ project, address, numbers }));

export function keptList(project) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    if (kept && kept.project === project) return kept;
  } catch { /* nothing was kept */ }
  return { address: null, numbers: [] };
}

/** Labels of one project. `topics`: as /topics/counts gives them. Where several are wanted, or lie below a wanted one, one
 *  of them is chosen for "r". */
export function labels(project, topics) {
  const roots = topics.filter((one) => one.wanted).map((one) => `${one.path}/`);
  const wanted = topics.map((one) => one.path).filter((path) => roots.some((root) => `${path}/`.startsWith(root)));
  const several = wanted.length > 1;
  const kept = several ? localStorage.getItem(`clew-topic-${project}`) : null;
  let chosen = several ? (wanted.includes(kept) ? kept : wanted[0]) : "relevant";
  const choice = () => several && h("label", {}, "Relevant pages are about ",
    h("select", { onchange: (event) => { chosen = event.target.value; localStorage.setItem(`clew-topic-${project}`, chosen); } },
      wanted.map((path) => h("option", { value: path, selected: path === chosen }, path))));
  const give = async (url, verdict) => {
    const path = of(project, "labels");
    const done = verdict === "none" ? await api(path + query({ url }), { method: "DELETE" }) : await api(path, { method: "PUT", body: { url, verdict } });
    return done;
  };
  return { several, choice, give, yes: () => chosen };
}

/** What a label says, as a chip; "" for none. */
export const chip = (label) => h("span", { class: `chip ${label === "irrelevant" ? "bad" : "good"}` }, label ? (label === "irrelevant" ? "labelled irrelevant" : label === "relevant" ? "labelled relevant" : `labelled ${label}`) : "");

/** Buttons for the label of a page. `label` is "" for none; `told(label, answer)` is called after each change. */
export function labelBar(giver, url, label, told = () => {}) {
  let now = label;
  const set = async (verdict) => {
    const answer = await giver.give(url, verdict);
    now = verdict === "none" ? "" : verdict;
    draw();
    told(now, answer);
    return answer;
  };
  const yes = button("Relevant", () => set(giver.yes()), { title: "key r" });
  const no = button("Irrelevant", () => set("irrelevant"), { title: "key i" });
  const back = button("Take back", () => set("none"), { title: "key u" });
  const said = h("span", { role: "status" });
  function draw() {
    yes.setAttribute("aria-pressed", String(Boolean(now) && now !== "irrelevant"));
    no.setAttribute("aria-pressed", String(now === "irrelevant"));
    back.hidden = !now;
    fill(said, now ? chip(now) : h("span", { class: "soft" }, "no label"));
  }
  draw();
  const safely = (verdict) => set(verdict()).catch((error) => toast(error.message, true));
  return {
    node: h("div", { class: "row labelling" }, yes, no, back, said),
    keys: { r: () => safely(giver.yes), i: () => safely(() => "irrelevant"), u: () => now && safely(() => "none") },
  };
}

/** The facts of a page in a line: relevance, topic, language, date. */
export function facts(one) {
  const judged = one.relevance === null || one.relevance === undefined ? "not judged" : `relevance ${digits(one.relevance)}`;
  return [judged, one.relevant === false && judged !== "not judged" ? "not relevant" : "", one.topic, one.language, one.date].filter(Boolean).join(" · ");
}

/** A page of a list: title that leads to it, host, facts, and the snippet of a search. */
export function line(one, address, label) {
  const title = h("a", { href: address, class: "title" }, one.title || "(no title)");
  const state = h("span", { role: "status" }, label ? chip(label) : null);
  const node = h("li", { class: "found" },
    h("h3", {}, title), " ", state,
    h("div", { class: "url soft" }, one.url),
    h("div", { class: "soft small" }, facts(one)),
    one.snippet ? h("p", {}, ...marked(one.snippet, one.marks)) : null);
  return { node, title, label: (text) => fill(state, text ? chip(text) : null) };
}

/** Neighbours as a list of links, to pages here where they were visited. */
export function neighbours(pages, address, first = 10) {
  const list = (some) => h("ul", { class: "plain near" }, some.map((one) => neighbour(one, address)));
  if (pages.length <= first + 2) return list(pages);
  return [list(pages.slice(0, first)), h("details", {}, h("summary", {}, `${pages.length - first} more`), list(pages.slice(first)))];
}

const neighbour = (one, address) => h("li", {},
  one.number ? h("a", { href: address(one.number) }, one.title || one.url) : h("span", {}, one.anchor || one.url),
  h("div", { class: "url soft" }, one.url),
  h("div", { class: "soft small" }, [one.number ? (one.relevance === null ? "not judged" : `relevance ${digits(one.relevance)}`) : "not fetched", one.number && one.anchor ? `the link reads “${one.anchor}”` : ""].filter(Boolean).join(" · ")));

/** Shows which keys there are. */
export function showKeys(pairs) {
  if (document.querySelector("dialog[open]")) return;
  const dialog = h("dialog", { "aria-label": "Keys" }, h("h2", {}, "Keys"),
    h("dl", { class: "keys" }, pairs.map(([key, does]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)))),
    h("form", { method: "dialog" }, h("button", { class: "main" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** The estimate of precision in words. */
export function estimate(precision) {
  if (!precision) return "not known yet";
  const said = (share, low, high) => `${share.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  if (precision.share !== null) return `${said(precision.share, precision.low, precision.high)} by ${precision.labelled} ${precision.labelled === 1 ? "label" : "labels"} on pages drawn at random`;
  if (precision.expected !== null) return `${said(precision.expected, precision.expected_low, precision.expected_high)} by the judge's own reckoning`;
  return "not known yet";
}

/** The views of this page as links. */
export const views = (project, to, current) => h("div", { class: "row", role: "navigation", "aria-label": "Views of the collection" },
  [["Pages", to(project, "collection"), "pages"], ["Uncertain pages", to(project, "collection", "uncertain"), "uncertain"], ["Labels", to(project, "collection", "labels"), "labels"]]
    .map(([name, href, own]) => h("a", { class: "button", href, "aria-current": own === current ? "page" : null }, name)));

/** What to do where nothing was crawled yet. */
export const nothing = (project, to, error) => h("div", { class: "card" }, h("p", {}, error.message), h("p", {}, h("a", { class: "button", href: to(project, "crawl") }, "To the crawl")));
