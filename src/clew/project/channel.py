"""A running crawl can be asked and steered by other processes of its user, over a Unix socket.

The socket lies in a folder that only the user can enter; ``running.json`` of the project says where, and which process
it is. One JSON object a line each way:

    {"id": 1, "ask": "best", "n": 20}     {"id": 1, "ok": [...]}     {"id": 1, "error": "...", "kind": "input"}

``kind`` is *input* where the question is wrong or cannot be followed, *fault* where Clew is to blame. What can be asked
are the public methods of ``Steering``, by name, with their arguments; and ``watch``, after which snapshots come every
``every_s`` seconds until the client goes. Where there are no Unix sockets, nobody listens.

The server runs in the event loop of the crawl. Whoever asks, and however many: answers take a fifth of its time at
most, lines and buffers are bounded, and who does not read or write is left.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from logging import WARNING
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.crawl.events import tell
from clew.crawl.steering import Steering
from clew.errors import ClewError, InputError

RUNNING: Final = "running.json"

LINE: Final = 64 * 1024
"""Bytes of a question, at most."""

CLIENTS: Final = 16
"""Connections at a time, at most."""

IDLE_S: Final = 30.0
"""A client that sends no whole line, or does not read its answer, for so long is left."""

LAST_S: Final = 2.0
"""At the end of a crawl questions are answered for so long."""

REST: Final = 4.0
"""After an answer that took t seconds nobody is answered for 4 t."""

SOONEST_S, LATEST_S = 0.1, 60.0
"""Bounds of ``every_s``."""

ASKS: Final = frozenset(
    {"snapshot", "bands", "best", "hosts", "pause", "resume", "stop", "push", "drop", "block", "unblock"}
)
LONGEST: Final = 100
"""Bytes of a socket's path, at most: systems take 104 to 108."""

SHORT: Final = "/tmp"

ACTS: Final = frozenset({"pause", "resume", "stop", "push", "drop", "block", "unblock"})
"""Those that change something, and are answered when that is written."""


class Record(msgspec.Struct, frozen=True):
    """What ``running.json`` says: the process and the path of its socket."""

    pid: int
    socket: str


@asynccontextmanager
async def listening(project: Path, steering: Steering) -> AsyncIterator[None]:
    """Others may ask and steer the crawl of a project folder meanwhile. Where that cannot be, the crawl goes on
    without."""
    server = _Server(project, steering)
    try:
        await server.open()
    except (OSError, NotImplementedError, AttributeError) as error:  # no Unix sockets, no room for a file
        tell("nobody listens", f"this crawl cannot be steered by other processes: {error}", WARNING)
    try:
        yield
    finally:
        await server.close()


