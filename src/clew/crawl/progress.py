"""How far a crawl has come: the figures that displays, stopping rules and results share."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

WINDOW = 200
"""Visits in the sliding window of the harvest rate."""

RECENT_S = 30.0
"""Seconds in the sliding window of the speed."""


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
    paused_at: float | None = None
    paused_s: float = 0.0
    samples: deque[tuple[float, int]] = field(default_factory=deque)

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
        """Wall-clock seconds of this run, without those in which it was paused."""
        return (time.monotonic() if self.paused_at is None else self.paused_at) - self.started - self.paused_s

    @property
    def paused(self) -> bool:
        """Whether a user lets the crawl stand still."""
        return self.paused_at is not None

    @property
    def whole_pause_s(self) -> float:
        """Seconds of this run in which it was paused, up to now."""
        return self.paused_s + (time.monotonic() - self.paused_at if self.paused_at is not None else 0.0)

    def pause(self) -> None:
        """Time stops counting."""
        if self.paused_at is None:
            self.paused_at = time.monotonic()

    def resume(self) -> None:
        """Time counts again."""
        if self.paused_at is not None:
            self.paused_s += time.monotonic() - self.paused_at
            self.paused_at = None

    def sample(self) -> None:
        """Note how far the crawl is, for ``recent_pages_per_s``; to be called a few times a second."""
        if self.paused:
            return
        seconds, samples = self.seconds, self.samples
        samples.append((seconds, self.fetched))
        while samples[0][0] < seconds - RECENT_S:
            samples.popleft()

    @property
    def recent_pages_per_s(self) -> float:
        """Fetches a second in the last 30 seconds of this run, or in as many as there are; pauses do not count."""
        seconds, fetched = self.samples[0] if self.samples else (0.0, self.fetched_before)
        return (self.fetched - fetched) / max(self.seconds - seconds, 1e-9) if self.fetched > fetched else 0.0

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
