"""The API of topics, examples, formula and archetypes: each route, each parameter, each error."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from clew import Project
from clew.dashboard import studies
from clew.dashboard.app import plain_app
from clew.dashboard.projects import Shelf
from clew.project.previewing import Columns, ScoreCache
from clew.store.base import Store
from clew.topics.topicsfile import read_topics
from support import PATIENCE_S

WORDS = {
    "sail": "sailing regatta harbour yacht wind mast skipper boat sea keel rudder jib",
    "chess": "chess opening gambit knight bishop rook checkmate endgame castling pawn",
    "cook": "recipe oven flour butter sugar kitchen dough simmer spice saucepan",
}
SAIL, CHESS, COOK = ([f"http://a.test/{kind}-{number}.html" for number in range(8)] for kind in WORDS)
TREE = {
    "Sport": {
        "description": "Games and boats",
        "topics": {"Sailing": {"keywords": {"boat": 1.0}, "examples": SAIL[:6]}, "Chess": {"examples": CHESS[:2]}},
    },
    "Cooking": {"examples": COOK[:2]},
}
ODD = [
    "\x00",
    "a\x00b",
    "\u202e",
    "🦊",
    "x" * 1900,
    "../..",
    "%",
    "-1",
    "Sport/",
    "/",
    "'",
    '"',
    "\u2028",
    "null",
    "<b>",
]


def make(folder: Path) -> Path:
    site = folder / "mirror" / "a.test"
    site.mkdir(parents=True)
    for kind, words in WORDS.items():
        for number in range(8):
            links = "".join(f"<a href={other}-{(number + 1) % 8}.html>{other}</a> " for other in WORDS)
            text = " ".join(f"{words} {kind}{number}".split() * 5)
            page = f"<html lang=en><title>{kind} {number}</title><p>{text}<p>{links}"
            (site / f"{kind}-{number}.html").write_text(page, encoding="utf-8")
    project = folder / "p"
    project.mkdir()
    (project / "seeds.txt").write_text(f"{COOK[3]}\n", encoding="utf-8")
    (project / "topics.yaml").write_text(json.dumps(TREE), encoding="utf-8")
    (project / "clew.toml").write_text(
        f'[project]\nweb = "folder:{site.parent}"\n[interest]\nformula = "Sport or Cooking"\n[judge]\n'
        'name = "naive-bayes"\n[strategy]\nname = "best-first"\n[crawl]\nworkers = 0\ncontact = "me@example.org"\n',
        encoding="utf-8",
    )
    return project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.fixture
def crawled(project: Path) -> Path:
    Project(project).crawl(max_pages=15)
    return project


@pytest.fixture
def client(project: Path) -> Iterator[TestClient]:
    """The API without its guard, which test_dashboard_guard is about."""
    with TestClient(plain_app(Shelf([project])), raise_server_exceptions=False) as found:
        yield found


def ask(client: TestClient, method: str, path: str, status: int = 200, **options: Any) -> Any:
    answer = client.request(method, f"/api/projects/p/{path}", **options)
    assert answer.status_code == status, answer.text
    return answer.json()


# -- the tree ---------------------------------------------------------------------------------------------


def test_the_tree_before_anything_was_crawled(client: TestClient) -> None:
    found = ask(client, "GET", "topics")
    assert (found["tree"], found["running"], found["crawled"], found["found"]) == (True, False, False, 4)
    assert found["lists"] == {"relevant": 0, "irrelevant": 0} and found["untaught"] == []
    assert [one["path"] for one in found["topics"]] == ["Sport", "Sport/Sailing", "Sport/Chess", "Cooking"]
    assert found["topics"][0] == {
        "path": "Sport", "name": "Sport", "parent": "", "description": "Games and boats", "keywords": {}, "own": 0,
        "inherited": 8, "wanted": True, "relevant": None,
    }  # fmt: skip
    assert found["topics"][1]["keywords"] == {"boat": 1.0} and found["topics"][1]["parent"] == "Sport"


def test_relevant_pages_count_for_the_topics_above(crawled: Path, client: TestClient) -> None:
    store = Project(crawled).open_store(read_only=True)
    kinds = [row.url.rpartition("/")[2].partition("-")[0] for row in store.visits.rows() if row.relevant]
    store.close()
    counts = {one["path"]: one["relevant"] for one in ask(client, "GET", "topics")["topics"]}
    assert counts == {
        "Sport": kinds.count("sail") + kinds.count("chess"), "Sport/Sailing": kinds.count("sail"),
        "Sport/Chess": kinds.count("chess"), "Cooking": kinds.count("cook"),
    }  # fmt: skip
    assert counts["Sport"] and counts["Cooking"]


def test_topics_are_found_by_their_names(client: TestClient) -> None:
    found = ask(client, "GET", "topics", params={"words": "sport ch"})
    assert [one["path"] for one in found["topics"]] == ["Sport/Chess"] and found["found"] == 1
    assert [one["path"] for one in ask(client, "GET", "topics", params={"limit": 2})["topics"]] == [
        "Sport",
        "Sport/Sailing",
    ]
    ask(client, "GET", "topics", 422, params={"limit": 0})
    ask(client, "GET", "topics", 422, params={"words": "x" * 201})


def test_a_topic_is_added_changed_and_removed(client: TestClient, project: Path) -> None:
    new = {"name": "Racing", "parent": "Sport/Sailing", "description": "Regattas", "keywords": {"race": 2}}
    made = ask(client, "POST", "topics", json={**new, "examples": [SAIL[7]]})
    assert made["path"] == "Sport/Sailing/Racing" and made["stamp"] == ask(client, "GET", "topics")["stamp"]
    change = {"path": made["path"], "name": "Races", "parent": "", "description": "d", "keywords": {}}
    assert ask(client, "PATCH", "topics", json={**change, "stamp": made["stamp"]})["path"] == "Races"
    (spec,) = [one for one in read_topics(project / "topics.yaml") if one.path == ("Races",)]
    assert (spec.description, spec.keywords, spec.examples) == ("d", {}, (SAIL[7],))
    ask(client, "DELETE", "topics", params={"path": "Races"})
    assert [one["path"] for one in ask(client, "GET", "topics")["topics"]][-1] == "Cooking"


def test_a_topic_without_an_example_is_said_to_need_one(client: TestClient) -> None:
    assert "give it an example" in ask(client, "POST", "topics", json={"name": "Cars"})["done"]
    assert ask(client, "GET", "topics")["untaught"] == ["Cars"]


def test_edits_that_collide_are_refused(client: TestClient) -> None:
    seen = ask(client, "GET", "topics")["stamp"]
    ask(client, "PATCH", "topics", json={"path": "Cooking", "name": "Kitchen", "stamp": seen})
    for method, path, options in (
        ("PATCH", "topics", {"json": {"path": "Kitchen", "name": "x", "stamp": seen}}),
        ("POST", "topics", {"json": {"name": "x", "stamp": seen}}),
        ("DELETE", "topics", {"params": {"path": "Kitchen", "stamp": seen}}),
        ("POST", "topics/examples", {"json": {"where": "Kitchen", "page": COOK[5], "stamp": seen}}),
        ("PATCH", "topics/examples", {"json": {"where": "Kitchen", "page": COOK[0], "to": "Sport", "stamp": seen}}),
        ("DELETE", "topics/examples", {"params": {"where": "Kitchen", "page": COOK[0], "stamp": seen}}),
        ("PUT", "formula", {"json": {"formula": "Sport", "stamp": seen}}),
    ):
        assert "changed meanwhile" in ask(client, method, path, 409, **options)["error"]


def test_while_a_crawl_runs_the_tree_cannot_change(crawled: Path, client: TestClient) -> None:
    store = Project(crawled).open_store()
    assert ask(client, "GET", "topics")["running"]
    told = ask(client, "PATCH", "topics", 409, json={"path": "Sport", "name": "Games"})
    assert "a crawl is running" in told["error"] and "stop it" in told["error"]
    assert "Stop it and start it again" in ask(client, "PUT", "formula", json={"formula": "Sport"})["done"]
    store.close()
    assert "when the crawl goes on" in ask(client, "PUT", "formula", json={"formula": "Cooking"})["done"]


def test_a_project_of_one_topic_gets_a_tree(project: Path, client: TestClient) -> None:
    (project / "topics.yaml").unlink()
    (project / "relevant.txt").write_text(f"{SAIL[0]}\n{SAIL[1]}\n", encoding="utf-8")
    ask(client, "PUT", "formula", 400, json={"formula": "Sport"})
    (project / "clew.toml").write_text(
        (project / "clew.toml").read_text(encoding="utf-8").replace("Sport or Cooking", ""), encoding="utf-8"
    )
    found = ask(client, "GET", "topics")
    assert not found["tree"] and found["topics"][0]["own"] == 2
    assert not ask(client, "GET", "formula")["tree"]
    ask(client, "POST", "topics/tree", json={"name": "Boats"})
    found = ask(client, "GET", "topics")
    assert found["tree"] and (found["topics"][0]["path"], found["topics"][0]["own"]) == ("Boats", 2)
    assert found["lists"]["relevant"] == 0
    ask(client, "POST", "topics/tree", 400, json={"name": "Again"})


# -- examples ---------------------------------------------------------------------------------------------


def test_examples_are_listed_added_moved_and_removed(client: TestClient) -> None:
    listed = ask(client, "GET", "topics/examples", params={"where": "Cooking"})
    assert [one["line"] for one in listed] == COOK[:2]
    assert listed[0] == {"line": COOK[0], "state": "unread", "title": "", "label": "", "visit": 0}
    assert len(ask(client, "GET", "topics/examples", params={"where": "Cooking", "offset": 1, "limit": 1})) == 1
    ask(client, "POST", "topics/examples", json={"where": "Cooking", "page": COOK[6]})
    ask(client, "PATCH", "topics/examples", json={"where": "Cooking", "page": COOK[6], "to": "irrelevant"})
    assert [one["line"] for one in ask(client, "GET", "topics/examples", params={"where": "irrelevant"})] == [COOK[6]]
    ask(client, "DELETE", "topics/examples", params={"where": "irrelevant", "page": COOK[6]})
    assert ask(client, "GET", "topics/examples", params={"where": "irrelevant"}) == []


def test_examples_that_are_none_are_refused(client: TestClient) -> None:
    assert "already" in ask(client, "POST", "topics/examples", 400, json={"where": "Sport", "page": COOK[0]})["error"]
    assert "no topic" in ask(client, "GET", "topics/examples", 400, params={"where": "x"})["error"]
    ask(client, "DELETE", "topics/examples", 400, params={"where": "Cooking", "page": "http://a.test/none"})
    ask(client, "POST", "topics", 400, json={"name": "x", "examples": ["no url"]})
    ask(client, "POST", "topics/examples", 422, json={"where": "Sport", "page": "x" * 2001})


def test_examples_of_a_crawl_are_read_and_have_titles(crawled: Path, client: TestClient) -> None:
    listed = {one["line"]: one for one in ask(client, "GET", "topics/examples", params={"where": "Sport/Sailing"})}
    assert {one["state"] for one in listed.values()} == {"read"}
    assert any(one["title"] == "sail 4" and one["visit"] for one in listed.values())


# -- the formula ------------------------------------------------------------------------------------------


def test_the_formula_is_tried_and_saved(crawled: Path, client: TestClient) -> None:
    before = ask(client, "GET", "formula")
    assert (before["formula"], before["threshold"], before["tree"]) == ("Sport or Cooking", 0.5, True)
    tried = ask(client, "POST", "formula/preview", json={"formula": "Sport and not chess"})
    assert (tried["formula"], tried["excluded"], tried["problem"]) == ("Sport", "Sport/Chess", "")
    assert tried["judged"] == 15 and tried["now"] == 15
    sailing = next(one for one in tried["topics"] if one["path"] == "Sport/Sailing")
    assert tried["then"] == sailing["now"] == sailing["then"] and tried["fewer"] == 15 - tried["then"]
    assert all("/sail-" not in one["url"] for one in tried["no_longer"]) and len(tried["no_longer"]) == 8
    saved = ask(
        client, "PUT", "formula", json={"formula": "Sport and not chess", "threshold": 0.25, "stamp": before["stamp"]}
    )
    after = ask(client, "GET", "formula")
    assert (after["formula"], after["threshold"], after["stamp"]) == ("Sport and not chess", 0.25, saved["stamp"])
    Project(crawled).crawl(max_pages=15)
    again = ask(client, "POST", "formula/preview", json={"formula": after["formula"]})
    assert (again["now"], again["more"], again["fewer"]) == (again["then"], 0, 0)


def test_a_wrong_formula_is_told_where_it_is_wrong(client: TestClient) -> None:
    tried = ask(client, "POST", "formula/preview", json={"formula": "Sport and (Cook"})
    assert (tried["start"], tried["problem"]) == (10, 'the "(" opened here is not closed; add ")"')
    assert "column 11" in ask(client, "PUT", "formula", 400, json={"formula": "Sport and (Cook"})["error"]
    for threshold in (-0.1, 1.1, "x"):
        ask(client, "POST", "formula/preview", 422, json={"formula": "", "threshold": threshold})
    ask(client, "POST", "formula/preview", 422, json={"formula": "x" * 1001})
    assert "nothing was crawled" in ask(client, "POST", "formula/preview", json={"formula": ""})["note"]


# -- archetypes -------------------------------------------------------------------------------------------


def test_archetypes_are_adopted_refused_and_allowed(crawled: Path, client: TestClient) -> None:
    store = Project(crawled).open_store()
    pages = {row.url: row.number for row in store.visits.rows()}
    url = next(one for one in SAIL[6:] if one in pages)
    store.journal.archetypes = {1: (pages[url],)}
    store.commit()
    store.close()

    def state(page: str) -> str:
        return next((one["state"] for one in ask(client, "GET", "archetypes") if one["url"] == page), "")

    assert state(url) == "archetype"
    offered = next(one["url"] for one in ask(client, "GET", "archetypes") if one["state"] == "offered")
    ask(client, "DELETE", "archetypes", params={"url": url})
    assert state(url) == "refused"
    ask(client, "POST", "archetypes/allow", json={"url": url})
    assert state(url) == "archetype"
    ask(client, "PUT", "archetypes", json={"url": url, "topic": "Sport/Sailing"})
    assert state(url) == "adopted"
    ask(client, "PUT", "archetypes", json={"url": offered, "topic": "Cooking"})
    assert state(offered) == ""  # labelled, like an example
    ask(client, "PUT", "archetypes", 400, json={"url": "x", "topic": "Cooking"})
    ask(client, "PUT", "archetypes", 400, json={"url": offered, "topic": "Nothing"})
    ask(client, "DELETE", "archetypes", 400, params={"url": "x"})
    ask(client, "POST", "archetypes/allow", 400, json={"url": url})


def test_without_a_crawl_there_are_no_archetypes(client: TestClient) -> None:
    assert ask(client, "GET", "archetypes") == []


# -- what is known of topics ------------------------------------------------------------------------------


def wait_for_study(client: TestClient) -> Any:
    pause = threading.Event()
    for _ in range(int(PATIENCE_S / 0.1)):
        found = ask(client, "GET", "topics/about")
        if found["state"] != "computing":
            return found
        pause.wait(0.1)
    raise AssertionError("it is still computing")


def test_topics_are_studied_in_the_background(crawled: Path, client: TestClient) -> None:
    """Sailing has six examples that no other topic's are like; chess has two, which tell nothing."""
    assert ask(client, "GET", "topics/about")["state"] == "none"
    assert ask(client, "POST", "topics/about", json={})["state"] == "computing"
    found = wait_for_study(client)
    assert (found["state"], found["stale"]) == ("ready", False)
    topics = {one["path"]: one for one in found["topics"]}
    sailing, chess = topics["Sport/Sailing"], topics["Sport/Chess"]
    assert (sailing["precision"], sailing["recall"], sailing["thin"]) == (1.0, 1.0, False)
    assert chess["thin"] and set(chess["typical"]) <= {*WORDS["chess"].split(), "chess"}
    assert any("Sport/Chess has 2 examples" in one for one in found["warnings"])
    ask(client, "PATCH", "topics", json={"path": "Cooking", "description": "Food"})
    assert ask(client, "GET", "topics/about")["stale"]


