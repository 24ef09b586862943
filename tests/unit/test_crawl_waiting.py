"""The best waiting links of a crawl that does not run: those that a frontier made of all links gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.crawl.sessions import rebuild
from clew.crawl.tiers import opened_rows, row_tiers
from clew.crawl.waiting import stored_best, waiting_link
from clew.frontier.base import Lease
from clew.frontier.columns import ColumnFrontier
from clew.frontier.slots import Duplicates
from clew.model import Outcome
from clew.project.explaining import Explainer
from clew.project.project import Project
from clew.project.steering import drop
from clew.project.waiting import waiting_links
from clew.store.base import Store
from clew.strategies.base import Strategy
from clew.strategies.registry import make
from support import clew, init_plain

RULES: list[Duplicates] = ["best", "first", "mean"]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = init_plain(tmp_path_factory.mktemp("waiting") / "p", "--web", "sim:pages=2000,seed=3")
    clew("crawl", project, "--max-pages", 150, "--quiet")
    return Project(project)


def whole(store: Store, strategy: Strategy, rule: Duplicates, n: int) -> list[Lease]:
    """What a frontier says that holds every link."""
    frontier = ColumnFrontier(strategy.combination or rule)
    rebuild(frontier, store, row_tiers(store, strategy, opened_rows(store, strategy)))
    return frontier.best(n)


def told(leases: list[Lease]) -> list[tuple[int, int, int, float, int]]:
    return [(one.key, one.row, one.index, one.score, one.tier) for one in leases]


@pytest.mark.parametrize("rule", RULES)
def test_they_are_those_of_a_frontier_of_all_links(crawled: Project, rule: Duplicates) -> None:
    store, strategy = crawled.open_store(read_only=True), make("best-first", {})
    every = whole(store, strategy, rule, 10_000)
    assert len(every) > 300
    assert told(stored_best(store, strategy, rule, 10_000)) == told(every)
    assert told(stored_best(store, strategy, rule, 7)) == told(every[:7])
    store.close()


def test_the_best_by_single_links_are_compared_where_many_wait(
    crawled: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rule "best" that leaves nothing out, however little is looked at together."""
    store, strategy = crawled.open_store(read_only=True), make("best-first", {})
    every = whole(store, strategy, "best", 10_000)
    monkeypatch.setattr("clew.crawl.waiting.BULK", 50)
    found = stored_best(store, strategy, "best", 10_000, candidates=40)
    assert len(found) == 40
    assert [one.score for one in found] == [one.score for one in every[:40]]
    higher = [one.key for one in every if one.score > every[39].score]
    assert [one.key for one in found if one.score > every[39].score] == higher
    store.close()


def test_higher_tiers_come_first_in_the_order_of_first_sight(crawled: Project) -> None:
    """Opened pages of the apprentice-like kind: once a link of a page was taken, its others come next."""
    store, strategy = crawled.open_store(read_only=True), make("best-first", {})
    strategy.opened_tier = 1
    every = whole(store, strategy, "best", 10_000)
    assert {one.tier for one in every} >= {1}
    assert told(stored_best(store, strategy, "best", 10_000)) == told(every)
    some = stored_best(store, strategy, "best", 10_000, candidates=5)
    assert told(some[:5]) == told(every[:5])
    assert [one.tier for one in some[:5]] == [1] * 5
    store.close()


def test_a_strategy_that_adds_up_all_links_makes_the_scores(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    clew("init", folder, "--web", "sim:pages=2000,seed=3")
    clew("crawl", folder, "--max-pages", 60, "--quiet")
    project = Project(folder)
    store = project.open_store(read_only=True)
    strategy = Explainer(project, store).strategy
    assert strategy.combination is not None
    every = whole(store, strategy, "best", 10_000)
    assert told(stored_best(store, strategy, "best", 10_000)) == told(every)
    links = waiting_links(project, store, strategy, 3)
    assert [one.score for one in links] == [one.score for one in every[:3]]
    assert all(one.words and one.words[0].startswith("clew: ") for one in links)
    store.close()


def test_a_link_in_words(crawled: Project) -> None:
    store, strategy = crawled.open_store(read_only=True), make("best-first", {})
    [lease] = stored_best(store, strategy, "best", 1)
    link = waiting_link(store, strategy, lease)
    batch = store.links.batch(lease.row)
    assert link.url == batch.links.urls[lease.index]
    assert f"http://{link.host}/" in f"{link.url}/"
    source = store.visits.get(link.source_visit)
    assert source is not None
    assert (source.url, source.title, source.number) == (link.source, link.source_title, max(lease.row, 0))
    assert (link.anchor, link.score, link.tier) == (batch.anchor_text(lease.index), lease.score, 0)
    assert link.words == strategy.explain(batch, lease.index)
    store.close()


def test_what_was_dropped_blocked_or_visited_does_not_wait(tmp_path: Path) -> None:
    folder = init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3")
    clew("crawl", folder, "--max-pages", 30, "--quiet")
    project, strategy = Project(folder), make("best-first", {})
    store = project.open_store(read_only=True)
    best = waiting_links(project, store, strategy, 50)
    visited = {row.url for row in store.visits.rows()}
    assert len(best) == 50
    assert not visited & {one.url for one in best}
    store.close()
    drop(project, best[0].url)
    gone = best[1].host
    (folder / "never.txt").write_text(f"{gone}\n", encoding="utf-8")
    project = Project(folder)
    store = project.open_store(read_only=True)
    later = waiting_links(project, store, strategy, 50)
    assert best[0].url not in [one.url for one in later]
    assert gone not in {one.host for one in later}
    kept = [one.url for one in best[1:] if one.host != gone]
    assert [one.url for one in later][: len(kept)] == kept
    refused = [row for row in store.links.refusals() if row.outcome is Outcome.REFUSED]
    assert [row.url for row in refused if row.reason == "dropped by a user"] == [best[0].url]
    store.close()


def test_before_anything_is_found_nothing_waits(tmp_path: Path) -> None:
    project = Project(init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3"))
    store = project.open_store()
    assert stored_best(store, make("best-first", {}), "best", 5) == []
    store.close()
