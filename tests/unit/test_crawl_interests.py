"""A crawl that goes on under another interest: stored pages, links and strategy are as the new interest has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from clew import Project
from clew.crawl.interests import Change, change, recorded, standing_of, take_over_topics
from clew.errors import InputError
from clew.examples.refused import REFUSED, read_refused, write_refused
from clew.examples.visited import without_refused
from clew.model import OTHER
from clew.store.records import VisitRow
from clew.urls.canonical import keys

WORDS = {
    "sail": "sailing regatta harbour yacht wind mast skipper boat sea keel rudder jib",
    "chess": "chess opening gambit knight bishop rook checkmate endgame castling pawn",
    "cook": "recipe oven flour butter sugar kitchen dough simmer spice saucepan",
}

TOPICS = """\
Sport:
  topics:
    Sailing:
      examples: ["http://a.test/sail-0.html", "http://a.test/sail-1.html", "http://a.test/sail-2.html"]
    Chess:
      examples: ["http://a.test/chess-0.html", "http://a.test/chess-1.html", "http://a.test/chess-2.html"]
"""
COOKING = """\
Cooking:
  examples: ["http://a.test/cook-0.html", "http://a.test/cook-1.html", "http://a.test/cook-2.html"]
"""


def make(folder: Path, formula: str = "Sailing", topics: str = TOPICS, *, strategy: str = "best-first") -> Path:
    """Eight pages of each kind; each links to the next of every kind."""
    site = folder / "mirror" / "a.test"
    site.mkdir(parents=True)
    for kind, words in WORDS.items():
        for number in range(8):
            links = "".join(f"<a href={other}-{(number + 1) % 8}.html>{other}</a> " for other in WORDS)
            text = " ".join(f"{words} {kind}{number}".split() * 5)
            (site / f"{kind}-{number}.html").write_text(f"<html lang=en><p>{text}<p>{links}", encoding="utf-8")
    project = folder / "p"
    project.mkdir()
    (project / "seeds.txt").write_text("http://a.test/cook-3.html\n", encoding="utf-8")
    (project / "irrelevant.txt").write_text("http://a.test/cook-4.html\n", encoding="utf-8")
    (project / "topics.yaml").write_text(topics, encoding="utf-8")
    (project / "clew.toml").write_text(
        f'[project]\nweb = "folder:{site.parent}"\n[interest]\nformula = "{formula}"\n[judge]\nname = "naive-bayes"\n'
        f'[strategy]\nname = "{strategy}"\n[crawl]\nworkers = 0\nsession_pages = 5\ncommit_pages = 3\n'
        'contact = "me@example.org"\n',
        encoding="utf-8",
    )
    return project


@dataclass(frozen=True)
class Kept:
    rows: list[VisitRow]
    scores: np.ndarray
    topics: list[int]
    links: dict[int, tuple[float, ...]]
    decisions: list[str]

    @classmethod
    def of(cls, folder: Path) -> Kept:
        store = Project(folder).open_store(read_only=True)
        try:
            _, _, _, topics, _, _, scores, _ = store.visits.judged()
            links = {row: tuple(np.nan_to_num(kept, nan=-1).tolist()) for row, _, _, kept in store.links.rows()}
            kinds = [row.decision.kind for row in store.journal.decisions()]
            return cls(list(store.visits.rows()), scores, topics.tolist(), links, kinds)
        finally:
            store.close()

    def relevant(self, kind: str) -> set[bool]:
        return {row.relevant for row in self.rows if f"/{kind}-" in row.url}


def edit(project: Path, name: str, old: str, new: str) -> None:
    file = project / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("strategy", ["best-first", "clew", "apprentice"])
def test_another_formula_changes_what_stored_pages_count_and_what_their_links_are_worth(
    tmp_path: Path, strategy: str
) -> None:
    """The stored scores are what they were; relevance is the score of the topic that the formula names now."""
    project = make(tmp_path, strategy=strategy)
    Project(project).crawl(max_pages=12)
    before = Kept.of(project)
    assert before.relevant("sail") == {True} and before.relevant("chess") == {False}
    edit(project, "clew.toml", 'formula = "Sailing"', 'formula = "Chess"')
    Project(project).crawl(max_pages=12)  # nothing more is fetched
    after = Kept.of(project)
    assert [row.url for row in after.rows] == [row.url for row in before.rows]
    np.testing.assert_array_equal(after.scores, before.scores)
    assert after.relevant("sail") == {False} and after.relevant("chess") == {True}
    np.testing.assert_allclose([row.relevance for row in after.rows], after.scores[:, 2], rtol=1e-6)
    assert after.links != before.links
    assert after.decisions.count("interest changed") == 1
    store = Project(project).open_store(read_only=True)
    for row in after.rows:
        assert store.links.batch(row.number).source.relevance == pytest.approx(row.relevance)
    store.close()


def test_links_are_scored_as_in_a_crawl_that_had_the_new_formula_from_the_start(tmp_path: Path) -> None:
    """Best-first goes by relevance alone, so the scores of all links are those of the pages' new relevance."""
    project = make(tmp_path)
    Project(project).crawl(max_pages=12)
    edit(project, "clew.toml", 'formula = "Sailing"', 'formula = "Chess"')
    Project(project).crawl(max_pages=12)
    after = Kept.of(project)
    for row in after.rows:
        assert after.links[row.number] == pytest.approx((row.relevance,) * len(after.links[row.number]), abs=1e-6)


