"""clew search and clew export as a user runs them: what is printed, what is written, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from pyarrow import parquet

from support import clew, clew_json, clew_process, exported, write_project

SEA = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>"
EVIL = "../../evil <script>alert(1)</script> [x](javascript:alert(1))"
BODY = "&lt;script&gt;alert(2)&lt;/script&gt; [y](javascript:alert(2)) `z`"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("search")
    (site := root / "site" / "h.test").mkdir(parents=True)
    escaped = EVIL.replace("<", "&lt;")
    pages = {
        "index": f"<title>Start</title><article>{SEA}<p>all tides\x1b[31m red</p>{SEA}</article>"
        "<a href=a.html>a</a><a href=b.html>b</a>",
        "a": f"<title>{escaped}</title><article>{SEA}<p>evil tides {BODY}</p>{SEA}</article>",
        "b": f"<title>=1+1</title><article>{SEA}<p>calm tides and reactors</p>{SEA}</article><a href=gone.html>g</a>",
    }
    for name, html in pages.items():
        (site / f"{name}.html").write_text(f"<html lang=en>{html}", encoding="utf-8")
    found = write_project(
        root / "p",
        ["http://h.test/index.html"],
        {"good.html": SEA, "more.html": f"{SEA}<p>crew</p>"},
        {"bad.html": "<p>law court judge tax</p>"},
        f'[project]\nweb = "folder:{site.parent}"\n',
    )
    clew("crawl", found, "--quiet")
    return found


# -- search -----------------------------------------------------------------------------------------------


def test_a_search_prints_pages_and_pieces(project: Path) -> None:
    done = clew("search", project, "reactors")
    assert done.stdout.splitlines()[:2] == ["1. =1+1", "   http://h.test/b.html"]
    assert "calm tides and [reactors]" in done.stdout
    assert re.search(r"searched 3 pages in \d+ ms", done.stderr)


def test_what_pages_say_does_not_reach_the_terminal(project: Path) -> None:
    assert "\x1b" not in clew("search", project, "tides").stdout


@pytest.mark.parametrize("width", [40, 60, 200])
def test_a_search_fits_the_terminal(project: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, clew("search", project, "tides").stdout.splitlines())) <= width


def test_a_search_as_json(project: Path) -> None:
    found = clew_json("search", project, "tides -evil -red")
    (hit,) = found["hits"]
    assert (hit["url"], hit["topic"], hit["language"], hit["relevant"]) == (
        "http://h.test/b.html",
        "relevant",
        "en",
        True,
    )
    assert [hit["snippet"][start:end] for start, end in hit["marks"]] == ["tides"]
    assert (found["pages"], found["textless"], found["notes"]) == (3, 0, [])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (['"power plant'], "is not closed"),
        (["--", "-nuclear"], "only says what must not occur"),
        ([""], "holds no word"),
        (["tides", "--topic", "relevantt"], "did you mean relevant?"),
        (["tides", "--since", "2020-13-01"], "is no day"),
        (["tides", "--since", "2021", "--until", "2020"], "is after"),
    ],
)
def test_a_search_that_makes_no_sense_ends_with_2(project: Path, arguments: list[str], says: str) -> None:
    assert says in clew("search", project, *arguments, code=2).stderr


def test_months_and_years_stand_for_all_their_days(project: Path) -> None:
    day = exported(project)[0]["fetched_at"][:10]
    for since, until in ((day, day), (day[:7], day[:7]), (day[:4], day[:4])):
        assert len(clew_json("search", project, "tides", "--since", since, "--until", until)["hits"]) == 3


def test_nothing_crawled_is_said(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "p", [])
    assert "start with: clew crawl" in clew("search", folder, "tides", code=2).stderr


# -- export -----------------------------------------------------------------------------------------------


def test_json_lines_with_texts(project: Path) -> None:
    plain, main, full = (exported(project, "--text", text) for text in ("none", "main", "full"))
    assert "text" not in plain[0]
    assert {row["url"]: row["text_kind"] for row in main} == {row["url"]: "main" for row in plain}
    assert any("evil tides" in row["text"] for row in main)
    assert {row["text_kind"] for row in full} == {"full"}
    assert {"topic", "outcome", "date", "author"} <= main[0].keys()
    relevance = [row["relevance"] for row in plain]
    assert relevance == sorted(relevance, reverse=True)


def test_fields_are_those_that_are_named_in_their_order(project: Path) -> None:
    done = clew("export", project, "--to", "csv", "--fields", "title, url,host")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(rows[0]) == ["title", "url", "host"]
    assert "'=1+1" in [row["title"] for row in rows]
    for fields, says in (("urll", "did you mean url?"), ("text", "--text main or"), ("author", "add --text main")):
        assert says in clew("export", project, "--fields", fields, code=2).stderr


def test_all_visits_have_their_outcome(project: Path) -> None:
    found = {row["url"].rpartition("/")[2]: row for row in exported(project, "--all", "--text", "main")}
    assert {row["outcome"] for row in found.values()} == {"ok"}
    assert next(iter(found)) == "index.html"


def test_parquet_is_typed(project: Path, tmp_path: Path) -> None:
    clew("export", project, "--to", "parquet", "--text", "main", "--out", tmp_path / "p.parquet")
    table = parquet.read_table(tmp_path / "p.parquet")
    rows = exported(project, "--text", "main")
    assert table["text"].to_pylist() == [row["text"] for row in rows]
    kinds = {name: str(table.schema.field(name).type) for name in ("relevance", "relevant", "number", "fetched_at")}
    assert kinds == {
        "relevance": "double",
        "relevant": "bool",
        "number": "int64",
        "fetched_at": "timestamp[ms, tz=UTC]",
    }


def test_parquet_without_its_library_says_what_to_install(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'clew[parquet]'" in clew("export", project, "--to", "parquet", code=2).stderr


def test_sqlite_is_a_table(project: Path, tmp_path: Path) -> None:
    clew("export", project, "--to", "sqlite", "--text", "full", "--out", tmp_path / "p.db")
    with closing(sqlite3.connect(tmp_path / "p.db")) as database:
        found = database.execute("SELECT url, relevant, text FROM pages ORDER BY rowid").fetchall()
    assert found == [(row["url"], 1, row["text"]) for row in exported(project, "--text", "full")]
    assert sorted(tmp_path.iterdir()) == [tmp_path / "p.db"], "nothing is left beside it"


def test_a_folder_of_markdown(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "md"
    assert "wrote 3 pages" in clew("export", project, "--to", "markdown", "--out", out).stderr
    files = {file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file()}
    pages = {name for name in files if name.startswith("pages/")}
    assert files - pages == {"index.md", "topics/relevant.md", ".clew-export"}
    assert len(pages) == 3
    assert all(re.fullmatch(r"pages/h\.test/[\w-]+-[0-9a-f]{10}\.md", name) for name in pages)
    assert "(topics/relevant.md): 3" in (out / "index.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(\.\./(pages/[^)]+\.md)\)", (out / "topics/relevant.md").read_text(encoding="utf-8"))
    assert set(linked) == pages
    rows = {row["url"]: row for row in exported(project)}
    for name in pages:
        front, body = (out / name).read_text(encoding="utf-8").removeprefix("---\n").split("---\n", 1)
        facts = yaml.safe_load(front)
        assert {"url", "title", "topic", "relevance"} <= facts.keys()
        assert facts["relevance"] == rows[facts["url"]]["relevance"]
        assert facts["title"] == rows[facts["url"]]["title"]
        assert "tides" in body
        assert "\x1b" not in body


def test_markdown_of_hostile_pages_is_harmless(project: Path, tmp_path: Path) -> None:
    clew("export", project, "--to", "markdown", "--out", tmp_path / "md")
    texts = [file.read_text(encoding="utf-8") for file in (tmp_path / "md").rglob("*.md")]
    (evil,) = [text for text in texts if "evil tides" in text]
    body = evil.split("---\n", 2)[2]
    assert not re.search(r"(?<!\\)<", body), "no HTML"
    assert not re.search(r"(?<!\\)\]\(|(?<!\\)`", body), "no link, no code"
    assert "\\<script>alert(2)" in body
    index = next(text for text in texts if text.startswith("# relevant"))
    assert all(target.startswith("../pages/") for target in re.findall(r"(?<!\\)\]\(([^)]*)\)", index))


def test_markdown_again_replaces_its_own_files_alone(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "md"
    clew("export", project, "--to", "markdown", "--out", out)
    (out / "notes.md").write_text("mine", encoding="utf-8")
    (out / "pages" / "stale.md").touch()
    clew("export", project, "--to", "markdown", "--top", 1, "--out", out)
    assert (out / "notes.md").read_text(encoding="utf-8") == "mine"
    assert len(list(out.rglob("pages/*/*.md"))) == 1
    assert not (out / "pages" / "stale.md").exists()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.md").touch()
    assert "no export made" in clew("export", project, "--to", "markdown", "--out", tmp_path / "own", code=2).stderr
    assert "is a file" in clew("export", project, "--to", "markdown", "--out", out / "notes.md", code=2).stderr


def test_what_is_one_file_is_not_written_into_a_folder(project: Path, tmp_path: Path) -> None:
    assert "name a file" in clew("export", project, "--to", "jsonl", "--out", tmp_path, code=2).stderr


def test_exports_can_be_piped(project: Path) -> None:
    done = clew_process("export", project, "--to", "markdown", "--text", "main")
    assert done.stdout.count("\nurl: ") == 3
    assert len([json.loads(line) for line in clew_process("export", project).stdout.splitlines()]) == 3
