"""Which pages there are: hosts, topics, islands and tunnels, all by arithmetic, without a table of pages.

Pages 0 .. N-1 are split among hosts 0 .. H-1 by a power law of their rank. Hosts come in blocks of one host
a topic, so that the hosts of a topic can be counted through: host ``block * leaves + place`` has the main
topic that a seeded permutation gives to ``place``, shifted by block. ``island_hosts`` successive blocks
form an island of each topic. Only correctly rounded operations (+, -, *, / and square roots) decide where a
page lies, so the same web comes out on every machine.

A page is a pair (host, local number). Local number 0 is the home page, 1 to ``tunnel_length`` are reserved for
tunnels: stage s of a tunnel (s steps before its island) is page s of a host in the island's first block, in
another branch of the topic tree.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import IntEnum
from functools import lru_cache
from math import gcd
from typing import NamedTuple

import numpy as np

from clew.errors import InputError
from clew.web.simulated.hashing import Flags, Numbers, Reals, Words, below, draw, draws, key, unit, units
from clew.web.simulated.parameters import MIN_HOST_PAGES, SimParameters

_HOST_STRIDE = 0x5851F42D4C957F2D  # hash multiplier: products wrap around
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFF)
_ZERO = np.zeros(1, np.int64)


class Kind(IntEnum):
    """What a page is for."""

    HOME = 0
    CONTENT = 1
    HUB = 2  # lists many pages of its topic, on many hosts
    NAVIGATION = 3  # lists pages of its host; about nothing
    LAYER = 4  # leads to papers of a layered site, or seems to; about nothing


class Place(NamedTuple):
    """Where a page lies, what it is about and what it is for. ``leaf`` is the number of its topic."""

    host: int
    local: int
    leaf: int
    kind: Kind


class Layout:
    """The arithmetic of one web. Methods on columns take and return int64 arrays of one shape."""

    def __init__(self, pages: int, seed: int, parameters: SimParameters) -> None:
        least = parameters.leaves * MIN_HOST_PAGES
        if not least <= pages <= 10**12:
            raise InputError(
                f"simulated web: pages={pages} lies outside {least} to 10^12 for {parameters.leaves} topics; "
                "change pages, or lower branching or depth"
            )
        self.pages, self.parameters, self.leaves = pages, parameters, parameters.leaves
        self.blocks = max(1, pages // (parameters.pages_per_host * self.leaves))
        self.hosts = self.blocks * self.leaves
        self.island_hosts = min(parameters.island_hosts, self.blocks)
        self.branch_leaves = self.leaves // parameters.branching
        self._keys = {name: key(seed, name) for name in ("shift", "page", "island", "length")}
        self._spans = np.array([parameters.branching**height for height in range(parameters.depth + 1)], np.int64)
        self._spread = self._unmixed(draw(key(seed, "spread"), 0))
        self._unspread = pow(self._spread, -1, self.leaves)
        self._top = float(self._root(np.array([self.hosts + 1]))[0]) - 1.0
        self.size = lru_cache(maxsize=4_096)(self._size)
        """How many pages a host has."""
        self.host_leaf = lru_cache(maxsize=4_096)(self._host_leaf)
        """``host_leaves`` for one host."""
        self._detours = self._detour_shifts(key(seed, "detour"))

    def _unmixed(self, bits: int) -> int:
        """A multiplier without a common factor with the number of topics."""
        odd = bits % self.leaves | 1
        return next(m % self.leaves for m in range(odd, odd + self.leaves) if gcd(m, self.leaves) == 1)

    # hosts and pages

    def _root(self, rank: Numbers) -> Reals:
        root: Reals = rank.astype(np.float64)
        for _ in range(self.parameters.host_skew):
            root = np.sqrt(root)
        return root

    def first(self, hosts: Numbers) -> Numbers:
        """The number of each host's first page."""
        free = self.pages - self.hosts * MIN_HOST_PAGES
        before = np.floor((self._root(hosts + 1) - 1.0) / self._top * free).astype(np.int64)
        return hosts * MIN_HOST_PAGES + np.minimum(before, free)

    def sizes(self, hosts: Numbers) -> Numbers:
        """How many pages each host has."""
        return self.first(hosts + 1) - self.first(hosts)

    def _size(self, host: int) -> int:
        return int(self.sizes(np.array([host]))[0])

    def locate(self, number: int) -> tuple[int, int]:
        """(host, local number) of page ``number`` of the web."""
        host = bisect_right(range(self.hosts), number, key=lambda h: int(self.first(np.array([h]))[0])) - 1
        return host, number - int(self.first(np.array([host]))[0])

    def number(self, host: int, local: int) -> int:
        """The number of a page in the web."""
        return int(self.first(np.array([host]))[0]) + local

    # topics

    def host_leaves(self, hosts: Numbers) -> Numbers:
        """The main topic of each host."""
        shift = below(draws(self._keys["shift"], hosts // self.leaves), self.leaves)
        return (hosts % self.leaves * self._spread + shift) % self.leaves

    def hosts_of(self, leaves: Numbers, blocks: Numbers) -> Numbers:
        """The host with main topic ``leaves`` in each block."""
        shift = below(draws(self._keys["shift"], blocks), self.leaves)
        return blocks * self.leaves + (leaves - shift) % self.leaves * self._unspread % self.leaves

    def bits(self, hosts: Numbers, locals_: Numbers) -> Words:
        """64 random bits a page, on which its topic and kind depend."""
        return draws(self._keys["page"], hosts * _HOST_STRIDE + locals_)

    def page_leaves(self, hosts: Numbers, locals_: Numbers) -> Numbers:
        """The topic of each page: its host's, or one nearby in the tree."""
        return self.leaves_on(self.host_leaves(hosts), locals_, self.bits(hosts, locals_))

    def leaves_on(self, main: Numbers, locals_: Numbers, bits: Words) -> Numbers:
        """``page_leaves``, given the main topics of the hosts and the bits of the pages."""
        stray = units(bits) >= self.parameters.host_locality
        stray &= locals_ > self.parameters.tunnel_length
        return np.where(stray, self.nearby(main, (bits << _HALF) | (bits >> _HALF)), main)

    def nearby(self, leaves: Numbers, bits: Words) -> Numbers:
        """A random topic near each: below the parent with probability 1/2, the grandparent 1/4, and so on."""
        height, fraction = np.ones(bits.shape, np.int64), units(bits)
        for level in range(1, self.parameters.depth):
            height += fraction < 0.5**level
        span = self._spans[height]
        near: Numbers = leaves // span * span + (bits & _LOW).astype(np.int64) % span
        return near

    def branch(self, leaves: Numbers) -> Numbers:
        """The top-level topic above each topic."""
        return leaves // self.branch_leaves

    def kinds(self, hosts: Numbers, locals_: Numbers) -> Numbers:
        """The Kind of each page."""
        fraction, hubs = units(draws(self.bits(hosts, locals_), _ZERO)), self.parameters.hubs
        kinds = np.where(fraction < hubs + self.parameters.navigation, int(Kind.NAVIGATION), int(Kind.CONTENT))
        kinds = np.where(fraction < hubs, int(Kind.HUB), kinds)
        kinds = np.where(locals_ <= self.parameters.tunnel_length, int(Kind.CONTENT), kinds)
        return np.where(locals_ == 0, int(Kind.HOME), kinds).astype(np.int64)

    def place(self, host: int, local: int) -> Place:
        """All about one page."""
        hosts, locals_ = np.array([host]), np.array([local])
        return Place(host, local, int(self.page_leaves(hosts, locals_)[0]), Kind(self.kinds(hosts, locals_)[0]))

    # islands and tunnels

    def isolated(self, leaves: Numbers, islands: Numbers) -> Flags:
        """Whether each island of a topic is reached only through other branches of the tree."""
        result: Flags = units(draws(self._keys["island"], islands * self.leaves + leaves)) < self.parameters.tunnels
        return result & (islands > 0)

    def is_isolated(self, leaf: int, island: int) -> bool:
        """``isolated`` for one island; False for islands that do not exist."""
        exists = 0 < island * self.island_hosts < self.blocks
        return exists and unit(draw(self._keys["island"], island * self.leaves + leaf)) < self.parameters.tunnels

    def tunnel_length(self, leaf: int, island: int) -> int:
        """How many off-topic pages lie on the tunnel to an isolated island."""
        return 1 + draw(self._keys["length"], leaf, island) % self.parameters.tunnel_length

    def _detour_shifts(self, base: int) -> tuple[int, int]:
        """How far, along the lowest level of the tree, tunnels lead away from their topic: for odd and even stages.

        The topic and both stages are at least one top-level branch apart (with two branches the stages share one),
        and the shifts are the same for all tunnels: what leads to a topic can be learned.
        """
        width, spare = self.branch_leaves, self.leaves - 3 * self.branch_leaves
        if spare < 0:
            return width, width
        odd = draw(base, 0) % (spare + 1)
        return width + odd, 2 * width + odd + draw(base, 1) % (spare - odd + 1)

    def stage(self, leaf: int, island: int, step: int) -> tuple[int, int]:
        """(host, local number) of the page ``step`` steps before an isolated island."""
        away = (leaf + self._detours[(step + 1) % 2]) % self.leaves
        return self.host_at(away, island * self.island_hosts), step

    def tunnel_through(self, host: int, local: int) -> tuple[int, int] | None:
        """(leaf, island) of the tunnel on which a page is stage ``local``, or None."""
        block = host // self.leaves
        if not 1 <= local <= self.parameters.tunnel_length or block % self.island_hosts:
            return None
        away, island = self.host_leaf(host), block // self.island_hosts
        leaf = (away - self._detours[(local + 1) % 2]) % self.leaves
        leads = self.is_isolated(leaf, island) and local <= self.tunnel_length(leaf, island)
        return (leaf, island) if leads else None

    def host_at(self, leaf: int, block: int) -> int:
        """``hosts_of`` for one host."""
        return int(self.hosts_of(np.array([leaf]), np.array([block]))[0])

    def _host_leaf(self, host: int) -> int:
        return int(self.host_leaves(np.array([host]))[0])

    def island(self, host: int) -> int:
        """The island (of its main topic) that a host belongs to."""
        return host // self.leaves // self.island_hosts

    def island_members(self, leaf: int, island: int) -> list[int]:
        """The hosts of an island."""
        start = island * self.island_hosts
        return [self.host_at(leaf, block) for block in range(start, min(start + self.island_hosts, self.blocks))]
