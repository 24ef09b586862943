"""The journal of a SQLite store: runs, sessions, decisions, the ledger, saved states."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from clew.model import Decision, Session
from clew.store.records import DecisionRow, RunEnd, RunRecord, SavedState, SessionRow
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

    def begin_run(self, run: RunRecord) -> None:
        self._transaction.put(schema.ADD_RUN, self._visit, run.strategy, run.judge, run.web, float(run.threshold))
        self._transaction.write("DELETE FROM meta WHERE key = ?", [("ended",)])

    def last_run(self) -> RunRecord | None:
        rows = self._transaction.rows(schema.LAST_RUN)
        return schema.run_record(rows[0]) if rows else None

    def end_run(self, end: RunEnd) -> None:
        self._transaction.put(schema.PUT_META, "ended", json.dumps(asdict(end)))

    def last_end(self) -> RunEnd | None:
        found = self._transaction.value("SELECT (SELECT value FROM meta WHERE key = 'ended')")
        return RunEnd(**json.loads(found)) if found else None

    def save(self, strategy: str, visit: int, state: bytes) -> None:
        self._transaction.put(schema.PUT_STATE, strategy, visit, state)

    def saved(self, strategy: str) -> SavedState | None:
        rows = self._transaction.rows("SELECT visit, state FROM states WHERE strategy = ?", (strategy,))
        return SavedState(*rows[0]) if rows else None

    @property
    def archetypes(self) -> dict[int, tuple[int, ...]]:
        rows = self._transaction.rows("SELECT topic, visits FROM archetypes ORDER BY topic")
        return {topic: tuple(json.loads(visits)) for topic, visits in rows}

    @archetypes.setter
    def archetypes(self, archetypes: dict[int, tuple[int, ...]]) -> None:
        self._transaction.write("DELETE FROM archetypes", [()])
        rows = [(int(topic), json.dumps([int(visit) for visit in visits])) for topic, visits in archetypes.items()]
        self._transaction.write(schema.ADD_ARCHETYPES, rows)

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
