"""Which methods of a comparison asked who links to a page, how often, and what they do without: an index of the whole
web, which is what the lab answers from, is something that a live crawl seldom has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.lab.asking import CHARGED, NONE
from clew.lab.comparison import Comparison, method, short
from clew.lab.results import Run

NOTE = (
    "Asked: so often a method asked who links to a page, and had its answer from an index of the whole web, which a "
    "live crawl seldom has. NAME(backlinks=none) is the same strategy without."
)


def anybody_asked(comparison: Comparison) -> bool:
    """Whether any run asked."""
    return any(run.asked for run in comparison.runs)


def questions(runs: Sequence[Run]) -> str:
    """How often a method asked on a task, the median of its repeats, and what that cost: "142 free"; "none" where
    nobody answered, nothing where it did not ask."""
    if any(run.asked for run in runs):
        return f"{np.median([run.asked for run in runs]):.0f} {runs[0].backlinks}"
    return NONE if runs and all(run.backlinks == NONE for run in runs) else ""


def most_asked(comparison: Comparison, name: str, task: str = "") -> int:
    """The most questions of a run of a method; of all tasks without one."""
    return max((run.asked for run in _of(comparison, name, task)), default=0)


def without(comparison: Comparison, name: str) -> str:
    """The method that is the same but for answers; empty where none was run."""
    own = _of(comparison, name)[0]
    same = (own.strategy_settings, own.judge_settings, own.judge)
    found = (
        method(run)
        for run in comparison.runs
        if run.backlinks == NONE and (run.strategy_settings, run.judge_settings, run.judge) == same
    )
    return next(found, "")


def told(comparison: Comparison, name: str, task: str = "") -> str:
    """That a method asked, and what it has without: a clause, empty where it did not ask."""
    most, other = most_asked(comparison, name, task), without(comparison, name)
    if not most:
        return ""
    cost = "a fetch each" if _of(comparison, name, task)[0].backlinks == CHARGED else "for nothing"
    says = f"it asked who links to a page, up to {most:,} times {cost}, which a live crawl can seldom do"
    value = comparison.area(task, other).median if task else comparison.mean(other) if other else np.nan
    return f"{says}; without answers it has {short(value)}" if other and not np.isnan(value) else says


def _of(comparison: Comparison, name: str, task: str = "") -> list[Run]:
    return [run for run in comparison.runs if method(run) == name and task in {"", run.task}]
