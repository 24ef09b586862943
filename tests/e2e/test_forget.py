"""clew forget: nothing of a page is left in any file of its project, and it is never fetched again."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from test_kill import read_archives

from clew.cli.main import execute
from support import write_project

MARKS = (b"zebrafinch4711", b"quagmire4711", b"onlyhere4711")
"""Of the page's title, its text, and an address that only it names."""
SAILING = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>"
SECRET = (
    f"<title>zebrafinch4711</title>{SAILING}<p>quagmire4711</p>"
    "<a href=onlyhere4711.html>sailing</a><a href=b.html>b</a>"
)


def clew(*arguments: object, code: int = 0) -> str:
    """Run a command in this process, which starts quicker; what it prints."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="utf-8", write_through=True) as out:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            assert execute([str(one) for one in arguments]) == code, raw.getvalue().decode()
        return raw.getvalue().decode()


def exported(project: Path, *options: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in clew("export", project, *options).splitlines()]


def pages(folder: Path) -> Path:
    folder.mkdir(parents=True)
    links = "".join(f"<a href={name}.html>sailing {name}</a>" for name in ("secret", "a", "b"))
    (folder / "index.html").write_text(f"<title>start</title>{SAILING}{links}", encoding="utf-8")
    (folder / "secret.html").write_text(SECRET, encoding="utf-8")
    for name in ("a", "b", "onlyhere4711"):
        (folder / f"{name}.html").write_text(f"<title>{name[:4]}</title>{SAILING}<p>{name[:4]}</p>", encoding="utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    site = pages(tmp_path / "site" / "h.test").parent
    folder = write_project(
        tmp_path / "p",
        ["http://h.test/index.html"],
        {"good.html": SAILING, "more.html": SAILING + "<p>crew</p>"},
        {"bad.html": "<p>law court judge tax</p>"},
        f'[project]\nweb = "folder:{site}"\n',
    )
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file as it stands, unpacked where it is packed, and the blobs of databases unpacked."""
    found = {}
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        found[str(path)] = data
        if data[:2] == b"\x1f\x8b":
            found[f"{path} unpacked"] = gzip.decompress(data)
        if path.suffix == ".db":
            found[f"{path} blobs"] = b"".join(blobs(path))
    return found


def blobs(path: Path) -> list[bytes]:
    with sqlite3.connect(path) as database:
        if path.name == "texts.db":
            rows = [row[0] for row in database.execute("SELECT text FROM texts WHERE text <> x''")]
            return [zstandard.decompress(row) for row in rows]
        rows = [row[0][1:] for row in database.execute("SELECT data FROM evidence")]
        rows += [row[0] for row in database.execute("SELECT body FROM examples")]
    database.close()
    return [zstandard.decompress(row) for row in rows]


def test_nothing_of_a_page_is_left_and_the_rest_stays(project: Path) -> None:
    clew("crawl", project, "--max-pages", 4, "--quiet")
    (url,) = [row["url"] for row in exported(project, "--all") if row["url"].endswith("secret.html")]
    (project / "relevant.txt").write_text(f"good.html\nmore.html\n{url}\n", encoding="utf-8")
    clew("label", project, url, "relevant")
    clew("crawl", project, "--max-pages", 4, "--quiet")  # it becomes an example
    clew("report", project)
    clew("export", project, "--to", "csv", "--out", project / "mine.csv")
    assert "secret.html" in clew("search", project, "quagmire4711")
    for mark in MARKS[:2]:
        assert any(mark in data for data in contents(project).values())
    before = {row["url"]: row for row in exported(project, "--all")}
    found = json.loads(clew("forget", project, url, "--json"))
    assert found["visits"] == 1
    assert found["records"] >= 2
    assert found["lists"] == 2
    assert found["removed"] == ["report.html"]
    assert found["still"] == ["mine.csv"], "what the user exported is the user's, and is named"
    (project / "mine.csv").unlink()
    for name, data in contents(project).items():
        for mark in MARKS:
            assert mark not in data, f"{mark!r} in {name}"
    after = {row["url"]: row for row in exported(project, "--all")}
    assert after == {one: row for one, row in before.items() if one != url}, "other pages lie where they lay"
    assert set(read_archives(project)) == set(after)
    clew("export", project, "--to", "warc", "--all", "--out", project / "out.warc.gz")
    assert "no page found" in clew("search", project, "quagmire4711")
    assert "b.html" in clew("search", project, "sailing")
    clew("status", project)
    assert "forgotten" in clew("explain", project, url)
    clew("explain", project, "http://h.test/b.html")


def test_it_is_never_fetched_again(project: Path) -> None:
    clew("crawl", project, "--max-pages", 2, "--quiet")
    clew("forget", project, "http://h.test/secret.html")
    assert "http://h.test/secret.html$" in (project / "never.txt").read_text(encoding="utf-8")
    clew("crawl", project, "--quiet")
    for strategy in ("breadth-first", "ariadne"):
        clew("crawl", project, "--quiet", "--strategy", strategy)
    urls = {row["url"] for row in exported(project, "--all")}
    assert not any("secret" in url or "onlyhere" in url for url in urls)
    assert any(url.endswith("b.html") for url in urls)
    for name, data in contents(project).items():
        assert MARKS[0] not in data, name


def test_a_host(project: Path) -> None:
    clew("crawl", project, "--quiet")
    count = len(exported(project, "--all"))
    clew("crawl", project, "--restart", "--max-pages", 2, "--quiet")  # an earlier database is searched, too
    found = json.loads(clew("forget", project, "h.test", "--json"))
    assert found["visits"] == count + 2
    assert exported(project, "--all") == []
    assert read_archives(project) == []
    for name, data in contents(project).items():
        assert not any(mark in data for mark in MARKS), name
    assert (project / "seeds.txt").read_text(encoding="utf-8") == ""


def test_cut_short_it_can_be_done_again(project: Path) -> None:
    """Killed at any step, the same command goes on; until then nothing of the page is fetched."""
    clew("crawl", project, "--quiet")
    code = (
        "import os, sys, clew.project.forgetting as f\n"
        "setattr(f, sys.argv[3], lambda *_: os._exit(9))\n"
        "f.forget(f.ProjectFolder(sys.argv[1]), sys.argv[2])\n"
    )
    url = "http://h.test/secret.html"
    for step in ("erase", "erase_records", "_erase_lines", "_look_elsewhere"):
        done = subprocess.run([sys.executable, "-c", code, str(project), url, step], capture_output=True, check=False)
        assert done.returncode == 9, done.stderr
        clew("crawl", project, "--quiet")
    clew("forget", project, url)
    for name, data in contents(project).items():
        assert not any(mark in data for mark in MARKS[:2]), name
    archived = read_archives(project)
    assert len(archived) == len(set(archived)) == len(exported(project, "--all"))


@pytest.mark.parametrize(("what", "says"), [("no host", "neither a URL nor a host"), ("ftp://x/y", "neither a URL")])
def test_what_is_neither(project: Path, what: str, says: str) -> None:
    assert says in clew("forget", project, what, code=2)
