"""The links of a SQLite store, a packed row a page, and the fate of URLs that are no visits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf

import numpy as np

from clew.errors import StoreError
from clew.model import Doubles, Floats, Keys, LinkBatch, Outcome, distinct, without
from clew.store.columns import file_levels, same_host
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
from clew.store.records import DROPPED, HostIds, LinkRow, Refusal
from clew.store.sqlite import lists, schema
from clew.store.sqlite.database import CHUNK
from clew.store.sqlite.hosts import SqliteHosts
from clew.store.sqlite.hosttable import HostTable
from clew.store.sqlite.transaction import Transaction

BATCHES_KEPT = 256
SCORES_KEPT = 4096
"""Rows whose scores are kept, more than batches: they are small, and reading one writes all that waits."""

StoredBatch = tuple[LinkBatch, HostIds]
"""A packed row without host history, and the host ids of its links."""

_KEYS = np.dtype("<u8")
_NO_HISTORY: Floats = np.zeros(0, np.float32)


class SqliteLinks:
    """A LinkStore; it keeps the batches and scores lately written or read."""

    def __init__(self, transaction: Transaction, hosts: SqliteHosts) -> None:
        self._transaction = transaction
        self._hosts = hosts
        self.forget()

    def forget(self) -> None:
        """Nothing is kept."""
        self._kept: OrderedDict[int, StoredBatch] = OrderedDict()
        self._scores: OrderedDict[int, Floats] = OrderedDict()
        self._seed_rows = 0

    def recall(self) -> None:
        """Read how many rows of seeds there are."""
        self.forget()
        self._seed_rows = self._transaction.value("SELECT count(*) FROM heads WHERE row <= 0")

    # -- packed rows --------------------------------------------------------------------------------------

    def add_seeds(self, batch: LinkBatch, hosts: HostIds, scores: Doubles) -> int:
        row = -self._seed_rows
        self.add(row, batch, hosts, scores)
        self._seed_rows += 1
        return row

    def add(self, row: int, batch: LinkBatch, hosts: HostIds | None, scores: Doubles | None) -> None:
        """One more packed row."""
        if hosts is None or scores is None or not len(batch) == len(hosts) == len(scores):
            raise ValueError(f"row {row}: {len(batch)} links need as many hosts and scores")
        heads = pack_heads(batch.links.keys, hosts)
        evidence, packed = pack_evidence(batch.links, batch.leaves), pack_floats(scores)
        self._transaction.put(schema.ADD_HEADS, row, len(batch), heads, packed)
        self._transaction.put(schema.ADD_EVIDENCE, row, pack_source(batch.source), evidence)
        self._keep(row, (batch, hosts))
        self._keep_scores(row, packed)

    def rows(self) -> Iterator[LinkRow]:
        for _, row, heads, scores in self._transaction.chunks(schema.HEADS, 0):
            keys, hosts = unpack_heads(heads)
            yield row, keys, hosts, unpack_floats(scores)

    def batch(self, row: int) -> LinkBatch:
        return with_history(self.stored(row), self._hosts.table)

    def batches(self, *, seeds: bool = False) -> Iterator[tuple[int, LinkBatch]]:
        sql = schema.PACKED_SEEDS if seeds else schema.PACKED_IN_ORDER
        for _, row, *packed in self._transaction.chunks(sql, 0):
            yield row, with_history(self._unpacked(row, *packed), self._hosts.table)

    def scores(self, row: int) -> Floats:
        kept = self._scores.get(row)
        if kept is not None:
            self._scores.move_to_end(row)
            return kept
        packed = self._transaction.value("SELECT scores FROM heads WHERE row = ?", (row,))
        if packed is None:
            raise self._no_links(row)
        return self._keep_scores(row, packed)

    def update_scores(self, rows: Iterable[tuple[int, Doubles]]) -> None:
        rows = iter(rows)
        while chunk := list(islice(rows, CHUNK)):
            values = [(pack_floats(scores), row, len(scores)) for row, scores in chunk]
            for row, _ in chunk:
                self._scores.pop(row, None)
            if self._transaction.write(schema.PUT_SCORES, values) != len(values):
                reason = f"has no such rows for the new scores of {chunk[0][0]} to {chunk[-1][0]}"
                raise self._transaction.database.abandon(reason)

    def stored(self, row: int) -> StoredBatch:
        """A row without host history. Raises StoreError when there is none."""
        found = self.look_up(row)
        if found is None:
            raise self._no_links(row)
        return found

    def _no_links(self, row: int) -> StoreError:
        return StoreError(f"{self._transaction.name} has no links of row {row}")

    def look_up(self, row: int) -> StoredBatch | None:
        """A row without host history, if there is one."""
        kept = self._kept.get(row)
        if kept is not None:
            self._kept.move_to_end(row)
            return kept
        packed = self._transaction.rows(f"{schema.PACKED} WHERE e.row = ?", (row,))
        return self._keep(row, self._unpacked(row, *packed[0])) if packed else None

    def drop_kept(self) -> None:
        """The sources of rows changed: they are read anew."""
        self._kept.clear()

    def _keep(self, row: int, batch: StoredBatch) -> StoredBatch:
        self._kept[row] = batch
        if len(self._kept) > BATCHES_KEPT:
            self._kept.popitem(last=False)
        return batch

    def _keep_scores(self, row: int, packed: bytes) -> Floats:
        scores = self._scores[row] = unpack_floats(packed)
        if len(self._scores) > SCORES_KEPT:
            self._scores.popitem(last=False)
        return scores

    def _unpacked(self, row: int, heads: bytes, source: bytes, data: bytes) -> StoredBatch:
        keys, hosts = unpack_heads(heads)
        try:
            links, leaves = unpack_evidence(data, keys)
            origin = unpack_source(source)
        except StoreError as error:
            raise StoreError(f"{self._transaction.name}, row {row}: {error}") from error
        same = same_host(links, origin.host)
        return LinkBatch(origin, links, leaves, same, file_levels(links.urls), _NO_HISTORY, _NO_HISTORY), hosts

    def some(self, rows: Sequence[int]) -> Iterator[LinkRow]:
        sql = "SELECT row, heads, scores FROM heads WHERE row IN (SELECT value FROM json_each(?)) ORDER BY ord"
        for start in range(0, len(rows), CHUNK):
            for row, heads, scores in self._transaction.rows(sql, (lists.json_of(rows[start : start + CHUNK]),)):
                yield row, *unpack_heads(heads), unpack_floats(scores)

    def find(self, key: int, limit: int = -1) -> Iterator[tuple[int, int, float]]:
        wanted = np.array([key], np.uint64)
        sql = "SELECT row, heads, scores FROM heads WHERE instr(heads, ?) ORDER BY ord LIMIT ?"
        for row, heads, scores in self._transaction.rows(sql, (wanted.astype("<u8").tobytes(), limit)):
            for index in np.flatnonzero(unpack_heads(heads)[0] == wanted[0]).tolist():
                yield row, index, float(unpack_floats(scores)[index])

    def opened(self) -> set[int]:
        sql = "SELECT DISTINCT row FROM visits UNION SELECT DISTINCT row FROM refused WHERE reason <> ?"
        rows = self._transaction.rows(sql, (DROPPED,))
        return {row for (row,) in rows}

    # -- URLs that are no visits --------------------------------------------------------------------------

    def refuse(self, key: int, url: str, *, row: int, index: int, outcome: Outcome, reason: str, at: float) -> None:
        values = (schema.signed(key), schema.clean(url), int(row), int(index))
        self._transaction.put(schema.ADD_REFUSED, *values, outcome.value, schema.clean(reason), float(at))

    def readmit(self, key: int | None = None, *, reason: str = "") -> None:
        if (key is None) == (not reason):
            raise ValueError("readmit takes a key or the beginning of a reason")
        if key is not None:
            self._transaction.write("DELETE FROM refused WHERE key = ?", [(schema.signed(key),)])
        else:
            sql = "DELETE FROM refused WHERE substr(reason, 1, ?) = ?"
            self._transaction.write(sql, [(len(reason), reason)])

    def refusal(self, key: int) -> Refusal | None:
        rows = self._transaction.rows(f"{schema.REFUSALS} WHERE key = ?", (schema.signed(key),))
        return schema.refusal(rows[0]) if rows else None

    def refusals(self) -> Iterator[Refusal]:
        return map(schema.refusal, self._transaction.rows(f"{schema.REFUSALS} ORDER BY key"))

    def retry(self, key: int, attempts: int, reason: str, ready_at: float) -> None:
        values = (schema.signed(key), int(attempts), schema.clean(reason), float(ready_at))
        self._transaction.put(schema.PUT_RETRY, *values)

    def retries(self) -> dict[int, int]:
        sql = "SELECT key, attempts FROM retries WHERE key NOT IN (SELECT key FROM visits)"
        return {schema.unsigned(key): attempts for key, attempts in self._transaction.rows(sql)}

    def done_keys(self) -> Keys:
        (keys,) = self._transaction.columns(schema.DONE, (np.int64,))
        return distinct(keys.view(np.uint64))

    def waiting(self, above: float = -inf) -> int:
        keys, scores = self._transaction.columns(schema.KEYS, (_KEYS, "<f4"))
        return len(without(keys[scores > above], self.done_keys()))


def with_history(batch: StoredBatch, hosts: HostTable) -> LinkBatch:
    """A batch with host history columns."""
    old, ids = batch
    visits, relevant = hosts.stats(ids)
    return LinkBatch(old.source, old.links, old.leaves, old.same_host, old.file_level, visits, relevant)
