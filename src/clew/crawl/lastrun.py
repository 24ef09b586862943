"""What the last run of a crawl used: options of a run may have said other than clew.toml."""

from __future__ import annotations

from dataclasses import dataclass

from clew.config import Settings
from clew.crawl.sessions import RUNNING
from clew.store.base import Store

JUDGE, WEB, THRESHOLD = "running judge", "running web", "running threshold"
"""Names of saved states; the strategy's is ``sessions.RUNNING``."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """The names of strategy and judge, the web as users write it, and from which relevance on a page was relevant."""

    strategy: str
    judge: str
    web: str
    threshold: float


def remember(store: Store, judge: str, web: str, threshold: float) -> None:
    """Note what this run uses; the sessions note the strategy."""
    for name, value in ((JUDGE, judge), (WEB, web), (THRESHOLD, repr(threshold))):
        store.journal.save(name, store.visits.next_number - 1, value.encode())


def last_run(store: Store, settings: Settings) -> LastRun:
    """What the last run used; what ``settings`` say where nothing ran yet."""

    def last(name: str, otherwise: str) -> str:
        found = store.journal.saved(name)
        return otherwise if found is None else found.state.decode()

    return LastRun(
        strategy=last(RUNNING, str(settings.strategy.get("name", "best-first"))),
        judge=last(JUDGE, settings.judge.name),
        web=last(WEB, settings.project.web),
        threshold=float(last(THRESHOLD, repr(settings.judge.threshold))),
    )
