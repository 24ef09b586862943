"""Where the links of a page go: drawn for the page alone, as columns.

A page has links of three sorts. *Structural* ones hold the web together: a site is a tree of pages (home, parent,
children, neighbours), homes point to the next host of their topic, and tunnels lead to isolated islands.
*Site* links go to random pages of the host. *Outward* links go to other hosts: to the page's own topic with
probability ``locality``, else to a topic nearby in the tree or to any topic, half and half.

Layered sites (sites.py) have links of their own.

No outward link leads into an isolated island from a page in the same top-level branch of topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import exp
from statistics import NormalDist

import numpy as np

from clew.web.simulated.hashing import Flags, Numbers, Reals, Words, below, draw, draws, key, unit, units
from clew.web.simulated.layout import Kind, Layout, Place
from clew.web.simulated.sites import Sites

_CHILDREN = 8  # of a page in the tree of its site
_TRIES = 3  # candidates for an outward link
_COLUMNS = 2 + 2 * _TRIES  # of random bits for a link
_DOUBLES = 1.07  # a link drawn twice is written once
_OWN_ISLAND = 0.5  # share of on-topic outward links that stay on the page's island
_TO_HOME = 0.3  # share of outward links that go to a home page
_ENTRANCES = 0.05  # share of content pages from which a tunnel starts
_MAX_REDIRECTS = 3
_LOOPS = 0.02  # of broken links
_DEAD_HOSTS = 0.25  # of broken links

# (share of links that stay on the host, least probability to stay on topic, factor of the out-degree)
_HABITS = {Kind.HOME: (1.0, 0.0, 1.1), Kind.CONTENT: (1.0, 0.0, 1.0), Kind.HUB: (0.25, 0.9, 1.4)}
_HOMES = {0: 8, 1: 2}  # links to the homes of other hosts from a layered site's home and lists; 1 from other pages
_NAVIGATION_SITE, _NAVIGATION_DEGREE = 0.9, 1.2


class Way(IntEnum):
    """What stands between a link and its target."""

    DIRECT = 0
    REDIRECT_1 = 1  # the value is the number of redirects
    REDIRECT_2 = 2
    REDIRECT_3 = 3
    LOOP = 4
    MISSING = 5  # the page has gone: 404
    DEAD = 6  # the host has gone

    @property
    def arrives(self) -> bool:
        """Whether the link leads to its page in the end."""
        return self <= Way.REDIRECT_3


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The n links of a page: int64[n] each. ``ways`` holds Way values; ``structural`` bool[n] marks the links of the
    site's own menu. The target of a broken link is the page that it names."""

    hosts: Numbers
    locals: Numbers
    ways: Numbers
    structural: Flags

    def __len__(self) -> int:
        return len(self.hosts)


