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

PAGES, GOOD = 40, 4
BUDGET = 14
"""Requests that each host gets: enough for all pages of a good one, and what ends the crawl."""


def crawled(web: HostileWeb, folder: Path) -> tuple[dict[str, Any], set[str]]:
    """What a crawl of a web tells, and the pages it got, the port left out."""
    project = make_project(web, folder, f"host_budget = {BUDGET}")
    settings = project / "clew.toml"
    text = settings.read_text(encoding="utf-8").replace("page_s = 3.0", "page_s = 0.5").replace("_s = 5.0", "_s = 0.2")
    text = text.replace("[politeness]\ndelay_s = 0.02", "[politeness]\ndelay_s = 0.0\nprobes = 0\nlongest_rest_s = 0.5")
    settings.write_text(text, encoding="utf-8")
    with running(web) as asked:
        result = clew_json("crawl", project, "--strategy", "breadth-first", "--workers", "1", "--quiet")
    pages = {row["url"] for row in exported(project, "--all") if row["status"] == 200}
    return result | {"asked": asked}, {url.replace(f":{web.port}/", "/") for url in pages}


def test_good_hosts_lose_nothing_to_hostile_ones(tmp_path: Path) -> None:
    clean = HostileWeb(PAGES, GOOD, 0, False, free_port())
    told, pages = crawled(clean, tmp_path / "clean")
    assert told["stopped_by"] == "frontier" and len(pages) > PAGES // 2

    hostile = HostileWeb(PAGES, GOOD, clean.sim.hosts + len(KINDS), True, free_port())
    told, found = crawled(hostile, tmp_path / "hostile")
    assert told["stopped_by"] == "frontier"
    assert found >= pages
    met = {name.partition(".")[0].rpartition("-")[0] for name, count in told["asked"].items() if count}
    assert met >= set(HOSTILE), "every kind of host was asked for something"
