"""The Frontier contract: the best link that may be fetched now.

A URL known to the frontier is in one of these states:

* **waiting**: it has a score and may be leased;
* **parked**: its score is NaN (*do not follow*); only a rescore or a better link brings it back;
* **leased**: handed out, its host is busy;
* **postponed**: it waits for a time of its own, its host does not;
* **done**: fetched, failed for good, refused or absent; it is never handed out again.

A link's priority is its tier and its score. Tier 0 is the normal one: the highest score first, ties in the order of
first sight. Links of the tiers 1 to 3 come before all of lower tiers, within a tier in the order of first sight
whatever their scores, which they keep: that is for links that come first for another reason than their score.

Invariants: each key has one state; at most one lease a host; ``lease`` gives the first link by this order among the
hosts that are not busy and whose ``ready_at`` has come, postponed ones excepted. A frontier that is made to wait
(``frontier.resting.Waits``) gives none while enough hosts which are free again soon have links of higher scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from clew.model import Doubles, Floats, Ints, Keys

ScoredRow = tuple[int, Keys, Doubles, int]
"""Number of a packed row, keys of its links, their scores, and the tier they are all in."""


Sums = npt.NDArray[Any]
"""What is added up for URLs: structured[n], with the fields that a ``Combination`` names."""


class Combination(Protocol):
    """How all links to a URL make its score. For every URL is kept how many links (with a score) lead to it, the best
    of their scores, and sums of what they add: at most 16 bytes in all.

    A sum of integers is the same in whatever order links come, so that a frontier which is rebuilt equals the one
    before.
    """

    fields: np.dtype[Any]
    """The sums, by name: a structured type of at most 8 bytes."""

    def added(self, rows: Ints, scores: Floats) -> Sums:
        """What links of these packed rows add now: structured[n] from row numbers int32[n], or int32[1] where all are
        of one row, and scores float32[n]."""
        ...

    def combined(
        self, links: npt.NDArray[np.uint32], best: Floats, sums: Sums, hosts: npt.NDArray[np.uint32]
    ) -> Doubles:
        """The score of URLs, float64[n]: of the number of links uint32[n], the best score of any, the sums, and the ids
        of the URLs' hosts."""
        ...

    def grown(self) -> list[tuple[int, Sums]]:
        """The packed rows whose links add more than they did, or less, and by how much (structured, no axis): those
        since the last call."""
        ...

    def stale(self) -> bool:
        """Whether ``combined`` was changed for all URLs since the last call."""
        ...


@dataclass(slots=True)
class Lease:
    """A link handed out. ``row`` and ``index`` say where its URL and evidence lie: the packed row of visit
    ``row`` (0: the seeds), place ``index``. ``slot`` is the frontier's own handle; ``host`` its host id.

    ``evidence``: number of links to the URL, best of their scores, and the sums of a ``Combination`` (without one: ());
    ``oldest``: it was not taken for its score.
    """

    slot: int
    key: int
    host: int
    row: int
    index: int
    score: float
    tier: int = 0
    evidence: tuple[float, ...] = ()
    oldest: bool = False

    @property
    def priority(self) -> tuple[int, float]:
        """Higher is sooner, but for first sight and for hosts that are busy or rest."""
        return self.tier, 0.0 if self.tier else self.score


