"""What a URL's host says of it: seeds tell where to look, and a host that gave nothing so far gives little later.

    v(u) = b · R / (R + 1)              on the hosts of seeds
         = −c · log(1 + n / 10)         on others

R is the relevance found on hosts of seeds, where each page fetched there makes what was found before count a hundredth
less; it begins at 1. n is the number of pages of the host that were not relevant; a relevant one halves it. b and c are
``ClewSettings.seed_hosts`` and ``barren_hosts``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.model import Bools, Doubles
from clew.strategies.clew.credit import NONE, ONE
from clew.strategies.clew.facts import Facts

FORGET = 0.99
FIRST_FOUND = 1.0
"""R at first: seeds are trusted until their hosts give nothing."""

PATIENCE = 10.0
"""So many pages without a relevant one count little."""

ROOM = 64

CHUNK = 1 << 14
"""Visits that are learned at a time."""

HostIds = npt.NDArray[np.integer]


@dataclass(slots=True)
class Record:
    """What was found: by host id ``barren`` n, and whether it is a host of seeds; ``found`` R."""

    barren: Doubles
    seeds: Bools
    found: float

    def copy(self) -> Record:
        return Record(self.barren.copy(), self.seeds.copy(), self.found)


class Hosts:
    """The record of all hosts. ``used`` values links, and stays as it is until ``refresh``; ``now`` changes with every
    visit."""

    def __init__(self, seed_hosts: float, barren_hosts: float) -> None:
        self.seed_hosts, self.barren_hosts = seed_hosts, barren_hosts
        self.now = Record(np.zeros(ROOM), np.zeros(ROOM, np.bool_), FIRST_FOUND)
        self.refresh()
        self._moved: set[int] = set()  # visits of seeds that gave no page: what they redirect to are seeds

    def learn(self, visits: Facts, refresh_at: int) -> None:
        """All visits from the first on; links are valued by what was known after ``refresh_at`` of them. The same as if
        they had been added one by one."""
        seeds = visits.of_seeds()
        self._moved = set((np.flatnonzero(seeds & (visits.worth == NONE)) + 1).tolist())
        self._make_room(int(visits.hosts.max(initial=0)))
        first = refresh_at if refresh_at <= len(visits) else 0
        self._learn(visits, seeds, 0, first)
        if first:
            self.refresh()
        self._learn(visits, seeds, first, len(visits))

    def _learn(self, visits: Facts, seeds: Bools, start: int, end: int) -> None:
        """Visits ``start`` to ``end``, some at a time; each changes what the next one finds."""
        barren, of_seeds, found = self.now.barren.tolist(), self.now.seeds.tolist(), self.now.found
        for first in range(start, end, CHUNK):
            part = slice(first, min(first + CHUNK, end))
            worth, hosts = visits.worth[part], visits.hosts[part]
            at = np.flatnonzero((worth != NONE) & (hosts >= 0))
            gains = np.where(visits.relevant[part], worth / ONE, 0.0)
            columns = hosts, visits.relevant[part], gains, seeds[part]
            for host, relevant, gain, seed in zip(*(column[at].tolist() for column in columns), strict=True):
                if seed:
                    of_seeds[host] = True
                barren[host] = barren[host] / 2 if relevant else barren[host] + 1
                if of_seeds[host]:
                    found = FORGET * found + gain
        self.now = Record(np.array(barren), np.array(of_seeds), found)

    def add(self, number: int, host: int, row: int, worth: int, relevant: bool) -> None:
        """The visit of this number; those before it were added."""
        seed = row <= 0 or row in self._moved
        if seed and worth == NONE:
            self._moved.add(number)
        if worth == NONE or host < 0:
            return
        self._make_room(host)
        self.now.seeds[host] |= seed
        self.now.barren[host] = self.now.barren.item(host) / 2 if relevant else self.now.barren.item(host) + 1
        if self.now.seeds[host]:
            self.now.found = FORGET * self.now.found + (worth / ONE if relevant else 0.0)

    def _make_room(self, host: int) -> None:
        if host >= len(self.now.barren):
            more = host + host // 2 + ROOM - len(self.now.barren)
            self.now.barren, self.now.seeds = np.pad(self.now.barren, (0, more)), np.pad(self.now.seeds, (0, more))

    def refresh(self) -> None:
        """From now on links are valued by what is known now."""
        self.used = known = self.now.copy()
        bonus = self.seed_hosts * known.found / (known.found + 1.0)
        values = np.where(known.seeds, bonus, -self.barren_hosts * np.log1p(known.barren / PATIENCE))
        self._values = np.concatenate([[0.0], values, [0.0]])

    def values(self, hosts: HostIds) -> Doubles:
        """v float64[n] of URLs on these hosts; 0 where nothing is known."""
        return self._values.take(hosts + 1, mode="clip")

    def said(self, host: int) -> str:
        """The same of one host in words; "" where nothing is known."""
        value = float(self.values(np.array([host]))[0])
        if value > 0:
            return f"its host is one of the seeds' ({value:+.2f})"
        if value < 0:
            count = self.used.barren.item(host)
            return f"about {count:.0f} pages of its host were fetched since relevant ones were found ({value:+.2f})"
        return ""
