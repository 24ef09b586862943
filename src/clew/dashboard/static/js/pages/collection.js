// The collection: which of its views the address asks for. #/P/collection[?filters], /NUMBER, /uncertain, /labels.

import { api, h, of } from "../lib.js";
import { nothing, views } from "./collection/parts.js";

const VIEWS = { uncertain: "./collection/uncertain.js", labels: "./collection/labelled.js" };

export async function show(root, at) {
  const { project, rest, to } = at;
  const list = rest.length ? null : await import("./collection/list.js"), first = list && list.ask(project, list.stateOf(at.query));
  first?.catch(() => {});  // told by the view that waits for it
  let topics;
  try {
    topics = await api(of(project, "topics", "counts"));
  } catch (error) {
    if (error.status !== 409) throw error;
    root.append(h("h1", {}, "Collection"), nothing(project, to, error));
    return null;
  }
  if (/^\d+$/.test(rest[0] || "")) return (await import("./collection/page.js")).show(root, { ...at, topics, number: Number(rest[0]) });
  const view = VIEWS[rest[0]];
  root.append(h("h1", {}, "Collection"), views(project, to, view ? rest[0] : "pages"));
  return (list || await import(view || "./collection/list.js")).show(root, { ...at, topics, first });
}
