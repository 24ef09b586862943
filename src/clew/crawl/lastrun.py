"""What the last run of a crawl used: options of a run may have said other than clew.toml."""

from __future__ import annotations

from math import isnan

from clew.config import Settings
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
