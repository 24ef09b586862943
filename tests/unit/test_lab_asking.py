"""What runs of the lab know of back links and absent pages, and what that costs them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.errors import ConfigError, InputError
from clew.lab.asking import Asked, charged, counted
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.experiment import load as load_experiment
from clew.lab.explore import back_links, explore
from clew.lab.ledgers import with_ledgers
from clew.lab.paths import digging
from clew.lab.results import Run
from clew.lab.running import Plan, remembered, run_task
from clew.lab.simulating import task_of
from clew.lab.tasks import Task
from clew.lab.variants import full_settings, judge_variants, strategy_variants
from clew.strategies.registry import STRATEGIES
from clew.web.providers.base import ProviderError
from clew.web.providers.inverted import Inverted
from clew.web.simulated import parse_spec


def run(found: str, sources: str, budget: int) -> Run:
    n = len(found)
    flags = np.array([c == "1" for c in found], np.bool_)
    numbers = np.array([int(c) for c in sources], np.int32)
    values = np.linspace(0.5, 1, n, dtype=np.float32)
    urls = tuple(f"http://a.test/{place}" for place in range(1, n + 1))
    depth = np.arange(n, dtype=np.int32)
    return Run("t", "s", "j", 0, budget, 2, urls, flags, values, values, depth, depth, numbers, 1, 1, 0, 0, 0, "budget")


def test_charged_questions_are_fetches_that_brought_nothing() -> None:
    """Two questions before the first fetch, one after the third: ? ? 1 2 3 ? 4, of which a budget of 6 ends at ?."""
    paid = charged(run("0101", "0123", 6), np.array([0, 0, 3], np.int32))
    assert [url[-1:] for url in paid.urls] == ["", "", "1", "2", "3", ""]
    assert paid.found.tolist() == [False, False, False, True, False, False]
    assert paid.sources.tolist() == [0, 0, 0, 3, 4, 0]
    assert paid.depth.tolist() == [0, 0, 0, 1, 2, 0]
    assert (
        np.isnan(paid.judged).tolist() == np.isnan(paid.predicted).tolist() == [True, True, False, False, False, True]
    )
    assert (paid.asked, paid.fetched) == (3, 6)


def test_questions_beyond_the_budget_are_not_counted() -> None:
    assert charged(run("0101", "0123", 4), np.array([4, 4], np.int32)).asked == 0
    assert charged(run("0101", "0123", 5), np.array([4, 4], np.int32)).asked == 1


def test_questions_are_no_pages_of_paths() -> None:
    free = run("0101", "0123", 9)
    assert digging(charged(free, np.array([0, 2, 2], np.int32))) == digging(free)


def test_who_is_asked_counts_and_may_be_silent() -> None:
    links = Inverted.of(("http://a.test/1", "http://a.test/2"), [[1], []])
    with remembered() as store:
        asked = Asked(links, store)
        assert asyncio.run(asked.backlinks("http://a.test/2", 5)) == ["http://a.test/1"]
        assert asked.before == [0]
        silent = Asked(links, store, "none")
        with pytest.raises(ProviderError, match="no back links"):
            asyncio.run(silent.backlinks("http://a.test/2", 5))
    assert silent.before == []
    both = run("0101", "0123", 4)
    assert (counted(both, asked).asked, counted(both, asked).fetched, counted(both, silent).asked) == (1, 4, 0)
    assert counted(both, replace_how(asked, "charged")).found.tolist() == [False, False, True, False]


def replace_how(asked: Asked, how: str) -> Asked:
    return Asked(asked.provider, asked.store, how, asked.before)


@pytest.fixture(scope="module")
def made() -> Task:
    web = parse_spec("sim:pages=700,seed=5,layers=1,decoys=0.5,tunnels=0")
    topic = web.topics(1)[0]
    return task_of("made", web, topic, starts=3, distance=0, positive=3, negative=3, budget=40)


def test_a_strategy_has_back_links_as_its_variant_says(made: Task) -> None:
    """Context graphs of three examples ask at least about these; without answers there are no graphs from them."""
    names = ("context-graph", "context-graph(backlinks=charged)", "context-graph(backlinks=none)")
    plan = Plan(strategy_variants(", ".join(names)), judge_variants("naive-bayes"), 1)
    free, paid, silent = run_task(made, plan, Readers()).runs
    assert [each.strategy for each in (free, paid, silent)] == list(names)
    assert (free.backlinks, paid.backlinks, silent.backlinks) == ("free", "charged", "none")
    assert free.asked >= 3 and silent.asked == 0 and 0 < paid.asked <= free.asked
    assert sum(url == "" for url in paid.urls) == paid.asked and "" not in free.urls
    assert len(paid.urls) == len(free.urls) == made.budget
    assert set(paid.urls) - {""} <= set(free.urls)
    assert (free.starts, free.positive, free.negative, free.drawn) == (3, 3, 3, False)
    told = Plan(strategy_variants("context-graph"), judge_variants("naive-bayes"), 1, backlinks="none")
    (other,) = run_task(made, told, Readers()).runs
    assert (other.backlinks, other.asked, other.urls) == ("none", 0, silent.urls)


def test_answers_name_no_redirects(made: Task) -> None:
    """The parents of every page that can be reached are those of ``SimulatedWeb.linked`` that can be."""
    with remembered() as store:
        setup = bench(made, settings_of(made, "breadth-first", "naive-bayes", 1), store, Readers(), None)
        graph = asyncio.run(explore(made, setup))
    web = parse_spec(made.web)
    urls, rows = list(web.urls()), web.linked(*web.located(0, web.pages))
    expected: dict[str, set[str]] = {url: set() for url in urls}
    reached = set(graph.urls)
    for source, row in zip(urls, rows, strict=True):
        for target in row.tolist() if source in reached else ():
            expected[urls[target]] |= {source} - {urls[target]}
    links, moved = back_links(graph), {graph.urls[page] for page in graph.redirects}
    found = {url: set(asyncio.run(links.backlinks(url, 1000))) for url in graph.urls}
    assert {url: parents for url, parents in found.items() if url in expected} == {
        url: parents for url, parents in expected.items() if url in reached
    }
    assert moved and any(found[url] for url in moved)
    assert not moved & set().union(*found.values())


def test_back_links_are_no_setting_of_the_strategy() -> None:
    (one,) = strategy_variants("best-first(backlinks=none)")
    assert (one.backlinks, dict(one.settings), one.name) == ("none", {}, "best-first(backlinks=none)")
    assert json.loads(full_settings(one, STRATEGIES))["name"] == "best-first"
    with pytest.raises(ConfigError, match="'cheap' is none of free, charged, none"):
        strategy_variants("best-first(backlinks=cheap)")


def test_ledgers(made: Task) -> None:
    collected = replace(made, name="w", web="archive:w.warc.gz", closed=True)
    assert with_ledgers([collected, made], "task") == [collected, made]
    assert [(one.name, one.closed) for one in with_ledgers([collected, made], "both")] == [
        ("w", True), ("w-open", False), ("made", True),
    ]  # fmt: skip
    assert [one.closed for one in with_ledgers([collected], "open")] == [False]
    assert [one.closed for one in with_ledgers([replace(collected, closed=False)], "closed")] == [True]
    with pytest.raises(InputError, match="no ledger 'free'"):
        with_ledgers([made], "free")


STUDY = """
strategies = ["best-first"]
{line}
[[simulated]]
preset = "topical"
pages = 1000
level = 1
"""


def test_experiment_files_say_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY.format(line='backlinks = "charged"'))
    assert load_experiment(file).plan.backlinks == "charged"
    file.write_text(STUDY.format(line=""))
    assert load_experiment(file).plan.backlinks == "both"
    for line, said in (('backlinks = "cheap"', "'cheap' is none of"), ('ledger = "free"', "no ledger 'free'")):
        file.write_text(STUDY.format(line=line))
        with pytest.raises(ConfigError, match=f"study.toml: .*{said}"):
            load_experiment(file)
