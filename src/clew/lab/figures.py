"""Plots of a comparison, for a page (SVG in the page's own colours) and for print (PNG, SVG files).

A method keeps its colour, line and marker in all plots. Colours are Okabe and Ito's without yellow and black; the
line and the marker tell methods apart without colour. Breadth-first, the baseline, is thick and grey. The LEADERS best
methods have colours, the others are thin and grey.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import Any, Concatenate, ParamSpec

import numpy as np

from clew.lab.comparison import BASELINE, Comparison, method
from clew.lab.measures import sliding
from clew.lab.printfont import family
from clew.lab.results import Run
from clew.model import Bools, Doubles, Floats
from clew.text.shown import plot_label

LEADERS, BANDS = 6, 3
WIDTH = 24
"""Letters on a line of a method's name."""
GREY = "#8C8C8C"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
LINES = ("-", "--", "-.", (0, (4, 1, 1, 1, 1, 1)))
MARKERS = "osD^vP"
DENSE = (0, (1, 0.7))
INK = "#020304"
"""Stands for the colour of text; ``currentColor`` in SVG."""
EDGED: Mapping[str, Any] = {"markersize": 5.5, "markeredgecolor": INK, "markeredgewidth": 0.5}

ADAPTS = (
    "<style>svg{color:#1d2129;background:#fff}"
    "@media(prefers-color-scheme:dark){svg{color:#e6e8ec;background:#16181d}}</style>"
)
"""Colours of an SVG file opened for itself."""

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.0,
    "figure.facecolor": "none",
    "font.size": 10.0,
    "grid.alpha": 0.3,
    "grid.color": GREY,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "savefig.facecolor": "none",
    "pdf.fonttype": 42,  # journals refuse Type 3 fonts
    "svg.fonttype": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}

Parameters = ParamSpec("Parameters")


@dataclass(frozen=True, slots=True)
class Drawn:
    """One plot. ``inline``: SVG for a page, in the page's colours · ``svg``: a file for itself · ``figure``:
    matplotlib's, laid out."""

    inline: str
    svg: str
    figure: Any

    def save(self, stem: Path) -> None:
        """Write stem.svg, stem.png on white, and stem.pdf for print."""
        import matplotlib as mpl

        stem.with_suffix(".svg").write_text(self.svg, encoding="utf-8")
        with mpl.rc_context(STYLE):
            white = {"dpi": 160, "facecolor": "white"}
            self.figure.savefig(stem.with_suffix(".png"), metadata={"Software": None}, **white)
        undated = {"CreationDate": None, "Creator": None, "Producer": None}
        with mpl.rc_context({**STYLE, "font.sans-serif": family(self.figure)}):
            self.figure.savefig(stem.with_suffix(".pdf"), metadata=undated)


@dataclass(frozen=True, slots=True)
class Look:
    """How a method is drawn; ``leading``: in colour, or the baseline; ``label``: its name, in several lines if long."""

    color: str
    linestyle: Any
    marker: str
    leading: bool
    label: str = ""

    @property
    def line(self) -> str:
        """The label on one line."""
        return self.label.replace("\n", " ")


def looks(comparison: Comparison) -> dict[str, Look]:
    """The look of every method, by rank over all tasks."""
    plain = [name for name in comparison.methods if name.split(" / ")[0] == BASELINE]
    leaders = [name for name in comparison.methods if name not in plain][:LEADERS]
    known = {
        name: Look(COLOURS[i], LINES[i % len(LINES)], MARKERS[i % len(MARKERS)], True) for i, name in enumerate(leaders)
    }
    known |= dict.fromkeys(plain, Look(GREY, "-", "*", True))
    one_judge = len({run.judge for run in comparison.runs}) == 1
    strategies = {method(run): run.strategy for run in comparison.runs}
    return {
        name: replace(
            known.get(name, Look(GREY, "-", "", False)), label=wrapped(strategies[name] if one_judge else name)
        )
        for name in comparison.methods
    }


def styled(plot: Callable[Concatenate[str, Parameters], Any]) -> Callable[Parameters, Drawn]:
    """Draw in our style, whatever the process's own settings are; the salt makes ids differ from plot to plot."""

    def drawn(*arguments: Parameters.args, **options: Parameters.kwargs) -> Drawn:
        import matplotlib as mpl

        salt = "-".join([plot.__name__, *(part for part in arguments if isinstance(part, str))])
        with mpl.rc_context({**STYLE, "svg.hashsalt": salt}):
            return _finished(plot(salt, *arguments, **options))

    return drawn