@dataclass(slots=True)
class _Server:
    """Listens in the running event loop, from ``open`` to ``close``."""

    project: Path
    steering: Steering
    folder: Path | None = None
    clients: set[asyncio.Task[None]] = field(default_factory=set)
    server: asyncio.AbstractServer | None = None
    answering: int = 0
    idle: asyncio.Event = field(default_factory=asyncio.Event)  # nobody waits for an answer
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def open(self) -> None:
        self.idle.set()
        self.folder = Path(tempfile.mkdtemp(prefix="clew-"))
        if len(os.fsencode(self.folder / "crawl")) > LONGEST:
            self.folder.rmdir()
            self.folder = Path(tempfile.mkdtemp(prefix="clew-", dir=SHORT))
        path = self.folder / "crawl"
        self.server = await asyncio.start_unix_server(self._connected, path, limit=LINE)
        _write(self.project / RUNNING, Record(os.getpid(), str(path)))
        self.steering.reread()

    async def close(self) -> None:
        if self.server is not None:
            self.server.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_S):  # whoever asked for the end is told of it
                await self.idle.wait()
        for client in self.clients:
            client.cancel()
        await asyncio.gather(*self.clients, return_exceptions=True)
        if self.folder is None:
            return
        with suppress(OSError):
            known = read_record(self.project)
            if known is not None and known.socket.startswith(str(self.folder)):
                (self.project / RUNNING).unlink()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self.clients) >= CLIENTS:
            writer.write(_line({"error": f"{CLIENTS} others ask already: try again later", "kind": "busy"}))
            writer.close()
            return
        self.clients.add(task)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, TimeoutError):
            pass
        except asyncio.CancelledError:  # the crawl is over; who waits for an answer is told by the end of the line
            pass
        finally:
            self.clients.discard(task)
            writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                line = await asyncio.wait_for(reader.readline(), IDLE_S)
            except ValueError:  # longer than LINE
                await _send(writer, {"error": f"a question may have {LINE:,} bytes", "kind": "input"})
                return
            if not line.endswith(b"\n"):
                return
            await self._answer(line, reader, writer)

    async def _answer(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number: Any = None
        try:
            question = _question(line)
            number = question.pop("id", None)
            ask = question.pop("ask", None)
            if ask == "watch":
                await self._watch(number, question, reader, writer)
                return
            with self._answering():
                await _send(writer, {"id": number, "ok": await self._asked(ask, question)})
        except InputError as error:
            await _send(writer, {"id": number, "error": str(error), "kind": "input"})
        except ClewError as error:
            await _send(writer, {"id": number, "error": str(error), "kind": "fault"})
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:  # a fault of ours must end no crawl
            said = f"a fault in Clew: {type(error).__name__}: {error}"
            tell("fault", said, WARNING)
            await _send(writer, {"id": number, "error": said, "kind": "fault"})

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Meanwhile the crawl does not end without waiting a little."""
        self.answering += 1
        self.idle.clear()
        try:
            yield
        finally:
            self.answering -= 1
            if not self.answering:
                self.idle.set()

    async def _asked(self, ask: object, arguments: dict[str, Any]) -> Any:
        """The answer to one question, when its turn comes. Raises ClewError."""
        method = _method(self.steering, ask, arguments)
        async with self.turn:
            began = time.monotonic()
            try:
                found = msgspec.to_builtins(method())
            finally:
                await asyncio.sleep(REST * (time.monotonic() - began))
        if ask in ACTS:
            await self.steering.settled()
        return found

    async def _watch(
        self, number: Any, arguments: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Send snapshots until the client hangs up, or does not read any more."""
        every_s = arguments.pop("every_s", 1.0)
        if arguments or isinstance(every_s, bool) or not isinstance(every_s, int | float):
            raise InputError("watch takes every_s, a number of seconds")
        pause_s = min(max(float(every_s), SOONEST_S), LATEST_S)
        gone = asyncio.ensure_future(reader.read(1))
        try:
            while not gone.done():
                await _send(writer, {"id": number, "ok": await self._asked("snapshot", {})})
                await asyncio.wait([gone], timeout=pause_s)
        finally:
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        raise ConnectionResetError


def _question(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError("a question is one JSON object a line")
    return found


def _method(steering: Steering, ask: object, arguments: dict[str, Any]) -> Callable[[], object]:
    """What a question calls. Raises InputError for a name or arguments that there are not."""
    if not isinstance(ask, str) or ask not in ASKS:
        raise InputError(f"ask is one of {', '.join(sorted(ASKS | {'watch'}))}, not {str(ask)[:40]!r}")
    method = getattr(steering, ask)
    parameters = inspect.signature(method).parameters
    kinds = {name: int if one.annotation == "int" else str for name, one in parameters.items()}
    missing = [name for name, one in parameters.items() if one.default is one.empty and name not in arguments]
    wrong = [name for name, one in arguments.items() if type(one) is not kinds.get(name)]
    if missing or wrong:
        takes = ", ".join(f"{name} ({kind.__name__})" for name, kind in kinds.items()) or "nothing"
        raise InputError(f"{ask} takes {takes}")
    return lambda: method(**arguments)


def _line(answer: dict[str, Any]) -> bytes:
    """An answer as a line. What no UTF-8 can hold is written as JSON escapes."""
    return json.dumps(answer, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode() + b"\n"


async def _send(writer: asyncio.StreamWriter, answer: dict[str, Any]) -> None:
    writer.write(_line(answer))
    await asyncio.wait_for(writer.drain(), IDLE_S)


def read_record(project: Path) -> Record | None:
    """What ``running.json`` of a project says; None where there is none that can be read."""
    try:
        return msgspec.json.decode((project / RUNNING).read_bytes(), type=Record)
    except (OSError, msgspec.DecodeError):
        return None


def _write(path: Path, record: Record) -> None:
    """Written as a whole, and readable by its user alone."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        new.unlink()
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(record))
    new.replace(path)


def only_ours(folder: Path) -> bool:
    """Whether a folder belongs to this user and nobody else may enter it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
