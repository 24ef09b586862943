"""Layered sites: a home lists people, people have papers, and other lists lead to things that look as official.

On a layered host of m pages let w be the least width with w + w^2 + w^3 >= m - 1. Page 0 is the home, pages 1 .. w are
lists, the next w^2 at most are entries (persons), dealt to the lists in turn, and all others are ends (papers), dealt
to the entries in turn. The first list is one of people; each other list is a decoy with probability ``decoys``: its
entries and ends have the shape of persons and papers, and words of their own, but are about no topic.

Homes, lists, entries and all decoys are *layer pages*. Their words come from the vocabulary of their layer, which all
sites share, whatever their topic; papers use the words of their topic. No link from elsewhere leads into a site but to
its home. So the way to any paper is home, list, person, paper, and nothing on it but the last link tells the topic.
"""

from __future__ import annotations

import numpy as np

from clew.web.simulated.hashing import Flags, Numbers, draws, key, units
from clew.web.simulated.layout import Kind, Layout, Place

ORDINARY, HOME = -1, 0
DECOYS = 2
"""Families of decoys (events, services, say)."""
LAYERS = 3 * (1 + DECOYS)
"""Vocabularies: 0 home · 1, 2 lists of people and persons · 3, 4, 5 and 6, 7, 8 lists, entries and ends of decoys."""
NAMES = ("home", "people", "person", *(f"{part} {n}" for n in (1, 2) for part in ("list", "entry", "end")))
"""Names of the layers, for the truth about pages."""

_WIDTHS = np.arange(1, 10_001)
_ROOM = _WIDTHS + _WIDTHS**2 + _WIDTHS**3


class Sites:
    """Which page of a layered site is what. Columns are int64 arrays of one shape."""

    def __init__(self, layout: Layout, seed: int) -> None:
        self._layout, self._parameters = layout, layout.parameters
        self._host_key, self._list_key = key(seed, "layered host"), key(seed, "layered list")

    def layered(self, hosts: Numbers) -> Flags:
        """Whether hosts are layered sites."""
        if not self._parameters.layers:
            return np.zeros(hosts.shape, np.bool_)
        return units(draws(self._host_key, hosts)) < self._parameters.layers

    def is_layered(self, host: int) -> bool:
        """``layered`` for one host."""
        return bool(self.layered(np.array([host]))[0])

    def layers(self, hosts: Numbers, locals_: Numbers) -> Numbers:
        """The layer of each page, ORDINARY for papers and for pages of ordinary hosts."""
        if not self._parameters.layers:
            return np.full(hosts.shape, ORDINARY)
        sizes = self._layout.sizes(hosts)
        width, depth = widths(sizes), depths(sizes, locals_)
        lists = parents(sizes, parents(sizes, locals_))  # of ends; others are mended by depth
        lists = np.where(depth == 2, parents(sizes, locals_), lists)
        lists = np.clip(np.where(depth == 1, locals_, lists), 1, width)
        bits = draws(self._list_key, hosts, lists)
        decoy = (units(bits) < self._parameters.decoys) & (lists > 1)
        family = np.where(decoy, 1 + (bits & np.uint64(1)).astype(np.int64), 0)
        codes = np.where(decoy, 3 * family + depth - 1, depth)
        codes = np.where((depth == 3) & ~decoy, ORDINARY, codes)
        return np.where(self.layered(hosts), np.where(depth == 0, HOME, codes), ORDINARY)

    def below(self, host: int, local: int) -> list[int]:
        """The pages of the next layer that a page of a layered site leads to."""
        size = self._layout.size(host)
        width = int(widths(np.array([size]))[0])
        persons = min(width * width, size - 1 - width)
        if local == 0:
            return list(range(1, width + 1))
        if local <= width:
            return list(range(width + local, width + persons + 1, width))
        if local <= width + persons:
            return list(range(local + persons, size, persons))
        return []

    def depth(self, host: int, local: int) -> int:
        """0 home, 1 lists, 2 entries, 3 ends."""
        return int(depths(np.array([self._layout.size(host)]), np.array([local]))[0])

    def layer(self, host: int, local: int) -> int:
        """``layers`` for one page."""
        return int(self.layers(np.array([host]), np.array([local]))[0])

    def kinds(self, hosts: Numbers, locals_: Numbers) -> Numbers:
        """The Kind of each page: pages of layered sites are layer pages or content."""
        kinds = self._layout.kinds(hosts, locals_)
        if not self._parameters.layers:
            return kinds
        own = np.where(self.layers(hosts, locals_) >= 0, int(Kind.LAYER), int(Kind.CONTENT))
        return np.where(self.layered(hosts), own, kinds)

    def place(self, host: int, local: int) -> Place:
        """``Layout.place``, with layers."""
        place = self._layout.place(host, local)
        if not self._parameters.layers:
            return place
        return place._replace(kind=Kind(self.kinds(np.array([host]), np.array([local]))[0]))

    def above(self, host: int, local: int) -> int:
        """The page that a page of a layered site belongs to; the home for itself."""
        return int(parents(np.array([self._layout.size(host)]), np.array([local]))[0])


def widths(sizes: Numbers) -> Numbers:
    """The number of lists of sites with so many pages."""
    return _WIDTHS[np.searchsorted(_ROOM, sizes - 1)]


def depths(sizes: Numbers, locals_: Numbers) -> Numbers:
    """0 home, 1 lists, 2 entries, 3 ends."""
    width = widths(sizes)
    deep = (locals_ > 0).astype(np.int64) + (locals_ > width) + (locals_ > width + width**2)
    return deep


def parents(sizes: Numbers, locals_: Numbers) -> Numbers:
    """The page one layer up; the home's is the home."""
    width = widths(sizes)
    entries = np.maximum(np.minimum(width**2, sizes - 1 - width), 1)
    of_entry = 1 + (locals_ - 1 - width) % width
    of_end = 1 + width + (locals_ - 1 - width - entries) % entries
    depth = depths(sizes, locals_)
    return np.choose(depth, [np.zeros_like(locals_), np.zeros_like(locals_), of_entry, of_end])
