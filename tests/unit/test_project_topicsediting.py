"""Topics, examples, interest and archetypes of a project, edited: nothing is lost, and what names topics follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Project
from clew.crawl.interests import recorded
from clew.errors import FormulaError, InputError, ProjectError, TrainingError
from clew.examples.labels import LABELS, read_labels
from clew.examples.refused import REFUSED, read_refused
from clew.project.archetypes import adopt, allow, archetypes, refuse
from clew.project.edits import running, stamp
from clew.project.examplesediting import add_example, examples_of, move_example, remove_example
from clew.project.interestediting import save_interest
from clew.project.previewing import ScoreCache, preview
from clew.project.topicsediting import add_topic, change_topic, make_tree, remove_topic, untaught
from clew.topics.topicsfile import TopicSpec, read_topics

TREE = """\
# what I like
# since 2020
Sport:
  description: Games and boats
  topics:
    Sailing:
      keywords: {boat: 1, regatta: 0.5}
      examples: ["http://a.test/sail-0.html", "http://a.test/sail-1.html"]
      seeds: ["http://a.test/sail-9.html"]
    Chess:
      examples: ["http://a.test/chess-0.html"]   # the best one
Cooking:
  examples: ["http://a.test/cook-0.html"]
"""
WORDS = {
    "sail": "sailing regatta harbour yacht wind mast skipper boat sea keel rudder jib",
    "chess": "chess opening gambit knight bishop rook checkmate endgame castling pawn",
    "cook": "recipe oven flour butter sugar kitchen dough simmer spice saucepan",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Six pages of each kind, each linked to the next of every kind; not crawled yet."""
    site = tmp_path / "mirror" / "a.test"
    site.mkdir(parents=True)
    for kind, words in WORDS.items():
        for number in range(6):
            links = "".join(f"<a href={other}-{(number + 1) % 6}.html>{other}</a> " for other in WORDS)
            text = " ".join(f"{words} {kind}{number}".split() * 5)
            page = f"<html lang=en><title>{kind} {number}</title><p>{text}<p>{links}"
            (site / f"{kind}-{number}.html").write_text(page, encoding="utf-8")
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "seeds.txt").write_text("http://a.test/cook-3.html\n", encoding="utf-8")
    (folder / "topics.yaml").write_text(TREE, encoding="utf-8")
    (folder / "clew.toml").write_text(
        f'[project]\nweb = "folder:{site.parent}"\n[interest]\nformula = "sailing or Cooking"  # both\n[judge]\n'
        'name = "naive-bayes"\n[strategy]\nname = "best-first"\n[crawl]\nworkers = 0\ncontact = "me@example.org"\n',
        encoding="utf-8",
    )
    return folder


def specs(folder: Path) -> dict[str, TopicSpec]:
    return {"/".join(one.path): one for one in read_topics(folder / "topics.yaml")}


# -- the tree ---------------------------------------------------------------------------------------------


def test_a_topic_is_renamed_with_all_below_it_and_nothing_is_lost(project: Path) -> None:
    edited = change_topic(Project(project), "Sport", name="Games")
    assert edited.path == "Games"
    found = specs(project)
    assert list(found) == ["Games", "Games/Sailing", "Games/Chess", "Cooking"]
    assert found["Games"].description == "Games and boats"
    sailing = found["Games/Sailing"]
    assert sailing.keywords == {"boat": 1.0, "regatta": 0.5}
    assert sailing.examples == ("http://a.test/sail-0.html", "http://a.test/sail-1.html")
    assert sailing.seeds == ("http://a.test/sail-9.html",)


def test_comments_at_the_beginning_stay_and_a_copy_keeps_the_others(project: Path) -> None:
    change_topic(Project(project), "Cooking", name="Kitchen")
    change_topic(Project(project), "Sport", name="Games")
    assert (project / "topics.yaml").read_text(encoding="utf-8").startswith("# what I like\n# since 2020\nGames:\n")
    assert (project / "topics.yaml.bak").read_text(encoding="utf-8") == TREE


def test_formula_and_labels_follow_a_topic(project: Path) -> None:
    """ "sailing" still finds the moved topic, "Cooking" is no name any more."""
    (project / LABELS).write_text(
        "# mine\nhttp://a.test/1\tSport/Sailing\nhttp://a.test/2\tCooking\nhttp://a.test/3\tirrelevant\n",
        encoding="utf-8",
    )
    change_topic(Project(project), "Cooking", name="Kitchen")
    assert Project(project).settings.interest.formula == "Sport/Sailing or Kitchen"
    assert "# both" not in (project / "clew.toml").read_text(encoding="utf-8")
    change_topic(Project(project), "Sport/Sailing", parent="Kitchen")
    assert Project(project).settings.interest.formula == "Kitchen/Sailing or Kitchen"
    verdicts = {one.line: one.verdict for one in read_labels(project / LABELS)}
    assert verdicts == {
        "http://a.test/1": "Kitchen/Sailing", "http://a.test/2": "Kitchen", "http://a.test/3": "irrelevant"
    }  # fmt: skip
    assert (project / LABELS).read_text(encoding="utf-8").startswith("# mine\n")


