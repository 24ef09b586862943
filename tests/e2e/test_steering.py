"""A crawl in a process of its own, watched and steered by others over its socket."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from clew.crawl.standing import Snapshot
from clew.errors import ClewError, InputError, ProjectError
from clew.project.channel import CLIENTS, LINE, RUNNING, read_record
from clew.project.project import Project
from clew.project.running import Running
from clew.project.steering import block, drop, push, unblock
from clew.store.records import VisitRow
from support import PATIENCE_S, clew, clew_process, init_plain, write_project

ONE, OTHER, HANGING = "127.0.9.1", "127.0.9.2", "127.0.9.3"


def until(true: Callable[[], object], what: str) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.01)


class Server:
    """Pages without end, each with links to the next of its host and to one of another; HANGING answers when told."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.go = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                host = str(self.connection.getsockname()[0])
                outer.asked.append(f"{host}{self.path}")
                if host == HANGING and self.path != "/robots.txt":
                    outer.go.wait(PATIENCE_S)
                number = int("".join(filter(str.isdigit, self.path)) or 0)
                body = (
                    f"<title>sailing {number}</title><p>sailing boats {number}</p>{outer.links(host, number)}".encode()
                )
                status = "404 Not Found" if self.path == "/robots.txt" else "200 OK"
                head = f"HTTP/1.0 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
                with suppress(ConnectionError):
                    self.wfile.write(head.encode() + body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("0.0.0.0", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def links(self, host: str, number: int) -> str:
        own = f'<a href="/{2 * number + 1}">a</a> <a href="/{2 * number + 2}">b</a>'
        return own if host != ONE else f'{own} <a href="{self.url(OTHER, f"/{number}")}">other</a>'

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.go.set()
    found.server.shutdown()
    found.server.server_close()


class Crawl:
    """``clew crawl`` in a process of its own."""

    def __init__(self, project: Path, *options: str) -> None:
        self.project = Project(project)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "clew.cli", "crawl", str(project), "--quiet", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def running(self) -> Running:
        found: list[Running] = []

        def look() -> bool:
            assert self.process.poll() is None, self.process.communicate()
            one = Running.find(self.project, PATIENCE_S)
            found.extend([one] if one is not None else [])
            return one is not None

        until(look, "nobody listens")
        return found[0]

    def ends(self, code: int = 0) -> str:
        out, err = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == code, err
        return out

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def start() -> Iterator[Callable[..., Crawl]]:
    crawls: list[Crawl] = []

    def begin(project: Path, *options: str) -> Crawl:
        crawls.append(Crawl(project, *options))
        return crawls[-1]

    yield begin
    for crawl in crawls:
        if crawl.process.poll() is None:
            crawl.kill()


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    return init_plain(tmp_path / "p", "--web", "sim:pages=5000,seed=3")


def live(tmp_path: Path, seeds: list[str], workers: int = 0) -> Path:
    settings = (
        '[judge]\nname = "keywords"\n[interest.keywords]\nsailing = 1.0\n[strategy]\nname = "breadth-first"\n'
        f'[crawl]\ncontact = "me@example.org"\nworkers = {workers}\n[politeness]\ndelay_s = 0.02\nadaptive = 0.0\n'
        "max_delay_s = 0.1\n[web.live]\nallow_private = true\n"
    )
    return write_project(tmp_path / "live", seeds, settings=settings)


def visits(project: Path) -> list[VisitRow]:
    store = Project(project).open_store(read_only=True)
    try:
        return list(store.visits.rows())
    finally:
        store.close()


def raw(running: Running, data: bytes = b"") -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(PATIENCE_S)
    line.connect(running.address)
    line.sendall(data)
    return line


def paused(running: Running) -> Snapshot:
    """Pause, and wait until nothing is under way."""
    running.pause()
    until(lambda: (now := running.snapshot()).requests + now.pages == 0, "it does not stand still")
    return running.snapshot()


# -- the simulated web ------------------------------------------------------------------------------------


def test_pause_steer_kill_and_go_on(simulated: Path, start: Callable[..., Crawl]) -> None:
    crawl = start(simulated)
    running = crawl.running()
    before = paused(running)
    assert before.paused
    assert running.snapshot().fetched == before.fetched
    best = [one.url for one in running.best(12)]
    running.push(best[-1])
    running.drop(best[0])
    with pytest.raises(InputError, match="not a URL"):
        running.push("nowhere")
    host = running.hosts("waiting", 50).hosts[-1].name
    running.block(host)
    assert len(visits(simulated)) == before.visits
    crawl.kill()
    with pytest.raises(ProjectError, match="has ended"):
        running.snapshot()
    assert (simulated / RUNNING).exists()
    assert Running.find(crawl.project) is None
    clew("crawl", simulated, "--max-pages", before.fetched + 60, "--quiet")
    assert not (simulated / RUNNING).exists()
    found = visits(simulated)
    later = found[before.visits :]
    assert later[0].url == best[-1]
    assert best[0] not in [row.url for row in found]
    assert host not in [row.host for row in later]
    shutil.rmtree(Path(running.address).parent, ignore_errors=True)  # what a killed crawl leaves behind


def test_commands_pause_resume_and_stop(simulated: Path, start: Callable[..., Crawl]) -> None:
    crawl = start(simulated)
    running = crawl.running()
    assert clew("pause", simulated).stdout.startswith("paused")
    assert running.snapshot().paused
    assert clew("resume", simulated).stdout == "it goes on\n"
    assert not running.snapshot().paused
    assert clew_process("stop", simulated).stdout.startswith("stopping")
    assert "you stopped it" in crawl.ends()
    assert not (simulated / RUNNING).exists()
    assert not Path(running.address).parent.exists()
    assert "no crawl of" in clew("resume", simulated, code=2).stderr


def test_two_watch_and_both_see_the_end(simulated: Path, start: Callable[..., Crawl]) -> None:
    crawl = start(simulated)
    running = crawl.running()
    one, other = running.watch(0.1), running.watch(0.1)
    first = [next(one), next(other)]
    assert all(isinstance(snapshot, Snapshot) for snapshot in first)
    while (now := next(one)).fetched == first[0].fetched:
        pass
    assert now.fetched > first[0].fetched
    running.stop()
    for watcher in (one, other):
        for _ in watcher:
            pass
    crawl.ends()


def test_only_the_user_may_open_it(simulated: Path, start: Callable[..., Crawl]) -> None:
    crawl = start(simulated)
    running = crawl.running()
    assert stat.S_IMODE(Path(running.address).parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((simulated / RUNNING).stat().st_mode) == 0o600
    assert running.pid == crawl.process.pid
    folder = Path(running.address).parent
    folder.chmod(0o755)
    assert Running.find(crawl.project) is None, "a folder that others may enter is not trusted"
    folder.chmod(0o700)
    running.stop()
    crawl.ends()


def test_hostile_clients_hold_nothing_up(simulated: Path, start: Callable[..., Crawl]) -> None:
    crawl = start(simulated)
    running = crawl.running()
    begun = running.snapshot().fetched
    lines = [raw(running), raw(running, b'{"ask": "snap')]
    wrong = (
        b"\n", b"no json\n", b"[1]\n", b'{"ask": 1}\n', b'{"ask": "__init__"}\n', b'{"ask": "loop"}\n',
        b'{"ask": "best", "n": "20"}\n', b'{"ask": "best", "n": true}\n', b'{"ask": "best", "m": 1}\n',
        b'{"ask": "push"}\n', b'{"ask": "push", "url": 1}\n', b'{"ask": "watch", "every_s": "x"}\n',
        b'{"ask": "block", "entry": "a\\nb"}\n', b"[" * 60_000 + b"\n", b'{"ask":"push","url":"\\ud800"}\n',
    )  # fmt: skip
    with raw(running, b"".join(wrong)) as line, line.makefile("rb") as answers:
        for question in wrong:
            answer = json.loads(answers.readline())
            assert answer["kind"] == "input", (question[:60], answer)
    with raw(running) as line:
        with suppress(OSError):
            line.sendall(b"x" * 10_000_000)
        with suppress(OSError):
            assert f"{LINE:,}" in line.recv(1_000).decode()
    lazy = raw(running, b'{"ask": "watch", "every_s": 0}\n')  # never reads
    asking = raw(running, b'{"ask": "best", "n": 1000}\n' * 1_000)  # never reads either
    until(lambda: running.snapshot().fetched > begun + 20, "the crawl stands still")
    lines += [lazy, asking, *(raw(running) for _ in range(CLIENTS - 4))]
    with pytest.raises(ClewError, match=r"try again later|has ended"):
        while True:
            lines.append(raw(running))
            running.snapshot()
    for line in lines:
        line.close()
    until(lambda: _answers(running), "places are not given back")
    running.stop()
    crawl.ends()


def _answers(running: Running) -> bool:
    try:
        running.snapshot()
    except ClewError:
        return False
    return True


def test_a_record_that_was_left_behind_is_no_crawl(simulated: Path, tmp_path: Path) -> None:
    project = Project(simulated)
    folder = tmp_path / "dead"
    folder.mkdir(mode=0o700)
    for text in ("", "{", "[]", '{"pid": 1}', json.dumps({"pid": os.getpid(), "socket": str(folder / "crawl")})):
        (simulated / RUNNING).write_text(text, encoding="utf-8")
        assert Running.find(project) is None
    clew("crawl", simulated, "--max-pages", 5, "--quiet")
    assert read_record(simulated) is None


# -- without a crawl --------------------------------------------------------------------------------------


def test_files_tell_the_next_run(simulated: Path) -> None:
    project = Project(simulated)
    with pytest.raises(ProjectError, match="nothing was crawled"):
        drop(project, "http://h1.sim.test/")
    clew("crawl", simulated, "--max-pages", 20, "--quiet")
    store = project.open_store(read_only=True)
    done = {row.url for row in store.visits.rows()}
    waiting = [url for _, batch in store.links.batches() for url in batch.links.urls if url not in done]
    store.close()
    dropped, pushed, again = waiting[0], "http://h2.sim.test/nowhere.html", waiting[1]
    assert "will not be fetched" in drop(project, dropped)
    assert "a seed of the next run" in push(project, pushed)
    drop(project, again)
    assert "a seed of the next run" in push(project, again)
    with pytest.raises(InputError, match="visited already"):
        push(project, next(iter(done)))
    with pytest.raises(InputError, match="set aside already"):
        drop(project, dropped)
    with pytest.raises(InputError, match="no link to"):
        drop(project, "http://h1.sim.test/not/there")
    assert "never fetched" in block(project, "h5.sim.test")
    assert "already" in block(project, "h5.sim.test")
    with pytest.raises(InputError, match="out of scope"):
        push(Project(simulated), "http://h5.sim.test/")
    assert "may be fetched" in unblock(project, "h5.sim.test")
    with pytest.raises(InputError, match="is not on"):
        unblock(project, "h5.sim.test")
    clew("crawl", simulated, "--max-pages", 60, "--quiet")
    found = [row.url for row in visits(simulated)]
    assert pushed in found
    assert again in found
    assert dropped not in found


# -- a served site ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 1])
def test_a_live_crawl_is_paused_and_steered(
    tmp_path: Path, server: Server, start: Callable[..., Crawl], workers: int
) -> None:
    project = live(tmp_path, [server.url(ONE)], workers)
    crawl = start(project)
    running = crawl.running()
    until(lambda: any(one.startswith(OTHER) for one in server.asked), "the other host is not reached")
    before = paused(running)
    asked = len(server.asked)
    assert len(visits(project)) == before.visits
    for now, _ in zip(running.watch(0.1), range(4), strict=False):
        assert (now.fetched, now.waits_for) == (before.fetched, "a user paused it")
    assert len(server.asked) == asked
    assert f"{OTHER}:{server.port}" in {one.name for one in running.hosts("waiting", 9).hosts}
    running.block(OTHER)
    running.push(server.url(ONE, "/pushed/9999"))
    running.resume()
    until(lambda: f"{ONE}/pushed/9999" in server.asked, "what was pushed is not fetched")
    until(lambda: len(server.asked) > asked + 10, "it does not go on")
    assert server.asked[asked] == f"{ONE}/pushed/9999"
    assert not [one for one in server.asked[asked:] if one.startswith(OTHER)]
    assert running.snapshot().recent_pages_per_s > 0
    running.stop()
    crawl.ends()


def test_a_second_stop_gives_up_what_is_under_way(tmp_path: Path, server: Server, start: Callable[..., Crawl]) -> None:
    crawl = start(live(tmp_path, [server.url(HANGING)]))
    running = crawl.running()
    until(lambda: f"{HANGING}/" in server.asked, "nothing is asked")
    assert "1 request is finished first" in running.stop()
    assert running.snapshot().stops == 1
    assert crawl.process.poll() is None
    assert "1 request without an answer is given up" in running.stop()
    assert "you stopped it" in crawl.ends()
