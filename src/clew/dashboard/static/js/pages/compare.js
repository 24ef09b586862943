// Results of the lab: the folders of them, and one with its methods, curves and tests.

import { curvesOf } from "../compare/curves.js";
import { pairs } from "../compare/pairs.js";
import { values } from "../compare/values.js";
import { api, count, h, many, when } from "../lib.js";
import { sorted } from "../sorted.js";

export async function show(root, { project, rest, to }) {
  const { base, folders } = await api("/results");
  const name = rest.length ? rest.join("/") : folders.length === 1 ? folders[0].name : null;
  if (name !== null) await one(root, name, folders.length > 1 || rest.length ? to(project, "compare") : null);
  else if (folders.length) list(root, base, folders, (folder) => to(project, "compare", ...folder.split("/")));
  else none(root, base, (await api("/projects")).find((one) => one.name === project)?.folder ?? project);
}

/** A path as a shell takes it. */
const quoted = (path) => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

function none(root, base, folder) {
  root.append(h("h1", {}, "Compare"),
    h("p", { class: "says" }, "Here the results of the lab are compared: strategies and judges on the same web, with the same budget."),
    h("section", { class: "card" },
      h("h2", {}, base ? `There are no results in ${base} yet` : "No results are shown yet"),
      h("p", {}, "Make a task of this crawl, or of a simulated web, run it, and show its results:"),
      h("pre", {}, [`clew lab task ${quoted(folder)} --from-crawl --out mytask`, "clew lab run mytask/task.toml --strategies all --repeats 6 --out results/first", base ? "" : `clew serve ${quoted(folder)} --results results`].filter(Boolean).join("\n")),
      base && h("p", { class: "soft" }, `Give --out a folder in ${base}; then load this page again.`)));
}

function list(root, base, folders, address) {
  const at = (folder) => Date.parse(folder.changed) / 1000;
  root.append(h("h1", {}, "Compare"), h("p", { class: "says" }, `${many(folders.length, "folder")} with results of the lab in ${base}. Choose one.`),
    sorted("Folders with results", [
      { name: "results", page: true, value: (folder) => folder.name, cell: (folder) => [h("a", { href: address(folder.name) }, folder.name === "." ? base : folder.name), h("br"), h("small", {}, folder.title)] },
      { name: "tasks", number: true, down: true, value: (folder) => folder.tasks, cell: (folder) => count(folder.tasks) },
      { name: "runs", number: true, down: true, value: (folder) => folder.runs, cell: (folder) => count(folder.runs) },
      { name: "written", down: true, value: at, cell: (folder) => when(at(folder)) },
    ], folders));
}

async function one(root, name, back) {
  const results = await api(`/results/${name === "." ? "" : name.split("/").map(encodeURIComponent).join("/")}`);
  const runs = results.tasks.reduce((all, task) => all + task.runs, 0);
  root.classList.add("compared");
  root.append(
    back ? h("p", { class: "row" }, h("a", { href: back }, "← All results")) : "",
    h("h1", {}, results.title),
    h("p", {}, results.says),
    h("p", { class: "soft" }, `${name === "." ? "" : `${name} · `}${many(results.methods.length, "method")} · ${many(results.tasks.length, "task")} · ${many(runs, "run")}`),
    values(results), curvesOf(results, name), pairs(results), tasks(results), settings(results));
}

function tasks(results) {
  return h("section", { class: "card", "aria-labelledby": "tasks" }, h("h2", { id: "tasks" }, "Tasks"), results.tasks.map((task) => [
    h("h3", {}, task.name),
    h("p", {}, task.says),
    h("p", { class: "soft" }, [`${count(task.budget)} fetches allowed`, `${task.reachable} relevant pages within reach`, many(task.runs, "run"), many(task.repeats, "repeat"), task.webs.length && `${task.webs.length > 1 ? `${task.webs.length} webs, the first` : "web"} ${task.webs[0]}`].filter(Boolean).join(" · ")),
  ]));
}

/** Settings as name = value; how they are kept is JSON. */
function shownSettings(text) {
  try {
    return Object.entries(JSON.parse(text)).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ") || "–";
  } catch { return text || "–"; }
}

function settings(results) {
  return h("section", { class: "card", "aria-labelledby": "settings" }, h("h2", { id: "settings" }, "What was run"),
    h("details", {}, h("summary", {}, `Settings of ${many(results.methods.length, "method")}`), results.methods.map((method) => [
      h("h3", {}, method.name),
      h("p", {}, h("code", {}, `${method.strategy}: ${shownSettings(method.strategy_settings)}`)),
      h("p", {}, h("code", {}, `${method.judge}: ${shownSettings(method.judge_settings)}`)),
    ])));
}
