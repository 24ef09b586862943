"""Running a command and reading off what it cost."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Cost:
    """What a finished command cost, its own processes included: CPU and wall seconds, peak memory in MB."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    last_line: str


def run(command: Sequence[str], timeout_s: float = 900.0) -> Cost:
    """Run a command to its end. Raises RuntimeError with its error output when it fails."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process.pid, peak), daemon=True)
    watcher.start()
    before = os.times()
    out, err = process.communicate(timeout=timeout_s)
    after = os.times()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed ({process.returncode}):\n{err[-2000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    lines = [line for line in out.splitlines() if line.strip()]
    return Cost(cpu, time.monotonic() - started, peak[0], lines[-1] if lines else "")


def _watch(pid: int, peak: list[float]) -> None:
    """Sample the memory of a process and its children (proportional set size where the system tells it)."""
    try:
        root = psutil.Process(pid)
        while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
            total = sum(_memory(process) for process in [root, *root.children(recursive=True)])
            peak[0] = max(peak[0], total / 1e6)
            time.sleep(0.25)
    except psutil.Error:
        return


def _memory(process: psutil.Process) -> float:
    try:
        full = process.memory_full_info()
        return float(getattr(full, "pss", full.rss))
    except psutil.Error:
        return 0.0


def show(
    title: str, columns: Mapping[str, tuple[str, str]], rows: Sequence[Mapping[str, Any]], *, as_json: bool
) -> None:
    """Print rows as a table, and as one line of JSON. ``columns``: key -> (heading, format); texts come first."""
    table = Table(title=title)
    for heading, form in columns.values():
        table.add_column(heading, justify="right" if form else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(format(row[key], form) for key, (_, form) in columns.items()))
    Console(width=max(Console().width, 100)).print(table)
    if as_json:
        print(json.dumps([{key: round(v, 3) if isinstance(v, float) else v for key, v in row.items()} for row in rows]))
