"""Made webs of tourism: pages about an activity and a place, on which a focus that widens can gain.

The webs hold what Ester and others 2001 assume in section 3.3: pages of generalised topics lead to pages of the special
topic more often than other pages do. Each page has an activity and a place, the leaves of two trees, and its ring is
the number of steps by which the interest must be generalised in the paper's chain (sailing, water sports, sports,
tourism on Rügen, then tourism in the whole country) to include it; most pages are in none. Pages of the narrow interest
are few and lie on islands: hosts whose pages link to each other and to the rings 1 to 3, never to another island. Links
to islands stand on pages of the rings alone, the more often the nearer the ring (ENTRIES). Elsewhere links stay in
their pair of activity and place, go one ring in or out (to the same activity or place outside the rings), or go
anywhere but to an island. One anchor in ten says what its page is about, URLs never do. ALIKE is the control: as
many links to islands, but from pages of all topics alike, so that there is nothing to tunnel through.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

ACTIVITIES = (
    "tourism/sports/water/sailing", "tourism/sports/water/surfing", "tourism/sports/water/diving",
    "tourism/sports/land/riding", "tourism/sports/land/golf", "tourism/sports/land/cycling",
    "tourism/hotels", "tourism/museums", "economy/jobs", "economy/trade", "science/maths", "science/physics",
)  # fmt: skip
PLACES = (
    "mecklenburg/ruegen", "mecklenburg/schwerin", "mecklenburg/rostock", "bavaria/munich", "bavaria/allgaeu",
    "saxony/dresden", "saxony/leipzig",
)  # fmt: skip
CHAIN = (
    ("tourism/sports/water/sailing", "mecklenburg/ruegen"), ("tourism/sports/water", "mecklenburg/ruegen"),
    ("tourism/sports", "mecklenburg/ruegen"), ("tourism", "mecklenburg/ruegen"), ("tourism", "mecklenburg"),
)  # fmt: skip
"""The paper's steps from the narrow interest to the broad one."""

NARROW, OUTSIDE = 0, len(CHAIN)
ENTRIES = (0.0, 0.05, 0.03, 0.015, 0.006, 0.0)
"""The share of links that lead to an island, by ring."""

ALIKE = (0.0, 0.004, 0.004, 0.004, 0.004, 0.004)
"""The control: as many links to islands, but from pages of all topics alike."""

ISLANDS, ISLAND = 12, 10
HOST = 10
LINKS = 10
WORDS, TOPICAL, LEAF = 250, 0.4, 0.5
"""Words of a page, the share of them about its topics, and of these the share about the leaves."""
INFORMATIVE = 0.1
SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiou"]


