"""A comparison as one self-contained HTML page, with its plots (PNG, SVG), figures (CSV) and a LaTeX table."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import combinations
from pathlib import Path

import numpy as np

from clew.lab import details, figures, readings
from clew.lab.comparison import Comparison
from clew.lab.conclusions import conclusion, verdict
from clew.lab.differences import Difference, found, over_all, overall, within
from clew.lab.figures import Drawn
from clew.lab.knowledge import NOTE, anybody_asked, questions
from clew.lab.latex import figure3, latex, latex_differences, latex_measures, latex_text, p_value
from clew.lab.measures import prediction_accuracy, recall_at
from clew.lab.methods import methods
from clew.lab.paths import digging
from clew.lab.results import Run
from clew.text.shown import cell, file_name
from clew.version import __version__

FIELDS = (
    *("task", "strategy", "judge", "repeat", "seed", "budget", "fetched", "found", "reachable"),
    *("area_over_oracle", "area_over_bound", "recall_at_10", "recall_at_25", "recall_at_50", "recall"),
    *("loss_truth", "loss_judge", "auc", "relevant_above", "irrelevant_below", "median_depth"),
    *("dug", "deep", "longest_tunnel", "modal_path", "lift"),
    *("seconds", "cpu_ms_per_page", "frontier", "robots", "absent", "asked", "backlinks", "stopped_by"),
    *("web", "closed", "drawn", "strategy_settings", "judge_settings", "version"),
)

DIFFERENCES = (
    *("task", "one", "other", "units", "n", "difference", "low", "high", "p", "p_holm", "test", "told_apart"),
)

_FIGURE = re.compile(r"-?\d+(\.\d+)?|-?inf|")

Plot = Callable[[Comparison, str], Drawn]
Reading = Callable[[Comparison, str], str]

PLOTS: tuple[tuple[str, str, Plot, Reading], ...] = (
    ("found", "Found-curves", figures.found, readings.found),
    ("harvest", "Harvest rate", figures.harvest, readings.harvest),
    ("loss", "Loss", details.loss, readings.loss),
    ("relevance", "Relevance by the judge", details.relevance, readings.relevance),
    ("distances", "Link distance of found pages", details.distances, readings.distances),
    ("tunnels", "Paths to found pages", details.tunnels, readings.tunnels),
    ("overlap", "Overlap of what was found", details.overlap, readings.overlap),
    ("predictions", "What link scores foretold", details.predictions, readings.predictions),
    ("costs", "Cost", details.costs, readings.costs),
)
"""Plots of a task: file name, title, what draws it, and what says what to conclude."""

STYLE = """
:root { color-scheme: light dark; --ink: #1d2129; --paper: #fff; --soft: #555e6b; --line: #d8dce2; --bar: #0072b233; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ec; --paper: #16181d; --soft: #a9b1bd; --line: #343a45; --bar: #3f9bd655; }
}
body { color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
       max-width: 80rem; padding: 1.5rem; box-sizing: border-box; }
h1 { font-size: 1.7rem; margin: 0 0 .4rem; } h2 { font-size: 1.3rem; margin: 2.6rem 0 .2rem; }
h3 { font-size: 1rem; margin: 1rem 0 0; } p { margin: .3rem 0; max-width: 60rem; } .soft { color: var(--soft); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: .5rem 2rem; }
figure { margin: 0; overflow-x: auto; }
figure svg { display: block; width: 100%; max-width: 52rem; height: auto; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .92rem; margin: .8rem 0; }
th, td { padding: .3rem .45rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: middle;
         font-variant-numeric: tabular-nums; }
th:first-child { text-align: left; white-space: nowrap; font-weight: 400; } thead th:first-child { font-weight: 700; }
thead th { vertical-align: bottom; } thead th + th { width: 6.5rem; font-size: .82rem; }
td { background: linear-gradient(90deg, var(--bar) calc(100% * var(--v, 0)), transparent 0); }
td small { color: var(--soft); display: block; white-space: nowrap; } tr.limit { font-style: italic; }
@media (max-width: 40rem) {
  body { padding: .8rem; } th:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 7rem; }
}
nav a { color: inherit; margin-right: 1rem; } footer { color: var(--soft); font-size: .85rem; margin-top: 2rem; }
"""


def write_report(comparison: Comparison, folder: Path) -> Path:
    """Write report.html, plots/, three CSV files and four LaTeX ones into the folder; gives the page's path."""
    plots = folder / "plots"
    plots.mkdir(parents=True, exist_ok=True)
    overview = figures.overview(comparison)
    overview.save(plots / "overview")
    sections = "".join(_task(comparison, task, plots) for task in comparison.tasks)
    _write_csv(comparison, folder / "results.csv")
    _write_overlap(comparison, folder / "overlap.csv")
    _write_differences(comparison, folder / "differences.csv")
    (folder / "measures.tex").write_text(latex_measures(comparison), encoding="utf-8")
    (folder / "differences.tex").write_text(latex_differences(comparison), encoding="utf-8")
    (folder / "table.tex").write_text(latex(comparison), encoding="utf-8")
    (folder / "methods.tex").write_text(latex_text(methods(comparison)), encoding="utf-8")
    page = folder / "report.html"
    page.write_text(_page(comparison, overview, sections), encoding="utf-8")
    return page


