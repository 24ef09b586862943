"""A crawl of a project that runs in some process of this user, as others see and steer it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from clew.crawl.standing import Bands, HostsNow, HostState, Snapshot
from clew.crawl.waiting import WaitingLink
from clew.errors import ClewError, InputError, ProjectError
from clew.project.channel import only_ours, read_record
from clew.project.folder import ProjectFolder

ANSWER_S: Final = 10.0
"""Seconds that an answer may take: the crawl may be training its judge, or scoring all links again."""

T = TypeVar("T")


class BusyError(ClewError):
    """The crawl runs and gave no answer in time. Ask again."""


class Running:
    """A running crawl. Its methods block, each over a connection of its own, so any thread may call them.

    They raise ProjectError when the crawl has ended meanwhile, InputError for what it cannot do, and BusyError when it
    gives no answer in ``answer_s`` seconds.
    """

    def __init__(self, project: Path, address: str, pid: int, answer_s: float = ANSWER_S) -> None:
        self.project, self.address, self.pid, self.answer_s = project, address, pid, answer_s

    @classmethod
    def find(cls, project: ProjectFolder, answer_s: float = ANSWER_S) -> Running | None:
        """The crawl of a project that runs now; None when none does, whatever was left behind by one that was
        killed."""
        record = read_record(project.path)
        if record is None or not hasattr(socket, "AF_UNIX") or not only_ours(Path(record.socket).parent):
            return None
        found = cls(project.path, record.socket, record.pid, answer_s)
        try:
            found._connected().close()
        except (ProjectError, BusyError):
            return None
        return found

    # -- seeing -------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The figures of this moment."""
        return _as(self.ask("snapshot"), Snapshot)

    def bands(self, n: int = 20) -> Bands:
        """Waiting links by score, in ``n`` bands."""
        return _as(self.ask("bands", n=n), Bands)

    def best(self, n: int = 20) -> list[WaitingLink]:
        """The ``n`` best waiting links, best first."""
        return _as(self.ask("best", n=n), list[WaitingLink])

    def hosts(self, state: HostState = "active", n: int = 20) -> HostsNow:
        """The hosts with the most links in a state."""
        return _as(self.ask("hosts", state=state, n=n), HostsNow)

    def watch(self, every_s: float = 1.0) -> Iterator[Snapshot]:
        """Snapshots every so many seconds; ends when the crawl does."""
        with closing(self._connected()) as line:
            line.settimeout(self.answer_s + every_s)
            self._send(line, {"ask": "watch", "every_s": every_s})
            with line.makefile("rb") as answers:
                while answer := self._line(answers):
                    yield _as(_told(answer), Snapshot)

    # -- steering -----------------------------------------------------------------------------------------

    def pause(self) -> str:
        """Take no new link until ``resume``. Each of these says in words what was done."""
        return str(self.ask("pause"))

    def resume(self) -> str:
        """Go on."""
        return str(self.ask("resume"))

    def stop(self) -> str:
        """Stop as Ctrl-C does; again: as a second Ctrl-C."""
        return str(self.ask("stop"))

    def push(self, url: str) -> str:
        """Fetch a URL next."""
        return str(self.ask("push", url=url))

    def drop(self, url: str) -> str:
        """Set a waiting URL aside for good."""
        return str(self.ask("drop", url=url))

    def block(self, entry: str) -> str:
        """Put an entry onto the do-not-crawl list, at once."""
        return str(self.ask("block", entry=entry))

    def unblock(self, entry: str) -> str:
        """Take it off again."""
        return str(self.ask("unblock", entry=entry))

    # -- the line -----------------------------------------------------------------------------------------

    def ask(self, what: str, **arguments: str | int | float) -> Any:
        """One question and its answer, as plain values."""
        with closing(self._connected()) as line:
            self._send(line, {"ask": what, **arguments})
            with line.makefile("rb") as answers:
                answer = self._line(answers)
        if not answer:
            raise self._ended()
        return _told(answer)

    def _connected(self) -> socket.socket:
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(self.answer_s)
        try:
            line.connect(self.address)
        except TimeoutError as error:
            line.close()
            raise self._busy() from error
        except OSError as error:
            line.close()
            raise self._ended() from error
        return line

    def _send(self, line: socket.socket, question: dict[str, Any]) -> None:
        try:
            line.sendall(json.dumps(question).encode() + b"\n")
        except TimeoutError as error:
            raise self._busy() from error
        except OSError as error:
            raise self._ended() from error

    def _line(self, answers: Any) -> bytes:
        try:
            return bytes(answers.readline())
        except TimeoutError as error:
            raise self._busy() from error
        except OSError as error:
            raise self._ended() from error

    def _ended(self) -> ProjectError:
        return ProjectError(f"the crawl of {self.project} has ended")

    def _busy(self) -> BusyError:
        return BusyError(f"the crawl of {self.project} (process {self.pid}) gave no answer in {self.answer_s:g} s")


class OddCrawlError(ClewError):
    """The running crawl answers otherwise than this version of Clew expects."""


ODD = "the running crawl is of another version of Clew: stop it (Ctrl-C), and start it again"
KINDS: dict[str, type[ClewError]] = {"input": InputError, "busy": BusyError}


def _told(answer: bytes) -> Any:
    """What an answer says. Raises InputError or ClewError."""
    try:
        found = json.loads(answer)
    except ValueError as error:
        raise ProjectError("the crawl ended in the middle of an answer") from error
    if not isinstance(found, dict) or not {"error", "ok"} & found.keys():
        raise OddCrawlError(ODD)
    if "error" in found:
        raise KINDS.get(str(found.get("kind")), ClewError)(str(found["error"]))
    return found["ok"]


def _as(value: object, type_: type[T]) -> T:
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise OddCrawlError(ODD) from error
