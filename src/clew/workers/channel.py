"""A worker process and the line to it: requests go out, answers come back in the same order.

The event loop itself reads and writes the line. A process pool of the standard library does so in two more threads,
which hand the interpreter to and fro for every message.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from clew.errors import SHORTAGES, ClewError, shortage
from clew.workers.worker import LENGTH

LACKING_S = 60.0
"""How long is waited for what a worker process takes to start, where this machine lacks it."""

LOOK_S = 0.25

_SPAWN = multiprocessing.get_context("spawn")
"""Our own children: their CPU time is counted as ours."""


class WorkerLostError(Exception):
    """A worker process ended before it answered."""


class Channel(asyncio.BufferedProtocol):
    """Calls ``target(line, *given)`` in a process of its own, which starts with the first request.

    What is large among the given had better be the ``first`` message on the line, unless that is empty; it gets no
    answer. The start waits until the process has read all of ``given``, and the event loop waits with it.

    ``target`` answers each message on the socket ``line`` (an 8-byte length and a pickle) with one such message:
    a pair of whether it worked, and the answer or the exception. It ends when the line does.
    """

    def __init__(self, target: Callable[..., None], *given: object, first: bytes = b"") -> None:
        self._line: socket.socket | None = None
        self._target, self._given = target, given
        self.process = _SPAWN.Process()
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._unsent: list[bytes] = [LENGTH.pack(len(first)), first] if first else []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connecting: asyncio.Task[Any] | None = None
        self._transport: asyncio.Transport | None = None
        self._retired = self._over = False
        self._head = bytearray(LENGTH.size)
        self._body: bytearray | None = None
        self._view, self._got = memoryview(self._head), 0

    @property
    def pending(self) -> int:
        """Requests without an answer."""
        return len(self._waiting)

    async def ask(self, request: object, seconds: float) -> Any:
        """The answer to a request. Raises what the worker raised, WorkerLostError, or TimeoutError."""
        if self._over:
            raise WorkerLostError
        if self._line is None:
            await self._started()
        data = pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        self._unsent += LENGTH.pack(len(data)), data
        if self._transport is not None:
            self._send(self._transport)
        async with asyncio.timeout(seconds):
            return await future

    async def _started(self) -> None:
        """Start the process; where this machine lacks what that takes, wait a while for it. Raises ClewError."""
        until = time.monotonic() + LACKING_S
        while self._line is None:
            try:
                self._start()
            except OSError as error:
                number = shortage(error)
                if not number:
                    raise
                if time.monotonic() > until:
                    raise ClewError(f"no process can be started that reads pages: {SHORTAGES[number]}") from error
                await asyncio.sleep(LOOK_S)
            if self._over:
                raise WorkerLostError

    def _start(self) -> None:
        line, theirs = socket.socketpair()
        try:
            process = _SPAWN.Process(target=self._target, args=(theirs, *self._given), daemon=True)
            process.start()
        except BaseException:
            line.close()
            raise
        finally:
            theirs.close()  # the worker has its own: when that is closed, the line ends
        self.process, self._line = process, line
        line.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._connecting = self._loop.create_task(self._connect(self._loop, line))

    async def _connect(self, loop: asyncio.AbstractEventLoop, line: socket.socket) -> None:
        try:
            await loop.create_connection(lambda: self, sock=line)
        except OSError as error:
            self.connection_lost(error)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by name
        self._send(self._transport)

    def _send(self, transport: asyncio.Transport) -> None:
        transport.writelines(self._unsent)
        self._unsent = []

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view[self._got :]

    def buffer_updated(self, nbytes: int) -> None:
        self._got += nbytes
        if self._got < len(self._view):
            return
        body, self._body, self._got = self._body, None, 0
        if body is None:
            self._body = bytearray(LENGTH.unpack(self._head)[0])
            self._view = memoryview(self._body)
        else:
            self._view = memoryview(self._head)
            self._answered(body)

    def _answered(self, body: bytearray) -> None:
        future = self._waiting.popleft()
        if not future.done():  # whoever asked may have given up
            worked, answer = pickle.loads(body)
            if worked:
                future.set_result(answer)
            else:
                future.set_exception(answer)
        if self._retired and not self._waiting:
            self.hang_up()

    def connection_lost(self, exc: Exception | None) -> None:
        self._over = True
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_exception(WorkerLostError())

    def retire(self) -> None:
        """Let the worker end as soon as it has answered what it was asked."""
        self._retired = True
        if not self._waiting:
            self.hang_up()

    def hang_up(self) -> None:
        """End the line; the worker ends by itself when it notices."""
        self._over = True
        if self._line is not None:
            with suppress(OSError):  # it may have ended already
                self._line.shutdown(socket.SHUT_RDWR)

    def end(self, patience_s: float) -> None:
        """End the line and the worker, which is killed when it is not gone in time; safe to call twice."""
        self.hang_up()
        if self.process.pid is not None:
            self.process.join(patience_s)
            if self.process.is_alive():
                self.process.kill()
                self.process.join()
        if self._loop is not None and not self._loop.is_closed():
            self._let_go()

    def _let_go(self) -> None:
        if self._transport is not None:
            self._transport.abort()
        elif self._connecting is not None and self._line is not None:
            self._connecting.cancel()
            self._line.close()
        self.connection_lost(None)
