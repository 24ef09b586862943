// The table of methods: one measure on all tasks, or all measures on one.

import { fill, h, many } from "../lib.js";
import { choice, sorted } from "../sorted.js";

const COUNTS = ["found", "fetched", "asked"], EQUAL = 1e-9;
const MANY = 12; // columns of tasks; of more, those of a web are put together at first

/** A value of a measure: counts as they are, shares with three places. */
export function told(measure, value) {
  if (value === null || value === undefined) return "–";
  if (COUNTS.includes(measure)) return value.toLocaleString("en", { maximumFractionDigits: 1 });
  return value.toFixed(measure === "cpu_ms_per_page" ? 1 : 3);
}

const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);

/** Tasks that share a web, which are not independent: [{name, tasks}]. */
function webs(results) {
  const found = new Map();
  for (const task of results.tasks) {
    const key = task.webs.length ? JSON.stringify([...task.webs].sort()) : task.name;
    found.set(key, [...(found.get(key) ?? []), task]);
  }
  return [...found.values()].map((tasks) => ({
    name: tasks.length === 1 ? tasks[0].name : `${tasks[0].webs[0].split("/").pop()} (${tasks.length} tasks)`,
    tasks: tasks.map((one) => one.name),
  }));
}

/** The card with the table. */
export function values(results) {
  const known = new Map(results.values.map((one) => [JSON.stringify([one.task, one.method, one.measure]), one]));
  const value = (task, method, measure) => known.get(JSON.stringify([task, method, measure])) ?? null;
  const single = results.tasks.map((one) => ({ name: one.name, tasks: [one.name] })), grouped = webs(results);
  const at = {
    measure: results.measures[0].name,
    task: results.tasks.length === 1 ? results.tasks[0].name : "",
    by: single.length > MANY && grouped.length < single.length ? "webs" : "tasks",
  };
  const controls = h("div", { class: "row" }), box = h("div");
  const card = h("section", { class: "card", "aria-labelledby": "values" }, h("h2", { id: "values" }, "Methods"), controls, box);
  const measures = choice("Measure", results.measures.map((one) => [one.name, one.title]), at.measure, (found) => { at.measure = found; draw(); });
  const columns = choice("Columns", [["tasks", "each task"], ["webs", "tasks of a web together"]], at.by, (found) => { at.by = found; draw(); });
  if (results.tasks.length > 1) {
    controls.append(choice("Tasks", [["", "all tasks, one measure"], ...results.tasks.map((one) => [one.name, `${one.name}, all measures`])], at.task, (found) => { at.task = found; draw(); }));
  }
  controls.append(measures, columns);

  function draw() {
    measures.hidden = at.task !== "";
    columns.hidden = at.task !== "" || grouped.length === single.length;
    fill(box, at.task === "" ? overTasks() : ofTask());
  }

  function overTasks() {
    const measure = results.measures.find((one) => one.name === at.measure), groups = at.by === "webs" ? grouped : single;
    const rows = results.methods.map((method) => ({ name: method.name, cells: groups.map((group) => cell(group, method.name)) }));
    for (const row of rows) row.mean = mean(single.map((group) => cell(group, row.name).value).filter((one) => one !== null));
    const best = bests(measure, rows, groups.length), most = bestOf(measure, rows.map((row) => row.mean));
    const foot = measure.name === "area_over_oracle" ? limits(groups) : [];
    return [
      h("p", { class: "says" }, meaning(measure), ` ${measure.better ? signs(measure) : ""} Each figure is the median of a task's repeats, below it the interval of that median (95 %; the least and the most of fewer than six repeats)${groups.some((one) => one.tasks.length > 1) ? "; where tasks stand together, the mean of their medians, below it the least and the most" : ""}.`),
      sorted(`Methods by ${measure.title}`, [
        { name: "method", page: true, cell: (row) => row.name, value: (row) => row.name },
        { name: "mean of tasks", number: true, down: measure.better !== "less", value: (row) => row.mean, cell: (row) => figure(told(measure.name, row.mean), "", row.mean !== null && row.mean === most) },
        ...groups.map((group, i) => ({
          name: group.name, number: true, down: measure.better !== "less", value: (row) => row.cells[i].value,
          cell: (row) => figure(told(measure.name, row.cells[i].value), spread(measure.name, row.cells[i]), best[i](row), !row.limit && alike(measure.name, group, row, rows, i)),
        })),
      ], rows, { by: 1, foot }),
    ];
  }

  function ofTask() {
    const ranked = results.tasks.find((one) => one.name === at.task).ranked;
    const rows = ranked.map((name) => ({ name, cells: results.measures.map((one) => ofOne(value(at.task, name, one.name))) }));
    const shown = results.measures.map((measure, i) => [measure, i]).filter(([measure, i]) => rows.some((row) => row.cells[i].value) || measure.name === "area_over_oracle");
    return [
      h("p", { class: "says" }, `★ marks the best, where more or less of a measure is better. Medians of ${many(results.tasks.find((one) => one.name === at.task).repeats, "repeat")}, below them their intervals.`),
      sorted(`All measures on ${at.task}`, [
        { name: "method", page: true, cell: (row) => row.name, value: (row) => row.name },
        ...shown.map(([measure, i]) => ({
          name: measure.title, number: true, down: measure.better !== "less", value: (row) => row.cells[i].value,
          cell: (row) => figure(told(measure.name, row.cells[i].value), spread(measure.name, row.cells[i]), isBest(measure, rows, i, row), alike(measure.name, { tasks: [at.task] }, row, rows, i)),
        })),
      ], rows, { by: 1 }),
      h("details", {}, h("summary", {}, "What the measures mean"), h("dl", { class: "meanings" }, shown.map(([measure]) => h("div", {}, h("dt", {}, measure.title), h("dd", {}, measure.says))))),
    ];
  }

  function ofOne(found) {
    return found ? { value: found.median, low: found.low, high: found.high } : { value: null, low: null, high: null };
  }

  function cell(group, method) {
    if (group.tasks.length === 1) return ofOne(value(group.tasks[0], method, at.measure));
    const medians = group.tasks.map((task) => value(task, method, at.measure)?.median ?? null).filter((one) => one !== null);
    return { value: mean(medians), low: medians.length ? Math.min(...medians) : null, high: medians.length ? Math.max(...medians) : null };
  }

  /** What else was possible, as rows that stay below the methods. */
  function limits(groups) {
    const names = [...new Set(results.tasks.flatMap((one) => Object.keys(one.limits)))];
    const of = (task, name) => results.tasks.find((one) => one.name === task).limits[name] ?? null;
    return names.map((name) => ({
      name, limit: true, mean: mean(results.tasks.map((one) => of(one.name, name)).filter((one) => one !== null)),
      cells: groups.map((group) => ({ value: mean(group.tasks.map((task) => of(task, name)).filter((one) => one !== null)), low: null, high: null })),
    }));
  }

  /** Whether the tests of a task do not tell a method from the best of it. */
  function alike(measure, group, row, rows, i) {
    if (measure !== "area_over_oracle" || group.tasks.length !== 1 || row.cells[i].value === null) return false;
    const best = rows.find((one) => one.cells[i].value === Math.max(...rows.map((each) => each.cells[i].value ?? -1)));
    if (!best || best === row) return false;
    const test = results.differences.find((one) => one.task === group.tasks[0] && [one.one, one.other].includes(best.name) && [one.one, one.other].includes(row.name));
    return Boolean(test) && !test.told_apart;
  }

  draw();
  return card;
}