def test_a_formula_that_means_the_same_stays_as_it_is_written(project: Path) -> None:
    change_topic(Project(project), "Sport/Sailing", parent="Cooking")
    assert list(specs(project)) == ["Sport", "Sport/Chess", "Cooking", "Cooking/Sailing"]
    assert Project(project).settings.interest.formula == "sailing or Cooking"
    assert "# both" in (project / "clew.toml").read_text(encoding="utf-8")


def test_a_topic_is_added_below_another_or_at_the_first_level(project: Path) -> None:
    spec = TopicSpec(("Racing",), "Regattas\n and races", {"race": 2.0}, ("http://a.test/sail-2.html",))
    assert add_topic(Project(project), "Sport/Sailing", spec).path == "Sport/Sailing/Racing"
    assert add_topic(Project(project), "", TopicSpec((" Cars ",))).path == "Cars"
    found = specs(project)
    assert list(found) == ["Sport", "Sport/Sailing", "Sport/Sailing/Racing", "Sport/Chess", "Cooking", "Cars"]
    assert found["Sport/Sailing/Racing"].description == "Regattas and races"
    assert found["Sport/Sailing/Racing"].keywords == {"race": 2.0}


def test_a_topic_is_removed_with_those_below_and_the_labels_that_name_them(project: Path) -> None:
    (project / LABELS).write_text("http://a.test/1\tChess\nhttp://a.test/2\tCooking\n", encoding="utf-8")
    said = remove_topic(Project(project), "Sport/Chess").done
    assert "1 label" in said
    assert list(specs(project)) == ["Sport", "Sport/Sailing", "Cooking"]
    assert [one.line for one in read_labels(project / LABELS)] == ["http://a.test/2"]


def test_what_cannot_be_done_says_why_and_changes_nothing(project: Path) -> None:
    opened = Project(project)
    before = {path.name: path.read_bytes() for path in project.iterdir()}
    with pytest.raises(InputError, match="the formula names Sport/Sailing: change the formula first"):
        remove_topic(opened, "Sport")
    with pytest.raises(InputError, match="'Sport/Chess' already"):
        change_topic(opened, "Sport/Sailing", name="Chess")
    with pytest.raises(InputError, match="below itself"):
        change_topic(opened, "Sport", parent="Sport/Chess")
    with pytest.raises(InputError, match="no topic 'Nothing'"):
        change_topic(opened, "Nothing", name="x")
    with pytest.raises(InputError, match="name of a topic is empty"):
        add_topic(opened, "", TopicSpec((" \x00 ",)))
    with pytest.raises(InputError, match="no topic 'No'"):
        add_topic(opened, "No", TopicSpec(("x",)))
    assert {path.name: path.read_bytes() for path in project.iterdir()} == before


def test_the_last_topic_and_an_untaught_one_that_is_wanted_are_refused(project: Path) -> None:
    save_interest(Project(project), "")
    with pytest.raises(InputError, match="Cars is empty"):
        add_topic(Project(project), "", TopicSpec(("Cars",)))
    remove_topic(Project(project), "Sport")
    with pytest.raises(InputError, match="the last topic"):
        remove_topic(Project(project), "Cooking")


def test_changes_that_collide_are_refused(project: Path) -> None:
    opened = Project(project)
    seen = stamp(opened)
    change_topic(opened, "Sport", name="Games", known=seen)
    assert stamp(opened) != seen
    with pytest.raises(ProjectError, match="changed meanwhile"):
        change_topic(opened, "Cooking", name="Kitchen", known=seen)
    change_topic(opened, "Cooking", name="Kitchen")  # though opened before: the files count
    assert list(specs(project)) == ["Games", "Games/Sailing", "Games/Chess", "Kitchen"]


