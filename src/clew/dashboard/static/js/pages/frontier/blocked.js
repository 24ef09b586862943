// The do-not-crawl list.

import { api, button, fill, h, many, of, query, sure, toast } from "../../lib.js";

const MOST = 500;

export function blocked({ project, signal, changed }) {
  const input = h("input", { class: "grow", type: "text", id: "entry", autocomplete: "off", spellcheck: "false", maxlength: "2000", placeholder: "example.org" });
  const list = h("ul", { class: "plain entries", "aria-label": "Do-not-crawl list" }), status = h("p", { class: "soft" });
  const form = h("form", { class: "row" }, input, h("button", { class: "danger" }, "Block"));
  form.addEventListener("submit", (event) => { event.preventDefault(); add().catch((error) => toast(error.message, true)); });
  const node = h("section", { class: "card", "aria-labelledby": "never" }, h("h2", { id: "never" }, "Never fetched"),
    h("label", { for: "entry" }, "A host, a host with its subdomains (.example.org) or the beginning of URLs (example.org/private/)"), form, status, list);

  async function load() {
    try {
      const found = await api(of(project, "frontier", "blocked") + query({ limit: MOST }), { signal });
      draw(found);
    } catch (error) {
      if (error.name !== "AbortError") fill(status, h("span", { class: "bad" }, error.message));
    }
  }

  function draw({ total, entries }) {
    const known = new Map([...list.children].map((item) => [item.dataset.entry, item]));
    entries.forEach((one, place) => {
      const item = known.get(one.entry) || line(one);
      known.delete(one.entry);
      if (list.children[place] !== item) list.insertBefore(item, list.children[place] || null);
    });
    for (const item of known.values()) item.remove();
    fill(status, !total ? "Nothing is blocked." : total > entries.length ? `The first ${entries.length} of ${many(total, "entry", "entries")}.` : "");
  }

  const line = (one) => h("li", { class: "row", "data-entry": one.entry },
    h("span", { class: "grow" }, h("span", { class: "url" }, one.entry), one.why && h("small", {}, ` ${one.why}`)),
    button("Unblock", () => remove(one.entry), { "aria-label": `Unblock ${one.entry}` }));

  async function add() {
    const entry = input.value.trim();
    if (!entry) { input.focus(); return; }
    if (!(await sure(`Never fetch anything of ${entry} any more? It goes onto the do-not-crawl list, which all later runs keep to.`, "Block it"))) { input.focus(); return; }
    toast((await api(of(project, "frontier", "block"), { method: "POST", body: { entry } })).done);
    input.value = "";
    input.focus();
    await changed();
  }

  async function remove(entry) {
    toast((await api(of(project, "frontier", "unblock"), { method: "POST", body: { entry } })).done);
    input.focus();
    await changed();
  }

  return { node, load };
}
