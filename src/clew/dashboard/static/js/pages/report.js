// The report of a crawl in a frame of its own, where nothing of it can run, and to keep.

import { api, button, fill, h, query } from "../lib.js";

export async function show(root, { project }) {
  const line = (await api("/projects")).find((one) => one.name === project);
  root.append(h("h1", {}, "Report"));
  if (line && !line.crawled) {
    root.append(h("div", { class: "card" }, h("p", {}, "Nothing was crawled yet, so there is nothing to report."), h("p", {}, h("a", { href: `#/${encodeURIComponent(project)}/crawl` }, "Start the crawl"))));
    return;
  }
  const perHost = h("input", { type: "number", min: "0", max: "1000000", step: "1", placeholder: "all", inputmode: "numeric", onchange: load });
  const diverse = h("input", { type: "checkbox", onchange: load });
  const said = h("span", { role: "status", class: "soft" });
  const alone = h("a", { class: "button", target: "_blank", rel: "noopener" }, "Open alone");
  // popups are the links of the report: pages of others, which have no part in this sandbox
  const frame = h("iframe", { class: "report", title: `Report of ${project}`, sandbox: "allow-popups allow-popups-to-escape-sandbox", onload: () => fill(said) });
  root.append(
    h("div", { class: "row" },
      h("label", {}, "Best pages of a host, at most", perHost), h("label", { class: "check" }, diverse, "hosts take turns"),
      alone, button("Save as HTML", () => saved(address(""))), button("Save as PDF", () => saved(address(".pdf"))), said),
    frame);

  const address = (ending) => `/report/${encodeURIComponent(project)}${ending}${query({ per_host: Number(perHost.value) > 0 ? Math.floor(Number(perHost.value)) : "", diverse: diverse.checked })}`;

  function load() {
    if (!perHost.reportValidity()) return;
    fill(said, "Writing the report …");
    alone.href = address("");
    frame.contentWindow.location.replace(new URL(address(""), location.href).href); // leaves no step in the history
  }

  load();
}

/** Saves what the server answers as a file; what is wrong is told in place of a file that holds it. */
async function saved(address) {
  const answer = await fetch(address, { headers: { accept: "*/*" } }).catch(() => { throw new Error("the dashboard does not answer: is clew serve still running?"); });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error || `the dashboard answered ${answer.status}`);
  const url = URL.createObjectURL(await answer.blob());
  h("a", { href: url, download: /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") || "")?.[1] || "report" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
