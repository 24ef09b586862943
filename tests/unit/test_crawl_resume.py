"""Crawls in simulated webs: stopped and resumed they go on as if nothing had happened, whatever the strategy
learned meanwhile; and what they count adds up."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from clew import Project
from clew.crawl.sessions import rebuild
from clew.errors import InputError
from clew.frontier.columns import ColumnFrontier
from clew.model import Doubles, LinkBatch, Session, Visit
from clew.strategies.base import Strategy, View
from clew.strategies.registry import STRATEGIES
from support import exported, init_plain

SIM = "sim:pages=1500,seed=11"


class Moody(Strategy):
    """A strategy that learns from every visit and turns its mind after every session."""

    name = "moody"

    def __init__(self) -> None:
        self.seen, self.mood = 0.0, 1.0

    def begin(self, view: View) -> None:
        self.noise = view.rng("moody").random()

    def score(self, links: LinkBatch) -> Doubles:
        by_depth = links.depths * 0.01 * self.mood
        return np.where(links.file_level > 3, np.nan, links.source.relevance * self.mood + by_depth + self.noise)

    def learn(self, visit: Visit) -> None:
        self.seen = 0.9 * self.seen + visit.relevance + 0.01 * float(visit.link.batch.host_visits[visit.link.index])

    def adapt(self, session: Session) -> bool:
        self.mood = -self.mood if session.precision < 0.5 else 1.0 + self.seen
        return True

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        return ["moody"]

    def state(self) -> bytes:
        return struct.pack("dd", self.seen, self.mood)

    def restore(self, state: bytes) -> None:
        self.seen, self.mood = struct.unpack("dd", state)


class Stateless(Strategy):
    """A strategy that learns how relevant hosts are and says nothing of its state: it learns all again when resumed."""

    def begin(self, view: View) -> None:
        self.good: dict[str, float] = {}

    def score(self, links: LinkBatch) -> Doubles:
        rates = np.array([self.good.get(name, 0.5) for name in links.links.host_names])
        return rates[links.links.host_index] + 0.1 * links.source.relevance

    def learn(self, visit: Visit) -> None:
        self.good[visit.link.host] = 0.8 * self.good.get(visit.link.host, 0.5) + 0.2 * visit.relevance


@pytest.fixture(autouse=True)
def own_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES.added, "moody", Moody)
    monkeypatch.setitem(STRATEGIES.added, "stateless", Stateless)


def project(folder: Path, extra: str = "") -> Path:
    if not folder.exists():
        init_plain(folder, "--web", SIM)
        toml = folder / "clew.toml"
        settings = f"[crawl]\nsession_pages = 60\ncommit_pages = 7\n{extra}"
        toml.write_text(toml.read_text().replace("[crawl]", settings), encoding="utf-8")
    return folder


def visits(folder: Path) -> list[tuple[object, ...]]:
    store = Project(folder).open_store(read_only=True)
    rows = [(row.number, row.url, row.score, row.relevance, row.tunnel, row.depth) for row in store.visits.rows()]
    store.close()
    return rows


STOPS = {"moody": (1, 59, 60, 61, 130, 180), "apprentice": (61, 130, 300), "bingo": (60, 130, 300)}
"""After how many pages a crawl is stopped: before, at and after the end of a session; some learn later than others."""


@pytest.mark.parametrize("strategy", ["moody", "stateless", *STRATEGIES.builtin])
def test_many_stops_change_nothing(tmp_path: Path, strategy: str) -> None:
    whole, parts = project(tmp_path / "whole"), project(tmp_path / "parts")
    stops = STOPS.get(strategy, (59, 61, 125))
    result = Project(whole).crawl(strategy=strategy, max_pages=stops[-1])
    assert (result.fetched, result.stopped_by) == (
        stops[-1],
        "max_pages",
    )  # a SIGTERM from outside stops a crawl, not pytest
    if (whole / "models").is_dir():  # who links to whom, which takes long to find out
        shutil.copytree(whole / "models", parts / "models")
    for budget in stops:
        result = Project(parts).crawl(strategy=strategy, max_pages=budget)
        assert (result.fetched, result.stopped_by) == (budget, "max_pages")
    assert visits(whole) == visits(parts)


@pytest.mark.parametrize("strategy", ["moody", "clew"])
def test_stops_change_nothing_where_the_judge_learns(tmp_path: Path, strategy: str) -> None:
    """It does at visits 25, 50 and 100, and all pages then have other relevances."""
    whole, parts = project(tmp_path / "whole"), project(tmp_path / "parts")
    for folder in (whole, parts):
        toml = (folder / "clew.toml").read_text(encoding="utf-8")
        (folder / "clew.toml").write_text(toml.replace('"naive-bayes"', '"auto"'), encoding="utf-8")
    stops = (24, 25, 26, 57, 61, 110)
    for folder, budgets in ((whole, stops[-1:]), (parts, stops)):
        for budget in budgets:
            assert Project(folder).crawl(strategy=strategy, max_pages=budget).fetched == budget
    assert visits(whole) == visits(parts)


def test_a_stop_where_it_is_trained_changes_nothing(tmp_path: Path) -> None:
    """What is learned after so many pages, not after a session, is learned at the same visit."""
    whole, parts = project(tmp_path / "whole"), project(tmp_path / "parts")
    for folder in (whole, parts):
        with (folder / "clew.toml").open("a", encoding="utf-8") as toml:
            toml.write("\n[strategy.ache]\nlearn_every = 40\n")
    Project(whole).crawl(strategy="ache", max_pages=120)
    first, second = trainings(whole)
    assert first > 40  # redirects and failures are no pages
    for budget in (first, 120):
        Project(parts).crawl(strategy="ache", max_pages=budget)
    assert trainings(parts) == [first, second]
    assert visits(whole) == visits(parts)


def trainings(folder: Path) -> list[int]:
    """After which visits ache was trained."""
    store = Project(folder).open_store(read_only=True)
    found = [row.visit for row in store.journal.decisions() if row.decision.kind == "ache trained"]
    store.close()
    return found


@pytest.mark.parametrize("rule", ["best", "first", "mean"])
def test_a_rebuilt_frontier_is_the_one_that_rows_were_added_to(tmp_path: Path, rule: str) -> None:
    folder = project(tmp_path / "p")
    Project(folder).crawl(max_pages=150)
    store = Project(folder).open_store(read_only=True)
    added, rebuilt = ColumnFrontier(rule), ColumnFrontier(rule)  # type: ignore[arg-type]
    for row, keys, hosts, scores in store.links.rows():
        added.add(keys, hosts, scores.astype(np.float64), row)
    added.finish(store.links.done_keys())
    rebuild(rebuilt, store)
    store.close()
    assert len(added) == len(rebuilt) > 100
    while (mine := added.lease(1e12)) is not None:
        assert mine == rebuilt.lease(1e12)
        added.done(mine)
        rebuilt.done(mine)
    assert rebuilt.lease(1e12) is None


def test_counts_add_up(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    result = Project(folder).crawl(max_pages=250)
    rows = exported(folder, "--all")
    assert result.fetched == len(rows) == 250
    assert result.relevant == sum(row["relevant"] for row in rows)
    assert result.failed == sum(row["outcome"] == "failed" for row in rows) > 0
    assert result.redirects == sum(row["outcome"] == "redirect" for row in rows) > 0
    assert result.harvest_rate == pytest.approx(result.relevant / 250, abs=1e-6)
    store = Project(folder).open_store(read_only=True)
    ledger = store.journal.ledger()
    store.close()
    assert [ledger.get(kind, 0) for kind in ("redirect", "failed")] == [result.redirects, result.failed]
    assert sum(ledger.get(kind, 0) for kind in ("ok", "redirect", "failed", "retried")) == 250


def test_a_stopping_rule_of_clew_toml_is_named(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    toml = folder / "clew.toml"
    toml.write_text(toml.read_text() + "\n[stop]\nrelevant_pages = 5\n", encoding="utf-8")
    result = Project(folder).crawl()
    assert (result.stopped_by, result.relevant) == ("relevant_pages", 5)


def test_full_topics_stop_a_crawl_after_a_session(tmp_path: Path) -> None:
    """And a crawl that is taken up does not fetch on."""
    folder = project(tmp_path / "p")
    toml = folder / "clew.toml"
    toml.write_text(toml.read_text() + "\n[stop]\ntopic_pages = 5\n", encoding="utf-8")
    result = Project(folder).crawl(max_pages=400)
    assert result.stopped_by == "topic_pages"
    assert result.relevant >= 5
    assert result.fetched < 400
    again = Project(folder).crawl()
    assert (again.stopped_by, again.fetched) == ("topic_pages", result.fetched)


def test_the_least_score_stops_a_crawl(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    toml = folder / "clew.toml"
    toml.write_text(toml.read_text() + "\n[stop]\nmin_score = 2.0\n", encoding="utf-8")
    assert Project(folder).crawl().stopped_by == "min_score"


def test_without_seeds_a_crawl_says_what_to_do(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    (folder / "seeds.txt").write_text("# none\n", encoding="utf-8")
    with pytest.raises(InputError, match="no seeds to start from"):
        Project(folder).crawl()


def test_seeds_added_later_are_crawled_too(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    Project(folder).crawl(max_pages=20)
    seen = {row[1] for row in visits(folder)}
    new = next(url for url in (folder / "relevant.txt").read_text().split() if url not in seen)
    with (folder / "seeds.txt").open("a", encoding="utf-8") as seeds:
        seeds.write(new + "\n")
    Project(folder).crawl(max_pages=40)
    assert new in {row[1] for row in visits(folder)}


def test_decisions_and_sessions_are_kept(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    Project(folder).crawl(strategy="moody", max_pages=130)
    store = Project(folder).open_store(read_only=True)
    sessions = store.journal.sessions()
    store.close()
    assert [row.session.number for row in sessions] == [1, 2]
    assert [(row.session.first_visit, row.session.last_visit) for row in sessions] == [(1, 60), (61, 120)]
    assert all(row.rescored for row in sessions)


def test_another_strategy_takes_over_with_its_own_scores(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    Project(folder).crawl(strategy="breadth-first", max_pages=70)
    Project(folder).crawl(strategy="best-first", max_pages=80)
    late = [row for row in visits(folder) if row[0] > 70]  # type: ignore[operator]
    assert all(0.0 <= row[2] <= 1.0 for row in late)  # type: ignore[operator]
    assert max(row[2] for row in late) > 0.9  # type: ignore[type-var, operator]
