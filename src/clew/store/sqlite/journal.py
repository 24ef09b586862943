"""The journal of a SQLite store: sessions, decisions, the ledger, saved states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from clew.model import Decision, Session
from clew.store.records import Checkpoint, DecisionRow, SessionRow
from clew.store.sqlite import schema
from clew.store.sqlite.transaction import Transaction


class SqliteJournal:
    """A Journal. It knows the last visit and its time, for the decision log."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        transaction.before_writing.append(self._hand_in)
        self.forget()

    def forget(self) -> None:
        """Nothing is known."""
        self._counts: Counter[str] = Counter()
        self._now = 0.0
        self._visit = self._session = 0

    def recall(self) -> None:
        """Read how far the crawl came."""
        self.forget()
        self._now = self.clock
        self._visit = self._transaction.value(schema.LAST_VISIT)
        self._session = self._transaction.value("SELECT coalesce(max(number), 0) FROM sessions")

    def advance(self, visit: int, at: float) -> None:
        """A visit was made."""
        self._visit = visit
        self._now = max(self._now, at)

    def _hand_in(self) -> None:
        if self._counts:
            self._transaction.put_all(schema.ADD_COUNT, list(self._counts.items()))
            self._counts = Counter()

    # -- the ledger ---------------------------------------------------------------------------------------

    def count(self, kind: str, n: int) -> None:
        self._transaction.database.check_writable()
        if n:
            self._counts[kind] += n
            self._transaction.gathered = True

    def ledger(self) -> dict[str, int]:
        return dict(self._transaction.rows("SELECT kind, n FROM ledger ORDER BY kind"))

    # -- sessions and decisions ---------------------------------------------------------------------------

    @property
    def last_session(self) -> int:
        return self._session

    def add_session(self, session: Session, *, rescored: bool, at: float) -> None:
        self._transaction.put(schema.ADD_SESSION, *schema.session_values(session, rescored, at))
        self._session = session.number

    def sessions(self) -> list[SessionRow]:
        return [schema.session_row(values) for values in self._transaction.rows(schema.SESSIONS)]

    def add_decision(self, decision: Decision) -> None:
        facts = schema.decision_facts(decision)
        self._transaction.put(schema.ADD_DECISION, self._now, self._session + 1, self._visit, decision.kind, facts)

    def decisions(self) -> Iterator[DecisionRow]:
        rows = self._transaction.rows("SELECT at, session, visit, kind, facts FROM decisions ORDER BY id")
        return (schema.decision_row(values) for values in rows)

    # -- what a crawl needs to go on ----------------------------------------------------------------------

    def save(self, name: str, visit: int, state: bytes) -> None:
        self._transaction.put(schema.PUT_CHECKPOINT, name, self._session, visit, state)

    def saved(self, name: str) -> Checkpoint | None:
        rows = self._transaction.rows("SELECT session, visit, state FROM checkpoints WHERE name = ?", (name,))
        return Checkpoint(*rows[0]) if rows else None

    @property
    def clock(self) -> float:
        return float(self._transaction.value("SELECT value FROM meta WHERE key = 'clock'") or 0.0)

    @clock.setter
    def clock(self, now: float) -> None:
        self._now = now
        self._transaction.put(schema.PUT_META, "clock", now)

    @property
    def archive(self) -> tuple[str, int] | None:
        found: dict[str, Any] = dict(self._transaction.rows("SELECT key, value FROM meta WHERE key LIKE 'archive%'"))
        return (found["archive_file"], found["archive_length"]) if found else None

    @archive.setter
    def archive(self, mark: tuple[str, int]) -> None:
        self._transaction.put(schema.PUT_META, "archive_file", mark[0])
        self._transaction.put(schema.PUT_META, "archive_length", mark[1])
