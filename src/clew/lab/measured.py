"""What is measured of a run, with the words that say how to read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.lab.comparison import Comparison
from clew.lab.measures import prediction_accuracy, recall_at
from clew.lab.results import Run


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of runs. ``better``: "more", "less", or "" where neither is; ``says``: what it is, and how to read
    it."""

    name: str
    title: str
    better: str
    of: Callable[[Comparison, Run], float]
    says: str


MEASURES = (
    Measure(
        "area_over_oracle", "area over the oracle's", "more", lambda all_, run: all_.value(run),
        "The mean of the found-curve over the budget, as a share of the greedy oracle's, which knows all links and the "
        "truth. 1 is as good as that; a method may pass it.",
    ),
    Measure(
        "area_over_bound", "area over the upper bound's", "more", lambda all_, run: all_.over_bound(run),
        "The same as a share of the upper bound's, which no crawl that follows links can pass.",
    ),
    Measure(
        "recall_at_25", "recall at 25 % of the budget", "more", lambda _, run: _recalls(run)[0],
        "The share of the relevant pages within reach that was found within a quarter of the budget. Where it is near "
        "the recall of the whole budget, the rest was wasted.",
    ),
    Measure(
        "recall_at_50", "recall at 50 % of the budget", "more", lambda _, run: _recalls(run)[1],
        "The share of the relevant pages within reach that was found within half of the budget.",
    ),
    Measure(
        "recall", "recall", "more", lambda _, run: _recalls(run)[2],
        "The share of the relevant pages within reach of the seeds that was found within the budget.",
    ),
    Measure(
        "harvest_rate", "harvest rate", "more",
        lambda _, run: float(run.found.mean()) if run.fetched else np.nan,
        "The share of all fetches that brought a relevant page, by the truth.",
    ),
    Measure(
        "auc", "what link scores foretold (AUC)", "more", lambda _, run: _auc(run),
        "The chance that the link of a relevant page scored above that of another one; .5 says nothing. Each method is "
        "measured on the links it took, so compare with .5 first.",
    ),
    Measure(
        "precision", "precision of the judge", "more", lambda _, run: run.precision,
        "Of the pages that the judge called relevant in the end, the share that is so.",
    ),
    Measure(
        "recall_of_called", "recall of the judge", "more", lambda _, run: run.recall_of_called,
        "Of the relevant pages that were fetched, the share that the judge called relevant.",
    ),
    Measure(
        "found", "relevant pages found", "more", lambda _, run: int(run.found.sum()),
        "Pages that are relevant by the truth. Seeds and examples do not count.",
    ),
    Measure(
        "fetched", "pages fetched", "", lambda _, run: run.fetched,
        "Fetches of the ledger: pages, redirects and failures. Fewer than the budget: nothing was left to fetch.",
    ),
    Measure(
        "asked", "questions who links to a page", "less", lambda _, run: run.asked,
        "What the method asked of those who know back links, which the lab answers and few live crawls can.",
    ),
    Measure(
        "cpu_ms_per_page", "CPU milliseconds a page", "less", lambda _, run: run.cpu_ms_per_page,
        "CPU time of the whole run but for reading pages. Compare only runs of one machine that had nothing else to "
        "do.",
    ),
)  # fmt: skip
"""What is measured of each run, in the order in which it is shown."""


def _recalls(run: Run) -> Sequence[float]:
    return recall_at(run.found, run.reachable, run.budget, (0.25, 0.5, 1.0))


def _auc(run: Run) -> float:
    return prediction_accuracy(run.predicted, run.found).auc
