"""Mutants are changes of one place that compile; each module has tests; tests kill mutants and leave others alive."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.mutants.__main__ import drawn, key
from benchmarks.mutants.changes import Mutant, mutants_of
from benchmarks.mutants.rooms import ROOMS, ROOT, SOURCE, modules, named_for
from benchmarks.mutants.running import Known
from benchmarks.mutants.traces import Traces
from benchmarks.mutants.tracing import mark

SOURCE_TEXT = '''"""Ünder one name."""
LIMIT: int = 3


@decorated(depth=1)
def f(a, *, b=2.0):
    if a < b and a:
        raise ValueError(f"{a + 1} is bad")
    note(*zip(a, a, strict=True))
    return g(a - 1, scale=b) if a == "one" else not a
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(SOURCE_TEXT, encoding="utf-8")
    return path


def test_every_kind_of_change_is_found_and_nothing_else(module: Path) -> None:
    found = [(one.line, one.old, one.new, one.function) for one in mutants_of(module)]
    assert found == [
        (2, "3", "4", 0),
        (6, "2.0", "1.0", 5),
        (7, "a < b and a", "not (a < b and a)", 5),
        (7, "<", "<=", 5),
        (7, "and", "or", 5),
        (9, "note(*zip(a, a, strict=True))", "pass", 5),
        (10, "-", "+", 5),
        (10, "1", "2", 5),
        (10, "scale=b", "", 5),
        (10, "==", "!=", 5),
        (10, '"one"', "'not one'", 5),
        (10, "not", "", 5),
    ]


def test_a_mutant_differs_in_its_change_alone(module: Path) -> None:
    assert all(one.valid for one in mutants_of(module))
    (left_out,) = [one for one in mutants_of(module) if one.old == "scale=b"]
    assert left_out.text == SOURCE_TEXT.replace("scale=b", "")
    assert left_out.change == "scale=b -> (left out)"


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_has_tests(room: str) -> None:
    assert modules(room)
    assert all(named_for(path) for path in modules(room))


def test_the_seed_decides_which_are_drawn() -> None:
    one, again, other = drawn("graph", 9, 1), drawn("graph", 9, 1), drawn("graph", 9, 2)
    assert one == again != other
    assert len(one) == len(set(one)) == 9
    assert all(key(mutant)[0].startswith("graph/") for mutant in one)


def test_tests_that_call_the_changed_function_are_chosen_the_quickest_first() -> None:
    known, path = Known(), SOURCE / "graph" / "hits.py"
    file = "tests/unit/test_graph_hits.py"
    called = [["graph/hits.py", 40]]
    failed = known.take({
        f"{file}::slow": {"seconds": 2.0, "called": called},
        f"{file}::quick": {"seconds": 1.0, "called": called},
        f"{file}::other": {"seconds": 0.1, "called": [["graph/hits.py", 70]]},
        f"{file}::bad": {"seconds": 0.1, "called": called},
        f"{file}::bad failed": {"seconds": 0.0, "called": []},
        "tests/unit/test_else.py::far": {"seconds": 0.1, "called": called},
    })  # fmt: skip
    mutant = Mutant(path, 41, 0, "a", "b", 40)
    assert failed == [f"{file}::bad"]
    assert known.of(mutant, [ROOT / file]) == [f"{file}::quick", f"{file}::slow"]
    assert len(known.of(Mutant(path, 3, 0, "a", "b"), [ROOT / file])) == 3
    assert len(known.of(Mutant(path, 71, 0, "a", "b", 60), [ROOT / file])) == 0
    known.take({"": {"seconds": 0.0, "called": [["graph/hits.py", 60]]}})
    assert len(known.of(Mutant(path, 71, 0, "a", "b", 60), [ROOT / file])) == 3, "its call is part of the import"
    assert known.slowest([f"{file}::quick", "tests/unit/test_new.py::a"]) == {file: 2.0, "tests/unit/test_new.py": 0.0}
    known.longest = 1.5
    assert known.of(mutant, [ROOT / file]) == [f"{file}::quick"]


def test_marked_sources_note_each_call_once_and_do_what_they_did(tmp_path: Path) -> None:
    text = '''"""A module."""
from __future__ import annotations
from functools import cache


@cache
def f(a):
    """Says."""
    return g(a) + g(a)


def g(a):
    if a:
        return a
    return 0


def h(): ...
'''
    package, called = tmp_path / "clew", tmp_path / "called"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "m.py").write_text(text)
    mark(package, [Path("m.py")], called)
    code = "from clew import m; print(m.f(3), m.f(3), m.f.__doc__, m.__doc__)"
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={}, capture_output=True, text=True, check=True
    )
    assert said.stdout == "6 6 Says. A module.\n"
    assert called.read_text().split() == ["m.py:6", "m.py:12"]


def test_a_trace_is_known_until_a_test_changes(tmp_path: Path) -> None:
    traces, path = Traces(tmp_path), ROOT / "tests" / "unit" / "test_graph_hits.py"
    own = {"": {"seconds": 0.0, "called": []}, "tests/unit/test_graph_hits.py::a": {"seconds": 1.0, "called": []}}
    assert traces.get(path) is None
    traces.put(path, {**own, "tests/unit/test_else.py::far": {"seconds": 0.1, "called": []}})
    assert Traces(tmp_path).get(path) == own
    traces.put(path, own)
    (kept,) = tmp_path.iterdir()
    kept.rename(tmp_path / "test_graph_hits-of-another-text.json")
    assert Traces(tmp_path).get(path) is None


RUN = """
import json, sys
from pathlib import Path
from benchmarks.mutants import running
from benchmarks.mutants.changes import Mutant, mutants_of
running.HEAVY, running.TEST_S, folder = ("numpy", "scipy.sparse", "hypothesis"), 0.5, Path(sys.argv[1])
path = running.SOURCE / "graph" / "hits.py"
mutants = [next(one for one in mutants_of(path) if one.old == old) for old in ("@", "/")]
loop = "for _ in range(iterations):"
mutants.append(Mutant(path, 62, path.read_text().encode().index(loop.encode()), loop, "while True:", 52))
tests = {path: running.named_for(path)}
runner = running.Runner(folder)
runner.traces = running.Traces(folder / "kept")
failed = runner.look(tests[path])
fates = runner.run(mutants, tests, float("inf"))
print(json.dumps([failed, [(one.fate, one.tests > 0) for one in fates]]))
"""


def test_a_run_from_the_calls_of_tests_to_the_fates_of_mutants(tmp_path: Path) -> None:
    """In a process of its own, since mutants must be imported anew."""
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    failed, fates = json.loads(run.stdout)
    assert failed == []
    assert fates[:2] == [["killed", True], ["survived", True]], "a start of another length ends at the same weights"
    assert fates[2:] == [["no end", True]]
