"""Documents that are not read inherit from the best page that links to them (Bergmark and others 2002, footnote 1).

``crawl.documents = "listed"``: links to them are not followed, they are in the collection as soon as a page links to
them. "fetched": they are fetched and archived like pages. What cannot be read (a PDF of pictures; PDF at all unless
limits.documents is on) inherits; what is read is judged as a page is.

All of it follows from stored links and visits: ``rebuild`` goes through them once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from clew.crawl.parts import Parts
from clew.model import LinkBatch, Outcome, Visit
from clew.store.records import DocumentRow, VisitRow
from clew.text.mediatypes import INHERITING_TYPES, inheriting_suffixes
from clew.urls.aspects import has_ending

SETTINGS = "[documents]"
"""Under this name the settings of the last run are kept, beside the states of strategies."""

OFF = msgspec.json.encode(("off", ()))
TITLE_CHARS = 200


class _Parent(NamedTuple):
    number: int
    relevance: float
    relevant: bool
    topic: int


class Documents:
    """Told of every visit after it was remembered (``learn``)."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._mode = parts.settings.crawl.documents
        self._endings = inheriting_suffixes(parts.settings)
        self._others: set[int] = set()  # keys of documents that only their content type tells

    def resume(self) -> bool:
        """Take up the documents of earlier runs. True: settings changed, so links must be scored again."""
        journal = self.parts.store.journal
        now = msgspec.json.encode((self._mode, self._endings)) if self._endings else OFF
        saved = journal.saved(SETTINGS)
        changed = now != (OFF if saved is None else saved.state)
        if changed:
            self.rebuild()
            journal.save(SETTINGS, 0, now)
        elif self._endings:
            self._others = {row.key for row in self.parts.store.documents.all() if not self._told(row.url)}
        return changed and self.parts.progress.visits > 0

    def rebuild(self) -> None:
        """Find all documents anew, by the relevance that their pages have now."""
        store = self.parts.store
        store.documents.clear()
        self._others.clear()
        if not self._endings:
            return
        for row in store.visits.rows():
            if self._is_other(row.url, row.status, row.content_type, judged=row.judged):
                self._others.add(row.key)
        for number, batch in store.links.batches():
            if number > 0 and (places := self._places(batch)):
                self._offer(number, batch, places, self._parent(number))

    def learn(self, visit: Visit) -> None:
        """A visit was remembered: its page links to documents, or it is one."""
        if not self._endings:
            return
        status, kind = visit.response.status, visit.response.media_type
        if visit.page is None and self._is_other(visit.link.url, status, kind, judged=False):
            self._learn_other(visit)
        if visit.links is None or not (places := self._places(visit.links)):
            return
        if visit.judgement is not None:
            parent = _Parent(visit.number, visit.relevance, visit.relevant, visit.judgement.topic)
            self._offer(visit.number, visit.links, places, parent)
        else:
            self._offer(visit.number, visit.links, places, self._parent(visit.number))

    def _learn_other(self, visit: Visit) -> None:
        """A document that no ending told: it was linked to by pages before, of which the one that led to it counts, and
        from now on by others."""
        self._others.add(visit.link.key)
        number = visit.link.batch.source.visit
        if number > 0:
            self._offer(number, visit.link.batch, [visit.link.index], self._parent(number))

    # -- what is a document -------------------------------------------------------------------------------

    def _told(self, url: str) -> bool:
        return has_ending(url, self._endings)

    def _is_other(self, url: str, status: int, content_type: str, *, judged: bool) -> bool:
        return not judged and 200 <= status < 300 and content_type in INHERITING_TYPES and not self._told(url)

    def _places(self, batch: LinkBatch) -> list[int]:
        """Which links of a page lead to documents and may be followed."""
        links, crawl, deepest = batch.links, self.parts.settings.crawl, self.parts.settings.scope.max_depth
        found = [place for place, url in enumerate(links.urls) if self._told(url)]
        if self._others:
            found += [place for place, one in enumerate(links.keys.tolist()) if one in self._others]
        if crawl.nofollow:
            found = [place for place in found if not links.nofollow[place]]
        return [place for place in found if not deepest or batch.depths[place] <= deepest] if found else found

    # -- whom it inherits from ----------------------------------------------------------------------------

    def _parent(self, number: int) -> _Parent | None:
        """The page of a visit, or the one that led to a redirect; None where that is no page that was judged."""
        row: VisitRow | None = self.parts.store.visits.get(number)
        while row is not None and row.outcome is Outcome.REDIRECT:
            row = self.parts.store.visits.get(row.source)
        if row is None or row.topic is None:
            return None
        return _Parent(row.number, row.relevance, row.relevant, row.topic)

    def _offer(self, row: int, batch: LinkBatch, places: list[int], parent: _Parent | None) -> None:
        if parent is None:
            return
        for document in self._rows(row, batch, places, parent):
            self.parts.store.documents.offer(document)

    def _rows(self, row: int, batch: LinkBatch, places: list[int], parent: _Parent) -> Iterator[DocumentRow]:
        for place in places:
            url = batch.links.urls[place]
            yield DocumentRow(
                key=int(batch.links.keys[place]),
                url=url,
                row=row,
                link_index=place,
                parent=parent.number,
                title=batch.anchor_text(place)[:TITLE_CHARS],
                relevance=parent.relevance,
                relevant=parent.relevant,
                topic=parent.topic,
                listed=self._mode == "listed" and self._told(url),
            )
