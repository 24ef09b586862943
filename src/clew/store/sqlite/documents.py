"""The documents of a SQLite store that inherit."""

from __future__ import annotations

from dataclasses import fields

from clew.store.records import DocumentRow
from clew.store.sqlite.schema import Row, clean, signed, unsigned
from clew.store.sqlite.transaction import Transaction

_COLUMNS = tuple(column.name for column in fields(DocumentRow))
_OFFER = (
    f"INSERT INTO documents ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
    f" ON CONFLICT (key) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
    " WHERE (excluded.relevant, excluded.relevance) > (relevant, relevance)"
)
_READ = f"SELECT {', '.join(_COLUMNS)} FROM documents"


class SqliteDocuments:
    """A DocumentStore."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def offer(self, row: DocumentRow) -> None:
        place = (signed(row.key), clean(row.url), int(row.row), int(row.link_index), int(row.parent), clean(row.title))
        self._transaction.put(_OFFER, *place, float(row.relevance), bool(row.relevant), int(row.topic), row.listed)

    def get(self, key: int) -> DocumentRow | None:
        rows = self._transaction.rows(f"{_READ} WHERE key = ?", (signed(key),))
        return _row(rows[0]) if rows else None

    def all(self) -> list[DocumentRow]:
        return [_row(values) for values in self._transaction.rows(f"{_READ} ORDER BY parent, row, link_index, key")]

    def clear(self) -> None:
        self._transaction.write("DELETE FROM documents", [()])


def _row(values: Row) -> DocumentRow:
    key, url, row, index, parent, title, relevance, relevant, topic, listed = values
    return DocumentRow(unsigned(key), url, row, index, parent, title, relevance, bool(relevant), topic, bool(listed))
