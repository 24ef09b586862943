"""What a worker process does: responses in, readings out. It imports no more than that takes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from typing import Any

from clew.judges.base import Judge
from clew.model import Judgement, Outcome, Page
from clew.store.warc import encode
from clew.text.language import STOP_WORDS
from clew.text.reader import SITEMAP, Reader, Unreadable
from clew.topics.interest import Interest
from clew.workers.choosing import chosen
from clew.workers.limits import JUDGING, Limits, Watch, end_with_parent
from clew.workers.messages import Job, Message, Reading, pack_reading, unpack_job

LENGTH = struct.Struct("<Q")
"""Goes before each message: its length in bytes."""

GC_THRESHOLDS = (20_000, 20, 20)
"""Pages are made of many small objects that refer to no one: looking for cycles after every 700 of them finds none."""


_TOO_MUCH = "it takes more memory than a page may (limits.read_bytes)"


@dataclass(frozen=True, slots=True)
class PageWorker:
    """Everything needed to turn responses into readings. ``gzip_level`` 0: no archive records are made."""

    reader: Reader
    judge: Judge
    interest: Interest
    gzip_level: int = 0

    def work(self, jobs: Sequence[Job], begins: Callable[[int], None] = lambda page: None) -> list[Reading]:
        """One reading a job, in order. ``begins`` is called before a page is read, with its number, and with JUDGING
        before all are judged and before they are packed."""
        pages = []
        for number, job in enumerate(jobs):
            begins(number)
            pages.append(self._read(job))
        begins(JUDGING)
        judged = iter(self._judged([page for page in pages if isinstance(page, Page)]))
        begins(JUDGING)
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
                why = _TOO_MUCH if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"
                return [f"cannot be judged: {why}"]
            return [one for page in pages for one in self._judged([page])]

    def _read(self, job: Job) -> Page | str:
        response = job.response
        if response.outcome is not Outcome.OK:
            return response.reason
        try:
            return self.reader.read(response, sitemap=job.sitemap_links > 0)
        except Unreadable as error:
            return str(error)
        except MemoryError:
            return f"cannot be read: {_TOO_MUCH}"
        except Exception as error:  # a page must never stop a crawl, whatever it does to a parser
            return f"cannot be read: {type(error).__name__}: {error}"

    def _reading(self, job: Job, page: Page, judgement: Judgement | str) -> Reading:
        if page.content_type == SITEMAP:
            return Reading(*self._chosen(job, page), records=self.archived(job))
        if isinstance(judgement, str):
            return self._unread(job, judgement)
        found = {"relevance": f"{self.interest.relevance(judgement):.6f}", "language": page.language}
        return Reading(
            replace(page, text="") if page.text else page, judgement, "", self._records(job, found, page.digest)
        )

    def _chosen(self, job: Job, page: Page) -> tuple[Page, Judgement | None]:
        """The links of a sitemap that sound best, and what the judge says of them on average."""
        choice = chosen(page.links, page.leaves, job.hosts)
        judged = self._judged(choice.pages(page.language))
        judgements = [one for one in judged if isinstance(one, Judgement)]
        if len(judgements) < len(judged):  # a judge of the user's own that cannot take so little
            return choice.first(page, job.sitemap_links), None
        relevance = [self.interest.relevance(one) for one in judgements]
        return choice.best(page, relevance, judgements, job.sitemap_links)

    def _unread(self, job: Job, reason: str) -> Reading:
        return Reading(reason=reason, records=self.archived(job))

    def archived(self, job: Job) -> bytes:
        """The archive records of a response that was fetched and cannot be read."""
        return self._records(job, {})

    def _records(self, job: Job, found: Mapping[str, str], digest: str = "") -> bytes:
        if not self.gzip_level or not job.response.status:
            return b""
        return encode(job.response, {**job.facts, **found}, self.gzip_level, digest)


def pickled_worker(worker: PageWorker) -> bytes:
    """The first message to a worker process."""
    return pickle.dumps((worker, STOP_WORDS))


def work(line: socket.socket, watch: Watch, seconds: float, memory: int) -> None:
    """Be the worker that comes first on the line (``pickled_worker``) until it ends: packed jobs in, as many packed
    readings out.

    A page may take ``seconds``, and the process may grow by ``memory`` bytes; ``watch`` tells what it is at.
    """
    for name in ("SIGINT", "SIGTSTP"):  # a terminal sends Ctrl-C and Ctrl-Z to us too; the crawl says when to end
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    _end_with_parent()
    try:
        worker, stop_words = pickle.loads(received(line))
    except (EOFError, ConnectionError):  # it is not wanted any more
        line.close()
        return
    STOP_WORDS.update(stop_words)
    gc.set_threshold(*GC_THRESHOLDS)
    limits = Limits(seconds, memory)

    def begins(page: int) -> None:
        watch.page_begins(page)
        limits.wind()

    def readings(jobs: Sequence[Message]) -> list[Message]:
        watch.batch_begins()
        found = [pack_reading(reading) for reading in worker.work([unpack_job(job) for job in jobs], begins)]
        limits.stop()
        watch.grown = limits.grown
        return found

    serve(line, readings)


def _end_with_parent() -> None:
    """A crawl that is killed must leave no workers behind, not even those that are held by a page."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        threading.Thread(target=_wait_for, args=(parent,), daemon=True).start()
        end_with_parent(parent.pid)  # a thread waits in vain while C code holds the interpreter


def _wait_for(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def serve(line: socket.socket, answer: Callable[[Any], object]) -> None:
    """Answer all requests that come on a line, until it ends."""
    try:
        while True:
            data = _answer(answer, received(line))
            line.sendall(LENGTH.pack(len(data)) + data)
    except (EOFError, ConnectionError):
        line.close()


def received(line: socket.socket) -> bytearray:
    """The next message on a line; raises EOFError when that ends before."""
    (length,) = LENGTH.unpack(_received(line, LENGTH.size))
    return _received(line, length)


def _received(line: socket.socket, size: int) -> bytearray:
    """The next ``size`` bytes; raises EOFError when the line ends before."""
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        count = line.recv_into(view[got:])
        if not count:
            raise EOFError
        got += count
    return data


def _answer(answer: Callable[[Any], object], request: bytearray) -> bytes:
    """Whether it worked, and the answer or the exception, pickled."""
    try:
        return pickle.dumps((True, answer(pickle.loads(request))), pickle.HIGHEST_PROTOCOL)
    except Exception:  # a fault of ours: it must reach those who wait; as text, for not all exceptions can be sent
        return pickle.dumps((False, RuntimeError(f"a fault in a worker process:\n{traceback.format_exc()}")))
