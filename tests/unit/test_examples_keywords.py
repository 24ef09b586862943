"""Queries as keywords, and crawls in Python that are told in words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from clew import Crawl, Examples
from clew.errors import InputError
from clew.examples.keywords import keywords_of


@pytest.mark.parametrize(
    ("query", "language", "words"),
    [
        ("planets, moons, stars and galaxies", "en", ["planets", "moons", "stars", "galaxies"]),
        ("The Moon and the moons", "en", ["moon"]),
        ("black-hole C++ 3D 1234567", "en", ["black", "hole", "3d"]),
        ("die Sterne und der Planet", "de", ["sterne", "planet"]),
        ("行星和恒星", "zh", ["行星", "星和", "和恒", "恒星"]),
        ("the of and", "en", []),
        ("", "en", []),
    ],
)
def test_a_query_is_its_content_words(query: str, language: str, words: list[str]) -> None:
    assert keywords_of(query, language) == dict.fromkeys(words, 1.0)
    assert list(keywords_of(query, language)) == words


def test_keywords_outweigh_the_query() -> None:
    examples = Examples(query="moons of the planets", keywords={"moons": 3.0, "red dwarf": 0.5})
    assert examples.words == {"moons": 3.0, "planets": 1.0, "red dwarf": 0.5}
    assert Examples(relevant=["http://a.test/"]).words == {}


def test_a_query_without_content_is_refused() -> None:
    with pytest.raises(InputError, match="Examples\\(query='the of'\\) has no word"):
        Examples(query="the of")


def test_a_crawl_is_judged_by_the_words_of_the_query(tmp_path: Path) -> None:
    folder = tmp_path / "a.test"
    folder.mkdir()
    for name, words in (("start", "<a href=moon.html>a page</a>"), ("moon", "the moons of a planet")):
        (folder / f"{name}.html").write_text(f"<html lang=en><p>{words}</p>")
    seeds, examples = ["http://a.test/start.html"], Examples(query="the moon of a planet")
    crawl = Crawl(seeds, examples, world=f"folder:{tmp_path}", judge="keywords")
    crawl.run_sync()
    assert [page.relevance for page in crawl.pages()] == pytest.approx([0.0, 1 - math.exp(-1)], abs=1e-6)
