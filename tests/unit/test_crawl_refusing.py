"""What a crawl does not fetch: a host's budget, and the list of what was refused."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from traps_web import MadeUp, broken, crawl_of, stored

from clew.model import Response
from clew.store.sqlite.migrations import FIRST, RUNS, migrate
from support import clew

SEEDS = ["http://a.test/", "http://b.test/"]


def host(url: str) -> str:
    return url.split("/")[2]


def answers(url: str) -> str | Response | None:
    """Two hosts of many pages; every third page of b breaks, every third of a is missing."""
    name, _, path = url.partition("//")[2].partition("/")
    number = int(path or 0)
    if number % 3 == 2:
        return broken(url) if name == "b.test" else None
    links = "".join(f"<a href='/{number + step}'>page {number + step}</a> " for step in range(1, 12))
    return f"<html lang=en><title>{name} {number}</title><p>sailing page {number} of {name} {links}"


def budget(pages: int) -> dict[str, dict[str, int]]:
    return {"crawl": {"host_budget": pages, "commit_pages": 7}}


def test_a_host_gets_no_more_requests_than_its_budget_failures_included() -> None:
    free, bound = MadeUp(answers), MadeUp(answers)
    crawl_of(free, SEEDS).run_sync(60)
    assert max(Counter(map(host, free.asked)).values()) > 12
    crawl_of(bound, SEEDS, settings=budget(12)).run_sync(60)
    assert Counter(map(host, bound.asked)) == {"a.test": 12, "b.test": 12}
    assert max(Counter(bound.asked).values()) > 1, "tries that are repeated count"


def test_a_larger_budget_takes_its_refusals_back(tmp_path: Path) -> None:
    world = MadeUp(answers)
    crawl_of(world, SEEDS, folder=tmp_path, settings=budget(5)).run_sync(100)
    assert len(world.asked) == 10
    refused = {one.url for one in stored(tmp_path).links.refusals()}
    assert len(refused) > 4
    crawl_of(world, SEEDS, folder=tmp_path, settings=budget(40)).run_sync(80)
    assert refused <= set(world.asked)


def test_a_budget_counts_the_same_after_a_stop(tmp_path: Path) -> None:
    whole, parts = MadeUp(answers), MadeUp(answers)
    crawl_of(whole, SEEDS, folder=tmp_path / "whole", settings=budget(25)).run_sync(100)
    for pages in (1, 11, 12, 30, 49, 100):
        crawl_of(parts, SEEDS, folder=tmp_path / "parts", settings=budget(25)).run_sync(pages)
    assert whole.asked == parts.asked
    assert Counter(map(host, whole.asked)) == {"a.test": 25, "b.test": 25}


def test_what_was_refused_is_listed_by_reason_and_host(tmp_path: Path) -> None:
    project = tmp_path / "p"
    crawl_of(answers, SEEDS, folder=project, settings=budget(5)).run_sync(100)
    (project / "clew.toml").touch()
    found = json.loads(clew("status", project, "--refused", "--json").stdout)
    assert found["refused"] == sum(group["count"] for group in found["groups"]) > 3
    assert {group["reason"] for group in found["groups"]} == {
        "host budget: 5 requests were sent to it (crawl.host_budget)"
    }
    assert {group["host"] for group in found["groups"]} == {"a.test", "b.test"}
    for group in found["groups"]:
        assert 1 <= len(group["examples"]) <= 3
        assert {host(url) for url in group["examples"]} == {group["host"]}
    words = clew("status", project, "--refused").stdout
    assert words.startswith(f"{found['refused']} links were refused\n")
    assert found["groups"][0]["reason"] in words and found["groups"][1]["examples"][0] in words


def test_nothing_refused_is_said(tmp_path: Path) -> None:
    project = tmp_path / "p"
    crawl_of(answers, SEEDS, folder=project).run_sync(5)
    (project / "clew.toml").touch()
    assert clew("status", project, "--refused").stdout == "0 links were refused\n"


def test_a_database_of_before_counts_its_visits(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, str(path), (FIRST, RUNS))
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(visits)")]
        for number, host_id, attempt in ((1, 0, 0), (2, 0, 2), (3, 1, 0)):
            values = dict.fromkeys(columns, 0) | {"number": number, "key": number, "host": host_id, "attempt": attempt}
            connection.execute(f"INSERT INTO visits VALUES ({', '.join('?' * len(columns))})", list(values.values()))
        migrate(connection, str(path))
        assert connection.execute("SELECT * FROM spent ORDER BY host").fetchall() == [(0, 4), (1, 1)]
