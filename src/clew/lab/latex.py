"""Tables of a comparison for print: ``tabular`` environments that need no package."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from clew.lab import details, readings
from clew.lab.comparison import Comparison, Spread
from clew.lab.differences import Difference, found, over_all, overall
from clew.lab.measures import prediction_accuracy, recall_at
from clew.lab.paths import digging
from clew.lab.results import Run
from clew.version import __version__


def latex(comparison: Comparison) -> str:
    """Areas over the oracle's: a row a method, a column a task, the best of each in bold. Where runs were repeated,
    with intervals, and a line that says how many repeats and which test."""
    tasks, tests = comparison.tasks, overall(comparison)
    best = {task: comparison.ranked(task)[0] for task in tasks}
    columns = len(tasks) + 1 + bool(tests)
    lines = [
        f"% Area under the found-curve as a fraction of the greedy oracle's, medians of repeats. Clew {__version__}",
        rf"\begin{{tabular}}{{l{'r' * columns}}}",
        r"\hline",
        _row("strategy / judge", [_stacked(task) for task in tasks], "mean", ["$p$"] if tests else []),
        r"\hline",
        *(
            _row(name, [_tex(figure3(comparison.limit(limit, task))) for task in tasks], "", [""] if tests else [])
            for name, limit in comparison.limits.items()
        ),
    ]
    for name in comparison.methods:
        cells = [_area(comparison.area(task, name), best[task] == name) for task in tasks]
        test = found(tests, comparison.methods[0], name)
        p = [p_value(test.corrected) if test else ""] if tests else []
        lines.append(_row(_escaped(name), cells, _tex(figure3(comparison.mean(name))), p))
    return "\n".join([*lines, r"\hline", *_note(comparison, tests, columns + 1), r"\end{tabular}", ""])


def _area(area: Spread, best: bool) -> str:
    median = _tex(figure3(area.median))
    figure = rf"\textbf{{{median}}}" if best else median
    if area.repeats < 2:
        return figure
    return rf"{figure} {{\scriptsize {figure3(area.low)}--{figure3(area.high)}}}"


def _note(comparison: Comparison, tests: tuple[Difference, ...], columns: int) -> list[str]:
    """The lines under the table that say what its figures are; none for single runs."""
    repeats = sorted({comparison.area(task, name).repeats for task in comparison.tasks for name in comparison.methods})
    if repeats[-1] < 2:
        return []
    counts = "/".join(map(str, repeats))
    says = [rf"Medians of $n = {counts}$ repeats; small: 95\,\% intervals (all repeats below six)."]
    if tests:
        units, pairs = f"{tests[0].n} {tests[0].units}", f"{len(tests)} {'pair' if len(tests) == 1 else 'pairs'}"
        says.append(rf"$p$: against the best, sign-flip test over {units}, Holm over {pairs}.")
    # boxes without width, or the columns would grow to the width of the lines
    return [rf"\multicolumn{{{columns}}}{{@{{}}l}}{{\makebox[0pt][l]{{\footnotesize {line}}}}} \\" for line in says]


def latex_differences(comparison: Comparison) -> str:
    """All pairs of methods over all tasks: units, difference, interval, p values before and after the correction."""
    lines = [
        "% Differences in area over the oracle's, one minus other: median over units and its 95 % interval, p of the",
        f"% sign-flip test, and p corrected by Holm's method for the number of pairs. Clew {__version__}",
        r"\begin{tabular}{llrrrrr}",
        r"\hline",
        r"one & other & $n$ & difference & interval & $p$ & $p$ (Holm) \\",
    ]
    for tests in over_all(comparison):
        lines.append(r"\hline")
        for test in tests:
            figures = (figure3(test.difference), f"{figure3(test.low)} to {figure3(test.high)}")
            cells = [*map(_tex, (*figures, p_value(test.p), p_value(test.corrected)))]
            names = [_escaped(test.one), _escaped(test.other), f"{test.n} {test.units}"]
            lines.append(" & ".join([*names, *cells]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


MEASURES: tuple[tuple[str, Callable[[Run], float], str], ...] = (
    ("recall", lambda run: recall_at(run.found, run.reachable, run.budget)[-1], ".3f"),
    ("loss", lambda run: readings.loss_rate(run.found), ".3f"),
    ("AUC", lambda run: prediction_accuracy(run.predicted, run.found).auc, ".3f"),
    ("dug", lambda run: digging(run).dug, ".3f"),
    ("deep", lambda run: digging(run).deep, ".3f"),
    ("lift", lambda run: digging(run).lift, ".1f"),
    ("waiting", lambda run: float(run.frontier), ".0f"),
    ("asked", lambda run: float(run.asked), ".0f"),
    ("CPU-ms", lambda run: run.cpu_ms_per_page, ".1f"),
)
"""Columns of measures.tex: name, value of a run, format."""


def latex_measures(comparison: Comparison) -> str:
    """The other measures as a ``tabular``: a row a task and method, medians of the repeats."""
    lines = [
        "% dug, deep: shares of finds behind at least one, two irrelevant pages. lift: how many times likelier to be",
        "% relevant a page is that a relevant one links to. Medians of repeats.",
        rf"\begin{{tabular}}{{ll{'r' * len(MEASURES)}}}",
        r"\hline",
        " & ".join(["task", "strategy / judge", *(name for name, _, _ in MEASURES)]) + r" \\",
    ]
    for task in comparison.tasks:
        lines.append(r"\hline")
        for name in comparison.ranked(task):
            runs = comparison.of(task, name)
            values = [(details.middle([value(run) for run in runs]), form) for _, value, form in MEASURES]
            cells = [
                "--" if np.isnan(value) else format(value, form).removeprefix("0") or "0" for value, form in values
            ]
            lines.append(" & ".join([_escaped(task), _escaped(name), *cells]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def figure3(value: float) -> str:
    """Three decimals without the leading zero; a dash for NaN."""
    text = f"{value:.3f}"
    return "–" if np.isnan(value) else text.replace("0.", ".", 1) if abs(value) < 1 else text


def p_value(value: float) -> str:
    """A p value with three decimals; a dash where nothing was tested."""
    if np.isnan(value):
        return "–"
    return "<.001" if value < 0.001 else figure3(value)


def _row(name: str, cells: list[str], mean: str, p: list[str]) -> str:
    return " & ".join([name, *cells, mean, *map(_tex, p)]) + r" \\"


def _tex(cell: str) -> str:
    """A cell of figures: a real minus, dash and less-than sign."""
    return re.sub(r"-(?=[.\d])", "$-$", cell).replace("–", "--").replace("<", "$<$")


def _stacked(task: str) -> str:
    """A task's name as a column head, a line a part."""
    parts = r"\\".join(_escaped(part) for part in task.split("-"))
    return rf"\begin{{tabular}}[b]{{@{{}}r@{{}}}}{parts}\end{{tabular}}"


def latex_text(text: str) -> str:
    """Plain text as LaTeX, in lines of a sentence each."""
    return re.sub(r"(?<=[.:;]) (?=[A-Z])", "\n", _escaped(text).replace("’", "'")) + "\n"


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)
