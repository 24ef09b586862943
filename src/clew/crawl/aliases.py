"""Which differences between URLs make none on a host: learned from pages that turned out to be the same.

Visited pages whose URLs differ only in scheme, www, a trailing slash, an index page, a token in the path or parameters
are compared. When ``traps.same_pages`` pairs that differ in one of these were the same (one pair where it is a session,
a token or a sort order by its name), and at most one in ten was not, that difference makes none on this host: of URLs
that differ in it alone, one is fetched. Two different pages at least must have been found twice: what a site says of
all that it lacks proves nothing. Another host is a mirror when so many of its pages, and five at least, were
those of one host at the same paths. One URL in 64 is fetched all the same, so what was concluded wrongly is undone by
pages that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from clew.crawl.duplicates import SAME_TEXT_TERMS
from clew.crawl.verdicts import NO_DIFFERENCE
from clew.model import SEEDS, Link, LinkKind
from clew.urls.aspects import Aspects, aspects, bare, difference, is_expected, without
from clew.urls.canonical import host, key
from clew.urls.traps import parts

GROUPS = 1 << 14
"""Skeletons of URLs whose last pages are remembered; beyond it the oldest are forgotten."""

COMPARED = 3
"""Pages of a skeleton that are remembered, the latest."""

TAKEN = 1 << 16
"""Visited URLs that are remembered of a host on which a difference makes none."""

RARELY = 10
"""A difference that matters in more than one of so many pairs is one."""

STILL_TRIED = 64
MIRROR_PAGES = 5


class Seen(NamedTuple):
    """A visited page: its URL, the hash of its text and how many distinct terms that has, and the visit whose page it
    is (its own, or the one it repeats). Tens of thousands are kept, so no more than is needed."""

    url: str
    text: int
    terms: int
    root: int


class Aliases:
    """What was learned of the URLs of hosts. ``visited(host)``: URLs of pages visited on a host, with www and without;
    ``by_key``: what is known of the visit of a URL, by its key."""

    def __init__(
        self, needed: int, visited: Callable[[str], Iterable[str]], by_key: Callable[[int], Seen | None]
    ) -> None:
        self.needed = needed
        self._visited, self._by_key = visited, by_key
        self._groups: dict[str, tuple[Seen, ...]] = {}
        self._votes: dict[tuple[str, str], list[int]] = {}  # (host, aspect) -> pairs that were the same, and not
        self._single: dict[tuple[str, str], int] = {}  # those the same pairs of which were all of one page: its visit
        self._idle: dict[str, frozenset[str]] = {}  # host -> aspects that make no difference
        self._taken: dict[str, dict[str, str]] = {}  # host -> URL less those -> a URL that was visited
        self._mirrors: dict[str, tuple[str, list[int]]] = {}  # host -> the host it mirrors, and votes

    # -- learning -----------------------------------------------------------------------------------------

    def learn(self, seen: Seen, original: str) -> None:
        """A page was visited. ``original``: the URL of the page that it repeats, "" for none."""
        found = aspects(seen.url)
        group = self._groups.pop(found.skeleton, ())
        name = bare(host(seen.url))
        if seen.terms:
            for other in group:
                self._vote(name, seen, other)
        self._groups[found.skeleton] = (*group[1 - COMPARED :], seen)
        if len(self._groups) > GROUPS:
            del self._groups[next(iter(self._groups))]
        if name in self._taken:
            self._take(name, self._taken[name], found, seen.url)
        self._vote_mirror(seen, original)

    def _vote(self, name: str, one: Seen, other: Seen) -> None:
        own = aspects(one.url)
        names = difference(own, aspects(other.url))
        expected = all(is_expected(label, own.values.get(label, "")) for label in names)
        if not expected and min(one.terms, other.terms) < SAME_TEXT_TERMS:
            return  # they may be the same by chance: both say that there is no page, or show a picture
        same = _same(one, other)
        if not same and len(names) != 1:
            return
        for label in names:
            votes = self._votes.setdefault((name, label), [0, 0])
            if same and not votes[0]:
                self._single[name, label] = one.root
            elif same and self._single.get((name, label)) != one.root:
                self._single.pop((name, label), None)
            votes[not same] += 1
        self._conclude(name, names)

    def _conclude(self, name: str, names: Iterable[str]) -> None:
        """What makes no difference on a host, after votes on some aspects."""
        idle = self._idle.get(name, frozenset())
        now = idle.difference(names) | {label for label in names if self._makes_none(name, label)}
        if now != idle:
            self._idle[name] = now
            self._taken.pop(name, None)

    def _makes_none(self, name: str, label: str) -> bool:
        if (name, label) in self._single:
            return False  # perhaps it says that there is no such topic, or nothing on sale
        same, differ = self._votes[name, label]
        needed = 1 if is_expected(label, "") else self.needed
        return same >= needed and differ * RARELY <= same

    def _of(self, name: str) -> dict[str, str]:
        """The visited URLs of a host by what is left of them."""
        taken = self._taken.get(name)
        if taken is None:
            taken = self._taken[name] = {}
            for url in self._visited(name):
                self._take(name, taken, aspects(url), url)
        return taken

    def _take(self, name: str, taken: dict[str, str], found: Aspects, url: str) -> None:
        taken.setdefault(without(found, self._idle[name]), url)
        if len(taken) > TAKEN:
            del taken[next(iter(taken))]

    # -- mirrors ------------------------------------------------------------------------------------------

    def _vote_mirror(self, seen: Seen, original: str) -> None:
        name = host(seen.url)
        if original and bare(host(original)) != bare(name):
            if parts(original)[1:] == parts(seen.url)[1:]:
                mirrored, votes = self._mirrors.setdefault(name, (host(original), [0, 0]))
                votes[0] += mirrored == host(original)
        elif name in self._mirrors:
            there = self._by_key(key(self._mirrored(seen.url)))
            if there is not None and not _same(seen, there):
                self._mirrors[name][1][1] += 1

    def _mirrored(self, url: str) -> str:
        """A URL of a mirror at the host that it mirrors."""
        scheme, _, rest = url.partition("//")
        return f"{scheme}//{self._mirrors[host(url)][0]}/{rest.partition('/')[2]}"

    # -- what is left -------------------------------------------------------------------------------------

    def why_not(self, link: Link) -> str:
        """Why a link is not followed; "" when it is."""
        if not self.needed or link.kind in (*SEEDS, LinkKind.PROBE) or link.key % STILL_TRIED == 0:
            return ""
        return self._same_page(link.url) or self._in_mirror(link.url)

    def _same_page(self, url: str) -> str:
        name = bare(host(url))
        idle = self._idle.get(name)
        if not idle:
            return ""
        found = aspects(url)
        other = self._of(name).get(without(found, idle))
        if other is None or other == url:
            return ""
        names = sorted(label.lstrip("?") for label in difference(found, aspects(other)))
        return f"{NO_DIFFERENCE}: same page as {other} ({', '.join(names)})"

    def _in_mirror(self, url: str) -> str:
        if host(url) not in self._mirrors:
            return ""
        mirrored, (same, differ) = self._mirrors[host(url)]
        if same < max(self.needed, MIRROR_PAGES) or differ * RARELY > same:
            return ""
        there = self._mirrored(url)
        if self._by_key(key(there)) is None:
            return ""
        return f"{NO_DIFFERENCE}: same page as {there} (this host mirrors {mirrored})"


def _same(one: Seen, other: Seen) -> bool:
    """Whether two pages whose URLs are alike are one."""
    return one.root == other.root or one.text == other.text
