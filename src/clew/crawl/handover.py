"""Pages taken one by one from a crawl that runs in the same event loop, or in a thread with one of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeAlias

from clew.crawl.loop import Loop
from clew.crawl.pages import PageRecord
from clew.crawl.running import CrawlResult, runner
from clew.model import Visit

Handover: TypeAlias = Callable[[PageRecord], Awaitable[None]]
"""Takes a page; the crawl goes on when it returns."""

Start: TypeAlias = Callable[[Handover | None], Awaitable[CrawlResult]]


def hand_over(loop: Loop, handover: Handover, topics: tuple[str, ...]) -> None:
    """Let a running loop wait at every page until it was taken."""
    waiting: list[PageRecord] = []

    def visited(visit: Visit) -> None:
        if visit.page is not None:
            waiting.append(PageRecord.of_visit(visit, topics))

    async def hand() -> None:
        while waiting:
            await handover(waiting.pop(0))

    loop.on_visit, loop.handover = visited, hand


def event_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class CrawlThread:
    """A crawl in a thread and an event loop of its own. ``pages``: where each page goes, and None at the end; the crawl
    waits there until ``next`` is called. Without it the crawl just runs. ``stop`` asks the crawl to end."""

    def __init__(self, start: Start, stop: Callable[[], None], pages: SimpleQueue[PageRecord | None] | None) -> None:
        self._start, self._stop, self._pages = start, stop, pages
        self._result: CrawlResult | None = None
        self._error: BaseException | None = None
        self._onward: asyncio.Event | None = None
        self._event_loop: asyncio.AbstractEventLoop | None = None
        self.waits = False  # a page was handed over, and the next one is not asked for yet
        self._thread = threading.Thread(target=self._target, name="clew-crawl", daemon=True)
        self._thread.start()

    def _target(self) -> None:
        try:
            with runner() as own:
                self._event_loop = own.get_loop()
                self._result = own.run(self._whole())
        except BaseException as error:
            self._error = error
        finally:
            if self._pages is not None:
                self._pages.put(None)

    async def _whole(self) -> CrawlResult:
        return await self._start(self._handover if self._pages is not None else None)

    async def _handover(self, page: PageRecord) -> None:
        assert self._pages is not None
        self._onward, self.waits = asyncio.Event(), True
        self._pages.put(page)
        await self._onward.wait()
        self.waits = False

    def next(self) -> None:
        """Let the crawl go on to the next page."""
        if self._event_loop is not None and self._onward is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._event_loop.call_soon_threadsafe(self._onward.set)

    def outcome(self) -> CrawlResult:
        """Wait for the end; the result, or the error that ended the crawl."""
        try:
            self._thread.join()
        except KeyboardInterrupt:
            self.end()
            raise
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def end(self) -> None:
        """Stop the crawl and wait until it has."""
        while self._thread.is_alive():
            self._stop()
            self.next()
            self._thread.join(0.05)