def _page(comparison: Comparison, overview: Drawn, sections: str) -> str:
    title = escape(comparison.title)
    links = "".join(f'<a href="#{_slug(task)}">{escape(task)}</a>' for task in comparison.tasks)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body>\n"
        f"<h1>{title}</h1><p>{escape(verdict(comparison))}</p>\n"
        "<p class=soft>Area under the found-curve over the whole budget, as a fraction of the greedy oracle's: 1 is as "
        "good as knowing the graph and the truth and walking to the nearest relevant page. That is no bound, nor are "
        "one-step sight and look-ahead; no crawl that comes to pages over links alone passes the upper bound. Medians "
        "of the repeats; below them an interval of the median (95 %, or the least and the most of fewer than six "
        f"repeats). Bold: best of the task.{f' {NOTE}' if anybody_asked(comparison) else ''}</p>\n"
        f"{_table(comparison)}\n{_tests(comparison)}\n"
        f"{_figure(overview, 'Area over the oracle, by task and method')}\n<nav>{links}</nav>\n"
        f"{sections}<details><summary>Methods, for a paper</summary><p>{escape(methods(comparison))}</p></details>\n"
        f"<footer>Written by Clew {escape(__version__)}. The figures are in results.csv, differences.csv, "
        "overlap.csv, table.tex, differences.tex and measures.tex, the methods in methods.tex, the plots in plots/."
        "</footer>"
        "</body></html>\n"
    )


def _task(comparison: Comparison, task: str, plots: Path) -> str:
    shown = []
    for name, title, plot, reading in PLOTS:
        drawn, says = plot(comparison, task), escape(reading(comparison, task))
        drawn.save(plots / f"{_slug(task)}-{name}")
        shown.append(f"<section><h3>{title}</h3><p class=soft>{says}</p>{_figure(drawn, f'{title}, {task}')}</section>")
    runs = comparison.of(task)
    facts = (
        f"{comparison.budget(task):,} fetches allowed · {comparison.reachable(task)} relevant pages within reach · "
        f"{len(runs)} runs"
    )
    says = escape(conclusion(comparison, task))
    return (
        f'<section id="{_slug(task)}"><h2>{escape(task)}</h2><p><strong>{says}</strong></p>'
        f'<p class=soft>{facts}</p><div class="plots">{"".join(shown)}</div></section>\n'
    )


def _figure(drawn: Drawn, label: str) -> str:
    return f'<figure role="img" aria-label="{escape(label)}">{drawn.inline}</figure>'