@styled
def overview(salt: str, comparison: Comparison) -> Any:
    """Area over the oracle's of each method on each task: the median and its interval."""
    tasks, known = comparison.tasks, looks(comparison)
    figure, axes = new_figure(height=1.3 + max(0.5 * len(tasks), 2.4))
    leaders = [name for name in comparison.methods if known[name].leading]
    for name in comparison.methods:
        look = known[name]
        shift = 0.3 - 0.6 * leaders.index(name) / max(len(leaders) - 1, 1) if look.leading else 0.0
        for place, task in enumerate(tasks):
            area = comparison.area(task, name)
            axes.plot([area.low, area.high], [shift - place] * 2, color=look.color, linewidth=1.2)
            edged = EDGED if look.marker else {}
            axes.plot(area.median, shift - place, look.marker or "|", color=look.color, linestyle="", **edged)
    legend_entries(axes, known, lines=False)
    for place, task in enumerate(tasks):
        axes.plot([comparison.sight(task)] * 2, [-place - 0.4, 0.4 - place], color=INK, linestyle=":", linewidth=1.6)
    axes.plot([], [], color=INK, linestyle=":", label="one-step sight")
    axes.axvline(1, color=INK, linestyle="--", linewidth=1.2, label="oracle")
    axes.set_yticks([-place for place in range(len(tasks))], [plot_label(task) for task in tasks])
    axes.set(xlabel="area under the found-curve, as a fraction of the oracle's", xlim=(0, 1.05))
    axes.grid(visible=False, axis="y")
    legend(axes)
    return figure


@styled
def found(salt: str, comparison: Comparison, task: str) -> Any:
    """Found-curves over fetches: medians of the repeats, bands from the least to the most, and what was possible."""
    budget = comparison.budget(task)
    figure, axes = new_figure()
    references(axes, comparison, task, lambda flags: curve(flags, budget))
    _reference(axes, comparison.look_ahead.get(task, ()), lambda flags: curve(flags, budget), "-.", "look-ahead")
    _reference(axes, comparison.bound.get(task, ()), lambda flags: curve(flags, budget), DENSE, "upper bound")
    lines(axes, comparison, task, lambda run: curve(run.found, budget))
    axes.set(xlabel="pages fetched", ylabel="relevant pages found", xlim=(0, budget))
    axes.set_ylim(0, max(axes.get_ylim()[1], 1))
    axes.set_title(f"{comparison.reachable(task)} relevant pages can be reached from the seeds")
    legend(axes)
    return figure


@styled
def harvest(salt: str, comparison: Comparison, task: str) -> Any:
    """Share of fetches that brought a new relevant page, over a sliding window."""
    budget = comparison.budget(task)
    width = window(budget)
    figure, axes = new_figure()
    references(axes, comparison, task, lambda flags: rates(lasting(flags, budget), width, budget))
    lines(axes, comparison, task, lambda run: rates(run.found, width, budget))
    axes.set(xlabel="pages fetched", xlim=(0, budget), ylim=(-0.02, 1.04))
    axes.set_ylabel(f"relevant pages a fetch,\nlast {width} fetches")
    legend(axes)
    return figure


