"""The visits of a SQLite store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from clew.errors import StoreError
from clew.model import Bools, Doubles, Link, LinkKind, Outcome, Visit
from clew.store.packed import pack_source
from clew.store.records import (
    HostIds,
    JudgedColumns,
    Order,
    Place,
    PrintRow,
    Rejudged,
    Selection,
    Series,
    TopicCount,
    Totals,
    VisitRow,
)
from clew.store.sqlite import lists, schema
from clew.store.sqlite.database import CHUNK, Row
from clew.store.sqlite.hosts import SqliteHosts
from clew.store.sqlite.hosttable import HostTable
from clew.store.sqlite.journal import SqliteJournal
from clew.store.sqlite.links import SqliteLinks, with_history
from clew.store.sqlite.transaction import Transaction
from clew.urls.canonical import key as key_of


class SqliteVisits:
    """A VisitStore. A visit writes its links too, and moves the history of its host."""

    def __init__(
        self, transaction: Transaction, hosts: SqliteHosts, links: SqliteLinks, journal: SqliteJournal
    ) -> None:
        self._transaction = transaction
        self._hosts = hosts
        self._links = links
        self._journal = journal
        self.forget()

    def forget(self) -> None:
        """Nothing is known."""
        self._last = 0
        self._new_keys: set[int] = set()

    def recall(self) -> None:
        """Read how many visits there are."""
        self.forget()
        self._last = self._transaction.value(schema.LAST_VISIT)

    def committed(self) -> None:
        """All visits are in the database."""
        self._new_keys.clear()

    # -- writing ------------------------------------------------------------------------------------------

    @property
    def next_number(self) -> int:
        return self._last + 1

    def add(
        self,
        visit: Visit,
        place: Place,
        hosts: HostIds | None = None,
        scores: Doubles | None = None,
        warc: tuple[str, int] | None = None,
    ) -> None:
        if visit.number != self.next_number:
            raise ValueError(f"visit {visit.number} is out of turn: the next one is {self.next_number}")
        if self.visited(visit.link.key):
            raise StoreError(f"{self._transaction.name}: {visit.link.url} was visited before; a URL is visited once")
        host = self._hosts.table.id(visit.link.host)
        values = schema.visit_values(visit, place, host, warc)
        if visit.links is not None:
            self._links.add(visit.number, visit.links, hosts, scores)
        self._transaction.put(schema.ADD_VISIT, *values)
        if visit.page is not None:
            self._transaction.put(schema.ADD_PRINT, *schema.print_values(visit, visit.page))
        self._last = visit.number
        self._new_keys.add(visit.link.key)
        self._journal.advance(visit.number, visit.response.fetched_at)
        if visit.response.outcome is not Outcome.REDIRECT:
            failed = visit.response.outcome is Outcome.FAILED
            self._hosts.table.count(host, relevant=bool(visit.relevant), failed=failed)

    def update(self, rows: Iterable[Rejudged]) -> None:
        for again in rows:
            if again.judgement is not None:
                self._transaction.put(schema.PUT_JUDGED, *schema.judged_values(again))
            else:
                self._transaction.put(schema.PUT_TUNNEL, again.tunnel, again.number)
            if again.source is not None:
                self._transaction.put(schema.PUT_SOURCE, pack_source(again.source), again.number)
        self._transaction.settle()
        self._links.drop_kept()
        self._hosts.recount(self._last)

    def unarchive(self, numbers: Iterable[int]) -> None:
        rows = [(number,) for number in numbers]
        self._transaction.write("UPDATE visits SET warc_file = '', warc_offset = 0 WHERE number = ?", rows)

    def ask_again(self, numbers: Iterable[int]) -> None:
        for row in [found for number in numbers if (found := self.get(number)) is not None]:
            keys = (schema.signed(_spare_key(row.url, row.number)), schema.signed(row.key))
            self._transaction.write("UPDATE visits SET key = ? WHERE key = ?", [keys])
            self._transaction.write("UPDATE OR REPLACE retries SET key = ? WHERE key = ?", [keys])
            self._new_keys.discard(row.key)

    # -- one visit, or some -------------------------------------------------------------------------------

    def visited(self, key: int) -> bool:
        if key in self._new_keys:
            return True
        sql = "SELECT 1 FROM visits WHERE key = ?"
        return bool(self._transaction.database.rows(sql, (schema.signed(key),)))  # nothing need be written for this

    def get(self, number: int) -> VisitRow | None:
        return self._one("number = ?", number)

    def by_key(self, key: int) -> VisitRow | None:
        return self._one("key = ?", schema.signed(key))

    def _one(self, where: str, value: int) -> VisitRow | None:
        rows = self._transaction.rows(f"{schema.VISITS} WHERE {where}", (value,))
        return schema.visit_row(rows[0], self._hosts.table.names) if rows else None

    def rows(
        self, *, after: int = 0, relevant: bool | None = None, outcome: Outcome | None = None
    ) -> Iterator[VisitRow]:
        for values in self._values(after):
            row = schema.visit_row(values, self._hosts.table.names)
            if relevant in (None, row.relevant) and outcome in (None, row.outcome):
                yield row

    def many(self, numbers: Sequence[int] | npt.NDArray[np.int64]) -> Iterator[VisitRow]:
        names = self._hosts.table.names
        for start in range(0, len(numbers), CHUNK):
            part = [int(number) for number in numbers[start : start + CHUNK]]
            found = {
                row[0]: row for row in self._transaction.rows(f"{schema.VISITS} {schema.AMONG}", (lists.json_of(part),))
            }
            yield from (schema.visit_row(found[number], names) for number in part if number in found)

    def best(self) -> npt.NDArray[np.int64]:
        sql = "SELECT number FROM visits WHERE relevant ORDER BY relevance DESC, number"
        (numbers,) = self._transaction.columns(sql, (np.int64,))
        return numbers

    def listed(
        self, which: Selection, order: Order = "relevance", *, limit: int = 50, offset: int = 0
    ) -> npt.NDArray[np.int64]:
        where, values = lists.condition(which, self._hosts.table.names)
        sql = f"SELECT number FROM visits WHERE {where} ORDER BY {lists.ORDERS[order]} LIMIT ? OFFSET ?"
        return lists.numbers(self._transaction.rows(sql, (*values, limit, offset)))

    def count(self, which: Selection) -> int:
        where, values = lists.condition(which, self._hosts.table.names)
        return int(self._transaction.value(f"SELECT count(*) FROM visits WHERE {where}", values))

    def by_topic(self) -> list[TopicCount]:
        return [TopicCount(*row) for row in self._transaction.rows(lists.BY_TOPIC)]

    def near(self, relevance: float, limit: int) -> npt.NDArray[np.int64]:
        return lists.numbers(self._transaction.rows(lists.NEAR, (relevance, limit)))

    def sound(self, last: int) -> npt.NDArray[np.int64]:
        (numbers,) = self._transaction.columns(schema.SOUND, (np.int64,), (last,))
        return numbers

    def standing(self, numbers: Sequence[int]) -> Iterator[tuple[int, int | None, float, bool]]:
        sql = f"SELECT number, topic, relevance, relevant FROM visits {schema.AMONG} ORDER BY number"
        rows = self._transaction.rows(sql, (lists.json_of(numbers),))
        return ((number, topic, relevance or 0.0, bool(relevant)) for number, topic, relevance, relevant in rows)

    def unjudged(self) -> Iterator[VisitRow]:
        sql = f"{schema.VISITS} WHERE topic IS NULL AND reason <> '' AND number > :after ORDER BY number LIMIT :limit"
        rows = (schema.visit_row(values, self._hosts.table.names) for values in self._transaction.chunks(sql, 0))
        return (row for row in rows if row.url and row.key != _spare_key(row.url, row.number))

    def _values(self, after: int) -> Iterator[Row]:
        return self._transaction.chunks(f"{schema.VISITS} WHERE number > :after ORDER BY number LIMIT :limit", after)

    def by_host(self, kind: LinkKind) -> dict[str, int]:
        sql = "SELECT number, key, url, host FROM visits WHERE kind = ?"
        rows = self._transaction.rows(sql, (kind.value,))
        names = self._hosts.table.names
        return Counter(names[host] for number, key, url, host in rows if key != schema.signed(_spare_key(url, number)))

    def prints(self, after: int = 0) -> Iterator[PrintRow]:
        return map(schema.print_row, self._transaction.chunks(schema.PRINTS, after))

    def path_to(self, number: int) -> list[VisitRow]:
        path: list[VisitRow] = []
        while number and (row := self.get(number)) is not None:
            path.append(row)
            number = row.source
        return path[::-1]

    def urls(self, numbers: Iterable[int] | None = None) -> dict[int, str]:
        sql = "SELECT number, url FROM visits"
        if numbers is None:
            return dict(self._transaction.rows(sql))
        asked = [int(number) for number in numbers]
        in_order = lists.json_of(sorted(asked))  # of many, half the time that jumping about takes
        found: dict[int, str] = dict(self._transaction.rows(f"{sql} {schema.AMONG}", (in_order,)))
        return {number: found[number] for number in asked if number in found}

    def urls_on(self, hosts: Sequence[str]) -> Iterator[str]:
        names = ", ".join("?" * len(hosts))
        sql = f"SELECT url FROM visits WHERE host IN (SELECT id FROM hosts WHERE name IN ({names})) AND outcome = 'ok'"
        return (url for (url,) in self._transaction.rows(f"{sql} ORDER BY number", hosts))

    def replay(self, after: int = 0) -> Iterator[Visit]:
        last, past = self._last, self._hosts.after(after)
        for values in self._values(after):
            row = schema.visit_row(values, self._hosts.table.names)
            if row.number > last:  # made while its past is being looked at
                return
            yield self._replayed(row, values[-1], past)
            if row.outcome is not Outcome.REDIRECT:
                past.count(past.id(row.host), relevant=row.relevant, failed=row.outcome is Outcome.FAILED)

    def _replayed(self, row: VisitRow, scores: bytes | None, past: HostTable) -> Visit:
        found = self._links.look_up(row.number)
        return Visit(
            number=row.number,
            link=Link(with_history(self._links.stored(row.row), past), row.link_index, row.score, row.attempt),
            response=schema.response_of(row),
            page=None,
            judgement=schema.judgement_of(row, scores),
            relevance=row.relevance,
            relevant=row.relevant,
            tunnel=row.tunnel,
            reason=row.reason,
            links=with_history(found, past) if found is not None else None,
            duplicate_of=row.duplicate_of,
        )

    # -- all of them --------------------------------------------------------------------------------------

    def judged(self, after: int = 0, most: int = -1) -> JudgedColumns:
        types = (np.int64, np.int64, np.uint32, np.int32, np.float32, np.float32, np.bool_, "<f4")
        found = self._transaction.columns(schema.JUDGED, types, (after, most))
        numbers, keys, hosts, topics, confidence, relevance, relevant, scores = found
        table = scores.reshape(len(numbers), len(scores) // max(len(numbers), 1))
        return numbers, keys.view(np.uint64), hosts, topics, confidence, relevance, table, relevant

    def reasons(self, after: int = 0) -> Iterator[tuple[int, str]]:
        return iter(self._transaction.rows(schema.REASONS, (after,)))

    def relevant(self, first: int = 1, last: int | None = None) -> Bools:
        sql = "SELECT relevant FROM visits WHERE number BETWEEN ? AND ? ORDER BY number"
        (flags,) = self._transaction.columns(sql, (np.bool_,), (first, self._last if last is None else last))
        return flags

    def sources(self) -> npt.NDArray[np.int64]:
        (rows,) = self._transaction.columns("SELECT row FROM visits ORDER BY number", (np.int64,))
        return rows

    def series(self) -> Series:
        sql = "SELECT relevance, relevant, depth, host, fetched_at FROM visits ORDER BY number"
        return Series(*self._transaction.columns(sql, (np.float32, np.bool_, np.int32, np.uint32, np.float64)))

    def totals(self) -> Totals:
        (found,) = self._transaction.rows(schema.TOTALS)
        visits, relevant, failed, redirects, size, hosts, repeated, refused, absent, robots = found
        return Totals(
            fetched=visits + repeated,
            visits=visits,
            relevant=relevant,
            failed=failed,
            redirects=redirects,
            refused=refused,
            absent=absent,
            robots=robots,
            bytes=size,
            hosts=hosts,
        )


def _spare_key(url: str, number: int) -> int:
    """The key of a visit whose URL is asked for again. No link's URL has a fragment, so it is nobody else's."""
    return key_of(f"{url}#{number}")