def _table(comparison: Comparison) -> str:
    tasks, tests = comparison.tasks, overall(comparison)
    heads = "".join(f"<th>{escape(task).replace('-', '-<wbr>')}</th>" for task in tasks)
    best = {task: comparison.ranked(task)[0] for task in tasks}
    against = "<th>p against the best</th>" if tests else ""
    rows = []
    for name, limit in comparison.limits.items():
        cells = "".join(_limit(comparison.limit(limit, task)) for task in tasks)
        rows.append(f"<tr class=limit><th>{name}</th><td></td>{'<td></td>' if tests else ''}{cells}</tr>")
    for name in comparison.methods:
        cells = "".join(_cell(comparison, task, name, best[task] == name) for task in tasks)
        test = found(tests, comparison.methods[0], name)
        p = f"<td>{p_value(test.corrected) if test else ''}</td>" if tests else ""
        rows.append(f"<tr><th>{escape(name)}</th>{_limit(comparison.mean(name))}{p}{cells}</tr>")
    return (
        f'<div class="scroll"><table><thead><tr><th>strategy / judge</th><th>mean</th>{against}{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _tests(comparison: Comparison) -> str:
    """All pairs over all tasks, folded up; nothing where no unit is repeated."""
    tests = [test for tests in over_all(comparison) for test in tests]
    if not tests:
        return ""
    heads = "".join(f"<th>{head}</th>" for head in ("n", "difference", "95 % interval", "p", "p, Holm", "told apart"))
    rows = "".join(
        f"<tr><th>{escape(test.one)} − {escape(test.other)}</th><td>{test.n} {test.units}</td>"
        f"<td>{figure3(test.difference)}</td><td>{figure3(test.low)} to {figure3(test.high)}</td>"
        f"<td>{p_value(test.p)}</td><td>{p_value(test.corrected)}</td><td>{'yes' if test.is_real else 'no'}</td></tr>"
        for test in tests
    )
    return (
        "<details><summary>All pairs of methods, tested</summary><p class=soft>Differences in area over the oracle's, "
        "over all tasks; a unit is a repeat (mean over tasks), or a web (mean of all that ran on it). Sign-flip tests, "
        "corrected for the number of pairs by Holm's method; medians with their intervals. Pairs of each task are in "
        f'differences.csv.</p><div class="scroll"><table><thead><tr><th>pair</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div></details>"
    )


def _limit(value: float) -> str:
    return f'<td style="--v:{np.nan_to_num(value):.3f}">{figure3(value)}</td>'


def _cell(comparison: Comparison, task: str, name: str, best: bool) -> str:
    area, asked = comparison.area(task, name), questions(comparison.of(task, name))
    figure = f"<b>{figure3(area.median)}</b>" if best else figure3(area.median)
    below = [f"{figure3(area.low)}–{figure3(area.high)}, n {area.repeats}"] if area.repeats > 1 else []
    below += [f"asked: {asked}"] if asked and anybody_asked(comparison) else []
    small = "".join(f"<small>{escape(line)}</small>" for line in below)
    return f'<td style="--v:{np.nan_to_num(area.median):.3f}">{figure}{small}</td>'


def _write_csv(comparison: Comparison, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows(_cells(_record(comparison, run)) for run in comparison.runs)


def _record(comparison: Comparison, run: Run) -> list[object]:
    """The values of FIELDS; recalls are of the reachable pages, at 10, 25, 50 and 100 % of the budget."""
    recalls = recall_at(run.found, run.reachable, run.budget)
    area = comparison.value(run)
    paths, foretold = digging(run), prediction_accuracy(run.predicted, run.found)
    depth = float(np.median(run.depth[run.found])) if run.found.any() else np.nan
    losses = [readings.loss_rate(values) for values in (run.found, run.judged)]
    shares = (*losses, foretold.auc, foretold.relevant, foretold.irrelevant)
    return [
        *(run.task, run.strategy, run.judge, run.repeat, run.seed, run.budget),
        *(run.fetched, int(run.found.sum()), run.reachable),
        *(f"{area:.6f}", _known(comparison.over_bound(run)), *(f"{value:.6f}" for value in recalls)),
        *(_known(value) for value in (*shares, depth, paths.dug, paths.deep)),
        *(paths.longest, paths.modal_length, _known(paths.lift)),
        *(f"{run.seconds:.3f}", f"{run.cpu_ms_per_page:.3f}", run.frontier, run.robots, run.absent),
        *(run.asked, run.backlinks, run.stopped_by),
        *(
            run.web,
            str(run.closed).lower(),
            str(run.drawn).lower(),
            run.strategy_settings,
            run.judge_settings,
            run.version,
        ),
    ]


def _known(value: float) -> str:
    """Six decimals; nothing for NaN."""
    return "" if np.isnan(value) else f"{value:.6f}"


def _write_differences(comparison: Comparison, path: Path) -> None:
    """All pairs of methods: over all tasks by repeats and by webs, then within each task."""
    tests = [("all", test) for tests in over_all(comparison) for test in tests]
    tests += [(task, test) for task in comparison.tasks for test in within(comparison, task)]
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(DIFFERENCES)
        writer.writerows(_cells(_tested(task, test)) for task, test in tests)


def _tested(task: str, test: Difference) -> list[object]:
    """The values of DIFFERENCES."""
    numbers = (test.difference, test.low, test.high, test.p, test.corrected)
    said = "yes" if test.is_real else "no"
    return [task, test.one, test.other, test.units, test.n, *map(_known, numbers), test.test, said]


def _write_overlap(comparison: Comparison, path: Path) -> None:
    """What each two methods found, by the first repeat of each: the table and its Jaccard coefficient."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("task", "one", "other", "only_one", "only_other", "both", "jaccard"))
        for task in comparison.tasks:
            names = comparison.ranked(task)
            sets = [readings.found_urls(run) for run in details.first_runs(comparison, task, names)]
            for (one, mine), (other, theirs) in combinations(zip(names, sets, strict=True), 2):
                both, either = len(mine & theirs), len(mine | theirs)
                share = _known(both / either if either else np.nan)
                writer.writerow(_cells([task, one, other, len(mine - theirs), len(theirs - mine), both, share]))


def _cells(values: Sequence[object]) -> list[object]:
    """No text but a figure begins as a formula."""
    return [cell(value) if isinstance(value, str) and not _FIGURE.fullmatch(value) else value for value in values]


def _slug(task: str) -> str:
    """A task's name as a file name and anchor."""
    return file_name(re.sub(r"[^\w.-]+", "-", task).strip("-.") or "task")
