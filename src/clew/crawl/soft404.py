"""Hosts that answer *not found* with status 200: learned by asking them for a URL that is made up.

A host is asked when ``traps.soft_404`` of its pages repeated another page of it at other paths, or were short, similar,
and of one title. The made-up URL is a link like any other: it counts as a request, and its page is stored. A page that
looks like the answer is no page: it is not relevant, and its links are not followed.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

import numpy as np

from clew.crawl.enqueuing import add_row
from clew.crawl.parts import Parts
from clew.crawl.verdicts import SOFT_404
from clew.errors import StoreError
from clew.model import Fingerprint, LinkBatch, LinkKind, Page, TermIds, Visit
from clew.store.records import VisitRow
from clew.text.reader import seed_links
from clew.text.terms import tokeniser
from clew.urls.canonical import host, keys, origin, url_words
from clew.urls.traps import parts as url_parts

SHORT_TERMS = 60
"""What says *not found* has fewer distinct terms; longer pages must be nearly the same as the answer."""

ALIKE = 0.8
"""Share of the distinct terms of two short pages that both have, from which on they say the same."""

BITS = 3
SIMILAR_BITS = 14
"""Bits in which the SimHashes of two short pages differ that share four terms in five."""


class _Host:
    """What is known of how a host answers. ``answer``: its visit and page to the made-up URL, None for an honest no."""

    __slots__ = ("answer", "asked", "last_path", "near", "signs", "title")

    def __init__(self) -> None:
        self.signs = 0
        self.title = self.near = 0
        self.last_path = ""
        self.asked = False
        self.answer: tuple[int, Fingerprint, TermIds] | None = None


class SoftNotFound:
    """Finds pages that say that there is no page."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.needed = parts.settings.traps.soft_404
        self._hosts: dict[str, _Host] = {}

    def resume(self) -> None:
        """Hosts that were asked already, whether or not they have answered."""
        for _, batch in self.parts.store.links.batches(seeds=True):
            if batch.links.kinds[:1] == (LinkKind.PROBE,):
                self._of(batch.links.host_names[0]).asked = True

    def _of(self, name: str) -> _Host:
        found = self._hosts.get(name)
        if found is None:
            found = self._hosts[name] = _Host()
        return found

    # -- pages --------------------------------------------------------------------------------------------

    def judge(self, visit: Visit) -> Visit:
        """The visit as it is to be remembered: answers to made-up URLs, and pages like them, are no pages."""
        page, name = visit.page, visit.link.host
        if visit.link.kind is LinkKind.PROBE:
            reason = visit.reason or f"{SOFT_404}: its URL was made up"
            return replace(visit, relevant=False, reason=reason, links=self._without_links(visit))
        known = self._hosts.get(name)
        if page is None or known is None or known.answer is None:
            return visit
        number, prints, terms = known.answer
        if not _alike(page, prints, terms):
            return visit
        reason = f"{SOFT_404}: {name} answers so to a made-up URL"
        return replace(visit, relevant=False, reason=reason, links=None, duplicate_of=number)

    def _without_links(self, visit: Visit) -> LinkBatch | None:
        """The terms of a page, which are stored with its links, and no links."""
        if visit.links is None:
            return None
        none = seed_links((), keys(()), (), url_words, LinkKind.ANCHOR)
        return self.parts.evidence.batch(visit.links.source, none, visit.links.leaves)

    def learn(self, visit: Visit, original: str) -> None:
        """A visit was remembered: an answer to a made-up URL, or a sign that one should be asked for. ``original``:
        the URL of the page it repeats, "" for none."""
        if visit.link.kind is LinkKind.PROBE:
            if visit.page is not None:
                terms = _own_terms(visit.page.leaves.ids, visit.link.url, visit.page.language)
                self._of(visit.link.host).answer = (visit.number, visit.page.fingerprint, terms)
        elif visit.page is not None and self._sign(visit.link.url, visit.page.fingerprint, original):
            self._ask(visit.link.url)

    def recall(self, row: VisitRow, prints: Fingerprint, original: str) -> None:
        """The same for a visit of an earlier run."""
        if row.kind is LinkKind.PROBE:
            try:
                ids = self.parts.store.links.batch(row.number).leaves.ids
            except StoreError:
                ids = np.empty(0, np.uint32)
            self._of(row.host).answer = (row.number, prints, _own_terms(ids, row.url, row.language))
        else:
            self._sign(row.url, prints, original)

    # -- signs --------------------------------------------------------------------------------------------

    def _sign(self, url: str, prints: Fingerprint, original: str) -> bool:
        """Count a page that repeats another one, or is short and has the title of the one before; whether that makes
        it time to ask."""
        name, path, _ = url_parts(url)
        known = self._of(name)
        short = bool(prints.title) and prints.title == known.title and prints.terms < SHORT_TERMS
        short = short and (prints.near ^ known.near).bit_count() <= SIMILAR_BITS
        known.title, known.near = prints.title, prints.near
        there = url_parts(original)[:2] if original else (name, path)
        if path != known.last_path and (short or (there[0] == name and there[1] != path)):
            known.signs += 1
        known.last_path = path
        return bool(self.needed) and known.signs >= self.needed and not known.asked

    def _ask(self, url: str) -> None:
        """Put a made-up URL of a page's host on the frontier, before all other links."""
        name = blake2b(host(url).encode(), digest_size=16).hexdigest()
        made_up = f"{origin(url)}/{name[:16]}/{name[16:]}"
        self._of(host(url)).asked = True
        if not self.parts.scope.why_not(made_up, 0):
            add_row(self.parts, [made_up], LinkKind.PROBE)


def _own_terms(ids: TermIds, url: str, language: str) -> TermIds:
    """The distinct terms of a page, but for those of its URL, which it may repeat."""
    return np.setdiff1d(ids, tokeniser(language).ids(url_words(url)))


def _alike(page: Page, prints: Fingerprint, terms: TermIds) -> bool:
    """Whether a page says what another one says."""
    mine = page.fingerprint
    if mine.text == prints.text or mine.content == prints.content:
        return True
    if min(mine.terms, prints.terms) >= SHORT_TERMS:
        return (mine.near ^ prints.near).bit_count() <= BITS
    own = _own_terms(page.leaves.ids, page.url, page.language)
    both = len(np.intersect1d(own, terms, assume_unique=True))
    return both >= 2 and both >= ALIKE * (len(own) + len(terms) - both)
