"""judge.threshold = 0: the least relevant start page sets it (Ester and others 2001, section 3.2; ARI-18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Project
from clew.errors import TrainingError
from clew.examples.sources import START, Wanted
from clew.project.judging import judge_pages
from support import clew, write_project

SAILING = {"strong": "sailing regatta boats", "fair": "sailing boats", "weak": "boats"}
PAD = " harbour wind water coast" * 10
PAGES = {
    **{name: f"{text}{PAD}" for name, text in SAILING.items()},
    "other": "taxes ministers" + PAD,
}


def project(folder: Path, seeds: list[str], relevant: str = "", irrelevant: str = "", extra: str = "") -> Project:
    mirror = folder / "mirror" / "a.test"
    mirror.mkdir(parents=True)
    for name, text in PAGES.items():
        links = "".join(f"<a href={other}.html>{other}</a>" for other in PAGES)
        (mirror / f"{name}.html").write_text(f"<html lang=en><p>{text} {links}", encoding="utf-8")
    settings = (
        f'[project]\nweb = "folder:{mirror.parent}"\n[strategy]\nname = "breadth-first"\n[judge]\nname = "keywords"\n'
        "threshold = 0\n[interest.keywords]\nsailing = 1.0\nregatta = 1.0\nboats = 1.0\n"
        '[crawl]\nworkers = 0\ncontact = "me@example.org"\n'
    )
    made = write_project(folder / "p", [url(name) for name in seeds], settings=settings + extra)
    for name, lines in (("relevant.txt", relevant), ("irrelevant.txt", irrelevant)):
        (made / name).write_text("".join(f"{url(line)}\n" for line in lines.split()), encoding="utf-8")
    return Project(made)


def url(name: str) -> str:
    return f"http://a.test/{name}.html"


def relevances(found: Project) -> dict[str, float]:
    verdicts = judge_pages(found, [Wanted(url(name), START, "") for name in PAGES])
    return {one.page.rpartition("/")[2].removesuffix(".html"): one.relevance for one in verdicts}


def threshold(found: Project) -> float:
    store = found.open_store(read_only=True)
    try:
        run = store.journal.last_run()
        assert run is not None
        return run.threshold
    finally:
        store.close()


def counts(found: Project) -> dict[str, int]:
    store = found.open_store(read_only=True)
    try:
        return dict(store.journal.ledger())
    finally:
        store.close()


def test_the_start_pages_set_it_and_not_the_examples(tmp_path: Path) -> None:
    """The weak page is an example and lies below the threshold; the fair one is the least of those to start from."""
    found = project(tmp_path, ["strong", "fair"], "weak")
    found.crawl()
    value = relevances(found)
    assert 0 < value["weak"] < value["fair"] < value["strong"]
    assert threshold(found) == value["fair"]
    store = found.open_store(read_only=True)
    relevant = {row.url for row in store.visits.rows(relevant=True)}
    store.close()
    assert relevant == {url("strong"), url("fair")}


def test_a_start_page_that_is_an_example_counts_and_is_fetched_once(tmp_path: Path) -> None:
    found = project(tmp_path, ["strong", "fair"], "fair")
    found.crawl()
    assert threshold(found) == relevances(found)["fair"]
    assert counts(found)["examples"] == 2


def test_start_pages_known_to_be_about_something_else_do_not_count(tmp_path: Path) -> None:
    found = project(tmp_path, ["strong", "weak"], "", "weak")
    found.crawl()
    assert threshold(found) == relevances(found)["strong"]


def test_start_pages_out_of_scope_are_not_asked_for(tmp_path: Path) -> None:
    found = project(tmp_path, ["strong", "weak"], extra='[scope]\nexclude_paths = ["/weak"]\n')
    found.crawl()
    assert threshold(found) == relevances(found)["strong"]
    assert counts(found)["examples"] == 1


def test_start_pages_that_cannot_help_and_a_low_threshold_are_named(tmp_path: Path) -> None:
    found = project(tmp_path, ["strong", "gone", "weak"])
    said = clew("crawl", found.path)
    heard = " ".join((said.stdout + said.stderr).split())
    assert "reading 3 start pages" in heard
    assert f"{url('gone')}: not in the mirror: cannot help to set the threshold" in heard
    weak = relevances(found)["weak"]
    assert threshold(found) == weak < 0.5
    assert f"pages are relevant from {weak:.3g} on, for the start page {url('weak')} is no more" in heard


def test_a_crawl_that_goes_on_has_the_same_threshold_and_asks_for_nothing_again(tmp_path: Path) -> None:
    found = project(tmp_path, ["strong", "fair"])
    found.crawl(max_pages=1)
    before, asked = threshold(found), counts(found)["examples"]
    found.crawl()
    assert (threshold(found), counts(found)["examples"]) == (before, asked) == (relevances(found)["fair"], 2)


def test_a_start_page_that_is_added_later_does_not_move_it(tmp_path: Path) -> None:
    found = project(tmp_path, ["strong", "fair"])
    found.crawl(max_pages=1)
    with (found.path / "seeds.txt").open("a", encoding="utf-8") as seeds:
        seeds.write(f"{url('weak')}\n")
    found = Project(found.path)
    found.crawl()
    assert threshold(found) == relevances(found)["fair"] > relevances(found)["weak"]


def test_a_threshold_that_is_given_needs_no_start_page(tmp_path: Path) -> None:
    found = project(tmp_path, ["strong", "fair"])
    toml = found.path / "clew.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace("threshold = 0\n", "threshold = 0.25\n"), encoding="utf-8")
    found = Project(found.path)
    found.crawl()
    assert threshold(found) == 0.25 and counts(found).get("examples", 0) == 0


def test_without_a_relevant_start_page_there_is_no_threshold(tmp_path: Path) -> None:
    found = project(tmp_path, ["other"])
    with pytest.raises(TrainingError, match="start from pages that are wanted themselves"):
        found.crawl()


@pytest.mark.parametrize(("verdict", "least"), [("relevant", "weak"), ("irrelevant", "strong")])
def test_labels_on_start_pages_are_heeded(tmp_path: Path, verdict: str, least: str) -> None:
    found = project(tmp_path, ["strong", "weak"])
    (found.path / "labels.tsv").write_text(f"{url('weak')}\t{verdict}\n", encoding="utf-8")
    found.crawl()
    assert threshold(found) == relevances(found)[least]
