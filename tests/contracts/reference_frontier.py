"""A frontier that is plainly right and slow: dictionaries and a linear scan."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from clew.frontier.base import Combination, HostColumns, Lease, Standing, State
from clew.frontier.duplicates import Mean
from clew.frontier.resting import Waits

LARGEST = float(np.finfo(np.float32).max)


def stored(score: float) -> float:
    """As a frontier keeps it: float32, none beyond its largest numbers."""
    return score if math.isnan(score) else float(np.float32(min(max(score, -LARGEST), LARGEST)))


def priority(tier: int, score: float) -> tuple[int, float]:
    """Higher is sooner; scores order tier 0 alone."""
    return tier, 0.0 if tier else score


@dataclass
class Known:
    slot: int
    host: int
    state: str  # waiting, parked, leased, ending (leased, and finished meanwhile), later, done
    score: float = math.nan
    row: int = 0
    index: int = 0
    seen: int = 0
    sums: np.void | None = None
    best: float = math.nan
    tier: int = 0

    @property
    def priority(self) -> tuple[int, float]:
        return priority(self.tier, self.best)


class ReferenceFrontier:
    def __init__(self, duplicates: str | Combination = "best", waits: Waits | None = None) -> None:
        self.waits = waits
        self.slow: set[int] = set()
        self.refused: tuple[tuple[int, float, int, int], float] | None = None
        self.now = 0.0
        self.duplicates = duplicates
        self.combination = Mean() if duplicates == "mean" else None if isinstance(duplicates, str) else duplicates
        self.urls: dict[int, Known] = {}
        self.ready_at: dict[int, float] = {}
        self.busy: set[int] = set()
        self.later: dict[int, float] = {}

    def add(self, keys, hosts, scores, row, indices=None, tier=0) -> int:  # type: ignore[no-untyped-def]
        places = range(len(keys)) if indices is None else indices
        new = 0
        for key, host, score, place in zip(keys.tolist(), hosts.tolist(), scores.tolist(), places, strict=True):
            if key not in self.urls:
                new += 1
                self.urls[key] = Known(len(self.urls), host, "parked")
            self._meet(self.urls[key], stored(score), row, int(place), tier)
        return new

    def _meet(self, url: Known, score: float, row: int, place: int, tier: int) -> None:
        if url.state in ("leased", "ending", "later", "done") or math.isnan(score):
            if url.state == "parked" and math.isnan(url.score) and not url.seen and not url.row:
                url.row, url.index = row, place
            return
        self._combine(url, score, row, place, tier)
        url.state = "waiting"

    def _combine(self, url: Known, score: float, row: int, place: int, tier: int) -> None:
        url.seen += 1
        better = math.isnan(url.best) or priority(tier, score) > url.priority
        if self.duplicates == "first":
            better = url.seen == 1 or tier > url.tier
        if better:
            url.best, url.row, url.index = score, row, place
        url.tier = max(url.tier, tier)
        url.score = url.best
        if self.combination is not None:
            self._add(url, self.combination.added(np.array([row], np.int32), np.array([score], np.float32))[0])

    def _add(self, url: Known, more: np.void) -> None:
        assert self.combination is not None
        before = np.zeros((), self.combination.fields) if url.sums is None else url.sums
        url.sums = np.array(
            tuple(before[name] + more[name] for name in self.combination.fields.names or ()), self.combination.fields
        )[()]
        self._score(url)

    def _score(self, url: Known) -> None:
        assert self.combination is not None
        links, best = np.array([url.seen], np.uint32), np.array([url.best], np.float32)
        host = np.array([url.host], np.uint32)
        url.score = stored(float(self.combination.combined(links, best, np.array([url.sums]), host)[0]))

    def grow(self, row, keys, scores, more) -> None:  # type: ignore[no-untyped-def]
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True):
            url = self.urls.get(key)
            if url is not None and url.seen and not math.isnan(score):
                if url.state == "done":
                    continue
                self._add(url, more)

    def rank(self) -> None:
        for url in self.urls.values():
            if url.seen and url.state != "done" and self.combination is not None:
                self._score(url)
                self.refused = None

    def _lease_of(self, key: int) -> Lease:
        url = self.urls[key]
        evidence = () if self.combination is None or url.sums is None else (url.seen, url.best, *url.sums.item())
        return Lease(url.slot, key, url.host, url.row, url.index, url.score, url.tier, evidence)

    def promote(self, row, keys, scores, tier) -> None:  # type: ignore[no-untyped-def]
        for place, (key, score) in enumerate(zip(keys.tolist(), scores.tolist(), strict=True)):
            url = self.urls.get(key)
            if url is None or url.state != "waiting" or math.isnan(score) or url.tier >= tier:
                continue
            url.tier, url.best, url.row, url.index = tier, stored(score), row, place
            if self.combination is None:
                url.score = url.best

    def _order(self, key: int) -> tuple[int, float, int, int]:
        url = self.urls[key]
        return -url.tier, 0.0 if url.tier else -url.score, url.slot, key

    def _candidates(self, now: float) -> list[tuple[int, float, int, int]]:
        return [
            self._order(key)
            for key, url in self.urls.items()
            if url.state == "waiting" and url.host not in self.busy and self.ready_at.get(url.host, 0.0) <= now
        ]

    def lease(self, now: float) -> Lease | None:
        self._come_back(now)
        self.now = now
        found = min(self._candidates(now), default=None)
        if found is None or self._refuses(found):
            return None
        return self._begin(found[3], now)

    def _begin(self, key: int, now: float) -> Lease:
        url = self.urls[key]
        url.state = "leased"
        self.busy.add(url.host)
        self.refused = None
        if self.waits is not None:
            self.ready_at[url.host] = now
        return self._lease_of(key)

    def _refuses(self, found: tuple[int, float, int, int]) -> bool:
        """Whether enough hosts that are free again soon have links of a higher score."""
        if self.waits is None or found[0]:
            return False
        until = {}
        for url in self.urls.values():
            if url.state == "waiting" and not url.tier and -url.score < found[1]:
                when = self._free_soon(url.host)
                if when is not None:
                    until[url.host] = when
        enough = self.waits.enough(self.hosts_waiting)
        if not enough or len(until) < enough:
            return False
        heads: dict[int, tuple[int, float, int, int]] = {}
        for key, url in self.urls.items():
            if url.host in until and url.state == "waiting" and not url.tier:
                heads[url.host] = min(self._order(key), heads.get(url.host, self._order(key)))
        best = sorted(until, key=heads.__getitem__)
        self.refused = found, min(until[host] for host in best[:enough])
        return True

    def _free_soon(self, host: int) -> float | None:
        """Until when a host that is not free now counts as one that will be soon."""
        assert self.waits is not None
        ready_at = self.ready_at.get(host, 0.0)
        if host in self.slow:
            return None
        if host in self.busy:
            return ready_at + self.waits.longest_s if ready_at + self.waits.longest_s > self.now else None
        return ready_at if ready_at > self.now else None

    def lease_oldest(self, now: float) -> Lease | None:
        self._come_back(now)
        for key, url in sorted(self.urls.items(), key=lambda one: one[1].slot):
            free = url.host not in self.busy and self.ready_at.get(url.host, 0.0) <= now
            if url.state == "waiting" and free:
                self.now = now
                lease = self._begin(key, now)
                lease.oldest = True
                return lease
        return None

    def done(self, lease: Lease, ready_at: float = 0.0) -> None:
        self._ended(lease).state = "done"
        self._free(lease.host, ready_at)

    def retry(self, lease: Lease, ready_at: float) -> None:
        self.postpone(lease, ready_at, ready_at)

    def postpone(self, lease: Lease, ready_at: float, again_at: float) -> None:
        url = self._ended(lease)
        if url.state == "ending":
            url.state = "done"
        elif again_at > ready_at:
            url.state = "later"
            self.later[lease.key] = again_at
        else:
            url.state = "parked" if math.isnan(url.score) else "waiting"
        self._free(lease.host, ready_at)

    def recall(self, leases: Iterable[Lease], when: float) -> None:
        for lease in leases:
            if self.urls[lease.key].state == "later":
                self.later[lease.key] = min(self.later[lease.key], when)

    def _come_back(self, now: float) -> None:
        for key, when in list(self.later.items()):
            if when <= now:
                url = self.urls[key]
                url.state = "parked" if math.isnan(url.score) else "waiting"
                del self.later[key]

    def _ended(self, lease: Lease) -> Known:
        url = self.urls[lease.key]
        if url.state not in ("leased", "ending"):
            raise ValueError(f"the lease of key {lease.key} has ended already")
        return url

    def _free(self, host: int, ready_at: float) -> None:
        self.busy.discard(host)
        before = self.ready_at.get(host, 0.0)
        if self.waits is not None and ready_at >= before:
            (self.slow.add if ready_at - before > self.waits.longest_s else self.slow.discard)(host)
        self.ready_at[host] = max(ready_at, before)

    def hold(self, host: int, ready_at: float) -> None:
        if ready_at > self.ready_at.get(host, 0.0):
            self.slow.add(host)
        self.ready_at[host] = max(ready_at, self.ready_at.get(host, 0.0))

    def finish(self, keys) -> None:  # type: ignore[no-untyped-def]
        for key in np.unique(keys).tolist():
            url = self.urls.setdefault(key, Known(len(self.urls), 0, "done"))
            url.state = "ending" if url.state in ("leased", "ending") else "done"
            self.later.pop(key, None)

    def reopen(self, key: int, host: int) -> None:
        url = self.urls.get(key)
        if url is not None and url.state == "done":
            url.state, url.host = "parked", host
            self._forget(url)

    def park(self, hosts) -> int:  # type: ignore[no-untyped-def]
        mine = {key: url for key, url in self.urls.items() if url.host in hosts and url.state in ("waiting", "later")}
        for key, url in mine.items():
            url.state = "parked"
            self.later.pop(key, None)
            self._forget(url)
        return len(mine)

    @staticmethod
    def _forget(url: Known) -> None:
        url.score, url.best, url.seen, url.sums, url.tier = math.nan, math.nan, 0, None, 0

    def look_up(self, key: int) -> Standing | None:
        names: dict[str, State] = {"ending": "leased", "later": "postponed"}
        url = self.urls.get(key)
        return None if url is None else Standing(names.get(url.state, url.state), self._lease_of(key))  # type: ignore[arg-type]

    def waiting_scores(self):  # type: ignore[no-untyped-def]
        found = [(url.score, url.tier) for url in self.urls.values() if url.state == "waiting"]
        return np.array([score for score, _ in found], np.float32), np.array([tier for _, tier in found], np.uint8)

    def hosts(self) -> HostColumns:
        ids = [host for host in sorted({url.host for url in self.urls.values()}) if self._seen_on(host)]
        return HostColumns(
            np.array(ids, np.uint32),
            np.array([self.waiting_on(host) for host in ids], np.int64),
            np.array([host in self.busy for host in ids], np.bool_),
            np.array([self.ready_at.get(host, 0.0) for host in ids], np.float64),
        )

    def _seen_on(self, host: int) -> bool:
        return self.waiting_on(host) > 0 or host in self.busy

    def rescore(self, rows: Iterable) -> int:  # type: ignore[type-arg]
        self.refused = None
        for url in self.urls.values():
            if url.state != "done":
                url.score, url.best, url.seen, url.sums, url.tier = math.nan, math.nan, 0, None, 0
                url.state = "parked" if url.state == "waiting" else url.state
        for row, keys, scores, tier in rows:
            for place, (key, score) in enumerate(zip(keys.tolist(), scores.tolist(), strict=True)):
                url = self.urls.get(key)
                if url is not None and url.state != "done" and not math.isnan(score):
                    self._combine(url, stored(score), row, place, tier)
                    url.state = "waiting" if url.state == "parked" else url.state
        return sum(url.state == "waiting" for url in self.urls.values())

    def next_ready(self) -> float | None:
        free = [key for key, url in self.urls.items() if url.state == "waiting" and url.host not in self.busy]
        whens = {key: self.ready_at.get(self.urls[key].host, 0.0) for key in free}
        times = [*self.later.values(), *whens.values()]
        ready = min((self._order(key) for key, when in whens.items() if when <= self.now), default=None)
        if self.refused is not None and ready == self.refused[0]:
            times = [*self.later.values(), self.refused[1], *(when for when in whens.values() if when > self.now)]
        return min(times, default=None)

    def known(self, keys):  # type: ignore[no-untyped-def]
        return np.array([key in self.urls for key in keys.tolist()])

    def best(self, n: int) -> list[Lease]:
        found = sorted(self._order(key) for key, url in self.urls.items() if url.state == "waiting")
        return [self._lease_of(key) for *_, key in found[:n]]

    def __len__(self) -> int:
        return sum(url.state in ("waiting", "later") for url in self.urls.values())

    def waiting_on(self, host: int) -> int:
        return sum(url.state in ("waiting", "later") and url.host == host for url in self.urls.values())

    @property
    def parked(self) -> int:
        return sum(url.state == "parked" for url in self.urls.values())

    @property
    def hosts_waiting(self) -> int:
        return len({url.host for url in self.urls.values() if url.state == "waiting"})

    @property
    def hosts_busy(self) -> int:
        return len(self.busy)

    @property
    def nbytes(self) -> int:
        return 1
