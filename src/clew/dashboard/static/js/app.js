// The shell: which project and page is shown, and the state of its crawl. Addresses are #/PROJECT/PAGE/REST?QUERY.

import { api, fill, h, of, toast } from "./lib.js";

const PAGES = [
  ["crawl", "Crawl"],
  ["collection", "Collection"],
  ["topics", "Topics"],
  ["frontier", "Frontier"],
  ["compare", "Compare"],
  ["report", "Report"],
];

const main = document.getElementById("main"), nav = document.getElementById("nav"), select = document.getElementById("project");
let leave = null, turn = 0, projects = [];

/** Where the address leads: {project, page, rest: [...], query: URLSearchParams}. */
function place() {
  const [path, text = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [project = "", page = "", ...rest] = path.split("/").map(decodeURIComponent);
  return { project, page, rest, query: new URLSearchParams(text) };
}

/** The address of a page: to("p", "collection", 12). */
export const to = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

async function show() {
  const mine = ++turn;
  if (typeof leave === "function") leave();
  leave = null;
  try {
    const at = place();
    projects = await api("/projects");
    if (mine !== turn) return;
    header(at);
    if (!at.project && at.page !== "projects") { location.replace(projects.length === 1 ? to(projects[0].name, "crawl") : to("", "projects")); return; }
    if (at.project && !PAGES.some(([name]) => name === at.page)) { location.replace(to(at.project, "crawl")); return; }
    const module = await import(`./pages/${at.project ? at.page : "projects"}.js`);
    if (mine !== turn) return;
    const root = h("div");
    fill(main, root);
    const gone = await module.show(root, { ...at, to });
    if (mine !== turn) { if (typeof gone === "function") gone(); return; }
    leave = gone;
    const title = root.querySelector("h1");
    document.title = [title ? title.textContent : at.page, at.project, "Clew"].filter(Boolean).join(" – ");
  } catch (error) {
    if (mine === turn) fill(main, h("h1", {}, "Something is missing"), h("p", { class: "bad" }, error.message));
  }
}

function header(at) {
  fill(select, (projects.length > 1 || !at.project) && h("option", { value: "", selected: !at.project }, "All projects"), projects.map((one) => h("option", { value: one.name, selected: one.name === at.project }, one.title)));
  fill(nav, at.project ? PAGES.map(([name, title]) => h("a", { href: to(at.project, name), "aria-current": name === at.page ? "page" : null }, title)) : []);
  const here = nav.querySelector("[aria-current]");
  if (here) nav.scrollLeft = here.offsetLeft - nav.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2; // where pages do not fit in
}

/** Shows the crawl's state beside the project's name: pages call it when they hear of it. */
export function state(text, kind = "") {
  const node = document.getElementById("state");
  if (node.textContent !== text) node.textContent = text;
  node.className = `chip ${kind}`;
}

function theme() {
  const kept = localStorage.getItem("theme");
  if (kept) document.documentElement.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", document.documentElement.dataset.theme);
  });
}

if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", `/${location.hash}`);
theme();
select.addEventListener("change", () => { location.hash = select.value ? to(select.value, (place().project && place().page) || "crawl") : to("", "projects"); });
addEventListener("hashchange", show);
addEventListener("unhandledrejection", (event) => toast(event.reason?.message || String(event.reason), true));
show();
