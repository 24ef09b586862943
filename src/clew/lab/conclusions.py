"""What to conclude from a comparison: a sentence a task, and one over all tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clew.lab.comparison import BASELINE, Comparison, Spread, listed, short
from clew.lab.differences import LEVEL, Difference, enough, found, over_all, within
from clew.lab.knowledge import told

SMALL = 0.02
"""Of the oracle's area: where one-step sight has less than so much more, it has no more worth telling."""


def conclusion(comparison: Comparison, task: str) -> str:
    """One sentence a task: which method to take, how sure that is, and what is left to gain."""
    ranked = comparison.ranked(task)
    best = comparison.area(task, ranked[0])
    if np.isnan(best.median):
        return "The oracle finds nothing within the budget, so this task cannot tell methods apart."
    if not best.median:
        return (
            "No method found a relevant page within the budget; the seeds lie too far off or the budget is too small."
        )
    tests = within(comparison, task)
    parts = [
        _who(comparison, task, ranked, tests),
        told(comparison, ranked[0], task),
        _against_baseline(comparison, task, ranked, tests),
        _room(comparison, task, best),
    ]
    return "; ".join(part for part in parts if part) + "."


def _who(comparison: Comparison, task: str, ranked: Sequence[str], tests: Sequence[Difference]) -> str:
    best = comparison.area(task, ranked[0])
    figure = f"{short(best.median)} of the oracle's area"
    if best.repeats > 1:
        figure += f" (median of {best.repeats}, {short(best.low)} to {short(best.high)})"
    twins = _twins(comparison, ranked, task)
    others = [name for name in ranked[1:] if name not in twins]
    alike = ", which had the same figures in every run" if twins else ""
    take = f"Take {' or '.join([ranked[0], *twins])}{alike}: {figure}"
    ahead = f"{_some([ranked[0], *twins])}{alike + ',' if alike else ''} {'are' if twins else 'is'} ahead with {figure}"
    if not others:
        return take
    if best.repeats < 2:
        gaps = {name: best.median - comparison.area(task, name).median for name in others}
        equals = [name for name, gap in gaps.items() if gap < LEVEL]
        if not equals:
            return f"{take}, {short(gaps[others[0]])} before {others[0]} in one run each"
        return f"{ahead}, but cannot be told apart from {_some(equals)}"
    equals = [name for name in others if not _is_real(tests, ranked[0], name)]
    if not equals:
        return f"{take}, clear of the others"
    return f"{ahead}, but cannot be told apart from {_some(equals)}{_why(tests, ranked[0], twins)}"


def _some(names: Sequence[str]) -> str:
    """Names, the first few of many."""
    return listed([*names[:2], f"{len(names) - 2} more"] if len(names) > 3 else names)


def _why(tests: Sequence[Difference], best: str, twins: Sequence[str]) -> str:
    """Why no test could tell the best from others than its twins, where that is so."""
    pairs = [{test.one, test.other} for test in tests]
    own = [test for test, pair in zip(tests, pairs, strict=True) if best in pair and not pair & set(twins)]
    if all(np.isnan(test.p) for test in own):
        return " (all repeats gave the same figures, so nothing can be tested)"
    n, need = max(test.n for test in own), enough(len(tests))
    if n < need:
        return f" ({n} repeats are too few for {_counted(len(tests))}, {need} can do it)"
    return ""


def _is_real(tests: Sequence[Difference], one: str, other: str) -> bool:
    test = found(tests, one, other)
    return test is not None and test.is_real


def _against_baseline(comparison: Comparison, task: str, ranked: Sequence[str], tests: Sequence[Difference]) -> str:
    base = next((name for name in ranked if name.split(" / ")[0] == BASELINE), None)
    if base is None:
        return ""
    if base == ranked[0]:
        return "no focus pays here, as nothing does better than breadth-first"
    best, plain = comparison.area(task, ranked[0]), comparison.area(task, base)
    if best.median - plain.median < LEVEL:
        return "focus hardly pays here, as breadth-first does as well"
    if min(best.repeats, plain.repeats) > 1 and not _is_real(tests, ranked[0], base):
        return f"its lead over breadth-first ({short(plain.median)}) may be chance"
    return (
        f"that is {best.median / plain.median:.1f} times breadth-first's {short(plain.median)}" if plain.median else ""
    )