def test_a_higher_threshold_holds_for_stored_pages_too(tmp_path: Path) -> None:
    project = make(tmp_path)
    Project(project).crawl(max_pages=12)
    edit(project, "clew.toml", "[judge]\n", "[judge]\nthreshold = 1.0\n")
    Project(project).crawl(max_pages=12)
    rows = Kept.of(project).rows
    assert [row.relevant for row in rows] == [row.relevance >= 1.0 for row in rows]


def test_exclusions_are_taken_back_and_made(tmp_path: Path) -> None:
    project = make(tmp_path, "Sport and not Chess")
    Project(project).crawl(max_pages=12)
    assert Kept.of(project).relevant("chess") == {False}
    assert {row.reason for row in Kept.of(project).rows if "/chess-" in row.url} != {""}
    edit(project, "clew.toml", "Sport and not Chess", "Sport and not Sailing")
    Project(project).crawl(max_pages=12)
    after = Kept.of(project)
    assert after.relevant("chess") == {True} and after.relevant("sail") == {False}
    assert {row.reason for row in after.rows if "/chess-" in row.url} == {""}


def test_the_same_interest_changes_nothing_and_says_nothing(tmp_path: Path) -> None:
    project = make(tmp_path)
    Project(project).crawl(max_pages=12)
    before = Kept.of(project)
    Project(project).crawl(max_pages=12)
    after = Kept.of(project)
    assert (after.links, after.decisions) == (before.links, before.decisions)


@pytest.mark.parametrize("strategy", ["best-first", "clew", "ariadne", "bingo", "context-graph", "apprentice", "ache"])
def test_another_tree_is_taken_over_and_all_pages_are_judged_anew(tmp_path: Path, strategy: str) -> None:
    """A topic comes before the others: their columns move, the new one is judged, and strategies begin anew."""
    project = make(tmp_path, strategy=strategy)
    Project(project).crawl(max_pages=12)
    before = Kept.of(project)
    edit(project, "topics.yaml", "Sport:", f"{COOKING}Sport:")
    edit(project, "irrelevant.txt", "http://a.test/cook-4.html\n", "")
    edit(project, "clew.toml", 'formula = "Sailing"', 'formula = "Cooking"')
    Project(project).crawl(max_pages=12)
    after = Kept.of(project)
    assert before.scores.shape[1] == 3 and after.scores.shape[1] == 4
    assert after.relevant("cook") == {True} and after.relevant("sail") == {False}
    assert [row.topic for row in after.rows if "/sail-" in row.url] == [2] * sum("/sail-" in r.url for r in after.rows)
    Project(project).crawl(max_pages=18)
    assert len(Kept.of(project).rows) > 12
    assert Kept.of(project).decisions.count("interest changed") == 1


