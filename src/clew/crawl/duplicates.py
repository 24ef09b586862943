"""Pages that repeat another one: they count once, and their links are not followed twice.

A page repeats an earlier one when both have

* the same text and links to the same places, links within its host read as paths (so mirrors are found), or
* the same text of some length, or nearly the same terms by their SimHashes and the same title, or
* the same bytes, and the one links to the other.

The links of the first kind lead nowhere new. Those of the others are followed once: not from a page that stands on
the page it repeats, or on one that repeats another itself. So webs of copies without end (tickets, paths that grow,
sort orders, pages that say *not found*) come to an end, whatever their links look like.

What is known follows from stored rows alone, so a resumed crawl finds the same.
"""

from __future__ import annotations

from dataclasses import replace

from clew.crawl.parts import Parts
from clew.crawl.printtable import PrintTable
from clew.crawl.verdicts import SAME_PAGE
from clew.model import Page, Visit
from clew.store.records import PrintRow
from clew.urls.canonical import key

SAME_TERMS = 5
"""Pages of fewer distinct terms, and without links, say too little to be told apart."""

SAME_TEXT_TERMS = 10
"""Pages of fewer distinct terms may have the same text by chance (menus, frames, galleries)."""

HOW = {"content": "same text and links", "text": "same text", "near": "nearly the same text", "body": "same bytes"}


class Duplicates:
    """Finds out whether a page repeats one of those visited before."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.settings = parts.settings.duplicates
        self.table = PrintTable(self.settings.remember)

    def recall(self, row: PrintRow) -> None:
        """A page was remembered, or had been in an earlier run."""
        self.table.add(row)

    def judge(self, visit: Visit) -> Visit:
        """The visit as it is to be remembered: a page that repeats another one is not relevant."""
        page = visit.page
        if page is None or not self.settings.find:
            return visit
        original, how = self._declared(visit, page)
        if not original and not visit.reason.startswith(SAME_PAGE):
            original, how = self._original(visit, page)
        if original and how:
            reason = f"{SAME_PAGE} {self._url(original)} ({HOW[how]})"
            links = visit.links if self._leads_on(visit, original, how) else None
            visit = replace(visit, relevant=False, links=links, reason=reason)
        return replace(visit, duplicate_of=original) if original else visit

    def _declared(self, visit: Visit, page: Page) -> tuple[int, str]:
        """The visit that the page names as its canonical one, where that was believed."""
        if not visit.reason.startswith(SAME_PAGE) or not page.canonical:
            return 0, ""
        row = self.parts.store.visits.by_key(key(page.canonical))
        return (row.duplicate_of or row.number, "") if row is not None else (0, "")

    def _original(self, visit: Visit, page: Page) -> tuple[int, str]:
        """The visit whose page this one repeats (0: none), and in what way."""
        prints = page.fingerprint
        if (prints.terms >= SAME_TERMS or len(page.links)) and (found := self.table.same(prints.content)):
            return found, "content"
        if prints.terms >= SAME_TEXT_TERMS and (found := self.table.same_text(prints.text)):
            return found, "text"
        if found := self.table.same_body(visit.link.batch.source.visit, prints.body):
            return found, "body"
        if prints.terms >= self.settings.terms:
            return self.table.near(prints, self.settings.bits, self.settings.terms), "near"
        return 0, ""

    def _leads_on(self, visit: Visit, original: int, how: str) -> bool:
        """Whether the links of a page that repeats another one are followed."""
        if how == "content":
            return False
        source = visit.link.batch.source.visit
        parent = self.table.get(source)
        return source != original and (parent is None or not parent.duplicate_of)

    def _url(self, number: int) -> str:
        return next(iter(self.parts.store.visits.urls([number]).values()), f"visit {number}")
