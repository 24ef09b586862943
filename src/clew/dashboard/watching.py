"""News of crawls as they run: one thread a project looks once a second, for all who listen, and only while one does."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from pydantic import TypeAdapter

from clew.dashboard.projects import Shown
from clew.export.crawlstate import CrawlState, CrawlStates
from clew.project.launching import Launcher

EVERY_S = 1.0
BEAT_S = 15.0
"""Whoever listens hears at least this often that the connection stands."""

BEAT = b": still here\n\n"
TO_JSON = TypeAdapter(CrawlState)

END = None
Listener = tuple[asyncio.AbstractEventLoop, "asyncio.Queue[bytes | None]"]


def launcher_of(shown: Shown) -> Launcher:
    """What starts crawls of a project."""
    return shown.kept(_launcher)


def _launcher(shown: Shown) -> Launcher:
    return Launcher(shown.path)


def state_of(shown: Shown) -> CrawlState:
    """How a project's crawl stands now. Raises ClewError."""
    return shown.kept(_states).now(shown.project(), launcher_of(shown))


def _states(shown: Shown) -> CrawlStates:
    return CrawlStates()


async def events(shown: Shown) -> AsyncIterator[bytes]:
    """Server-sent events: ``state`` with a CrawlState whenever it changed, ``error`` with what is wrong; a comment now
    and then where nothing changes. Ends when the server does."""
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=8)
    listener, watch = (asyncio.get_running_loop(), queue), shown.kept(Watch)
    watch.add(listener)
    try:
        while True:
            try:
                async with asyncio.timeout(BEAT_S):
                    event = await queue.get()
            except TimeoutError:
                event = BEAT
            if event is END:
                return
            yield event
    finally:
        watch.remove(listener)


class Watch:
    """Looks at the crawl of one project while anyone listens."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        self._thread: threading.Thread | None = None
        self._last = b""
        self._left = threading.Event()

    def add(self, listener: Listener) -> None:
        """One more who listens. They hear at once how things stand."""
        with self._lock:
            self._listeners.append(listener)
            if self._last:
                _tell(listener, self._last)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._look, name=f"watch {self._shown.name}", daemon=True)
                self._thread.start()

    def remove(self, listener: Listener) -> None:
        """Someone went. With the last one the thread ends."""
        with self._lock:
            self._listeners.remove(listener)

    def _look(self) -> None:
        while True:
            began = time.monotonic()
            event = b"" if self._shown.closed.is_set() else self._event()
            with self._lock:
                for listener in self._listeners:
                    if not event:
                        _tell(listener, END)
                    elif event != self._last:
                        _tell(listener, event)
                self._last = event
                if not event or not self._listeners:
                    self._last, self._thread = b"", None
                    return
            self._shown.closed.wait(max(EVERY_S - (time.monotonic() - began), 0.0))

    def _event(self) -> bytes:
        try:
            data = TO_JSON.dump_json(state_of(self._shown))
        except Exception as error:  # whatever it is, the thread goes on: others listen
            return b"event: fault\ndata: " + TypeAdapter(dict[str, str]).dump_json({"error": str(error)}) + b"\n\n"
        return b"event: state\ndata: " + data + b"\n\n"


def _tell(listener: Listener, event: bytes | None) -> None:
    loop, queue = listener
    with suppress(RuntimeError):  # its event loop ended
        loop.call_soon_threadsafe(_put, queue, event)


def _put(queue: asyncio.Queue[bytes | None], event: bytes | None) -> None:
    """The oldest news are dropped for those who take none."""
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(event)