def test_examples_are_fetched_only_when_asked(client: TestClient, project: Path) -> None:
    assert "no example page was read" in ask(client, "POST", "topics/about", 409, json={})["error"]
    ask(client, "POST", "topics/about", json={"fetch": True})
    assert wait_for_study(client)["state"] == "ready"


def test_a_study_that_fails_says_why(crawled: Path, client: TestClient) -> None:
    ask(client, "POST", "topics", json={"name": "Cars"})
    ask(client, "POST", "topics/about", json={})
    found = wait_for_study(client)
    assert found["state"] == "failed" and "Cars" in found["problem"]


def test_odd_texts_are_refused_or_kept_but_break_nothing(crawled: Path, client: TestClient) -> None:
    """Whatever is typed, the project can still be read."""
    for text in ODD:
        for method, path, options in (
            ("POST", "topics", {"json": {"name": text[:200], "parent": "Cooking", "description": text}}),
            ("POST", "topics", {"json": {"name": "K", "parent": text, "keywords": {text[:200]: 1}}}),
            ("POST", "topics", {"json": {"name": "E", "parent": "Cooking", "examples": [text]}}),
            ("PATCH", "topics", {"json": {"path": "Cooking", "description": text, "keywords": {text[:200]: -1e6}}}),
            ("PATCH", "topics", {"json": {"path": text, "parent": text}}),
            ("DELETE", "topics", {"params": {"path": text, "stamp": text[:16]}}),
            ("GET", "topics", {"params": {"words": text[:200]}}),
            ("GET", "topics/examples", {"params": {"where": text}}),
            ("POST", "topics/examples", {"json": {"where": "irrelevant", "page": text}}),
            ("PATCH", "topics/examples", {"json": {"where": text, "page": text, "to": text}}),
            ("DELETE", "topics/examples", {"params": {"where": "irrelevant", "page": text}}),
            ("POST", "formula/preview", {"json": {"formula": text[:1000]}}),
            ("PUT", "formula", {"json": {"formula": text[:1000]}}),
            ("PUT", "archetypes", {"json": {"url": f"http://a.test/{text}", "topic": text}}),
            ("DELETE", "archetypes", {"params": {"url": f"http://a.test/{text}"}}),
            ("POST", "archetypes/allow", {"json": {"url": text}}),
        ):
            answer = client.request(method, f"/api/projects/p/{path}", **options)
            assert answer.status_code < 500, (text, method, path, answer.text)
    assert client.post(
        "/api/projects/p/topics", content=b'{"name": "\\ud800"}', headers={"content-type": "application/json"}
    ).status_code in (400, 422)
    assert Project(crawled).interest.topics
    ask(client, "GET", "topics")
    Project(crawled).wanted()
    Project(crawled).labels()


