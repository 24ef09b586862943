"""The API of the search: the same as clew search, while pages are added beside it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from dashboard_site import BASE, client_of, crawled_site, uncrawled
from starlette.testclient import TestClient

from clew.collection.library import Library
from clew.dashboard import adding
from clew.dashboard.adding import Adding
from clew.dashboard.projects import Shown
from clew.errors import StoreError
from clew.store.sqlite.lock import Lock
from support import PATIENCE_S, clew


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches wait until all pages are added, however slow the machine is."""
    monkeypatch.setattr(adding, "PATIENCE_S", PATIENCE_S)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled_site(tmp_path_factory.mktemp("search"))


@pytest.fixture
def client(project: Path) -> TestClient:
    return client_of(project)


def hits(client: TestClient, q: str, **options: Any) -> list[str]:
    answer = client.get(f"{BASE}/search", params={"q": q, **options})
    assert answer.status_code == 200, answer.text
    return [one["url"].rpartition("/")[2] for one in answer.json()["found"]["hits"]]


def test_it_finds_what_clew_search_finds(client: TestClient, project: Path) -> None:
    answer = client.get(f"{BASE}/search", params={"q": "tidal power", "limit": 10}).json()
    said = json.loads(clew("search", project, "tidal", "power", "--json").stdout)
    found = answer["found"]
    assert {key: found[key] for key in found if key != "ms"} == {key: said[key] for key in said if key != "ms"}
    assert answer["adding"] is None and not answer["more"] and answer["offset"] == 0
    assert [one["url"].rpartition("/")[2] for one in found["hits"]] == ["tidal.html", "nuclear.html"]
    first = found["hits"][0]
    start, end = first["marks"][0]
    assert first["snippet"][start:end].lower() in ("tidal", "power")
    assert (first["date"], first["author"], first["topic"]) == ("2021-03-04", "Ada Tide", "relevant")


def test_filters(client: TestClient) -> None:
    assert set(hits(client, "tidal")) == {"tidal.html", "nuclear.html", "d.html"}
    assert hits(client, "tidal", host="g.test") == hits(client, "tidal", language="DE") == ["d.html"]
    assert "off.html" in hits(client, "tidal", everything="true")
    assert hits(client, "tidal", topic="other", everything="true") == ["off.html"]
    assert hits(client, "tidal", since="2021-03-04", until="2021-03-04") == ["tidal.html"]
    assert "tidal.html" not in hits(client, "tidal", since="2021-03-05")
    assert hits(client, 'tidal "power plant" -nuclear') == ["tidal.html"]


def test_pages_of_hits(client: TestClient) -> None:
    every = hits(client, "tidal")
    first = client.get(f"{BASE}/search", params={"q": "tidal", "limit": 2}).json()
    assert first["more"] and [one["url"].rpartition("/")[2] for one in first["found"]["hits"]] == every[:2]
    assert hits(client, "tidal", limit=2, offset=2) == every[2:]
    assert not client.get(f"{BASE}/search", params={"q": "tidal", "limit": 3}).json()["more"]


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ({"q": ""}, 422, "q"),
        ({}, 422, "q"),
        ({"q": "x" * 1001}, 422, "q"),
        ({"q": "a", "limit": 201}, 422, "limit"),
        ({"q": "a", "offset": 10_001}, 422, "offset"),
        ({"q": "a", "since": "yesterday"}, 422, "since"),
        ({"q": "a", "since": "2021-03-05", "until": "2021-03-04"}, 400, "no page can be of both"),
        ({"q": "a", "topic": "tides"}, 400, "there is no topic 'tides'"),
        ({"q": "-a"}, 400, ""),
        ({"q": '"'}, 400, ""),
    ],
)
def test_what_makes_no_sense(client: TestClient, options: dict[str, Any], status: int, said: str) -> None:
    answer = client.get(f"{BASE}/search", params=options)
    assert answer.status_code == status, answer.text
    assert said in answer.json()["error"]


@pytest.mark.parametrize("odd", ["\x00", "\ud800", "\U0010ffff", "%00", "*", "a\x00b", "\u202e tidal"])
def test_odd_queries_are_no_fault(client: TestClient, odd: str) -> None:
    answer = client.get(f"{BASE}/search", params={"q": odd.encode("utf-8", "surrogatepass")})
    assert answer.status_code in (200, 400)


def test_before_the_first_crawl_it_says_how_to_start(tmp_path: Path) -> None:
    answer = client_of(uncrawled(tmp_path)).get(f"{BASE}/search", params={"q": "sea"})
    assert answer.status_code == 409 and "clew crawl" in answer.json()["error"]


def test_what_is_there_is_searched_while_pages_are_added(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adding is held up until the first answers were given: they say how far it is."""
    go, update = threading.Event(), Library.update
    begun: list[int] = []

    def slow(self: Library, store: Any, progress: Any = None) -> int:
        begun.append(1)
        progress(3, 7)
        told.set()
        assert go.wait(PATIENCE_S)
        return update(self, store, progress)

    told = threading.Event()
    monkeypatch.setattr(Library, "update", slow)
    monkeypatch.setattr(adding, "PATIENCE_S", 0.0)
    own = crawled_site(tmp_path)
    client = client_of(own)
    first = client.get(f"{BASE}/search", params={"q": "tidal"}).json()
    assert first["found"]["hits"] == [] and first["adding"]["why"] == ""
    assert told.wait(PATIENCE_S)
    second = client.get(f"{BASE}/search", params={"q": "tidal"}).json()
    assert second["adding"] == {"done": 3, "of": 7, "why": ""} and len(begun) == 1
    go.set()
    monkeypatch.setattr(adding, "PATIENCE_S", PATIENCE_S)
    third = client.get(f"{BASE}/search", params={"q": "tidal"}).json()
    assert third["adding"] is None and len(third["found"]["hits"]) == 3


def test_why_no_pages_are_added_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown("p", project)
    assert shown.kept(Adding).begin(PATIENCE_S) is None
    lock = Lock(project / "search" / "texts.db")
    lock.take()
    try:
        found = shown.kept(Adding).begin(PATIENCE_S)
    finally:
        lock.free()
    assert found is not None and "another process is adding pages" in found.why
    assert shown.kept(Adding).begin(PATIENCE_S) is None

    def broken(self: Library, store: Any, progress: Any = None) -> int:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(Library, "update", broken)
    found = shown.kept(Adding).begin(PATIENCE_S)
    assert found is not None and found.why == "the disk is gone"
