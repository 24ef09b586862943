"""A running crawl steered through the dashboard's API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from test_steering import ONE, OTHER, Crawl, Server, live, paused, server, start, until

from clew.dashboard.app import plain_app
from clew.dashboard.projects import Shelf

__all__ = ["server", "start"]  # fixtures

BASE = "/api/projects/live"


@pytest.fixture
def client(tmp_path: Path, server: Server) -> Iterator[TestClient]:
    with TestClient(plain_app(Shelf([live(tmp_path, [server.url(ONE)])]))) as found:
        yield found


def said(client: TestClient, what: str, **body: str) -> str:
    answer = client.post(f"{BASE}/frontier/{what}", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["done"])


def best(client: TestClient) -> list[dict[str, Any]]:
    answer = client.get(f"{BASE}/frontier", params={"limit": 200})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["running"], answer.json()["computing"]) == (True, False)
    links: list[dict[str, Any]] = answer.json()["links"]
    return links


def test_a_host_is_blocked_and_nothing_of_it_is_fetched_any_more(
    tmp_path: Path, server: Server, client: TestClient, start: Callable[..., Crawl]
) -> None:
    crawl = start(tmp_path / "live")
    running = crawl.running()
    until(lambda: any(one.startswith(OTHER) for one in server.asked), "the other host is not reached")
    paused(running)
    other, before = f"{OTHER}:{server.port}", best(client)
    assert other in {one["host"] for one in before}
    assert all(one["source"].startswith("http://127.0.9.") and one["source_visit"] for one in before)
    assert "is never fetched any more" in said(client, "block", entry=OTHER)
    assert client.get(f"{BASE}/frontier/blocked").json()["entries"] == [{"entry": OTHER, "why": "blocked by a user"}]
    after = best(client)
    assert after
    assert {one["host"] for one in after} == {f"{ONE}:{server.port}"}
    dropped, pushed = after[0]["url"], server.url(ONE, "/pushed/9999")
    assert said(client, "drop", url=dropped) == f"{dropped} will not be fetched"
    assert said(client, "push", url=pushed) == f"{pushed} is fetched next"
    assert best(client)[0]["url"] == pushed
    assert best(client)[0]["tier"] == 3
    refused = client.post(f"{BASE}/frontier/push", json={"url": server.url(OTHER, "/1")})
    assert (refused.status_code, "out of scope" in refused.json()["error"]) == (400, True)
    asked = len(server.asked)
    running.resume()
    until(lambda: len(server.asked) > asked + 12, "it does not go on")
    running.stop()
    crawl.ends()
    later = server.asked[asked:]
    assert later[0] == f"{ONE}/pushed/9999"
    assert not [one for one in later if one.startswith(OTHER)]
    assert dropped.removeprefix("http://").replace(f":{server.port}", "") not in later


def test_after_the_crawl_the_links_are_those_of_the_next_run(
    tmp_path: Path, server: Server, client: TestClient, start: Callable[..., Crawl]
) -> None:
    crawl = start(tmp_path / "live")
    running = crawl.running()
    until(lambda: running.snapshot().waiting > 3, "nothing waits")
    running.stop()
    crawl.ends()
    found: list[dict[str, Any]] = []

    def there() -> bool:
        answer = client.get(f"{BASE}/frontier").json()
        assert answer["running"] is False
        found[:] = answer["links"]
        return not answer["computing"]

    until(there, "the links are not found")
    told = client.get(f"{BASE}/explain", params={"url": found[0]["url"]}).json()
    assert told["state"] == "waiting"
    assert "about 0 links before it" in told["verdict"]