def test_topics_that_are_gone_take_their_examples_and_archetypes_with_them(tmp_path: Path) -> None:
    project = make(tmp_path, topics=TOPICS + COOKING)
    (project / "irrelevant.txt").write_text("", encoding="utf-8")
    Project(project).crawl(max_pages=12)
    store = Project(project).open_store()
    judged = store.visits.judged()
    store.journal.archetypes = {1: (2, 3), 2: (4,), 3: (5,)}
    store.commit()
    assert take_over_topics(store, ("Cooking", "Games", "Games/Chess"), {"Sport/Chess": "Games/Chess"})
    assert store.journal.archetypes == {0: (5,), 2: (4,)}
    topics = {line: topic for line, topic, _ in store.examples.all()}
    assert topics["http://a.test/chess-0.html"] == 2 and topics["http://a.test/cook-0.html"] == 0
    assert "http://a.test/sail-0.html" not in topics
    after = store.visits.judged()
    np.testing.assert_array_equal(after[6][:, 0], judged[6][:, 3])
    np.testing.assert_array_equal(after[6][:, 1], 0)
    np.testing.assert_array_equal(after[6][:, 2], judged[6][:, 2])
    moved = {0: OTHER, 1: OTHER, 2: 2, 3: 0, OTHER: OTHER}
    assert after[3].tolist() == [moved[topic] for topic in judged[3].tolist()]
    assert store.links.batch(0).source.scores.tolist() == [1, 1, 1]
    kept = recorded(store)
    assert kept is not None and kept.judge_anew and kept.topics == ("Cooking", "Games", "Games/Chess")
    assert not take_over_topics(store, ("Cooking", "Games", "Games/Chess"))
    store.close()


def test_another_name_alone_moves_nothing(tmp_path: Path) -> None:
    project = make(tmp_path)
    Project(project).crawl(max_pages=6)
    store = Project(project).open_store()
    named = ("Games", "Games/Sailing", "Games/Chess")
    renamed = {path: path.replace("Sport", "Games") for path in Project(project).interest.topics}
    assert not take_over_topics(store, named, renamed)
    kept = recorded(store)
    assert kept is not None and kept.topics == named and not kept.judge_anew
    store.close()


def test_what_changed_is_known(tmp_path: Path) -> None:
    project = make(tmp_path)
    interest = Project(project).interest
    Project(project).crawl(max_pages=6)
    store = Project(project).open_store(read_only=True)
    assert recorded(store) == standing_of(interest)
    assert change(store, interest) is Change.NOTHING
    edit(project, "clew.toml", 'formula = "Sailing"', 'formula = "Sport"')
    assert change(store, Project(project).interest) is Change.VERDICTS
    edit(project, "topics.yaml", "Sport:", "Games:")
    edit(project, "clew.toml", 'formula = "Sport"', 'formula = "Games"')
    assert change(store, Project(project).interest) is Change.TOPICS
    store.close()


# -- pages of which no archetypes are made ----------------------------------------------------------------


def test_refused_archetypes_are_a_list_of_urls(tmp_path: Path) -> None:
    file = tmp_path / REFUSED
    assert read_refused(file) == []
    write_refused(file, ["http://a.test/1", "http://a.test/2"])
    assert read_refused(file) == ["http://a.test/1", "http://a.test/2"]
    file.write_text("# why not\n\nhttp://A.test:80/1\nno url\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 4: .*'no url'"):
        read_refused(file)


def test_a_refused_archetype_teaches_the_judge_nothing_after_a_resume(tmp_path: Path) -> None:
    """Pages about cooking were made archetypes of sailing: refused, they are as if they had never been any."""
    project = make(tmp_path)
    Project(project).crawl(max_pages=12)
    store = Project(project).open_store()
    wrong = [row for row in store.visits.rows() if "/cook-" in row.url and row.url != "http://a.test/cook-4.html"]
    store.journal.archetypes = {1: tuple(row.number for row in wrong)}
    store.commit()
    left = without_refused(store, store.journal.archetypes, keys([wrong[0].url]))
    assert left == {1: tuple(row.number for row in wrong[1:])}
    store.close()

    def taught() -> set[str]:
        found: set[str] = set()

        def started(loop: object) -> None:
            found.update(one.url for one in loop.parts.view.training)  # type: ignore[attr-defined]

        from clew.crawl.running import Display
        from clew.project.assembly import CrawlOptions, crawl

        crawl(Project(project), CrawlOptions(max_pages=12), Display(started=started))
        return found

    assert {row.url for row in wrong} <= taught()
    write_refused(project / REFUSED, [row.url for row in wrong])
    assert not {row.url for row in wrong} & taught()
