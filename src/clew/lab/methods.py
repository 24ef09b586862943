"""The paragraph on methods that a report of a study needs, made from what the runs recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from clew.errors import ClewError
from clew.judges.registry import JUDGES
from clew.lab.asking import CHARGED, FREE, NONE
from clew.lab.comparison import Comparison, listed
from clew.lab.differences import ALPHA, LEVEL, overall
from clew.lab.results import Run
from clew.lab.variants import Variant, full_settings
from clew.registry import Registry
from clew.strategies.registry import STRATEGIES
from clew.text.shown import shown
from clew.words import many

QUESTIONS = {
    FREE: "Who links to a page could be asked for nothing",
    CHARGED: "Each question who links to a page cost a fetch",
    NONE: "Nobody answered who links to a page",
}


def methods(comparison: Comparison) -> str:
    """What was compared, on what, how often, and how it was tested: plain text, a sentence after another."""
    parts = [
        _compared("strategy", "strategies", comparison.runs, STRATEGIES),
        _compared("judge", "judges", comparison.runs, JUDGES),
        "Other settings were the defaults.",
        *(_task(comparison, task) for task in comparison.tasks),
        _repeats(comparison),
        "Every page, redirect and failed request counted as a fetch; requests for robots.txt did not.",
        *_ledgers(comparison.runs),
        "A page counted as found once, if it is relevant by the truth of the task and neither a start page nor an "
        "example. Methods are compared by the area under the found-curve over the whole budget, divided by that of a "
        "greedy oracle that knows all links and all relevant pages and fetches the nearest one next.",
        _tests(comparison),
        _versions(comparison.runs),
    ]
    return " ".join(part for part in parts if part)


def _compared(kind: str, kinds: str, runs: Sequence[Run], registry: Registry[Any]) -> str:
    """The strategies or judges, and on which settings they differ from the defaults."""
    told = {getattr(run, kind): getattr(run, f"{kind}_settings") for run in runs if getattr(run, kind)}
    if not told:
        return ""
    names = [shown(name) + _set(settings, registry) for name, settings in told.items()]
    head = f"The {kind} was" if len(names) == 1 else f"{len(names)} {kinds} were compared:"
    return f"{head} {listed(names)}."


def _set(settings: str, registry: Registry[Any]) -> str:
    """In brackets: what the part is, and its settings that are not the defaults."""
    values: dict[str, Any] = json.loads(settings)
    part = values.pop("name", "")
    usual = _usual(part, registry)
    other = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()
             if usual is None or usual.get(name) != value]  # fmt: skip
    return f" [{', '.join([f'Clew’s {part}', *map(shown, other)])}]" if part and other else ""


@cache
def _usual(part: str, registry: Registry[Any]) -> dict[str, Any] | None:
    """The settings that a part has by default; None where its class is not here."""
    try:
        usual: dict[str, Any] = json.loads(full_settings(Variant(part, part), registry))
    except ClewError:
        return None
    return usual


def _task(comparison: Comparison, task: str) -> str:
    first, *_ = comparison.of(task)
    web = f"a simulated web ({first.web})" if first.web.startswith("sim:") else "a collected web"
    given = [many(first.starts, "start page")]
    given += [many(first.positive, "relevant example")] if first.positive or not first.keywords else []
    given += [many(first.negative, "irrelevant example")] if first.negative else []
    given += [many(first.keywords, "keyword")] if first.keywords else []
    told = f", {listed(given)}" if first.starts else ""  # earlier versions did not keep that
    return (
        f"Task {shown(task)}: {shown(web)}, {first.budget:,} fetches{told}; {comparison.reachable(task)} relevant "
        "pages could be reached over links."
    )


def _repeats(comparison: Comparison) -> str:
    runs = comparison.runs
    repeats = 1 + max(run.repeat for run in runs)
    seeds = f"with seeds {min(run.seed for run in runs)} to {max(run.seed for run in runs)}"
    if repeats == 1:
        return f"Each method ran once on each task, with seed {runs[0].seed}."
    if not any(run.drawn for run in runs):
        return f"Each method ran {repeats} times on each task, {seeds} of the crawl; start pages and examples stayed."
    return (
        f"Each method ran {repeats} times on each task, {seeds}: first as the task is written, then with other start "
        "pages and examples, drawn at random from pages alike in label, group and distance, on simulated webs with "
        "another web; all methods had the same draws."
    )


def _ledgers(runs: Sequence[Run]) -> Iterable[str]:
    real = [run for run in runs if not run.web.startswith("sim:")]
    closed, opened = (_distinct(run.task for run in real if run.closed is which) for which in (True, False))
    if closed and opened:
        yield f"Links to pages that a web lacks cost nothing on {listed(closed)}, and a fetch each on {listed(opened)}."
    elif real:
        yield f"Links to pages that a web lacks cost {'nothing' if closed else 'a fetch each'}."
    asking = [run for run in runs if run.asked or run.backlinks == NONE]
    for how in _distinct(run.backlinks for run in asking):
        names = _distinct(shown(run.strategy) for run in asking if run.backlinks == how)
        most = max(run.asked for run in asking if run.backlinks == how)
        often = f": up to {most:,} questions a run" if most else ""
        yield f"{QUESTIONS.get(how, QUESTIONS[FREE])} ({listed(names)}{often})."


def _tests(comparison: Comparison) -> str:
    tests = overall(comparison)
    if not tests:
        return ""
    return (
        f"Differences were tested over {tests[0].n} {tests[0].units} by the two-sided sign-flip test "
        f"({'exact' if all(test.exact for test in tests) else 'by sampling'}), p values corrected for "
        f"{many(len(tests), 'pair')} by Holm's method; two methods were told apart where p was below {ALPHA:g} and the "
        f"median difference at least {LEVEL:g}."
    )


def _versions(runs: Sequence[Run]) -> str:
    versions = _distinct(run.version for run in runs if run.version)
    return f"All runs were made with Clew {listed(versions)}." if versions else ""


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