class MadeWeb:
    """A web of ``pages`` pages: ``pairs`` (activity, place), ``rings``, ``hosts`` and ``links`` by page."""

    def __init__(self, seed: int, pages: int, entries: Sequence[float] = ENTRIES) -> None:
        self.random, self.entries = random.Random(seed), entries
        nodes = dict.fromkeys(node for path in ACTIVITIES + PLACES for node in above(path))
        self.vocabulary = {node: [self._word() for _ in range(30)] for node in nodes}
        self.common = [self._word() for _ in range(1500)]
        others = [(a, p) for a in ACTIVITIES for p in PLACES if (a, p) != CHAIN[NARROW]]
        drawn = sorted(self.random.choices(range(len(others)), k=pages - ISLANDS * ISLAND))
        self.pairs = [CHAIN[NARROW]] * (ISLANDS * ISLAND) + [others[index] for index in drawn]
        self.rings = [ring(*pair) for pair in self.pairs]
        self.cells: dict[tuple[str, str], list[int]] = {}
        self.by_ring: list[list[int]] = [[] for _ in range(OUTSIDE + 1)]
        self.by_node: dict[str, list[int]] = {}
        for page, pair in enumerate(self.pairs):
            self.cells.setdefault(pair, []).append(page)
            self.by_ring[self.rings[page]].append(page)
            if self.rings[page] == OUTSIDE:
                for node in pair:
                    self.by_node.setdefault(node, []).append(page)
        self.links = [self._links(page) for page in range(pages)]

    def _word(self) -> str:
        return "".join(self.random.choice(SYLLABLES) for _ in range(3)) + self.random.choice("kmpnx")

    def _links(self, page: int) -> list[int]:
        return [target for target in dict.fromkeys(self._target(page) for _ in range(LINKS)) if target != page]

    def _target(self, page: int) -> int:
        draw, where = self.random.random(), self.rings[page]
        anywhere = len(self.by_ring[NARROW])
        if where == NARROW:
            if draw < 0.4:
                return page // ISLAND * ISLAND + self.random.randrange(ISLAND)
            inner = self.random.choices((1, 2, 3), (0.5, 0.3, 0.2))[0]
            return self.random.choice(self.by_ring[inner]) if draw < 0.8 else self._any(anywhere)
        if self.random.random() < self.entries[where]:
            return self.random.choice(self.by_ring[NARROW])
        if draw < 0.4:
            return self.random.choice(self.cells[self.pairs[page]])
        return self.random.choice(self._beside(page)) if draw < 0.75 else self._any(anywhere)

    def _any(self, first: int) -> int:
        return self.random.randrange(first, len(self.pairs))

    def _beside(self, page: int) -> list[int]:
        """The pages one ring in or out; outside, those of the same activity or place."""
        where = self.rings[page]
        if where == OUTSIDE:
            return self.by_node[self.random.choice(self.pairs[page])]
        return self.by_ring[self.random.choice([near for near in (where - 1, where + 1) if 0 < near < OUTSIDE])]

    def url(self, page: int) -> str:
        """The address."""
        return f"http://h{page // HOST}.made.test/p{page}.html"

    def write(self, folder: Path) -> None:
        """One file a page."""
        for page in range(len(self.pairs)):
            file = folder / self.url(page).removeprefix("http://")
            file.parent.mkdir(parents=True, exist_ok=True)
            share = WORDS // (len(self.links[page]) + 1)
            body = "".join(
                f"<p>{self._text(page, share)} <a href='{self.url(target)}'>{self._anchor(target)}</a></p>"
                for target in self.links[page]
            )
            text = f"<html lang=en><body><p>{self._text(page, share)}</p>{body}</body></html>"
            file.write_text(text, encoding="utf-8")

    def _text(self, page: int, count: int) -> str:
        return " ".join(self._topical(page) for _ in range(count))

    def _topical(self, page: int) -> str:
        if self.random.random() >= TOPICAL:
            return self.random.choice(self.common)
        *higher, leaf = above(self.random.choice(self.pairs[page]))
        node = leaf if self.random.random() < LEAF else self.random.choice(higher)
        return self.random.choice(self.vocabulary[node])

    def _anchor(self, page: int) -> str:
        words = [self.random.choice(self.common), self.random.choice(self.common)]
        if self.random.random() < INFORMATIVE:
            words[0] = self.random.choice(self.vocabulary[self.random.choice(self.pairs[page])])
        return " ".join(words)

    def topics(self, examples: int) -> dict[str, list[str]]:
        """So many pages for each leaf, none of them twice nor from an island but the first; in order of the names."""
        chosen = {}
        free = [page for page in range(len(self.pairs)) if page >= ISLANDS * ISLAND or page < ISLAND]
        self.random.shuffle(free)
        for leaf in ACTIVITIES + PLACES:
            mine = [page for page in free if leaf in self.pairs[page]][:examples]
            free = [page for page in free if page not in set(mine)]
            chosen[leaf] = [self.url(page) for page in mine]
        return dict(sorted(chosen.items()))


def above(path: str) -> list[str]:
    """The topic and those above it, from the first level on."""
    names = path.split("/")
    return ["/".join(names[: depth + 1]) for depth in range(len(names))]


def ring(activity: str, place: str) -> int:
    """The first step of CHAIN that includes the pair; OUTSIDE if none does."""
    for step, (wider, where) in enumerate(CHAIN):
        if wider in above(activity) and where in above(place):
            return step
    return OUTSIDE
