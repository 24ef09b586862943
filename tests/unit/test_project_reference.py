"""A reference corpus learned from a project's own pages, and judges that take it (CFC-5, CFC-17)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clew import Project
from clew.errors import ConfigError, InputError
from clew.project.judging import train_judge
from clew.project.reference import learn_reference
from clew.text.terms import tokeniser
from support import clew_json, write_project

PAGES = 120


def project(folder: Path, pages: int, judge: str = "") -> Path:
    """A chain of pages: all hold "harbour", every third "regatta", one "sextant"."""
    mirror = folder / "mirror" / "a.test"
    mirror.mkdir(parents=True)
    for number in range(pages):
        words = "harbour " + "regatta " * (number % 3 == 0) + "sextant " * (number == 5)
        (mirror / f"{number}.html").write_text(
            f"<html lang=en><p>{words}<a href={number + 1}.html>on</a>", encoding="utf-8"
        )
    settings = (
        f'[project]\nweb = "folder:{mirror.parent}"\n[strategy]\nname = "breadth-first"\n[crawl]\nworkers = 0\n'
        f'contact = "me@example.org"\n[judge]\nname = "centroid"\n{judge}'
    )
    good = {"good.html": "<html lang=en><p>harbour regatta boats"}
    bad = {"bad.html": "<html lang=en><p>harbour taxes and ministers"}
    return write_project(folder / "p", ["http://a.test/0.html"], good, bad, settings)


def test_document_frequencies_are_those_of_the_pages(tmp_path: Path) -> None:
    folder = project(tmp_path, PAGES)
    Project(folder).crawl()
    found = learn_reference(Project(folder))
    ids = tokeniser("en").ids("harbour regatta sextant zeppelin")
    assert found.documents == PAGES
    np.testing.assert_array_equal(found.df_of(ids), [120, 40, 1, 0])
    np.testing.assert_allclose(found.idf(ids), np.log([1, 3, 120, 120]))


def test_a_judge_takes_it_when_the_settings_say_so(tmp_path: Path) -> None:
    folder = project(tmp_path, PAGES)
    Project(folder).crawl()
    assert clew_json("topics", folder, "--learn-reference")["pages"] == PAGES
    toml = folder / "clew.toml"
    plain = train_judge(Project(folder)).judge
    toml.write_text(toml.read_text() + 'reference = "crawl"\n', encoding="utf-8")
    judge = train_judge(Project(folder)).judge
    term = tokeniser("en").ids("harbour")[0]
    idf = [one.vectors.idf[np.searchsorted(one.vocabulary.ids, term)] for one in (plain, judge)]  # type: ignore[attr-defined]
    # On every page of the crawl: 1,000 general pages and both examples hold it, log(1 + ~1002 / 1003) = log 2
    assert idf[1] == pytest.approx(np.log1p(1002 / 1003))
    assert idf[0] > 2 * idf[1]


def test_too_few_pages_and_nothing_learned_are_said_clearly(tmp_path: Path) -> None:
    folder = project(tmp_path, 7)
    Project(folder).crawl()
    with pytest.raises(InputError, match="holds 7 pages that were read; 100 are needed"):
        learn_reference(Project(folder))
    toml = folder / "clew.toml"
    toml.write_text(toml.read_text() + 'reference = "crawl"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="nothing was learned yet"):
        train_judge(Project(folder))
    toml.write_text(toml.read_text().replace('"crawl"', '"books"'), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"\[judge.centroid\] reference: 'books' is none of: words, table, crawl"):
        train_judge(Project(folder))


def test_the_table_that_ships(tmp_path: Path) -> None:
    folder = project(tmp_path, 7, 'reference = "table"\n')
    judge = train_judge(Project(folder)).judge
    assert judge.judge([judge_page(folder)])[0].scores[0] > 0


def judge_page(folder: Path):  # type: ignore[no-untyped-def]
    from support import text_page

    return text_page("harbour regatta boats")
