"""Crawls that are started, watched and steered from the dashboard, and dashboards that are started by crawls."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from clew.project.folder import ProjectFolder
from clew.project.running import Running
from support import PATIENCE_S, clew, init_plain

TOKEN = "t" * 32
LONG = "sim:pages=60000,seed=3"
"""A crawl that is not through before a test is."""


class Served:
    """A dashboard as a process, asked with its token."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = process, address
        self.port = port_of(address)

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        with closing(self.connection()) as line:
            line.request(method, f"/api/projects/p/{path}", json.dumps(body) if body is not None else None, headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())

    def state(self) -> Any:
        return self.ask("GET", "crawl")[1]


def port_of(address: str) -> int:
    found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=", address)
    assert found, address
    return int(found[1])


@contextmanager
def serving(project: Path) -> Iterator[Served]:
    command = [sys.executable, "-m", "clew.cli", "serve", str(project), "--port", "0", "--no-open"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "CLEW_TOKEN": TOKEN}
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        yield Served(process, process.stdout.readline())
    finally:
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (out, err) == ("", "")


def until(true: Callable[[], Any]) -> Any:
    """Wait for a condition."""
    end = time.monotonic() + PATIENCE_S
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    folder = init_plain(tmp_path / "p", "--web", LONG)
    yield folder
    running = Running.find(ProjectFolder(folder))
    if running is not None:
        running.stop()
        until(lambda: not psutil.pid_exists(running.pid))


def test_a_crawl_is_started_watched_paused_resumed_and_stopped(project: Path) -> None:
    with serving(project) as served:
        assert served.state()["state"] == "never"
        assert served.ask("POST", "crawl/start", {"max_pages": 50_000}) == (200, {"done": "the crawl runs"})
        status, said = served.ask("POST", "crawl/start")
        assert status == 409 and "runs already" in said["error"]
        running = Running.find(ProjectFolder(project))
        assert running is not None
        before = served.state()
        assert before["state"] == "running"
        assert [(rule["name"], rule["limit"]) for rule in before["live"]["rules"]] == [("max_pages", 50_000)]
        until(lambda: served.state()["figures"]["fetched"] > before["figures"]["fetched"] + 10)

        assert served.ask("POST", "crawl/pause")[0] == 200
        paused = until(lambda: (now := served.state())["live"]["requests"] + now["live"]["pages"] == 0 and now)
        assert (paused["state"], paused["says"]) == ("paused", "paused: no link is taken until you resume it")
        assert served.state()["figures"]["fetched"] == paused["figures"]["fetched"]
        assert served.ask("GET", "curve")[1]["total"] == paused["figures"]["visits"]
        bands = served.ask("GET", "bands")[1]
        assert bands["first"] + sum(band["links"] for band in bands["bands"]) == paused["figures"]["waiting"]
        waiting = served.ask("GET", "hosts?state=waiting&limit=2&offset=1")[1]
        assert waiting["total"] == paused["live"]["hosts_waiting"] and len(waiting["hosts"]) == 2
        assert waiting["hosts"][0]["links"] >= waiting["hosts"][1]["links"] > 0

        assert served.ask("POST", "crawl/resume")[0] == 200
        until(lambda: served.state()["figures"]["fetched"] > paused["figures"]["fetched"])
        assert served.ask("POST", "crawl/stop")[0] == 200
        ended = until(lambda: (now := served.state())["state"] == "stopped" and now)
        assert (ended["stopped_by"], ended["failure"]) == ("interrupted", "")
        assert ended["figures"]["waiting"] > 0
        until(lambda: not psutil.pid_exists(running.pid))  # no zombie stays
        log = [one["text"] for one in served.ask("GET", "decisions")[1]["decisions"]]
        assert log[:3] == ["a user stopped the crawl", "a user resumed the crawl", "a user paused the crawl"]