def test_what_was_crawled_moves_with_the_topics_and_the_next_run_judges_it_anew(project: Path) -> None:
    Project(project).crawl(max_pages=10)
    store = Project(project).open_store(read_only=True)
    before = store.visits.judged()
    store.close()
    said = add_topic(Project(project), "Sport/Sailing", TopicSpec(("Racing",), "Regattas")).done
    assert "judges the stored pages anew" in said
    store = Project(project).open_store(read_only=True)
    after, kept = store.visits.judged(), recorded(store)
    store.close()
    assert kept is not None and kept.judge_anew and kept.topics == Project(project).interest.topics
    assert after[6].shape[1] == 5
    assert after[6][:, 4].tolist() == before[6][:, 3].tolist() and not after[6][:, 2].any()
    assert after[3].tolist() == [{2: 3, 3: 4}.get(topic, topic) for topic in before[3].tolist()]
    assert untaught(Project(project)) == ["Sport/Sailing/Racing"]
    with pytest.raises(TrainingError, match="Racing"):
        Project(project).crawl(max_pages=14)
    add_example(Project(project), "Sport/Sailing/Racing", "http://a.test/sail-2.html")
    Project(project).crawl(max_pages=14)
    store = Project(project).open_store(read_only=True)
    kept = recorded(store)
    store.close()
    assert kept is not None and not kept.judge_anew


def test_while_a_crawl_runs_the_tree_stays_but_descriptions_and_examples_may_change(project: Path) -> None:
    Project(project).crawl(max_pages=4)
    assert not running(Project(project))
    store = Project(project).open_store()
    try:
        assert running(Project(project))
        with pytest.raises(ProjectError, match="a crawl is running"):
            change_topic(Project(project), "Sport", name="Games")
        change_topic(Project(project), "Sport", description="All of it")
        add_example(Project(project), "Cooking", "http://a.test/cook-1.html")
    finally:
        store.close()
    assert specs(project)["Sport"].description == "All of it"
    assert "Games" not in specs(project)


def test_a_project_of_one_topic_becomes_one_with_a_tree(project: Path) -> None:
    (project / "topics.yaml").unlink()
    (project / "page.html").write_text("<p>sailing", encoding="utf-8")
    (project / "relevant.txt").write_text("# mine\nhttp://a.test/sail-0.html\npage.html\n", encoding="utf-8")
    (project / "irrelevant.txt").write_text("http://a.test/cook-0.html\n", encoding="utf-8")
    save_text = (project / "clew.toml").read_text(encoding="utf-8").replace("sailing or Cooking", "")
    (project / "clew.toml").write_text(save_text, encoding="utf-8")
    Project(project).crawl(max_pages=5)
    make_tree(Project(project), "Boats")
    opened = Project(project)
    assert opened.interest.topics == ("Boats",)
    assert [(one.line.rpartition("/")[2], one.topic) for one in opened.wanted()] == [
        ("page.html", 0), ("sail-0.html", 0), ("cook-0.html", -1)
    ]  # fmt: skip
    assert (project / "relevant.txt").read_text(encoding="utf-8") == "# mine\npage.html\n"
    opened.crawl(max_pages=8)
    with pytest.raises(InputError, match="has a tree"):
        make_tree(Project(project), "Again")


# -- examples ---------------------------------------------------------------------------------------------


def test_examples_are_added_moved_and_removed(project: Path) -> None:
    opened = Project(project)
    add_example(opened, "Sport/Chess", "http://A.test/chess-1.html#x")
    assert specs(project)["Sport/Chess"].examples == ("http://a.test/chess-0.html", "http://a.test/chess-1.html")
    move_example(opened, "Sport/Chess", "http://a.test/chess-1.html", "irrelevant")
    assert specs(project)["Sport/Chess"].examples == ("http://a.test/chess-0.html",)
    assert (project / "irrelevant.txt").read_text(encoding="utf-8") == "http://a.test/chess-1.html\n"
    move_example(opened, "irrelevant", "http://a.test/chess-1.html", "Cooking")
    assert (project / "irrelevant.txt").read_text(encoding="utf-8") == ""
    remove_example(opened, "Cooking", "http://a.test/cook-0.html")
    assert specs(project)["Cooking"].examples == ("http://a.test/chess-1.html",)


def test_lists_keep_their_comments_and_take_local_pages(project: Path) -> None:
    (project / "page.html").write_text("<p>x", encoding="utf-8")
    (project / "irrelevant.txt").write_text("# no\nhttp://a.test/1\n\n# never\nhttp://a.test/2\n", encoding="utf-8")
    add_example(Project(project), "irrelevant", "page.html")
    remove_example(Project(project), "irrelevant", "http://a.test/1")
    text = (project / "irrelevant.txt").read_text(encoding="utf-8")
    assert text == "# no\n\n# never\nhttp://a.test/2\npage.html\n"


