"""The command line as a user meets it: every command, every wrong input, and what is left behind."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from clew.cli.main import execute
from clew.config import load
from clew.model import Outcome, Response
from clew.store.warc import encode
from support import PATIENCE_S, clew, clew_json, init_plain, write_project

SIM = "sim:pages=2000,seed=3"
PAGES = 120
COMMAND = [sys.executable, "-m", "clew.cli"]
SAILING = "<p>Sailing boats and sailing ships in the harbour, sails set for a regatta.</p>"
COOKING = "<p>Bake the bread in the oven, knead the dough, boil the soup and stir.</p>"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A crawl of a simulated web, made once; tests that change it copy it first."""
    project = tmp_path_factory.mktemp("cli") / "p"
    init_plain(project, "--web", SIM)
    return project, clew_json("crawl", project, "--max-pages", PAGES)


@pytest.fixture
def copied(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> Path:
    """A copy of that project that a test may change."""
    return Path(shutil.copytree(crawled[0], tmp_path / "p"))


def mirror(folder: Path, pages: Mapping[str, str]) -> Path:
    """A folder web: host/path -> HTML."""
    for path, html in pages.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html, encoding="utf-8")
    return folder


def small_web(folder: Path) -> Path:
    """A hub that links to a good page, a bad page, a missing page, another host and a page not to be followed."""
    links = "".join(f'<a href="/{name}.html">{name}</a> ' for name in ("good", "bad", "missing"))
    hub = f'<title>Hub</title>{links}<a href="/shy.html" rel="nofollow">shy</a> <a href="/a.pdf">paper</a>{SAILING}'
    hostile = "<title>Boats & <script>alert(1)</script></title>"
    return mirror(
        folder,
        {
            "a.test/index.html": f"<html><head>{hub}</html>",
            "a.test/good.html": f'<html><head>{hostile}{SAILING}<a href="/deep.html">deeper</a></html>',
            "a.test/deep.html": f"<html><head><title>Deep</title>{SAILING}{SAILING}</html>",
            "a.test/bad.html": f"<html><head><title>Bread</title>{COOKING}</html>",
            "a.test/shy.html": f"<html><head><title>Shy</title>{SAILING}</html>",
        },
    )


def sailing(tmp_path: Path, web: Path) -> Path:
    """A project on a folder web, judged by keywords, best links first."""
    (tmp_path / "start.txt").write_text("http://a.test/\n", encoding="utf-8")
    words = 'sailing regatta "sails set" -bread'
    clew("init", tmp_path / "s", "--seeds", tmp_path / "start.txt", "--keywords", words, "--web", f"folder:{web}")
    settings = tmp_path / "s" / "clew.toml"
    text = settings.read_text(encoding="utf-8").replace('"auto"', '"keywords"').replace('"clew"', '"best-first"')
    settings.write_text(text, encoding="utf-8")
    return tmp_path / "s"


