"""A judge that learns from its own crawl: when, from what, and that a crawl stopped and resumed has the same judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clew import Project
from clew.crawl.lastrun import last_run
from clew.examples.training import OBSERVED
from clew.examples.visited import sample
from clew.judges.auto.judge import AutoJudge
from clew.judges.base import JudgeContext
from clew.judges.registry import JUDGES
from clew.model import Doubles, LinkBatch, Page
from clew.project.assembly import trainer_as_crawled
from clew.strategies.base import Strategy, View
from clew.strategies.registry import STRATEGIES
from support import clew, clew_json

SIM = "sim:pages=1500,seed=11"
LOOKS: list[int] = []
HEARD: list[tuple[int, float]] = []


class Watched(AutoJudge):
    """The judge auto, which notes how many pages it is shown."""

    name = "watched"

    def observe(self, pages: Sequence[Page]) -> bool:
        LOOKS.append(len(pages))
        return super().observe(pages)


class Stubborn(AutoJudge):
    """Learns nothing."""

    name = "stubborn"

    def observe(self, pages: Sequence[Page]) -> bool:
        LOOKS.append(len(pages))
        return False


class Hearing(Strategy):
    """Best first; notes when it hears that pages were judged again, and what the first of them is worth then."""

    name = "hearing"

    def begin(self, view: View) -> None:
        self.view = view

    def score(self, links: LinkBatch) -> Doubles:
        return np.full(len(links), links.source.relevance, np.float64)

    def rejudged(self) -> None:
        pages = self.view.pages()
        HEARD.append((len(pages), float(pages.relevance[0])))


@pytest.fixture(autouse=True)
def own_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    LOOKS.clear()
    HEARD.clear()
    monkeypatch.setitem(JUDGES.added, "watched", Watched)
    monkeypatch.setitem(JUDGES.added, "stubborn", Stubborn)
    monkeypatch.setitem(STRATEGIES.added, "hearing", Hearing)


def project(folder: Path, judge: str = "auto") -> Project:
    clew("init", folder, "--web", SIM)
    toml = folder / "clew.toml"
    text = toml.read_text(encoding="utf-8").replace("[crawl]", "[crawl]\ncommit_pages = 7")
    toml.write_text(text.replace('name = "auto"', f'name = "{judge}"'), encoding="utf-8")
    return Project(folder)


def visits(made: Project) -> list[tuple[object, ...]]:
    store = made.open_store(read_only=True)
    rows = [(row.url, row.score, row.relevance, row.relevant, row.topic, row.tunnel) for row in store.visits.rows()]
    store.close()
    return rows


def decisions(made: Project) -> list[tuple[int, str, dict[str, object]]]:
    store = made.open_store(read_only=True)
    rows = [(row.visit, row.decision.kind, dict(row.decision.facts)) for row in store.journal.decisions()]
    store.close()
    return rows


@pytest.mark.parametrize("strategy", ["breadth-first", "hearing"])
def test_it_learns_when_visits_have_doubled(tmp_path: Path, strategy: str) -> None:
    made = project(tmp_path / "p")
    made.crawl(strategy=strategy, max_pages=52)
    learned = [(visit, facts["learned_from"]) for visit, kind, facts in decisions(made) if kind == "judge adopted"]
    assert [visit for visit, _ in learned] == [25, 50]
    assert all(str(said).endswith(" pages of the crawl") for _, said in learned)


def test_all_pages_are_judged_by_the_judge_that_learned(tmp_path: Path) -> None:
    """And a strategy hears of it."""
    made = project(tmp_path / "p")
    made.crawl(strategy="hearing", max_pages=50)
    store = made.open_store(read_only=True)
    judge = trainer_as_crawled(made, store).as_crawled(last_run(store, made.settings).threshold).judge
    pages = sample(store, 50, made.reader, made.archive)
    rows = [row for row in store.visits.rows() if row.judged and not row.duplicate_of and not row.reason]
    store.close()
    assert [row.relevance for row in rows] == [pytest.approx(float(one.scores[0])) for one in judge.judge(pages)]
    assert [count for count, _ in HEARD] == sorted(count for count, _ in HEARD)
    assert len(HEARD) == 2
    assert HEARD[-1][1] == pytest.approx(rows[0].relevance)
    assert HEARD[0][1] != HEARD[-1][1]


def test_stops_change_nothing(tmp_path: Path) -> None:
    """Before, at and after the visits after which it learns."""
    stops = (24, 25, 26, 50, 56)
    whole, parts = project(tmp_path / "whole"), project(tmp_path / "parts")
    whole.crawl(max_pages=stops[-1])
    for budget in stops:
        assert Project(parts.path).crawl(max_pages=budget).fetched == budget
    assert visits(whole) == visits(parts)
    assert decisions(whole) == decisions(parts)


def test_a_resumed_crawl_shows_its_judge_what_it_was_shown(tmp_path: Path) -> None:
    """Not the pages that came later, or its judge would be another one."""
    made = project(tmp_path / "p", "watched")
    made.crawl(max_pages=45)
    shown = LOOKS[-1]
    LOOKS.clear()
    made.crawl(max_pages=47)
    assert [shown] == LOOKS


def test_a_judge_that_learns_nothing_is_not_asked_again_for_the_same_visit(tmp_path: Path) -> None:
    made = project(tmp_path / "p", "stubborn")
    made.crawl(max_pages=50)
    assert len(LOOKS) == 2
    made.crawl(max_pages=60)
    assert len(LOOKS) == 2
    assert not [kind for _, kind, _ in decisions(made) if kind.startswith("judge")]
    store = made.open_store(read_only=True)
    saved = store.journal.saved(OBSERVED)
    store.close()
    assert saved is not None
    assert (saved.visit, saved.state) == (0, b"50")


def test_the_estimate_of_precision_is_told(tmp_path: Path) -> None:
    """In the log, by status and by the report."""
    made = project(tmp_path / "p")
    made.crawl(strategy="breadth-first", max_pages=30)
    facts = [facts for _, kind, facts in decisions(made) if kind == "judge adopted"][-1]
    told = clew_json("status", made.path)
    names = ("estimated_precision", "estimated_low", "estimated_high")
    assert [told[name] for name in names] == [facts[name] for name in names]
    assert 0.0 <= told["estimated_low"] <= told["estimated_precision"] <= told["estimated_high"] <= 1.0
    words = f"{told['estimated_precision']:.2f} ({told['estimated_low']:.2f} to {told['estimated_high']:.2f})"
    assert f"estimated {words}" in clew("status", made.path).stdout
    clew("report", made.path, "--out", tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"How many of those are so: estimated {words} by the judge" in report


def test_nothing_is_estimated_by_other_judges(tmp_path: Path) -> None:
    made = project(tmp_path / "p", "centroid")
    made.crawl(max_pages=30)
    assert clew_json("status", made.path)["estimated_precision"] is None
    assert "precision       estimated" not in clew("status", made.path).stdout
    assert "precision       not known; clew label" in clew("status", made.path).stdout


def test_other_judges_are_left_alone(tmp_path: Path) -> None:
    made = project(tmp_path / "p", "centroid")
    made.crawl(max_pages=60)
    assert decisions(made) == []


def test_a_sample_is_every_kth_page_in_order(tmp_path: Path) -> None:
    made = project(tmp_path / "p", "centroid")
    made.crawl(max_pages=80)
    store = made.open_store(read_only=True)
    whole = [page.url for page in sample(store, 80, made.reader, made.archive)]
    some = [page.url for page in sample(store, 80, made.reader, made.archive, most=20)]
    early = [page.url for page in sample(store, 40, made.reader, made.archive)]
    store.close()
    step = -(-len(whole) // 20)
    assert some == whole[::step]
    assert early == whole[: len(early)]
    assert 10 < len(early) < len(whole)


def test_labels_are_heard_before_what_the_crawl_says(tmp_path: Path) -> None:
    """A judge that learned, and then hears of labels, has learned from the same pages."""
    made = project(tmp_path / "p", "watched")
    made.crawl(max_pages=60)
    shown = LOOKS[-1]
    urls = [str(row[0]) for row in visits(made)[:6]]
    lines = "".join(f"{url}\t{'relevant' if n % 2 else 'irrelevant'}\n" for n, url in enumerate(urls))
    (made.path / "labels.tsv").write_text(lines, encoding="utf-8")
    LOOKS.clear()
    Project(made.path).crawl(max_pages=70)
    assert set(LOOKS) == {shown}


def test_the_contract_of_a_judge_that_learns_nothing_from_crawls() -> None:
    assert not JUDGES.get("centroid").learns_from_crawl  # type: ignore[union-attr]
    assert AutoJudge(JudgeContext()).learns_from_crawl
