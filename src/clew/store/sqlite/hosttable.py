"""Host names as small numbers, and what a crawl saw of each host: columns in memory, changes handed to the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from clew.model import Floats

HostRow = tuple[int, str, int, int, int, float]
"""id, name, visits, relevant, failures, ready_at."""


class HostTable:
    """Numbers run from 0 in the order of first sight. ``visits`` counts pages and failures, not redirects."""

    def __init__(self, rows: Iterable[HostRow] = ()) -> None:
        table = sorted(rows)
        self.names = [row[1] for row in table]
        self._ids = {name: number for number, name in enumerate(self.names)}
        counts = np.array([row[2:5] for row in table], np.int64).reshape(len(table), 3)
        self._counts = np.ascontiguousarray(counts.T)  # visits, relevant pages, failures
        self._visits, self._relevant = self._counts[:2].astype(np.float32)  # the same, as evidence wants them
        self.ready_at = np.array([row[5] for row in table], np.float64)
        self._changed: set[int] = set()

    def __len__(self) -> int:
        return len(self.names)

    def id(self, name: str) -> int:
        """The number of a host name; a new name gets the next one."""
        known = self._ids.get(name)
        return self._add(name) if known is None else known

    def ids(self, names: Sequence[str]) -> npt.NDArray[np.uint32]:
        """uint32[n]."""
        known = list(map(self._ids.get, names))
        return np.array([self.id(name) for name in names] if None in known else known, np.uint32)

    def _add(self, name: str) -> int:
        number = len(self.names)
        self._ids[name] = number
        self.names.append(name)
        self._changed.add(number)
        if number >= len(self.ready_at):
            room = max(64, number)
            self._counts = np.concatenate([self._counts, np.zeros((3, room), np.int64)], axis=1)
            self._visits, self._relevant = self._counts[:2].astype(np.float32)
            self.ready_at = np.concatenate([self.ready_at, np.zeros(room)])
        return number

    def stats(self, ids: npt.NDArray[np.uint32]) -> tuple[Floats, Floats]:
        """(visits, relevant) float32[n] each."""
        return self._visits.take(ids), self._relevant.take(ids)

    def count(self, host: int, *, relevant: bool, failed: bool) -> None:
        """One more visit."""
        counts = self._counts
        self._visits[host] = counts[0, host] = counts.item(0, host) + 1
        if relevant:
            self._relevant[host] = counts[1, host] = counts.item(1, host) + 1
        if failed:
            counts[2, host] += 1
        self._changed.add(host)

    def set(self, host: int, counts: tuple[int, int, int]) -> None:
        """Visits, relevant pages and failures of a host, counted anew."""
        self._counts[:, host] = counts
        self._visits[host], self._relevant[host], _ = counts
        self._changed.add(host)

    def hold(self, host: int, ready_at: float) -> None:
        """No visit before ``ready_at``; the latest time given counts."""
        if ready_at > self.ready_at.item(host):
            self.ready_at[host] = ready_at
            self._changed.add(host)

    def sooner(self, seconds: float, latest: float) -> None:
        """All times are so many seconds earlier, and none is later than ``latest``."""
        times = self.ready_at[: len(self.names)]
        new = np.minimum(np.maximum(times - seconds, 0.0), latest)
        self._changed.update(np.flatnonzero(new != times).tolist())
        times[:] = new

    def ready(self) -> list[tuple[int, float]]:
        """(number, time) of the hosts that have one."""
        held = np.flatnonzero(self.ready_at[: len(self.names)])
        return list(zip(held.tolist(), self.ready_at[held].tolist(), strict=True))

    def take_changed(self) -> list[HostRow]:
        """The rows that changed since the last call."""
        changed = sorted(self._changed)
        self._changed.clear()
        names = [self.names[host] for host in changed]
        return list(
            zip(changed, names, *self._counts[:, changed].tolist(), self.ready_at[changed].tolist(), strict=True)
        )
