"""Pages that were crawled from a site that attacks, looked at one by one: lists, details, and copies as they came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import ask, cookie_of
from browsing import Browsing, Watched, visit
from hostile_site import ATTACK, BEACON, HIT, Site, crawl_it, serve_site
from playwright.sync_api import Frame, Page, expect
from projects_served import Served, serve

from support import exported

Rows = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_site() as found:
        yield found


@pytest.fixture(scope="module")
def hostile(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_it(site, tmp_path_factory.mktemp("archived") / "hostile")


@pytest.fixture(scope="module")
def rows(hostile: Path) -> Rows:
    """What was crawled, by the path of its URL."""
    return {"/" + row["url"].split("/", 3)[3]: row for row in exported(hostile, "--all")}


@pytest.fixture(scope="module")
def served(hostile: Path) -> Iterator[Served]:
    with serve(hostile) as found:
        yield found


def unhurt(page: Page, site: Site) -> None:
    """Nothing ran, no window was opened, and the site was asked for nothing."""
    assert page.evaluate("window.__hit") is None
    assert len(page.context.pages) == 1
    assert not site.asked


def test_every_page_of_the_collection(
    page: Page, watched: Watched, browsing: Browsing, served: Served, site: Site, rows: Rows
) -> None:
    visit(page, f"{served.origin}/#/hostile/collection?relevant=all")
    expect(page.locator("li.found a.title").filter(has_text=ATTACK[:40]).first).to_be_visible()
    unhurt(page, site)
    for row in rows.values():
        visit(page, f"{served.origin}/#/hostile/collection/{row['number']}")
        expect(page.locator("h1")).to_contain_text(row["title"].strip()[:30] or row["url"][:30])
        expect(page.locator("ol.steps li").or_(page.get_by_text("There is no page to label")).first).to_be_visible()
        unhurt(page, site)


@pytest.mark.parametrize("query", ["sailing", "script", '"window hit"', ATTACK, "<mark>", "sail* -\\"])
def test_searches_that_find_attacks(
    page: Page, watched: Watched, browsing: Browsing, served: Served, site: Site, query: str
) -> None:
    watched.allowed += ["400"]  # what is no query is told as an error
    visit(page, f"{served.origin}/#/hostile/collection")
    page.get_by_role("searchbox").fill(query)
    page.keyboard.press("Enter")
    expect(page.locator("[aria-busy]")).to_have_count(0)
    if query == "sailing":
        expect(page.locator("li.found mark").first).to_have_text("sailing")
    unhurt(page, site)


@pytest.mark.parametrize("path", ["/", "/calls", "/utf7", "/iso2022", "/plain", "/xhtml"])
def test_an_archived_copy_does_nothing(
    page: Page,
    watched: Watched,
    browsing: Browsing,
    served: Served,
    site: Site,
    rows: Rows,
    path: str,
) -> None:
    """Neither when it is shown, nor when all that can be clicked in it is clicked."""
    watched.allowed += ["Blocked script execution", "Content Security Policy", "violates the following", "sandboxed",
                        "frame-src", "Not allowed to", "Unsafe attempt", "autofocusing", "401", "404"]  # fmt: skip
    visit(page, f"{served.origin}/#/hostile/collection/{rows[path]['number']}")
    frame = copy_in(page)
    assert "sailing" in frame.locator("body").inner_text()
    unhurt(page, site)
    before = page.url
    click_all(page)
    assert page.url == before
    unhurt(page, site)


def click_all(page: Page) -> None:
    """Clicks every link and button, in a copy that is shown anew each time: a link may lead the frame elsewhere."""
    for place in range(copy_in(page).locator("a, button").count()):
        shown_again(page).locator("a, button").nth(place).dispatch_event("click")
    shown_again(page)  # what the last click led to has begun by then


def copy_in(page: Page) -> Frame:
    """The frame with the archived copy, once it is there."""
    page.get_by_role("tab", name="Archived copy").click()
    frame = page.locator("iframe").element_handle().content_frame()
    assert frame is not None
    frame.wait_for_selector("body")
    frame.wait_for_load_state()
    return frame


def shown_again(page: Page) -> Frame:
    """The copy in a page that is loaded anew."""
    visit(page, page.url)
    return copy_in(page)


@pytest.mark.parametrize("path", ["/", "/calls", "/utf7", "/iso2022", "/plain", "/xhtml"])
def test_a_copy_opened_by_itself_runs_nothing(
    page: Page,
    watched: Watched,
    browsing: Browsing,
    served: Served,
    site: Site,
    rows: Rows,
    path: str,
) -> None:
    watched.allowed += ["Blocked script execution", "Content Security Policy", "violates the following", "autofocusing"]
    page.goto(f"{served.origin}/archived/hostile/{rows[path]['number']}")
    assert "sailing" in page.locator("body").inner_text()
    assert page.evaluate("self.origin") == "null"
    unhurt(page, site)


def test_what_is_told_of_copies(served: Served, rows: Rows) -> None:
    status, text = ask(served, f"/archived/hostile/{rows['/calls']['number']}", headers=cookie_of(served))
    assert status == 200
    assert HIT in text and BEACON in text, "it is the page as it came"
    assert "<meta" not in text and "<base" not in text and "<link" not in text
