// All projects that are shown, with the figures of each as they change.

import { api, count, fill, h, many, of, share } from "../lib.js";

const EVERY_MS = 3000;
const KINDS = { running: "good", paused: "warn", stopping: "warn", starting: "warn" };

export async function show(root, { to }) {
  const projects = await api("/projects");
  const leave = new AbortController();
  const cards = projects.map((one) => card(one, to));
  let timer = null;
  root.append(h("h1", {}, "Projects"),
    h("p", { class: "says" }, `This dashboard shows ${many(projects.length, "project")}.`),
    h("ul", { class: "plain wide" }, cards.map((one) => one.node)));

  /** One after the other: a browser has six connections to a host, and other pages need some. */
  async function refresh() {
    if (!document.hidden) for (const one of cards) await one.refresh(leave.signal);
    if (!leave.signal.aborted) timer = setTimeout(refresh, EVERY_MS);
  }

  refresh();
  return () => { leave.abort(); clearTimeout(timer); };
}

function card(project, to) {
  const state = h("span", { class: "chip" }), says = h("p", { class: "soft" }, project.problem ? "" : "…"), figures = h("dl", { class: "facts" });
  const node = h("li", { class: "card" },
    h("div", { class: "row" }, h("h2", {}, project.problem ? project.title : h("a", { href: to(project.name, "crawl") }, project.title)), state),
    project.problem ? h("p", { class: "bad" }, project.problem) : says, figures,
    h("small", { class: "url" }, project.folder));
  const shown = new Map();

  /** Figures are changed in place, so that nothing jumps. */
  function figure(name, value) {
    if (!shown.has(name)) {
      shown.set(name, h("dd"));
      figures.append(h("div", {}, h("dt", {}, name), shown.get(name)));
    }
    if (shown.get(name).textContent !== value) fill(shown.get(name), value);
  }

  async function refresh(signal) {
    if (project.problem) return;
    try {
      const told = await api(of(project.name, "crawl"), { signal });
      fill(state, told.state === "never" ? "new" : told.state);
      state.className = `chip ${KINDS[told.state] ?? ""}`;
      fill(says, told.failure || (told.says === told.state ? "" : told.state === "never" ? `${told.says}: open it to start the crawl` : told.says));
      if (!told.figures) return;
      figure("fetched", count(told.figures.fetched));
      figure("judged relevant", count(told.figures.relevant));
      figure("of all fetched", share(told.figures.harvest_rate));
      figure("of the last 200", share(told.figures.window_rate));
      figure("links waiting", count(told.figures.waiting));
    } catch (error) {
      if (error.name !== "AbortError") fill(says, error.message);
    }
  }

  return { node, refresh };
}
