"""A judge that is trained again with pages of the crawl: everything stored is as if the new judge had judged it, labels
that were held back can refuse it, and a crawl that resumes has the same judge."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from clew import Project
from clew.examples.labels import IRRELEVANT, LABELS, RELEVANT, add_label
from clew.examples.training import held_back
from clew.model import OTHER, Doubles, LinkBatch, Outcome, Session
from clew.store.records import VisitRow
from clew.store.warc import read
from clew.strategies.base import Retraining, Strategy, View
from clew.strategies.registry import STRATEGIES
from support import init_plain

SIM = "sim:pages=4000,seed=5,pages_per_host=15,words=120,broken=0.1,redirects=0.2"
ROUNDS = (2, 4)


class Naming(Strategy):
    """Best-first; after some sessions its surest (or ``worst``) pages become archetypes."""

    name = "naming"
    worst = False
    views: ClassVar[list[View]] = []
    outcomes: ClassVar[list[Retraining]] = []

    def begin(self, view: View) -> None:
        self.views.append(view)

    def score(self, links: LinkBatch) -> Doubles:
        return np.full(len(links), links.source.relevance, np.float64)

    def adapt(self, session: Session) -> bool:
        if session.number not in ROUNDS:
            return False
        view = self.views[-1]
        pages = view.pages()
        order = np.argsort(pages.scores[:, 0] * (1 if self.worst else -1), kind="stable")
        self.outcomes.append(view.actions.retrain({0: pages.numbers[order[:8]].tolist()}))
        return True

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        return ["naming"]


@pytest.fixture(autouse=True)
def strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES.added, "naming", Naming)
    monkeypatch.setattr(Naming, "views", [])
    monkeypatch.setattr(Naming, "outcomes", [])
    monkeypatch.setattr(Naming, "worst", False)


def project(folder: Path, judge: str = "naive-bayes", more: str = "") -> Path:
    init_plain(folder, "--web", SIM)
    toml = folder / "clew.toml"
    text = toml.read_text(encoding="utf-8")
    text = text.replace("[crawl]", "[crawl]\nsession_pages = 30\ncommit_pages = 7\nworkers = 0")
    text = text.replace('name = "naive-bayes"', f'name = "{judge}"')
    toml.write_text(text + more, encoding="utf-8")
    return folder


def rows_of(folder: Path) -> list[VisitRow]:
    store = Project(folder).open_store(read_only=True)
    rows = list(store.visits.rows())
    store.close()
    return rows


def told(rows: Sequence[VisitRow]) -> list[tuple[object, ...]]:
    return [(row.number, row.url, row.score, row.relevance, row.relevant, row.tunnel, row.depth) for row in rows]


def test_all_that_is_stored_is_as_the_new_judge_sees_it(tmp_path: Path) -> None:
    """Judge, relevance, tunnel, sources and host history, worked out from the archive and the rows alone."""
    made = Project(project(tmp_path / "p"))
    made.crawl(strategy="naming", max_pages=135)
    assert [one.refused for one in Naming.outcomes] == ["", ""]
    assert [(one.archetypes > 0, one.pages > 0) for one in Naming.outcomes] == [(True, True)] * 2
    store = made.open_store(read_only=True)
    judge, interest = Naming.views[-1].judge, Naming.views[-1].interest
    rows = list(store.visits.rows())
    assert {Outcome.OK, Outcome.REDIRECT, Outcome.FAILED} <= {row.outcome for row in rows}
    tunnels: dict[int, int] = {}
    visits, relevant = Counter[str](), Counter[str]()
    judged = 0
    for row in rows:
        before = tunnels.get(row.row, 0)
        if row.outcome is Outcome.REDIRECT:
            tunnels[row.number] = before
        else:
            tunnels[row.number] = 0 if row.relevant else before + 1
            visits[row.host] += 1
            relevant[row.host] += row.relevant
        assert row.tunnel == tunnels[row.number], row
        if row.judged and not row.reason:
            page = made.reader.read(read(made.archive, row.warc_file, row.warc_offset))
            (judgement,) = judge.judge([page])
            assert row.relevance == pytest.approx(interest.relevance(judgement), abs=1e-6), row.url
            assert row.relevant == interest.relevant(interest.relevance(judgement), judgement)
            source = store.links.batch(row.number).source
            assert (source.topic, source.tunnel) == (judgement.topic, row.tunnel)
            np.testing.assert_allclose(source.scores, judgement.scores, atol=1e-6)
            judged += 1
    assert judged > 60
    names = sorted(visits)
    seen, good = store.hosts.stats(store.hosts.ids(names))
    assert (seen.tolist(), good.tolist()) == ([visits[one] for one in names], [relevant[one] for one in names])
    assert sum(row.relevant for row in rows) == Naming.outcomes[-1].relevant + sum(row.relevant for row in rows[120:])
    store.close()


@pytest.mark.parametrize(("strategy", "judge"), [("naming", "naive-bayes"), ("bingo", "svm")])
def test_stops_between_and_at_retrainings_change_nothing(tmp_path: Path, strategy: str, judge: str) -> None:
    settings = '\n[strategy.bingo]\nlearning_pages = 60\nretrain_pages = 30\nmin_positives = 1\ndrift_guard = "least"\n'
    whole, parts = project(tmp_path / "whole", judge, settings), tmp_path / "parts"
    shutil.copytree(whole, parts)
    Project(whole).crawl(strategy=strategy, max_pages=140)
    for budget in (61, 119, 140):
        assert Project(parts).crawl(strategy=strategy, max_pages=budget).fetched == budget
    assert told(rows_of(whole)) == told(rows_of(parts))
    kinds = decisions(whole)
    assert kinds == decisions(parts)
    assert kinds.count("judge adopted") >= 2


def archetypes(folder: Path) -> dict[int, tuple[int, ...]]:
    store = Project(folder).open_store(read_only=True)
    found = store.journal.archetypes
    store.close()
    return found


def decisions(folder: Path) -> list[str]:
    store = Project(folder).open_store(read_only=True)
    kinds = [row.decision.kind for row in store.journal.decisions()]
    store.close()
    return kinds


def test_a_crawl_that_is_taken_up_has_the_same_judge(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    Project(folder).crawl(strategy="naming", max_pages=70)
    Project(folder).crawl(strategy="naming", max_pages=71)
    before, after = Naming.views
    pages = [one.page for one in before.examples]
    for one, other in zip(before.judge.judge(pages), after.judge.judge(pages), strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)
    assert Naming.outcomes[0].archetypes == len(archetypes(folder)[0]) >= 4


def test_strategies_see_what_the_judge_was_trained_on(tmp_path: Path) -> None:
    """Examples, labels that came while the crawl ran, archetypes; the same when the crawl is taken up."""
    folder = project(tmp_path / "p")
    Project(folder).crawl(strategy="naming", max_pages=70)
    first = Naming.views[-1]
    urls = {row.number: row.url for row in rows_of(folder)}
    known = [one.url for one in first.examples]
    learned = [urls[number] for number in archetypes(folder)[0]]
    assert len(learned) == 8
    assert sorted(one.url for one in first.training) == sorted({*known, *learned})
    assert {one.topic for one in first.training if one.url in learned} == {0}
    label = next(row.url for row in rows_of(folder) if row.judged and row.url not in learned and not held_back(row.url))
    add_label(folder / LABELS, label, IRRELEVANT)
    Project(folder).crawl(strategy="naming", max_pages=71)
    again = Naming.views[-1].training
    assert sorted(one.url for one in again) == sorted({*known, *learned, label})
    assert [one.topic for one in again if one.url == label] == [OTHER]


def test_labels_that_were_held_back_can_refuse_a_judge(tmp_path: Path) -> None:
    """The archetypes named are the worst pages; labels say that the first judge was right about those held back."""
    folder = project(tmp_path / "p")
    Naming.worst = True
    Project(folder).crawl(strategy="naming", max_pages=59)
    for row in rows_of(folder):
        if row.judged and held_back(row.url):
            add_label(folder / LABELS, row.url, RELEVANT if row.relevant else IRRELEVANT)
    Project(folder).crawl(strategy="naming", max_pages=65)
    (outcome,) = Naming.outcomes
    assert "held back" in outcome.refused
    assert "judge refused" in decisions(folder)
    assert archetypes(folder) == {}