def window(budget: int) -> int:
    """Fetches of the sliding window: 200, a fifth of small budgets."""
    return max(1, min(200, budget // 5))


def curve(flags: Bools, budget: int) -> Doubles:
    """float64[budget + 1]: pages found after 0 … budget fetches; a crawl that ended early keeps what it has."""
    return np.concatenate([[0.0], np.cumsum(lasting(flags, budget), dtype=np.float64)])


def rates(flags: Bools | Floats, width: int, budget: int) -> Doubles:
    """float64[budget + 1]: mean of the last ``width`` flags (or relevances; NaN is left out) after 0 … budget fetches;
    NaN while there are fewer than a tenth of the window, and after the crawl's end."""
    flags = flags[:budget]
    shares = np.full(budget + 1, np.nan)
    shares[1 : len(flags) + 1] = sliding(flags, width)
    shares[: max(width // 10, 1)] = np.nan
    return shares


def lasting(flags: Bools, budget: int) -> Bools:
    """An oracle that has found all goes on and finds nothing."""
    return np.pad(flags[:budget], (0, max(budget - len(flags), 0)))


def lines(axes: Any, comparison: Comparison, task: str, values: Callable[[Run], Doubles]) -> None:
    """A line a method, best first in the legend, with a band where runs were repeated."""
    known = looks(comparison)
    ranked = comparison.ranked(task)
    for place, name in reversed(list(enumerate(ranked))):
        look = known[name]
        rows = np.array([values(run) for run in comparison.of(task, name)])
        there = np.flatnonzero(~np.isnan(rows).all(axis=0))
        n = there[thinned(len(there))]
        middle = np.nanmedian(rows[:, n], axis=0)
        if len(rows) > 1 and look.leading and (place < BANDS or look.color == GREY):
            low, high = np.nanmin(rows[:, n], axis=0), np.nanmax(rows[:, n], axis=0)
            axes.fill_between(n, low, high, color=look.color, alpha=0.18, linewidth=0)
        marks = (place * 3 % 20, 20)
        style: Mapping[str, Any] = (
            {"linewidth": 1.7, "linestyle": look.linestyle, "marker": look.marker, "markevery": marks, **EDGED}
            if look.leading
            else {"linewidth": 0.8}
        )
        axes.plot(n, middle, color=look.color, **style)
    legend_entries(axes, {name: known[name] for name in ranked}, lines=True)


def references(axes: Any, comparison: Comparison, task: str, values: Callable[[Bools], Doubles]) -> None:
    """Dashed and dotted lines of what was possible, medians of the repeats."""
    for repeats, line, label in (
        (comparison.oracles[task], "--", "oracle (greedy)"),
        (comparison.one_step.get(task, ()), ":", "one-step sight"),
    ):
        _reference(axes, repeats, values, line, label)


def _reference(axes: Any, repeats: Sequence[Bools], values: Callable[[Bools], Doubles], line: Any, label: str) -> None:
    """One line; none without repeats."""
    if len(repeats):
        rows = np.array([values(flags) for flags in repeats])
        there = np.flatnonzero(~np.isnan(rows).all(axis=0))
        n = there[thinned(len(there))]
        axes.plot(n, np.nanmedian(rows[:, n], axis=0), color=INK, linestyle=line, linewidth=1.4, label=label)


def legend_entries(axes: Any, known: Mapping[str, Look], *, lines: bool) -> None:
    """An entry for each method in colour, and one for all others, which is named where it stands alone."""
    for look in known.values():
        if look.leading:
            line = look.linestyle if lines else ""
            axes.plot([], [], color=look.color, marker=look.marker, linestyle=line, label=look.label, **EDGED)
    others = [look.label for look in known.values() if not look.leading]
    if others:
        line, marker = ("-", "") if lines else ("", "|")
        label = others[0] if len(others) == 1 else f"{len(others)} others"
        axes.plot([], [], color=GREY, linestyle=line, marker=marker, linewidth=0.8, label=label)


def legend(axes: Any) -> None:
    """The legend, right of the plot."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, handlelength=3.2)


def thinned(n: int, most: int = 200) -> Any:
    """int[k]: at most 200 places of n, evenly apart, first and last among them."""
    return np.unique(np.linspace(0, max(n - 1, 0), min(n, most)).astype(int))


def wrapped(name: str) -> str:
    """A method's name, in several lines where it is long: its judge, and settings in brackets, stand below."""
    if len(name) <= WIDTH:
        return name
    parts = re.sub(r"(?<=\S)\(", "\n(", name.replace(" / ", "\n")).splitlines()
    return "\n".join(line for part in parts for line in wrap(part, WIDTH, break_long_words=False))


def new_figure(height: float = 3.6, **panels: Any) -> tuple[Any, Any]:
    """A figure 6.6 inches wide with its panels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.6, height), layout="constrained")
    return figure, figure.subplots(**panels)


def _finished(figure: Any) -> Drawn:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    figure.set_layout_engine("none")  # it is laid out: not again for each format
    text = out.getvalue()
    plain = re.sub(r'<g id="[\w.]+_\d+"', "<g", text[text.index("<svg") :]).replace(INK, "currentColor")
    opening = plain.index(">") + 1
    return Drawn(plain, plain[:opening] + ADAPTS + plain[opening:], figure)
