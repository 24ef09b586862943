"""The Store on one SQLite file (``crawl.db``).

Writing gathers rows in memory and hands them to SQLite statement by statement, many rows at a time, when the group
is committed or something is read. Batches lately written or read are kept, so that a crawl which follows the links
of the page it just read asks the disk for nothing.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from clew.errors import StoreError
from clew.model import (
    Decision,
    Doubles,
    Floats,
    Keys,
    Link,
    LinkBatch,
    Outcome,
    Response,
    Session,
    Visit,
)
from clew.store import schema
from clew.store.base import (
    Checkpoint,
    DecisionRow,
    HostIds,
    JudgedColumns,
    LinkRow,
    Place,
    Refusal,
    Rejudged,
    Series,
    SessionRow,
    Totals,
    VisitRow,
)
from clew.store.columns import file_levels, same_host
from clew.store.database import CHUNK, Database
from clew.store.hosts import Hosts
from clew.store.packed import (
    pack_evidence,
    pack_floats,
    pack_heads,
    pack_source,
    unpack_evidence,
    unpack_floats,
    unpack_heads,
    unpack_source,
)

BATCHES_KEPT = 256

_Batch = tuple[LinkBatch, HostIds]
_NO_HISTORY: Floats = np.zeros(0, np.float32)


class SqliteStore:
    """A Store (see ``clew.store.base``) in the file ``path``. Open it before use."""

    def __init__(self, path: Path | str | None) -> None:
        import tempfile

        self.path = Path(path) if path is not None else Path(tempfile.mkdtemp()) / "crawl.db"  # TEMPORARY
        self._database: Database | None = None
        self._forget()

    def _forget(self) -> None:
        self._pending: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        self._counts: Counter[str] = Counter()
        self._new_keys: set[int] = set()
        self._kept: OrderedDict[int, _Batch] = OrderedDict()
        self._hosts = Hosts()
        self._last = self._seed_rows = self._sessions = 0
        self._now = 0.0

    # -- opening and committing ---------------------------------------------------------------------------

    def open(self, *, read_only: bool = False) -> None:
        self.close()
        self._database = Database(self.path, read_only=read_only)
        try:
            self._recall()
        except BaseException:
            self.close()
            raise

    def _recall(self) -> None:
        """What is kept in memory."""
        self._forget()
        self._hosts = Hosts(self._rows("SELECT id, name, visits, relevant, failures, ready_at FROM hosts"))
        self._last = self._value("SELECT coalesce(max(number), 0) FROM visits")
        self._seed_rows = self._value("SELECT count(*) FROM heads WHERE row <= 0")
        self._sessions = self._value("SELECT coalesce(max(number), 0) FROM sessions")
        self._now = self.clock()

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
        self._forget()

    def refresh(self) -> None:
        if self._file.read_only:
            self._file.refresh()
            self._recall()

    def commit(self) -> None:
        self._flush()
        self._file.commit()
        self._new_keys.clear()

    @property
    def _file(self) -> Database:
        if self._database is None:
            raise StoreError(f"{self.path} is not open")
        return self._database

    def _put(self, sql: str, *values: Any) -> None:
        self._file.check_writable()
        self._pending[sql].append(values)

    def _flush(self) -> None:
        """Hand everything gathered to SQLite, within the open transaction."""
        if self._counts:
            self._pending[schema.ADD_COUNT].extend(self._counts.items())
            self._counts = Counter()
        if hosts := self._hosts.take_changed():
            self._pending[schema.PUT_HOST].extend(hosts)
        pending, self._pending = self._pending, defaultdict(list)
        for sql, rows in pending.items():
            self._file.write(sql, rows)

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self._settle()
        return self._file.rows(sql, values)

    def _chunks(self, sql: str, after: int) -> Iterator[tuple[Any, ...]]:
        self._settle()
        return self._file.chunks(sql, after)

    def _settle(self) -> None:
        """Reading sees what was written."""
        if self._pending or self._counts:
            self._flush()

    def _value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        rows = self._rows(sql, values)
        return rows[0][0] if rows else None

    # -- writing ------------------------------------------------------------------------------------------

    @property
    def next_number(self) -> int:
        return self._last + 1

    def add_visit(
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
            raise StoreError(f"{self.path}: {visit.link.url} was visited before; a URL is visited once")
        host = self.host_id(visit.link.host)
        values = schema.visit_values(visit, place, host, warc)
        if visit.links is not None:
            self._add_links(visit.number, visit.links, hosts, scores)
        self._put(schema.ADD_VISIT, *values)
        self._last = visit.number
        self._new_keys.add(visit.link.key)
        self._now = max(self._now, visit.response.fetched_at)
        if visit.response.outcome is not Outcome.REDIRECT:
            self._hosts.count(host, relevant=bool(visit.relevant), failed=visit.response.outcome is Outcome.FAILED)

    def add_seeds(self, batch: LinkBatch, hosts: HostIds, scores: Doubles) -> int:
        row = -self._seed_rows
        self._add_links(row, batch, hosts, scores)
        self._seed_rows += 1
        return row

    def _add_links(self, row: int, batch: LinkBatch, hosts: HostIds | None, scores: Doubles | None) -> None:
        if hosts is None or scores is None or not len(batch) == len(hosts) == len(scores):
            raise ValueError(f"row {row}: {len(batch)} links need as many hosts and scores")
        heads = pack_heads(batch.links.keys, hosts)
        evidence = pack_evidence(batch.links, batch.leaves)
        self._put(schema.ADD_HEADS, row, len(batch), heads, pack_floats(scores))
        self._put(schema.ADD_EVIDENCE, row, pack_source(batch.source), evidence)
        self._keep(row, (batch, hosts))

    def refuse(self, key: int, url: str, *, row: int, index: int, outcome: Outcome, reason: str, at: float) -> None:
        url, reason = schema.clean(url), schema.clean(reason)
        self._put(schema.ADD_REFUSED, schema.signed(key), url, int(row), int(index), outcome.value, reason, float(at))

    def admit(self, key: int) -> None:
        self._settle()
        self._file.write("DELETE FROM refused WHERE key = ?", [(schema.signed(key),)])

    def forgive(self, reason: str) -> None:
        self._settle()
        self._file.write("DELETE FROM refused WHERE substr(reason, 1, ?) = ?", [(len(reason), reason)])

    def retry(self, key: int, attempts: int, reason: str, ready_at: float) -> None:
        self._put(schema.PUT_RETRY, schema.signed(key), int(attempts), schema.clean(reason), float(ready_at))

    def count(self, kind: str, n: int) -> None:
        self._file.check_writable()
        if n:
            self._counts[kind] += n

    def touch_host(self, host: int, ready_at: float) -> None:
        self._file.check_writable()
        self._hosts.hold(host, ready_at)

    def add_session(self, session: Session, *, rescored: bool, at: float) -> None:
        self._put(schema.ADD_SESSION, *schema.session_values(session, rescored, at))
        self._sessions = session.number

    def add_decision(self, decision: Decision) -> None:
        facts = schema.decision_facts(decision)
        self._put(schema.ADD_DECISION, self._now, self._sessions + 1, self._last, decision.kind, facts)

    def checkpoint(self, name: str, session: int, visit: int, state: bytes) -> None:
        self._put(schema.PUT_CHECKPOINT, name, session, visit, state)

    def update_scores(self, rows: Iterable[tuple[int, Doubles]]) -> None:
        rows = iter(rows)
        while chunk := list(islice(rows, CHUNK)):
            self._settle()
            values = [(pack_floats(scores), row, len(scores)) for row, scores in chunk]
            if self._file.write(schema.PUT_SCORES, values) != len(values):
                raise self._file.abandon(f"has no such rows for the new scores of {chunk[0][0]} to {chunk[-1][0]}")

    def update_judgements(self, rows: Iterable[Rejudged]) -> None:
        for again in rows:
            if again.judgement is not None:
                self._put(schema.PUT_JUDGED, *schema.judged_values(again))
            else:
                self._put(schema.PUT_TUNNEL, again.tunnel, again.number)
            if again.source is not None:
                self._put(schema.PUT_SOURCE, pack_source(again.source), again.number)
        self._settle()
        self._kept.clear()
        for host, visits, relevant, failed in self._rows(schema.HOST_HISTORY, (self._last,)):
            self._hosts.set(host, (visits, relevant, failed))

    def add_example(self, line: str, topic: int, response: Response) -> None:
        body = zstandard.compress(response.body)
        self._put(schema.PUT_EXAMPLE, schema.clean(line), topic, schema.example_facts(response), body)

    def set_archive(self, file: str, length: int) -> None:
        self._put(schema.PUT_META, "archive_file", file)
        self._put(schema.PUT_META, "archive_length", length)

    def set_clock(self, now: float) -> None:
        self._now = now
        self._put(schema.PUT_META, "clock", now)

    # -- hosts --------------------------------------------------------------------------------------------

    def host_id(self, name: str) -> int:
        return self._hosts.id(name)

    def host_ids(self, names: Sequence[str]) -> HostIds:
        return self._hosts.ids(names)

    def host_name(self, host: int) -> str:
        return self._hosts.names[host]

    def host_stats(self, ids: HostIds) -> tuple[Floats, Floats]:
        return self._hosts.stats(ids)

    def host_ready(self) -> list[tuple[int, float]]:
        return self._hosts.ready()

    # -- links --------------------------------------------------------------------------------------------

    def link_rows(self) -> Iterator[LinkRow]:
        for _, row, heads, scores in self._chunks(schema.HEADS, 0):
            keys, hosts = unpack_heads(heads)
            yield row, keys, hosts, unpack_floats(scores)

    def batch(self, row: int) -> LinkBatch:
        return _with_history(self._stored(row), self._hosts)

    def row_scores(self, row: int) -> Floats:
        packed = self._value("SELECT scores FROM heads WHERE row = ?", (row,))
        if packed is None:
            raise StoreError(f"{self.path} has no links of row {row}")
        return unpack_floats(packed)

    def batches(self) -> Iterator[tuple[int, LinkBatch]]:
        for _, row, *packed in self._chunks(schema.PACKED_IN_ORDER, 0):
            yield row, _with_history(self._unpacked(row, *packed), self._hosts)

    def _stored(self, row: int) -> _Batch:
        """A row without host history. Raises StoreError when there is none."""
        found = self._find(row)
        if found is None:
            raise StoreError(f"{self.path} has no links of row {row}")
        return found

    def _find(self, row: int) -> _Batch | None:
        kept = self._kept.get(row)
        if kept is not None:
            self._kept.move_to_end(row)
            return kept
        packed = self._rows(f"{schema.PACKED} WHERE e.row = ?", (row,))
        return self._keep(row, self._unpacked(row, *packed[0])) if packed else None

    def _keep(self, row: int, batch: _Batch) -> _Batch:
        self._kept[row] = batch
        if len(self._kept) > BATCHES_KEPT:
            self._kept.popitem(last=False)
        return batch

    def _unpacked(self, row: int, heads: bytes, source: bytes, data: bytes) -> _Batch:
        keys, hosts = unpack_heads(heads)
        try:
            links, leaves = unpack_evidence(data, keys)
            origin = unpack_source(source)
        except StoreError as error:
            raise StoreError(f"{self.path}, row {row}: {error}") from error
        same = same_host(links, origin.host)
        return LinkBatch(origin, links, leaves, same, file_levels(links.urls), _NO_HISTORY, _NO_HISTORY), hosts

    def find_links_to(self, key: int) -> Iterator[tuple[int, int, float]]:
        wanted = np.array([key], np.uint64)
        sql = "SELECT row, heads, scores FROM heads WHERE instr(heads, ?) ORDER BY ord"
        for row, heads, scores in self._rows(sql, (wanted.astype("<u8").tobytes(),)):
            for index in np.flatnonzero(unpack_heads(heads)[0] == wanted[0]).tolist():
                yield row, index, float(unpack_floats(scores)[index])

    def opened_rows(self) -> set[int]:
        rows = self._rows("SELECT DISTINCT row FROM visits UNION SELECT DISTINCT row FROM refused")
        return {row for (row,) in rows}

    def seed_urls(self) -> set[str]:
        rows = self._rows("SELECT row FROM heads WHERE row <= 0")
        return {url for (row,) in rows for url in self._stored(row)[0].links.urls}

    def done_keys(self) -> Keys:
        keys = [value for (value,) in self._rows("SELECT key FROM visits UNION ALL SELECT key FROM refused")]
        return np.unique(schema.unsigned_keys(keys))

    def retries(self) -> dict[int, int]:
        sql = "SELECT key, attempts FROM retries WHERE key NOT IN (SELECT key FROM visits)"
        return {schema.unsigned(key): attempts for key, attempts in self._rows(sql)}

    # -- visits -------------------------------------------------------------------------------------------

    def visited(self, key: int) -> bool:
        if key in self._new_keys:
            return True
        return bool(self._file.rows("SELECT 1 FROM visits WHERE key = ?", (schema.signed(key),)))

    def visit(self, number: int) -> VisitRow | None:
        return self._one_visit("number = ?", number)

    def visit_by_key(self, key: int) -> VisitRow | None:
        return self._one_visit("key = ?", schema.signed(key))

    def _one_visit(self, where: str, value: int) -> VisitRow | None:
        rows = self._rows(f"{schema.VISITS} WHERE {where}", (value,))
        return schema.visit_row(rows[0], self._hosts.names) if rows else None

    def visits(
        self, *, after: int = 0, relevant: bool | None = None, outcome: Outcome | None = None
    ) -> Iterator[VisitRow]:
        for values in self._visit_values(after):
            row = schema.visit_row(values, self._hosts.names)
            if relevant in (None, row.relevant) and outcome in (None, row.outcome):
                yield row

    def _visit_values(self, after: int) -> Iterator[tuple[Any, ...]]:
        return self._chunks(f"{schema.VISITS} WHERE number > :after ORDER BY number LIMIT :limit", after)

    def path_to(self, number: int) -> list[VisitRow]:
        path: list[VisitRow] = []
        while number and (row := self.visit(number)) is not None:
            path.append(row)
            number = row.source
        return path[::-1]

    def replay(self, after: int = 0) -> Iterator[Visit]:
        last, past = self._last, self._hosts_after(after)
        for values in self._visit_values(after):
            row = schema.visit_row(values, self._hosts.names)
            if row.number > last:  # made while its past is being looked at
                return
            yield self._replayed(row, values[-1], past)
            if row.outcome is not Outcome.REDIRECT:
                past.count(past.id(row.host), relevant=row.relevant, failed=row.outcome is Outcome.FAILED)

    def _hosts_after(self, number: int) -> Hosts:
        """Host history as it was after a visit."""
        past = Hosts((host, name, 0, 0, 0, 0.0) for host, name in enumerate(self._hosts.names))
        for host, visits, relevant, failed in self._rows(schema.HOST_HISTORY, (number,)):
            past.set(host, (visits, relevant, failed))
        return past

    def _replayed(self, row: VisitRow, scores: bytes | None, past: Hosts) -> Visit:
        found = self._find(row.number)
        return Visit(
            number=row.number,
            link=Link(_with_history(self._stored(row.row), past), row.link_index, row.score, row.attempt),
            response=schema.response_of(row),
            page=None,
            judgement=schema.judgement_of(row, scores),
            relevance=row.relevance,
            relevant=row.relevant,
            tunnel=row.tunnel,
            reason=row.reason,
            links=_with_history(found, past) if found is not None else None,
        )

    def judged(self) -> JudgedColumns:
        rows = self._rows(
            "SELECT number, key, host, topic, confidence, relevance, relevant, topic_scores FROM visits"
            " WHERE topic_scores IS NOT NULL ORDER BY number"
        )
        columns = list(zip(*rows, strict=True)) or [()] * 8
        numbers, keys, hosts, topics, confidence, relevance, relevant, scores = columns
        table = np.frombuffer(b"".join(scores), "<f4")
        return (
            np.array(numbers, np.int64),
            schema.unsigned_keys(keys),
            np.array(hosts, np.uint32),
            np.array(topics, np.int32),
            np.array(confidence, np.float32),
            np.array(relevance, np.float32),
            table.reshape(len(rows), len(table) // max(len(rows), 1)),
            np.array(relevant, np.bool_),
        )

    def urls_by_number(self) -> dict[int, str]:
        return dict(self._rows("SELECT number, url FROM visits"))

    def relevance_flags(self) -> Iterator[bool]:
        return (bool(flag) for (flag,) in self._rows("SELECT relevant FROM visits ORDER BY number"))

    def relevant_between(self, first: int, last: int) -> int:
        sql = "SELECT count(*) FROM visits WHERE relevant AND number BETWEEN ? AND ?"
        return int(self._value(sql, (first, last)))

    def refusal(self, key: int) -> Refusal | None:
        sql = "SELECT key, url, row, link_index, outcome, reason, at FROM refused WHERE key = ?"
        rows = self._rows(sql, (schema.signed(key),))
        return schema.refusal(rows[0]) if rows else None

    def totals(self) -> Totals:
        visits, relevant, failed, redirects, size, repeated, refused, absent, robots = self._rows(schema.TOTALS)[0]
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
        )

    def series(self) -> Series:
        rows = self._rows("SELECT relevance, relevant, depth, host, fetched_at FROM visits ORDER BY number")
        columns = list(zip(*rows, strict=True)) or [()] * 5
        return Series(
            relevance=np.array(columns[0], np.float32),
            relevant=np.array(columns[1], np.bool_),
            depth=np.array(columns[2], np.int32),
            hosts=np.array(columns[3], np.uint32),
            fetched_at=np.array(columns[4], np.float64),
        )

    def ledger(self) -> dict[str, int]:
        return dict(self._rows("SELECT kind, n FROM ledger ORDER BY kind"))

    # -- the rest -----------------------------------------------------------------------------------------

    def sessions_ended(self) -> int:
        return self._sessions

    def sessions(self) -> list[SessionRow]:
        sql = (
            "SELECT number, first_visit, last_visit, fetched, relevant, fetched_total, relevant_total, best_waiting,"
            " rescored, at FROM sessions ORDER BY number"
        )
        return [schema.session_row(values) for values in self._rows(sql)]

    def decisions(self) -> Iterator[DecisionRow]:
        rows = self._rows("SELECT at, session, visit, kind, facts FROM decisions ORDER BY id")
        return (schema.decision_row(values) for values in rows)

    def last_checkpoint(self, name: str) -> Checkpoint | None:
        rows = self._rows("SELECT session, visit, state FROM checkpoints WHERE name = ?", (name,))
        return Checkpoint(*rows[0]) if rows else None

    def examples(self) -> list[tuple[str, int, Response]]:
        rows = self._rows("SELECT line, topic, facts, body FROM examples ORDER BY id")
        return [
            (line, topic, schema.example_response(facts, zstandard.decompress(body)))
            for line, topic, facts, body in rows
        ]

    def archive(self) -> tuple[str, int] | None:
        file = self._value("SELECT value FROM meta WHERE key = 'archive_file'")
        return None if file is None else (file, self._value("SELECT value FROM meta WHERE key = 'archive_length'"))

    def clock(self) -> float:
        return float(self._value("SELECT value FROM meta WHERE key = 'clock'") or 0.0)


def _with_history(batch: _Batch, hosts: Hosts) -> LinkBatch:
    """A batch with the host history columns of now."""
    old, ids = batch
    visits, relevant = hosts.stats(ids)
    return LinkBatch(old.source, old.links, old.leaves, old.same_host, old.file_level, visits, relevant)
