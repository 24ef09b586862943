"""Figures for Prometheus: names, types, labels, and who may scrape."""

from __future__ import annotations

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from clew.dashboard.app import make_app, plain_app
from clew.dashboard.guard import Access
from clew.dashboard.projects import Shelf
from support import clew, init_plain


def samples(text: str) -> dict[tuple[str, str], float]:
    """(name, project) -> value."""
    return {
        (sample.name, sample.labels["project"]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_scrape_tells_the_figures_of_every_project(tmp_path: Path) -> None:
    crawled = init_plain(tmp_path / 'odd "name"', "--web", "sim:pages=2000,seed=3")
    clew("crawl", crawled, "--max-pages", 20, "--quiet")
    fresh = init_plain(tmp_path / "fresh", "--web", "sim:pages=2000,seed=3")
    damaged = init_plain(tmp_path / "damaged", "--web", "sim:pages=2000,seed=3")
    (damaged / "crawl.db").write_bytes(b"no database " * 100)
    with TestClient(plain_app(Shelf([crawled, fresh, damaged]))) as client:
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    found = samples(answer.text)
    name = 'odd "name"'
    assert found["clew_fetched_total", name] == 20
    assert 0 < found["clew_relevant_total", name] <= 20
    assert found["clew_harvest_rate", name] == found["clew_relevant_total", name] / 20
    assert found["clew_frontier_links", name] > 0
    assert found["clew_received_bytes_total", name] > 1000
    assert (found["clew_running", name], found["clew_paused", name]) == (0, 0)
    assert [found["clew_up", one] for one in (name, "fresh", "damaged")] == [1, 1, 0]
    assert ("clew_fetched_total", "fresh") not in found
    assert "# TYPE clew_fetched_total counter" in answer.text


def test_a_scrape_needs_the_token_as_a_bearer_token(tmp_path: Path) -> None:
    project = init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3")
    access = Access(8711, "t" * 32, "c" * 32)
    with TestClient(make_app(Shelf([project]), access), base_url="http://127.0.0.1:8711") as client:
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers={"authorization": "Bearer wrong"}).status_code == 401
        found = client.get("/metrics", headers={"authorization": f"Bearer {access.token}"})
    assert found.status_code == 200
    assert samples(found.text) == {("clew_up", "p"): 1, ("clew_running", "p"): 0, ("clew_paused", "p"): 0}
