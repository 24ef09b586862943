"""Labels that a user gives while a crawl runs: the judge is trained again after the next session."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Project
from clew.crawl.loop import Loop
from clew.crawl.running import Display
from clew.examples.training import held_back
from clew.model import Outcome, Response, Visit
from clew.project.assembly import CrawlOptions, crawl
from support import write_project

BOATS = "sailing boats with sails and masts leave the harbour for a regatta on the sea"
MUSIC = "violins and pianos play a sonata in the concert hall, an orchestra tunes its strings"
TAXES = "taxes and budgets are debated by ministers in parliament before the vote"


def site(folder: Path) -> Path:
    """A chain of 24 pages about music: a judge that knows boats and taxes calls none of them relevant."""
    mirror = folder / "mirror" / "a.test"
    mirror.mkdir(parents=True)
    for number in range(24):
        onward = f"<a href={number + 1}.html>on</a>"
        (mirror / f"{number}.html").write_text(f"<html lang=en><p>{MUSIC} {number} {onward}", encoding="utf-8")
    settings = (
        f'[project]\nweb = "folder:{mirror.parent}"\n[strategy]\nname = "breadth-first"\n[crawl]\nsession_pages = 6\n'
        'contact = "me@example.org"\nworkers = 0\n'
    )
    examples = {f"good{n}.html": f"<html lang=en><p>{BOATS} {n}" for n in range(3)}
    others = {f"bad{n}.html": f"<html lang=en><p>{TAXES} {n}" for n in range(3)}
    return write_project(folder / "p", ["http://a.test/0.html"], examples, others, settings)


def run(folder: Path, at: int, labels: str, taught: dict[int, set[str]] | None = None) -> dict[int, bool]:
    """Crawl; ``labels`` are written after visit ``at``. Visit number -> relevant. ``taught`` takes what strategies see
    at each visit of the pages that the judge was trained on."""

    def started(running: Loop) -> None:
        def visited(visit: Visit) -> None:
            if visit.number == at:
                (folder / "labels.tsv").write_text(labels, encoding="utf-8")
            if taught is not None:
                taught[visit.number] = {one.url for one in running.parts.view.training}

        running.on_visit = visited

    crawl(Project(folder), CrawlOptions(), Display(started=started))
    store = Project(folder).open_store(read_only=True)
    found = {row.number: row.relevant for row in store.visits.rows()}
    store.close()
    return found


def decisions(folder: Path) -> list[tuple[int, str]]:
    store = Project(folder).open_store(read_only=True)
    found = [(row.visit, row.decision.kind) for row in store.journal.decisions()]
    store.close()
    return found


def label(number: int, verdict: str) -> str:
    return f"http://a.test/{number}.html\t{verdict}\n"


def heard(last: int) -> list[int]:
    """Pages up to ``last`` whose label teaches, and is not held back."""
    return [number for number in range(last) if not held_back(f"http://a.test/{number}.html")]


def test_labels_change_what_is_relevant_from_the_next_session_on(tmp_path: Path) -> None:
    """Given after visit 8, heeded when session 2 ends with visit 12: page 13 is the first that is judged with them."""
    folder = site(tmp_path)
    found = run(folder, 8, "".join(label(number, "relevant") for number in heard(8)))
    assert [number for number, relevant in found.items() if relevant] == list(range(13, 25))
    assert decisions(folder) == [(12, "judge adopted")]


def test_when_all_labels_are_taken_back_the_judge_forgets_them(tmp_path: Path) -> None:
    """There from the beginning, taken back after visit 8: from page 13 on it is as if there had been none."""
    folder = site(tmp_path)
    given = "".join(label(number, "relevant") for number in heard(8))
    (folder / "labels.tsv").write_text(given, encoding="utf-8")
    store = Project(folder).open_store()
    for number in heard(8):  # pages of an earlier crawl would be at hand; the folder has them
        body = (folder.parent / "mirror" / "a.test" / f"{number}.html").read_bytes()
        page = Response(f"http://a.test/{number}.html", Outcome.OK, 200, (("Content-Type", "text/html"),), body)
        store.examples.add(page.url, 0, page)
    store.commit()
    store.close()
    found = run(folder, 8, given + "".join(label(number, "none") for number in heard(8)))
    assert [number for number, relevant in found.items() if relevant] == list(range(1, 13))
    assert decisions(folder) == [(0, "judge adopted"), (12, "judge adopted")]


def test_labels_that_make_the_judge_worse_are_logged_and_not_heeded(tmp_path: Path) -> None:
    """What is held back says irrelevant, what is not says relevant: pages that are all alike."""
    folder = site(tmp_path)
    kept = [number for number in range(8) if held_back(f"http://a.test/{number}.html")]
    if not kept:
        pytest.fail("no page among the first eight is held back: choose other names")
    lines = [label(number, "relevant") for number in heard(8)] + [label(number, "irrelevant") for number in kept]
    found = run(folder, 8, "".join(lines))
    assert not any(found.values())
    assert decisions(folder) == [(12, "judge refused")]


@pytest.mark.parametrize("heeded", [True, False])
def test_strategies_see_labels_from_when_the_judge_was_trained_on_them(tmp_path: Path, heeded: bool) -> None:
    """Given after visit 8. Labels that are held back are never trained on, and none is where these speak against it."""
    folder = site(tmp_path)
    spared = [number for number in range(8) if number not in heard(8)]
    against = "".join(label(number, "irrelevant") for number in spared)
    taught: dict[int, set[str]] = {}
    run(folder, 8, "".join(label(number, "relevant") for number in heard(8)) + ("" if heeded else against), taught)
    labelled = {f"http://a.test/{number}.html" for number in heard(8)}
    for number, urls in taught.items():
        assert urls - labelled == taught[1] and len(taught[1]) == 6
        assert urls & labelled == (labelled if heeded and number > 12 else set())