def test_examples_that_are_none_are_refused(project: Path) -> None:
    (project / "page.html").write_text("<p>x", encoding="utf-8")
    opened = Project(project)
    for page, why in (
        ("ftp://a.test/", "neither an http"), ("http://", "no http"), ("", "an example is"), ("# x", "an example is"),
        ("a\x00b", "an example is"), ("page.html", "take URLs"), ("http://a.test/cook-0.html", "of Cooking already"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=why):
            add_example(opened, "Sport/Chess", page)
    with pytest.raises(InputError, match="no topic 'x'"):
        add_example(opened, "x", "http://a.test/9")
    with pytest.raises(InputError, match="is no example of Cooking"):
        remove_example(opened, "Cooking", "http://a.test/9")
    with pytest.raises(InputError, match="already"):
        move_example(opened, "Cooking", "http://a.test/cook-0.html", "Cooking")
    assert (project / "topics.yaml").read_text(encoding="utf-8") == TREE


def test_each_example_says_whether_it_was_read(project: Path) -> None:
    add_example(Project(project), "Cooking", "http://a.test/gone.html")
    assert {one.state for one in examples_of(Project(project), "Cooking")} == {"unread"}
    Project(project).crawl(max_pages=6)
    (project / LABELS).write_text("http://a.test/cook-0.html\tCooking\n", encoding="utf-8")
    add_example(Project(project), "Cooking", "http://a.test/cook-5.html")
    store = Project(project).open_store(read_only=True)
    found = {one.line[14:]: one for one in examples_of(Project(project), "Cooking", store)}
    assert {name: one.state for name, one in found.items()} == {
        "cook-0.html": "read", "gone.html": "missing", "cook-5.html": "unread"
    }  # fmt: skip
    assert found["cook-0.html"].label == "Cooking"
    assert [one.line[14:] for one in examples_of(Project(project), "Cooking", store, 1, 1)] == ["gone.html"]
    store.close()


def test_an_example_that_moves_is_not_fetched_again(project: Path) -> None:
    Project(project).crawl(max_pages=3)
    add_example(Project(project), "Cooking", "http://a.test/cook-1.html")
    move_example(Project(project), "Cooking", "http://a.test/cook-0.html", "Sport/Chess")
    store = Project(project).open_store(read_only=True)
    asked = store.journal.ledger()["examples"]
    store.close()
    Project(project).crawl(max_pages=4)
    store = Project(project).open_store(read_only=True)
    assert ("http://a.test/cook-0.html", 2) in store.examples.names()
    assert store.journal.ledger()["examples"] == asked + 1  # cook-1 alone
    store.close()


# -- the formula ------------------------------------------------------------------------------------------


def test_formula_and_threshold_are_saved_where_they_stand(project: Path) -> None:
    save_interest(Project(project), 'Chess and not "Cooking"', 0.75)
    text = (project / "clew.toml").read_text(encoding="utf-8")
    settings = Project(project).settings
    assert (settings.interest.formula, settings.judge.threshold) == ('Chess and not "Cooking"', 0.75)
    assert text.count("formula =") == 1 and '[judge]\nthreshold = 0.75\nname = "naive-bayes"' in text
    save_interest(Project(project), threshold=0.25)
    assert Project(project).settings.judge.threshold == 0.25
    assert Project(project).settings.interest.formula == 'Chess and not "Cooking"'


def test_a_comment_beside_the_threshold_stays(project: Path) -> None:
    """One beside the formula goes: it told of the old one."""
    path = project / "clew.toml"
    save_interest(Project(project), "Chess", 0.75)
    text = path.read_text(encoding="utf-8").replace("0.75", "0.75  # tried").replace('"Chess"', '"Chess" # mine')
    path.write_text(text, encoding="utf-8")
    save_interest(Project(project), "Chess or Cooking", 0.5)
    text = path.read_text(encoding="utf-8")
    assert "threshold = 0.5  # tried\n" in text and "# mine" not in text


def test_a_wrong_formula_is_not_saved_and_says_where(project: Path) -> None:
    before = (project / "clew.toml").read_bytes()
    with pytest.raises(FormulaError) as told:
        save_interest(Project(project), "Chess and (Cook")
    assert (told.value.start, told.value.reason) == (10, 'the "(" opened here is not closed; add ")"')
    assert (project / "clew.toml").read_bytes() == before


def test_a_preview_counts_what_a_crawl_under_the_formula_counts(project: Path) -> None:
    """What it says before is what the store says after the formula was saved and the crawl went on."""
    Project(project).crawl(max_pages=15)
    cache = ScoreCache()

    def tried(formula: str, threshold: float | None = None) -> tuple[int, int, int, int]:
        store = Project(project).open_store(read_only=True)
        found = preview(Project(project), store, cache, formula, threshold)
        store.close()
        assert not found.problem
        assert found.then - found.now == found.more - found.fewer
        return found.judged, found.now, found.then, found.more

    def relevant() -> int:
        store = Project(project).open_store(read_only=True)
        count = int(store.visits.relevant().sum())
        store.close()
        return count

    assert tried("sailing or Cooking") == (15, relevant(), relevant(), 0)
    for formula, threshold in (("Chess", 0.5), ("Sport and not Chess", 0.5), ("Cooking", 0.99), ("ANY", 0.5)):
        then = tried(formula, threshold)[2]
        save_interest(Project(project), formula, threshold)
        Project(project).crawl(max_pages=15)
        assert relevant() == then
        assert tried(formula) == (15, then, then, 0)
    Project(project).crawl(max_pages=18)  # pages come: the cache follows
    assert tried("ANY")[0] == 18


def test_a_preview_shows_the_clearest_pages_that_turn(project: Path) -> None:
    Project(project).crawl(max_pages=15)
    store = Project(project).open_store(read_only=True)
    found = preview(Project(project), store, ScoreCache(), "Chess")
    rows = list(store.visits.rows())
    store.close()
    chess = [row for row in rows if "/chess-" in row.url]
    assert {one.url for one in found.newly} == {row.url for row in chess} and found.more == len(chess)
    assert [one.relevance for one in found.newly] == sorted((one.relevance for one in found.newly), reverse=True)
    assert found.newly[0].title.startswith("chess ")
    assert {one.path: (one.now > 0, one.then > 0) for one in found.topics} == {
        "Sport/Sailing": (True, False), "Sport/Chess": (False, True), "Cooking": (True, False)
    }  # fmt: skip


def test_a_preview_says_what_is_wrong_and_what_is_not_known(project: Path) -> None:
    cache, opened = ScoreCache(), Project(project)
    assert preview(opened, None, cache, "Chess and").start == 9
    assert "no topic is called 'Chss'" in preview(opened, None, cache, "Chss").problem
    assert "nothing was crawled" in preview(opened, None, cache, "Chess").note
    Project(project).crawl(max_pages=5)
    store = opened.open_store(read_only=True)
    assert "measured" in preview(opened, store, cache, "Chess", 0.0).note
    (project / "topics.yaml").write_text(TREE.replace("Cooking", "Kitchen"), encoding="utf-8")
    (project / "clew.toml").write_text(
        (project / "clew.toml").read_text(encoding="utf-8").replace(" or Cooking", ""), encoding="utf-8"
    )
    found = preview(Project(project), store, cache, "Kitchen")
    assert (found.then, "tree of topics changed" in found.note) == (0, True)
    store.close()


# -- archetypes -------------------------------------------------------------------------------------------


def test_archetypes_are_listed_adopted_refused_and_allowed_again(project: Path) -> None:
    Project(project).crawl(max_pages=15)
    store = Project(project).open_store()
    pages = {row.url[14:]: row for row in store.visits.rows()}
    store.journal.archetypes = {1: (pages["sail-4.html"].number, pages["cook-4.html"].number)}
    store.commit()
    store.close()

    def states() -> dict[str, tuple[str, str]]:
        store = Project(project).open_store(read_only=True)
        found = archetypes(Project(project), store, ScoreCache())
        store.close()
        return {one.url[14:]: (one.topic, one.state) for one in found}

    first = states()
    assert first["sail-4.html"] == ("Sport/Sailing", "archetype") == first["cook-4.html"]
    assert first["sail-5.html"] == ("Sport/Sailing", "offered")
    assert not {"sail-0.html", "cook-0.html"} & first.keys()  # examples
    assert not any(name.startswith("chess") for name in first)  # not wanted
    refuse(Project(project), "http://a.test/cook-4.html")
    adopt(Project(project), "http://a.test/sail-5.html", "Sport/Sailing")
    assert states()["cook-4.html"] == ("Cooking", "refused")
    assert read_refused(project / REFUSED) == ["http://a.test/cook-4.html"]
    assert read_labels(project / LABELS)[0].verdict == "Sport/Sailing"
    allow(Project(project), "http://a.test/cook-4.html")
    assert states()["cook-4.html"] == ("Sport/Sailing", "archetype")
    with pytest.raises(InputError, match="is not refused"):
        allow(Project(project), "http://a.test/cook-4.html")
    with pytest.raises(InputError, match="no topic is called"):
        adopt(Project(project), "http://a.test/sail-5.html", "Nothing")
    with pytest.raises(InputError, match="not a URL"):
        refuse(Project(project), "nothing")
