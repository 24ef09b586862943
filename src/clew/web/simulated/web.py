"""The simulated web as a whole: what a URL gives, what is true of it, and pages to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np

from clew.errors import InputError
from clew.web.simulated.addresses import SECTIONS, Addresses, Cards, Spot
from clew.web.simulated.hashing import Flags, Numbers, draw, key, unit
from clew.web.simulated.language import Language
from clew.web.simulated.layout import Kind, Layout, Place
from clew.web.simulated.links import Linker, Targets, Way
from clew.web.simulated.pages import Anchor, Writer
from clew.web.simulated.parameters import SimParameters, read_spec
from clew.web.simulated.sites import NAMES, Sites
from clew.web.simulated.traps import Trap, Traps

_CHUNK = 1 << 18
_UNPRINTED = 5  # words that a print version leaves out
_PATIENCE = 500  # candidates in a row that do not fit


class PageKind(StrEnum):
    """What a URL of a simulated web is."""

    HOME = "home"
    CONTENT = "content"
    HUB = "hub"
    NAVIGATION = "navigation"
    LAYER = "layer"
    TRAP = "trap"
    DUPLICATE = "duplicate"
    REDIRECT = "redirect"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class SimPage:
    """What the web gives for a URL. ``status`` 200 with ``html``, 301 with ``location``, 404, or 0 (the host does
    not answer) with a ``reason``."""

    url: str
    status: int
    html: str = ""
    location: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PageTruth:
    """What is true of a URL. ``topic`` is the path of topic names from the top level down; ``number`` the page's
    number in the web (-1 for what is no page); ``tunnel`` how many steps before an island it lies (0: on no tunnel);
    ``isolated`` whether its host belongs to an isolated island; ``layer`` the name of the layer of a layered site's
    page (sites.NAMES), "" for papers and other pages; ``copy_of`` the URL of the page that a duplicate repeats.
    """

    url: str
    kind: PageKind
    topic: tuple[str, ...] = ()
    host: str = ""
    number: int = -1
    tunnel: int = 0
    isolated: bool = False
    layer: str = ""
    copy_of: str = ""

    def relevant_to(self, topic: str) -> bool:
        """Whether the page is about ``topic`` (a path such as ``velok/mitan``) or a topic below it.

        Navigation pages, layers and traps are about nothing, whatever surrounds them; duplicates do not count.
        """
        names = tuple(topic.split("/"))
        about = self.kind in (PageKind.HOME, PageKind.CONTENT, PageKind.HUB)
        return about and self.topic[: len(names)] == names


class SimulatedWeb:
    """A web of ``pages`` pages, computed from ``seed``. Nothing is stored: any size opens at once.

    Raises InputError when pages or parameters lie outside their ranges.
    """

    def __init__(self, pages: int, seed: int, parameters: SimParameters | None = None) -> None:
        self.pages, self.seed, self.parameters = pages, seed, parameters or SimParameters()
        self._layout = Layout(pages, seed, self.parameters)
        self._language = Language(seed, self.parameters)
        self._sites = Sites(self._layout, seed)
        self._traps = Traps(self._layout, seed)
        self._linker = Linker(self._layout, self._sites, seed)
        self._addresses = Addresses(self._layout, self._language, self._sites, seed)
        self._writer = Writer(self._layout, self._language, self._addresses, seed)
        self._places = lru_cache(maxsize=1_024)(self._sites.place)

    @property
    def spec(self) -> str:
        """The spec that opens this web again."""
        parts = {"pages": self.pages, "seed": self.seed} | self.parameters.changed()
        return "sim:" + ",".join(f"{name}={value}" for name, value in parts.items())

    @property
    def hosts(self) -> int:
        """How many living hosts there are."""
        return self._layout.hosts

    def host_name(self, number: int) -> str:
        """The DNS name of a living host (0 .. hosts - 1)."""
        return self._addresses.host_name(number)

    def at_port(self, port: int) -> SimulatedWeb:
        """The same web with another port in its URLs."""
        return SimulatedWeb(self.pages, self.seed, replace(self.parameters, port=port))

    # what a URL gives

    def page(self, url: str) -> SimPage | None:
        """What is found at ``url``; None when no host of this web is named so."""
        trap = self._trap(url)
        if trap is not None:
            return SimPage(url, 200, html=self._trapped(trap))
        found = self._find(url)
        if isinstance(found, SimPage) or found is None:
            return found
        place = self._places(found.host, found.local)
        targets = self._linker.targets(place)
        cards = self._cards(place, targets)
        if found.way is not Way.DIRECT:
            return SimPage(url, 301, location=self._next_hop(found, cards))
        if not url.partition("#")[0].endswith(cards.paths[0]) and found.local:
            return _missing(url)
        return SimPage(url, 200, html=self._writer.html(place, targets, cards, self._entrances(place, cards)))

    def _entrances(self, place: Place, cards: Cards) -> list[Anchor]:
        links = self._traps.entrances(place.host, place.local, cards.paths[0])
        return [Anchor(path, text, "", True) for path, text in links]

    def _trap(self, url: str) -> Trap | None:
        """The trap that a URL leads into, or None."""
        if not self.parameters.traps:
            return None
        address, asks, query = url.partition("#")[0].partition("?")
        parts = self._addresses.split(address)
        host = self._addresses.host_number(parts[0]) if parts else None
        if parts is None or host is None:
            return None
        if not asks:
            return self._traps.read(host, parts[1])
        ticket, place = self._traps.ticket(host, query), self._place(address)
        return Trap(host, local=place.local, ticket=ticket) if place and ticket is not None else None

    def _trapped(self, trap: Trap) -> str:
        """The HTML of a page in a trap."""
        if trap.month >= 0:
            return self._writer.month(trap.host, trap.month, self._traps.months(trap.month))
        place = self._places(trap.host, trap.local)
        targets = self._linker.targets(place)
        cards = self._cards(place, targets)
        if trap.ticket < 0:
            return self._writer.html(place, targets, cards, cut=_UNPRINTED)
        return self._traps.sold(self._writer.html(place, targets, cards, self._entrances(place, cards)), trap)

    def _find(self, url: str) -> Spot | SimPage | None:
        """The spot a URL points at, or the answer that is given without one."""
        parts = self._addresses.split(url)
        if parts is None:
            return None
        label, path = parts
        if label == "gone" or label.endswith(".gone"):
            return _silent(url, label)
        host = self._addresses.host_number(label)
        if host is None:
            return None
        return self._addresses.spot(host, path) or _missing(url)

    def _next_hop(self, spot: Spot, cards: Cards) -> str:
        root = self._addresses.root(spot.host)
        if spot.way is Way.LOOP:
            return f"{root}/turn/{spot.turn}/{spot.local}"
        return root + cards.paths[0] if spot.way is Way.REDIRECT_1 else f"{root}/go/{'abc'[spot.way - 2]}/{spot.local}"

    def _cards(self, place: Place, targets: Targets) -> Cards:
        """Cards of a page and of what it links to, in order."""
        hosts = np.concatenate([[place.host], targets.hosts])
        return self._addresses.cards(hosts, np.concatenate([[place.local], targets.locals]))

    def links(self, url: str) -> tuple[str, ...]:
        """The absolute URLs that the page at ``url`` links to, without computing its text; () for what is no page.

        Links from trap to trap have no end and are left out: a month has a link to the home page, a duplicate those
        of the page that it repeats.
        """
        trap = self._trap(url)
        if trap is not None and trap.month >= 0:
            return (f"{self._addresses.root(trap.host)}/",)
        place = self._place(url) if trap is None else self._places(trap.host, trap.local)
        if place is None:
            return ()
        targets = self._linker.targets(place)
        cards = self._cards(place, targets)
        columns = zip(
            targets.hosts.tolist(), targets.locals.tolist(), cards.paths[1:], targets.ways.tolist(), strict=True
        )
        found = [self._addresses.link(h, n, path, Way(way)) for h, n, path, way in columns]
        if trap is None:
            found += [self._addresses.root(place.host) + anchor.href for anchor in self._entrances(place, cards)]
        return tuple(dict.fromkeys(found))

    def robots(self, host: str) -> str | None:
        """The robots.txt of a host, given its full name; None when it has none (404).

        A fifth have none, a fifth keep robots out of one section, a tenth ask for a pause of .2 s, the rest allow all.
        """
        number = draw(key(self.seed, f"robots {host}"), 0)
        share = unit(number)
        if share < 0.2:
            return None
        if share < 0.4:
            return f"User-agent: *\nDisallow: /{SECTIONS[number % len(SECTIONS)]}/\n"
        return "User-agent: *\nCrawl-delay: 0.2\nDisallow:\n" if share < 0.5 else "User-agent: *\nDisallow:\n"

    # what is true

    def truth(self, url: str) -> PageTruth:
        """What is true of a URL, whether it is a page or not."""
        trap = self._trap(url)
        if trap is not None:
            return self._trap_truth(url, trap)
        found = self._find(url)
        if not isinstance(found, Spot):
            return PageTruth(url, PageKind.MISSING)
        if found.way is not Way.DIRECT:
            return PageTruth(url, PageKind.REDIRECT, host=self._addresses.host_name(found.host))
        place = self._place(url)
        return self._truth(url, place) if place else PageTruth(url, PageKind.MISSING)

    def _trap_truth(self, url: str, trap: Trap) -> PageTruth:
        host = self._addresses.host_name(trap.host)
        if trap.month >= 0:
            return PageTruth(url, PageKind.TRAP, host=host)
        return PageTruth(url, PageKind.DUPLICATE, host=host, copy_of=self._addresses.url(trap.host, trap.local))

    def _place(self, url: str) -> Place | None:
        """The place of the page at exactly this URL."""
        found = self._find(url)
        if not isinstance(found, Spot) or found.way is not Way.DIRECT:
            return None
        right = not found.local or url.partition("#")[0] == self._addresses.url(found.host, found.local)
        return self._places(found.host, found.local) if right else None

    def _truth(self, url: str, place: Place) -> PageTruth:
        layout = self._layout
        return PageTruth(
            url,
            PageKind[place.kind.name],
            self._language.path(self.parameters.depth, place.leaf),
            self._addresses.host_name(place.host),
            layout.number(place.host, place.local),
            place.local if layout.tunnel_through(place.host, place.local) else 0,
            layout.is_isolated(layout.host_leaf(place.host), layout.island(place.host)),
            NAMES[self._sites.layer(place.host, place.local)] if place.kind is Kind.LAYER else "",
        )

    def topics(self, level: int | None = None) -> tuple[str, ...]:
        """The topics of a level of the tree (1: below the root; default: the lowest), as paths of names."""
        level = self.parameters.depth if level is None else level
        if not 1 <= level <= self.parameters.depth:
            raise InputError(f"simulated web: topics have levels 1 to {self.parameters.depth}, not {level}")
        return tuple("/".join(self._language.path(level, i)) for i in range(self.parameters.branching**level))

    def _span(self, topic: str) -> tuple[int, int]:
        """The lowest-level topics [first, end) under a topic. Raises InputError if there is no such topic."""
        level, index = self._language.node(topic)
        width = self.parameters.branching ** (self.parameters.depth - level)
        return index * width, (index + 1) * width

    # pages to start from

    def url_of(self, number: int) -> str:
        """The URL of page ``number`` (0 .. pages - 1)."""
        if not 0 <= number < self.pages:
            raise InputError(f"simulated web: there is no page {number}; pages are numbered 0 to {self.pages - 1}")
        return self._addresses.url(*self._layout.locate(number))

    def sample(self, n: int, purpose: str = "sample") -> list[str]:
        """n pages drawn at random (with replacement), the same ones for the same ``purpose``."""
        base = key(self.seed, f"sample {purpose}")
        return [self.url_of(draw(base, i) % self.pages) for i in range(n)]

    def examples(self, n: int, topic: str, relevant: bool = True) -> list[str]:
        """n distinct pages about ``topic``, or (``relevant=False``) about anything else; no navigation pages."""
        first, end = self._span(topic)

        def about(place: Place) -> bool:
            on_topic = first <= place.leaf < end and place.kind is not Kind.LAYER
            return on_topic is relevant and place.kind is not Kind.NAVIGATION

        leaves = (first, end) if relevant else (0, self._layout.leaves)
        return self._choose(n, f"examples {topic} {relevant}", leaves, self._any_page, about)

    def seeds(self, n: int, topic: str, distance: int = 0) -> list[str]:
        """n distinct start pages. Distance 0: homes about ``topic``, on islands that are not isolated.

        Distance d >= 1: homes in other top-level branches, at least d links away from any page of the topic
        (d > 3 is refused: such pages are too rare to be looked for). Raises InputError if too few are found.
        """
        if not 0 <= distance <= 3:
            raise InputError(f"simulated web: start pages have a distance of 0 to 3, not {distance}")
        first, end = self._span(topic)

        def fits(place: Place) -> bool:
            if distance == 0:
                return first <= place.leaf < end and not self._truth("", place).isolated
            far = place.leaf // self._layout.branch_leaves != first // self._layout.branch_leaves
            return far and not self._near(place, first, end, distance - 1)

        leaves = (first, end) if distance == 0 else (0, self._layout.leaves)
        return self._choose(n, f"seeds {topic} {distance}", leaves, lambda host, bits: (host, 0), fits)

    def _near(self, place: Place, first: int, end: int, steps: int) -> bool:
        """Whether a page of topics [first, end) is at most ``steps`` links away."""
        if steps == 0:
            return False
        targets = self._linker.targets(place)
        arrives = targets.ways <= int(Way.REDIRECT_3)
        leaves = self._layout.page_leaves(targets.hosts, targets.locals)[arrives]
        leaves[self._sites.layers(targets.hosts, targets.locals)[arrives] >= 0] = -1
        if bool(np.any((first <= leaves) & (leaves < end))):
            return True
        places = zip(targets.hosts[arrives].tolist(), targets.locals[arrives].tolist(), strict=True)
        return any(self._near(self._places(*pair), first, end, steps - 1) for pair in places)

    def _any_page(self, host: int, bits: int) -> tuple[int, int]:
        return host, draw(bits, host) % self._layout.size(host)

    def _choose(
        self,
        n: int,
        purpose: str,
        leaves: tuple[int, int],
        pick: Callable[[int, int], tuple[int, int]],
        fits: Callable[[Place], bool],
    ) -> list[str]:
        """n distinct pages on hosts whose main topic lies in ``leaves``, drawn at random until none fits any more."""
        base, chosen = key(self.seed, purpose), dict[str, None]()
        attempt = last = 0
        while len(chosen) < n and attempt - last < _PATIENCE:
            attempt += 1
            bits = draw(base, attempt)
            host = self._layout.host_at(leaves[0] + bits % (leaves[1] - leaves[0]), (bits >> 20) % self._layout.blocks)
            place = self._places(*pick(host, bits))
            url = self._addresses.url(place.host, place.local)
            if url not in chosen and fits(place):
                chosen[url], last = None, attempt
        if len(chosen) < n:
            raise InputError(f"simulated web: only {len(chosen)} of {n} pages found for {purpose!r}; ask for fewer")
        return list(chosen)

    # the web as a graph of numbers

    def linked(self, hosts: Numbers, locals_: Numbers) -> Iterator[Numbers]:
        """For each page the numbers of the pages that its links lead to in the end, through redirects or not."""
        firsts = self._layout.first(np.arange(self.hosts + 1))
        for host, local in zip(hosts.tolist(), locals_.tolist(), strict=True):
            targets = self._linker.targets(self._places(host, local))
            arrives = targets.ways <= int(Way.REDIRECT_3)
            yield firsts[targets.hosts[arrives]] + targets.locals[arrives]

    def urls(self) -> Iterator[str]:
        """The URLs of all pages, by number."""
        for start in range(0, self.pages, _CHUNK):
            hosts, locals_ = self.located(start, min(start + _CHUNK, self.pages))
            paths = self._addresses.cards(hosts, locals_).paths
            yield from (self._addresses.root(host) + path for host, path in zip(hosts.tolist(), paths, strict=True))

    # counting, in time proportional to the number of pages

    def relevant(self, topic: str) -> Iterator[str]:
        """The URLs of all pages relevant to ``topic``. Looks at every page of the web."""
        for hosts, locals_, found in self._scan(topic):
            for host, path in zip(hosts[found].tolist(), self._paths(hosts, locals_, found), strict=True):
                yield self._addresses.root(host) + path

    def _paths(self, hosts: Numbers, locals_: Numbers, found: Flags) -> list[str]:
        return self._addresses.cards(hosts[found], locals_[found]).paths

    def count_relevant(self, topic: str) -> int:
        """How many pages are relevant to ``topic``. Looks at every page of the web: .1 s a million."""
        return sum(int(found.sum()) for _, _, found in self._scan(topic))

    def _scan(self, topic: str) -> Iterator[tuple[Numbers, Numbers, Flags]]:
        """(hosts, local numbers, relevant or not) of all pages, some at a time."""
        first, end = self._span(topic)
        for start in range(0, self.pages, _CHUNK):
            hosts, locals_ = self.located(start, min(start + _CHUNK, self.pages))
            leaves = self._layout.page_leaves(hosts, locals_)
            kinds = self._sites.kinds(hosts, locals_)
            about = (kinds != int(Kind.NAVIGATION)) & (kinds != int(Kind.LAYER))
            yield hosts, locals_, about & (first <= leaves) & (leaves < end)

    def located(self, start: int, end: int) -> tuple[Numbers, Numbers]:
        """(hosts, local numbers) of the pages start .. end - 1."""
        low, high = self._layout.locate(start)[0], self._layout.locate(end - 1)[0]
        firsts = self._layout.first(np.arange(low, high + 1))
        numbers = np.arange(start, end)
        rank = np.searchsorted(firsts, numbers, side="right") - 1
        return low + rank, numbers - firsts[rank]


def parse_spec(spec: str) -> SimulatedWeb:
    """The web that a spec such as ``sim:pages=100000,seed=7,locality=.6`` names. Raises InputError."""
    return SimulatedWeb(*read_spec(spec))


def _missing(url: str) -> SimPage:
    return SimPage(url, 404, reason="404 Not Found")


def _silent(url: str, label: str) -> SimPage:
    """Hosts that are gone: half have no address any more, half do not answer."""
    reason = "no such host" if draw(key(0, label), 0) % 2 else "timed out while connecting"
    return SimPage(url, 0, reason=reason)
