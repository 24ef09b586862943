"""The API of labels: given, changed, taken back, many at once; the uncertain pages; what labels say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dashboard_site import BASE, client_of, crawled_site, uncrawled
from starlette.testclient import TestClient

from clew import Project
from clew.errors import InputError
from clew.examples.labels import LABELS, read_labels
from clew.examples.training import held_back
from clew.project.labelling import label, verdict_of
from clew.project.sampling import DRAWN, wilson
from clew.project.uncertain import uncertain
from support import clew, clew_json, write_project

TIDAL, OFF = "http://h.test/tidal.html", "http://h.test/off.html"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled_site(tmp_path_factory.mktemp("labels"))


@pytest.fixture
def project(crawled: Path) -> Path:
    for name in (LABELS, DRAWN):
        (crawled / name).unlink(missing_ok=True)
    return crawled


@pytest.fixture
def client(project: Path) -> TestClient:
    return client_of(project)


def give(client: TestClient, url: str, verdict: str) -> Any:
    answer = client.put(f"{BASE}/labels", json={"url": url, "verdict": verdict})
    assert answer.status_code == 200, answer.text
    return answer.json()


def kept(project: Path) -> list[tuple[str, str]]:
    return [(one.line, one.verdict) for one in read_labels(project / LABELS)]


def test_a_label_is_given_changed_and_taken_back(client: TestClient, project: Path) -> None:
    assert client.get(f"{BASE}/labels").json()["pages"] == []
    assert give(client, "HTTP://H.TEST/tidal.html#top", "Relevant")["labels"] == 1
    assert kept(project) == [(TIDAL, "relevant")]
    assert give(client, OFF, "irrelevant")["labels"] == 2
    assert give(client, TIDAL, "irrelevant")["labels"] == 2
    assert kept(project) == [(OFF, "irrelevant"), (TIDAL, "irrelevant")]
    found = client.get(f"{BASE}/labels").json()
    assert [(one["url"], one["verdict"], one["title"], one["relevant"]) for one in found["pages"]] == [
        (TIDAL, "irrelevant", "Tidal power", True), (OFF, "irrelevant", "court", False)
    ]  # fmt: skip
    assert all(one["number"] > 0 and 0 <= one["relevance"] <= 1 for one in found["pages"])
    assert "next session" in found["labelled"]["effect"]
    pages = client.get(f"{BASE}/pages").json()["pages"]
    assert {one["label"] for one in pages if one["url"] == TIDAL} == {"irrelevant"}
    answer = client.delete(f"{BASE}/labels", params={"url": TIDAL})
    assert answer.status_code == 200 and answer.json()["labels"] == 1
    assert kept(project) == [(OFF, "irrelevant")]
    assert client.get(f"{BASE}/pages/{pages[0]['number']}").json()["label"] == ""
    assert client.delete(f"{BASE}/labels", params={"url": TIDAL}).json()["labels"] == 1, "there is none to take back"


def test_the_command_line_takes_labels_back_too(project: Path) -> None:
    assert clew_json("label", project, TIDAL, "relevant") == {"url": TIDAL, "verdict": "relevant", "labels": 1}
    assert clew_json("label", project, TIDAL, "None") == {"url": TIDAL, "verdict": "none", "labels": 0}
    assert clew("label", project, TIDAL, "none").stdout == f"{TIDAL} has no label any more; 0 pages are labelled\n"
    assert Project(project).labels() == []


def test_a_page_that_was_not_visited_can_be_labelled(client: TestClient) -> None:
    give(client, "http://later.test/", "relevant")
    (line,) = client.get(f"{BASE}/labels").json()["pages"]
    assert (line["url"], line["verdict"], line["number"]) == ("http://later.test/", "relevant", 0)
    assert (line["title"], line["relevance"], line["relevant"]) == ("", None, False)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"url": TIDAL, "verdict": "maybe"}, 400, "'maybe' is no verdict"),
        ({"url": "tidal.html", "verdict": "relevant"}, 400, "no http(s) URL"),
        ({"url": "/etc/passwd", "verdict": "relevant"}, 400, "no http(s) URL"),
        ({"url": "javascript:alert(1)", "verdict": "relevant"}, 400, "no http(s) URL"),
        ({"url": "http://h.test/\x00\n", "verdict": "a\tb"}, 400, ""),
        ({"url": TIDAL, "verdict": "x" * 501}, 422, "verdict"),
        ({"url": "http://h.test/" + "x" * 4000, "verdict": "relevant"}, 422, "url"),
        ({"url": TIDAL}, 422, "verdict"),
        ({"url": TIDAL, "verdict": 7}, 422, "verdict"),
        ([], 422, ""),
        (None, 422, ""),
    ],
)
def test_what_is_no_label_is_refused(client: TestClient, project: Path, body: Any, status: int, said: str) -> None:
    answer = client.put(f"{BASE}/labels", json=body)
    assert answer.status_code == status and said in answer.json()["error"]
    assert kept(project) == []


def test_lone_surrogates_are_refused(client: TestClient) -> None:
    raw = b'{"url": "http://h.test/\\ud800", "verdict": "relevant"}'
    answer = client.put(f"{BASE}/labels", content=raw, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)


def test_many_at_once_are_all_kept_or_none(client: TestClient, project: Path) -> None:
    both = [{"url": TIDAL, "verdict": "relevant"}, {"url": OFF, "verdict": "irrelevant"}]
    assert client.post(f"{BASE}/labels/bulk", json=both).json()["labels"] == 2
    wrong = [{"url": TIDAL, "verdict": "none"}, {"url": OFF, "verdict": "maybe"}]
    assert client.post(f"{BASE}/labels/bulk", json=wrong).status_code == 400
    assert kept(project) == [(TIDAL, "relevant"), (OFF, "irrelevant")]
    assert client.post(f"{BASE}/labels/bulk", json=[both[0]] * 1001).status_code == 422
    assert client.post(f"{BASE}/labels/bulk", json=[]).json()["labels"] == 2


def test_parts_of_the_list(client: TestClient) -> None:
    for place in range(5):
        give(client, f"http://h.test/{place}", "irrelevant")
    found = client.get(f"{BASE}/labels", params={"limit": 2, "offset": 1}).json()
    assert [one["url"] for one in found["pages"]] == ["http://h.test/3", "http://h.test/2"]
    assert found["labelled"]["labels"] == 5
    assert client.get(f"{BASE}/labels", params={"limit": 0}).status_code == 422


def test_the_uncertain_are_those_that_the_command_line_asks_about(client: TestClient, project: Path) -> None:
    found = client.get(f"{BASE}/uncertain", params={"n": 5}).json()
    asked = clew_json("label", project, "--uncertain", 5)
    assert [(one["url"], one["title"], one["number"]) for one in found["pages"]] == [
        (one["url"], one["title"], one["number"]) for one in asked
    ]
    assert all("relevance" not in one for one in found["pages"]), "it would lead the answer"
    for one in found["pages"]:
        assert client.get(f"{BASE}/pages/{one['number']}").json()["url"] == one["url"]
        give(client, one["url"], "relevant")
    rest = client.get(f"{BASE}/uncertain", params={"n": 200}).json()["pages"]
    labelled = {one["url"] for one in found["pages"]}
    assert len(rest) == 7 - len(labelled) and not labelled & {one["url"] for one in rest}
    assert client.get(f"{BASE}/uncertain", params={"n": 201}).status_code == 422


def test_labels_on_drawn_pages_move_the_estimate(client: TestClient, project: Path) -> None:
    """Pages whose labels are held back are drawn; of those that were called relevant here there is one at least."""
    store = Project(project).open_store(read_only=True)
    try:
        fit = [row.url for row in store.visits.rows(relevant=True) if held_back(row.url)]
    finally:
        store.close()
    assert fit, "a page of the site must be one that can be drawn"
    drawn = [one["url"] for one in client.get(f"{BASE}/uncertain", params={"n": 20}).json()["pages"] if one["drawn"]]
    assert set(drawn) == set(fit)
    assert client.get(f"{BASE}/labels").json()["labelled"]["precision"]["share"] is None
    for right, url in enumerate(drawn, 1):
        told = give(client, url, "relevant")["precision"]
        assert (told["right"], told["labelled"], told["share"]) == (right, right, 1.0)
        assert (told["low"], told["high"]) == pytest.approx(wilson(right, right))
    told = give(client, drawn[-1], "irrelevant")["precision"]
    assert (told["right"], told["labelled"]) == (len(drawn) - 1, len(drawn))
    assert told["expected"] is None, "naive-bayes expects nothing"


def test_before_the_first_crawl_labels_are_kept(tmp_path: Path) -> None:
    project = uncrawled(tmp_path)
    client = client_of(project)
    assert give(client, TIDAL, "relevant") == {
        "labels": 1, "precision": None, "effect": client.get(f"{BASE}/labels").json()["labelled"]["effect"]
    }  # fmt: skip
    (line,) = client.get(f"{BASE}/labels").json()["pages"]
    assert (line["url"], line["number"]) == (TIDAL, 0)
    assert client.get(f"{BASE}/uncertain").status_code == 409


def test_the_topic_is_named_where_several_are_wanted(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "p", ["http://h.test/"], {}, {}, "")
    (folder / "topics.yaml").write_text(
        "Sea:\n  topics:\n    Tides:\n      examples: [http://h.test/a]\nLaw:\n  examples: [http://h.test/b]\n",
        encoding="utf-8",
    )
    project = Project(folder)
    names = project.interest.topics
    assert len(project.interest.wanted_topics) > 1 and "Sea/Tides" in names
    with pytest.raises(InputError, match="say which one"):
        verdict_of(project, "relevant")
    assert verdict_of(project, " tides ") == "Sea/Tides"
    assert verdict_of(project, "IRRELEVANT") == "irrelevant" and verdict_of(project, "none") == "none"
    assert label(project, [("http://h.test/", "tides"), ("http://h.test/b", "law")]) == 2
    assert kept(folder) == [("http://h.test/", "Sea/Tides"), ("http://h.test/b", "Law")]
    with pytest.raises(InputError, match="no topic is called 'Moon'"):
        label(project, [("http://h.test/c", "law"), ("http://h.test/d", "Moon")])
    assert len(kept(folder)) == 2


def test_of_the_nearest_few_come_from_one_host(client: TestClient, project: Path) -> None:
    opened = Project(project)
    store = opened.open_store(read_only=True)
    try:
        found = uncertain(opened, store, 4)
    finally:
        store.close()
    assert len(found) == 4 and len({one.number for one in found}) == 4