def inside(*arguments: object) -> tuple[int, str, str]:
    """Exit code, output and messages of a command run in this process, which saves its start."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = execute([*map(str, arguments)])
    out.seek(0)
    return code, out.read(), err.getvalue()


def refused(*arguments: object, says: str, code: int = 2) -> None:
    """The command fails with this exit code and one clear message."""
    found, _, message = inside(*arguments)
    assert re.search(says, message), message
    assert "a fault in Clew" not in message
    assert found == code


def told(*arguments: object) -> Any:
    """The JSON object that a command prints last, run in this process."""
    code, out, message = inside(*arguments, "--json")
    assert code == 0, message
    return json.loads(out.splitlines()[-1])


def exported(project: Path, *options: str) -> list[dict[str, Any]]:
    """The lines of clew export."""
    code, out, message = inside("export", project, *options)
    assert code == 0, message
    return [json.loads(line) for line in out.splitlines()]


# -- clew init ------------------------------------------------------------------------------------------------


def test_init_takes_urls_and_local_pages(tmp_path: Path) -> None:
    pages = mirror(tmp_path / "pages", {"one.html": SAILING, "two.html": COOKING})
    (tmp_path / "seeds.txt").write_text(
        "\ufeff# where to start\nHTTP://A.test:80/x/../#top\n\nhttp://b.test\nhttp://b.test/\n"
    )
    (pages / "good.txt").write_text("one.html\nhttp://a.test/good\n")
    (pages / "bad.txt").write_text(f"{pages / 'two.html'}\n")
    made = clew_json(
        "init", tmp_path / "p", "--seeds", tmp_path / "seeds.txt", "--relevant", pages / "good.txt",
        "--irrelevant", pages / "bad.txt", "--contact", "me@example.org",
    )  # fmt: skip
    assert made == {
        "project": str(tmp_path / "p"),
        "seeds": 2,
        "relevant": 2,
        "irrelevant": 1,
        "keywords": 0,
        "topics": 0,
        "filed": 0,
        "interest": "",
        "understood": None,
        "notes": [],
        "missing": [],
        "next": f"clew crawl {tmp_path / 'p'} --max-pages 1000",
    }
    lines = {name: (tmp_path / "p" / f"{name}.txt").read_text().splitlines() for name in ("seeds", "relevant")}
    assert lines == {
        "seeds": ["http://a.test/", "http://b.test/"],
        "relevant": [str(pages / "one.html"), "http://a.test/good"],
    }
    settings = load(tmp_path / "p" / "clew.toml")
    assert (settings.project.web, settings.crawl.contact, settings.judge.name) == (
        "live",
        "me@example.org",
        "auto",
    )


def test_init_starts_at_the_relevant_urls_when_there_are_no_seeds(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("http://a.test/1\nhttp://a.test/2\n")
    assert clew_json("init", tmp_path / "p", "--relevant", tmp_path / "good.txt")["seeds"] == 2


def test_init_reads_keywords(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("http://a.test/\n")
    words = 'sailing "north sea" -motor -"speed boat" rügen - ""'
    clew("init", tmp_path / "p", "--seeds", tmp_path / "s.txt", "--keywords", words)
    settings = load(tmp_path / "p" / "clew.toml")
    assert settings.interest.keywords == {
        "sailing": 1.0, "north sea": 1.0, "motor": -1.0, "speed boat": -1.0, "rügen": 1.0,
    }  # fmt: skip
    assert settings.judge.name == "auto"


def test_init_makes_paths_of_webs_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_web(tmp_path / "web")
    write_warc(tmp_path / "w.warc.gz", {"http://a.test/": SAILING})
    (tmp_path / "s.txt").write_text("http://a.test/\n")
    monkeypatch.chdir(tmp_path)
    for number, (kind, file) in enumerate((("folder", "web"), ("archive", "w.warc.gz"))):
        clew("init", f"p{number}", "--seeds", "s.txt", "--keywords", "sailing", "--web", f"{kind}:{file}")
        assert load(Path(f"p{number}/clew.toml")).project.web == f"{kind}:{tmp_path / file}"
        monkeypatch.chdir("/")
        assert told("crawl", tmp_path / f"p{number}", "--quiet")["relevant"] >= 1
        monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("files", "options", "says"),
    [
        (
            {"s": "http://a.test/\nnot a url\n"},
            ["--seeds", "s", "--keywords", "sailing"],
            r"s line 2.*no http\(s\) URL",
        ),
        (
            {"s": "www.a.test/x\n"},
            ["--seeds", "s", "--keywords", "sailing"],
            r"s line 1.*did you mean http://www\.a\.test/x",
        ),
        (
            {"s": "# nothing\n"},
            ["--seeds", "s", "--keywords", "sailing"],
            "say where to start: --seeds FILE with URLs, one a line, or --search",
        ),
        ({"g": "nowhere.html\n"}, ["--relevant", "g"], "g line 1: 'nowhere.html' is neither.*correct or remove"),
        ({"g": "x" * 5_000}, ["--relevant", "g"], "g line 1: 'xxx.*is neither"),
        ({"g": "~nobody-of-that-name/x"}, ["--relevant", "g"], "g line 1: .*is neither"),
        ({"g": "ftp://a.test/x"}, ["--relevant", "g"], "g line 1: .*is neither"),
        ({"g": "http://a.test/\n", "b": "http://A.test\n"}, ["--relevant", "g", "--irrelevant", "b"], "stands in both"),
        ({}, ["--seeds", "gone", "--keywords", "sailing"], "gone cannot be read: No such file"),
        ({"s": b"http://a.test/\xff\n"}, ["--seeds", "s", "--keywords", "sailing"], r"s is not UTF-8 text \(byte 14\)"),
        ({"s": "http://a.test/"}, ["--seeds", "s"], "say what is wanted"),
        ({"s": "http://a.test/"}, ["--seeds", "s", "--keywords", '- ""'], "say what is wanted"),
        ({"s": "http://a.test/"}, ["--seeds", "s", "--keywords", "-x"], "at least one without a minus"),
        ({"s": "http://a.test/"}, ["--seeds", "s", "--keywords", "sailing", "--web", "web"], "there is no web 'web'"),
        (
            {"s": "http://a.test/"},
            ["--seeds", "s", "--keywords", "sailing", "--web", "folder:gone"],
            "there is no folder",
        ),
        (
            {"s": "http://a.test/"},
            ["--seeds", "s", "--keywords", "sailing", "--web", "archive:gone"],
            "no archive file",
        ),
        ({}, ["--web", "sim:pages=many"], "pages must be a whole number"),
    ],
)
def test_init_refuses_wrong_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: Mapping[str, str | bytes],
    options: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused("init", "p", *options, says=says)
    assert not Path("p").exists()


def test_init_replaces_nothing_of_others(copied: Path, tmp_path: Path) -> None:
    refused("init", copied, "--web", SIM, says="is a Clew project already")
    (tmp_path / "q").mkdir()
    (tmp_path / "q/relevant.txt").write_text("precious\n")
    refused("init", tmp_path / "q", "--web", SIM, says="relevant.txt exists and would be replaced")
    assert (tmp_path / "q/relevant.txt").read_text() == "precious\n"
    (tmp_path / "q/relevant.txt").write_text("http://a.test/\n")
    clew("init", tmp_path / "q", "--relevant", tmp_path / "q/relevant.txt")


# -- clew crawl -----------------------------------------------------------------------------------------------


def test_crawl_prints_one_object_last(crawled: tuple[Path, dict[str, Any]]) -> None:
    project, result = crawled
    rows = exported(project, "--all")
    assert result["fetched"] == PAGES == len(rows)
    assert result["relevant"] == sum(row["relevant"] for row in rows) > 20
    assert result["harvest_rate"] == pytest.approx(result["relevant"] / PAGES, abs=1e-6)
    assert result["stopped_by"] == "max_pages"
    assert result["frontier"] > 100
    assert 0 < result["seconds"] < 60
    assert 0 < result["cpu_ms_per_page"] < 1_000
    assert (result["strategy"], result["judge"], result["web"]) == ("best-first", "naive-bayes", SIM)


def test_a_project_is_crawled_with_the_defaults(tmp_path: Path) -> None:
    """What clew init wrote, and a clew.toml that names neither judge nor strategy."""
    named = ("clew", "auto")
    clew("init", tmp_path / "p", "--web", SIM)
    result = told("crawl", tmp_path / "p", "--max-pages", 30)
    assert (result["strategy"], result["judge"], result["fetched"]) == (*named, 30) and result["relevant"] > 10
    last = told("explain", tmp_path / "p", exported(tmp_path / "p", "--all")[-1]["url"])["path"][-1]
    assert last["parts"]
    (tmp_path / "p" / "clew.toml").write_text(f'[project]\nweb = "{SIM}"\n[strategy.best-first]\n', encoding="utf-8")
    result = told("crawl", tmp_path / "p", "--max-pages", 31)
    assert (result["strategy"], result["judge"], result["fetched"]) == (*named, 31)


def test_max_pages_is_the_total_of_all_runs(copied: Path) -> None:
    again = told("crawl", copied, "--max-pages", PAGES)
    assert (again["fetched"], again["fetched_now"], again["stopped_by"]) == (PAGES, 0, "max_pages")
    more = told("crawl", copied, "--max-pages", PAGES + 30)
    assert (more["fetched"], more["fetched_now"]) == (PAGES + 30, 30)
    words = clew("crawl", copied, "--max-pages", PAGES + 31).stdout
    assert f"fetched {PAGES + 31} (1 now" in words
    assert f"go on: clew crawl {copied}" in words


def test_for_stops_after_a_time(copied: Path) -> None:
    began = time.monotonic()
    result = told("crawl", copied, "--for", "1s")
    assert result["stopped_by"] == "for"
    assert result["seconds"] >= 1
    assert time.monotonic() - began < PATIENCE_S
    refused("crawl", copied, "--for", "soon", says="is no span of time; write 90s")
    refused("crawl", copied, "--for", "0", says="longer than nothing")


def test_options_of_a_run_are_used_and_remembered(copied: Path) -> None:
    options = ("--strategy", "breadth-first", "--judge", "centroid")
    result = told("crawl", copied, "--max-pages", PAGES + 20, *options)
    assert (result["strategy"], result["judge"]) == ("breadth-first", "centroid")
    rows = exported(copied, "--all")
    assert all(row["score"] == -row["depth"] for row in rows[PAGES:])
    assert all(row["score"] >= 0 for row in rows[:PAGES])
    last = next(row for row in reversed(rows) if row["relevance"] is not None)
    words = clew("explain", copied, last["url"]).stdout
    assert "judged by centroid" in words
    assert "breadth-first" in words
    clew("report", copied)
    assert "<dd>breadth-first</dd>" in (copied / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--strategy", "deepest", "no strategy 'deepest'; choose one of: ache"),
        ("--judge", "solomon", "no judge 'solomon'; choose one of: auto, centroid"),
        ("--web", "wide", "no web 'wide'; choose one of: archive:FILE, folder:DIR, live"),
        ("--web", "sim:pages=1", "pages"),
    ],
)
def test_crawl_refuses_unknown_names_and_touches_nothing(copied: Path, option: str, value: str, says: str) -> None:
    refused("crawl", copied, "--restart", option, value, says=says)
    assert told("status", copied)["fetched"] == PAGES


def test_a_live_crawl_needs_a_contact(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", ["http://a.test/"], settings="[interest.keywords]\nsailing = 1.0\n")
    refused("crawl", project, "--judge", "keywords", says='set crawl.contact = "')


def test_a_project_in_use_is_left_alone(copied: Path) -> None:
    with running(copied) as process:
        refused("crawl", copied, says=rf"in use by process {process.pid}\b")
        refused("crawl", copied, "--restart", says=rf"in use by process {process.pid}\b")
        before = told("status", copied)["fetched"]
        assert before >= PAGES
        assert inside("report", copied)[0] == 0
        deadline = time.monotonic() + PATIENCE_S
        while told("status", copied)["fetched"] <= before:  # it sees what was committed meanwhile
            assert time.monotonic() < deadline
    assert told("status", copied)["fetched"] > before


def test_ctrl_c_stops_cleanly_and_the_crawl_goes_on(copied: Path) -> None:
    with running(copied) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert "stopped: you stopped it" in out
    assert f"go on: clew crawl {copied}" in out
    fetched = told("status", copied)["fetched"]
    assert fetched > PAGES
    more = clew_json("crawl", copied, "--max-pages", fetched + 10)
    assert (more["fetched"], more["fetched_now"]) == (fetched + 10, 10)
    numbers = [row["number"] for row in exported(copied, "--all")]
    assert numbers == list(range(1, fetched + 11))


def test_a_crawl_killed_between_a_session_and_a_group_keeps_its_archive(copied: Path, tmp_path: Path) -> None:
    settings = copied / "clew.toml"
    often = "[crawl]\nsession_pages = 10\ncommit_pages = 100000\ncommit_s = 1000.0"
    settings.write_text(settings.read_text().replace("[crawl]", often))
    with running(copied) as process:
        process.kill()
    clew("crawl", copied, "--max-pages", told("status", copied)["fetched"] + 5, "--quiet")
    clew("export", copied, "--all", "--to", "warc", "--out", tmp_path / "all.warc.gz")
    rows = [row for row in exported(copied, "--all") if row["status"]]
    assert [url for url, _ in responses(tmp_path / "all.warc.gz")] == [row["url"] for row in rows]


def test_restart_begins_anew_and_fresh_uses_the_archive(copied: Path) -> None:
    settings = copied / "clew.toml"
    settings.write_text(settings.read_text().replace("seed=3", "seed=4"))  # none of the old pages is in this web
    first = {row["url"]: row for row in exported(copied, "--all")}
    again = told("crawl", copied, "--restart", "--fresh", "30d", "--max-pages", 40)
    assert again["fetched"] == again["fetched_now"] == 40
    assert (copied / "crawl-1.db").is_file()
    with sqlite3.connect(copied / "crawl.db") as database:
        cached = {url for (url,) in database.execute("SELECT url FROM visits WHERE from_cache")}
    database.close()
    rows = exported(copied, "--all")
    assert len(cached) > 10
    for row in rows:
        assert (row["url"] in cached) == (row["url"] in first and first[row["url"]]["outcome"] in ("ok", "redirect"))
        if row["url"] in cached:
            assert row["digest"] == first[row["url"]]["digest"]
    assert {row["warc_file"][:6] for row in rows if row["warc_file"]} == {"crawl2"}


def test_without_fresh_nothing_comes_from_the_archive(copied: Path) -> None:
    clew("crawl", copied, "--restart", "--max-pages", 20, "--quiet")
    with sqlite3.connect(copied / "crawl.db") as database:
        assert database.execute("SELECT count(*) FROM visits WHERE from_cache").fetchone() == (0,)
    database.close()


def test_canonical_urls_that_gave_no_page_stand_for_none(tmp_path: Path) -> None:
    """A page whose canonical URL redirects to it, or is not there, is no duplicate; a print view of a page is."""
    links = "".join(f'<a href="/{name}">{name}</a> ' for name in ("old", "gone", "v1", "v2", "good", "print"))
    canonical = '<link rel="canonical" href="/{}">' + SAILING
    pages = {
        "": links + SAILING,
        "old?lang=en": canonical.format("old") + '<a href="/behind">behind</a>',
        "behind": SAILING,
        "v1": canonical.format("gone"),
        "v2": canonical.format("gone"),
        "good": SAILING,
        "print": canonical.format("good"),
    }
    archive = tmp_path / "w.warc.gz"
    write_warc(
        archive, {f"http://a.test/{path}": html for path, html in pages.items()}, {"http://a.test/old": "/old?lang=en"}
    )
    (tmp_path / "s.txt").write_text("http://a.test/\n")
    clew("init", tmp_path / "p", "--seeds", tmp_path / "s.txt", "--keywords", "sailing", "--web", f"archive:{archive}")
    with (tmp_path / "p" / "clew.toml").open("a") as settings:
        settings.write("\n[duplicates]\nfind = false\n")  # the pages have one text
    result = told("crawl", tmp_path / "p", "--strategy", "breadth-first")
    rows = {row["url"].removeprefix("http://a.test/"): row for row in exported(tmp_path / "p", "--all")}
    assert {path for path, row in rows.items() if row["relevant"]} == set(pages) - {"print"}
    assert rows["print"]["reason"] == "same page as http://a.test/good (rel=canonical)"
    assert (result["refused"], result["absent"]) == (0, 1)
    assert told("status", tmp_path / "p")["refused"] == 0


# -- broken projects ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[crawl\n", "clew.toml is not valid TOML.*line"),
        ("[crawl]\nmax_page = 3\n", r"clew.toml line 2: \[crawl\] .*'max_page' \(did you mean max_pages"),
        ('[crawl]\nmax_pages = "many"\n', r"clew.toml line 2: \[crawl\] max_pages: "),
        ("[strategy.clew]\n\ndepth = 3\n", r"clew.toml line 3: \[strategy\.clew\].*depth"),
        ('[scope]\npaths = ["("]\n', r"scope\.paths"),
        ('[crawl]\nduplicates = "worst"\n', r"\[crawl\] duplicates: 'worst' is none of: best, first, mean"),
    ],
)
def test_wrong_settings_are_named(copied: Path, text: str, says: str) -> None:
    (copied / "clew.toml").write_text(f'{text}[project]\nweb = "{SIM}"\n')
    refused("crawl", copied, "--max-pages", PAGES + 1, says=says)


@pytest.mark.parametrize("damage", ["noise", "cut", "holes"])
def test_a_damaged_database_is_said_to_be_damaged(copied: Path, damage: str) -> None:
    file = copied / "crawl.db"
    data = file.read_bytes()
    noise = random.Random(1).randbytes(len(data) // 3)
    file.write_bytes(
        {
            "noise": noise,
            "cut": data[: len(data) // 2],
            "holes": data[: len(data) // 3] + noise + data[2 * len(data) // 3 :],
        }[damage]
    )
    for command in (("crawl", copied, "--max-pages", PAGES + 1), ("export", copied, "--all"), ("report", copied)):
        refused(*command, says=r"crawl\.db is damaged .*recover", code=1)


def test_commands_need_a_project_and_a_crawl(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", ["http://a.test/"])
    refused("status", tmp_path / "none", says="is no Clew project.*clew init")
    refused("export", project, says="nothing was crawled in .* yet; start with: clew crawl")
    refused("explain", project, "http://a.test/", says="nothing was crawled")


def test_a_web_without_pages(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    refused("crawl", sailing(tmp_path, tmp_path / "web"), says="holds no pages")
    mirror(tmp_path / "web", {"b.test/index.html": SAILING})
    result = told("crawl", tmp_path / "s")
    assert (result["fetched"], result["absent"], result["frontier"]) == (0, 1, 0)
    assert result["stopped_by"] == "frontier"
    assert exported(tmp_path / "s") == []
    assert told("status", tmp_path / "s")["fetched"] == 0
    clew("report", tmp_path / "s")
    assert "Nothing was fetched yet" in (tmp_path / "s/report.html").read_text()


def test_a_web_of_one_page(tmp_path: Path) -> None:
    project = sailing(tmp_path, mirror(tmp_path / "web", {"a.test/index.html": SAILING}))
    result = told("crawl", project)
    assert (result["fetched"], result["relevant"], result["frontier"]) == (1, 1, 0)
    assert result["stopped_by"] == "frontier"
    clew("report", project)
    assert (project / "report.html").read_text(encoding="utf-8").count("<svg") == 4
    (row,) = exported(project)
    assert (row["url"], row["depth"], row["status"]) == ("http://a.test/", 0, 200)


# -- status, report, explain ----------------------------------------------------------------------------------


def test_status_says_what_the_crawl_said(crawled: tuple[Path, dict[str, Any]]) -> None:
    project, result = crawled
    status = told("status", project)
    for name in ("fetched", "relevant", "harvest_rate", "frontier", "failed", "redirects", "refused", "absent"):
        assert status[name] == result[name], name
    words = clew("status", project).stdout
    assert re.search(rf"fetched\s+{PAGES}\b", words)
    assert re.search(rf"waiting links\s+{result['frontier']:,}\b", words)


class Resources(HTMLParser):
    """Everything in a page that a browser would load or run, and the texts of its links."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: dict[str, str] = {}
        self._link = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        if tag in ("script", "link", "img", "iframe", "image", "object", "embed", "base"):
            self.loads.append(tag)
        for name in ("src", "xlink:href", "href"):
            if name in found and tag != "a" and not found[name].startswith("#"):
                self.loads.append(f"{tag} {name}={found[name]}")
        self._link = found.get("href", "") if tag == "a" else self._link

    def handle_data(self, data: str) -> None:
        if self._link:
            self.links[self._link] = self.links.get(self._link, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._link = "" if tag == "a" else self._link


def test_a_report_is_one_file_that_loads_nothing(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    project, _ = crawled
    clew("report", project, "--out", tmp_path / "r.html")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Resources()
    page.feed(html)
    assert page.loads == []
    assert not re.findall(r"@import|url\((?!#)", html)
    assert html.count("<svg") == 4
    best = exported(project)
    assert [url for url in page.links if url.startswith("http")] == [row["url"] for row in best[:100]]
    assert all(page.links[row["url"]].strip() == (row["title"] or row["url"]) for row in best[:100])
    refused("report", project, "--out", tmp_path / "none" / "r.html", says="cannot be written", code=1)


def test_titles_are_escaped(tmp_path: Path) -> None:
    project = sailing(tmp_path, small_web(tmp_path / "web"))
    clew("crawl", project, "--quiet")
    clew("report", project)
    html = (project / "report.html").read_text(encoding="utf-8")
    assert "Boats &amp; &lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script" not in html


def test_explain_says_why(tmp_path: Path) -> None:
    project = sailing(tmp_path, small_web(tmp_path / "web"))
    result = told("crawl", project, "--max-pages", 3)
    assert result["stopped_by"] == "max_pages"
    good = told("explain", project, "HTTP://A.test:80/./good.html#part")
    assert (good["url"], good["state"]) == ("http://a.test/good.html", "visited")
    assert "relevant: relevance" in good["verdict"]
    assert [step["url"] for step in good["path"]] == ["http://a.test/", "http://a.test/good.html"]
    last = good["path"][-1]
    assert last["anchor"] == "good"
    assert last["score"] == pytest.approx(good["path"][0]["relevance"], abs=1e-5)
    assert any("best-first" in part for part in last["parts"])
    assert {"sailing", "regatta"} <= {term for term, weight in good["terms"] if weight > 0}
    words = clew("explain", project, "http://a.test/good.html").stdout
    assert "the link reads: good" in words
    assert "terms that weighed most" in words

    states = {
        "http://a.test/shy.html": ("parked", "nofollow"),
        "http://a.test/a.pdf": ("out-of-scope", "exclude_endings"),
        "http://a.test/never-heard-of": ("unknown", "no page visited"),
    }
    for url, (state, says) in states.items():
        found = told("explain", project, url)
        assert (found["state"], says in found["verdict"]) == (state, True), found
    waiting = [
        name for name in ("bad", "deep", "missing")
        if told("explain", project, f"http://a.test/{name}.html")["state"] == "waiting"
    ]  # fmt: skip
    assert waiting
    verdict = told("explain", project, f"http://a.test/{waiting[0]}.html")["verdict"]
    assert re.search(r"waits with score 0\.\d+, about \d+ links before it", verdict)

    clew("crawl", project, "--quiet")
    absent = told("explain", project, "http://a.test/missing.html")
    assert (absent["state"], "found on http://a.test/" in absent["verdict"]) == ("absent", True)
    refused("explain", project, "no url", says=r"no http\(s\) URL")


def test_explain_a_url_that_came_to_be_out_of_scope(tmp_path: Path) -> None:
    project = sailing(tmp_path, small_web(tmp_path / "web"))
    clew("crawl", project, "--max-pages", 1, "--quiet")
    with (project / "clew.toml").open("a") as settings:
        settings.write('\n[scope]\nexclude_paths = ["bad"]\n')
    result = told("crawl", project)
    assert result["refused"] == 1
    found = told("explain", project, "http://a.test/bad.html")
    assert (found["state"], "exclude_paths" in found["verdict"]) == ("refused", True)


def test_explain_without_the_archive_leaves_out_the_terms(copied: Path) -> None:
    url = exported(copied)[0]["url"]
    shutil.rmtree(copied / "archive")
    found = told("explain", copied, url)
    assert found["state"] == "visited"
    assert found["path"]
    assert found["terms"] == []


# -- clew export ----------------------------------------------------------------------------------------------


def responses(file: Path) -> list[tuple[str, bytes]]:
    """URL and body of every response record; raises when a digest is wrong."""
    found = []
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            body = record.content_stream().read()
            if record.rec_type == "response":
                found.append((record.rec_headers.get_header("WARC-Target-URI"), body))
    return found


def test_export_gives_relevant_pages_best_first(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    project, result = crawled
    best, every = exported(project), exported(project, "--all")
    assert len(best) == result["relevant"]
    assert all(row["relevant"] for row in best)
    order = [(-row["relevance"], row["number"]) for row in best]
    assert [-relevance for relevance, _ in order] == sorted((row["relevance"] for row in best), reverse=True)
    assert [row["number"] for row in every] == list(range(1, PAGES + 1))
    for row in every:
        assert {"url", "status", "relevance", "depth", "fetched_at"} <= set(row)
        assert (row["relevance"] is None) == (row["outcome"] != "ok")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", row["fetched_at"])
    assert {row["outcome"] for row in every} == {"ok", "redirect", "failed"}
    done = clew("export", project, "--out", tmp_path / "best.jsonl")
    assert f"wrote {len(best)} pages" in done.stderr
    assert [json.loads(line) for line in (tmp_path / "best.jsonl").read_text().splitlines()] == best
    assert not list(tmp_path.glob("*.part"))


def test_export_gives_the_best_of_each_topic(crawled: tuple[Path, dict[str, Any]]) -> None:
    project, _ = crawled
    assert exported(project, "--top", "3") == exported(project)[:3]
    assert "give one of them" in clew("export", project, "--all", "--top", "3", code=2).stderr


def test_report_prints_paths(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """Every page that was judged is a nugget from threshold 0 on."""
    project, _ = crawled
    judged = [row for row in exported(project, "--all") if row["relevance"] is not None]
    text = clew("report", project, "--paths", "--threshold", "0").stdout
    assert "Table 5" in text and str(len(judged)) in text
    found = clew_json("report", project, "--paths", "--metric", "fixed", "--out", tmp_path / "paths.txt")
    assert (tmp_path / "paths.txt").read_text() == found["paths"] != text


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_csv_and_warc_hold_what_jsonl_holds(
    crawled: tuple[Path, dict[str, Any]], tmp_path: Path, options: tuple[str, ...]
) -> None:
    project, _ = crawled
    rows = exported(project, *options)
    table = list(csv.DictReader(io.StringIO(clew("export", project, "--to", "csv", *options).stdout)))
    assert list(table[0]) == list(rows[0])
    assert [(row["url"], int(row["status"]), row["title"]) for row in table] == [
        (row["url"], row["status"], row["title"]) for row in rows
    ]
    counted = clew_json("export", project, "--to", "warc", "--out", tmp_path / "x.warc.gz", *options)
    pages = responses(tmp_path / "x.warc.gz")
    rows = [row for row in rows if row["status"]]  # a host that is not there sends nothing that could be kept
    assert counted["exported"] == len(pages) == len(rows)
    assert [url for url, _ in pages] == [row["url"] for row in rows]
    assert all(len(body) == row["bytes"] for (_, body), row in zip(pages, rows, strict=True))


def test_a_reader_that_goes_away_ends_an_export_quietly(crawled: tuple[Path, dict[str, Any]]) -> None:
    for form in ("jsonl", "csv", "warc"):
        command = [*COMMAND, "export", str(crawled[0]), "--all", "--to", form]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        message = process.stderr.read()
        process.stderr.close()
        process.wait(timeout=PATIENCE_S)
        assert message == b""


def test_an_export_that_cannot_be_written_says_so(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    project, _ = crawled
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "none" / "x.jsonl", tmp_path / "file" / "x.jsonl"):
        refused("export", project, "--out", place, says="cannot be written", code=1)
    refused("export", project, "--json", says="--json needs --out")
    refused("export", project, "--to", "xml", says="xml")


def test_devices_are_written_to_and_never_replaced(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen([*COMMAND, "export", str(crawled[0]), "--out", str(pipe)], stderr=subprocess.DEVNULL)
    with pipe.open("rb") as stream:
        lines = stream.read().splitlines()
    assert process.wait(timeout=PATIENCE_S) == 0
    assert pipe.is_fifo()
    assert len(lines) == crawled[1]["relevant"]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no device that is always full")
def test_a_full_disk_is_no_fault_of_ours(crawled: tuple[Path, dict[str, Any]]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*COMMAND, "export", str(crawled[0])]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 1
    assert "the disk is full" in done.stderr
    assert "a fault in Clew" not in done.stderr


# -- helpers --------------------------------------------------------------------------------------------------


def write_warc(file: Path, pages: Mapping[str, str], redirects: Mapping[str, str] | None = None) -> None:
    html = (("Content-Type", "text/html"),)
    answers = [Response(url, Outcome.OK, 200, html, text.encode()) for url, text in pages.items()]
    for url, target in (redirects or {}).items():
        answers.append(Response(url, Outcome.REDIRECT, 301, (("Location", target),), location=target))
    file.write_bytes(b"".join(encode(answer, {}, 1) for answer in answers))


class running:  # noqa: N801  # used like a function
    """A crawl without end in a process of its own, entered when it has committed pages; killed at the end."""

    def __init__(self, project: Path) -> None:
        self.project = project

    def __enter__(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            [*COMMAND, "crawl", str(self.project), "--web", "sim:pages=1000000,seed=3"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for _ in self._moments():
            with sqlite3.connect(f"file:{self.project / 'crawl.db'}?mode=ro", uri=True) as database:
                visits = database.execute("SELECT count(*) FROM visits").fetchone()[0]
            database.close()
            if visits > PAGES:
                break
        return self.process

    def _moments(self) -> Iterator[None]:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.process.communicate()
            yield
            time.sleep(0.02)
        raise AssertionError("the crawl did not begin")

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
