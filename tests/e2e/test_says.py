"""What the command line says: at which widths, what Ctrl-C does, and how a run ends."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from clew.project.sampling import DRAWN
from support import PATIENCE_S, clew, clew_json, clew_process, exported, init_plain, write_project

QUICK, HANGING = "127.0.8.1", "127.0.8.2"
COMMAND = [sys.executable, "-m", "clew.cli"]

SLOW_JUDGE = '''
import time
from pathlib import Path

from clew.judges.keywords import KeywordsJudge


class Slow(KeywordsJudge):
    """Thinks about a page until a file is there."""

    name = "slow"

    def judge(self, pages):
        for page in pages:
            if "thinking" in page.title:
                Path("BEGUN").write_text("", encoding="utf-8")
                while not Path("GO").exists():
                    time.sleep(0.02)
        return super().judge(pages)
'''


class Server:
    """Pages about sailing on one address; on the other one nothing is answered until ``go`` is set."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.hangs, self.go = threading.Event(), threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                host = str(self.connection.getsockname()[0])
                outer.asked.append(f"{host}{self.path}")
                if self.path == "/robots.txt":
                    self.send_error(404)
                    return
                if host == HANGING:
                    outer.hangs.set()
                    outer.go.wait(PATIENCE_S)
                links = "".join(f'<a href="/{n}">{n}</a> ' for n in range(1, 4)) if self.path == "/" else ""
                title = "thinking" if self.path == "/thinking" else "sailing"
                body = f"<title>{title}</title><p>sailing {self.path}</p>{links}".encode()
                head = f"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
                with suppress(ConnectionError):  # whoever hung up
                    self.wfile.write(head.encode() + body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("0.0.0.0", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.go.set()
    found.server.shutdown()
    found.server.server_close()


def live(tmp_path: Path, seeds: list[str], judge: str = "keywords", workers: int = 0) -> Path:
    """A project that crawls loopback."""
    settings = (
        f'[judge]\nname = "{judge}"\n[interest.keywords]\nsailing = 1.0\n[strategy]\nname = "breadth-first"\n'
        f'[crawl]\ncontact = "me@example.org"\nworkers = {workers}\n[politeness]\ndelay_s = 0.02\nadaptive = 0.0\n'
        "max_delay_s = 0.1\n[web.live]\nallow_private = true\n"
    )
    return write_project(tmp_path / "p", seeds, settings=settings)


class Process:
    """A crawl in a process of its own, whose messages are read line by line."""

    def __init__(self, project: Path) -> None:
        path = os.pathsep.join([str(project.parent), *sys.path])
        self.process = subprocess.Popen(
            [*COMMAND, "crawl", str(project)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=project.parent, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def says(self, begin: str) -> str:
        """The next message that begins so."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.startswith(f"clew: {begin}"):
                return line.strip()
        raise AssertionError(f"it never said {begin!r}")

    def end(self) -> str:
        out, err = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0, err
        return out

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def test_ctrl_c_twice_gives_up_what_is_not_answered_and_says_so(server: Server, tmp_path: Path) -> None:
    project = live(tmp_path, [server.url(QUICK), server.url(HANGING, "/hangs")])
    with Process(project) as crawl:
        assert server.hangs.wait(PATIENCE_S)
        while server.asked.count(f"{QUICK}/3") < 1:
            assert crawl.process.poll() is None
        crawl.interrupt()
        first = crawl.says("stopping")
        assert re.search(
            r"stopping: [12] requests? (is|are) finished first; every page that was fetched is kept", first
        )
        assert "Ctrl-C again gives up what is under way" in first
        crawl.interrupt()
        second = crawl.says("stopping now")
        assert "1 request without an answer is given up, to be sent again by the next run" in second
        out = crawl.end()
    assert "stopped: you stopped it" in out
    visited = {row["url"] for row in exported(project, "--all")}
    assert visited == {server.url(QUICK, path) for path in ("/", "/1", "/2", "/3")}, "what was fetched is kept"
    server.go.set()
    result = clew_json(*shlex.split(next_command(out))[1:], "--quiet")
    assert (result["fetched_now"], result["stopped_by"]) == (1, "frontier")
    assert server.asked.count(f"{HANGING}/hangs") == 2, "the next run sends it again"
    assert len(server.asked) == len(set(server.asked)) + 2, "and nothing else, but for a robots.txt"


def test_ctrl_c_twice_keeps_a_page_that_is_still_read(server: Server, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_JUDGE, encoding="utf-8")
    project = live(tmp_path, [server.url(QUICK, "/thinking")], judge="slow:Slow", workers=1)
    with Process(project) as crawl:
        while not (tmp_path / "BEGUN").exists():
            assert crawl.process.poll() is None, crawl.process.communicate()
        crawl.interrupt()
        assert "every page that was fetched is kept" in crawl.says("stopping:")
        crawl.interrupt()
        assert crawl.says("stopping now") == "clew: stopping now: every page that was fetched is kept"
        (tmp_path / "GO").touch()
        out = crawl.end()
    assert "fetched 1 (1 now" in out and "1 judged relevant (1.000)" in out


def next_command(out: str) -> str:
    """What the end of a run says to go on with."""
    return next(line.partition("go on: ")[2] for line in out.splitlines() if line.startswith("go on: "))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A project in a folder whose name needs quotes, and how its first run ended."""
    project = tmp_path_factory.mktemp("says") / "my project"
    init_plain(project, "--web", "sim:pages=2000,seed=3")
    return project, clew("crawl", project, "--max-pages", 60, "--quiet").stdout


@pytest.fixture
def copied(crawled: tuple[Path, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(crawled[0], tmp_path / "my project"))


def test_the_end_of_a_run_says_what_was_found_and_what_to_do(crawled: tuple[Path, str]) -> None:
    project, out = crawled
    assert re.search(r"fetched 60 \(60 now, in \d+ s\), \d+ judged relevant \(0\.\d{3}\)", out)
    assert "harvest" not in out
    assert f"precision: not known; clew label '{project}' --uncertain finds out" in out
    assert f"look:  clew report '{project}'    (writes {project / 'report.html'})" in out


def test_the_next_commands_work_as_they_are_printed(crawled: tuple[Path, str], copied: Path) -> None:
    commands = [line.partition("clew ")[2].partition("    (")[0] for line in crawled[1].splitlines() if "clew " in line]
    commands = [line.partition(" finds out")[0].replace(str(crawled[0]), str(copied)) for line in commands]
    assert [line.split()[0] for line in commands] == ["label", "crawl", "report", "export"]
    for line in commands:
        clew(*shlex.split(line))
    assert (copied / "report.html").is_file() and (copied / DRAWN).is_file()
    assert clew_json("status", copied)["fetched"] == 120, "to go on needs a larger budget, and it was printed"


def test_to_go_on_the_options_of_the_run_are_repeated(copied: Path) -> None:
    out = clew("crawl", copied, "--max-pages", 70, "--strategy", "breadth-first", "--quiet").stdout
    assert next_command(out) == f"clew crawl '{copied}' --max-pages 140 --strategy breadth-first"


def test_where_nothing_is_left_or_a_rule_stops_a_change_is_named(copied: Path, tmp_path: Path) -> None:
    settings = copied / "clew.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + "\n[stop]\nirrelevant_run = 1\n", encoding="utf-8")
    out = clew("crawl", copied, "--quiet").stdout
    assert next_command(out).startswith(f"change stop.irrelevant_run in {settings}, then: clew crawl")
    web = tmp_path / "web" / "a.test"
    web.mkdir(parents=True)
    (web / "index.html").write_text("<p>sailing boats", encoding="utf-8")
    page = {"s.html": "<p>sailing boats"}
    other = write_project(tmp_path / "w", ["http://a.test/", "http://b.test/"], page, {"o.html": "<p>bread"})
    out = clew("crawl", other, "--web", f"folder:{web.parent}", "--quiet").stdout
    assert next_command(out).startswith(f"add URLs to {other / 'seeds.txt'}, then: clew crawl")
    assert "seeds that gave no page:\n  http://b.test/: " in out
    assert "http://a.test/" not in out


def test_the_end_of_a_run_says_that_pages_were_judged_again(tmp_path: Path) -> None:
    clew("init", tmp_path / "p", "--web", "sim:pages=2000,seed=3")
    result = clew_json("crawl", tmp_path / "p", "--max-pages", 60, "--quiet")
    assert result["judges"] == 2, "after 25 and 50 pages"
    words = clew("crawl", tmp_path / "p", "--max-pages", 110, "--quiet").stdout
    assert re.search(r"the judge learned 1 time, all pages were judged again: \d+ verdicts? changed", words)


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_lines_of_progress_fit(copied: Path, columns: int) -> None:
    """Many of them, since none is held back for time; a quick machine is done before the first would be due."""
    code = (
        "import clew.cli.progress as p, clew.crawl.loop as l, sys; p.LINE_EVERY_S = l.TICK_S = 0.0; "
        "from clew.cli.main import run; run(['crawl', sys.argv[1], '--max-pages', '100'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(copied)], capture_output=True, text=True, timeout=PATIENCE_S, check=True,
        env={**os.environ, "COLUMNS": str(columns), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if " fetched" in line]
    assert lines and all(len(line) <= columns for line in lines)
    assert all("judged relevant (" in line and not line.endswith("...") for line in lines)
    assert any("hosts waiting" in line or "waiting on" in line for line in lines) == (columns == 200)


@pytest.mark.parametrize(("columns", "rows"), [(60, 6), (120, 3), (200, 2)])
def test_the_panel_has_as_many_columns_as_there_is_room_for(copied: Path, columns: int, rows: int) -> None:
    code = """
import io, sys
from rich.console import Console
from clew.cli.progress import Live
from clew.project.assembly import CrawlOptions, crawl
from clew.project.project import Project
live = Live(Console(file=io.StringIO(), width=int(sys.argv[2]), force_terminal=False))
crawl(Project(sys.argv[1]), CrawlOptions(max_pages=90), live.display)
live._best_at = -100.0
print(Console(width=int(sys.argv[2]), file=sys.stdout, force_terminal=False).print(live._draw()) or "")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(copied), str(columns)], capture_output=True, text=True, timeout=PATIENCE_S,
        check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("│")]
    assert all(len(line) == columns for line in lines)
    figures = lines[: next(place for place, line in enumerate(lines) if "best links" in line)]
    assert len(figures) == rows
    text = " ".join(figures)
    for name in ("fetched 90", "judged relevant", "precision not known", "pages/s", "hosts waiting", "refused"):
        assert name in text, "no figure is broken or cut"


def test_a_host_may_have_so_many_pages_or_hosts_take_turns(copied: Path) -> None:
    def hosts(*options: str) -> list[str]:
        return [row["url"].split("/")[2] for row in exported(copied, *options)]

    plain, few, turns = hosts(), hosts("--per-host", "1"), hosts("--diverse")
    assert len(set(plain)) > 2
    assert sorted(few) == sorted(set(plain))
    assert sorted(turns) == sorted(plain) and len(set(turns[:3])) == 3
    assert "give one of them" in clew("export", copied, "--all", "--diverse", code=2).stderr
    clew("report", copied, "--per-host", 1)
    page = (copied / "report.html").read_text(encoding="utf-8")
    assert page.count('<td role="cell" class="page">') == len(few) and "Of a host 1 at most." in page
    clew("report", copied, "--diverse")
    assert "Hosts take turns" in (copied / "report.html").read_text(encoding="utf-8")


def test_export_tells_apart_what_a_screen_rounds(copied: Path) -> None:
    rows: list[dict[str, Any]] = exported(copied)
    near = [row["relevance"] for row in rows if row["relevance"] > 0.999]
    assert near == sorted(near, reverse=True) and any(round(one, 6) != one for one in near)


def test_labels_in_a_terminal_are_words_of_the_project(copied: Path) -> None:
    """Without a terminal the pages are listed, with digits that tell them apart."""
    out = clew("label", copied, "--uncertain").stdout
    assert len(out.splitlines()) == 20
    assert "--uncertain" in clew("label", copied, code=2).stderr
    assert len(clew_json("label", copied, "--uncertain", 4)) == 4


def test_in_a_terminal_each_page_is_asked_about(copied: Path) -> None:
    """Four answers: no word of the judge before them, and the estimate after them."""
    ours, theirs = pty.openpty()
    command = [*COMMAND, "label", str(copied), "--uncertain", "4"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.write(ours, b"i\nperhaps\nr\nr\n")
        process.wait(PATIENCE_S)
    os.close(theirs)
    said = b""
    with suppress(OSError):  # what ends a terminal on Linux
        while part := os.read(ours, 65_536):
            said += part
    os.close(ours)
    text = said.decode()
    assert process.returncode == 0, text
    assert text.count("relevant (r), irrelevant (i), skip (s), quit (q)") == 4
    assert "skipped: 'perhaps' is no verdict" in text and "0." not in text.partition("precision:")[0]
    verdicts = [line.split("\t")[1] for line in (copied / "labels.tsv").read_text(encoding="utf-8").splitlines()]
    assert verdicts == ["irrelevant", "relevant", "relevant"]
    assert re.search(r"precision: estimated \d\.\d\d \(.*\) by [12] labels? on pages drawn at random", text)


def test_a_crawl_that_never_began_tells_how_to_begin(tmp_path: Path) -> None:
    clew_process("crawl", tmp_path / "none", code=2)
