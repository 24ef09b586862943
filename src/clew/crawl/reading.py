"""Reading and judging fetched pages: in this process, or in worker processes that take several pages at a time.

What a worker does with a page is a pure function of the response, so it makes no difference to a crawl where it
runs. A page that kills its worker, or holds it for too long, is a page that cannot be read: the pages that were with
the workers are then read one at a time in a process of their own, so that no other page is blamed for it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace

from clew.judges.base import Judge
from clew.model import Judgement, Outcome, Page, Response
from clew.store.warc import encode
from clew.text.reader import Reader, Unreadable
from clew.topics.interest import Interest

BATCH = 8
"""Pages sent to a worker at a time, at most: messages cost more than small batches save."""

START_S = 30.0
"""Seconds a worker may need to start on a busy machine."""

PATIENCE_S = 3.0
"""Seconds a worker may take to end."""


@dataclass(frozen=True, slots=True)
class Job:
    """A response to read, and facts about its fetch for the archive's metadata record."""

    response: Response
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What came of a response: a page and its judgement, or a reason; and its archive records, compressed."""

    page: Page | None = None
    judgement: Judgement | None = None
    reason: str = ""
    records: bytes = b""


@dataclass(frozen=True, slots=True)
class PageWorker:
    """Everything needed to turn responses into readings. ``gzip_level`` 0: no archive records are made."""

    reader: Reader
    judge: Judge
    interest: Interest
    gzip_level: int = 0

    def work(self, jobs: Sequence[Job]) -> list[Reading]:
        """One reading a job, in order."""
        pages = [self._read(job.response) for job in jobs]
        judged = iter(self._judged([page for page in pages if isinstance(page, Page)]))
        return [
            self._unread(job, page) if isinstance(page, str) else self._reading(job, page, next(judged))
            for job, page in zip(jobs, pages, strict=True)
        ]

    def _judged(self, pages: Sequence[Page]) -> list[Judgement | str]:
        """A judgement a page, or why there is none: a page that a judge cannot take must not cost the others theirs."""
        try:
            return list(self.judge.judge(pages))
        except Exception as error:
            if len(pages) == 1:
                return [f"cannot be judged: {type(error).__name__}: {error}"]
            return [one for page in pages for one in self._judged([page])]

    def _read(self, response: Response) -> Page | str:
        if response.outcome is not Outcome.OK:
            return response.reason
        try:
            return self.reader.read(response)
        except Unreadable as error:
            return str(error)
        except Exception as error:  # a page must never stop a crawl, whatever it does to a parser
            return f"cannot be read: {type(error).__name__}: {error}"

    def _reading(self, job: Job, page: Page, judgement: Judgement | str) -> Reading:
        if isinstance(judgement, str):
            return self._unread(job, judgement)
        found = {"relevance": f"{self.interest.relevance(judgement):.6f}", "language": page.language}
        return Reading(replace(page, text=""), judgement, "", self._records(job, found, page.digest))

    def _unread(self, job: Job, reason: str) -> Reading:
        return Reading(reason=reason, records=self.archived(job))

    def archived(self, job: Job) -> bytes:
        """The archive records of a response that was fetched and cannot be read."""
        return self._records(job, {})

    def _records(self, job: Job, found: Mapping[str, str], digest: str = "") -> bytes:
        if not self.gzip_level or not job.response.status:
            return b""
        return encode(job.response, {**job.facts, **found}, self.gzip_level, digest)


_worker: PageWorker | None = None


def _start(worker: bytes) -> None:
    global _worker  # noqa: PLW0603  # a worker process has one, set once when it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to us too; the crawl says when to end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = pickle.loads(worker)


def _end_with_parent() -> None:
    """A crawl that is killed must leave no workers behind: they would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(jobs: Sequence[Job]) -> list[Reading]:
    assert _worker is not None
    return _worker.work(jobs)


