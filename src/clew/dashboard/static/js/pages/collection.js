import { h } from "../lib.js";

export async function show(root, { project }) {
  root.append(h("h1", {}, "Collection"), h("p", { class: "says" }, project));
}
