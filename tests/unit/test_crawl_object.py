"""Crawls made of objects in Python: with a folder or without, from a script or inside a running event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clew import Crawl, Examples, PageRecord, Project, StopCrawl, World
from clew.errors import ConfigError, InputError, ProjectError, UrlError
from clew.judges.base import JudgeContext
from clew.judges.keywords import KeywordsJudge
from clew.model import Doubles, LinkBatch, Outcome, Request, Response
from clew.strategies.breadth_first import BreadthFirst
from support import clew, exported, init_plain

SIM = "sim:pages=3000,seed=3"


class Site(World):
    """A world of the caller's own: pages 0, 1, 2 ... of one site, each linking to the next two."""

    name, closed = "site", True

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.asked: list[str] = []

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request.url)
        number = int(request.url.rsplit("/", 1)[-1])
        if number >= self.pages:
            return Response(request.url, Outcome.ABSENT, reason="no such page", requests=0)
        links = "".join(f"<a href=/{number + step}>page {number + step}</a>" for step in (1, 2))
        words = "sailing boats on the sea" if number % 2 else "taxes and budgets in parliament"
        body = f"<html lang=en><title>page {number}</title><p>{words}</p>{links}".encode()
        return Response(request.url, Outcome.OK, 200, (("Content-Type", "text/html"),), body)


SAILING = {"interest": {"keywords": {"sailing": 1.0, "boats": 1.0}}, "judge": {"name": "keywords"}}


def site_crawl(pages: int = 20, **options: object) -> Crawl:
    given: dict[str, object] = {"world": Site(pages), "settings": SAILING, **options}
    return Crawl(["http://a.test/0"], **given)  # type: ignore[arg-type]


# -- running ----------------------------------------------------------------------------------------------


def test_a_simulated_web_needs_neither_seeds_nor_examples_nor_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    crawl = Crawl(world=SIM)
    result = crawl.run_sync(max_pages=60)
    assert (result.fetched, result.stopped_by, result.web) == (60, "max_pages", SIM)
    assert sum(page.relevant for page in crawl.pages()) == result.relevant > 30
    assert list(tmp_path.iterdir()) == []


def test_the_same_web_gives_a_project_the_same_visits(tmp_path: Path) -> None:
    init_plain(tmp_path / "p", "--web", SIM)
    Project(tmp_path / "p").crawl(max_pages=80, strategy="apprentice")
    there = [(row["url"], row["relevance"], row["score"]) for row in exported(tmp_path / "p", "--all")]
    crawl = Crawl(world=SIM, strategy="apprentice", judge="naive-bayes")
    crawl.run_sync(max_pages=80)
    here = [(page.url, round(page.relevance, 9), page.score) for page in crawl.pages()]
    assert here == [row for row in there if row[1] is not None]


def test_in_steps_a_crawl_fetches_what_it_fetches_in_one_go() -> None:
    steps, whole = Crawl(world=SIM), Crawl(world=SIM)
    for budget in (1, 10, 11, 50):
        assert steps.run_sync(max_pages=budget).fetched == budget
    whole.run_sync(max_pages=50)
    assert [page.url for page in steps.pages()] == [page.url for page in whole.pages()]


def test_pages_are_given_as_soon_as_they_are_judged_and_no_page_is_fetched_ahead() -> None:
    world = Site(30)
    crawl = site_crawl(world=world)
    seen = []
    for page in crawl:
        seen.append(page.url)
        assert len(world.asked) == len(seen)
        assert len(crawl.pages()) == len(seen)  # the crawl waits, so its store may be read
        if len(seen) == 7:
            break
    assert crawl.result is not None and crawl.result.stopped_by == "interrupted"
    assert len(world.asked) == 7
    rest = [page.url for page in crawl]  # and it goes on
    assert len(seen) + len(rest) == 30 == len(set(seen + rest))
    assert threading.active_count() < 10


def test_a_crawl_runs_in_an_event_loop_that_runs_already() -> None:
    async def main() -> tuple[list[str], list[str], int]:
        one, other = site_crawl(12), site_crawl(12)
        first = [page.url async for page in one]
        second = [page.url for page in other]  # blocks, as in a cell of a notebook
        third = await site_crawl(12).run()
        assert site_crawl(12).run_sync().fetched == third.fetched
        return first, second, third.fetched

    first, second, fetched = asyncio.run(main())
    assert first == second
    assert len(first) == fetched == 12


