"""Projects for the dashboard's tests, and the server of ``clew serve`` as a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
from browsing import only_one, origin_of

from clew.cli.demo import _make_project
from clew.project.folder import ProjectFolder
from clew.project.running import Running
from clew.web.simulated import demo_web
from clew.web.simulated.server import DemoServer
from support import PATIENCE_S, clew, init_plain

WEB = "sim:pages=3000,seed=1,language=english"
PAGES = 150


@dataclass(frozen=True, slots=True)
class Served:
    """A dashboard that answers. ``url``: as it was printed, with the token; ``origin`` of it."""

    url: str
    process: subprocess.Popen[str]

    @property
    def origin(self) -> str:
        return origin_of(self.url)

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(self.url).query)["token"][0]

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port


@contextmanager
def serve(*projects: Path, options: tuple[str, ...] = ("--no-open",)) -> Iterator[Served]:
    """``clew serve`` at any free port, until it is no longer needed."""
    command = [sys.executable, "-m", "clew.cli", "serve", *map(str, projects), "--port", "0", *options]
    environment = {name: value for name, value in os.environ.items() if name != "CLEW_TOKEN"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            said = process.stdout.readline()
            assert said.startswith("dashboard: http://127.0.0.1:"), said
            yield Served(said.split()[1], process)
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that the first test worker makes and all use."""
    with only_one(f"clew-tests-{folder.parent.name}-{folder.name}"):
        if not folder.exists():
            part = folder.parent / "unfinished" / folder.name  # a project is named after its folder
            part.parent.mkdir(exist_ok=True)
            make(part)
            part.rename(folder)
    return folder


def make_english(folder: Path) -> None:
    """A crawled project on a simulated web of English pages."""
    init_plain(folder, "--web", WEB)
    clew("crawl", folder, "--max-pages", PAGES)


def copied(project: Path, folder: Path) -> Path:
    """A project of a test's own, to change."""
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("*.lock", "running.json"))
    return folder


@contextmanager
def live_project(folder: Path) -> Iterator[Path]:
    """A project on a web that is served here, and is not through before a test is; its crawl is stopped at the end."""
    with DemoServer(demo_web(1).web) as server:
        _make_project(demo_web(1, server.port), server, folder, "best-first")
        settings = folder / "clew.toml"
        settings.write_text(settings.read_text(encoding="utf-8").replace("delay_s = 0.02", "delay_s = 0.4"), "utf-8")
        yield folder
        running = Running.find(ProjectFolder(folder))
        if running is not None:
            running.stop()
            until(lambda: not psutil.pid_exists(running.pid))


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)
