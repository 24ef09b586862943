"""The Store on one SQLite file (``crawl.db``), or in memory: a module a facet, over one open transaction.

Writing gathers rows in memory and passes them to SQLite statement by statement, many rows at a time, when the group
is committed or something is read. Batches lately written or read are kept, so that a crawl which follows the links
of the page it just read asks the disk for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clew.store.sqlite.documents import SqliteDocuments
from clew.store.sqlite.examples import SqliteExamples
from clew.store.sqlite.hosts import SqliteHosts
from clew.store.sqlite.journal import SqliteJournal
from clew.store.sqlite.links import SqliteLinks
from clew.store.sqlite.renumbering import renumber
from clew.store.sqlite.transaction import Transaction
from clew.store.sqlite.visits import SqliteVisits


class SqliteStore:
    """A Store (see ``clew.store.base``) in the file ``path``. Open it before use.

    Without a path (None or ":memory:") it is in memory: what was committed lasts as long as this object, over ``close``
    and ``open``; there is no lock, and it cannot be opened read-only.
    """

    def __init__(self, path: Path | str | None) -> None:
        self.path = None if path is None or str(path) == ":memory:" else Path(path)
        self._transaction = Transaction(self.path)
        self.hosts = SqliteHosts(self._transaction)
        self.links = SqliteLinks(self._transaction, self.hosts)
        self.journal = SqliteJournal(self._transaction)
        self.visits = SqliteVisits(self._transaction, self.hosts, self.links, self.journal)
        self.documents = SqliteDocuments(self._transaction)
        self.examples = SqliteExamples(self._transaction)

    def open(self, *, read_only: bool = False) -> None:
        self.close()
        self._transaction.open(read_only=read_only)
        try:
            self._recall()
        except BaseException:
            self.close()
            raise

    def _recall(self) -> None:
        """What the facets keep in memory, as it was committed."""
        self._transaction.forget()
        for facet in (self.hosts, self.links, self.journal, self.visits):
            facet.recall()

    def close(self) -> None:
        self._transaction.close()
        for facet in (self.hosts, self.links, self.journal, self.visits):
            facet.forget()

    def refresh(self) -> None:
        if self._transaction.database.read_only:
            self._transaction.database.refresh()
            self._recall()

    def commit(self) -> None:
        self._transaction.commit()
        self.visits.committed()

    def renumber(self, places: Sequence[int], topics: int) -> None:
        renumber(self._transaction, places, topics)
        archetypes = {places[topic]: numbers for topic, numbers in self.journal.archetypes.items()}
        self.journal.archetypes = {topic: archetypes[topic] for topic in sorted(archetypes) if topic >= 0}
        self.links.drop_kept()
