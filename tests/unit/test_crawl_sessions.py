"""Sessions of a crawl: what strategies and the journal are told of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from clew import Project
from clew.model import Session
from support import write_project

RELEVANT = {0, 4, 5, 7}


def test_a_session_counts_its_own_pages_and_those_of_the_crawl_with_them(tmp_path: Path) -> None:
    """A chain of ten pages, in sessions of three: 1, 2 and 1 relevant ones. The last page ends no session."""
    mirror = tmp_path / "mirror" / "a.test"
    mirror.mkdir(parents=True)
    for number in range(10):
        text = "sailing" if number in RELEVANT else "taxes"
        page = f"<html lang=en><p>{text} <a href={number + 1}.html>on</a>"
        (mirror / f"{number}.html").write_text(page, encoding="utf-8")
    settings = (
        f'[project]\nweb = "folder:{mirror.parent}"\n[strategy]\nname = "breadth-first"\n'
        '[judge]\nname = "keywords"\n[interest.keywords]\nsailing = 1.0\n'
        '[crawl]\nsession_pages = 3\ncontact = "me@example.org"\nworkers = 0\n'
    )
    project = Project(write_project(tmp_path / "p", ["http://a.test/0.html"], settings=settings))
    project.crawl()
    store = project.open_store(read_only=True)
    found = [row.session for row in store.journal.sessions()]
    store.close()
    assert [one.best_waiting for one in found] == [-3.0, -6.0, -9.0]
    assert [replace(one, best_waiting=0.0) for one in found] == [
        Session(1, 1, 3, fetched=3, relevant=1, fetched_total=3, relevant_total=1, best_waiting=0.0),
        Session(2, 4, 6, fetched=3, relevant=2, fetched_total=6, relevant_total=3, best_waiting=0.0),
        Session(3, 7, 9, fetched=3, relevant=1, fetched_total=9, relevant_total=4, best_waiting=0.0),
    ]
    assert [one.precision for one in found] == [1 / 3, 2 / 3, 1 / 3]
    assert [one.precision_total for one in found] == [1 / 3, 3 / 6, 4 / 9]