State = Literal["waiting", "parked", "leased", "postponed", "done"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a frontier knows of a URL: its state, and its link as a lease would tell it. Of one that is done the score
    may be an old one."""

    state: State
    link: Lease


@dataclass(frozen=True, slots=True, eq=False)
class HostColumns:
    """The hosts on which links wait or are leased, by their ids.

    hosts uint32[n] · waiting int64[n] (links, those that are postponed too) · busy bool[n] · ready_at float64[n] (they
    may not be visited before).
    """

    hosts: npt.NDArray[np.uint32]
    waiting: npt.NDArray[np.int64]
    busy: npt.NDArray[np.bool_]
    ready_at: Doubles


class Frontier(Protocol):
    """Waiting links, best first, among the hosts that may be visited now."""

    def add(
        self,
        keys: Keys,
        hosts: npt.NDArray[np.uint32],
        scores: Doubles,
        row: int,
        indices: npt.NDArray[np.int32] | None = None,
        tier: int = 0,
    ) -> int:
        """Add the links of packed row ``row``, all in one tier (0 to 3); returns how many keys were new.

        ``indices`` are their places in the row (default 0 .. n-1). A known waiting or parked key is combined
        with the new link: the higher tier counts, whatever the frontier's rule, and in one tier the rule says which
        link gives score and place. "best": the one of the higher priority; "first": the first; "mean" averages the
        scores seen in all tiers (place of the best); a ``Combination`` scores all of them (place of the best). A link
        with the score NaN counts for nothing; done and leased keys ignore all.
        """
        ...

    def grow(self, row: int, keys: Keys, scores: Doubles, more: Sums) -> None:
        """Each link of a row that was added before adds so much more to the sums of its URL, those with the score NaN
        excepted; ``keys`` and ``scores`` are those of the whole row, ``more`` has no axis. URLs that wait are scored
        again. Raises ValueError where nothing is added up (the rules "best" and "first")."""
        ...

    def rank(self) -> None:
        """Score all URLs again by what is added up for them: the ``Combination`` changed."""
        ...

    def promote(self, row: int, keys: Keys, scores: Doubles, tier: int) -> None:
        """The links of a row that was added before are in this tier from now on, those with the score NaN excepted;
        ``keys`` and ``scores`` are those of the whole row.

        It is as if the row had been added in this tier at first: keys that wait in a lower tier are raised, and their
        place is in this row. Scores are not averaged again. Leased keys stay as they are.
        """
        ...

    def lease(self, now: float) -> Lease | None:
        """The best link whose host may be visited at ``now``, or None, also where a better one is waited for."""
        ...

    def lease_oldest(self, now: float) -> Lease | None:
        """Of the links that wait, the one whose URL was seen first, whatever its score and tier; None when the hosts of
        the oldest ones (some hundreds) may not be visited at ``now``."""
        ...

    def done(self, lease: Lease, ready_at: float = 0.0) -> None:
        """The URL needs no more fetching; its host may be visited again at ``ready_at``."""
        ...

    def retry(self, lease: Lease, ready_at: float) -> None:
        """Put the link back with its score; its host may be visited again at ``ready_at``."""
        ...

    def postpone(self, lease: Lease, ready_at: float, again_at: float) -> None:
        """``retry`` for a link that is itself not to be leased before ``again_at``, while others of its host may be
        from ``ready_at`` on.

        Until then it counts as waiting, but is not among the ``best``, on no host that waits, and keeps tier, score
        and place, whatever other links to it come; a rescore gives it new ones.
        """
        ...

    def recall(self, leases: Iterable[Lease], when: float) -> None:
        """Links that were postponed for longer, by these leases, may be leased from ``when`` on."""
        ...

    def finish(self, keys: Keys) -> None:
        """Mark keys as done without leasing them (used when the frontier is rebuilt). Unknown keys become known."""
        ...

    def reopen(self, key: int, host: int) -> None:
        """A key that is done is parked, as one of which nothing but its first sight and its host is known; the next
        link to it lets it wait. Others stay as they are."""
        ...

    def park(self, hosts: npt.NDArray[np.uint32]) -> int:
        """All links that wait or are postponed on these hosts are parked, and all links to their URLs forgotten, until
        a better link or a rescore; returns how many they were."""
        ...

    def look_up(self, key: int) -> Standing | None:
        """What is known of a URL; None when it was never seen."""
        ...

    def waiting_scores(self) -> tuple[Floats, npt.NDArray[np.uint8]]:
        """Score, float32[n], and tier, uint8[n], of every link that waits; those that are postponed excepted."""
        ...

    def hosts(self) -> HostColumns:
        """The hosts on which links wait or are leased (for display; looks at every host)."""
        ...

    def hold(self, host: int, ready_at: float) -> None:
        """The host may not be visited before ``ready_at``."""
        ...

    def rescore(self, rows: Iterable[ScoredRow]) -> int:
        """Forget the scores and tiers of all waiting and parked links and give them those of ``rows``: every packed
        row in order, combined by the frontier's rule just as ``add`` would (places follow).
        The order of first sight stays. Links that no row names are parked. Returns how many got a score.
        After it, the frontier equals one rebuilt by adding the same rows and finishing the same keys."""
        ...

    def next_ready(self) -> float | None:
        """The earliest time at which a waiting link may be leased, or at which a postponed one is no longer; None when
        none is postponed and nothing waits on any free host."""
        ...

    def known(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """bool[n]: which keys the frontier has ever seen."""
        ...

    def best(self, n: int) -> list[Lease]:
        """The n best waiting links whatever their hosts' state, without leasing them (for display; may be slow)."""
        ...

    def __len__(self) -> int:
        """How many links wait or are postponed (parked and leased ones do not count)."""
        ...

    def waiting_on(self, host: int) -> int:
        """How many of them are on one host."""
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
