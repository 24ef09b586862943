"""Comparing in several processes; they are ended with the one that starts them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from benchmarks.peers.comparing import Comparison, compare
from clew.lab.tasks import Task


def run(comparison: Comparison, tasks: Sequence[Task], jobs: int) -> bool:
    """Run what is missing, tasks on one web in one process, which reads it once; whether a process failed. Raises
    ClewError with a single process."""
    webs: dict[str, list[Task]] = {}
    for task in tasks:
        webs.setdefault(task.web, []).append(task)
    chunks = [own[part::jobs] for own in webs.values() for part in range(jobs) if own[part::jobs]]
    if jobs < 2 or len(chunks) < 2:
        for chunk in chunks:
            compare(comparison, chunk)
        return False
    return _in_processes(comparison, sorted(chunks, key=len, reverse=True), jobs)


def _in_processes(comparison: Comparison, chunks: list[list[Task]], jobs: int) -> bool:
    context = multiprocessing.get_context("spawn")
    running: list[BaseProcess] = []
    failed = False
    try:
        while chunks or running:
            while chunks and len(running) < jobs:
                process: BaseProcess = context.Process(target=_work, args=(comparison, chunks.pop(0)), daemon=True)
                process.start()
                running.append(process)
            wait([process.sentinel for process in running])
            failed |= any(process.exitcode for process in running if not process.is_alive())
            running = [process for process in running if process.is_alive()]
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.join()
    return failed


def _work(comparison: Comparison, tasks: Sequence[Task]) -> None:
    with suppress(KeyboardInterrupt):  # the terminal stops all processes; the first one says so
        compare(comparison, tasks)
