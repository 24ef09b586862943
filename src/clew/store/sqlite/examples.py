"""The example pages of a SQLite store."""

from __future__ import annotations

import zstandard

from clew.model import Response
from clew.store.sqlite import schema
from clew.store.sqlite.transaction import Transaction


class SqliteExamples:
    """An ExampleStore; bodies are kept compressed."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def add(self, line: str, topic: int, response: Response) -> None:
        body = zstandard.compress(response.body)
        facts = schema.example_facts(response)
        self._transaction.put(schema.PUT_EXAMPLE, schema.clean(line), topic, facts, body)

    def all(self) -> list[tuple[str, int, Response]]:
        rows = self._transaction.rows("SELECT line, topic, facts, body FROM examples ORDER BY id")
        return [
            (line, topic, schema.example_response(facts, zstandard.decompress(body)))
            for line, topic, facts, body in rows
        ]

    def names(self) -> list[tuple[str, int]]:
        return [(line, topic) for line, topic in self._transaction.rows("SELECT line, topic FROM examples ORDER BY id")]