const meaning = (measure) => `${measure.title[0].toUpperCase()}${measure.title.slice(1)}: ${measure.says[0].toLowerCase()}${measure.says.slice(1)}`;

const signs = (measure) => (measure.name === "area_over_oracle"
  ? "More is better: ★ marks the best of a column, ≈ what no test tells from it. The rows below say what else was possible."
  : `${measure.better === "more" ? "More" : "Less"} is better: ★ marks the best of a column.`);

const spread = (measure, { low, high }) => (low === null || high === null || high - low < EQUAL ? "" : `${told(measure, low)} – ${told(measure, high)}`);

/** The best of some values, null where no measure says what is better or all are alike. */
function bestOf(measure, all) {
  const known = all.filter((one) => one !== null), least = Math.min(...known), most = Math.max(...known);
  if (!measure.better || !known.length || most - least < EQUAL) return null;
  return measure.better === "more" ? most : least;
}

function isBest(measure, rows, i, row) {
  const best = bestOf(measure, rows.map((one) => one.cells[i].value));
  return best !== null && row.cells[i].value !== null && Math.abs(row.cells[i].value - best) < EQUAL;
}

const bests = (measure, rows, n) => Array.from({ length: n }, (_, i) => (row) => !row.limit && isBest(measure, rows, i, row));

/** A figure, marked where it is the best or as good as that, with its interval below. */
function figure(text, interval, best, alike = false) {
  return [
    best && [h("span", { class: "star", "aria-hidden": "true" }, "★ "), h("span", { class: "unseen" }, "best: ")],
    !best && alike && [h("span", { class: "star", "aria-hidden": "true" }, "≈ "), h("span", { class: "unseen" }, "not told from the best: ")],
    best ? h("strong", {}, text) : text,
    interval && h("small", {}, ` ${interval}`),
  ];
}
