"""docs/strategies/checklist.md has a row for every item, and the tests that rows name exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHECKLIST = ROOT / "docs" / "strategies" / "checklist.md"
SECOND_LOOK = ROOT / "docs" / "decisions" / "0018-second-look.md"
ITEMS = {"CFC": 57, "BNG": 47, "ARI": 62, "APP": 44, "TUN": 37, "UNI": 8}
"""Items of each paper's system, and of all five in one: numbered from 1."""

ROW = re.compile(r"^\| ((?:CFC|BNG|ARI|APP|TUN|UNI)-\d+) \| (done|differently|not) \| (.+) \|$", re.M)
TEST = re.compile(r"tests/[\w/]+\.py::\w+(?:::\w+)?")
PLACE = re.compile(r"\b(?:benchmarks|tests/sites)/\w+\.(?:py|toml)\b")


def rows() -> list[tuple[str, str, str]]:
    return ROW.findall(CHECKLIST.read_text(encoding="utf-8"))


@cache
def names(path: Path) -> frozenset[str]:
    """test functions of a file, as function or Class::function."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            bases = [contracts().get(base.id, ()) for base in node.bases if isinstance(base, ast.Name)]
            found |= {f"{node.name}::{name}" for name in (*methods(node), *(one for base in bases for one in base))}
    return frozenset(found)


def methods(node: ast.ClassDef) -> list[str]:
    return [one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]


@cache
def contracts() -> dict[str, list[str]]:
    """The tests of each suite of clew.testing, which test classes take over."""
    files = (ROOT / "src" / "clew" / "testing").glob("*.py")
    nodes = [node for file in files for node in ast.parse(file.read_text(encoding="utf-8")).body]
    return {node.name: methods(node) for node in nodes if isinstance(node, ast.ClassDef)}


def test_every_item_has_one_row() -> None:
    expected = [f"{paper}-{number}" for paper, last in ITEMS.items() for number in range(1, last + 1)]
    assert [item for item, _, _ in rows()] == expected


@pytest.mark.parametrize("paper", ITEMS)
def test_what_is_done_names_tests_that_exist(paper: str) -> None:
    for item, status, text in rows():
        if not item.startswith(f"{paper}-"):
            continue
        for test in TEST.findall(text):
            file, _, name = test.partition("::")
            assert (ROOT / file).is_file(), f"{item}: there is no {file}"
            assert name in names(ROOT / file), f"{item}: there is no {test}"
        for place in PLACE.findall(text):
            assert (ROOT / place).is_file(), f"{item}: there is no {place}"
        assert status != "done" or TEST.search(text) or PLACE.search(text), f"{item} is done, but no test is named"


def test_tests_named_by_the_second_look_exist() -> None:
    named = set(re.findall(r"`(?:\w+::)?(test_\w+)`", SECOND_LOOK.read_text(encoding="utf-8")))
    files = (ROOT / "tests" / "unit").glob("test_*.py")
    known = {name.rpartition("::")[2] for file in files for name in names(file)}
    assert len(named) > 30 and not named - known
