"""The statistics of paths as plain text, table by table as Bergmark and others 2002 print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clew.graph.path_statistics import BANDS, PathStatistics, Spread

_NO_NUMBER = "-"


def tables(statistics: PathStatistics) -> str:
    """All tables and figures as text for a terminal; rows without pages are left out."""
    parts = (_summary, _table_2, _figure_2, _table_3, _table_4, _figure_1, _table_5)
    return "\n\n".join(part(statistics) for part in parts) + "\n"


def _summary(s: PathStatistics) -> str:
    lengths = s.lengths
    facts = (
        ("pages", f"{s.pages:,}"),
        ("seeds", f"{s.seeds:,}"),
        ("nuggets", f"{s.nuggets:,} ({_percent(s.nuggets, s.pages)} of pages)"),
        ("mean correlation", f"{_number(s.mean_correlation, 3)} (seeds left out)"),
        ("complete paths", f"{lengths.completed:,} ({lengths.from_seeds:,} from seeds that are no nuggets)"),
        ("path length", f"{lengths.mode} most common, {_number(lengths.mean, 2)} on average (both ends counted)"),
        ("terminated paths", f"{s.terminated:,} (last dud at or beyond the cutoff)"),
        ("incomplete paths", f"{s.incomplete:,} (last dud before the cutoff)"),
    )
    head = f"Paths from nugget to nugget: threshold {s.threshold:g}, cutoff {s.cutoff:g}, distance {s.metric}"
    width = max(len(name) for name, _ in facts)
    return "\n".join([head, *(f"  {name:<{width}}  {fact}" for name, fact in facts)])


def _table_2(s: PathStatistics) -> str:
    head = "Correlation by level: links from the last nugget or seed, equation (2) (Table 2)"
    return _lines(head, ("level", "pages", "mean", "most"), _correlations(s.by_level))


def _figure_2(s: PathStatistics) -> str:
    head = f"Correlation by distance of the parent + 1, rounded down, {s.metric} (Figure 2)"
    return _lines(head, ("distance", "pages", "mean", "most"), _correlations(s.by_distance))


def _correlations(spread: Spread) -> list[list[str]]:
    return [
        [str(row), f"{spread.count[row]:,}", _number(spread.mean[row], 4), _number(spread.most[row], 3)]
        for row in np.flatnonzero(spread.count)
    ]


def _table_3(s: PathStatistics) -> str:
    own, parents, every = s.children.sum(axis=0), s.children.sum(axis=1), int(s.children.sum())
    rows = [
        [
            _band(band),
            f"{own[band]:,}",
            _percent(own[band], every),
            f"{parents[band]:,}",
            f"{s.child_nuggets[band]:,}",
            _percent(s.child_nuggets[band], parents[band]),
            _number(s.lift[band], 2),
        ]
        for band in np.flatnonzero(own + parents)
    ]
    nuggets = int(s.child_nuggets.sum())
    rows.append(["all", f"{every:,}", "", f"{every:,}", f"{nuggets:,}", _percent(nuggets, every), ""])
    head = "Pages by correlation, and how often children of a page of that correlation are nuggets (Table 3)"
    return _lines(head, ("correlation", "pages", "share", "children", "nuggets", "chance", "lift"), rows)


def _table_4(s: PathStatistics) -> str:
    after = s.after_nugget
    rows = [
        [
            _band(band),
            f"{after.count[band]:,}",
            _number(after.mean[band], 2),
            _number(after.deviation[band], 2),
            f"{s.lost[band]:,}",
        ]
        for band in np.flatnonzero(after.count + s.lost)
    ]
    head = "Children of nuggets by correlation: duds on the way to the nearest nugget below (Table 4)"
    return _lines(head, ("correlation", "pages", "mean", "deviation", "lead to none"), rows)


def _figure_1(s: PathStatistics) -> str:
    """Parents in two halves, below and from half the threshold on, as the paper draws them."""
    half, whole = (int(np.searchsorted(BANDS[:-1], level - 1e-9)) + 1 for level in (s.threshold / 2, s.threshold))
    head = "Pages whose parent is a dud, by correlation of parent and grandparent (Figure 1)"
    columns = ("parent", "grandparent", "pages", "share", "nuggets", "share", "chance")
    rows: list[list[str]] = []
    for low, high in ((0, half), (half, whole)):
        pages, nuggets = s.history[low:high].sum(axis=0), s.history_nuggets[low:high].sum(axis=0)
        rows.extend(
            [
                f"({BANDS[low] - BANDS[0]:.2f}, {BANDS[high - 1]:.2f}]",
                _band(band),
                f"{pages[band]:,}",
                _percent(pages[band], pages.sum()),
                f"{nuggets[band]:,}",
                _percent(nuggets[band], nuggets.sum()),
                _percent(nuggets[band], pages[band]),
            ]
            for band in np.flatnonzero(pages)
        )
    return _lines(head, columns, rows)


def _table_5(s: PathStatistics) -> str:
    first = min(int(s.threshold * 10 + 1e-9), 9)
    rows = [
        ["all", f"{s.pages:,}", "", "100.00 %"],
        [f"from {s.threshold / 2:g}", f"{s.interesting:,}", "100.00 %", _percent(s.interesting, s.pages)],
    ]
    for tenth in range(first, 10):
        name = f"[{tenth / 10:.1f}, {(tenth + 1) / 10:.1f}{']' if tenth == 9 else ')'}"
        count = int(s.tenths[tenth])
        rows.append([name, f"{count:,}", _percent(count, s.interesting), _percent(count, s.pages)])
    rows.append(["nuggets", f"{s.nuggets:,}", _percent(s.nuggets, s.interesting), _percent(s.nuggets, s.pages)])
    columns = ("correlation", "pages", f"of those from {s.threshold / 2:g}", "of all")
    return _lines("What was found (Table 5)", columns, rows)


def _lines(head: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A heading and columns of text, set flush right."""
    table = [columns, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    body = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
    return "\n".join([head, *(f"  {line}" for line in body)])


def _band(band: int | np.integer[Any]) -> str:
    low = BANDS[band] - BANDS[0]
    return f"{'[' if band == 0 else '('}{max(low, 0):.2f}, {BANDS[band]:.2f}]"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f} %" if whole else _NO_NUMBER


def _number(value: float, digits: int) -> str:
    return _NO_NUMBER if np.isnan(value) else f"{value:.{digits}f}"