def test_figures_come_as_they_change_and_the_server_ends_with_open_streams(project: Path) -> None:
    with serving(project) as served:
        served.ask("POST", "crawl/start")
        line = served.connection()
        line.request("GET", "/api/projects/p/live", headers={"authorization": f"Bearer {TOKEN}"})
        answer = line.getresponse()
        assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        seen: set[int] = set()
        while len(seen) < 3:
            name, data, empty = (answer.readline().decode() for _ in range(3))
            assert (name, empty) == ("event: state\n", "\n")
            seen.add(json.loads(data.removeprefix("data: "))["figures"]["fetched"])
        served.process.terminate()
        rest = answer.read()
        assert rest.endswith(b"\n\n") or not rest
        line.close()
        served.process.wait(PATIENCE_S)
        running = Running.find(ProjectFolder(project))
        assert running is not None, "the crawl goes on without the dashboard"
        assert running.stop()
    log = project / "crawl.log"
    until(lambda: "stopped by interrupted" in log.read_text(encoding="utf-8"))


def test_a_crawl_that_cannot_start_says_why(tmp_path: Path) -> None:
    folder = init_plain(tmp_path / "p", "--web", LONG)
    toml = folder / "clew.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace(LONG, "archive:gone"), encoding="utf-8")
    with serving(folder) as served:
        status, said = served.ask("POST", "crawl/start")
        assert status == 409
        assert said["error"].startswith("the crawl did not start: ") and "gone" in said["error"]
        assert "gone" in served.state()["failure"]


def test_a_crawl_that_ends_at_once_says_so(tmp_path: Path) -> None:
    folder = init_plain(tmp_path / "p", "--web", LONG)
    clew("crawl", folder, "--max-pages", 5, "--quiet")
    with serving(folder) as served:
        status, said = served.ask("POST", "crawl/start", {"max_pages": 5, "strategy": "breadth-first"})
        assert status == 200
        assert said["done"] in {
            "the crawl runs", "the crawl ended at once: not running: the budget of pages is spent",
        }  # fmt: skip
        assert until(lambda: (now := served.state())["state"] == "stopped" and now)["figures"]["fetched"] == 5
        assert served.state()["figures"]["strategy"] == "breadth-first"


# -- clew crawl --serve ------------------------------------------------------------------------------------


@contextmanager
def crawling(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "clew.cli", "crawl", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def line_with(stream: Any, words: str) -> str:
    return next(line for line in iter(stream.readline, "") if words in line)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S).close()
    except OSError:
        return False
    return True


def test_a_crawl_brings_its_dashboard_and_takes_it_away(project: Path) -> None:
    with crawling(project, "--quiet", "--serve", "--port", 0) as process:
        address = line_with(process.stderr, "dashboard: ").strip()
        with closing(http.client.HTTPConnection("127.0.0.1", port_of(address), timeout=PATIENCE_S)) as line:
            line.request("GET", address.partition(str(port_of(address)))[2])
            assert line.getresponse().status == 200
        until(lambda: Running.find(ProjectFolder(project)))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert f"look again: clew serve {project}" in out
    assert not answers(port_of(address))


def test_the_dashboard_ends_with_a_crawl_that_is_killed(project: Path) -> None:
    with crawling(project, "--quiet", "--serve", "--port", 0) as process:
        port = port_of(line_with(process.stderr, "dashboard: "))
        process.kill()
        until(lambda: not answers(port))


def test_a_dashboard_that_fails_stops_no_crawl(tmp_path: Path) -> None:
    folder = init_plain(tmp_path / "p", "--web", "sim:pages=6000,seed=3")
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with crawling(folder, "--quiet", "--max-pages", 2000, "--serve", "--port", port) as process:
            said = line_with(process.stderr, "dashboard ")
            assert said.startswith("clew: the dashboard did not start: ") and str(port) in said
            assert said.endswith("; the crawl goes on\n")
            out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0 and "fetched 2000" in out


def test_a_port_is_for_a_dashboard(tmp_path: Path) -> None:
    folder = init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3")
    assert "--serve" in clew("crawl", folder, "--port", 0, code=2).stderr
