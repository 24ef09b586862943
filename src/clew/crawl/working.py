"""What a worker process does: responses in, readings out. It imports no more than that takes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from clew.crawl.parcels import Job, Parcel, Reading, pack_reading, unpack_job
from clew.judges.base import Judge
from clew.model import Judgement, Outcome, Page, Response
from clew.store.warc import encode
from clew.text.language import STOP_WORDS
from clew.text.reader import Reader, Unreadable
from clew.topics.interest import Interest

GC_THRESHOLDS = (20_000, 20, 20)
"""Pages are made of many small objects that refer to no one: looking for cycles after every 700 of them finds none."""


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


def luggage(worker: PageWorker) -> bytes:
    """What a worker process is given to start with."""
    return pickle.dumps((worker, STOP_WORDS))


def start(given: bytes) -> None:
    """Make this process a worker with its ``luggage``."""
    global _worker  # a worker process has one, set once when it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to us too; the crawl says when to end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker, stop_words = pickle.loads(given)
    STOP_WORDS.update(stop_words)
    gc.set_threshold(*GC_THRESHOLDS)


def _end_with_parent() -> None:
    """A crawl that is killed must leave no workers behind: they would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def work(jobs: Sequence[Parcel]) -> list[Parcel]:
    """One packed reading a packed job, in order."""
    assert _worker is not None
    return [pack_reading(reading) for reading in _worker.work([unpack_job(job) for job in jobs])]
