"""Text from outside as it is shown: nothing in it is obeyed, nothing hides."""

from __future__ import annotations

import ast
import csv
import io
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clew
from clew.export.plots import hosts
from clew.text.shown import cell, file_name, json_text, shown, shown_lines

ANYTHING = st.text(st.characters(codec=None), max_size=60)
FORMULA = "=+-@\t\r\n＝＋－＠"


def hidden(text: str) -> list[str]:
    """Characters that a terminal obeys or that nobody sees; joiners and the selectors of emoji apart."""
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return [one for one in text if unicodedata.category(one) in kinds and one not in "\u200c\u200d"]


@given(ANYTHING)
def test_nothing_that_is_obeyed_or_overlooked_is_left(text: str) -> None:
    assert not [one for one in hidden(shown(text)) if ord(one) < 0x600 or not _is_prefix(one)]
    assert not [one for one in hidden(shown_lines(text)) if one != "\n" and not _is_prefix(one)]


def _is_prefix(one: str) -> bool:
    """Marks of Arabic, Syriac and Egyptian writing that are seen (Prepended_Concatenation_Mark and such)."""
    return ord(one) in {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD} or (
        0x13430 <= ord(one) <= 0x1343F
    )


@pytest.mark.parametrize(
    ("text", "as_shown"),
    [
        ("sail \x1b]0;owned\x07 end \x1b[2J", r"sail \x1b]0;owned\x07 end \x1b[2J"),  # report 26
        ("\x9b31m", r"\x9b31m"),
        ("a\r\nb\tc\x00", r"a\x0d\x0ab\x09c\x00"),
        ("user\u202egpj.exe", r"user\u202egpj.exe"),
        ("pay\u200bpal pay\u200dpal \ufeff", r"pay\u200bpal pay\u200dpal \ufeff"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("\ud800", r"\ud800"),
        ("می\u200cخواهم 👨\u200d👩\u200d👧 Ünï日本", "می\u200cخواهم 👨\u200d👩\u200d👧 Ünï日本"),
    ],
)
def test_how_it_is_shown(text: str, as_shown: str) -> None:
    assert shown(text) == as_shown


@given(ANYTHING)
def test_no_cell_begins_a_formula_however_a_spreadsheet_parts_them(text: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerow([cell(text), cell("x")])
    for separator in ",;\t|":
        for row in csv.reader(io.StringIO(out.getvalue()), delimiter=separator):
            assert not [one for one in row if one.lstrip(" \"'")[:1] in FORMULA and one[:1] in FORMULA and one]


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", ' "=1', "＝1", "  =1"])
def test_formulas_become_text(start: str) -> None:
    assert cell(start)[0] == "'"
    assert cell(f"sail;{start}").startswith("sail;")
    assert "'=" in cell('a;"=1') and "'-" in cell("a| -1")


def test_plain_cells_stay_as_they_are() -> None:
    for text in ("sailing - a guide", "http://a.example/x?a=1&b=2", "3-2=1", "", "it's"):
        assert cell(text) == text


@given(ANYTHING)
def test_json_is_one_safe_line_that_reads_back(text: str) -> None:
    line = json_text({"a": [text]})
    assert not [one for one in hidden(line) if not _is_prefix(one)]
    back = json.loads(line)["a"][0]
    assert back == "".join("\ufffd" if 0xD800 <= ord(one) < 0xE000 else one for one in text) or "\ufffd" in back
    line.encode()


@given(ANYTHING)
def test_file_names_stay_in_their_folder(text: str) -> None:
    name = file_name(text, 40)
    assert name
    assert len(name.encode()) <= 40
    assert not name.startswith((".", "-"))
    assert not set(name) & set("/\\:\0 ")


def test_two_names_stay_two() -> None:
    names = ["a/b", "a-b", "../a-b", "a b", "x" * 200, "x" * 201]
    assert len({file_name(name) for name in names}) == len(names)


def test_host_names_in_plots_are_no_formulas() -> None:
    svg = hosts([("a$b^$c.example", 1, 2), ("\x1b[2J", 1, 1)])
    assert "a$b^$c.example" in svg
    assert r"\x1b[2J" in svg


def test_only_one_function_prints() -> None:
    """Whatever a command says goes through ``say``, which lets no control character pass."""
    folder = Path(clew.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            where = path.relative_to(folder).as_posix(), called
            assert called not in ("click.echo", "click.secho") or where == ("cli/common.py", "click.echo"), where
            assert called != "print" or where[0] == "crawl/showing.py", where
