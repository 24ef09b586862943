"""The dashboard in a real browser, as its user goes through it."""

from __future__ import annotations

import pytest
from browsing import Browsing, settled
from playwright.sync_api import Page, expect
from projects_served import Served

PAGES = ("Crawl", "Collection", "Topics", "Frontier", "Compare", "Report")


def test_the_token_leaves_the_address(page: Page, browsing: Browsing, served: Served) -> None:
    """It is exchanged for a cookie that no script can read, and going back does not bring it up."""
    assert page.url == f"{served.origin}/#/english/crawl"
    assert page.evaluate("document.cookie") == ""
    [cookie] = page.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and served.token not in cookie["value"]
    history = page.context.new_cdp_session(page).send("Page.getNavigationHistory")
    assert not [one["url"] for one in history["entries"] if served.token in one["url"]]
    assert served.token not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    page.reload()
    settled(page)
    assert page.url == f"{served.origin}/#/english/crawl"


@pytest.mark.parametrize("name", PAGES)
def test_every_page_by_the_menu(page: Page, browsing: Browsing, served: Served, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")
    expect(page).to_have_title(f"{name} – english – Clew")


def test_light_and_dark_by_button_and_kept(page: Page, browsing: Browsing) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    settled(page)
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate(ground) == light
