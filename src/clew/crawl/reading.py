"""Reading and judging fetched pages: in this process, or in worker processes that take several pages at a time.

What a worker does with a page is a pure function of the response, so it makes no difference to a crawl where it
runs. A page that kills its worker, or holds it for too long, is a page that cannot be read: the pages that were with
the workers are then read one at a time in a process of their own, so that no other page is blamed for it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from clew.crawl.parcels import Job, Reading, pack_job, unpack_reading
from clew.crawl.working import PageWorker, luggage, start, work
from clew.judges.base import Judge

__all__ = ["PageWorker", "ReadingPool"]

BATCH = 8
"""Pages sent to a worker at a time, at most: messages cost more than small batches save."""

START_S = 30.0
"""Seconds a worker may need to start on a busy machine."""

PATIENCE_S = 3.0
"""Seconds a worker may take to end."""


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
            initializer=start,
            initargs=(luggage(self.worker),),
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
        parcels = [pack_job(job) for job in jobs]
        async with asyncio.timeout(seconds):
            readings = await asyncio.get_running_loop().run_in_executor(pool, work, parcels)
        return [unpack_reading(reading) for reading in readings]

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
