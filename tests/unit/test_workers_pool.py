"""Worker processes: Ctrl-C is not theirs, faults reach who waits, and none outlives its crawl."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from clew.model import Example, Judgement, Outcome, Page, Response
from clew.topics.interest import Interest
from clew.workers.messages import Job
from clew.workers.pool import PageWorker, ReadingPool
from support import PATIENCE_S, READER


class TouchyJudge:
    """Finds everything relevant, but raises for some pages, ends its process for others, or takes for ever."""

    name = "touchy"
    topics = ("wanted",)

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        if any("fault" in page.title for page in pages):
            raise ValueError("a fault in a judge")
        if any("kill" in page.title for page in pages):
            os._exit(9)
        if any("slow" in page.title for page in pages):
            time.sleep(60)
        return [Judgement(np.ones(1, np.float32), 0, 1.0) for _ in pages]

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        return []


def job(title: str) -> Job:
    body = f"<title>{title}</title><p>Some text.</p>".encode()
    return Job(Response("http://a.test/", Outcome.OK, 200, (("Content-Type", "text/html"),), body))


@contextmanager
def pool_of(processes: int, read_s: float = 30.0, gzip_level: int = 0) -> Iterator[ReadingPool]:
    pool = ReadingPool(PageWorker(READER, TouchyJudge(), Interest(threshold=0.5), gzip_level), processes, read_s)
    try:
        yield pool
    finally:
        pool.close()


def pids(pool: ReadingPool) -> list[int]:
    return [worker.process.pid for worker in pool._workers if worker.process.pid is not None]


async def read_all(pool: ReadingPool, titles: Sequence[str], seconds: float) -> list[str]:
    """What came of pages with these titles: their title again, or the reason."""
    async with asyncio.timeout(seconds):
        found = await asyncio.gather(*(pool.read(job(title)) for title in titles))
    return [reading.page.title if reading.page is not None else reading.reason for reading in found]


async def test_a_judge_that_fails_on_a_page_costs_the_others_nothing() -> None:
    titles = [f"page {i}" if i % 5 else "fault" for i in range(20)]
    expected = [title if title != "fault" else "cannot be judged: ValueError: a fault in a judge" for title in titles]
    with pool_of(1) as pool:
        assert await read_all(pool, titles, PATIENCE_S) == expected
    with pool_of(0) as pool:
        assert await read_all(pool, titles, PATIENCE_S) == expected


async def test_only_the_page_that_ends_its_process_is_blamed() -> None:
    """Two workers, four batches under way, three killers among them."""
    titles = [f"page {i}" for i in range(32)]
    for i in (3, 4, 20):
        titles[i] = "kill"
    with pool_of(2, gzip_level=1) as pool:
        found = await read_all(pool, titles, PATIENCE_S)
        killed = await pool.read(job("kill"))
        assert await read_all(pool, ["after"], PATIENCE_S) == ["after"]
    assert found == [
        title if title != "kill" else "cannot be read: it ended the process that read it" for title in titles
    ]
    assert killed.records, "what was fetched is kept"


async def test_a_page_may_take_only_so_long() -> None:
    with pool_of(1, read_s=0.2) as pool:
        await read_all(pool, ["warm"], PATIENCE_S)
        found = await read_all(pool, ["one", "slow", "two"], PATIENCE_S)
        assert found[0] == "one" and found[2] == "two"
        assert "longer than 0.2 s" in found[1]


async def test_closing_does_not_wait_for_a_page_that_takes_for_ever() -> None:
    with pool_of(1) as pool:
        await read_all(pool, ["warm"], PATIENCE_S)
        task = asyncio.ensure_future(pool.read(job("slow")))
        await asyncio.sleep(0.3)
        started = time.monotonic()
    assert time.monotonic() - started < PATIENCE_S / 2  # it would have taken for ever
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_workers_leave_ctrl_c_to_the_crawl(capfd: pytest.CaptureFixture[str]) -> None:
    with pool_of(1) as pool:
        async with asyncio.timeout(PATIENCE_S):
            await pool.read(job("one"))
            (worker,) = pids(pool)
            os.kill(worker, signal.SIGINT)
            await asyncio.sleep(0.2)
            assert (await pool.read(job("two"))).reason == ""
            assert pids(pool) == [worker]
    assert capfd.readouterr().err == ""


SCRIPT = """
import asyncio, sys
sys.path[:0] = {path!r}
from test_workers_pool import job, pids, pool_of

async def main():
    with pool_of(1) as pool:
        await pool.read(job("one"))
        print(*pids(pool), flush=True)
        await asyncio.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_workers_end_with_a_killed_crawl(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(path=[str(Path(__file__).parent), str(Path(__file__).parents[1])]))
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        process.kill()
    deadline = time.monotonic() + PATIENCE_S
    while alive(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(worker)


def alive(process: int) -> bool:
    """Whether a process runs (one that ended may still wait for somebody to ask for its exit code)."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
