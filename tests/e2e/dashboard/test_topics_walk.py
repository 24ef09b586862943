"""What is wanted, edited in a real browser: a formula tried on what was found, and saved."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browsing, Watched, visit
from playwright.sync_api import Page, expect
from projects_served import WEB, Served, copied, serve

from clew.web.simulated import parse_spec

TOPIC = parse_spec(WEB).topics(1)[0]


@pytest.fixture(scope="module")
def project(english: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(english, tmp_path_factory.mktemp("topics") / "english")


@pytest.fixture(scope="module")
def served(project: Path) -> Iterator[Served]:
    with serve(project) as found:
        yield found


def test_the_formula_is_tried_while_it_is_typed_and_saved(
    page: Page, watched: Watched, browsing: Browsing, served: Served, project: Path
) -> None:
    before = (project / "clew.toml").read_text(encoding="utf-8")
    visit(page, f"{served.origin}/#/english/topics")
    formula, tried = page.get_by_label("Formula over topics"), page.locator("#formula-said")
    save = page.get_by_role("button", name="Save", exact=True)
    formula.fill(f"{TOPIC} and (")
    expect(tried).to_contain_text("At character")
    expect(save).to_be_disabled()
    formula.fill(f"not {TOPIC}")
    expect(tried.locator("strong")).to_contain_text("→ ")
    expect(tried).to_contain_text("Would not count any more")
    assert (project / "clew.toml").read_text(encoding="utf-8") == before, "what is tried is not written"
    formula.fill(TOPIC)
    page.get_by_label("A page counts from a relevance of").fill("0.7")
    expect(tried.locator("strong")).to_contain_text("→ ")
    expect(save).to_be_enabled()
    save.click()
    expect(page.locator("#toasts")).not_to_be_empty()
    saved = tomllib.loads((project / "clew.toml").read_text(encoding="utf-8"))
    assert (saved["interest"]["formula"], saved["judge"]["threshold"]) == (TOPIC, 0.7)
    page.reload()
    expect(formula).to_have_value(TOPIC)
