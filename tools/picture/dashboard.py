"""Pictures of every page of the dashboard: wide, narrow and dark, of a demo crawl that runs meanwhile.

python tools/picture/dashboard.py FOLDER [--readme]

With --readme the best three go to docs/images/, in 256 colours. README.md beside this file says what it needs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from clew.project.folder import ProjectFolder
from clew.project.running import Running

IMAGES = Path(__file__).parents[2] / "docs" / "images"
COLOURS = 256
WAIT_MS = 120_000
CLEW = (sys.executable, "-m", "clew.cli")
WEB = "sim:pages=20000,seed=1,language=english"
PAGES = 400
"""Pages that are fetched before the pictures are taken; more come meanwhile."""

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-quic", "--hide-scrollbars"]  # fmt: skip

Scheme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Look:
    """How pages are looked at: ``name`` ends the names of the pictures, ``width`` and ``height`` are pixels."""

    name: str
    width: int
    height: int
    scheme: Scheme


LOOKS = (
    Look("wide", 1280, 900, "light"),
    Look("dark", 1280, 900, "dark"),
    Look("narrow", 400, 800, "light"),
    Look("narrow-dark", 400, 800, "dark"),
)

SHOWN = {
    "crawl": "crawl",
    "collection": "collection",
    "search": "collection?q={topic}",
    "page": "collection/{best}",
    "uncertain": "collection/uncertain",
    "labels": "collection/labels",
    "topics": "topics",
    "frontier": "frontier",
    "compare": "compare",
    "report": "report",
}
"""Pages by the names of their pictures."""

README = ("crawl", "page", "topics")

THERE = """() => document.querySelector("main h1") && / – Clew$/.test(document.title)
  && !document.querySelector("main [aria-busy=true]")
  && !/Loading …|Looking |Asking the judge|adding pages|Writing the report/.test(document.body.textContent)"""


def main() -> None:
    """Make the pictures. Exits with a message where there is no Chromium."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--readme", action="store_true")
    given = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no chromium on the path: install it (Debian: apt-get install chromium)")
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        project = Path(folder) / "demo"
        make(project)
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        with crawling(project), served(project) as address:
            for look in LOOKS:
                photograph(chromium, address, look, given.folder)
        chromium.close()
    if given.readme:
        for name in README:
            reduce(given.folder / f"{name}-wide.png", IMAGES / f"dashboard-{name}.png")


def make(project: Path) -> None:
    """A project on a made-up web of English pages, crawled a while, with a few labels."""
    run("init", project, "--web", WEB)
    run("crawl", project, "--max-pages", PAGES, "--quiet")
    with closing(ProjectFolder(project).open_store(read_only=True)) as store:
        urls = [row.url for row in store.visits.rows(relevant=True)][:40:10]
    for place, url in enumerate(urls):
        run("label", project, url, "irrelevant" if place == 1 else "relevant")


def run(*arguments: object) -> None:
    """A command of clew, which must succeed."""
    subprocess.run([*CLEW, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def crawling(project: Path) -> Iterator[None]:
    """A crawl that goes on, and is paused once it listens: every picture shows the same figures."""
    with subprocess.Popen([*CLEW, "crawl", str(project), "--quiet"], stdout=subprocess.DEVNULL) as process:
        try:
            while (running := Running.find(ProjectFolder(project))) is None:
                if process.poll() is not None:
                    sys.exit("the crawl has ended before a picture was taken")
            running.pause()
            yield
        finally:
            process.terminate()


@contextmanager
def served(project: Path) -> Iterator[str]:
    """The address of a dashboard of the project."""
    command = [*CLEW, "serve", str(project), "--port", "0", "--no-open"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def photograph(browser: Browser, address: str, look: Look, folder: Path) -> None:
    """All pages as one look shows them."""
    size = {"width": look.width, "height": look.height}
    context = browser.new_context(viewport=size, color_scheme=look.scheme)  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.on("console", lambda said: print(f"{look.name}: {said.text}", file=sys.stderr))
    page.goto(address)
    page.wait_for_function(THERE)
    values = asked(page)
    for name, place in SHOWN.items():
        page.evaluate("document.title = ''")
        page.goto(f"{address.partition('/?')[0]}/#/demo/{place.format(**values)}")
        page.reload()
        page.wait_for_function(THERE)
        page.wait_for_timeout(700)  # for what comes after the heading
        page.screenshot(path=folder / f"{name}-{look.name}.png", full_page=True)
        sideways = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if sideways > 0:
            print(f"{name}-{look.name}: scrolls sideways by {sideways} pixels", file=sys.stderr)
    context.close()


def asked(page: Page) -> dict[str, str]:
    """What addresses of pages need: a word to search for, and the number of the best page."""
    found = page.evaluate(
        "async () => [await (await fetch('/api/projects/demo')).json(),"
        " await (await fetch('/api/projects/demo/pages?limit=1')).json()]"
    )
    return {"topic": found[0]["topics"][0].rpartition("/")[2], "best": str(found[1]["pages"][0]["number"])}


def reduce(source: Path, target: Path) -> None:
    """The upper part of a picture in few colours, for a page that many load."""
    with Image.open(source) as picture:
        top = picture.crop((0, 0, picture.width, min(picture.height, 1_000)))
        top.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
