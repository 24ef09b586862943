"""What several tests need: pages from text, projects on disk, the command line as a user runs it."""

from __future__ import annotations

import gc
import io
import json
import logging
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.cli.main import execute
from clew.config import JUDGE, STRATEGY
from clew.model import Leaves, Links, Page, TermIds
from clew.testing import StubView, batch_of, html_page, text_page
from clew.testing.pages import READER, NoHistory

__all__ = [
    "READER", "SHARED", "NoHistory", "StubView", "batch_of", "clew", "clew_json", "clew_process", "exported",
    "html_page", "init_plain", "name_plain", "page_of_terms", "shared", "text_page", "uints", "write_project",
]  # fmt: skip

PATIENCE_S = 300.0
"""How long tests wait for what must come: so long that no busy machine makes one fail, since speed is not what they are
about."""

PLAIN = {"judge": "naive-bayes", "strategy": "best-first"}
"""Parts for tests that are about neither: they start sooner than the defaults, and learn nothing while they crawl."""

SHARED = Path(__file__).parents[1].parent / "shared"


def shared(name: str) -> Path:
    """A file of the shared folder; skips the test where it is missing."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"shared/{name} is not here")
    return path


def uints(*numbers: int) -> TermIds:
    """Term ids."""
    return np.array(numbers, np.uint32)


def page_of_terms(title: Sequence[int], body: Sequence[int]) -> Page:
    """A page of these terms in one leaf, without links."""
    none, starts = np.empty(0, np.int32), np.zeros(1, np.int32)
    keys_, spans = np.empty(0, np.uint64), np.empty((0, 3), np.int32)
    links = Links((), keys_, (), none, np.empty(0, np.bool_), (), uints(), starts, (), spans)
    leaves = Leaves(uints(*body), np.array([0, len(body)], np.int32))
    return Page("http://a.example/", "", "en", "utf-8", "text/html", "", uints(*title), leaves, links)


def write_project(
    folder: Path,
    seeds: Iterable[str],
    relevant: Mapping[str, str] | None = None,
    irrelevant: Mapping[str, str] | None = None,
    settings: str = "",
) -> Path:
    """A project with local example pages: file name -> HTML. Its parts are ``PLAIN`` where the settings name none."""
    folder.mkdir(parents=True)
    (folder / "seeds.txt").write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")
    for name, pages in (("relevant.txt", relevant or {}), ("irrelevant.txt", irrelevant or {})):
        for file, html in pages.items():
            (folder / file).write_text(html, encoding="utf-8")
        (folder / name).write_text("".join(f"{file}\n" for file in pages), encoding="utf-8")
    named = tomllib.loads(settings)
    for table, name in PLAIN.items():
        if "name" not in named.get(table, {}):
            line = f'[{table}]\nname = "{name}"\n'
            head = f"[{table}]\n"
            settings = settings.replace(head, line, 1) if head in settings else f"{settings}\n{line}"
    (folder / "clew.toml").write_text(settings, encoding="utf-8")
    return folder


def init_plain(folder: Path, *options: object) -> Path:
    """``clew init``, and then the parts that ``PLAIN`` names in place of the defaults."""
    clew("init", folder, *options)
    return name_plain(folder)


def name_plain(folder: Path) -> Path:
    """Name in clew.toml the parts of ``PLAIN`` instead of the defaults."""
    toml = folder / "clew.toml"
    text = toml.read_text(encoding="utf-8")
    for default, name in ((JUDGE, PLAIN["judge"]), (STRATEGY, PLAIN["strategy"])):
        assert f'name = "{default}"\n' in text
        text = text.replace(f'name = "{default}"\n', f'name = "{name}"\n')
    toml.write_text(text, encoding="utf-8")
    return folder


def clew(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process, and check its exit code. Most of the time of a short command is that of
    starting Python; what must be a process of its own is run by ``clew_process``."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    log, stop, interrupt = logging.getLogger(), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    handlers, level, limits = list(log.handlers), log.level, gc.get_threshold()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            found = execute([*map(str, arguments)])
    finally:
        log.handlers[:], log.level = handlers, level
        gc.set_threshold(*limits)
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == (stop, interrupt)
    texts = [stream.detach().getvalue().decode().replace("\r\n", "\n") for stream in (out, err)]
    return _checked(subprocess.CompletedProcess([*map(str, arguments)], found, *texts), code)


def clew_process(*arguments: object, code: int = 0, timeout: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, as a user does, and check its exit code."""
    command = [sys.executable, "-m", "clew.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    return _checked(done, code)


def _checked(done: subprocess.CompletedProcess[str], code: int) -> subprocess.CompletedProcess[str]:
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done


def clew_json(*arguments: object) -> Any:
    """The JSON object that a command prints last."""
    return json.loads(clew(*arguments, "--json").stdout.splitlines()[-1])


def exported(project: Path, *options: str) -> list[dict[str, Any]]:
    """The lines of clew export."""
    return [json.loads(line) for line in clew("export", project, "--to", "jsonl", *options).stdout.splitlines()]
