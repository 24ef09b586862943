"""The frontier steered in the browser: links asked about and dropped, and a host blocked while its crawl runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsing import Browsing, visit
from playwright.sync_api import Page, expect
from projects_served import Served, live_project, serve
from test_live import figure, grows


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with live_project(tmp_path_factory.mktemp("steered") / "steered") as found:
        yield found


@pytest.fixture(scope="module")
def served(project: Path) -> Iterator[Served]:
    with serve(project) as found:
        yield found


def told(page: Page, path: str) -> Any:
    """An answer of the API, asked as the pages ask it."""
    return page.evaluate("path => fetch(`/api/projects/steered/${path}`).then((answer) => answer.json())", path)


def test_a_host_is_blocked_and_not_asked_again(page: Page, browsing: Browsing, served: Served) -> None:
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#state")).to_have_text("running")
    grows(page, "fetched", 15)
    page.get_by_role("button", name="Pause").click()
    expect(figure(page, "under way")).to_have_text("nothing")

    visit(page, f"{served.origin}/#/steered/frontier")
    first = page.locator("tr[data-url]").first
    first.get_by_role("button", name="Why").click()
    expect(first.locator("ul.why")).to_be_visible()
    dropped = str(first.get_attribute("data-url"))
    first.get_by_role("button", name="Drop").click()
    expect(page.locator(f'tr[data-url="{dropped}"]')).to_have_count(0)

    url = str(page.locator("tr[data-url]").first.get_attribute("data-url"))
    host = urlsplit(url).netloc
    page.locator("tr[data-url]").first.get_by_role("button", name="Block host").click()
    page.get_by_role("button", name="Block it").click()
    expect(page.get_by_role("list", name="Do-not-crawl list")).to_contain_text(host)
    before = told(page, f"pages?relevant=all&host={host}&limit=200")["total"]

    visit(page, f"{served.origin}/#/steered/crawl")
    was = int(figure(page, "fetched").inner_text().replace(",", ""))
    page.get_by_role("button", name="Resume").click()
    grows(page, "fetched", was + 30)
    assert told(page, f"pages?relevant=all&host={host}&limit=200")["total"] == before, (
        "nothing of it is fetched any more"
    )
    assert told(page, f"explain?url={url}")["state"] in ("refused", "out-of-scope")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#state")).to_have_text("not running")


def test_why_a_dropped_link_is_not_fetched(page: Page, browsing: Browsing, served: Served, project: Path) -> None:
    refused = [one for group in told(page, "refusals")["groups"] for one in group["examples"]]
    assert refused
    visit(page, f"{served.origin}/#/steered/frontier")
    page.get_by_placeholder("https://example.org/page").fill(refused[0])
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("main")).to_contain_text("not fetched")
