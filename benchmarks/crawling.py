"""Crawls in memory, for the benchmarks of what strategies gain: a setup, its run, and areas on task files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from clew.config import Section, Settings
from clew.crawl.assembling import setup_of
from clew.crawl.running import CrawlResult
from clew.crawl.setup import Setup
from clew.examples.examples import Examples
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.explore import back_links, explore
from clew.lab.measures import area_over_oracle
from clew.lab.oracle import greedy
from clew.lab.running import crawled, remembered
from clew.lab.tasks import Task
from clew.registry import PRESET
from clew.store.base import Store
from clew.strategies.base import Strategy
from clew.text.reader import Reader
from clew.web.registry import make as make_world

TELLING_LINKS = ",locality=0.4,context_informative=0.9,anchor_informative=0.9"
"""Parameters of simulated webs whose words around links tell where they lead."""


def finished(setup: Setup) -> CrawlResult:
    """Run a crawl to its end. Exits when the user stopped it."""
    result = crawled(setup)
    if result.stopped_by == "interrupted":
        raise SystemExit("interrupted; a crawl that was cut short counts for nothing")
    return result


def setup_in(
    settings: Settings,
    examples: Examples,
    seeds: Sequence[str],
    store: Store,
    *,
    strategy: Strategy | None = None,
    reader: Reader | None = None,
) -> Setup:
    """A crawl of the web that the settings name, remembered in ``store``."""
    web = settings.project.web
    world, clock = make_world(web, settings, now=store.journal.clock)
    return setup_of(
        settings, examples, seeds, world=world, clock=clock, store=store, web=web, strategy=strategy, reader=reader
    )


def typed(values: Mapping[str, Any], form: type[Section]) -> dict[str, Any]:
    """Settings of a strategy, some of them as text from the command line, with the types that ``form`` wants; a preset
    stays as it is."""
    single = {name: value for name, value in values.items() if name != PRESET}
    made = msgspec.convert(single, form, strict=False)
    return {name: getattr(made, name) if name in single else value for name, value in values.items()}


def told(rows: Iterable[dict[str, Any]], as_json: bool) -> list[dict[str, Any]]:
    """All rows; with ``as_json`` each is printed as soon as it is there."""
    found = []
    for row in rows:
        found.append(row)
        if as_json:
            print(json.dumps(row), flush=True)
    return found


def with_table(settings: Settings, table: Mapping[str, Any]) -> Settings:
    """The settings with this table for the strategy that they name."""
    if not table:
        return settings
    name = settings.strategy["name"]
    return msgspec.structs.replace(settings, strategy={"name": name, name: dict(table)})


def areas(
    task: Task, judges: Sequence[str], tables: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, dict[str, float]]]:
    """For each judge the area under the found-curve over the oracle's, by strategy. ``tables``: the settings of each
    strategy that is compared."""
    readers = Readers()
    with remembered() as store:
        settings = settings_of(task, "breadth-first", judges[0], 1)
        graph = asyncio.run(explore(task, bench(task, settings, store, readers, None)))
    links = back_links(graph)
    oracle = greedy(graph, task.budget)
    for judge in judges:
        found = {}
        for strategy, table in tables.items():
            settings = with_table(settings_of(task, strategy, judge, 1), table)
            with remembered() as store:
                finished(bench(task, settings, store, readers, links))
                hits = np.array([row.url in task.relevant for row in store.visits.rows()], np.bool_)
            found[strategy] = round(area_over_oracle(hits, oracle, task.budget), 4)
        yield judge, found