def test_an_async_iteration_that_is_left_early_stops_the_crawl() -> None:
    world = Site(30)

    async def main() -> None:
        crawl = site_crawl(world=world)
        pages = aiter(crawl)
        assert (await anext(pages)).url == "http://a.test/0"
        await pages.aclose()  # type: ignore[attr-defined]
        assert crawl.result is not None and crawl.result.stopped_by == "interrupted"

    asyncio.run(main())
    assert len(world.asked) <= 2


def test_a_crawl_that_was_iterated_to_its_end_or_stopped_in_vain_goes_on() -> None:
    async def main() -> tuple[int, int]:
        crawl = site_crawl(12)
        crawl.stop()  # nothing runs yet
        first = (await crawl.run(max_pages=4)).fetched
        pages = [page async for page in crawl]
        assert len(pages) == 12 - 4
        crawl.world = Site(20)
        crawl.seeds = (*crawl.seeds, "http://a.test/15")
        return first, (await crawl.run()).fetched

    first, whole = asyncio.run(main())
    assert first == 4
    assert whole > 12


def test_stop_may_be_called_while_pages_are_taken_and_from_another_thread() -> None:
    crawl = site_crawl(500)
    taken = 0
    for _ in crawl:
        taken += 1
        if taken == 5:
            worker = threading.Thread(target=crawl.stop)
            worker.start()
            worker.join()
    assert 5 <= taken <= 6
    assert crawl.result is not None and crawl.result.stopped_by == "interrupted"


def test_an_error_in_a_crawl_reaches_who_takes_its_pages() -> None:
    class Broken(BreadthFirst):
        def score(self, links: LinkBatch) -> Doubles:
            if links.source.visit == 3:
                raise ZeroDivisionError("in the strategy")
            return super().score(links)

    seen: list[PageRecord] = []
    with pytest.raises(ZeroDivisionError, match="in the strategy"):
        seen.extend(site_crawl(strategy=Broken()))
    assert len(seen) == 2


# -- objects of the caller's own --------------------------------------------------------------------------


def test_a_strategy_of_ones_own_decides_the_order() -> None:
    class Largest(BreadthFirst):
        name = "largest"

        def score(self, links: LinkBatch) -> Doubles:
            return np.array([float(url.rsplit("/", 1)[-1]) for url in links.links.urls])

    crawl = site_crawl(9, strategy=Largest())
    result = crawl.run_sync()
    assert [page.url[-1] for page in crawl.pages()] == ["0", "2", "4", "6", "8", "7", "5", "3", "1"]
    assert result.strategy == "largest"


def test_a_judge_of_ones_own_decides_what_is_relevant() -> None:
    class Even(KeywordsJudge):
        name = "even"

        def judge(self, pages: Sequence[object]) -> list[object]:  # type: ignore[override]
            found = super().judge(pages)  # type: ignore[arg-type]
            for page, judgement in zip(pages, found, strict=True):
                judgement.scores[:] = float(int(page.url[-1]) % 2 == 0)  # type: ignore[attr-defined]
            return found  # type: ignore[return-value]

    crawl = site_crawl(8, judge=Even(JudgeContext(keywords={"sailing": 1.0})))
    assert crawl.run_sync().judge == "even"
    assert [page.url[-1] for page in crawl.pages(relevant=True)] == ["0", "2", "4", "6"]


def test_a_judge_for_other_topics_is_refused() -> None:
    crawl = site_crawl(judge=KeywordsJudge(JudgeContext(topics=("cats",), keywords={"cat": 1.0})))
    with pytest.raises(ConfigError, match=r"the judge keywords is for the topics cats; this crawl's are relevant"):
        crawl.run_sync()


# -- on_page ----------------------------------------------------------------------------------------------


def test_on_page_leaves_pages_out_and_their_links_unfollowed() -> None:
    def no_odd(page: PageRecord) -> bool:
        return int(page.url.rsplit("/", 1)[-1]) % 2 == 0

    crawl = site_crawl(9, on_page=no_odd)
    crawl.run_sync()
    pages = {int(page.url[-1]): page for page in crawl.pages()}
    assert not any(page.relevant for page in pages.values())
    assert pages[1].reason == "left out by on_page"
    assert all(int(page.source[-1]) % 2 == 0 for page in pages.values() if page.source)


