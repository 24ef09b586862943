"""The API of the frontier: what waits, what is kept out, and steering by hand, while no crawl runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dashboard_site import BASE, client_of, uncrawled
from starlette.testclient import TestClient

from clew.dashboard import waiting
from clew.dashboard.projects import Shown
from clew.dashboard.waiting import Waiting
from clew.errors import InputError
from clew.project.project import Project
from support import PATIENCE_S, clew, write_project

SEA = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>"
BAD = "<p>law court judge tax</p>"


def make(folder: Path, settings: str = "") -> Path:
    """A start page with links to four pages on two hosts, of which a crawl of one page visits none."""
    pages = {
        "h.test": {
            "index.html": f"<title>Start</title>{SEA}<a href=one.html>sailing boats</a> <a href=two.html>law court</a> "
            "<a href=http://g.test/three.html>a harbour</a> <a rel=nofollow href=four.html>no</a>",
            "one.html": SEA,
            "two.html": BAD,
        },
        "g.test": {"three.html": SEA},
    }
    for host, files in pages.items():
        (folder / "site" / host).mkdir(parents=True)
        for name, html in files.items():
            (folder / "site" / host / name).write_text(html, encoding="utf-8")
    project = write_project(
        folder / "p", ["http://h.test/index.html"], {"good.html": SEA, "more.html": f"{SEA}<p>crew</p>"},
        {"bad.html": BAD, "worse.html": f"{BAD}<p>lawyer</p>"},
        f'[project]\nweb = "folder:{folder / "site"}"\n{settings}',
    )  # fmt: skip
    clew("crawl", project, "--max-pages", 1, "--quiet")
    return project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path)


@pytest.fixture
def client(project: Path) -> Iterator[TestClient]:
    with client_of(project) as found:
        yield found


def best(client: TestClient, limit: int = 50) -> list[dict[str, Any]]:
    """The best links once they are found."""
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = client.get(f"{BASE}/frontier", params={"limit": limit})
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert found["running"] is False
        if not found["computing"]:
            links: list[dict[str, Any]] = found["links"]
            return links
        assert time.monotonic() < end


def urls(links: list[dict[str, Any]]) -> set[str]:
    return {one["url"] for one in links}


def test_the_best_links_with_their_scores_in_words(client: TestClient) -> None:
    links = best(client)
    assert urls(links) == {"http://h.test/one.html", "http://h.test/two.html", "http://g.test/three.html"}
    assert [one["score"] for one in links] == sorted((one["score"] for one in links), reverse=True)
    [three] = [one for one in links if one["host"] == "g.test"]
    assert (three["anchor"], three["source"], three["source_title"]) == (
        "a harbour",
        "http://h.test/index.html",
        "Start",
    )
    assert (three["source_visit"], three["tier"]) == (1, 0)
    assert any("relevance" in part for part in three["words"])
    assert best(client, 1) == links[:1]


@pytest.mark.parametrize("limit", ["0", "201", "x", "1e9", "-1"])
def test_limits(client: TestClient, limit: str) -> None:
    assert client.get(f"{BASE}/frontier", params={"limit": limit}).status_code == 422


def test_before_the_first_crawl(tmp_path: Path) -> None:
    project = uncrawled(tmp_path)
    with client_of(project) as client:
        assert client.get(f"{BASE}/frontier").status_code == 409
        assert client.get(f"{BASE}/frontier/blocked").json() == {"total": 0, "entries": []}
        pushed = client.post(f"{BASE}/frontier/push", json={"url": "http://h.test/new.html"})
        assert pushed.json() == {"done": "http://h.test/new.html is a seed of the next run (seeds.txt)"}
        dropped = client.post(f"{BASE}/frontier/drop", json={"url": "http://h.test/new.html"})
        assert (dropped.status_code, "nothing was crawled" in dropped.json()["error"]) == (409, True)


def test_what_is_dropped_is_gone_and_comes_back_when_pushed(client: TestClient, project: Path) -> None:
    url = "http://h.test/two.html"
    best(client)
    answer = client.post(f"{BASE}/frontier/drop", json={"url": url})
    assert answer.json() == {"done": f"{url} will not be fetched"}
    assert url not in urls(best(client))
    again = client.post(f"{BASE}/frontier/drop", json={"url": url})
    assert (again.status_code, "set aside already" in again.json()["error"]) == (400, True)
    told = client.get(f"{BASE}/explain", params={"url": url}).json()
    assert (told["state"], told["verdict"]) == (
        "refused", "not fetched: dropped by a user (found on http://h.test/index.html)",
    )  # fmt: skip
    answer = client.post(f"{BASE}/frontier/push", json={"url": url})
    assert answer.json() == {"done": f"{url} is a seed of the next run (seeds.txt)"}
    assert url in urls(best(client))
    assert url in (project / "seeds.txt").read_text(encoding="utf-8").split()
    client.post(f"{BASE}/frontier/push", json={"url": "http://h.test/new.html"})
    told = client.get(f"{BASE}/explain", params={"url": "http://h.test/new.html"}).json()
    assert (told["state"], told["verdict"].partition(":")[0]) == (
        "waiting",
        "a seed that was put down since the last run",
    )
    visited = client.post(f"{BASE}/frontier/push", json={"url": "http://h.test/index.html"})
    assert (visited.status_code, "visited already" in visited.json()["error"]) == (400, True)


def test_a_blocked_host_leaves_and_comes_back(client: TestClient, project: Path) -> None:
    (project / "never.txt").write_text("# hosts\nasked.test  # asked by mail #3\n.b.test\n", encoding="utf-8")
    best(client)
    answer = client.post(f"{BASE}/frontier/block", json={"entry": "g.test"})
    assert answer.json() == {"done": "g.test is never fetched any more"}
    assert client.get(f"{BASE}/frontier/blocked").json() == {
        "total": 3,
        "entries": [
            {"entry": "asked.test", "why": "asked by mail #3"},
            {"entry": ".b.test", "why": ""},
            {"entry": "g.test", "why": "blocked by a user"},
        ],
    }
    few = client.get(f"{BASE}/frontier/blocked", params={"limit": 1}).json()
    assert (few["total"], [one["entry"] for one in few["entries"]]) == (3, ["asked.test"])
    assert "http://g.test/three.html" not in urls(client.get(f"{BASE}/frontier").json()["links"])
    assert urls(best(client)) == {"http://h.test/one.html", "http://h.test/two.html"}
    told = client.get(f"{BASE}/explain", params={"url": "http://g.test/three.html"}).json()
    assert told["state"] == "out-of-scope"
    assert "never.txt line 4" in told["verdict"]
    pushed = client.post(f"{BASE}/frontier/push", json={"url": "http://g.test/three.html"})
    assert (pushed.status_code, "out of scope" in pushed.json()["error"]) == (400, True)
    answer = client.post(f"{BASE}/frontier/unblock", json={"entry": "g.test"})
    assert answer.json() == {"done": "g.test may be fetched again"}
    assert "http://g.test/three.html" in urls(best(client))
    again = client.post(f"{BASE}/frontier/unblock", json={"entry": "g.test"})
    assert (again.status_code, again.json()["error"]) == (400, "g.test is not on never.txt")


def test_a_project_without_a_list(tmp_path: Path) -> None:
    with client_of(make(tmp_path, '[scope]\nnever = ""\n')) as client:
        assert client.get(f"{BASE}/frontier/blocked").json() == {"total": 0, "entries": []}
        answer = client.post(f"{BASE}/frontier/block", json={"entry": "g.test"})
        assert (answer.status_code, "scope.never" in answer.json()["error"]) == (400, True)


def test_a_list_that_cannot_be_read_is_told(client: TestClient, project: Path) -> None:
    (project / "never.txt").write_bytes(b"caf\xe9.test\n")
    for path in ("frontier/blocked", "frontier"):
        answer = client.get(f"{BASE}/{path}")
        assert (answer.status_code, "never.txt is not UTF-8" in answer.json()["error"]) == (400, True)


@pytest.mark.parametrize("what", ["push", "drop"])
@pytest.mark.parametrize(
    ("url", "status"),
    [("", 422), ("nowhere", 400), ("http://\0/", 400), ("ftp://h.test/", 400), ("http://[::1", 400), ("x" * 4_001, 422),
     ("   ", 400), ("http://h.test:99999/", 400)],
)  # fmt: skip
def test_urls_that_are_none(client: TestClient, what: str, url: str, status: int) -> None:
    answer = client.post(f"{BASE}/frontier/{what}", json={"url": url})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]


@pytest.mark.parametrize("what", ["block", "unblock"])
@pytest.mark.parametrize(
    ("entry", "status"),
    [("", 422), ("a b", 400), ("a\nb.test", 400), ("\0", 400), ("#", 400), ("..", 400), ("/path", 400),
     ("h.test  # why", 400), ("x" * 4_001, 422)],
)  # fmt: skip
def test_entries_that_are_none(client: TestClient, project: Path, what: str, entry: str, status: int) -> None:
    answer = client.post(f"{BASE}/frontier/{what}", json={"entry": entry})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]
    assert not (project / "never.txt").exists()


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '{"url": 1}', '{"url": null}', "{", '{"url": "\\ud800"}', '"\\ud800"']
)
def test_bodies_that_are_none(client: TestClient, body: str) -> None:
    for what in ("push", "drop", "block", "unblock"):
        answer = client.post(f"{BASE}/frontier/{what}", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422, answer.text


# -- what is kept between requests ------------------------------------------------------------------------


def test_they_are_looked_for_in_the_background(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not wait is told at once that they are looked for, and then the old ones while new ones are."""
    kept = Waiting(Shown("p", project))
    first = kept.best(5, wait_s=0.0)
    assert (first.links, first.computing) == ((), True)
    found = kept.best(5, wait_s=PATIENCE_S)
    assert (len(found.links), found.computing) == (3, False)
    assert kept.best(5, wait_s=0.0) == found
    kept.forget()
    held = kept.best(5, wait_s=0.0)
    assert held.links == found.links
    assert kept.best(5, wait_s=PATIENCE_S) == found


def test_a_further_run_is_seen(project: Path) -> None:
    kept = Waiting(Shown("p", project))
    before = {one.url for one in kept.best(5, wait_s=PATIENCE_S).links}
    clew("crawl", project, "--max-pages", 2, "--quiet")
    after = kept.best(5, wait_s=PATIENCE_S)
    store = Project(project).open_store(read_only=True)
    visited = {row.url for row in store.visits.rows()}
    store.close()
    assert not after.computing
    assert {one.url for one in after.links} == before - visited
    assert len(after.links) == 2


def test_what_goes_wrong_is_told_once_and_tried_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise InputError("labels.tsv line 1 is wrong")

    kept = Waiting(Shown("p", project))
    with monkeypatch.context() as patched:
        patched.setattr(waiting, "waiting_links", fails)
        with pytest.raises(InputError, match="line 1 is wrong"):
            kept.best(5, wait_s=PATIENCE_S)
    assert len(kept.best(5, wait_s=PATIENCE_S).links) == 3
