"""Erasing what a crawl database holds of some URLs, so that its file holds none of it any more.

A visit stays as a number in the order of visits, since others lead back to it, but says nothing of the page. Its packed
row keeps the links that were followed from it, which other rows name; the others, all anchors and all terms go.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from clew.model import Bools, Keys, Leaves, Links, Outcome
from clew.store.packed import pack_evidence, pack_heads, pack_source, unpack_evidence, unpack_heads, unpack_source
from clew.store.sqlite.database import FileDatabase, Row
from clew.store.sqlite.schema import unsigned

FORGOTTEN = "forgotten: clew forget"
"""The reason of a visit that was erased."""

Matches = Callable[[str], bool]

_BLANK = (
    "UPDATE visits SET url = '', status = 0, outcome = ?, reason = ?, relevance = 0, relevant = 0, topic = NULL,"
    " confidence = NULL, title = '', language = '', content_type = '', charset = '', canonical = '', digest = '',"
    " bytes = 0, location = '', warc_file = '', warc_offset = 0, topic_scores = NULL WHERE number = ?"
)


@dataclass(slots=True)
class Erased:
    """What was erased: visits, example pages, refused URLs; ``records``: where the visits lay in the archive, offsets
    by file."""

    visits: int = 0
    examples: int = 0
    refused: int = 0
    records: dict[str, set[int]] = field(default_factory=dict)


def erase(path: Path, matches: Matches) -> Erased:
    """Erase all URLs that match from the database at ``path``. Raises ProjectError while a crawl uses it.

    One transaction; then the file is written anew, so that nothing is left in its free pages.
    """
    database = FileDatabase(path, read_only=False)
    try:
        database.rows("PRAGMA secure_delete = ON")
        found = _Eraser(database, matches).run()
        database.commit()
        database.rows("VACUUM")
        database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return found
    finally:
        database.close()


class _Eraser:
    def __init__(self, database: FileDatabase, matches: Matches) -> None:
        self.database, self.matches = database, matches
        self.found = Erased()

    def run(self) -> Erased:
        rows = self.database.rows(
            "SELECT number, key, url, location, canonical, warc_file, warc_offset, reason FROM visits"
        )
        gone = {row[0]: row for row in rows if row[2] and self.matches(row[2])}
        self.found.visits = len(gone)
        for number, key, _, _, _, file, offset, _ in gone.values():
            if file:
                self.found.records.setdefault(file, set()).add(offset)
            self._blank_links(number, unsigned(key), set(gone))
        for (row,) in self.database.rows("SELECT row FROM heads WHERE row <= 0"):
            self._blank_links(row, None, set(gone))
        if gone:
            values = [(Outcome.FAILED.value, FORGOTTEN, number) for number in gone]
            self.database.write(_BLANK, values)
            self.database.write("DELETE FROM retries WHERE key = ?", [(row[1],) for row in gone.values()])
            self.database.write("DELETE FROM prints WHERE visit = ?", [(number,) for number in gone])
        urls = {row[2] for row in gone.values()}
        self._unname([row for row in rows if row[0] not in gone], urls)
        self._archetypes(set(gone))
        self._documents(set(gone))
        self._examples()
        self._refused()
        self._decisions(urls)
        return self.found

    def _blank_links(self, row: int, own: int | None, gone: set[int]) -> None:
        """The packed row of a page: links to pages that stay are kept; all else goes. Of a row of seeds (``own`` is
        None) only links to pages that go."""
        packed = self.database.rows(
            "SELECT h.heads, h.scores, e.source, e.data FROM evidence e JOIN heads h ON h.row = e.row WHERE h.row = ?",
            (row,),
        )
        if not packed:
            return
        heads, scores, source, data = packed[0]
        keys, hosts = unpack_heads(heads)
        links, leaves = unpack_evidence(data, keys)
        taken: dict[int, int] = dict(self.database.rows("SELECT link_index, number FROM visits WHERE row = ?", (row,)))
        otherwise = own is None  # of a link that was not followed: a seed stays, what only the page names goes
        kept = np.array(
            [taken[index] not in gone if index in taken else otherwise for index in range(len(links))], np.bool_
        )
        if own is None and kept.all():
            return
        followed = np.array([own is None or index in taken for index in range(len(links))], np.bool_)
        blank = _blanked(links, kept, np.where(followed, links.keys, np.uint64(own or 0)))
        values = np.where(kept, np.frombuffer(scores, "<f4"), np.float32("nan")).astype("<f4")
        self.database.write(
            "UPDATE heads SET heads = ?, scores = ? WHERE row = ?",
            [(pack_heads(blank.keys, hosts), values.tobytes(), row)],
        )
        empty = Leaves(np.empty(0, np.uint32), np.zeros(1, np.int32))
        origin = source if own is None else pack_source(replace(unpack_source(source), url=""))
        evidence = pack_evidence(blank, leaves if own is None else empty)
        self.database.write("UPDATE evidence SET source = ?, data = ? WHERE row = ?", [(origin, evidence, row)])

    def _unname(self, others: list[Row], gone: set[str]) -> None:
        """Other visits that name the URL: redirects to it, pages that call it their canonical form, reasons."""
        for number, _, _, location, canonical, _, _, reason in others:
            there, form = ("" if url and self.matches(url) else url for url in (location, canonical))
            unnamed = (there, form) == (location, canonical) and not any(url in reason for url in gone)
            said = reason if unnamed else "names a page that was forgotten"
            if (there, form, said) != (location, canonical, reason):
                sql = "UPDATE visits SET location = ?, canonical = ?, reason = ? WHERE number = ?"
                self.database.write(sql, [(there, form, said, number)])

    def _archetypes(self, gone: set[int]) -> None:
        for topic, visits in self.database.rows("SELECT topic, visits FROM archetypes"):
            left = [number for number in json.loads(visits) if number not in gone]
            self.database.write("UPDATE archetypes SET visits = ? WHERE topic = ?", [(json.dumps(left), topic)])

    def _documents(self, gone: set[int]) -> None:
        """Documents that match, and those that inherit from a page that goes. Other pages may link to the latter: the
        next run finds all of them anew, since it does not know by which settings they were found."""
        rows = self.database.rows("SELECT key, url, parent FROM documents")
        lost = [(key,) for key, url, parent in rows if self._web(url) or parent in gone]
        if lost:
            self.database.write("DELETE FROM documents WHERE key = ?", lost)
            self.database.write("DELETE FROM states WHERE strategy = ?", [("[documents]",)])

    def _examples(self) -> None:
        rows = self.database.rows("SELECT id, line, facts FROM examples")
        gone = [(id_,) for id_, line, facts in rows if self._web(line) or self._web(json.loads(facts)["url"])]
        self.found.examples = len(gone)
        self.database.write("DELETE FROM examples WHERE id = ?", gone)

    def _refused(self) -> None:
        rows = self.database.rows("SELECT key, url FROM refused")
        gone = [(key,) for key, url in rows if self._web(url)]
        self.found.refused = len(gone)
        self.database.write("DELETE FROM refused WHERE key = ?", gone)

    def _decisions(self, urls: set[str]) -> None:
        """Decisions and learned states that spell the URL out."""
        rows = self.database.rows("SELECT id, facts FROM decisions")
        gone = [(id_,) for id_, facts in rows if any(url in facts for url in urls)]
        self.database.write("DELETE FROM decisions WHERE id = ?", gone)
        states = self.database.rows("SELECT strategy, state FROM states")
        told = [(name,) for name, state in states if any(url.encode() in bytes(state) for url in urls)]
        self.database.write("DELETE FROM states WHERE strategy = ?", told)

    def _web(self, url: str) -> bool:
        return "://" in url and self.matches(url)


def _blanked(links: Links, kept: Bools, keys: Keys) -> Links:
    """Links of which only the kept ones say where they lead. The others have the key of a page that is done, so that
    nobody takes them."""
    used = {int(links.host_index[index]) for index in np.flatnonzero(kept)}
    return Links(
        urls=tuple(url if keep else "" for url, keep in zip(links.urls, kept, strict=True)),
        keys=keys,
        host_names=tuple(name if place in used else "" for place, name in enumerate(links.host_names)),
        host_index=links.host_index,
        nofollow=links.nofollow | ~kept,
        kinds=links.kinds,
        url_term_ids=np.empty(0, np.uint32),
        url_term_starts=np.zeros(len(links) + 1, np.int32),
        anchors=(),
        spans=np.empty((0, 3), np.int32),
    )
