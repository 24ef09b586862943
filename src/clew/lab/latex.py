"""Tables of a comparison for print: ``tabular`` environments that need no package and fit a column of 345 pt, the text
of LaTeX's own ``article`` at 10 pt. Long names take several lines; tables higher than a page go on in another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from clew.lab import details, readings
from clew.lab.comparison import Comparison, Spread, method
from clew.lab.differences import Difference, found, over_all, overall
from clew.lab.knowledge import most_asked
from clew.lab.measures import prediction_accuracy, recall_at
from clew.lab.paths import digging
from clew.lab.results import Run
from clew.version import __version__

PAGE = 40
"""Lines of a page, less some for a caption."""

NAME = 18
"""Letters of a name that find room in the narrowest of its columns."""

ROOM = 190.0
"""Points beside the names, the mean and p, for columns of tasks."""

ASKED = r"$^\dagger$"
"""Marks methods that asked who links to a page."""

Group = tuple[str, list[str]]
"""A line over the whole width, and the rows below it."""


def latex(comparison: Comparison) -> str:
    """Areas over the oracle's: a row a method, a column a task, the best of each in bold. Where runs were repeated,
    with intervals, and a line that says how many repeats and which test. Tasks that find no room beside the others
    follow in tables below."""
    tests = overall(comparison)
    tables = [
        table for i, tasks in enumerate(_blocks(comparison)) for table in _areas(comparison, tasks, tests, first=not i)
    ]
    return _printed(
        [f"Area under the found-curve as a fraction of the greedy oracle's, medians of repeats. Clew {__version__}"],
        [*tables, *_note(comparison, tests)],
        r"\small\setlength{\tabcolsep}{3pt}",
    )


def _areas(
    comparison: Comparison, tasks: Sequence[str], tests: tuple[Difference, ...], *, first: bool
) -> Iterator[str]:
    """The areas of some tasks; with ``first`` also means and p values."""
    names, best = _named(comparison), {task: comparison.ranked(task)[0] for task in tasks}
    ends = ["mean", *(["$p$"] if tests else [])] if first else []
    rows = [
        _row([name, *(_tex(figure3(comparison.limit(limit, task))) for task in tasks), *[""] * len(ends)])
        for name, limit in comparison.limits.items()
    ]
    for name in comparison.methods:
        cells = [_area(comparison.area(task, name), best[task] == name) for task in tasks]
        test = found(tests, comparison.methods[0], name)
        after = [_tex(figure3(comparison.mean(name))), _tex(p_value(test.corrected)) if test else ""]
        mark = ASKED if most_asked(comparison, name) else ""
        rows.append(_row([names[name] + mark, *cells, *after[: len(ends)]]))
    columns = rf"@{{}}p{{.28\linewidth}}{'r' * (len(tasks) + len(ends))}@{{}}"
    return _tables(columns, _row(["", *map(_stacked, tasks), *ends]), [("", rows)])


def _area(area: Spread, best: bool) -> str:
    """The median, and below it the interval."""
    median = _tex(figure3(area.median))
    figure = rf"\textbf{{{median}}}" if best else median
    if area.repeats < 2:
        return figure
    between = rf"{{\scriptsize {figure3(area.low)}--{figure3(area.high)}}}"
    return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{figure}\\{between}\end{{tabular}}"


def _blocks(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    """The tasks that stand side by side, by the points that their columns take."""
    block: list[str] = []
    taken = 0.0
    for task in comparison.tasks:
        repeated = any(comparison.area(task, name).repeats > 1 for name in comparison.methods)
        width = 6.0 + max([4.9 * len(part) for part in task.split("-")] + [36.0 if repeated else 20.0])
        if block and taken + width > ROOM:
            yield tuple(block)
            block, taken = [], 0.0
        block.append(task)
        taken += width
    yield tuple(block)


def _note(comparison: Comparison, tests: tuple[Difference, ...]) -> list[str]:
    """The lines under the table that say what its figures are and who asked; none for single runs of nobody who did."""
    says = [*_repeated(comparison, tests), *_questions(comparison)]
    return [rf"{{\footnotesize {' '.join(says)}}}"] if says else []


def _questions(comparison: Comparison) -> Iterator[str]:
    """What methods that asked who links to a page knew."""
    most = {name: most_asked(comparison, name) for name in comparison.methods}
    if any(most.values()):
        times = f"{max(most.values()):,} times a run"
        yield f"{ASKED}: asked who links to a page, up to {times}; a live crawl can seldom do that."


def _repeated(comparison: Comparison, tests: tuple[Difference, ...]) -> list[str]:
    """How many repeats there were, and which test."""
    repeats = sorted({comparison.area(task, name).repeats for task in comparison.tasks for name in comparison.methods})
    if repeats[-1] < 2:
        return []
    counts = "/".join(map(str, repeats))
    says = [rf"Medians of $n = {counts}$ repeats; small: 95\,\% intervals (all repeats below six)."]
    if tests:
        units, pairs = f"{tests[0].n} {tests[0].units}", f"{len(tests)} {'pair' if len(tests) == 1 else 'pairs'}"
        says.append(rf"$p$: against the best, sign-flip test over {units}, Holm over {pairs}.")
    return says


def latex_differences(comparison: Comparison) -> str:
    """All pairs of methods over all tasks: units, difference, interval, p values before and after the correction. A
    comment alone where nothing was tested."""
    names, groups = _named(comparison), list[Group]()
    for tests in over_all(comparison):
        for one in dict.fromkeys(test.one for test in tests):
            rows = [_tested(test, names) for test in tests if test.one == one]
            groups.append((rf"{names[one]} minus, over {tests[0].units}:", rows))
    if not groups:
        return "% No differences were tested: every method ran once, or there is one method, or nothing varied.\n"
    head = _row(["", "$n$", "difference", "interval", "$p$", "Holm"])
    return _printed(
        [
            "Differences in area over the oracle's: median over units and its 95 % interval, p of the",
            f"sign-flip test, and p corrected by Holm's method for the number of pairs. Clew {__version__}",
        ],
        _tables(r"@{\quad}p{.42\linewidth}rrrrr@{}", head, groups),
        r"\small\setlength{\tabcolsep}{4pt}",
    )


def _tested(test: Difference, names: Mapping[str, str]) -> str:
    between = f"{figure3(test.low)} to {figure3(test.high)}"
    figures = (str(test.n), figure3(test.difference), between, p_value(test.p), p_value(test.corrected))
    return _row([names[test.other], *map(_tex, figures)])


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
    """The other measures: a row a task and method, medians of the repeats; questions only where any were asked."""
    names = _named(comparison)
    measures = [each for each in MEASURES if each[0] != "asked" or any(run.asked for run in comparison.runs)]
    groups = list[Group]()
    for task in comparison.tasks:
        rows = []
        for name in comparison.ranked(task):
            runs = comparison.of(task, name)
            values = [(details.middle([value(run) for run in runs]), form) for _, value, form in measures]
            cells = [
                "--" if np.isnan(value) else format(value, form).removeprefix("0") or "0" for value, form in values
            ]
            rows.append(_row([names[name], *cells]))
        groups.append((f"{_wrapping(task)}:", rows))
    head = _row(["", *(name for name, _, _ in measures)])
    return _printed(
        [
            "dug, deep: shares of finds behind at least one, two irrelevant pages. lift: how many times likelier to be",
            "relevant a page is that a relevant one links to. Medians of repeats.",
        ],
        _tables(rf"@{{\quad}}p{{.24\linewidth}}{'r' * len(measures)}@{{}}", head, groups),
        r"\footnotesize\setlength{\tabcolsep}{3pt}",
    )


def _printed(comments: Iterable[str], parts: Iterable[str], form: str) -> str:
    """Comments, then tables and notes one below the other, in a size and spacing that end with them."""
    return "\n".join(
        [
            *(f"% {line}" for line in comments),
            rf"{{{form}\setlength{{\parindent}}{{0pt}}",
            "\n\n\\medskip\n".join(parts),
            r"\par}",
            "",
        ]
    )


def _tables(columns: str, head: str, groups: Iterable[Group]) -> Iterator[str]:
    """Groups of rows in as many tables as pages are needed, each with the head. A group begins a new one where it does
    not fit; one that is higher than a page goes on in the next."""
    lines, height = list[str](), 0
    for title, rows in groups:
        above = [_across(title, head.count(" & ") + 1)] if title else []
        if lines and height + sum(map(_height, [*above, *rows])) > PAGE:
            yield _table(columns, head, lines)
            lines, height = [], 0
        for row in [*above, *rows]:
            if lines and height + _height(row) > PAGE:
                yield _table(columns, head, lines)
                lines, height = list(above), 1
            lines.append(row)
            height += _height(row)
    yield _table(columns, head, lines)


def _height(row: str) -> int:
    """Lines that a row takes: those of its name, or of an interval below a figure."""
    if row.startswith(r"\multicolumn"):
        return 1
    name = row.split(" & ", 1)[0].replace(r"\allowbreak{}", "").replace(ASKED, "*").removeprefix(r"\raggedright ")
    return max(-(-len(name) // NAME), 2 if r"\scriptsize" in row else 1)


def _table(columns: str, head: str, lines: Sequence[str]) -> str:
    return "\n".join(
        [rf"\begin{{tabular}}{{{columns}}}", r"\hline", head, r"\hline", *lines, r"\hline", r"\end{tabular}"]
    )


def figure3(value: float) -> str:
    """Three decimals without the leading zero; a dash for NaN."""
    text = f"{value:.3f}"
    return "–" if np.isnan(value) else text.replace("0.", ".", 1) if abs(value) < 1 else text


def p_value(value: float) -> str:
    """A p value with three decimals; a dash where nothing was tested."""
    if np.isnan(value):
        return "–"
    return "<.001" if value < 0.001 else figure3(value)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _named(comparison: Comparison) -> dict[str, str]:
    """What methods are called: their strategies alone where all have one judge."""
    one_judge = len({run.judge for run in comparison.runs}) == 1
    return {method(run): _wrapping(run.strategy if one_judge else method(run)) for run in comparison.runs}


def _wrapping(name: str) -> str:
    """A name that may go on in another line before brackets and after marks."""
    text = re.sub(r"(?=\()|(?<=[,=/:_])(?=.)|(?<=\.)(?=\D)", r"\\allowbreak{}", _escaped(name))
    return rf"\raggedright {text}"


def _across(title: str, columns: int) -> str:
    """A row of text over all columns, which makes none of them wider."""
    return (
        rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{\makebox[0pt][l]{{\parbox[t]{{\linewidth}}{{{title}\strut}}}}}} \\"
    )


def _tex(cell: str) -> str:
    """A cell of figures: a real minus, dash and less-than sign."""
    return re.sub(r"-(?=[.\d])", "$-$", cell).replace("–", "--").replace("<", "$<$")


def _stacked(task: str) -> str:
    """A task's name as a column head, a line a part."""
    parts = r"\\".join(_escaped(part) for part in task.split("-"))
    return rf"\begin{{tabular}}[b]{{@{{}}r@{{}}}}{parts}\end{{tabular}}"


def latex_text(text: str) -> str:
    """Plain text as LaTeX, in lines of a sentence each; a web is broken at its commas."""
    broken = re.sub(r",(?=[a-z])", r",\\allowbreak{}", _escaped(text).replace("’", "'"))
    return re.sub(r"(?<=[.:;]) (?=[A-Z])", "\n", broken) + "\n"


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)
