"""Which functions each test calls, and how long it takes.

The sources that tests are run against are marked: each function notes its name when it is called first. That costs next
to nothing, where a trace function of the interpreter makes tests of the frontier ten times slower; and processes that
tests start note their calls too.
"""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

NOTING = "_called"
"""The module of the marked sources that notes calls."""

NOTES = """
import os

seen = set()


def called(name):
    if name not in seen:
        seen.add(name)
        out = os.open({out!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(out, (name + "\\n").encode())
        os.close(out)
"""


class Steady:
    """Makes tests of properties the same each time, and leaves out what only makes their failures shorter: a mutant has
    the same fate again, and soon. Works before test modules are imported, after ``conftest.py``."""

    def pytest_configure(self) -> None:
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutants", hypothesis.settings(), phases=phases, derandomize=True, database=None
        )
        hypothesis.settings.load_profile("mutants")


class Tracing:
    """Notes for each test its seconds of CPU and the functions that it calls, as pairs of a path and a first line;
    writes them to ``out`` as JSON. ``called`` is the file in which marked sources note their calls. Calls before the
    first test, while modules are imported, are those of the test ""."""

    def __init__(self, called: Path, out: Path) -> None:
        self.called, self.out = called, out
        self.tests: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        if not self.tests:
            self.tests[""] = {"seconds": 0.0, "called": self._taken()}
        self._taken()
        started = time.process_time()
        try:
            return (yield)
        finally:
            self.tests[item.nodeid] = {"seconds": time.process_time() - started, "called": self._taken()}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or report.skipped:
            self.tests.setdefault(f"{report.nodeid} {report.outcome}", {"seconds": 0.0, "called": []})

    def pytest_sessionfinish(self) -> None:
        self.out.write_text(json.dumps(self.tests), encoding="utf-8")

    def _taken(self) -> list[tuple[str, int]]:
        """The calls since this was asked last."""
        noted = self.called.read_text(encoding="utf-8").split() if self.called.exists() else []
        self.called.write_bytes(b"")
        if noting := sys.modules.get(f"clew.{NOTING}"):
            noting.seen.clear()
        return sorted((path, int(line)) for path, _, line in (name.rpartition(":") for name in set(noted)))


def mark(source: Path, paths: Iterable[Path], called: Path) -> None:
    """Mark modules, given relative to ``source``, the folder of the package: they note their calls in ``called``."""
    (source / f"{NOTING}.py").write_text(NOTES.format(out=str(called)), encoding="utf-8")
    for path in paths:
        (source / path).write_text(marked((source / path).read_bytes(), str(path)), encoding="utf-8")


def marked(text: bytes, name: str) -> str:
    """The source of a module whose functions note that they are called, as ``name:first line``."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            note = ast.parse(f"_called('{name}:{first_line(node)}')").body[0]
            node.body.insert(_after_docstring(node.body), note)
    futures = [
        place for place, one in enumerate(tree.body) if isinstance(one, ast.ImportFrom) and one.module == "__future__"
    ]
    place = futures[-1] + 1 if futures else _after_docstring(tree.body)
    tree.body.insert(place, ast.parse(f"from clew.{NOTING} import called as _called").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


def first_line(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The line on which a function begins, with its decorators."""
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def _after_docstring(body: list[ast.stmt]) -> int:
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return 1
        case _:
            return 0
