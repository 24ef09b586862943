"""A crawl as an object, for Python: made of seeds, examples, a strategy, a judge and a world; with a folder or without.

crawl = Crawl(seeds=[...], examples=Examples(relevant=[...]), world="archive:old.warc.gz", strategy="apprentice")
for page in crawl:
    print(page.url, page.relevance, page.title)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

import msgspec

from clew.config import Settings, settings_from
from clew.crawl.assembling import setup_of
from clew.crawl.handover import CrawlThread, Handover, event_loop, hand_over
from clew.crawl.loop import Loop
from clew.crawl.pages import OnPage, PageRecord, Pages
from clew.crawl.running import CrawlResult, Display, run, runner
from clew.crawl.setup import Setup
from clew.crawl.showing import display_of
from clew.errors import ClewError, InputError, ProjectError
from clew.examples.examples import Examples
from clew.judges.base import Judge
from clew.store.base import Store
from clew.store.sqlite import SqliteStore
from clew.strategies.base import Strategy
from clew.web.base import World
from clew.web.registry import make as make_world
from clew.web.simulated import parse_spec, starting_points

DATABASE, ARCHIVE = "crawl.db", "archive"


class Crawl:
    """A crawl that has not begun, runs, or has stopped and can go on.

    ``seeds``: URLs to start from. ``examples``: what is wanted. ``world``: where pages come from, as users write it
    ("live", "archive:FILE", "folder:DIR", "sim:pages=3000,seed=3"), what ``clew.worlds`` makes, or an object of your
    own. ``strategy``, ``judge``: a name, or an object of your own; None: as the settings say. A simulated web needs no
    seeds and no examples: without them one of its topics is wanted.

    ``folder``: where the crawl is kept (database and archive) and goes on the next time; None: in memory.
    ``settings``: a ``Settings``, or a mapping with the tables of clew.toml. ``on_page`` sees each page before it is
    remembered; subclasses may override it instead. ``progress``: show how the crawl goes on, in a terminal or notebook.
    """

    def __init__(
        self,
        seeds: Sequence[str] = (),
        examples: Examples | None = None,
        *,
        world: str | World = "live",
        strategy: str | Strategy | None = None,
        judge: str | Judge | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        folder: Path | str | None = None,
        on_page: OnPage | None = None,
        progress: bool = False,
    ) -> None:
        if isinstance(seeds, str):
            raise InputError(f"seeds is a list of URLs, not one text: [{seeds!r}]")
        self.settings = settings if isinstance(settings, Settings) else settings_from(settings or {})
        self.seeds, self.examples = tuple(seeds), examples
        self.world, self.strategy, self.judge = world, strategy, judge
        self.folder = Path(folder) if folder is not None else None
        self.progress = progress
        self.result: CrawlResult | None = None
        self._on_page = on_page
        self._store: Store | None = None
        self._topics: tuple[str, ...] = ()
        self._loop: Loop | None = None
        self._event_loop: asyncio.AbstractEventLoop | None = None
        self._stop_asked = False
        self._thread: CrawlThread | None = None
        if isinstance(world, str) and world.startswith("sim"):
            self._start_in(world)

    def _start_in(self, world: str) -> None:
        """Take seeds and examples that were not given from a simulated web."""
        if self.seeds and self.examples is not None:
            return
        web = parse_spec(world)
        points = starting_points(web)
        self.seeds = self.seeds or points.seeds
        if self.examples is not None or self.settings.interest.keywords:
            return
        if web.parameters.language == "english":  # the topic has a name that says something: keep it
            self.examples = Examples(topics={points.topic: points.relevant}, irrelevant=points.irrelevant)
        else:
            self.examples = Examples(relevant=points.relevant, irrelevant=points.irrelevant)

    # -- what subclasses may say --------------------------------------------------------------------------

    def on_page(self, page: PageRecord) -> bool | None:
        """Called with every page that was judged, before it is remembered. False leaves the page out of the collection
        and its links unfollowed; raising StopCrawl ends the crawl after this page."""
        return self._on_page(page) if self._on_page is not None else None

    # -- running ------------------------------------------------------------------------------------------

    async def run(self, max_pages: int | None = None, seconds: float = 0.0) -> CrawlResult:
        """Start the crawl, or go on where it stopped, until a rule says stop. Raises ClewError.

        ``max_pages``: fetches of the whole crawl, at most (None: as the settings say; 0: no limit).
        """
        return await self._run(max_pages, seconds)

    def run_sync(self, max_pages: int | None = None, seconds: float = 0.0) -> CrawlResult:
        """``run`` for callers without an event loop, and for notebooks, whose own loop it leaves alone: it blocks."""
        if event_loop() is None:
            with runner() as own:
                return own.run(self._run(max_pages, seconds))
        return CrawlThread(lambda handover: self._run(max_pages, seconds, handover), self.stop, None).outcome()

    def stop(self) -> None:
        """Take no new link and finish those under way; may be called from anywhere, also from another thread. A crawl
        that does not run is left as it is."""
        event_loop = self._event_loop
        if event_loop is None:
            return
        self._stop_asked = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it has just ended
                event_loop.call_soon_threadsafe(self._loop.interrupt)

    def __iter__(self) -> Iterator[PageRecord]:
        """Crawl, and give each page that was judged as soon as it is; the crawl waits until the next one is asked for.
        Leaving the loop stops the crawl, and it can go on later. Works inside a running event loop too."""
        pages: SimpleQueue[PageRecord | None] = SimpleQueue()
        self._thread = thread = CrawlThread(lambda handover: self._run(None, 0.0, handover), self.stop, pages)
        try:
            while (page := pages.get()) is not None:
                yield page
                thread.next()
            thread.outcome()
        finally:
            thread.end()
            self._thread = None

    async def __aiter__(self) -> AsyncIterator[PageRecord]:
        """As ``for``, inside a running event loop."""
        pages: asyncio.Queue[PageRecord | None] = asyncio.Queue()
        onward = asyncio.Event()

        async def handover(page: PageRecord) -> None:
            onward.clear()
            pages.put_nowait(page)
            await onward.wait()

        task = asyncio.ensure_future(self._run(None, 0.0, handover))
        task.add_done_callback(lambda done: pages.put_nowait(None))
        try:
            while (page := await pages.get()) is not None:
                yield page
                onward.set()
            task.result()
        finally:
            self.stop()
            onward.set()
            with suppress(ClewError, asyncio.CancelledError):
                await task

    # -- what was found -----------------------------------------------------------------------------------

    def pages(self, relevant: bool | None = None) -> Pages:
        """The pages that were judged so far; ``relevant``: only those that are, or are not."""
        return Pages(self._reading, self._topics, relevant)

    def close(self) -> None:
        """Forget a crawl in memory, let go of one in a folder. Safe to call twice; running again opens it anew."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside -------------------------------------------------------------------------------------------

    async def _run(
        self,
        max_pages: int | None,
        seconds: float,
        handover: Handover | None = None,
    ) -> CrawlResult:
        if self._event_loop is not None:
            raise InputError("this crawl runs already; make another Crawl, or stop() it first")
        self._event_loop = asyncio.get_running_loop()
        try:
            setup = self._setup(max_pages)
            try:
                with display_of(self.progress) as shown:
                    self.result = await run(setup, self._display(shown, setup, handover), seconds)
                return self.result
            finally:
                await setup.world.close()
                setup.store.commit()
                if self.folder is not None:
                    self.close()
        finally:
            self._loop = self._event_loop = None
            self._stop_asked = False

    def _setup(self, max_pages: int | None) -> Setup:
        settings = self.settings
        if max_pages is not None:
            crawl = msgspec.structs.replace(settings.crawl, max_pages=max_pages)
            settings = msgspec.structs.replace(settings, crawl=crawl)
        store = self._opened()
        world, clock = make_world(self.world, settings, now=store.journal.clock)
        setup = setup_of(
            settings,
            self.examples or Examples(),
            self.seeds,
            world=world,
            clock=clock,
            store=store,
            web=world.name,
            strategy=self.strategy,
            judge=self.judge,
            archive=self.folder / ARCHIVE if self.folder is not None else None,
            on_page=self.on_page,
        )
        self._topics = setup.interest.topics
        return setup

    def _opened(self) -> Store:
        """The store, open for writing."""
        if self._store is not None:
            return self._store
        if self.folder is None:
            self._store = SqliteStore(None)
        else:
            if (self.folder / "clew.toml").is_file():
                raise ProjectError(
                    f"{self.folder} is a Clew project: crawl it with Project({str(self.folder)!r}).crawl()"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            self._store = SqliteStore(self.folder / DATABASE)
        self._store.open()
        return self._store

    def _display(self, shown: Display, setup: Setup, handover: Handover | None) -> Display:
        def started(loop: Loop) -> None:
            self._loop = loop
            if self._stop_asked:
                loop.interrupt()
            if handover is not None:
                hand_over(loop, handover, setup.interest.topics)
            shown.started(loop)

        return Display(started, shown.tick, shown.note)

    @contextmanager
    def _reading(self) -> Iterator[Store]:
        waits = self._thread is not None and self._thread.waits
        if self._event_loop not in (None, event_loop()) and not waits:
            raise InputError("the crawl is running in another thread: iterate over it, or wait until it stops")
        if self._store is not None:
            yield self._store
            return
        if self.folder is None or not (self.folder / DATABASE).is_file():
            raise ProjectError("nothing was crawled yet: run the crawl first")
        store = SqliteStore(self.folder / DATABASE)
        store.open(read_only=True)
        try:
            yield store
        finally:
            store.close()
