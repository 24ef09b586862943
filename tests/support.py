"""What several tests need: pages from text, projects on disk, the command line as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.crawl.evidence import Evidence
from clew.model import LinkBatch, Outcome, Page, Response, Source
from clew.text.reader import Reader
from clew.urls.canonical import Canonicaliser, host, keys, url_words

SHARED = Path(__file__).parents[1].parent / "shared"
READER = Reader(Canonicaliser((), 2_000), keys, host, url_words)


def shared(name: str) -> Path:
    """A file of the shared folder; skips the test where it is missing."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"shared/{name} is not here")
    return path


def html_page(html: str, url: str = "http://a.test/") -> Page:
    """A page read from HTML."""
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return READER.read(Response(url, Outcome.OK, 200, headers, html.encode()))


def text_page(text: str, language: str = "en", title: str = "", url: str = "http://a.test/") -> Page:
    """A page of one paragraph."""
    return html_page(
        f"<html lang='{language}'><head><title>{title}</title></head><body><p>{text}</p></body></html>", url
    )


class NoHistory:
    """Hosts of which a crawl has seen nothing."""

    def host_ids(self, names: Sequence[str]) -> Any:
        return np.arange(len(names), dtype=np.uint32)

    def host_stats(self, ids: Any) -> Any:
        return np.zeros(len(ids), np.float32), np.zeros(len(ids), np.float32)


def batch_of(page: Page, relevance: float = 0.5, depth: int = 1, tunnel: int = 0, visit: int = 1) -> LinkBatch:
    """The links of a page as a strategy sees them."""
    source = Source(visit, page.url, host(page.url), relevance, np.array([relevance], np.float32), 0, depth, tunnel)
    return Evidence(NoHistory()).of_page(page, source)


def write_project(
    folder: Path,
    seeds: Iterable[str],
    relevant: Mapping[str, str] | None = None,
    irrelevant: Mapping[str, str] | None = None,
    settings: str = "",
) -> Path:
    """A project with local example pages: file name -> HTML."""
    folder.mkdir(parents=True)
    (folder / "seeds.txt").write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")
    for name, pages in (("relevant.txt", relevant or {}), ("irrelevant.txt", irrelevant or {})):
        for file, html in pages.items():
            (folder / file).write_text(html, encoding="utf-8")
        (folder / name).write_text("".join(f"{file}\n" for file in pages), encoding="utf-8")
    (folder / "clew.toml").write_text(settings, encoding="utf-8")
    return folder


def clew(*arguments: object, code: int = 0, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own and check its exit code."""
    command = [sys.executable, "-m", "clew.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done


def clew_json(*arguments: object, timeout: float = 120) -> Any:
    """The JSON object that a command prints last."""
    return json.loads(clew(*arguments, "--json", timeout=timeout).stdout.splitlines()[-1])


def exported(project: Path, *options: str) -> list[dict[str, Any]]:
    """The lines of clew export."""
    return [json.loads(line) for line in clew("export", project, "--to", "jsonl", *options).stdout.splitlines()]
