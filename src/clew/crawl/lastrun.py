"""What the last run of a crawl used: options of a run may have said other than clew.toml."""

from __future__ import annotations

from math import isnan

from clew.config import Settings
from clew.examples.training import ESTIMATE
from clew.judges.base import Estimate
from clew.store.base import Store
from clew.store.records import RunRecord

WHY = {
    "frontier": "no link is left to follow",
    "outage": "nothing answers any more (politeness.longest_outage_s)",
    "max_pages": "the budget of pages is spent",
    "for": "the time is up",
    "interrupted": "you stopped it",
}
"""Why a run ended, but for the rules of clew.toml."""


def last_run(store: Store, settings: Settings) -> RunRecord:
    """What the last run used; what ``settings`` say where nothing ran yet."""
    last = store.journal.last_run() or RunRecord("", "", "", float("nan"))
    return RunRecord(
        strategy=last.strategy or settings.strategy_name,
        judge=last.judge or settings.judge.name,
        web=last.web or settings.project.web,
        threshold=settings.judge.threshold if isnan(last.threshold) else last.threshold,
    )


def why_stopped(rule: str) -> str:
    """Why a run ended, in words; ``rule`` is the name that the crawl gives for it, "" where it gave none."""
    if not rule:
        return "it ended without a word: it was killed, or the machine went down; nothing that was stored is lost"
    return WHY.get(rule, f"the rule stop.{rule} of clew.toml says so")


def last_estimate(store: Store) -> Estimate | None:
    """What the judge that was adopted last expects of the pages it calls relevant; None where it did not tell."""
    adopted = [row.decision for row in store.journal.decisions() if row.decision.kind == "judge adopted"]
    facts = adopted[-1].facts if adopted else {}
    return Estimate(*(float(facts[name]) for name in ESTIMATE)) if ESTIMATE[0] in facts else None
