"""What a crawl learns of the web's repetitions: duplicates, URLs that make no difference, traps, soft 404s.

All of it follows from stored visits, in their order: ``resume`` goes through them once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from clew.crawl.aliases import Aliases, Seen
from clew.crawl.duplicates import Duplicates
from clew.crawl.parts import Parts
from clew.crawl.soft404 import SoftNotFound
from clew.crawl.traps import TRAP, Traps
from clew.crawl.verdicts import NO_DIFFERENCE, SOFT_404
from clew.model import LISTS, NO_FINGERPRINT, Fingerprint, Link, Outcome, Visit
from clew.store.records import PrintRow
from clew.text.mediatypes import INHERITING_TYPES

SETTINGS = "[traps]"
"""Under this name the settings of the last run are kept, beside the states of strategies."""


class Lessons:
    """Asked of every visit before it is remembered (``judge``), told of it afterwards (``learn``), and asked before a
    link is fetched (``why_not``)."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.duplicates = Duplicates(parts)
        self.traps = Traps(parts)
        self.soft = SoftNotFound(parts)
        self.aliases = Aliases(parts.settings.traps.same_pages, self._visited, self._by_key)

    def resume(self) -> None:
        """Take up the visits of earlier runs."""
        self.soft.resume()
        prints = self.parts.store.visits.prints()
        coming = next(prints, None)
        for row in self.parts.store.visits.rows():
            found = coming if coming is not None and coming.number == row.number else None
            if found is not None:
                coming = next(prints, None)
            if row.kind in LISTS:
                continue
            if found is not None:
                original = self._original(found)
                self.soft.recall(row, found.fingerprint, original)
                self._learn(row.url, found, original, row.reason)
            if _tells(row.outcome, row.status) and not self._inherits(row.judged, row.content_type):
                self.traps.learn(row.url, barren=found is None or found.barren)

    def take_back(self) -> None:
        """When [traps] or [duplicates] changed since the last run, what they had refused is looked at again."""
        settings, journal = self.parts.settings, self.parts.store.journal
        now = msgspec.json.encode((settings.traps, settings.duplicates))
        before = journal.saved(SETTINGS)
        if before is None or before.state != now:
            for reason in (TRAP, NO_DIFFERENCE):
                self.parts.store.links.readmit(reason=reason)
            journal.save(SETTINGS, 0, now)

    def judge(self, visit: Visit) -> Visit:
        """The visit as it is to be remembered."""
        if visit.link.kind in LISTS:
            return visit
        found = self.soft.judge(visit)
        visit = self.duplicates.judge(visit) if found is visit else found
        return replace(visit, barren=True) if self.traps.is_barren(visit) else visit

    def learn(self, visit: Visit) -> None:
        """A visit was remembered."""
        if visit.link.kind in LISTS:
            return
        if visit.page is not None:
            row = PrintRow(visit.number, visit.page.fingerprint, visit.duplicate_of, visit.barren)
            original = self._original(row)
            self.soft.learn(visit, original)
            self._learn(visit.link.url, row, original, visit.reason)
        response = visit.response
        read = visit.page is not None
        if _tells(response.outcome, response.status) and not self._inherits(read, response.media_type):
            self.traps.learn(visit.link.url, barren=visit.barren)

    def _inherits(self, read: bool, content_type: str) -> bool:
        """Whether a visit gave a document that is in the collection unread: a folder of papers is no trap."""
        return not read and self.parts.settings.crawl.documents != "off" and content_type in INHERITING_TYPES

    def _original(self, row: PrintRow) -> str:
        """The URL of the page that a page repeats, "" for none."""
        found = self.parts.store.visits.get(row.duplicate_of) if row.duplicate_of else None
        return found.url if found is not None else ""

    def _learn(self, url: str, row: PrintRow, original: str, reason: str) -> None:
        self.duplicates.recall(row)
        if not reason.startswith(SOFT_404):
            self.aliases.learn(_seen(url, row.fingerprint, row.duplicate_of or row.number), original)
            self.traps.learn_farm(url, original, barren=row.barren)

    def why_not(self, link: Link) -> str:
        """Why a link is not followed; "" when it is."""
        return self.traps.why_not(link) or self.aliases.why_not(link)

    def _visited(self, name: str) -> Iterator[str]:
        return self.parts.store.visits.urls_on([name, f"www.{name}"])

    def _by_key(self, url_key: int) -> Seen | None:
        row = self.parts.store.visits.by_key(url_key)
        if row is None or not row.judged:
            return None
        known = self.duplicates.table.get(row.number)
        prints = known.fingerprint if known is not None else NO_FINGERPRINT
        return _seen(row.url, prints, row.duplicate_of or row.number)


def _seen(url: str, prints: Fingerprint, root: int) -> Seen:
    return Seen(url, prints.text, prints.terms, root)


def _tells(outcome: Outcome, status: int) -> bool:
    """Whether an answer says something of the page, and not of a host that fails or a line that is down."""
    return outcome is Outcome.OK or (outcome is Outcome.FAILED and 400 <= status < 500 and status != 429)
