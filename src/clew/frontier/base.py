"""The Frontier contract: the best link that may be fetched now.

A URL known to the frontier is in one of these states:

* **waiting**: it has a score and may be leased;
* **parked**: its score is NaN (*do not follow*); only a rescore or a better link brings it back;
* **leased**: handed out, its host is busy;
* **done**: fetched, failed for good, refused or absent; it is never handed out again.

Invariants: each key has one state; at most one lease a host; ``lease`` gives the highest score among the
hosts that are not busy and whose ``ready_at`` has come, ties broken by the order of first sight.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from clew.model import Doubles, Keys


@dataclass(slots=True)
class Lease:
    """A link handed out. ``row`` and ``index`` say where its URL and evidence lie: the packed row of visit
    ``row`` (0: the seeds), place ``index``. ``slot`` is the frontier's own handle; ``host`` its host id."""

    slot: int
    key: int
    host: int
    row: int
    index: int
    score: float


class Frontier(Protocol):
    """Waiting links, best first, among the hosts that may be visited now."""

    def add(
        self,
        keys: Keys,
        hosts: npt.NDArray[np.uint32],
        scores: Doubles,
        row: int,
        indices: npt.NDArray[np.int32] | None = None,
    ) -> int:
        """Add the links of packed row ``row``; returns how many keys were new.

        ``indices`` are their places in the row (default 0 .. n-1). A known waiting or parked key is combined
        with the new score by the frontier's rule: "best" keeps the better link and its place, "first" keeps
        the first, "mean" averages the scores seen (place of the best). Done and leased keys ignore it.
        """
        ...

    def lease(self, now: float) -> Lease | None:
        """The best link whose host may be visited at ``now``, or None."""
        ...

    def done(self, lease: Lease, ready_at: float = 0.0) -> None:
        """The URL needs no more fetching; its host may be visited again at ``ready_at``."""
        ...

    def retry(self, lease: Lease, ready_at: float) -> None:
        """Put the link back with its score; its host may be visited again at ``ready_at``."""
        ...

    def finish(self, keys: Keys) -> None:
        """Mark keys as done without leasing them (used when the frontier is rebuilt). Unknown keys become known."""
        ...

    def hold(self, host: int, ready_at: float) -> None:
        """The host may not be visited before ``ready_at``."""
        ...

    def rescore(self, rows: Iterable[tuple[int, Keys, Doubles]]) -> int:
        """Forget the scores of all waiting and parked links and give them those of ``rows``: (row, keys, scores)
        of every packed row in order, combined by the frontier's rule just as ``add`` would (places follow).
        The order of first sight stays. Links that no row names are parked. Returns how many got a score.
        After it, the frontier equals one rebuilt by adding the same rows and finishing the same keys."""
        ...

    def next_ready(self) -> float | None:
        """The earliest time at which a waiting link may be leased; None when nothing waits on any free host."""
        ...

    def known(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """bool[n]: which keys the frontier has ever seen."""
        ...

    def best(self, n: int) -> list[Lease]:
        """The n best waiting links whatever their hosts' state, without leasing them (for display; may be slow)."""
        ...

    def __len__(self) -> int:
        """How many links wait (parked and leased ones do not count)."""
        ...

    @property
    def parked(self) -> int: ...

    @property
    def hosts_waiting(self) -> int:
        """Hosts with waiting links."""
        ...

    @property
    def hosts_busy(self) -> int:
        """Hosts with a link leased."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        ...