def _room(comparison: Comparison, task: str, best: Spread) -> str:
    """What those reach who know more: one-step sight, which is no bound, and the upper bound, which is."""
    sight, bound = comparison.sight(task), comparison.limit(comparison.bound, task)
    room, says = sight - best.median, []
    if room >= SMALL:
        says.append(f"one-step sight, which knows the truth of each link but plans nothing, has {short(room)} more")
    elif not np.isnan(sight):
        says.append(
            f"one-step sight has no more ({short(sight)}), so look to planning over several links, not to better scores"
        )
    if not np.isnan(bound):
        says.append(f"no crawl that only follows links from the start pages can pass {short(bound)}")
    return "; ".join(says)


def verdict(comparison: Comparison) -> str:
    """The sentence over all tasks, and another one where the best asked who links to a page."""
    best, tasks = [comparison.methods[0], *_twins(comparison, comparison.methods)], comparison.tasks
    mean = short(comparison.mean(best[0]))
    names = f"{_some(best)}, which had the same figures in every run," if len(best) > 1 else best[0]
    asked = told(comparison, best[0])
    after = f" {asked[0].upper()}{asked[1:]}." if asked else ""
    if len(tasks) == 1:
        lead = _lead(comparison, best)
        return f"{names} did best on the one task compared, with {mean} of the oracle's area{lead}.{after}"
    wins = sum(comparison.ranked(task)[0] in best for task in tasks)
    return (
        f"{names} did best over all: {mean} of the oracle's area in the mean, and first on {wins} of "
        f"{len(tasks)} tasks{_lead(comparison, best)}.{after}"
    )


def _twins(comparison: Comparison, ranked: Sequence[str], task: str = "") -> list[str]:
    """Methods that had the figures of the first of some in every run, of one task or of all."""
    each = [{key: value for key, value in comparison.values[name].items() if task in {"", key[0]}} for name in ranked]
    return [name for name, own in zip(ranked[1:], each[1:], strict=True) if _alike(own, each[0])]


def _alike(one: Mapping[tuple[str, int], float], other: Mapping[tuple[str, int], float]) -> bool:
    return one.keys() == other.keys() and np.array_equal([*one.values()], [other[key] for key in one], equal_nan=True)


def _lead(comparison: Comparison, best: Sequence[str]) -> str:
    """Whether the lead over those who come next is real: on the webs at hand, and on others of their kind."""
    second = next((name for name in comparison.methods if name not in best), None)
    if second is None:
        return ""
    lead = f"{'its' if len(best) < 2 else 'their'} lead over {second} ({short(comparison.mean(second))})"
    says = []
    for tests in over_all(comparison):
        test = found(tests, best[0], second)
        if test is not None and test.n > 1:
            says.append(_said(test, len(tests), "on these webs" if test.units == "repeats" else "over webs"))
    if not says:
        return "" if len(comparison.tasks) == 1 else f"; one web without repeats cannot say whether {lead} is real"
    return f"; {lead} is {', and '.join(says)}"


def _said(test: Difference, pairs: int, where: str) -> str:
    if np.isnan(test.p):
        return f"untested {where} (all {test.n} {test.units} gave the same difference, {short(test.difference)})"
    if test.is_real:
        return f"real {where} ({test.n} {test.units}, p = {test.corrected:.3f})"
    if test.n < enough(pairs):
        return f"untested {where} ({test.n} {test.units} are too few for {_counted(pairs)}, {enough(pairs)} can do it)"
    return f"within chance {where} ({test.n} {test.units}, p = {test.corrected:.3f})"


def _counted(pairs: int) -> str:
    return "one pair" if pairs == 1 else f"{pairs} pairs"
