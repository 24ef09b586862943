"""The simulated web over real HTTP on loopback addresses: for demonstrations and end-to-end tests."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TextIO

from aiohttp import web as http

from clew.errors import ClewError
from clew.web.simulated.web import SimPage, SimulatedWeb

ADDRESSES = tuple(f"127.0.0.{last}" for last in range(2, 10))
GRAVE = "127.255.255.254"
"""Where hosts that are gone are looked for: nothing listens there."""

_MAX_NAMES = 2_000  # larger webs are resolved by patterns
_MAX_LOG = 1_000_000
_START_S = 30.0
_BINDS = 50


class Access(NamedTuple):
    """One request that was answered. ``time`` is Unix time; ``address`` the server's own."""

    time: float
    address: str
    host: str
    path: str
    status: int


class _Stop(NamedTuple):
    """How another thread ends the server."""

    loop: asyncio.AbstractEventLoop
    event: asyncio.Event


class DemoServer:
    """Serves a simulated web on several addresses and one port, in a thread of its own.

    ``port`` 0 takes one that is free on all addresses; since the port stands in every URL, the pages served are
    those of the attribute ``web``, which is set by ``start``. ``log_file`` gets one tab-separated line a request.
    Systems other than Linux know only 127.0.0.1 at first: give ``addresses=("127.0.0.1",)`` there.
    """

    def __init__(
        self,
        web: SimulatedWeb,
        addresses: Sequence[str] = ADDRESSES,
        port: int = 0,
        log_file: Path | None = None,
    ) -> None:
        self.web, self.addresses, self.port = web, tuple(addresses), port
        self._log: deque[Access] = deque(maxlen=_MAX_LOG)
        self._log_file = log_file
        self._log_stream: TextIO | None = None
        self._stop: _Stop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Bind, start the thread and return when requests are answered. Raises ClewError if that fails."""
        if self._thread is not None:
            raise ClewError("the demo server already runs; stop it first")
        sockets = _bind(self.addresses, self.port)
        self.port = sockets[0].getsockname()[1]
        self.web = self.web.at_port(self.port)
        if self._log_file is not None:
            self._log_stream = self._log_file.open("a", encoding="utf-8", buffering=1)
        ready: Future[_Stop] = Future()
        self._thread = threading.Thread(target=self._run, args=(sockets, ready), name="clew-demo-server", daemon=True)
        self._thread.start()
        try:
            self._stop = ready.result(_START_S)
        except Exception as error:
            self._thread = None
            self._close_log()
            raise ClewError(f"the demo server did not start on port {self.port}: {error!r}") from error

    def stop(self) -> None:
        """Stop answering and free the port; safe to call twice."""
        if self._thread is None or self._stop is None:
            return
        self._stop.loop.call_soon_threadsafe(self._stop.event.set)
        self._thread.join()
        self._thread = self._stop = None
        self._close_log()

    def _close_log(self) -> None:
        if self._log_stream is not None:
            self._log_stream.close()
            self._log_stream = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def log(self) -> tuple[Access, ...]:
        """The requests so far, oldest first (the last million)."""
        return tuple(self._log)

    def resolve(self) -> dict[str, str]:
        """Host names and addresses for ``[web.live] resolve``. Exact names go before patterns, long patterns
        before short ones.

        Host number N lives at address N modulo the number of addresses. Webs of more than 2,000 hosts are all sent
        to the first address: every address answers for every host.
        """
        domain = self.web.parameters.domain
        names = {f"*.gone.{domain}": GRAVE, f"*.{domain}": self.addresses[0]}
        if self.web.hosts <= _MAX_NAMES:
            names[f"*.{domain}"] = GRAVE
            names |= {self.web.host_name(n): self.addresses[n % len(self.addresses)] for n in range(self.web.hosts)}
        return names

    # inside the thread

    def _run(self, sockets: list[socket.socket], ready: Future[_Stop]) -> None:
        try:
            asyncio.run(self._serve(sockets, ready))
        except Exception as error:
            ready.set_exception(error)
        finally:
            for sock in sockets:
                sock.close()

    async def _serve(self, sockets: list[socket.socket], ready: Future[_Stop]) -> None:
        """Answer requests until told to stop; ``ready`` gets what tells it."""
        stopped = asyncio.Event()
        runner = http.ServerRunner(http.Server(self._handle), handle_signals=False, shutdown_timeout=1.0)
        await runner.setup()
        try:
            for sock in sockets:
                await http.SockSite(runner, sock).start()
            ready.set_result(_Stop(asyncio.get_running_loop(), stopped))
            await stopped.wait()
        finally:
            await runner.cleanup()

    async def _handle(self, request: http.BaseRequest) -> http.StreamResponse:
        host = (request.host.partition(":")[0]).lower()
        answer = self._answer(host, request.path_qs)
        answer.headers["Server"] = "clew-demo"
        if answer.status == 200 and "gzip" in request.headers.get("Accept-Encoding", ""):
            answer.enable_compression(http.ContentCoding.gzip)
        address = "" if request.transport is None else request.transport.get_extra_info("sockname")[0]
        self._note(Access(time.time(), address, host, request.path_qs, answer.status))
        return answer

    def _note(self, access: Access) -> None:
        self._log.append(access)
        if self._log_stream is not None:
            self._log_stream.write("\t".join(map(str, access)) + "\n")

    def _answer(self, host: str, path: str) -> http.Response:
        if path == "/robots.txt":
            return self._robots(host)
        page = self.web.page(f"http://{host}{self._port}{path}")
        return _response(page or SimPage("", 404, reason="404 Not Found"))

    @property
    def _port(self) -> str:
        return "" if self.port == 80 else f":{self.port}"

    def _robots(self, host: str) -> http.Response:
        text = self.web.robots(host)
        return http.Response(status=404, text="") if text is None else http.Response(text=text)


def _response(page: SimPage) -> http.Response:
    """The HTTP answer for a page. A host that is gone cannot answer: should it be asked here, it knows no page."""
    if page.status == 301:
        return http.Response(status=301, headers={"Location": page.location})
    if page.status != 200:
        return http.Response(status=404, text=page.reason)
    return http.Response(body=page.html.encode(), content_type="text/html", charset="utf-8")


def _bind(addresses: tuple[str, ...], port: int) -> list[socket.socket]:
    """One socket an address, all at one port. Raises ClewError saying which address refused."""
    error: OSError | None = None
    for _ in range(1 if port else _BINDS):
        try:
            return _bind_once(addresses, port)
        except OSError as caught:
            error = caught
    raise ClewError(f"the demo server cannot listen on {', '.join(addresses)} (port {port or 'any'}): {error}")


def _bind_once(addresses: tuple[str, ...], port: int) -> list[socket.socket]:
    with contextlib.ExitStack() as stack:
        sockets = []
        for address in addresses:
            sock = stack.enter_context(socket.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((address, port))
            port = sock.getsockname()[1]
            sockets.append(sock)
        stack.pop_all()  # all are bound: leave them open
        return sockets
