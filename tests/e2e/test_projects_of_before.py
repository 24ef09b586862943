"""Projects of the version before, one for each strategy, stopped half way: this version opens them and goes on with the
visits that their own version would have made.

tests/data/migration/ was made by tools/migration/make_projects.py, run by that version. The tests use what users have:
the command line and the files of a project.
"""

from __future__ import annotations

import contextlib
import json
import runpy
import shutil
import sqlite3
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import clew_json

DATA = Path(__file__).parents[1] / "data" / "migration"
FILES = sorted(DATA.glob("*.tar.xz"))
STRATEGIES = (
    "apprentice",
    "ariadne",
    "best-first",
    "bingo",
    "breadth-first",
    "context-graph",
    "random",
    "tunnelling",
)
"""Those of the version before."""

JUDGED_AGAIN = ("relevance", "relevant", "tunnel")
"""What a judge that is trained again while the crawl goes on may change of earlier visits."""

GOES_ON = ("fetched", "fetched_now", "stopped_by", "strategy", "judge")
"""What a crawl that takes other pages must still say in the end."""

THOROUGH = ("bingo", "breadth-first", "random")
"""Projects of which everything is asked, which takes time: one with a threshold that the examples set, one with an
earlier crawl put aside, one with a strategy and a judge that only the command line named."""

CHOSEN_ANEW = {"bingo": 125, "context-graph": 120}
"""The last visit before a strategy decides by another rule now: BINGO! admits archetypes by source, at the
end of a session. Earlier visits are judged again by the judge that these train. Context graphs scale the relevance of
pages next to targets where it was cut off."""

LITTLE = 1e-5
"""By so much relevances may differ: processors add up in another order."""

Clew = Callable[..., str]


@dataclass(frozen=True)
class Before:
    """A project of the version before: its folder, what its version said, and every visit after going on."""

    folder: Path
    expected: dict[str, Any]
    visits: list[dict[str, Any]]


@pytest.fixture(scope="module", params=FILES, ids=[file.name.removesuffix(".tar.xz") for file in FILES])
def before(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Before:
    folder = tmp_path_factory.mktemp("before")
    with tarfile.open(request.param) as tar:
        tar.extractall(folder, filter="data")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    visits = [json.loads(line) for line in (folder / "visits.jsonl").read_text(encoding="utf-8").splitlines()]
    return Before(folder / "project", expected, visits)


@pytest.fixture
def clew(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Clew]:
    """``python -m clew.cli`` in this process: most of the time of so many commands would go into starting them."""

    def run(*arguments: object) -> str:
        capfdbinary.readouterr()
        monkeypatch.setattr(sys, "argv", ["clew", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            runpy.run_module("clew.cli", run_name="__main__")
        out, err = (text.decode() for text in capfdbinary.readouterr())
        assert not done.value.code, f"exit code {done.value.code}\n{out}\n{err}"
        return out

    yield run


AT_TOP = 1_000_000.0
"""The score that the version before gave to links which come before all others."""


def told(clew: Clew, *arguments: object) -> Any:
    """The JSON object that a command prints last."""
    return json.loads(clew(*arguments, "--json").splitlines()[-1])


def visits_of(clew: Clew, folder: Path, fields: Sequence[str]) -> list[dict[str, Any]]:
    """These fields of every visit, floats to six places. The kind of a link is in the database alone."""
    with contextlib.closing(sqlite3.connect(folder / "crawl.db")) as database:
        kinds = dict(database.execute("SELECT number, kind FROM visits"))
    rows = [json.loads(line) for line in clew("export", folder, "--all").splitlines()]
    return [{name: rounded({**row, "kind": kinds[row["number"]]}[name]) for name in fields} for row in rows]


def rounded(value: object) -> object:
    return round(value, 6) if isinstance(value, float) else value


def alike(value: object) -> object:
    """Equal to this value, a float but for a little."""
    return pytest.approx(value, rel=0, abs=LITTLE) if isinstance(value, float) else value


def same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """What the version before said is said still; more may be."""
    assert {name: found.get(name) for name in expected} == expected


def essence(explanation: dict[str, Any]) -> dict[str, Any]:
    """An explanation without its words, which may become better ones."""
    steps = [{**step, "parts": bool(step["parts"])} for step in explanation["path"]]
    steps = [{name: rounded(value) for name, value in step.items()} for step in steps]
    terms = [[term, round(weight, 4)] for term, weight in explanation["terms"]]
    return {"url": explanation["url"], "state": explanation["state"], "path": steps, "terms": terms}


def test_there_is_a_project_for_each_strategy() -> None:
    assert tuple(file.name.removesuffix(".tar.xz") for file in FILES) == STRATEGIES


def test_a_project_of_before_can_be_looked_at(before: Before, clew: Clew) -> None:
    expected = before.expected["before"]
    same(told(clew, "status", before.folder), expected["status"])
    fields = [name for name in before.visits[0] if name not in JUDGED_AGAIN]
    found = visits_of(clew, before.folder, fields)
    early = before.visits[: before.expected["fetched"]]
    for mine, theirs in zip(found, early, strict=True):
        assert mine == {name: theirs[name] for name in fields}
    harvest = [json.loads(line) for line in clew("export", before.folder).splitlines()]
    assert [row["number"] for row in harvest] == expected["harvest"]
    thorough = before.expected["strategy"] in THOROUGH
    for one in expected["explained"] if thorough else expected["explained"][:1]:
        assert essence(told(clew, "explain", before.folder, one["url"])) == essence(one)
    assert told(clew, "report", before.folder, "--paths")["paths"]
    if thorough:
        report = Path(told(clew, "report", before.folder)["report"]).read_text(encoding="utf-8")
        assert harvest[0]["url"] in report and f">{before.expected['strategy']}<" in report


def test_a_project_of_before_goes_on_exactly(before: Before, clew: Clew, tmp_path: Path) -> None:
    folder, expected = tmp_path / "project", before.expected
    shutil.copytree(before.folder, folder)
    options = (*expected["options"], "--max-pages", expected["max_pages"], "--quiet")
    last = CHOSEN_ANEW.get(expected["strategy"])
    fields = [name for name in before.visits[0] if last is None or name not in JUDGED_AGAIN]
    told_of = expected["result"] if last is None else {name: expected["result"][name] for name in GOES_ON}
    same(told(clew, "crawl", folder, *options), told_of)
    found = visits_of(clew, folder, fields)
    assert len(found) == len(before.visits)
    for mine, theirs in zip(found[:last], before.visits[:last], strict=True):
        if theirs["score"] == AT_TOP:  # a tier does that now: the order is the same, the score is the strategy's
            mine = {**mine, "score": AT_TOP}  # noqa: PLW2901  # all else must be the same
        for name in fields:
            assert mine[name] == alike(theirs[name]), f"{name} of visit {mine['number']}"
    if last is None:
        same(told(clew, "status", folder), expected["after"]["status"])


def test_an_archive_of_before_is_read(tmp_path: Path) -> None:
    """The pages that a project kept come out as they went in, in a process of its own."""
    with tarfile.open(DATA / "bingo.tar.xz") as tar:
        tar.extractall(tmp_path, filter="data")
    out = tmp_path / "pages.warc.gz"
    found = clew_json("export", tmp_path / "project", "--to", "warc", "--all", "--out", out)
    expected = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    assert found["exported"] == expected["fetched"] and out.stat().st_size > 10_000
