"""What to conclude from a comparison: a sentence a task, and one over all tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.lab.comparison import BASELINE, Comparison, Spread, listed, short
from clew.lab.differences import LEVEL, Difference, enough, found, over_all, within


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
        _against_baseline(comparison, task, ranked, tests),
        _room(comparison, task, best),
    ]
    return "; ".join(part for part in parts if part) + "."


def _who(comparison: Comparison, task: str, ranked: Sequence[str], tests: Sequence[Difference]) -> str:
    best = comparison.area(task, ranked[0])
    figure = f"{short(best.median)} of the oracle's area"
    if best.repeats > 1:
        figure += f" (median of {best.repeats}, {short(best.low)} to {short(best.high)})"
    if len(ranked) < 2:
        return f"Take {ranked[0]}: {figure}"
    if best.repeats < 2:
        return _by_one_run(comparison, task, ranked, figure)
    equals = [name for name in ranked[1:] if not _is_real(tests, ranked[0], name)]
    if not equals:
        return f"Take {ranked[0]}: {figure}, clear of the others"
    return f"{ranked[0]} is ahead with {figure}, but cannot be told apart from {_some(equals)}{_why(tests, ranked[0])}"


def _by_one_run(comparison: Comparison, task: str, ranked: Sequence[str], figure: str) -> str:
    best, *others = (comparison.area(task, name).median for name in ranked)
    equals = [name for name, other in zip(ranked[1:], others, strict=True) if best - other < LEVEL]
    if equals:
        return f"{ranked[0]} is ahead with {figure}, but cannot be told apart from {_some(equals)}"
    return f"Take {ranked[0]}: {figure}, {short(best - others[0])} before {ranked[1]} in one run each"


def _some(names: Sequence[str]) -> str:
    """Names, the first few of many."""
    return listed([*names[:2], f"{len(names) - 2} more"] if len(names) > 3 else names)


def _why(tests: Sequence[Difference], best: str) -> str:
    """Why no test could tell methods apart, where that is so."""
    own = [test for test in tests if best in (test.one, test.other)]
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
    sight = comparison.sight(task)
    if np.isnan(sight):
        return ""
    room = sight - best.median
    if room < 0.02:
        return f"perfect one-step sight ({short(sight)}) would do no better, so only planning over several links can"
    return f"perfect one-step sight would reach {short(sight)}, so better link scores can still gain {short(room)}"


def verdict(comparison: Comparison) -> str:
    """The sentence over all tasks."""
    best, tasks = comparison.methods[0], comparison.tasks
    mean = comparison.mean(best)
    if len(tasks) == 1:
        return f"{best} did best on the one task compared, with {short(mean)} of the oracle's area{_lead(comparison)}."
    wins = sum(comparison.ranked(task)[0] == best for task in tasks)
    return (
        f"{best} did best over all: {short(mean)} of the oracle's area in the mean, and first on {wins} of "
        f"{len(tasks)} tasks{_lead(comparison)}."
    )


def _lead(comparison: Comparison) -> str:
    """Whether the lead over the second is real: on the webs at hand, and on others of their kind."""
    if len(comparison.methods) < 2:
        return ""
    best, second = comparison.methods[:2]
    lead = f"its lead over {second} ({short(comparison.mean(second))})"
    says = []
    for tests in over_all(comparison):
        test = found(tests, best, second)
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
