"""Tests run against mutants: each in a process that is forked from one in which the heavy libraries are loaded.

Mutants live in copies of ``src``, one a job, so that processes that tests start see them too; one more copy is marked,
to find out which tests call which functions.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from benchmarks.mutants.changes import Mutant
from benchmarks.mutants.rooms import ROOMS, ROOT, SOURCE, modules, named_for, of_room
from benchmarks.mutants.traces import Traces
from benchmarks.mutants.tracing import Steady, Tracing, mark

HEAVY = ("numpy", "msgspec", "hypothesis", "lxml.html", "scipy.sparse", "sklearn.svm", "sklearn.linear_model", "rich",
         "aiohttp", "uvloop", "ada_url", "Stemmer")  # fmt: skip
QUIET = ["-q", "-x", "-p", "no:cacheprovider", "--no-header", "-W", "default"]
CPU_S, TEST_S, WALL_S = 20.0, 10.0, 900.0
"""What a mutant may take in addition to three times what its tests took without it; each test, to three times what the
slowest of its file took, since what they share is made by whichever comes first; and, by the clock, to thirty times.
The last is for tests that wait for ever; it is long, since a busy machine must not kill mutants."""

MEMORY = 6 << 30
Fate = Literal["killed", "survived", "no end", "not run"]


@dataclass(slots=True)
class Outcome:
    """What became of a mutant, and with how many tests."""

    mutant: Mutant
    fate: Fate
    tests: int


@dataclass(slots=True)
class Known:
    """What is known of test files that were run without a mutant: by test its seconds, by function its tests, and the
    functions that are called when modules are imported. Tests that take more than ``longest`` seconds are not run."""

    longest: float = float("inf")
    seconds: dict[str, float] = field(default_factory=dict)
    callers: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    imported: set[tuple[str, int]] = field(default_factory=set)
    files: set[Path] = field(default_factory=set)

    def take(self, found: dict[str, dict[str, Any]]) -> list[str]:
        """What a traced run found. Returns the tests that failed."""
        bad = {name.rpartition(" ")[0] for name in found if name.endswith((" failed", " skipped"))}
        for name, one in found.items():
            if name in bad or name.endswith((" failed", " skipped")):
                continue
            if not name:
                self.imported.update((path, line) for path, line in one["called"])
                continue
            self.seconds[name] = float(one["seconds"])
            for path, line in one["called"]:
                self.callers.setdefault((path, line), []).append(name)
        return [name.rpartition(" ")[0] for name in found if name.endswith(" failed")]

    def slowest(self, tests: Sequence[str]) -> dict[str, float]:
        """By file of these tests the seconds of the slowest test in it."""
        files = {test.partition("::")[0]: 0.0 for test in tests}
        for test, seconds in self.seconds.items():
            if (file := test.partition("::")[0]) in files:
                files[file] = max(files[file], seconds)
        return files

    def of(self, mutant: Mutant, files: Sequence[Path]) -> list[str]:
        """The tests in these files that call the changed function, the quickest first; for changes outside of
        functions, and in those called while modules are imported, all that call anything in the module."""
        inner = str(mutant.path.relative_to(SOURCE))
        names = {str(path.relative_to(ROOT)) for path in files}
        everywhere = not mutant.function or (inner, mutant.function) in self.imported
        keys = [key for key in self.callers if key[0] == inner and (everywhere or key[1] == mutant.function)]
        found = {test for key in keys for test in self.callers[key] if test.partition("::")[0] in names}
        found = {test for test in found if self.seconds[test] <= self.longest}
        return sorted(found, key=lambda test: (self.seconds[test], test))


class Limits:
    """A plugin that gives each test its own limit of CPU; ``slowest``: seconds by test file."""

    def __init__(self, slowest: dict[str, float]) -> None:
        self.slowest = slowest

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        limit = int(time.process_time() + TEST_S + 3 * self.slowest.get(nodeid.partition("::")[0], 0.0)) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (min(limit, hard), hard))


@dataclass(slots=True)
class Job:
    """A process that runs tests, in a copy of the sources."""

    mutant: Mutant
    copy: Path
    tests: list[str]
    until: float


class Runner:
    """Runs tests with and without mutants. ``folder`` is for copies of the sources; ``jobs`` at once; tests that take
    more than ``longest`` seconds are not run."""

    def __init__(self, folder: Path, jobs: int = 1, longest: float = float("inf")) -> None:
        for name in HEAVY:
            importlib.import_module(name)
        gc.freeze()
        self.folder = folder
        self.copies = [folder / str(number) for number in range(jobs)]
        for copy in [*self.copies, folder / "marked"]:
            shutil.copytree(SOURCE, copy / "clew", symlinks=True)
        inner = [path.relative_to(SOURCE) for room in ROOMS for path in modules(room)]
        mark(folder / "marked" / "clew", inner, folder / "called")
        self.tests, self.traces = Known(longest), Traces()
        self._mark = int(time.time())

    def look(self, files: Sequence[Path]) -> list[str]:
        """Run test files without a mutant and note what they call. Returns the tests that fail, which do not count."""
        new = [path for path in dict.fromkeys(files) if path not in self.tests.files]
        self.tests.files.update(new)
        kept = {path: self.traces.get(path) for path in new}
        failed = [test for found in kept.values() if found for test in self.tests.take(found)]
        if unknown := [path for path in new if kept[path] is None]:
            found = self._traced(unknown)
            for path in unknown:
                self.traces.put(path, found)
            failed += self.tests.take(found)
        return failed

    def _traced(self, files: Sequence[Path]) -> dict[str, Any]:
        out = self.folder / "traced.json"
        out.unlink(missing_ok=True)
        arguments = [one for one in QUIET if one != "-x"] + [str(path) for path in files]
        pid = _forked(self.folder / "marked", arguments, [Steady(), Tracing(self.folder / "called", out)], 0.0)
        os.waitpid(pid, 0)
        if not out.exists():
            raise SystemExit(f"tests cannot be run: {' '.join(str(path.relative_to(ROOT)) for path in files)}")
        found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return found

    def run(self, mutants: Sequence[Mutant], files: dict[Path, list[Path]], until: float) -> list[Outcome]:
        """What becomes of mutants with the tests in ``files`` of their modules; those not begun at ``until``, in
        time.monotonic(), are not run."""
        waiting, free = list(mutants)[::-1], list(self.copies)
        running: dict[int, Job] = {}
        outcomes: list[Outcome] = []
        while waiting or running:
            while waiting and free:
                mutant = waiting.pop()
                tests = self.tests.of(mutant, files[mutant.path])
                if time.monotonic() > until or not tests:
                    late = time.monotonic() > until
                    outcomes.append(Outcome(mutant, "not run" if late else "survived", 0))
                    continue
                pid, job = self._start(mutant, free.pop(), tests)
                running[pid] = job
            for pid, job in list(running.items()):
                fate = _ended(pid, job)
                if fate is not None:
                    del running[pid]
                    self._mend(job)
                    free.append(job.copy)
                    outcomes.append(Outcome(job.mutant, fate, len(job.tests)))
            time.sleep(0.02)
        return outcomes

    def _start(self, mutant: Mutant, copy: Path, tests: list[str]) -> tuple[int, Job]:
        self._write(copy, mutant, mutant.text.encode())
        slowest = self.tests.slowest(tests)
        seconds = sum(self.tests.seconds[test] for test in tests) + sum(slowest.values())
        pid = _forked(copy, [*QUIET, *tests], [Steady(), Limits(slowest)], CPU_S + 3 * seconds)
        return pid, Job(mutant, copy, tests, time.monotonic() + WALL_S + 30 * seconds)

    def _mend(self, job: Job) -> None:
        self._write(job.copy, job.mutant, job.mutant.path.read_bytes())

    def _write(self, copy: Path, mutant: Mutant, source: bytes) -> None:
        """Each text has a time of its own, so that no compiled module of another is taken for its."""
        path = copy / "clew" / mutant.path.relative_to(SOURCE)
        path.write_bytes(source)
        self._mark += 1
        os.utime(path, (self._mark, self._mark))


def _ended(pid: int, job: Job) -> Fate | None:
    """What became of a mutant; None while its tests run. 24 and 9: the limits of time and memory."""
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        if os.WIFSIGNALED(status):
            return "no end" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed"
        return "survived" if os.WEXITSTATUS(status) in (0, 5) else "killed"
    if time.monotonic() < job.until:
        return None
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "no end"


def _forked(copy: Path, arguments: list[str], plugins: list[object], cpu_s: float) -> int:
    """Start a process that runs pytest with the sources of ``copy``; returns its id, which is its group's too."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        os.setsid()
        if cpu_s:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 5))
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        sys.path.insert(0, str(copy))
        os.environ["PYTHONPATH"] = os.pathsep.join([str(copy), os.environ.get("PYTHONPATH", "")])
        sys.dont_write_bytecode = bool(cpu_s)
        os.chdir(ROOT)
        code = int(pytest.main(arguments, plugins))
    finally:
        os._exit(code)


def plan(mutants: Sequence[Mutant]) -> tuple[dict[Path, list[Path]], dict[Path, list[Path]]]:
    """By module the test files that are named for it, and the others of its room."""
    named = {path: named_for(path) for path in dict.fromkeys(mutant.path for mutant in mutants)}
    rooms = {path: of_room(path.relative_to(SOURCE).parts[0]) for path in named}
    return named, {path: [one for one in rooms[path] if one not in named[path]] for path in named}
