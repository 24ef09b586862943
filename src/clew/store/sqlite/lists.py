"""Statements that list judged visits. They read the index ``visits_judged`` alone, which covers every column they name:
a plus before ``number`` keeps SQLite from walking through the rows themselves to save itself a sort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.store.records import Order, Selection

JUDGED = "topic IS NOT NULL"
"""As the index says it: SQLite takes it for nothing else."""

ORDERS: dict[Order, str] = {"relevance": "relevance DESC, number", "newest": "+number DESC", "oldest": "+number"}

BY_TOPIC = (
    "SELECT topic, count(*), sum(relevant), coalesce(avg(CASE WHEN relevant THEN relevance END), 0.0) FROM visits"
    f" WHERE {JUDGED} GROUP BY topic ORDER BY topic"
)
NEAR = f"SELECT number FROM visits WHERE {JUDGED} ORDER BY abs(relevance - ?), number LIMIT ?"


def numbers(rows: Sequence[tuple[Any, ...]]) -> npt.NDArray[np.int64]:
    """Rows of one number each as int64[n]."""
    return np.fromiter((number for (number,) in rows), np.int64, len(rows))


def json_of(numbers: Sequence[int]) -> str:
    """A list of numbers as SQLite's json_each takes it."""
    return f"[{','.join(str(int(number)) for number in numbers)}]"


def condition(which: Selection, hosts: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    """What follows WHERE for a selection, and its values. ``hosts``: names by host ids."""
    parts, values = [JUDGED], list[Any]()
    if which.relevant is not None:
        parts.append("relevant = ?")
        values.append(int(which.relevant))
    if which.topics is not None:
        parts.append("topic IN (SELECT value FROM json_each(?))")
        values.append(json_of(sorted(which.topics)))
    if which.host:
        parts.append("host IN (SELECT value FROM json_each(?))")
        values.append(json_of(_hosts(which.host, hosts)))
    if which.language:
        parts.append("language = ?")
        values.append(which.language)
    return " AND ".join(parts), tuple(values)


def _hosts(name: str, hosts: Sequence[str]) -> list[int]:
    """The ids of a host, on any port unless one is named, and of its subdomains."""
    ending = f".{name}"
    return [place for place, one in enumerate(hosts) if one == name or f".{one.partition(':')[0]}".endswith(ending)]
