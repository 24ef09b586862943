"""axe-core finds no serious fault on any page: light and dark, wide and narrow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from browsing import PATIENCE_MS, Browsing, settled, visit
from playwright.sync_api import BrowserContext, Page
from projects_served import Served

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
PAGES = ("crawl", "collection", "topics", "frontier", "compare", "report")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"], "resultTypes": ["violations"]}
NARROW = 400


@pytest.fixture(scope="module", params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=[1280, NARROW], ids=["wide", "narrow"])
def context(
    browsing: Browsing, served: Served, scheme: str, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    """A browser that lets axe in where the dashboard's policy would not."""

    def opened() -> BrowserContext:
        size = {"width": request.param, "height": 900}
        found = browsing.browser.new_context(bypass_csp=True, viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
        found.set_default_timeout(PATIENCE_MS)
        page = found.new_page()
        page.goto(served.url)
        settled(page)
        return found

    found = browsing.run(opened)
    yield found
    browsing.run(found.close)


def faults(page: Page) -> list[str]:
    """What axe finds that is serious or critical, with where it stands."""
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.add_script_tag(content=AXE)
    found: list[dict[str, Any]] = page.evaluate(f"axe.run(document, {json.dumps(RULES)}).then((r) => r.violations)")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {one['help']}: {[node['html'][:150] for node in one['nodes'][:3]]}" for one in serious]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_serious_fault_and_does_not_scroll_sideways(
    context: BrowserContext, browsing: Browsing, served: Served, name: str
) -> None:
    page = context.pages[0]
    visit(page, f"{served.origin}/#/english/{name}")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.locator("h1").count() == 1


def test_axe_would_find_one(context: BrowserContext, browsing: Browsing, served: Served) -> None:
    page = context.pages[0]
    page.evaluate("document.querySelector('main').append(document.createElement('select'))")
    assert any(one.startswith("select-name") for one in faults(page))
    page.reload()
    settled(page)