def test_on_page_sees_the_body_and_may_end_the_crawl() -> None:
    class Until(Crawl):
        def on_page(self, page: PageRecord) -> None:
            assert b"<title>" in page.body and page.title in page.body.decode()
            if page.number == 4:
                raise StopCrawl("enough")

    crawl = Until(["http://a.test/0"], world=Site(30), settings=SAILING)
    result = crawl.run_sync()
    assert (result.fetched, result.stopped_by) == (4, "enough")
    assert len(crawl.pages()) == 4


# -- what was found ---------------------------------------------------------------------------------------


def test_pages_are_records_and_rows_of_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    crawl = site_crawl(10)
    crawl.run_sync()
    frame = crawl.pages().to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == [page.number for page in crawl.pages()]
    assert list(frame["url"]) == [page.url for page in crawl.pages()]
    assert frame.loc[frame["relevant"], "title"].tolist() == [page.title for page in crawl.pages(relevant=True)]
    best = crawl.pages().best(3)
    assert [page.relevance for page in best] == sorted((page.relevance for page in crawl.pages()), reverse=True)[:3]


def test_a_project_reads_its_pages_too(tmp_path: Path) -> None:
    clew("init", tmp_path / "p", "--web", SIM)
    project = Project(tmp_path / "p")
    with pytest.raises(ProjectError, match="nothing was crawled"):
        list(project.pages())
    result = project.crawl(max_pages=30)
    assert len(project.pages(relevant=True)) == result.relevant
    assert [page.number for page in project.pages()][:3] == [1, 2, 3]


def test_a_folder_keeps_the_crawl_for_the_next_script(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert site_crawl(folder=folder).run_sync(max_pages=5).fetched == 5
    again = site_crawl(folder=folder)
    assert len(again.pages()) == 5
    assert again.run_sync(max_pages=9).fetched_now == 4
    assert {path.name for path in folder.iterdir()} >= {"crawl.db", "archive"}
    assert [page.number for page in again.pages()] == list(range(1, 10))


# -- what is wanted ---------------------------------------------------------------------------------------


def test_topics_and_an_interest_in_them() -> None:
    urls = {
        "boats": [f"http://a.test/{n}" for n in range(21, 37, 2)],
        "tax": [f"http://a.test/{n}" for n in range(20, 36, 2)],
    }
    examples = Examples(topics=urls, interest="boats and not tax", labels={"http://a.test/38": "irrelevant"})
    assert [examples.tree.path(one.topic) for one in examples.wanted() if examples.tree] == ["boats"] * 8 + ["tax"] * 8
    crawl = Crawl(["http://a.test/0"], examples, world=Site(40))
    result = crawl.run_sync(max_pages=10)
    assert result.fetched == 10
    assert {page.topic for page in crawl.pages(relevant=True)} == {"boats"}
    assert {int(page.url[-1]) % 2 for page in crawl.pages(relevant=True)} == {1}


def test_examples_may_be_files(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text("<html lang=en><p>sailing boats", encoding="utf-8")
    examples = Examples(relevant=[tmp_path / "good.html"], labels={"good.html": "relevant"}, base=tmp_path)
    (wanted,), (label,) = examples.wanted(), examples.labels_given()
    assert wanted.line == label.line == str((tmp_path / "good.html").resolve())
    assert label.label and not wanted.label


def test_wrong_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"relevant: 'nowhere\.html' is neither an http"):
        Examples(relevant=["nowhere.html"])
    with pytest.raises(InputError, match="takes a list of pages, not one text"):
        Examples(relevant="http://a.test/")
    with pytest.raises(InputError, match=r"a formula over topics: give Examples\(topics="):
        Examples(interest="sailing")
    with pytest.raises(InputError, match="seeds is a list of URLs"):
        Crawl("http://a.test/")
    with pytest.raises(UrlError, match=r"did you mean http://a\.test"):
        Crawl(["a.test"], world=Site(3), settings=SAILING).run_sync()
    with pytest.raises(ConfigError, match=r"settings: .*max_pagse"):
        Crawl(world=SIM, settings={"crawl": {"max_pagse": 3}})
    with pytest.raises(ProjectError, match="nothing was crawled yet"):
        list(Crawl(world=SIM, folder=tmp_path / "new").pages())
    clew("init", tmp_path / "p", "--web", SIM)
    with pytest.raises(ProjectError, match="is a Clew project: crawl it with Project"):
        Crawl(world=SIM, folder=tmp_path / "p").run_sync(max_pages=3)


def test_progress_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    site_crawl(10, progress=True).run_sync()
    assert "10 fetched" in capsys.readouterr().err
    site_crawl(10).run_sync()
    assert capsys.readouterr().err == ""
