// The labels that were given, and what they say.

import { api, button, digits, fill, h, many, of, outside, query, table } from "../../lib.js";
import { chip, estimate, labels } from "./parts.js";

const SIZE = 100;

export async function show(root, { project, to, topics, query: given }) {
  const offset = Number(given.get("offset")) || 0, giver = labels(project, topics);
  const found = await api(of(project, "labels") + query({ limit: SIZE, offset }));
  const { labelled } = found;
  const says = h("p", { role: "status" }), tell = (one) => fill(says, `${many(one.labels, "page")} ${one.labels === 1 ? "has a label" : "have labels"}. Precision, estimated: ${estimate(one.precision)}.`);
  tell(labelled);
  root.append(h("h2", {}, "Labels"), says, h("p", { class: "says" }, `When labels count: ${labelled.effect}.`));
  if (!found.pages.length) {
    root.append(h("p", {}, "No page has a label yet: ", h("a", { href: to(project, "collection", "uncertain") }, "label the uncertain ones"), ", or any page of the list with r and i."));
    return null;
  }
  const take = (one) => button("Take back", async (node) => {
    tell(await giver.give(one.url, "none"));
    const row = node.closest("tr"), next = row.nextElementSibling || row.previousElementSibling;
    row.remove();
    next?.querySelector("button")?.focus();
  }, { "aria-label": `Take back the label of ${one.title || one.url}` });
  root.append(table("Labelled pages", [
    ["Page", (one) => [one.number ? h("a", { href: to(project, "collection", one.number) }, one.title || one.url) : one.title || "(not visited)", h("div", {}, outside(one.url))], { page: true }],
    ["Label", (one) => chip(one.verdict)],
    ["Judged", (one) => (one.relevance === null ? "not judged" : `${digits(one.relevance)}, ${one.relevant ? "relevant" : "not relevant"}`)],
    ["", take],
  ], found.pages));
  const turn = (name, to_) => h("a", { class: "button", href: to(project, "collection", "labels") + query({ offset: to_ }) }, name);
  root.append(h("div", { class: "row" }, offset > 0 && turn("Previous", Math.max(offset - SIZE, 0)), offset + SIZE < labelled.labels && turn("Next", offset + SIZE)));
  return null;
}
