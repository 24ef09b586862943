"""Pages that go on without end, and farms of hosts: left when one after the other brings nothing new.

Pages that look alike (``clew.urls.traps``) are counted together. A page is *barren* when it is not relevant and repeats
another one or leads to nothing new but pages of its own look. After ``traps.patience`` barren pages in a row (of merely
numbered pages ``traps.numbered``), links that stand on such pages and lead to more of them are refused; after five
times as many, those that stand elsewhere too, but for one in sixteen. One page that brings something ends the row.

Links are judged when their turn comes, so nothing is refused that was fetched already.
"""

from __future__ import annotations

from collections.abc import Callable

from clew.crawl.parts import Parts
from clew.model import SEEDS, Link, LinkBatch, LinkKind, Outcome, Visit
from clew.urls.canonical import host, parted
from clew.urls.traps import Kind, Shape, goes_on, is_hopeless, is_sort_order, shape

TRAP = "trap"
"""How the reason of a refusal begins that other settings of [traps] take back."""

FROM_ELSEWHERE = 5
"""Times ``traps.patience``: barren pages in a row before links from elsewhere are refused too."""

STILL_TRIED = 16
"""One in so many of those is followed all the same: it may end the row."""

SHAPES = 1 << 17
"""Looks that are remembered; beyond it the oldest are forgotten."""


class Traps:
    """What was seen of pages by their looks, and of hosts by their domains."""

    def __init__(self, parts: Parts) -> None:
        self.settings = parts.settings.traps
        self.known: Callable[[LinkBatch], list[bool]] = lambda links: parts.frontier.known(links.links.keys).tolist()
        self.spent: Callable[[str], bool] = lambda name: bool(
            parts.store.hosts.spent(int(parts.store.hosts.ids([name])[0]))
        )
        self._rows: dict[Shape, int] = {}  # barren pages in a row
        self._farms: dict[str, set[str]] = {}  # domain -> hosts with pages of others

    # -- what a page brought ------------------------------------------------------------------------------

    def is_barren(self, visit: Visit) -> bool:
        """Whether a visit brought nothing new. Asked before its links enter the frontier."""
        if visit.response.outcome is Outcome.REDIRECT or visit.relevant:
            return False
        look = shape(visit.link.url)
        if visit.links is None or visit.duplicate_of or look is None or look.kind is Kind.PATH:
            return True
        known = self.known(visit.links)
        return all(old or shape(url) == look for url, old in zip(visit.links.links.urls, known, strict=True))

    def learn(self, url: str, *, barren: bool) -> None:
        """Count a visit (redirects apart)."""
        look = shape(url)
        if look is not None:
            row = self._rows.pop(look, 0)
            self._rows[look] = row + 1 if barren else 0
            if len(self._rows) > SHAPES:
                del self._rows[next(iter(self._rows))]

    def learn_farm(self, url: str, original: str, *, barren: bool) -> None:
        """Count a page's host, if its page repeats one of another host of its domain (``original``: its URL)."""
        if not (original if barren else self._farms):
            return
        name = host(url)
        domain = domain_of(name)
        if not barren:
            self._farms.pop(domain, None)
        elif domain and host(original) != name and domain_of(host(original)) == domain:
            self._farms.setdefault(domain, set()).add(name)

    # -- what is left -------------------------------------------------------------------------------------

    def why_not(self, link: Link) -> str:
        """Why a link is not followed; "" when it is."""
        if not self.settings.patience or link.kind in (*SEEDS, LinkKind.PROBE):
            return ""
        source = link.batch.source.url
        if is_sort_order(link.url, source):
            return f"{TRAP}: it sorts the list that it stands on (traps.patience)"
        look = shape(link.url)
        if look is not None and look.kind is Kind.PATH and is_hopeless(link.url):
            return f"{TRAP}: {Kind.PATH} (traps.patience)"
        return self._endless(link, source, look) or self._farmed(link)

    def _endless(self, link: Link, source: str, look: Shape | None) -> str:
        row = self._rows.get(look, 0) if look is not None else 0
        if look is None or not row:
            return ""
        numbered = look.kind is Kind.NUMBERED
        patience = self.settings.numbered if numbered else self.settings.patience
        if not patience or row < patience:
            return ""
        within = goes_on(link.url, source)
        spared = numbered or row < FROM_ELSEWHERE * patience or link.key % STILL_TRIED == 0
        if not within and spared:
            return ""
        setting = "numbered" if numbered else "patience"
        return f"{TRAP}: {look.kind}, {look.pattern}: {patience} pages in a row brought nothing new (traps.{setting})"

    def _farmed(self, link: Link) -> str:
        most = self.settings.farm_hosts
        if not most or not self._farms:
            return ""
        domain = domain_of(link.host)
        barren = self._farms.get(domain) if domain else None
        if barren is None or len(barren) < most or domain_of(link.batch.source.host) != domain or self.spent(link.host):
            return ""
        return f"{TRAP}: a farm of hosts: {most} hosts of {domain} have one another's pages (traps.farm_hosts)"


def domain_of(name: str) -> str:
    """The domain of which a host is one among others: without its first label; "" for www, and where that is none."""
    labels = parted(name)[0].split(".")
    return ".".join(labels[1:]) if len(labels) > 2 and labels[0] != "www" and not labels[-1].isdecimal() else ""
