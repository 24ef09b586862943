"""Texts and index of a project: what a search finds, how it keeps up with the crawl, and what it survives."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from clew import Project
from clew.collection import library as library_module
from clew.collection.index import Index
from clew.collection.library import TEXTS
from clew.collection.making import FEW, Maker, Making
from clew.collection.texts import TextRow, Texts
from clew.errors import InputError, StoreError
from clew.project.finding import search
from clew.project.forgetting import forget
from clew.store.base import Store
from clew.store.sqlite.lock import Lock
from clew.text.formats import Formats
from support import write_project

SEA = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>"
BAD = "<p>law court judge tax</p>"


def article(title: str, text: str, links: str = "", head: str = "", lang: str = "en") -> str:
    return (
        f"<html lang={lang}><head><title>{title}</title>{head}</head><body><nav><a href=/shop>chandlery menu</a></nav>"
        f"<article><h1>{title}</h1>{SEA}<p>{text}</p>{SEA}</article>{links}</body></html>"
    )


PAGES = {
    "h.test": {
        "index.html": article(
            "Start",
            "all about tides",
            "<a href=tidal.html>t</a><a href=nuclear.html>n</a><a href=http://sub.g.test/d.html>d</a>",
        ),
        "tidal.html": article(
            "Tidal power",
            "a tidal power plant by the sea, without reactors",
            head='<meta name=author content="Ada Tide"><meta property="article:published_time" content="2021-03-04">',
        ),
        "nuclear.html": article("Tidal and nuclear", "power of a tidal plant, and a nuclear power plant"),
        "off.html": f"<html><title>court</title><body>{BAD}<p>tidal law</p>{BAD}</body></html>",
    },
    "sub.g.test": {"d.html": article("Gezeiten", "Das Gezeitenkraftwerk auf Rügen ist tidal", lang="de")},
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for host, pages in PAGES.items():
        (folder := tmp_path / "site" / host).mkdir(parents=True)
        for name, html in pages.items():
            (folder / name).write_text(html, encoding="utf-8")
    return tmp_path / "site"


def project_of(site: Path, settings: str = "", seeds: tuple[str, ...] = ("index.html", "off.html")) -> Project:
    folder = write_project(
        site.parent / "p",
        [f"http://h.test/{name}" for name in seeds],
        {"good.html": SEA, "more.html": f"{SEA}<p>crew</p>"},
        {"bad.html": BAD, "worse.html": f"{BAD}<p>lawyer</p>"},
        f'[project]\nweb = "folder:{site}"\n{settings}',
    )
    return Project(folder)


@pytest.fixture
def project(site: Path) -> Project:
    found = project_of(site)
    found.crawl()
    return found


@pytest.fixture
def store(project: Project) -> Iterator[Store]:
    opened = project.open_store(read_only=True)
    yield opened
    opened.close()


def urls(project: Project, query: str, **options: Any) -> list[str]:
    return [hit.row.url.rpartition("/")[2] for hit in project.search(query, **options)]


# -- what is found ----------------------------------------------------------------------------------------


def test_words_phrases_exclusions_and_beginnings(project: Project) -> None:
    assert set(urls(project, "tidal")) == {"tidal.html", "nuclear.html", "d.html"}
    assert urls(project, 'tidal "power plant" -nuclear') == ["tidal.html"]
    assert set(urls(project, '"power plant"')) == {"tidal.html", "nuclear.html"}
    assert urls(project, '"tidal plant" -reactors') == ["nuclear.html"]
    assert urls(project, "gezeiten*") == urls(project, "Gezeitenkraftwerk RUGEN") == ["d.html"]
    assert urls(project, '"kraftwerk"') == []
    assert urls(project, '"nuclear power pl*"') == ["nuclear.html"]


def test_title_and_url_are_searched_and_menus_are_not(project: Project) -> None:
    assert urls(project, "start") == ["index.html"]
    assert urls(project, "sub.g.test") == ["d.html"]
    assert urls(project, "chandlery") == []
    assert urls(project, '"power tidal"') == [], "no phrase reaches from one title to the next"


def test_filters(project: Project) -> None:
    assert urls(project, "tidal", host="g.test") == ["d.html"]
    assert urls(project, "tidal", host="http://sub.g.test/") == ["d.html"]
    assert urls(project, "tidal", host="test.g") == urls(project, "tidal", host="ub.g.test") == []
    assert urls(project, "tidal", language="DE") == ["d.html"]
    assert urls(project, "tidal", since=date(2021, 3, 4), until=date(2021, 3, 4)) == ["tidal.html"]
    assert "tidal.html" not in urls(project, "tidal", since=date(2021, 3, 5))
    assert "tidal.html" not in urls(project, "tidal", until=date(2021, 3, 3))
    assert "off.html" in urls(project, "tidal", everything=True)
    with pytest.raises(InputError, match="after --until"):
        project.search("tidal", since=date(2021, 3, 4), until=date(2021, 3, 3))
    with pytest.raises(InputError, match="there is no topic 'tides'"):
        project.search("tidal", topic="tides")


def test_a_hit_says_what_is_known(project: Project) -> None:
    (hit,) = project.search("reactors")
    assert (hit.text.author, hit.text.date) == ("Ada Tide", "2021-03-04")
    assert hit.snippet.text[slice(*hit.snippet.marks[0])] == "reactors"
    assert hit.score == pytest.approx(hit.bm25 * (1 + hit.row.relevance))


def test_of_pages_alike_the_more_relevant_comes_first(project: Project) -> None:
    project.search("tidal")
    for first in ("tidal", "nuclear", "d"):
        with closing(sqlite3.connect(project.database)) as database:
            database.execute("UPDATE visits SET relevance = 0.5 + 0.5 * (url LIKE ?)", (f"%{first}.html",))
            database.execute("UPDATE visits SET relevant = 1 WHERE url LIKE '%.html'")
            database.commit()
        hits = {hit.row.url.rpartition("/")[2]: hit for hit in project.search("tidal")}
        assert hits[f"{first}.html"].score == pytest.approx(2 * hits[f"{first}.html"].bm25)
        assert sorted((hit.score for hit in hits.values()), reverse=True) == [hit.score for hit in hits.values()]


def test_verdicts_of_this_moment_count(project: Project) -> None:
    assert "d.html" in urls(project, "tidal")
    with closing(sqlite3.connect(project.database)) as database:
        database.execute("UPDATE visits SET relevant = 0 WHERE url LIKE '%d.html'")
        database.commit()
    assert "d.html" not in urls(project, "tidal")


def test_more_is_looked_at_where_filters_leave_too_few(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "CANDIDATES", 1)
    assert set(urls(project, "tidal", everything=True)) == {"tidal.html", "nuclear.html", "d.html", "off.html"}


def test_pages_of_results_do_not_overlap(project: Project) -> None:
    every = urls(project, "sailing", limit=9)
    assert [url for offset in range(0, 9, 2) for url in urls(project, "sailing", limit=2, offset=offset)] == every


# -- keeping up -------------------------------------------------------------------------------------------


def test_later_searches_add_what_was_visited_since(site: Path) -> None:
    project = project_of(site)
    project.crawl(max_pages=2)
    before = set(urls(project, "sailing"))
    project.crawl()
    stale = search(project, "tidal", update=False)
    assert stale.found.behind > 0
    assert any("not searched" in note for note in stale.notes)
    assert {"tidal.html", "nuclear.html", "d.html"} <= set(urls(project, "tidal"))
    assert before <= set(urls(project, "sailing"))


def test_nothing_is_read_twice(project: Project, store: Store) -> None:
    assert project.library.update(store) == 5
    assert project.library.update(store) == 0
    answer = search(project, "tidal")
    assert (answer.found.pages, answer.found.behind, answer.notes) == (5, 0, ())


def test_an_interrupted_update_goes_on(project: Project, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "KEPT_AT_ONCE", 2)

    def stop(done: int, of: int) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.library.update(store, stop)
    with closing(Texts(project.library.folder / TEXTS, 1)) as texts:
        assert texts.seen == 2
    assert project.library.update(store) == 3
    assert len(Index(project.library.folder)) == 5


def test_while_another_process_updates_a_search_still_answers(project: Project) -> None:
    project.search("tidal")
    lock = Lock(project.library.folder / TEXTS)
    lock.take()
    try:
        answer = search(project, "tidal")
    finally:
        lock.free()
    assert len(answer.found.hits) == 3
    assert any("another process" in note for note in answer.notes)


@pytest.mark.parametrize("damage", ["texts", "index", "index file", "folder"])
def test_what_is_lost_or_damaged_is_made_again(project: Project, damage: str) -> None:
    project.search("tidal")
    folder = project.library.folder
    index = Index(folder).folder
    if damage == "texts":
        (folder / TEXTS).write_bytes(b"no database" * 1_000)
    elif damage == "index":
        Index(folder).remove()
    elif damage == "index file":
        (index / "meta.json").write_text("{", encoding="utf-8")
    else:
        Index(folder).remove()
        for file in folder.iterdir():
            file.unlink()
    assert set(urls(project, "tidal")) == {"tidal.html", "nuclear.html", "d.html"}


def test_texts_of_an_earlier_crawl_are_dropped(project: Project, site: Path) -> None:
    project.search("tidal")
    project.put_aside()
    (site / "h.test" / "tidal.html").write_text(article("Ebb", "an ebb mill"), encoding="utf-8")
    project.crawl()
    assert "tidal.html" not in urls(project, "reactors")
    assert urls(project, "mill") == ["tidal.html"]


def test_visits_that_a_power_cut_undid_are_read_again(project: Project) -> None:
    project.search("tidal")
    with closing(sqlite3.connect(project.database)) as database:
        last = database.execute("SELECT max(number) FROM visits WHERE topic IS NOT NULL").fetchone()[0]
        database.execute("UPDATE visits SET url = 'http://h.test/other.html', key = 1 WHERE number = ?", (last,))
        database.commit()
    assert "other.html" in urls(project, "sailing", everything=True, limit=20)


# -- what is missing --------------------------------------------------------------------------------------


def test_without_an_archive_titles_are_searched_and_that_is_said(site: Path) -> None:
    project = project_of(site, "[store]\narchive = false\n")
    project.crawl()
    answer = search(project, "tidal")
    assert {hit.row.title for hit in answer.found.hits} == {"Tidal power", "Tidal and nuclear"}
    assert urls(project, "reactors") == []
    (note,) = answer.notes
    assert "no page has its text kept (store.archive is false)" in note


def test_a_lost_archive_file_is_told(project: Project) -> None:
    for file in project.archive.iterdir():
        file.unlink()
    (note,) = search(project, "tidal").notes
    assert "not in the archive" in note


def test_a_forgotten_page_is_in_no_text_and_no_index(project: Project) -> None:
    assert urls(project, "reactors") == ["tidal.html"]
    forget(project, "http://h.test/tidal.html")
    assert b"Tidal power" not in (project.library.folder / TEXTS).read_bytes()
    with closing(Texts(project.library.folder / TEXTS, 1)) as texts:
        assert not [row for row in texts.rows() if "reactors" in row.text]
        assert texts.counts() == {"main": 4}
    assert urls(project, "reactors") == []
    assert "nuclear.html" in urls(project, "tidal")


# -- texts ------------------------------------------------------------------------------------------------


def test_kept_texts_and_made_ones_are_the_same(project: Project, store: Store) -> None:
    rows = [row for row in store.visits.rows() if row.judged]
    made = list(project.library.texts(iter(rows), main=True))
    project.library.update(store)
    for file in project.archive.iterdir():
        file.unlink()
    assert list(project.library.texts(iter(rows), main=True)) == made
    assert {text.kind for _, text in made} == {"main"}
    assert {text.kind for _, text in project.library.texts(iter(rows), main=False)} == {"none"}


def test_many_pages_are_read_by_processes_in_their_order(project: Project, store: Store) -> None:
    rows = [row for row in store.visits.rows() if row.judged] * 40
    maker = Maker(project.archive, Formats(), main=False)
    alone = list(Making(maker).texts(rows))
    assert [row.number for row, _ in alone] == [row.number for row in rows]
    assert list(Making(maker, FEW, 2).texts(rows)) == alone


def test_texts_are_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    row = TextRow(1, "http://h.test/", "T", "h.test", "en", 1, "", "\ud800", "main", "text \ud800 of it")
    with closing(Texts(tmp_path / "texts.db", 1)) as texts:
        texts.add([row], 4)
        with pytest.raises(StoreError, match="next search makes it anew"):
            texts.add([replace(row, number=2), row], 9)
        assert (texts.last, texts.seen, texts.counts()) == (1, 4, {"main": 1})
        assert texts.many([1, 2])[1].text == "text ? of it"
    with closing(Texts(tmp_path / "texts.db", 1, read_only=True)) as texts, pytest.raises(StoreError, match="reading"):
        texts.add([row], 1)
    with closing(Texts(tmp_path / "none.db", 1, read_only=True)) as texts:
        assert (texts.last, texts.counts(), texts.many([1])) == (0, {}, {})
    with closing(Texts(tmp_path / "texts.db", 2, read_only=True)) as texts:
        assert texts.last == 0, "they are those of another crawl"


def test_pages_have_their_texts_and_can_be_filtered(project: Project) -> None:
    pages = project.pages(relevant=True, host="h.test", text="main")
    found = {page.url.rpartition("/")[2]: page for page in pages}
    assert set(found) == {"index.html", "tidal.html", "nuclear.html"}
    assert "reactors" in found["tidal.html"].text
    assert (found["tidal.html"].date, found["tidal.html"].author) == ("2021-03-04", "Ada Tide")
    assert len(pages) == 3
    assert [page.host for page in project.pages(language="de")] == ["sub.g.test"]
    assert not next(iter(project.pages())).text
    assert len(project.pages(topic="relevant")) + len(project.pages(topic="other")) == 5
    with pytest.raises(InputError, match="text='all'"):
        project.pages(text="all")


def test_pages_as_tables(project: Project) -> None:
    frame = project.pages(text="main").to_dataframe()
    table = project.pages(text="main").to_arrow()
    assert table.num_rows == len(frame) == 5
    assert table.column_names == [frame.index.name, *frame.columns]
    assert table["text"].to_pylist() == list(frame["text"])
    assert [str(kind) for kind in project.pages().to_arrow().schema.types].count("double") == 3
    assert "text" not in project.pages().to_arrow().column_names
