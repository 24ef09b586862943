"""The plots of a report beside the found-curves: what was lost, how far finds lay, who found what, how well links were
foretold, and what it cost. Look and helpers are those of ``figures``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clew.lab import measures
from clew.lab.comparison import Comparison
from clew.lab.figures import (
    COLOURS,
    EDGED,
    GREY,
    INK,
    lasting,
    legend,
    lines,
    looks,
    new_figure,
    rates,
    references,
    styled,
    window,
)
from clew.lab.paths import finds_by_tunnel, mean_counts
from clew.lab.results import Run
from clew.model import Bools, Doubles, Floats

MATRIX = 14
"""Methods that the matrix of overlaps has room for."""

CLASSES = (("auc", "o", INK), ("relevant", "^", COLOURS[0]), ("irrelevant", "v", COLOURS[1]))
"""Figures of PredictionAccuracy, each with its marker and colour."""


@styled
def loss(salt: str, comparison: Comparison, task: str) -> Any:
    """Expected loss of the pages so far, (1/n) Σ(1 − Pr), by the truth and by the judge that guided the crawl.

    Departure: the paper draws the sum, in pages; where most pages are lost all its lines lie on the diagonal.
    """
    budget = comparison.budget(task)
    figure, (left, right) = new_figure(3.4, ncols=2, sharex=True, sharey=True)
    references(left, comparison, task, lambda flags: lost(lasting(flags, budget), budget))
    lines(left, comparison, task, lambda run: lost(run.found, budget))
    lines(right, comparison, task, lambda run: lost(run.judged, budget))
    left.set(xlim=(0, budget), ylim=(-0.02, 1.04), title="by the truth", ylabel="loss, pages a fetch so far")
    right.set(title="by the judge")
    for panel in (left, right):
        panel.xaxis.get_major_locator().set_params(nbins=4)
    figure.supxlabel("pages fetched", color=INK, fontsize=10)
    figure.legend(*left.get_legend_handles_labels(), loc="outside right upper", handlelength=3.2)
    return figure


@styled
def relevance(salt: str, comparison: Comparison, task: str) -> Any:
    """Mean relevance that the judge gave, over a sliding window."""
    budget = comparison.budget(task)
    width = window(budget)
    figure, axes = new_figure()
    lines(axes, comparison, task, lambda run: rates(run.judged, width, budget))
    axes.set(xlabel="pages fetched", xlim=(0, budget), ylim=(-0.02, 1.04))
    axes.set_ylabel(f"mean relevance by the judge,\nlast {width} fetches")
    legend(axes)
    return figure


@styled
def distances(salt: str, comparison: Comparison, task: str) -> Any:
    """Histograms of the link distance from the seeds of found pages, a panel a method; mean of the repeats."""
    return _histograms(comparison, task, "links from the seeds", by_distance)


@styled
def tunnels(salt: str, comparison: Comparison, task: str) -> Any:
    """Histograms of the irrelevant pages between a find and the last relevant page before it."""
    return _histograms(comparison, task, "irrelevant pages since the last relevant one", finds_by_tunnel)


@styled
def predictions(salt: str, comparison: Comparison, task: str) -> Any:
    """How well the scores of links foretold the truth, for each class: medians of the repeats."""
    names, known = comparison.ranked(task), looks(comparison)
    figure, axes = _rows([known[name].line for name in names])
    labels = {
        "auc": "AUC: a relevant page's link\nscored above an irrelevant one's",
        "relevant": "relevant pages above\nthe median score",
        "irrelevant": "irrelevant pages at most\nat the median score",
    }
    found = {name: accuracy(comparison.of(task, name)) for name in names}
    for place, (which, marker, color) in enumerate(CLASSES):
        values = [found[name][which] for name in names]
        spots = [0.18 - 0.18 * place - row for row in range(len(names))]
        axes.plot(values, spots, marker, color=color, linestyle="", label=labels[which], **EDGED)
    axes.axvline(0.5, color=GREY, linestyle="--", linewidth=1.2, label="chance")
    axes.set(xlabel="share, or chance", xlim=(-0.02, 1.02))
    legend(axes)
    return figure


@styled
def overlap(salt: str, comparison: Comparison, task: str) -> Any:
    """Jaccard coefficients, in percent, of what methods found: the first repeat of each."""
    names, known = comparison.ranked(task)[:MATRIX], looks(comparison)
    firsts = first_runs(comparison, task, names)
    shares = measures.overlap(firsts)
    size = len(names)
    figure, axes = new_figure(1.0 + 0.34 * max(size, 2))
    for row, column in np.ndindex(size, size):
        share = float(np.nan_to_num(shares[row, column]))
        axes.fill_between([column - 0.5, column + 0.5], row - 0.5, row + 0.5, color=COLOURS[0], alpha=0.6 * share, lw=0)
        said = "–" if np.isnan(shares[row, column]) else f"{100 * share:.0f}"
        axes.text(column, row, said, ha="center", va="center")
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), aspect="equal")
    axes.set_xticks(range(size), [str(place + 1) for place in range(size)])
    labels = [
        f"{known[name].line} ({int(run.found.sum()):,}) {place}" for place, (name, run) in _numbered(names, firsts)
    ]
    axes.set_yticks(range(size), labels)
    figure.suptitle(
        "found by both, in percent of what either found; in brackets: pages found", fontsize=9, x=0, ha="left"
    )
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return figure


@styled
def costs(salt: str, comparison: Comparison, task: str) -> Any:
    """CPU time a page, and the links that waited at the end: medians of the repeats."""
    names = comparison.ranked(task)
    known = looks(comparison)
    figure, panels = new_figure(0.9 + 0.3 * max(len(names), 2), ncols=2, sharey=True)
    for panel, label, value in (
        (panels[0], "CPU-ms a page", lambda run: run.cpu_ms_per_page),
        (panels[1], "links waiting at the end", lambda run: float(run.frontier)),
    ):
        values = [float(np.nanmedian([value(run) for run in comparison.of(task, name)])) for name in names]
        panel.barh(range(len(names)), values, height=0.7, color=[known[name].color for name in names])
        panel.set(xlabel=label, ylim=(len(names) - 0.5, -0.5))
        panel.grid(visible=False, axis="y")
    panels[0].set_yticks(range(len(names)), [known[name].line for name in names])
    return figure


def lost(values: Bools | Floats, budget: int) -> Doubles:
    """float64[budget + 1]: the share of pages lost after 0 … budget fetches; NaN for the first few (see ``rates``),
    after the crawl's end, and throughout where no judge said anything."""
    row = np.full(budget + 1, np.nan)
    values = values[:budget]
    if not len(values) or np.isnan(values).all():
        return row
    row[1 : len(values) + 1] = measures.loss(values) / np.arange(1, len(values) + 1)
    row[: max(window(budget) // 10, 1)] = np.nan
    return row


def by_distance(runs: Sequence[Run]) -> Doubles:
    """float64[deepest + 1]: found pages at each link distance, mean of the runs."""
    return mean_counts([measures.distances(run.depth, run.found).found for run in runs])


def accuracy(runs: Sequence[Run]) -> dict[str, float]:
    """AUC and the accuracies of both classes, medians of the repeats; NaN where no link had a score."""
    each = [measures.prediction_accuracy(run.predicted, run.found) for run in runs]
    return {name: middle([getattr(one, name) for one in each]) for name, _, _ in CLASSES}


def middle(values: Sequence[float]) -> float:
    """The median of what is known; NaN of nothing."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.median(known)) if known else float("nan")


def first_runs(comparison: Comparison, task: str, names: Sequence[str]) -> list[Run]:
    """The first repeat of each method."""
    return [comparison.of(task, name)[0] for name in names]


def _numbered(names: Sequence[str], runs: Sequence[Run]) -> enumerate[tuple[str, Run]]:
    return enumerate(zip(names, runs, strict=True), 1)


def _rows(names: Sequence[str]) -> tuple[Any, Any]:
    """A figure with a row a method, the best on top."""
    figure, axes = new_figure(0.9 + 0.36 * max(len(names), 4))
    axes.set_yticks([-row for row in range(len(names))], names)
    axes.set_ylim(0.5 - len(names), 0.5)
    return figure, axes


def _histograms(comparison: Comparison, task: str, label: str, counted: Callable[[Sequence[Run]], Doubles]) -> Any:
    """A panel a method in colour, of relevant pages found by what ``label`` names."""
    known = looks(comparison)
    names = [name for name in comparison.ranked(task) if known[name].leading]
    columns = min(len(names), 4)
    rows = -(-len(names) // columns)
    figure, panels = new_figure(0.5 + 1.5 * rows, nrows=rows, ncols=columns, sharex=True, sharey=True, squeeze=False)
    for panel, name in zip(panels.flat, names, strict=False):
        counts = counted(comparison.of(task, name))
        panel.bar(np.arange(len(counts)), counts, width=0.8, color=known[name].color)
        panel.set_title(known[name].label)
        panel.xaxis.get_major_locator().set_params(integer=True)
    for panel in panels.flat[len(names) :]:
        panel.set_visible(False)
    for column in range((len(names) - 1) % columns + 1, columns):
        panels[-2, column].tick_params(labelbottom=True)
    figure.supxlabel(label, color=INK, fontsize=10)
    figure.supylabel("relevant pages found", color=INK, fontsize=10)
    return figure
