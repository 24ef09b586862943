"""The dashboard on a project of N generated pages: first paint in Chromium, the API, searches, exports, and memory.

    python -m benchmarks.dashboard [--pages 1000000] [--words 100] [--project DIR] [--exports] [--json]

Bounds: a page is painted within 2 s, a search takes 300 ms, nothing needs more than 500 MB. Cold is the first time
after the server started, warm the median of three more. Wall times count for the bounds; CPU times are the server's
own. A page is painted when its figures or lists are there. ``--project`` keeps the project, or takes one that is
there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.bigproject import make
from benchmarks.dashboard_served import NotReadyError, Served, serve
from benchmarks.measure import run, show
from benchmarks.search import Words, page_url, size
from clew.project.folder import DATABASE

PAINT_S, SEARCH_MS, MEMORY_MB = 2.0, 300.0, 500.0
WARM = 3
WAIT_S = 120.0
"""After so long a page counts as not painted."""

PAGES = {
    "crawl": ("crawl", ".facts dd"),
    "collection": ("collection", "li.found"),
    "a page's detail": ("collection/{number}", "main h1"),
    "topics": ("topics", "main li"),
    "frontier": ("frontier", "tbody tr"),
    "report": ("report", "main iframe"),
}
"""Pages of the dashboard: where they are, and what is there when they are painted."""

PAINTED = "(what) => document.querySelector(what) && !document.querySelector('[aria-busy=true]') && performance.now()"

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip
FORMS = ("jsonl", "csv", "parquet", "sqlite", "markdown")

COLUMNS = {
    "what": ("what", ""), "cold_s": ("cold, s", ".2f"), "cold_cpu_s": ("CPU s", ".2f"), "warm_s": ("warm, s", ".2f"),
    "warm_cpu_s": ("CPU s", ".2f"), "peak_mb": ("peak MB", ",.0f"), "missed": ("missed", ""),
}  # fmt: skip
EXPORTED = {
    "what": ("form", ""), "seconds": ("s", ",.0f"), "cpu_s": ("CPU s", ",.0f"), "pages_s": ("pages/s", ",.0f"),
    "mb": ("MB", ",.0f"), "peak_mb": ("peak MB", ",.0f"), "missed": ("missed", ""),
}  # fmt: skip

Row = dict[str, Any]


def missed(row: Row, seconds: float = PAINT_S) -> str:
    """Which bounds a row does not keep."""
    late = [name for name in ("cold", "warm") if not row.get(f"{name}_s", 0.0) <= seconds]
    return " ".join([*late, *(["memory"] if row["peak_mb"] > MEMORY_MB else [])])


def measured(served: Served, ask: Any) -> Row:
    """What the first call costs, and in the median the later ones; ``ask`` returns seconds."""
    wall, cpu = [], []
    for _ in range(1 + WARM):
        before = served.cpu_s
        wall.append(ask())
        cpu.append(served.cpu_s - before)
    found = {"cold_s": wall[0], "cold_cpu_s": cpu[0], "warm_s": statistics.median(wall[1:])}
    return {**found, "warm_cpu_s": statistics.median(cpu[1:]), "peak_mb": served.peak_mb}


def _timed(served: Served, path: str) -> float:
    began = time.perf_counter()
    served.get(path)
    return time.perf_counter() - began


# -- pages ------------------------------------------------------------------------------------------------


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium as it is installed, or None where there is none or no Playwright to drive it."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        yield None
        return
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield opened
        finally:
            opened.close()


def paint(tab: Any, url: str, selector: str) -> float:
    """Seconds from the start of the navigation until what ``selector`` names is there; NaN when it does not come."""
    tab.goto("about:blank")
    tab.goto(url, wait_until="commit")
    try:
        return float(tab.wait_for_function(PAINTED, arg=selector, timeout=WAIT_S * 1000).json_value()) / 1000
    except Exception as error:
        if type(error).__name__ != "TimeoutError":
            raise
        return float("nan")


def pages_part(project: Path, number: int) -> list[Row]:
    """A row a page, each on a server of its own."""
    found = list[Row]()
    with browser() as opened:
        if opened is None:
            print("no Chromium or no Playwright: pages are not measured", file=sys.stderr)
            return found
        for name, (path, selector) in PAGES.items():
            with serve(project) as served, opened.new_context() as context:
                tab = context.new_page()
                tab.goto(served.entrance)  # an image, with the token: the cookie is set, and nothing is read
                url = f"{served.base}/#/{served.name}/{path.format(number=number)}"
                row = measured(served, lambda tab=tab, url=url, selector=selector: paint(tab, url, selector))
                found.append({"what": name, **row, "missed": missed(row)})
    return found


# -- the API ----------------------------------------------------------------------------------------------


def routes(served: Served, number: int) -> list[str]:
    """The paths of all requests that only read, as the API describes itself, with parameters that fit."""
    about = served.get(f"/api/projects/{served.name}")
    given = {"name": served.name, "number": number, "q": "page", "query": "page", "url": page_url(number)}
    given["topic"] = about["topics"][about["wanted"][0]]
    found = []
    for path, methods in served.get("/api/openapi.json")["paths"].items():
        kinds = methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        if "application/json" not in kinds:
            continue  # streams, and pages that were archived
        needed = [one for one in methods["get"].get("parameters", ()) if one.get("required")]
        if unknown := [one["name"] for one in needed if one["name"] not in given]:
            print(f"not measured: {path}, which needs {', '.join(unknown)}", file=sys.stderr)
            continue
        asked = {one["name"]: given[one["name"]] for one in needed if one["in"] == "query"}
        found.append(path.format(**given) + (f"?{urlencode(asked)}" if asked else ""))
    return found


def api_part(project: Path, number: int) -> list[Row]:
    """A row a path, on one server: what the first one reads is there for the later ones."""
    found = []
    with serve(project) as served:
        paths = routes(served, number)
    with serve(project) as served:
        for path in paths:
            try:
                row = measured(served, lambda path=path: _timed(served, path))
            except NotReadyError as error:
                print(f"not measured: {error}", file=sys.stderr)
                continue
            found.append({"what": _short(path, served.name), **row, "missed": missed(row)})
    return found


def _short(path: str, name: str) -> str:
    return path.partition("?")[0].removeprefix(f"/api/projects/{name}") or "(overview)"


def search_part(project: Path, words: Words) -> list[Row]:
    """A row a query, from the rarest to the commonest words."""
    found = []
    with serve(project) as served:
        path = f"/api/projects/{served.name}/search?"
        for kind, text in words.queries().items():
            row = measured(served, lambda text=text: _timed(served, path + urlencode({"q": text})))
            found.append({"what": kind, **row, "missed": missed(row, SEARCH_MS / 1000)})
    return found


def exports_part(project: Path, out: Path, forms: Sequence[str] = FORMS) -> list[Row]:
    """Handing the relevant pages over: Markdown with their texts, as it does by default, the others without."""
    found = []
    for form in forms:
        command = [sys.executable, "-m", "clew.cli", "export", str(project), "--to", form, "--json"]
        target = out / f"export.{form}"
        cost = run([*command, "--out", str(target)], 7_200)
        count = _exported(cost.last_line)
        row = {"what": form, "seconds": cost.wall_s, "cpu_s": cost.cpu_s, "pages_s": count / cost.cpu_s,
               "mb": size(target), "peak_mb": cost.peak_mb}  # fmt: skip
        found.append({**row, "missed": missed(row)})
        _removed(target)
    return found


def _exported(line: str) -> int:
    return int(json.loads(line)["exported"])


def _removed(target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()


# -- all of it --------------------------------------------------------------------------------------------


def project_in(folder: Path, pages: int, words: int) -> float:
    """Make the project unless it is there; CPU seconds it took."""
    if (folder / DATABASE).is_file():
        return 0.0
    began = time.process_time()
    make(folder, pages, words)
    return time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=100)
    parser.add_argument("--project", type=Path)
    parser.add_argument("--exports", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.project or Path(name) / "project"
        spent = project_in(folder, given.pages, given.words)
        print(
            f"made in {spent:,.0f} s of CPU: crawl.db {size(folder / DATABASE):,.0f} MB, in all {size(folder):,.0f} MB"
        )
        number = given.pages - given.pages // 7
        parts = [
            ("First paint in Chromium", COLUMNS, pages_part(folder, number)),
            ("The API", COLUMNS, api_part(folder, number)),
            ("Searches", COLUMNS, search_part(folder, Words())),
        ]
        if given.exports:
            parts.append(("Exports of all relevant pages", EXPORTED, exports_part(folder, Path(name))))
        for title, columns, rows in parts:
            show(title, columns, rows, as_json=given.json)
    late = [f"{row['what']}: {row['missed']}" for _, _, rows in parts for row in rows if row["missed"]]
    print("missed: " + "; ".join(late) if late else f"all within {PAINT_S:g} s, {SEARCH_MS:g} ms, {MEMORY_MB:g} MB")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
