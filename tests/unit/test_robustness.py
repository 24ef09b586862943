"""docs/robustness.md: every promise has a test that exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "robustness.md"


def rows() -> list[list[str]]:
    """The cells of every row: case, kind, what Clew does, test."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row[0] != "Case" and set(row[0]) != {"-"}]


@cache
def defined(path: Path) -> frozenset[str]:
    """The names of a test file's functions, those in classes too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_row_has_four_cells() -> None:
    assert [row for row in rows() if len(row) != 4 or not all(row)] == []


def test_every_row_names_tests_that_exist() -> None:
    wrong = []
    for row in rows():
        named = re.findall(r"`([\w/.]+\.(?:py|toml))(?:::(\w+))?`", row[3])
        exist = [(ROOT / path).exists() and (not name or name in defined(ROOT / path)) for path, name in named]
        if not named or not all(exist):
            wrong.append(row)
    assert wrong == []


CASES = set(range(1, 36))
REPORTS = {3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 24, 25, 26, 27, 30}


def numbers(word: str) -> set[int]:
    """The numbers that rows give after a word: ``Case 7``, ``cases 5 and 6``, ``Reports 1 to 3, 9``."""
    found: set[int] = set()
    for row in rows():
        for several in re.findall(rf"(?i)\b{word}s?\s+((?:\d+(?:\s*(?:,|and|to)\s*)?)+)", row[0]):
            for first, last in re.findall(r"(\d+)(?:\s*to\s*(\d+))?", several):
                found.update(range(int(first), int(last or first) + 1))
    return found


def test_every_case_has_a_row() -> None:
    assert CASES - numbers("case") == set()


def test_every_report_has_a_row() -> None:
    assert REPORTS - numbers("report") == set()