class ReadingPool:
    """Reads jobs in ``processes`` worker processes, or at once in this one when there are none.

    ``read_s``: seconds a page may take in a worker process.
    """

    def __init__(self, worker: PageWorker, processes: int, read_s: float = 30.0) -> None:
        self.worker = worker
        self.processes = processes
        self.read_s = read_s
        self._waiting: list[tuple[Job, asyncio.Future[Reading]]] = []
        self._busy: set[asyncio.Task[None]] = set()
        self._pool = self._new_pool(processes) if processes else None
        self._apart: ProcessPoolExecutor | None = None
        self._suspect = asyncio.Lock()

    def _new_pool(self, processes: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            processes,
            mp_context=multiprocessing.get_context("spawn"),  # our own children: their CPU time is counted as ours
            initializer=_start,
            initargs=(pickle.dumps(self.worker),),
        )

    async def read(self, job: Job) -> Reading:
        """The reading of one job."""
        if self._pool is None:
            return self.worker.work([job])[0]
        future: asyncio.Future[Reading] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, future))
        self._dispatch()
        return await future

    def adopt(self, judge: Judge) -> None:
        """Judge pages that are sent from now on with another judge; those under way finish with the old one."""
        self.worker = replace(self.worker, judge=judge)
        for pool in (self._pool, self._apart):
            if pool is not None:
                pool.shutdown(wait=False)
        self._pool = self._new_pool(self.processes) if self.processes else None
        self._apart = None

    def _dispatch(self) -> None:
        """Send waiting jobs to idle workers; one batch in work and one at the door for each."""
        while self._waiting and len(self._busy) < 2 * self.processes:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            task = asyncio.ensure_future(self._send(batch))
            self._busy.add(task)
            task.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Task[None]) -> None:
        self._busy.discard(task)
        self._dispatch()

    async def _send(self, batch: Sequence[tuple[Job, asyncio.Future[Reading]]]) -> None:
        try:
            readings = await self._readings([job for job, _ in batch])
        except Exception as error:  # a fault of ours: it must reach those who wait, or they wait for ever
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), reading in zip(batch, readings, strict=True):
            if not future.done():
                future.set_result(reading)

    async def _readings(self, jobs: Sequence[Job]) -> list[Reading]:
        """Readings of a batch. When its worker died, or gave no answer in the time of all pages before it and in it,
        its pages are read one at a time."""
        assert self._pool is not None
        pool = self._pool
        try:
            return await self._run(pool, jobs, 2 * BATCH * self.read_s)
        except (BrokenProcessPool, TimeoutError):
            if self._pool is pool:  # the first to notice replaces it
                self._pool = self._new_pool(self.processes)
                _end(pool)
            return [await self._alone(job) for job in jobs]

    async def _alone(self, job: Job) -> Reading:
        """Read a suspect with no other page in its process: if that process ends too, this page is to blame."""
        async with self._suspect:
            if self._apart is None:
                self._apart = self._new_pool(1)
                await self._run(self._apart, [], START_S)
            pool = self._apart
            try:
                return (await self._run(pool, [job], self.read_s))[0]
            except BrokenProcessPool:
                reason = "cannot be read: it ended the process that read it"
            except TimeoutError:
                reason = f"cannot be read: it took longer than {self.read_s:g} s"
            self._apart = None
            _end(pool)
        return Reading(reason=reason, records=self.worker.archived(job))

    @staticmethod
    async def _run(pool: ProcessPoolExecutor, jobs: Sequence[Job], seconds: float) -> list[Reading]:
        async with asyncio.timeout(seconds):
            return await asyncio.get_running_loop().run_in_executor(pool, _work, jobs)

    def close(self) -> None:
        """End the workers; safe to call twice."""
        for pool in (self._pool, self._apart):
            if pool is not None:
                _end(pool)


def _end(pool: ProcessPoolExecutor) -> None:
    """End a pool: idle workers go by themselves, those that are held by a page are killed."""
    workers = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.join(PATIENCE_S)
        if worker.is_alive():
            worker.kill()
            worker.join()