class Linker:
    """Draws the links of any page of a layout."""

    def __init__(self, layout: Layout, sites: Sites, seed: int) -> None:
        self._sites = sites
        self._layout, self._parameters = layout, layout.parameters
        names = ("degree", "link", "way", "entrance")
        self._keys = {name: key(seed, f"link {name}") for name in names}
        mean = self._parameters.out_degree * _DOUBLES
        self._degrees = [max(4, round(mean * factor)) for factor in log_normal(self._parameters.degree_spread)]

    def targets(self, place: Place) -> Targets:
        """The links of one page, distinct, none to itself."""
        if self._sites.is_layered(place.host):
            return self._layered(place)
        menu, steps = self._menu(place), self._steps(place)
        inside, outside = self._split(place, self._degree(place) - len(menu) - len(steps))
        count = inside + outside
        base = draw(self._keys["link"], place.host, place.local)
        bits = draws(base, np.arange(_COLUMNS * count)).reshape(_COLUMNS, count)
        fixed = np.array(menu + steps, np.int64).reshape(-1, 2)
        site = self._site(place, bits[0, :inside])
        pairs = np.concatenate([fixed, site, self._to_homes(self._outward(place, bits[:, inside:]))])
        keep = self._distinct(place, pairs)
        return self._on_the_way(place, pairs[keep], keep < len(menu))

    def _layered(self, place: Place) -> Targets:
        """The links of a page of a layered site: up, home, to the next layer, and to the homes of other hosts."""
        onward = self._sites.below(place.host, place.local)
        menu = [(place.host, 0), (place.host, self._sites.above(place.host, place.local))]
        fixed = np.array([*menu, *((place.host, local) for local in onward)], np.int64)
        count = _HOMES.get(self._sites.depth(place.host, place.local), 1)
        hosts = below(draws(draw(self._keys["link"], place.host, place.local), np.arange(count)), self._layout.hosts)
        pairs = np.concatenate([fixed, np.stack([hosts, np.zeros_like(hosts)], axis=1)])
        keep = self._distinct(place, pairs)
        return self._on_the_way(place, pairs[keep], keep < len(menu))

    def _to_homes(self, pairs: Numbers) -> Numbers:
        """From elsewhere a link to a layered site leads to its home."""
        pairs[self._sites.layered(pairs[:, 0]), 1] = 0
        return pairs

    def _degree(self, place: Place) -> int:
        factor = _HABITS[place.kind][2] if place.kind in _HABITS else _NAVIGATION_DEGREE
        return round(factor * self._degrees[draw(self._keys["degree"], place.host, place.local) % 256])

    def _split(self, place: Place, spare: int) -> tuple[int, int]:
        """How many random links stay on the host and how many go out."""
        spare = max(spare, 2)
        share = _HABITS[place.kind][0] * self._parameters.same_host if place.kind in _HABITS else _NAVIGATION_SITE
        inside = round(spare * share)
        return inside, spare - inside

    @staticmethod
    def _distinct(place: Place, pairs: Numbers) -> Numbers:
        """Rows of the first link to each page, in order."""
        seen = {(place.host, place.local)}
        rows = []
        for row, pair in enumerate(map(tuple, pairs.tolist())):
            if pair not in seen:
                seen.add(pair)
                rows.append(row)
        return np.array(rows, np.int64)

    # structural links

    def _menu(self, place: Place) -> list[tuple[int, int]]:
        """Home, parent, children and neighbours in the tree of the site."""
        size, local = self._layout.size(place.host), place.local
        near = [0, (local - 1) // _CHILDREN, *range(_CHILDREN * local + 1, _CHILDREN * (local + 1) + 1)]
        return [(place.host, other) for other in (*near, local + 1, local - 1) if 0 <= other < size]

    def _steps(self, place: Place) -> list[tuple[int, int]]:
        """Links between hosts that are always there: to the next host of the topic, and along tunnels."""
        steps = self._tunnel(place)
        if place.leaf == self._layout.host_leaf(place.host):
            steps += self._entrance(place)
        return steps + (self._next_host(place) if place.kind is Kind.HOME else [])

    def _next_host(self, place: Place) -> list[tuple[int, int]]:
        layout, block = self._layout, place.host // self._layout.leaves
        for other in range(block + 1, min(block + 50 * layout.island_hosts, layout.blocks)):
            island = other // layout.island_hosts
            if island == layout.island(place.host) or not layout.is_isolated(place.leaf, island):
                return [(layout.host_at(place.leaf, other), 0)]
        return []

    def _tunnel(self, place: Place) -> list[tuple[int, int]]:
        """From a stage of a tunnel to the next one, from the last to the homes of the island (four at most)."""
        through = self._layout.tunnel_through(place.host, place.local)
        if through is None:
            return []
        if place.local > 1:
            return [self._layout.stage(*through, place.local - 1)]
        return [(host, 0) for host in self._layout.island_members(*through)[:4]]

    def _entrance(self, place: Place) -> list[tuple[int, int]]:
        """From an island to the first stage of the tunnel to the next one."""
        layout, island = self._layout, self._layout.island(place.host) + 1
        chosen = place.kind in (Kind.HOME, Kind.HUB)
        chosen = chosen or unit(draw(self._keys["entrance"], place.host, place.local)) < _ENTRANCES
        if not chosen or not layout.is_isolated(place.leaf, island):
            return []
        return [layout.stage(place.leaf, island, layout.tunnel_length(place.leaf, island))]

    # random links

    def _site(self, place: Place, bits: Words) -> Numbers:
        share = units(bits)
        local = (share * share * self._layout.size(place.host)).astype(np.int64)
        return np.stack([np.full(len(local), place.host), local], axis=1)

    def _outward(self, place: Place, bits: Words) -> Numbers:
        """int64[count, 2]: the first candidate of each link that may be linked to and is about what was aimed at.

        ``bits`` has rows for the aim, the haven, the blocks and the pages of candidates.
        """
        layout, leaves = self._layout, self._aim(place, bits[0], bits[1])
        blocks = self._blocks(place, leaves, bits[2 : 2 + _TRIES])
        hosts = layout.hosts_of(leaves, blocks)
        locals_ = self._locals(hosts, bits[2 + _TRIES :])
        found = layout.leaves_on(leaves, locals_, layout.bits(hosts, locals_))
        allowed = self._allowed(place, leaves, blocks, found)
        pick = np.argmax(allowed * (1 + (found == leaves)), axis=0)
        columns = np.arange(len(leaves))
        good = allowed[pick, columns]
        haven = layout.hosts_of(leaves, below(bits[1], layout.island_hosts))
        ends = np.where(good, hosts[pick, columns], haven), np.where(good, locals_[pick, columns], 0)
        return np.stack(ends, axis=1)

    def _aim(self, place: Place, bits: Words, more: Words) -> Numbers:
        """The topic that each outward link is aimed at."""
        least = _HABITS[place.kind][1] if place.kind in _HABITS else 0.0
        locality = max(self._parameters.locality, least)
        own, fraction = np.full(len(bits), place.leaf), units(bits)
        near = fraction < (1 + locality) / 2
        aimed = np.where(near, self._layout.nearby(own, more), below(more, self._layout.leaves))
        return np.where(fraction < locality, own, aimed)

    def _blocks(self, place: Place, leaves: Numbers, bits: Words) -> Numbers:
        """int64[tries, n]: blocks of the candidates; low ones (large hosts) more often, or those of the own island."""
        layout, share = self._layout, units(bits)
        start = layout.island(place.host) * layout.island_hosts
        width = min(layout.island_hosts, layout.blocks - start)
        stays = (bits[0] & np.uint64(0x3FF)).astype(np.int64) < round(_OWN_ISLAND * 1_024)
        stays &= (leaves == layout.host_leaf(place.host)) & (leaves == place.leaf)
        anywhere = (share * share * layout.blocks).astype(np.int64)
        return np.where(stays, start + (share * width).astype(np.int64), anywhere)

    def _locals(self, hosts: Numbers, bits: Words) -> Numbers:
        share: Reals = np.maximum(units(bits) - _TO_HOME, 0.0) / (1 - _TO_HOME)
        return (share * share * self._layout.sizes(hosts)).astype(np.int64)

    def _allowed(self, place: Place, leaves: Numbers, blocks: Numbers, found: Numbers) -> Flags:
        """Which candidates the page may link to: none on another, isolated island if host or page are of its branch."""
        layout, islands = self._layout, blocks // self._layout.island_hosts
        own = (leaves == layout.host_leaf(place.host)) & (islands == layout.island(place.host))
        branch = place.leaf // layout.branch_leaves
        related = (layout.branch(leaves) == branch) | (layout.branch(found) == branch)
        allowed: Flags = own | ~(related & layout.isolated(leaves, islands))
        return allowed

    # accidents on the way

    def _on_the_way(self, place: Place, pairs: Numbers, structural: Flags) -> Targets:
        """Redirects on some links; broken links beside some others, so that these are still there."""
        bits = draws(draw(self._keys["way"], place.host, place.local), np.arange(len(pairs)))
        broken_rate, fraction = self._parameters.broken, units(bits)
        ways = np.where(fraction < self._parameters.redirects, self._redirects(bits), int(Way.DIRECT))
        # several broken links may stand beside one good link when the share is above a half
        odds = units(bits << np.uint64(24)) + broken_rate / (1 - broken_rate)
        extra = np.repeat(np.arange(len(pairs)), odds.astype(np.int64))
        causes = self._causes(draws(bits[extra], np.arange(len(extra))))
        rows = np.concatenate([np.arange(len(pairs)), extra])
        menu = np.concatenate([structural, np.zeros(len(extra), np.bool_)])
        return Targets(pairs[rows, 0], pairs[rows, 1], np.concatenate([ways, causes]), menu)

    @staticmethod
    def _redirects(bits: Words) -> Numbers:
        """1, 2 or 3 redirects: 80, 15 and 5 of a hundred."""
        share = below(bits, 100)
        return 1 + (share >= 80).astype(np.int64) + (share >= 95)

    @staticmethod
    def _causes(bits: Words) -> Numbers:
        share = units(bits)
        causes = np.where(share < _DEAD_HOSTS, int(Way.DEAD), int(Way.MISSING))
        return np.where(share >= 1 - _LOOPS, int(Way.LOOP), causes).astype(np.int64)


def log_normal(spread: float, steps: int = 256) -> list[float]:
    """``steps`` quantiles of a log-normal distribution with mean 1 and ``spread`` as deviation of the logarithm."""
    normal = NormalDist(-spread * spread / 2, spread)
    return [exp(normal.inv_cdf((i + 0.5) / steps)) for i in range(steps)]
