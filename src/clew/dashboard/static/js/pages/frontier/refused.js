// What was not fetched and will not be, by reason.

import { api, fill, h, many, of, query } from "../../lib.js";

const GROUPS = 300, HOSTS = 12;

export function refused({ project, signal }) {
  const status = h("p", { class: "soft" }), list = h("div");
  const node = h("section", { class: "card", "aria-labelledby": "refused" }, h("h2", { id: "refused" }, "Refused, by reason"), status, list);

  async function load() {
    try {
      draw(await api(of(project, "refusals") + query({ limit: GROUPS }), { signal }));
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(list);
      fill(status, error.status === 409 ? "Nothing was refused: nothing was crawled yet." : h("span", { class: "bad" }, error.message));
    }
  }

  function draw(found) {
    const reasons = new Map();
    for (const group of found.groups) reasons.set(group.reason, [...(reasons.get(group.reason) || []), group]);
    const open = new Set([...list.children].filter((one) => one.open).map((one) => one.dataset.reason));
    const focused = list.contains(document.activeElement);
    if (focused) return;
    fill(status, found.total ? `Found and not fetched: ${many(found.total, "URL")}.${found.groups_total > found.groups.length ? " These are the most frequent." : ""}` : "No URL was refused.");
    fill(list, [...reasons].map(([reason, groups]) => h("details", { class: "reason", open: open.has(reason), "data-reason": reason },
      h("summary", {}, reason, " ", h("small", {}, `${many(groups.reduce((sum, one) => sum + one.count, 0), "URL")} on ${many(groups.length, "host")}`)),
      h("ul", {}, groups.slice(0, HOSTS).map((one) => h("li", {}, h("span", { class: "url" }, one.host), h("small", {}, ` ${many(one.count, "URL")}`),
        h("ul", { class: "plain" }, one.examples.map((url) => h("li", { class: "url soft" }, url))))),
      groups.length > HOSTS && h("li", {}, `and ${many(groups.length - HOSTS, "host")} more`)))));
  }

  return { node, load };
}
