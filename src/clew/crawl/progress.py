"""How far a crawl has come: the figures that displays, stopping rules and results share."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

WINDOW = 200
"""Visits in the sliding window of the harvest rate."""


@dataclass(slots=True)
class Progress:
    """Counts of the whole project, and of this run.

    ``fetched`` counts every answer to a request for a page: pages, redirects, failures and tries that will be
    repeated; links that cost nothing (``refused``, ``absent``) are apart. Of ``looks`` at a link just taken,
    ``best_waited`` found a better one whose host could not be visited yet (politeness before order).
    """

    fetched: int = 0
    visits: int = 0
    relevant: int = 0
    irrelevant_run: int = 0
    failed: int = 0
    redirects: int = 0
    refused: int = 0
    absent: int = 0
    robots: int = 0
    bytes: int = 0
    looks: int = 0
    best_waited: int = 0
    fetched_before: int = 0
    started: float = field(default_factory=time.monotonic)
    window: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    best: tuple[tuple[float, str], ...] = ()

    @property
    def harvest_rate(self) -> float:
        """Relevant pages per fetch, over the whole project."""
        return self.relevant / self.fetched if self.fetched else 0.0

    @property
    def window_rate(self) -> float:
        """Relevant pages per fetch, over the last 200."""
        return sum(self.window) / len(self.window) if self.window else 0.0

    @property
    def waited_rate(self) -> float:
        """How often the best link had to wait for its host, in this run."""
        return self.best_waited / self.looks if self.looks else 0.0

    @property
    def fetched_now(self) -> int:
        """Fetches of this run."""
        return self.fetched - self.fetched_before

    @property
    def seconds(self) -> float:
        """Wall-clock seconds of this run."""
        return time.monotonic() - self.started

    @property
    def pages_per_s(self) -> float:
        """Fetches a second in this run."""
        return self.fetched_now / max(self.seconds, 1e-9)

    def count(self, relevant: bool) -> None:
        """One more visit, relevant or not."""
        self.visits += 1
        self.relevant += relevant
        self.irrelevant_run = 0 if relevant else self.irrelevant_run + 1
        self.window.append(relevant)

    def recall(self, flags: Iterable[bool]) -> None:
        """Take up all visits anew, oldest first."""
        self.visits = self.relevant = self.irrelevant_run = 0
        self.window.clear()
        for flag in flags:
            self.count(flag)
