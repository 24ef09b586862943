"""Topics have other numbers: whatever a crawl database keeps by topic is put under the new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from clew.model import OTHER, Floats
from clew.store.packed import pack_floats, pack_source, unpack_floats, unpack_source
from clew.store.sqlite.transaction import Transaction

ROWS = 4096
"""Rows changed at a time."""

_VISITS = (
    "SELECT number, topic, topic_scores FROM visits WHERE topic IS NOT NULL AND number > :after"
    " ORDER BY number LIMIT :limit"
)
_SOURCES = "SELECT row, source FROM evidence WHERE row > :after ORDER BY row LIMIT :limit"
_FIRST = -(1 << 62)
"""Before all rows: those of seeds have numbers below 0."""


def renumber(transaction: Transaction, places: Sequence[int], topics: int) -> None:
    """Topic i has number ``places[i]`` from now on, or is gone (-1); there are ``topics`` in all. Part of the open
    transaction. A page of a topic that is gone belongs to none; what is new has a score of 0 on every page, and of 1
    for links that stand on no page, as all topics have there."""
    new = _Numbers(places, topics)
    _change(
        transaction,
        "UPDATE visits SET topic = ?, topic_scores = ? WHERE number = ?",
        (
            (new.topic(topic), pack_floats(new.scores(unpack_floats(scores))) if scores is not None else None, number)
            for number, topic, scores in transaction.chunks(_VISITS, 0)
        ),
    )
    _change(
        transaction,
        "UPDATE evidence SET source = ? WHERE row = ?",
        ((new.source(source), row) for row, source in transaction.chunks(_SOURCES, _FIRST)),
    )
    _examples(transaction, new.topic)
    rows = transaction.rows("SELECT key, topic FROM documents")
    transaction.write("UPDATE documents SET topic = ? WHERE key = ?", [(new.topic(topic), key) for key, topic in rows])


class _Numbers:
    def __init__(self, places: Sequence[int], topics: int) -> None:
        self.places, self.topics = list(places), topics
        self._stay = [(old, place) for old, place in enumerate(places) if place >= 0]

    def topic(self, topic: int) -> int:
        return self.places[topic] if 0 <= topic < len(self.places) else min(topic, OTHER)

    def scores(self, scores: Floats, otherwise: float = 0.0) -> Floats:
        """float32[topics] from float32[topics before]."""
        found = np.full(self.topics, otherwise, np.float32)
        for old, place in self._stay:
            if old < len(scores):
                found[place] = scores[old]
        return found

    def source(self, data: bytes) -> bytes:
        source = unpack_source(data)
        scores = self.scores(source.scores, 0.0 if source.visit else 1.0)
        return pack_source(replace(source, scores=scores, topic=self.topic(source.topic)))


def _change(transaction: Transaction, sql: str, rows: Iterator[tuple[object, ...]]) -> None:
    some: list[tuple[object, ...]] = []
    for row in rows:
        some.append(row)
        if len(some) >= ROWS:
            transaction.write(sql, some)
            some = []
    transaction.write(sql, some)


def _examples(transaction: Transaction, topic: Callable[[int], int]) -> None:
    """Example pages of topics that are gone are gone; the others are put aside first, for two may change places."""
    rows = transaction.rows("SELECT id, topic FROM examples WHERE topic >= 0")
    stay = [(topic(old), id_) for id_, old in rows if topic(old) >= 0]
    transaction.write("DELETE FROM examples WHERE id = ?", [(id_,) for id_, old in rows if topic(old) < 0])
    transaction.write("UPDATE examples SET topic = -1000 - id WHERE topic >= 0", [()])
    transaction.write("UPDATE examples SET topic = ? WHERE id = ?", stay)
