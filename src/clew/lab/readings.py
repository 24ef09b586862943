"""What to conclude from each plot of a report: one sentence with the figures of the task at hand.

Figures of a method are medians of its repeats, unless the sentence says otherwise. Ties go to the better ranked method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from clew.lab import measures
from clew.lab.comparison import BASELINE, Comparison, short
from clew.lab.details import accuracy, first_runs, middle
from clew.lab.figures import window
from clew.lab.paths import digging
from clew.lab.results import Run
from clew.model import Bools, Floats

NOTHING = "Nothing was found, so there is nothing to conclude."
COIN = 0.05
"""An AUC that is no further from .5 says as little as a coin."""


def found(comparison: Comparison, task: str) -> str:
    """How soon the best method found half of what it found."""
    best, runs = _best(comparison, task)
    total = middle([float(run.found.sum()) for run in runs])
    if not total:
        return NOTHING
    half = middle([_half(run.found) for run in runs])
    oracle = middle([_half(flags) for flags in comparison.oracles[task]])
    return (
        f"{best} found {total:,.0f} of {comparison.reachable(task)}, half of them within {half:,.0f} fetches; "
        f"the oracle found half of its own within {oracle:,.0f}. Higher and further left is better."
    )


def harvest(comparison: Comparison, task: str) -> str:
    """Whether a larger budget would bring more."""
    width = window(comparison.budget(task))
    last = _by_method(comparison, task, lambda run: float(run.found[-width:].mean()) if run.fetched else float("nan"))
    name, rate = _highest(last)
    if np.isnan(rate) or rate < 0.01:
        return f"In the last {width} fetches no method found more than one page in 100: more budget would bring little."
    return (
        f"In the last {width} fetches {name} still found {100 * rate:.0f} pages in 100, as many as any: a larger "
        "budget would bring more."
    )


def loss(comparison: Comparison, task: str) -> str:
    """Loss rates by truth and by judge of the best method."""
    best, runs = _best(comparison, task)
    truth, said = (middle([loss_rate(values) for values in rows]) for rows in _truth_and_judge(runs))
    if np.isnan(truth):
        return NOTHING
    if np.isnan(said):
        return f"{best} lost {100 * truth:.0f} pages in 100 by the truth; no judge guided it."
    apart = "so its own loss is a fair guide here" if abs(truth - said) < 0.1 else "so do not trust its own loss here"
    return (
        f"{best} lost {100 * truth:.0f} pages in 100 by the truth and {100 * said:.0f} by its judge, {apart}. "
        "Lower is better."
    )


def relevance(comparison: Comparison, task: str) -> str:
    """What the judge tells of relevant and of other pages."""
    best, runs = _best(comparison, task)
    good = middle([_mean(run.judged[run.found]) for run in runs])
    poor = middle([_mean(run.judged[~run.found]) for run in runs])
    if np.isnan(good) or np.isnan(poor):
        return f"For {best} the judge saw pages of one kind only, or none, so it cannot be compared with the truth."
    return (
        f"The judge gave {short(good)} to the relevant pages of {best} and {short(poor)} to the others (means): only "
        f"the difference of {short(good - poor) if good > poor else 'nothing'} can guide a crawl. This is what a live "
        "crawl would show; compare with the harvest rate, which is by the truth."
    )


def distances(comparison: Comparison, task: str) -> str:
    """How far out the finds lie."""
    best, runs = _best(comparison, task)
    far = [run.depth[run.found] for run in runs if run.found.any()]
    if not far:
        return NOTHING
    median = middle([float(np.median(depths)) for depths in far])
    return (
        f"Half of what {best} found lies within {median:.0f} links of the seeds, the farthest "
        f"{max(int(depths.max()) for depths in far)} links out. Pages far out are those that focus must dig for."
    )


def tunnels(comparison: Comparison, task: str) -> str:
    """How much of what was found stands behind irrelevant pages."""
    best, runs = _best(comparison, task)
    each = [digging(run) for run in runs]
    deep, dug = middle([one.deep for one in each]), middle([one.dug for one in each])
    if np.isnan(dug):
        return NOTHING
    base = next((name for name in comparison.ranked(task) if name.split(" / ")[0] == BASELINE), "")
    lift = middle([digging(run).lift for run in comparison.of(task, base)]) if base else float("nan")
    kin = (
        ""
        if np.isnan(lift)
        else f". By {BASELINE}'s paths, a page linked from a relevant one is {lift:.1f} times as likely to be relevant"
    )
    return (
        f"{100 * dug:.0f} in 100 finds of {best} stood behind at least one irrelevant page and {100 * deep:.0f} behind "
        f"two or more, at most {max(one.longest for one in each)}. Where "
        f"few stand behind two, tunnelling cannot pay{kin}."
    )


def overlap(comparison: Comparison, task: str) -> str:
    """What all methods found together, and which two differ most."""
    names = comparison.ranked(task)
    sets = [found_urls(run) for run in first_runs(comparison, task, names)]
    together, best = len(set().union(*sets)), len(sets[0])
    if not together:
        return NOTHING
    text = f"All methods together found {together:,} pages, {together - best:,} more than {names[0]} alone"
    shares = {
        (one, two): len(sets[one] & sets[two]) / len(sets[one] | sets[two])
        for one in range(len(sets))
        for two in range(one)
        if sets[one] | sets[two]
    }
    if not shares:
        return f"{text}."
    (one, two), share = min(shares.items(), key=lambda item: item[1])
    return f"{text}; {names[two]} and {names[one]} differ most, with {100 * share:.0f} in 100 found by both."


def predictions(comparison: Comparison, task: str) -> str:
    """Whose link scores say most."""
    values = {name: accuracy(comparison.of(task, name))["auc"] for name in comparison.ranked(task)}
    name, best = _highest(values)
    if np.isnan(best):
        return "No method gave scores to links of both kinds, so there is nothing to conclude."
    blind = [other for other, value in values.items() if abs(value - 0.5) <= COIN]
    text = f"The link scores of {name} foretold best what a link leads to (AUC {short(best)})"
    if blind:
        text += f"; those of {', '.join(blind)} said no more than a coin"
    return f"{text}. Each method is measured on the links that it took itself."


def costs(comparison: Comparison, task: str) -> str:
    """What the best method costs against the cheapest."""
    times = _by_method(comparison, task, lambda run: run.cpu_ms_per_page)
    best = comparison.ranked(task)[0]
    known = {name: value for name, value in times.items() if value > 0}
    if best not in known:
        return "CPU time was not measured for the best method."
    cheapest = min(known, key=lambda name: known[name])
    if known[best] < 1.25 * known[cheapest]:
        return f"{best} takes {known[best]:.1f} ms a page, about as little as any: cost is no reason against it."
    return (
        f"{best} takes {known[best]:.1f} ms a page, {known[best] / known[cheapest]:.1f} times as long as {cheapest}: "
        "weigh that against what it finds."
    )


def _best(comparison: Comparison, task: str) -> tuple[str, Sequence[Run]]:
    name = comparison.ranked(task)[0]
    return name, comparison.of(task, name)


def _by_method(comparison: Comparison, task: str, value: Callable[[Run], float]) -> dict[str, float]:
    return {name: middle([value(run) for run in comparison.of(task, name)]) for name in comparison.ranked(task)}


def _highest(values: dict[str, float]) -> tuple[str, float]:
    known = {name: value for name, value in values.items() if not np.isnan(value)}
    name = max(known, key=lambda one: known[one], default="")
    return name, known.get(name, float("nan"))


def _half(flags: Bools) -> float:
    """After how many fetches half of all that was found had been found; NaN if nothing was."""
    places = np.flatnonzero(flags)
    return float(places[(len(places) - 1) // 2]) + 1 if len(places) else float("nan")


def _truth_and_judge(runs: Sequence[Run]) -> tuple[list[Floats | Bools], list[Floats | Bools]]:
    return [run.found for run in runs], [run.judged for run in runs]


def loss_rate(values: Floats | Bools) -> float:
    """The share of pages lost in a whole run; NaN where nothing was judged."""
    if not len(values) or np.isnan(values).all():
        return float("nan")
    return float(measures.loss(values)[-1]) / len(values)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def found_urls(run: Run) -> set[str]:
    """The relevant pages that a run found."""
    return {url for url, good in zip(run.urls, run.found.tolist(), strict=True) if good}
