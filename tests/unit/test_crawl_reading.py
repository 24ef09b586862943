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

from clew.crawl.reading import Job, PageWorker, ReadingPool
from clew.model import Example, Judgement, Outcome, Page, Response
from clew.topics.interest import Interest
from support import READER


class TouchyJudge:
    """Finds everything relevant, but raises for some pages."""

    name = "touchy"
    topics = ("wanted",)

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        if any("fault" in page.title for page in pages):
            raise ValueError("a fault in a judge")
        return [Judgement(np.ones(1, np.float32), 0, 1.0) for _ in pages]

    def explain(self, page: Page, n: int) -> list[tuple[str, float]]:
        return []


def job(title: str) -> Job:
    body = f"<title>{title}</title><p>Some text.</p>".encode()
    return Job(Response("http://a.test/", Outcome.OK, 200, (("Content-Type", "text/html"),), body))


@contextmanager
def pool_of(processes: int) -> Iterator[ReadingPool]:
    pool = ReadingPool(PageWorker(READER, TouchyJudge(), Interest(threshold=0.5)), processes)
    try:
        yield pool
    finally:
        pool.close()


async def test_a_fault_reaches_all_who_wait() -> None:
    with pool_of(1) as pool:
        async with asyncio.timeout(30):
            found = await asyncio.gather(*(pool.read(job("fault")) for _ in range(20)), return_exceptions=True)
            assert [str(error) for error in found] == ["a fault in a judge"] * 20
            reading = await pool.read(job("fine"))  # and the workers go on
    assert reading.page is not None and reading.page.title == "fine"


async def test_workers_leave_ctrl_c_to_the_crawl(capfd: pytest.CaptureFixture[str]) -> None:
    with pool_of(1) as pool:
        async with asyncio.timeout(30):
            await pool.read(job("one"))
            assert pool._pool is not None
            (worker,) = pool._pool._processes
            os.kill(worker, signal.SIGINT)
            await asyncio.sleep(0.2)
            assert (await pool.read(job("two"))).reason == ""
            assert list(pool._pool._processes) == [worker]
    assert capfd.readouterr().err == ""


SCRIPT = """
import asyncio, sys
sys.path[:0] = {path!r}
from test_crawl_reading import job, pool_of

async def main():
    with pool_of(1) as pool:
        await pool.read(job("one"))
        print(*pool._pool._processes, flush=True)
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
    deadline = time.monotonic() + 20
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
