"""What the last run of a crawl used: options of a run may have said other than clew.toml."""

from __future__ import annotations

from math import isnan

from clew.config import Settings
from clew.examples.training import ESTIMATE
from clew.judges.base import Estimate
from clew.store.base import Store
from clew.store.records import RunRecord


def last_run(store: Store, settings: Settings) -> RunRecord:
    """What the last run used; what ``settings`` say where nothing ran yet."""
    last = store.journal.last_run() or RunRecord("", "", "", float("nan"))
    return RunRecord(
        strategy=last.strategy or settings.strategy_name,
        judge=last.judge or settings.judge.name,
        web=last.web or settings.project.web,
        threshold=settings.judge.threshold if isnan(last.threshold) else last.threshold,
    )


def last_estimate(store: Store) -> Estimate | None:
    """What the judge that was adopted last expects of the pages it calls relevant; None where it did not tell."""
    adopted = [row.decision for row in store.journal.decisions() if row.decision.kind == "judge adopted"]
    facts = adopted[-1].facts if adopted else {}
    return Estimate(*(float(facts[name]) for name in ESTIMATE)) if ESTIMATE[0] in facts else None
