"""Reading and judging fetched pages: in this process, or in worker processes that take several pages at a time.

What a worker does with a page is a pure function of the response, so it makes no difference to a crawl where it
runs. A page that kills its worker, or holds it for too long, is a page that cannot be read: the pages that were with
that worker are then read one at a time in a process of their own, so that no other page is blamed for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from clew.judges.base import Judge
from clew.workers.channel import Channel, WorkerLostError
from clew.workers.limits import JUDGING, Watch, ended_by_timer
from clew.workers.messages import Job, Reading, pack_job, unpack_reading
from clew.workers.worker import PageWorker, pickled_worker, work

__all__ = ["PageWorker", "ReadingPool"]

LOGGER = logging.getLogger("clew.workers")

BATCH = 8
"""Pages sent to a worker at a time, at most: messages cost more than small batches save."""

MEMORY = 1_000_000_000
"""Bytes by which a worker may grow, unless a pool is told otherwise."""

START_S = 30.0
"""Seconds a worker may need to start on a busy machine."""

PATIENCE_S = 3.0
"""Seconds a worker may take to end."""


class _Worker(Channel):
    """A worker process, and which page it is at."""

    def __init__(self, pickled: bytes, read_s: float, memory: int) -> None:
        self.watch = Watch()
        super().__init__(work, self.watch, read_s, memory, first=pickled)
        self._batches = 0

    def next_batch(self) -> int:
        """The number of the batch that is asked for next: they are counted as in ``Watch``."""
        self._batches += 1
        return self._batches

    def slow_page(self, batch: int) -> int:
        """The page of a batch because of which the timer ended the process; -1 for none that is known.
        To be asked when the process has ended."""
        at, page = self.watch.at
        return page if at == batch and ended_by_timer(self.process.exitcode) else JUDGING


class ReadingPool:
    """Reads jobs in ``processes`` worker processes, or at once in this one when there are none.

    In a worker process a page may take ``read_s`` seconds, and ``memory`` bytes beyond what the process had at its
    start; one that has kept more than half of that is replaced. In this process neither can be enforced.
    """

    def __init__(self, worker: PageWorker, processes: int, read_s: float = 30.0, memory: int = MEMORY) -> None:
        self.worker = worker
        self.processes = processes
        self.read_s = read_s
        self.memory = memory
        self._waiting: list[tuple[Job, asyncio.Future[Reading]]] = []
        self._busy: set[asyncio.Task[None]] = set()
        self._pickled = pickled_worker(worker) if processes else b""
        self._workers = [self._new_worker() for _ in range(processes)]
        self._apart: _Worker | None = None
        self._retired: list[_Worker] = []
        self._closed = False
        self._suspect = asyncio.Lock()

    def _new_worker(self) -> _Worker:
        return _Worker(self._pickled, self.read_s, self.memory)

    async def read(self, job: Job) -> Reading:
        """The reading of one job."""
        if not self.processes:
            return self.worker.work([job])[0]
        future: asyncio.Future[Reading] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, future))
        self._dispatch()
        return await future

    def adopt(self, judge: Judge) -> None:
        """Judge pages that are sent from now on with another judge; those under way finish with the old one."""
        self.worker = replace(self.worker, judge=judge)
        self._pickled = pickled_worker(self.worker) if self.processes else b""
        for worker in self._all():
            if worker is not self._apart or not self._suspect.locked():  # else it is retired when it has read its page
                worker.retire()
        self._retired = [worker for worker in self._all() if worker.process.is_alive()]
        self._workers = [self._new_worker() for _ in range(self.processes)]
        self._apart = None

    def _replace(self, worker: _Worker) -> None:
        """Have another worker in the place of this one; it has been done already when two batches were with it."""
        if worker in self._workers:
            self._workers[self._workers.index(worker)] = self._new_worker()

    def _relieve(self, worker: _Worker) -> None:
        """A worker that has grown too large may end when it has read what it was sent."""
        if worker.watch.grown > self.memory // 2 and worker in self._workers:
            self._replace(worker)
            worker.retire()
            self._retired = [one for one in [*self._retired, worker] if one.process.is_alive()]

    def _all(self) -> list[_Worker]:
        return [*self._workers, *self._retired, *([self._apart] if self._apart is not None else [])]

    def _dispatch(self) -> None:
        """Send waiting jobs to the workers; for each, one batch in work and one queued."""
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
        its pages are read one at a time; but for one that took too long, if that is why the worker ended."""
        worker = min(self._workers, key=lambda one: one.pending)
        batch = worker.next_batch()
        try:
            readings = await self._run(worker, jobs, 2 * BATCH * self.read_s)
        except (WorkerLostError, TimeoutError):
            if self._closed:
                raise
            self._replace(worker)
            worker.end(0)
            slow = worker.slow_page(batch)
            return [self._slow(job) if page == slow else await self._alone(job) for page, job in enumerate(jobs)]
        self._relieve(worker)
        return readings

    async def _alone(self, job: Job) -> Reading:
        """Read a suspect with no other page in its process: if that process ends too, this page is to blame."""
        async with self._suspect:
            worker = await self._started_apart()
            try:
                (reading,) = await self._run(worker, [job], 2 * self.read_s + PATIENCE_S)
                if worker is not self._apart:  # there is a new judge
                    worker.retire()
                return reading
            except (WorkerLostError, TimeoutError) as error:
                if self._closed:
                    raise
                if self._apart is worker:
                    self._apart = None
                worker.end(0)
                if isinstance(error, TimeoutError) or ended_by_timer(worker.process.exitcode):
                    return self._slow(job)
        return self._unread(job, "it ended the process that read it")

    def _slow(self, job: Job) -> Reading:
        return self._unread(job, f"it took longer than {self.read_s:g} s (limits.read_s)")

    def _unread(self, job: Job, why: str) -> Reading:
        LOGGER.warning("%s cannot be read: %s", job.response.url, why)
        return Reading(reason=f"cannot be read: {why}", records=self.worker.archived(job))

    async def _started_apart(self) -> _Worker:
        """The process for suspects, ready for one: the time of a page must not be spent on its start."""
        if self._apart is None:
            self._apart = worker = self._new_worker()
            try:
                await self._run(worker, [], START_S)
            except BaseException:
                self._apart = None if self._apart is worker else self._apart
                worker.end(0)
                raise
            return worker
        return self._apart

    @staticmethod
    async def _run(worker: _Worker, jobs: Sequence[Job], seconds: float) -> list[Reading]:
        readings = await worker.ask([pack_job(job) for job in jobs], seconds)
        return [unpack_reading(reading) for reading in readings]

    def close(self) -> None:
        """End the workers; safe to call twice. Idle ones go by themselves, those that are held by a page are killed."""
        self._closed = True
        for worker in self._all():
            worker.hang_up()
        for worker in self._all():
            worker.end(PATIENCE_S)