def test_while_many_scores_are_read_nobody_waits_for_them(
    crawled: Path, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores that take long: counts are not known yet, and a preview says so; later they are there."""
    go_on, columns = threading.Event(), ScoreCache.columns

    def slow(self: ScoreCache, store: Store) -> Columns:
        assert go_on.wait(PATIENCE_S)
        return columns(self, store)

    monkeypatch.setattr(ScoreCache, "columns", slow)
    monkeypatch.setattr(studies, "FEW", 0)
    monkeypatch.setattr(studies, "PATIENCE_S", 0.01)
    assert {one["relevant"] for one in ask(client, "GET", "topics")["topics"]} == {None}
    tried = ask(client, "POST", "formula/preview", json={"formula": "Sport"})
    assert (tried["reading"], tried["judged"], tried["formula"]) == (True, 0, "Sport")
    assert ask(client, "POST", "formula/preview", json={"formula": "Sport and"})["start"] == 9
    assert ask(client, "GET", "archetypes") == []
    go_on.set()
    pause = threading.Event()
    for _ in range(int(PATIENCE_S / 0.1)):
        tried = ask(client, "POST", "formula/preview", json={"formula": "Sport"})
        if not tried["reading"]:
            break
        pause.wait(0.1)
    assert (tried["reading"], tried["judged"]) == (False, 15)
