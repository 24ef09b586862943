// What became of any URL, and fetching it next.

import { api, button, digits, fill, h, of, outside, query, toast } from "../../lib.js";

const STATES = { visited: "good", waiting: "good", refused: "bad", "out-of-scope": "bad" };

export function ask({ project, to, signal, changed }) {
  const input = h("input", { class: "grow", type: "text", id: "about", inputmode: "url", autocomplete: "off", spellcheck: "false", maxlength: "4000", placeholder: "https://example.org/page" });
  const answer = h("div", { role: "status" });
  const why = h("button", { class: "main" }, "Ask");
  const push = button("Fetch it next", () => fetchNext(given()));
  const form = h("form", { class: "row" }, input, why, push);
  form.addEventListener("submit", (event) => { event.preventDefault(); about(input.value.trim()); });
  const node = h("section", { class: "card", "aria-labelledby": "ask" }, h("h2", { id: "ask" }, "Ask about a URL"),
    h("label", { for: "about" }, "Why it was fetched, why it waits, or why it is not fetched"), form, answer);

  function given() {
    const url = input.value.trim();
    if (!url) { input.focus(); throw new Error("first give a URL, with http:// or https://"); }
    return url;
  }

  async function about(url) {
    input.value = url;
    if (!url) { input.focus(); return; }
    why.disabled = true;
    fill(answer, h("p", { class: "soft" }, "Looking for it; the first question takes some seconds …"));
    try {
      told(await api(of(project, "explain") + query({ url }), { signal }));
    } catch (error) {
      if (error.name !== "AbortError") fill(answer, h("p", { class: "bad" }, error.message));
    } finally {
      why.disabled = false;
    }
  }

  function told(found) {
    const last = found.path[found.path.length - 1];
    fill(answer, h("p", {}, h("span", { class: `chip ${STATES[found.state] || ""}` }, found.state.replaceAll("-", " ")), " ", outside(found.url)),
      h("p", { class: "verdict" }, found.verdict),
      found.state === "visited" && last && h("p", {}, h("a", { href: to(project, "collection", String(last.number)) }, "Its page in the collection")),
      found.path.length > 1 && h("details", {}, h("summary", {}, "How the crawl came there"), h("ol", {}, found.path.map((step) =>
        h("li", {}, outside(step.url), h("small", {}, ` score ${digits(step.score)}${step.anchor ? `, the link reads “${step.anchor}”` : ""}`))))));
  }

  async function fetchNext(url) {
    const { done } = await api(of(project, "frontier", "push"), { method: "POST", body: { url } });
    toast(done);
    fill(answer, h("p", { class: "good" }, done));
    await changed();
  }

  return { node, about, focus: () => { input.focus(); input.select(); } };
}
