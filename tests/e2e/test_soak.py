"""A crawl of well-behaved hosts among hostile ones of every kind: it ends by its rule and loses no good page.

The hosts are those of the soak (benchmarks/soak.py), here each kind once and for as many fetches as a test may make.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.hostilehosts import HOSTILE
from benchmarks.hostileweb import KINDS, HostileWeb, running
from benchmarks.soak import free_port, make_project

from support import clew_json, exported

PAGES, GOOD = 120, 4


def crawled(web: HostileWeb, folder: Path, fetches: int) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What a crawl of a web tells, and its visits by URL, the port left out."""
    project = make_project(web, folder)
    settings = project / "clew.toml"
    text = settings.read_text(encoding="utf-8").replace("page_s = 3.0", "page_s = 0.7").replace("_s = 5.0", "_s = 0.3")
    settings.write_text(text.replace("delay_s = 0.02", "delay_s = 0.0"), encoding="utf-8")
    with running(web) as asked:
        options = ["--strategy", "breadth-first", "--max-pages", fetches, "--workers", "1", "--for", "60s", "--quiet"]
        result = clew_json("crawl", project, *options)
    rows = {row["url"].replace(f":{web.port}/", "/"): row for row in exported(project, "--all")}
    return result | {"asked": asked}, rows


def test_good_hosts_lose_nothing_to_hostile_ones(tmp_path: Path) -> None:
    clean = HostileWeb(PAGES, GOOD, 0, False, free_port())
    told, expected = crawled(clean, tmp_path / "clean", 10 * PAGES)
    pages = {url for url, row in expected.items() if row["status"] == 200}
    assert told["stopped_by"] == "frontier" and len(pages) > PAGES // 2

    hostile = HostileWeb(PAGES, GOOD, clean.sim.hosts + len(KINDS), True, free_port())
    told, found = crawled(hostile, tmp_path / "hostile", 400)
    assert told["stopped_by"] in ("max_pages", "frontier")
    assert {url for url, row in found.items() if row["status"] == 200} >= pages
    met = {name.partition(".")[0].rpartition("-")[0] for name, count in told["asked"].items() if count}
    assert met >= set(HOSTILE), "every kind of host was asked for something"
