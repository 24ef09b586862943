"""The benchmark of the dashboard: the project that it generates is whole, and each part measures what it says."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks import bigproject
from benchmarks.dashboard import COLUMNS, EXPORTED, api_part, exports_part, missed
from benchmarks.search import Words, page_url

from clew.export.summary import summarise
from clew.project.explaining import explain
from clew.project.finding import search
from clew.project.project import Project
from clew.urls.canonical import key

PAGES, CRAWLED = 700, 40


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bigproject, "CRAWLED", CRAWLED)
        return bigproject.make(tmp_path_factory.mktemp("big") / "p", PAGES, 30)


def test_the_links_of_generated_pages_lead_to_visits_and_to_waiting_pages(project: Project) -> None:
    store = project.open_store(read_only=True)
    try:
        assert store.visits.totals().visits == PAGES
        for row in store.visits.rows(after=CRAWLED):
            batch = store.links.batch(row.row)
            assert batch.links.urls[row.link_index] == row.url
            assert int(batch.links.keys[row.link_index]) == row.key == key(row.url)
            assert store.hosts.name(int(store.hosts.ids([row.host])[0])) == row.host
        numbers, *_, relevance, scores, relevant = store.visits.judged()
        new = numbers > CRAWLED
        assert np.allclose(project.interest.values(scores)[new].max(axis=1), relevance[new], atol=1e-6)
        assert (relevant[new] == (relevance[new] >= project.settings.judge.threshold)).all()
        assert store.links.waiting() > 2 * PAGES
        found = summarise(store, project)
        assert (found.fetched, found.refused > 10, found.documents > 1) == (PAGES, True, True)
        assert store.visits.path_to(PAGES)[0].url == page_url(CRAWLED + 1)
    finally:
        store.close()


def test_generated_pages_are_found_and_explained(project: Project) -> None:
    word = str(Words().words[0])
    assert search(project, word).found.pages >= PAGES * 0.9
    assert [hit.row.number for hit in search(project, word).found.hits]
    store = project.open_store(read_only=True)
    try:
        said = explain(project, store, page_url(PAGES))
    finally:
        store.close()
    assert said.state == "visited"
    assert len(said.path) > 2
    assert said.terms


def test_requests_are_measured(project: Project) -> None:
    rows = {row["what"]: row for row in api_part(project.path, PAGES)}
    assert set(rows["(overview)"]) == set(COLUMNS)
    assert rows["(overview)"]["warm_s"] > 0 and rows["(overview)"]["peak_mb"] > 20


def test_exports_are_counted(project: Project, tmp_path: Path) -> None:
    jsonl, markdown = exports_part(project.path, tmp_path, ("jsonl", "markdown"))
    assert set(jsonl) == set(EXPORTED)
    assert jsonl["pages_s"] > 0 and markdown["mb"] > 0
    assert not list(tmp_path.iterdir())


def test_what_is_over_a_bound_is_said() -> None:
    row = {"cold_s": 2.5, "warm_s": 0.1, "peak_mb": 600.0}
    assert missed(row) == "cold memory"
    assert missed({**row, "cold_s": float("nan"), "peak_mb": 60.0}) == "cold"
    assert missed({"seconds": 99.0, "peak_mb": 499.0}) == ""
    assert json.dumps(row)
