"""Which functions each test calls, and how long it takes: a plugin of pytest."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest


class Tracing:
    """Notes for each test that passes its seconds of CPU and the functions in ``source`` that it calls, as pairs of a
    path and a first line; writes them to ``out`` as JSON."""

    def __init__(self, source: Path, out: Path) -> None:
        self.source, self.out = f"{source}/", out
        self.tests: dict[str, dict[str, Any]] = {}
        self.called: set[tuple[str, int]] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        self.called = set()
        sys.settrace(self._trace)
        threading.settrace(self._trace)
        started = time.process_time()
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            seconds = time.process_time() - started
            self.tests[item.nodeid] = {"seconds": seconds, "called": sorted(self.called)}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or report.skipped:
            self.tests.setdefault(f"{report.nodeid} {report.outcome}", {"seconds": 0.0, "called": []})

    def pytest_sessionfinish(self) -> None:
        self.out.write_text(json.dumps(self.tests), encoding="utf-8")

    def _trace(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.source):
            self.called.add((code.co_filename.removeprefix(self.source), code.co_firstlineno))
