"""The hosts of a SQLite store: columns in memory, written when they changed."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model import Floats
from clew.store.records import HostIds
from clew.store.sqlite import schema
from clew.store.sqlite.hosttable import HostTable
from clew.store.sqlite.transaction import Transaction


class SqliteHosts:
    """A HostStore. ``table`` has the columns."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        transaction.before_writing.append(self._hand_in)
        self.forget()

    def forget(self) -> None:
        """Nothing is known."""
        self.table = HostTable()
        self._spent: dict[int, int] = {}
        self._spending: set[int] = set()  # hosts whose fetches changed since the last writing
        self._silent: dict[int, str] = {}
        self._turned: set[int] = set()  # hosts that fell silent or answered again since

    def recall(self) -> None:
        """Read all hosts."""
        self.table = HostTable(
            self._transaction.rows("SELECT id, name, visits, relevant, failures, ready_at FROM hosts")
        )
        self._spent = dict(self._transaction.rows("SELECT host, fetches FROM spent"))
        self._silent = dict(self._transaction.rows("SELECT host, reason FROM silent WHERE reason != ''"))

    def recount(self, last: int) -> None:
        """History anew, from the visits up to ``last``."""
        for host, visits, relevant, failed in self._transaction.rows(schema.HOST_HISTORY, (last,)):
            self.table.set(host, (visits, relevant, failed))

    def after(self, number: int) -> HostTable:
        """All hosts with their history as it was after a visit."""
        past = HostTable((host, name, 0, 0, 0, 0.0) for host, name in enumerate(self.table.names))
        for host, visits, relevant, failed in self._transaction.rows(schema.HOST_HISTORY, (number,)):
            past.set(host, (visits, relevant, failed))
        return past

    def _hand_in(self) -> None:
        self._transaction.put_all(schema.PUT_HOST, self.table.take_changed())
        self._transaction.put_all(schema.PUT_SPENT, [(host, self._spent[host]) for host in sorted(self._spending)])
        self._spending.clear()
        turned = [(host, schema.clean(self._silent.get(host, ""))) for host in sorted(self._turned)]
        self._transaction.put_all(schema.PUT_SILENT, turned)
        self._turned.clear()

    def ids(self, names: Sequence[str]) -> HostIds:
        return self.table.ids(names)

    def name(self, host: int) -> str:
        return self.table.names[host]

    def count(self) -> int:
        return len(self.table)

    def stats(self, ids: HostIds) -> tuple[Floats, Floats]:
        return self.table.stats(ids)

    def touch(self, host: int, ready_at: float) -> None:
        self._transaction.database.check_writable()
        self.table.hold(host, ready_at)

    def ready(self) -> list[tuple[int, float]]:
        return self.table.ready()

    def sooner(self, seconds: float, latest: float) -> None:
        self._transaction.database.check_writable()
        self.table.sooner(seconds, latest)

    def fell_silent(self, host: int, reason: str) -> None:
        if self._silent.get(host, "") == reason:
            return
        self._transaction.database.check_writable()
        if reason:
            self._silent[host] = reason
        else:
            del self._silent[host]
        self._turned.add(host)

    def silent(self) -> dict[int, str]:
        return dict(self._silent)

    def spend(self, host: int, fetches: int) -> None:
        self._transaction.database.check_writable()
        if fetches:
            self._spent[host] = self._spent.get(host, 0) + fetches
            self._spending.add(host)

    def spent(self, host: int) -> int:
        return self._spent.get(host, 0)
