"""Precision by labels on pages drawn at random among those that were called relevant."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.cli.status import precision_lines
from clew.errors import InputError
from clew.examples.labels import IRRELEVANT, LABELS, RELEVANT, add_label
from clew.examples.training import held_back
from clew.export.summary import ENOUGH, Summary, summarise
from clew.project.project import Project
from clew.project.sampling import DRAWN, Sample, draw, sample, wilson
from clew.project.uncertain import DRAWN as AT_RANDOM
from clew.project.uncertain import NEAR, uncertain
from support import clew, init_plain

PAGES = 150


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sampling") / "p"
    init_plain(folder, "--web", "sim:pages=2000,seed=3")
    clew("crawl", folder, "--max-pages", PAGES, "--quiet")
    return folder


@pytest.fixture
def project(crawled: Path, tmp_path: Path) -> Project:
    return Project(Path(shutil.copytree(crawled, tmp_path / "p")))


def drawn(project: Project, n: int) -> list[str]:
    store = project.open_store(read_only=True)
    try:
        return [row.url for row in draw(project, store, n)]
    finally:
        store.close()


def measured(project: Project) -> Sample:
    store = project.open_store(read_only=True)
    try:
        return sample(project, store)
    finally:
        store.close()


def test_an_interval_as_wilson_works_it_out() -> None:
    """Of 90 %; the ends solve |p - share| = z √(p (1 - p) / n)."""
    for right, n in ((9, 10), (0, 5), (20, 20), (3, 7)):
        for end in wilson(right, n):
            assert abs(end - right / n) == pytest.approx(1.6449 * np.sqrt(end * (1 - end) / n), abs=1e-6)


def test_intervals_hold_what_they_promise() -> None:
    rng, held = np.random.default_rng(7), 0
    for _ in range(2_000):
        truth, n = rng.uniform(0.3, 0.98), int(rng.integers(8, 40))
        low, high = wilson(int(rng.binomial(n, truth)), n)
        held += low <= truth <= high
    assert 0.87 < held / 2_000 < 0.94


def test_labels_make_an_estimate(project: Project) -> None:
    assert measured(project) == Sample(0, 0)
    asked = drawn(project, 8)
    assert len(set(asked)) == 8
    for place, url in enumerate(asked):
        add_label(project.path / LABELS, url, IRRELEVANT if place < 2 else RELEVANT)
    found = measured(project)
    assert (found.right, found.labelled, found.precision) == (6, 8, 0.75)
    assert found.interval == wilson(6, 8)
    add_label(project.path / LABELS, asked[0], RELEVANT)
    assert measured(project).right == 7, "the last label on a page counts"


def test_only_pages_that_nothing_learns_from_are_drawn(project: Project) -> None:
    store = project.open_store(read_only=True)
    called = {row.url for row in store.visits.rows(relevant=True)}
    store.close()
    asked = drawn(project, PAGES)
    assert 0 < len(asked) < len(called) / 2
    assert called.issuperset(asked) and all(map(held_back, asked))
    assert not {one.line for one in project.wanted()}.intersection(asked)


def test_labels_of_ones_own_accord_do_not_count(project: Project) -> None:
    """Somebody who labels what is plainly wrong has drawn no sample."""
    every = drawn(project, PAGES)
    (project.path / DRAWN).unlink()
    for url in every[:5]:
        add_label(project.path / LABELS, url, IRRELEVANT)
    assert measured(project) == Sample(0, 0)
    assert drawn(project, 3) == every[5:8], "the sample goes on behind them"
    assert measured(project) == Sample(0, 0)


def test_the_sample_is_the_same_however_it_is_asked_for(project: Project) -> None:
    first = drawn(project, 4)
    assert drawn(project, 4) == first, "what has no label yet is asked about again"
    for url in first:
        add_label(project.path / LABELS, url, RELEVANT)
    more = drawn(project, 4)
    (project.path / DRAWN).unlink()
    (project.path / LABELS).unlink()
    assert drawn(project, 8) == first + more
    text = (project.path / DRAWN).read_text(encoding="ascii")
    assert len(text.split()) == 8 and "http" not in text, "clew forget need not look into it"


def test_what_a_new_judge_rejects_is_no_part_of_the_sample(project: Project) -> None:
    asked = drawn(project, 4)
    for url in asked:
        add_label(project.path / LABELS, url, RELEVANT)
    lines = (project.path / LABELS).read_text(encoding="utf-8")
    (project.path / LABELS).write_text(lines + "http://elsewhere.test/\trelevant\n", encoding="utf-8")
    assert measured(project).labelled == 4


def test_half_of_what_is_asked_is_drawn(project: Project) -> None:
    store = project.open_store(read_only=True)
    found = uncertain(project, store, 10)
    store.close()
    assert [one.why for one in found].count(AT_RANDOM) == 5
    assert [one.why for one in found].count(NEAR) == 5
    assert len({one.url for one in found}) == 10
    away = [abs(one.relevance - 0.5) for one in found]
    assert away == sorted(away)


def test_status_believes_enough_labels(project: Project) -> None:
    """A judge without an estimate of its own: one label is better than nothing, and the interval says how much."""
    assert "not known; clew label" in clew("status", project.path).stdout
    asked = drawn(project, ENOUGH)
    add_label(project.path / LABELS, asked[0], RELEVANT)
    words = clew("status", project.path).stdout
    assert "estimated 1.00 (0.27 to 1.00) by 1 label on pages drawn at random" in words
    assert f"to narrow it: clew label {project.path} --uncertain" in words
    for url in asked[1:]:
        add_label(project.path / LABELS, url, RELEVANT)
    store = project.open_store(read_only=True)
    found = summarise(store, project)
    store.close()
    assert found.by_labels and found.labelled_pages == len(asked) and found.labelled_precision == 1.0
    assert found.is_vague == (1.0 - (found.labelled_low or 0.0) > 0.25)


def told(**values: Any) -> Summary:
    """A summary of 100 pages that were judged relevant."""
    nothing = dict.fromkeys(("fetched", "frontier", "hosts", "failed", "redirects", "refused", "absent"), 0)
    rest = dict.fromkeys(("robots_requests", "sessions", "bytes"), 0)
    return Summary(relevant=100, harvest_rate=0.5, window_rate=0.5, last_fetch="", **nothing, **rest, **values)


def test_whose_estimate_it_is() -> None:
    project = Path("p")
    judge = {"estimated_precision": 0.8, "estimated_low": 0.5, "estimated_high": 1.0}
    few = {"labelled_precision": 0.5, "labelled_low": 0.2, "labelled_high": 0.8, "labelled_pages": 4}
    many = {"labelled_precision": 0.5, "labelled_low": 0.4, "labelled_high": 0.6, "labelled_pages": 70}
    ask = "to narrow it: clew label p --uncertain"
    by_judge, by_few, by_many = (
        "estimated 0.80 (0.50 to 1.00) by the judge's own reckoning",
        "estimated 0.50 (0.20 to 0.80) by 4 labels on pages drawn at random",
        "estimated 0.50 (0.40 to 0.60) by 70 labels on pages drawn at random",
    )
    assert precision_lines(project, told(**judge)) == [by_judge, ask]
    assert precision_lines(project, told(**judge, **few)) == [by_few, by_judge, ask]
    assert precision_lines(project, told(**judge, **many)) == [by_many, by_judge], "narrow enough"
    assert precision_lines(project, told(**few)) == [by_few, ask]
    assert precision_lines(project, told()) == ["not known; clew label p --uncertain finds out"]
    assert told(**judge, **few).estimate == by_judge
    assert told(**judge, **many).estimate == by_many
    assert told(**few).estimate == by_few
    assert told().estimate == ""


def test_a_damaged_file_is_named(project: Project) -> None:
    (project.path / DRAWN).write_bytes(b"\xff\xfe")
    add_label(project.path / LABELS, "http://a.test/", RELEVANT)
    with pytest.raises(InputError, match=r"drawn\.txt cannot be read"):
        measured(project)
