"""The API of the collection: lists, topics, one page, why, its neighbours, and the archived copy."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from dashboard_site import BASE, HOSTILE, client_of, crawled_site, uncrawled
from starlette.testclient import TestClient

from clew import Project
from clew.dashboard.app import make_app
from clew.dashboard.experts import Expert
from clew.dashboard.guard import HEADERS, Access
from clew.dashboard.projects import Shelf, Shown
from clew.examples.labels import IRRELEVANT, LABELS, add_label
from clew.model import Outcome, Response
from clew.project.explaining import Explainer, explain
from clew.project.neighbours import linked_from, rankings
from clew.text.inert import POLICY, inert
from clew.text.places import term_places
from support import PATIENCE_S, clew, write_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled_site(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def client(project: Path) -> TestClient:
    return client_of(project)


def listed(client: TestClient, **options: Any) -> list[str]:
    answer = client.get(f"{BASE}/pages", params=options)
    assert answer.status_code == 200, answer.text
    return [one["url"].rpartition("/")[2] for one in answer.json()["pages"]]


def number_of(client: TestClient, name: str) -> int:
    pages = client.get(f"{BASE}/pages", params={"relevant": "all"}).json()["pages"]
    return int(next(one["number"] for one in pages if one["url"].endswith(name)))


# -- lists ------------------------------------------------------------------------------------------------


def why(client: TestClient, number: int) -> dict[str, Any]:
    """The reasons, asked for until they are found."""
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit:
        answer = client.get(f"{BASE}/pages/{number}/why")
        assert answer.status_code == 200, answer.text
        if not answer.json()["computing"]:
            found: dict[str, Any] = answer.json()
            return found
    raise AssertionError("they are still looked for")


def test_the_relevant_pages_are_listed_best_first(client: TestClient) -> None:
    found = client.get(f"{BASE}/pages").json()
    assert {one["url"].rpartition("/")[2] for one in found["pages"]} == {
        "index.html", "tidal.html", "nuclear.html", "hostile.html", "d.html", "note.txt",
    }  # fmt: skip
    assert found["total"] == 6 and found["offset"] == 0
    scores = [one["relevance"] for one in found["pages"]]
    assert scores == sorted(scores, reverse=True) and all(one["relevant"] for one in found["pages"])
    tidal = next(one for one in found["pages"] if one["url"].endswith("tidal.html"))
    assert (tidal["title"], tidal["host"], tidal["topic"], tidal["language"]) == (
        "Tidal power",
        "h.test",
        "relevant",
        "en",
    )
    assert tidal["label"] == "" and tidal["fetched_at"].endswith("Z")


def test_what_is_listed_can_be_said(client: TestClient) -> None:
    assert listed(client, relevant="false") == ["off.html"]
    assert len(listed(client, relevant="all")) == 7
    assert listed(client, host="g.test") == listed(client, host="http://sub.g.test/") == ["d.html"]
    assert listed(client, host="ub.g.test") == []
    assert listed(client, language="DE") == ["d.html"]
    assert listed(client, topic="other", relevant="all") == ["off.html"]
    assert len(listed(client, topic="relevant")) == 6
    oldest = listed(client, relevant="all", order="oldest")
    assert set(oldest[:2]) == {"index.html", "off.html"}
    assert listed(client, relevant="all", order="newest") == oldest[::-1]
    assert listed(client, relevant="all", order="oldest", limit=2, offset=3) == oldest[3:5]
    assert client.get(f"{BASE}/pages", params={"limit": 2, "offset": 5}).json()["total"] == 6
    assert listed(client, offset=99) == []


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 0}, {"limit": 201}, {"offset": -1}, {"offset": 10**30}, {"order": "best"}, {"relevant": "x"},
        {"topic": "x" * 501},
    ],
)  # fmt: skip
def test_parameters_that_make_no_sense(client: TestClient, options: dict[str, Any]) -> None:
    answer = client.get(f"{BASE}/pages", params=options)
    assert answer.status_code == 422 and next(iter(options)) in answer.json()["error"]


def test_a_topic_that_there_is_not_is_named(client: TestClient) -> None:
    for path in ("pages", "topics/rankings"):
        answer = client.get(f"{BASE}/{path}", params={"topic": "relevan"})
        assert answer.status_code == 400
        assert answer.json() == {"error": "there is no topic 'relevan'; did you mean relevant?"}


def test_before_the_first_crawl_it_says_how_to_start(tmp_path: Path) -> None:
    client = client_of(uncrawled(tmp_path))
    for path in (
        "pages",
        "topics/counts",
        "topics/rankings",
        "pages/1",
        "pages/1/why",
        "pages/1/linked-from",
        "uncertain",
    ):
        answer = client.get(f"{BASE}/{path}")
        assert answer.status_code == 409 and "clew crawl" in answer.json()["error"], path
    assert client.get("/archived/p/1").status_code == 409


# -- topics -----------------------------------------------------------------------------------------------


def test_topics_are_counted(client: TestClient, project: Path) -> None:
    relevant, other = client.get(f"{BASE}/topics/counts").json()
    pages = client.get(f"{BASE}/pages").json()["pages"]
    mean = sum(one["relevance"] for one in pages) / 6
    assert relevant == {
        "number": 0, "path": "relevant", "wanted": True, "judged": 6, "relevant": 6,
        "relevance": pytest.approx(mean), "labelled": 0,
    }  # fmt: skip
    assert other == {
        "number": -1, "path": "other", "wanted": False, "judged": 1, "relevant": 0, "relevance": None, "labelled": 0
    }  # fmt: skip


def test_labelled_pages_are_counted_where_they_are_judged_to_be(project: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(project, tmp_path / "p"))
    for url in ("http://h.test/tidal.html", "http://h.test/off.html", "http://nowhere.test/"):
        add_label(copied / LABELS, url, IRRELEVANT)
    found = client_of(copied).get(f"{BASE}/topics/counts").json()
    assert [(one["path"], one["labelled"]) for one in found] == [("relevant", 1), ("other", 1)]


def test_authorities_and_hubs_as_worked_out_by_hand(tmp_path: Path) -> None:
    """Three pages on hosts of their own link to a and b, one of them to a alone: a is the authority, the others are
    hubs of equal weight, better than the one that links to a alone. Links within a host do not count."""
    sea = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>"
    both = "<a href=http://a.test/>a</a> <a href=http://b.test/>b</a> <a href=own.html>o</a>"
    hubs = {"one.test": both, "two.test": both, "three.test": "<a href=http://a.test/>the sea</a>"}
    site = tmp_path / "site"
    for host, links in {**hubs, "b.test": ""}.items():
        (site / host).mkdir(parents=True)
        (site / host / "index.html").write_text(f"<title>{host}</title>{sea}{links}", encoding="utf-8")
    folder = write_project(
        tmp_path / "p", [f"http://{host}/" for host in hubs], {"good.html": sea}, {"bad.html": "<p>law court</p>"},
        f'[project]\nweb = "folder:{site}"\n',
    )  # fmt: skip
    clew("crawl", folder, "--quiet")
    opened = Project(folder)
    store = opened.open_store(read_only=True)
    try:
        found = rankings(opened, store)
    finally:
        store.close()
    assert [(one.page.url, one.links, one.page.number > 0) for one in found.authorities] == [
        ("http://a.test/", 3, False), ("http://b.test/", 2, True)
    ]  # fmt: skip
    assert found.authorities[0].weight == 1.0 and 0 < found.authorities[1].weight < 1.0
    assert found.authorities[0].page.anchor in ("a", "the sea") and found.authorities[0].page.relevance is None
    assert {one.page.title for one in found.hubs[:2]} == {"one.test", "two.test"} and found.hubs[
        2
    ].page.title == "three.test"
    assert found.hubs[1].weight == pytest.approx(1.0) and found.hubs[2].weight < 0.9
    assert (found.looked_at, found.pages) == (4, 4)
    client = client_of(folder)
    told = client.get(f"{BASE}/topics/rankings", params={"topic": "relevant", "limit": 1}).json()
    assert [one["page"]["url"] for one in told["authorities"]] == ["http://a.test/"]
    assert told == client.get(f"{BASE}/topics/rankings", params={"topic": "relevant", "limit": 1}).json()


# -- one page ---------------------------------------------------------------------------------------------


def test_a_page_with_all_facts(client: TestClient) -> None:
    number, start = number_of(client, "tidal.html"), number_of(client, "index.html")
    found = client.get(f"{BASE}/pages/{number}").json()
    assert (found["date"], found["author"], found["title"]) == ("2021-03-04", "Ada Tide", "Tidal power")
    assert "a tidal power plant by the sea" in found["text"] and found["text_kind"] == "main" and not found["text_cut"]
    assert (found["found_on"], found["found_on_number"], found["depth"]) == ("http://h.test/index.html", start, 1)
    assert (found["outcome"], found["status"], found["judged"], found["relevant"]) == ("ok", 200, True, True)
    assert found["archived"] == f"/archived/p/{number}" and found["duplicate_of"] == ""
    (neighbour,) = found["links"]["pages"]
    assert (neighbour["url"], neighbour["anchor"]) == ("http://h.test/nuclear.html", "on")
    links = client.get(f"{BASE}/pages/{start}").json()["links"]
    assert links["visited"] == 6 and links["waiting"] == 1, "gone.html is not in the folder"
    scores = [one["relevance"] for one in links["pages"]]
    assert scores == sorted(scores, reverse=True)
    assert {one["anchor"] for one in links["pages"]} >= {"tides & power", "note", "law"}


def test_pages_that_link_to_a_page(client: TestClient, project: Path) -> None:
    number = number_of(client, "nuclear.html")
    found = client.get(f"{BASE}/pages/{number}/linked-from").json()
    assert {(one["url"].rpartition("/")[2], one["anchor"]) for one in found["pages"]} == {
        ("index.html", "n"),
        ("tidal.html", "on"),
    }
    assert found["more"] is False
    store = Project(project).open_store(read_only=True)
    try:
        row = store.visits.get(number)
        assert row is not None
        pages, more = linked_from(store, row.key, 1)
    finally:
        store.close()
    assert len(pages) == 1 and more
    assert client.get(f"{BASE}/pages/{number_of(client, 'index.html')}/linked-from").json() == {
        "pages": [],
        "more": False,
    }


@pytest.mark.parametrize("path", ["pages/999", "pages/999/why", "pages/999/linked-from"])
def test_a_page_that_there_is_not(client: TestClient, path: str) -> None:
    assert client.get(f"{BASE}/{path}").status_code == 404
    assert client.get(f"{BASE}/{path.replace('999', '0')}").status_code == 422
    assert client.get(f"{BASE}/{path.replace('999', str(10**40))}").status_code == 422
    assert client.get("/archived/p/999").status_code == 404
    assert client.get("/archived/none/1").status_code == 404


def test_why_is_what_clew_explain_says_and_where_its_terms_stand(client: TestClient, project: Path) -> None:
    number = number_of(client, "tidal.html")
    found = why(client, number)
    said = json.loads(clew("explain", project, "http://h.test/tidal.html", "--json").stdout)
    assert found["explanation"] == said and said["state"] == "visited" and said["terms"]
    text = client.get(f"{BASE}/pages/{number}").json()["text"]
    assert found["marks"]
    for start, end, place in found["marks"]:
        term = said["terms"][place][0]
        assert text[start:end].lower()[:3] == term[:3], (text[start:end], term)
    assert [one["url"] for one in found["explanation"]["path"]] == [
        "http://h.test/index.html",
        "http://h.test/tidal.html",
    ]


def test_any_url_is_explained(client: TestClient) -> None:
    def state(url: str) -> str:
        return str(client.get(f"{BASE}/explain", params={"url": url}).json()["state"])

    assert state("HTTP://H.test/tidal.html#top") == "visited"
    assert state("http://h.test/gone.html") == "absent"
    assert state("http://elsewhere.test/") == "unknown"
    for url in ("tidal.html", "javascript:alert(1)", "\x00", "http://", "ftp://h.test/"):
        answer = client.get(f"{BASE}/explain", params={"url": url})
        assert answer.status_code == 400 and "is no http(s) URL" in answer.json()["error"], url
    assert client.get(f"{BASE}/explain", params={"url": ""}).status_code == 422


def test_the_judge_is_trained_once_and_again_when_the_crawl_took_a_label_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = crawled_site(tmp_path)
    made: list[bool] = []
    begin = Explainer.__init__

    def counted(self: Explainer, project: Project, store: Any, earlier: Explainer | None = None) -> None:
        begin(self, project, store, earlier)
        made.append(earlier is not None and self.judge is earlier.judge)

    monkeypatch.setattr(Explainer, "__init__", counted)
    client = client_of(own)
    numbers = [number_of(client, name) for name in ("tidal.html", "nuclear.html", "off.html")]
    first = [why(client, number)["explanation"]["terms"] for number in numbers]
    assert made == [False]
    assert (
        client.put(f"{BASE}/labels", json={"url": "http://h.test/off.html", "verdict": "relevant"}).status_code == 200
    )
    assert why(client, numbers[2])["explanation"]["terms"] == first[2]
    assert made == [False], "no crawl took the label in yet"
    clew("crawl", own, "--quiet")
    then = why(client, numbers[2])["explanation"]["terms"]
    assert made == [False, False] and then != first[2], "the judge learned from the label"
    with (own / "clew.toml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    why(client, numbers[0])
    assert len(made) == 3


def test_a_session_that_ended_changes_the_strategy_but_not_the_judge(project: Path) -> None:
    shown = Shown("p", project)
    expert = shown.kept(Expert)
    assert shown.kept(Expert) is expert
    with shown.store() as store:
        first = expert.ask(store, lambda explainer: explainer)
        assert expert.ask(store, lambda explainer: explainer) is first
        first.stamp = "another session"
        second = expert.ask(store, lambda explainer: explainer)
        assert second is not first and second.judge is first.judge
        assert second.explain("http://h.test/tidal.html") == explain(shown.project(), store, "http://h.test/tidal.html")


# -- where terms stand ------------------------------------------------------------------------------------


def test_words_are_marked_by_their_stems_and_pairs_over_them() -> None:
    text = "Boats and a boat; TIDAL power, tidal\npowers. Café"
    found = term_places(text, ["boats", "tidal power", "power", "#00ff00ff", "kind: forum page", "café"], "en")
    assert [(text[start:end], place) for start, end, place in found] == [
        ("Boats", 0), ("boat", 0), ("TIDAL power", 1), ("tidal\npowers", 1), ("Café", 5)
    ]  # fmt: skip
    assert term_places("", ["a"], "en") == term_places("boats", [], "en") == []
    assert term_places("\ud800 boats", ["boats"], "") == [(2, 7, 0)]


# -- the archived copy ------------------------------------------------------------------------------------


def test_an_archived_page_runs_nothing_and_is_nothing_but_a_page(client: TestClient) -> None:
    answer = client.get(f"/archived/p/{number_of(client, 'hostile.html')}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == POLICY
    assert POLICY.startswith("sandbox; default-src 'none';") and "allow" not in POLICY and "script-src" not in POLICY
    assert answer.headers["x-dns-prefetch-control"] == "off"
    assert not re.search(r"<\s*/?(?:meta|base|link)[\s/>]", answer.text, re.IGNORECASE)
    assert answer.text.count("<x-") == 5 and SEA_WORDS in answer.text


SEA_WORDS = "sailing boats harbour wind sea rope anchor mast keel regatta"


def test_what_is_no_page_is_plain_text(client: TestClient) -> None:
    answer = client.get(f"/archived/p/{number_of(client, 'note.txt')}")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "<script>" in answer.text and answer.headers["content-security-policy"] == POLICY


@pytest.mark.parametrize(
    ("content_type", "body", "page"),
    [
        ("text/html; charset=utf-7", b"<p>+ADw-script+AD4-", True),
        ("application/xhtml+xml", b"<html xmlns='http://www.w3.org/1999/xhtml'><meta charset='x'/><p/></html>", True),
        ("text/xml", b"<?xml version='1.0'?><x>a</x>", True),
        ("text/javascript", b"alert(1)", False),
        ("text/css", b"a{}", False),
        ("", b"words", False),
        ("image/svg+xml", b"<svg onload='alert(1)'/>", None),
        ("application/pdf", b"%PDF-1.4", None),
        ("text/html", b"%PDF-1.4", None),
        ("application/json", b"{}", None),
    ],
)
def test_what_copies_become(content_type: str, body: bytes, page: bool | None) -> None:
    found = inert(Response("http://h.test/", Outcome.OK, 200, (("Content-Type", content_type),), body))
    assert (found and found[1]) == page
    if found is not None:
        assert "<script" not in found[0] and "<meta" not in found[0]


def test_elements_with_longer_names_stay() -> None:
    text = "<links><LINK\n rel=x><base\x0c href=y><metadata><meta/><linkx><link>"
    found = inert(Response("http://h.test/", Outcome.OK, 200, (("Content-Type", "text/html"),), text.encode()))
    assert found == ("<links><x-LINK\n rel=x><x-base\x0c href=y><metadata><x-meta/><linkx><x-link>", True)


def test_the_guard_keeps_the_policy_of_the_copy_and_adds_its_own_headers(project: Path, client: TestClient) -> None:
    number = number_of(client, "hostile.html")
    access = Access(8711, "t" * 32, "c" * 32)
    guarded = TestClient(make_app(Shelf([project]), access), base_url="http://127.0.0.1:8711")
    assert guarded.get(f"/archived/p/{number}").status_code == 401
    answer = guarded.get(f"/archived/p/{number}", headers={"cookie": f"clew-8711={access.cookie}"})
    assert answer.status_code == 200 and answer.headers["content-security-policy"] == POLICY
    for name, value in HEADERS.items():
        assert name == "content-security-policy" or answer.headers[name] == value


def test_a_copy_that_is_gone_is_said_to_be_so(tmp_path: Path) -> None:
    own = crawled_site(tmp_path)
    client = client_of(own)
    number = number_of(client, "tidal.html")
    shutil.rmtree(own / "archive")
    answer = client.get(f"/archived/p/{number}")
    assert answer.status_code == 404 and "cannot be read from the archive" in answer.json()["error"]
    found = client.get(f"{BASE}/pages/{number}").json()
    assert (found["text"], found["text_kind"]) == ("", "none")
    assert why(client, number)["explanation"]["terms"] == []


def test_hostile_titles_are_plain_values(client: TestClient) -> None:
    found = client.get(f"{BASE}/pages/{number_of(client, 'hostile.html')}")
    assert found.headers["content-type"] == "application/json"
    assert "\u202e" not in found.text and "\\u202e" in found.text, "JSON shows nothing that turns text around"
    assert "\u202e" in found.json()["title"] and HOSTILE.count("\u202e") == 1


@pytest.mark.parametrize(
    "odd", ["\x00", "\ud800", "\U0010ffff", "%", "'; DROP TABLE visits", "/../..", "\u202e", "NaN"]
)
def test_odd_texts_are_no_fault(client: TestClient, odd: str) -> None:
    text = odd.encode("utf-8", "surrogatepass")
    for name in ("topic", "host", "language"):
        assert client.get(f"{BASE}/pages", params={name: text}).status_code in (200, 400, 422)
    assert client.get(f"{BASE}/explain", params={"url": text}).status_code == 400
    assert client.get(f"{BASE}/explain", params={"url": b"http://h.test/" + text}).status_code in (200, 400)
    assert client.get(f"{BASE}/topics/rankings", params={"topic": text}).status_code in (200, 400)
