"""A live crawl of a demo web, started, watched, paused, resumed and stopped in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browsing, Watched, visit
from playwright.sync_api import Locator, Page, expect
from projects_served import Served, live_project, serve


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with live_project(tmp_path_factory.mktemp("live") / "live") as found:
        yield found


@pytest.fixture(scope="module")
def served(project: Path) -> Iterator[Served]:
    with serve(project) as found:
        yield found


def figure(page: Page, name: str) -> Locator:
    return page.locator("dl.facts > div").filter(has=page.get_by_text(name, exact=True)).locator("dd")


def number(page: Page, name: str) -> int:
    return int(figure(page, name).inner_text().split()[0].replace(",", ""))


def grows(page: Page, name: str, past: int) -> int:
    """Waits until a figure is greater; gives it."""
    page.wait_for_function(
        """([name, past]) => [...document.querySelectorAll("dl.facts > div")].some((one) =>
        one.firstChild.textContent === name && parseInt(one.lastChild.textContent.replaceAll(",", "")) > past)""",
        arg=[name, past],
    )
    return number(page, name)


STANDS = """([project, n]) => new Promise((done, failed) => {
  const found = [], source = new EventSource(`/api/projects/${project}/live`);
  source.addEventListener("state", (event) => {
    const now = JSON.parse(event.data);
    if (now.state === "paused" && now.live.requests + now.live.pages === 0) found.push(now.figures.fetched);
    if (found.length === n) { source.close(); done(found); }
  });
  source.onerror = () => { source.close(); failed(new Error("the stream ended")); };
})"""
"""Pages fetched in the next events of the stream, once it is paused and nothing is under way; the first event may be of
the moment before."""


def test_a_crawl_is_watched_paused_resumed_and_stopped(
    page: Page, watched: Watched, browsing: Browsing, served: Served
) -> None:
    expect(page.locator("main")).to_contain_text("Nothing was crawled yet")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#state")).to_have_text("running")
    first = grows(page, "fetched", 0)
    second = grows(page, "fetched", first + 20)
    assert number(page, "waiting links") > 0

    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#state")).to_have_text("paused")
    expect(figure(page, "under way")).to_have_text("nothing")
    stands = page.evaluate(STANDS, ["live", 3])
    assert stands[0] >= second and stands == stands[:1] * 3, "a paused crawl fetches nothing"
    expect(figure(page, "fetched")).to_have_text(f"{stands[0]:,}")
    expect(page.get_by_role("region", name="Decision log")).to_contain_text("aused")

    page.locator("body").press("p")
    expect(page.locator("#state")).to_have_text("running")
    third = grows(page, "fetched", stands[0])
    assert third > stands[0]
    assert page.locator("svg.chart").count() == 2

    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#state")).to_have_text("not running")
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    assert number(page, "fetched") >= third


def test_what_it_fetched_is_in_the_collection(page: Page, browsing: Browsing, served: Served) -> None:
    visit(page, f"{served.origin}/#/live/collection?relevant=all")
    expect(page.locator("li.found").first).to_be_visible()
