"""Worker processes: Ctrl-C is not theirs, faults reach who waits, and none outlives its crawl."""

from __future__ import annotations

import asyncio
import os
import re
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
from clew.text.reader import Reader
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


class HoldingReader(Reader):
    """Reads as READER does, but C code holds some pages for ever, and some take all memory or keep much of it."""

    def read(self, response: Response, sitemap: bool = False) -> Page:
        if b"<title>hold" in response.body:
            re.match(r"(a+)+$", "a" * 60 + "b")  # without letting go of the interpreter
        if b"<title>greedy" in response.body:
            hoard.append(b"x" * (300 << 20))
        if b"<title>keeps" in response.body:
            hoard.append(b"x" * (20 << 20))
        return super().read(response, sitemap)


HOLDING = HoldingReader(READER.canonicalise, READER.key_of, READER.host_of, READER.words_of)
hoard: list[bytes] = []


def job(title: str) -> Job:
    body = f"<title>{title}</title><p>Some text.</p>".encode()
    return Job(Response("http://a.test/", Outcome.OK, 200, (("Content-Type", "text/html"),), body))


@contextmanager
def pool_of(
    processes: int, read_s: float = 30.0, gzip_level: int = 0, memory: int = 1_000_000_000
) -> Iterator[ReadingPool]:
    worker = PageWorker(HOLDING, TouchyJudge(), Interest(threshold=0.5), gzip_level)
    pool = ReadingPool(worker, processes, read_s, memory)
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


async def test_a_page_that_holds_its_worker_costs_its_own_time_only() -> None:
    """Two pages of a batch of eight, and eight more in line behind them: neither batch waits for the time of all its
    pages, and nobody else is blamed."""
    titles = [f"page {i}" for i in range(16)]
    titles[2] = titles[5] = "hold"
    with pool_of(1, read_s=1.0, gzip_level=1) as pool:
        began = time.monotonic()
        await read_all(pool, ["warm"], PATIENCE_S)
        start_s = time.monotonic() - began
        began = time.monotonic()
        found = await read_all(pool, titles, PATIENCE_S)
        took = time.monotonic() - began
        held = await pool.read(job("hold"))
        assert await read_all(pool, ["after"], PATIENCE_S) == ["after"]
    reason = "cannot be read: it took longer than 1 s (limits.read_s)"
    assert found == [title if title != "hold" else reason for title in titles]
    assert took < 2 * 1.0 + 3 * start_s + 5  # not the 16 s of all pages
    assert held.records, "what was fetched is kept"


async def test_a_page_may_take_only_so_much_memory() -> None:
    with pool_of(1, memory=200 << 20) as pool:
        found = await read_all(pool, ["one", "greedy", "two"], PATIENCE_S)
        assert found[0] == "one" and found[2] == "two"
        assert "limits.read_bytes" in found[1]
    with pool_of(1, memory=600 << 20) as pool:
        assert await read_all(pool, ["greedy"], PATIENCE_S) == ["greedy"]


async def test_a_worker_that_has_grown_is_replaced() -> None:
    with pool_of(1, memory=200 << 20) as pool:
        await read_all(pool, ["warm"], PATIENCE_S)
        first = pids(pool)
        await read_all(pool, ["keeps"], PATIENCE_S)
        assert pids(pool) == first
        for _ in range(5):
            assert await read_all(pool, ["keeps"], PATIENCE_S) == ["keeps"]
        assert pids(pool) != first
        await asyncio.to_thread(wait_for_end, first[0])


async def test_closing_does_not_wait_for_a_page_that_takes_for_ever() -> None:
    with pool_of(1) as pool:
        await read_all(pool, ["warm"], PATIENCE_S)
        task = asyncio.ensure_future(pool.read(job("slow")))
        await asyncio.sleep(0.3)
        started = time.monotonic()
    assert time.monotonic() - started < PATIENCE_S / 2  # it would have taken for ever
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_workers_leave_ctrl_c_and_ctrl_z_to_the_crawl(capfd: pytest.CaptureFixture[str]) -> None:
    with pool_of(1) as pool:
        async with asyncio.timeout(PATIENCE_S):
            await pool.read(job("one"))
            (worker,) = pids(pool)
            os.kill(worker, signal.SIGINT)
            os.kill(worker, signal.SIGTSTP)
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
        held = asyncio.ensure_future(pool.read(job({title!r})))
        await asyncio.sleep(0.5)  # now it is held
        print(*pids(pool), flush=True)
        await asyncio.sleep(60)
        held.cancel()

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.parametrize("title", ["two", "slow", "hold"])
def test_workers_end_with_a_killed_crawl(tmp_path: Path, title: str) -> None:
    """Idle workers, those held by a page, and those held by C code that lets nothing else run in them."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(title=title, path=[str(Path(__file__).parent), str(Path(__file__).parents[1])]))
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        process.kill()
    wait_for_end(worker)


def wait_for_end(process: int) -> None:
    deadline = time.monotonic() + 15.0
    while alive(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(process)


def alive(process: int) -> bool:
    """Whether a process runs (one that ended may still wait for somebody to ask for its exit code)."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
