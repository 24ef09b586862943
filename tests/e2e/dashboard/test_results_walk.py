"""Results of the lab compared, and the report read and saved, in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browsing, visit
from playwright.sync_api import Page, expect
from projects_served import Served, serve

from support import clew


@pytest.fixture(scope="module")
def served(english: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("lab")
    clew("lab", "sim", "--preset", "topical", "--pages", 1000, "--budget", 40, "--out", folder / "task.toml")
    clew("lab", "run", folder / "task.toml", "--strategies", "breadth-first,best-first", "--judges", "naive-bayes",
         "--repeats", 3, "--out", folder / "results" / "first")  # fmt: skip
    with serve(english, options=("--no-open", "--results", str(folder / "results"))) as found:
        yield found


def test_methods_are_compared(page: Page, browsing: Browsing, served: Served) -> None:
    visit(page, f"{served.origin}/#/english/compare")
    table = page.get_by_role("table").first
    expect(table).to_contain_text("best-first")
    expect(table).to_contain_text("breadth-first")
    expect(table).to_contain_text("★")
    page.get_by_text("Curves", exact=True).first.click()
    expect(page.locator("svg.chart").first).to_be_visible()


def test_the_report_is_read_and_saved(page: Page, browsing: Browsing, served: Served) -> None:
    visit(page, f"{served.origin}/#/english/report")
    expect(page.frame_locator("iframe").get_by_text("Best pages").first).to_be_visible()
    for name, ending, begins in (("Save as HTML", ".html", b"<!DOCTYPE html>"), ("Save as PDF", ".pdf", b"%PDF-")):
        with page.expect_download() as waited:
            page.get_by_text(name, exact=True).click()
        assert waited.value.suggested_filename.endswith(ending)
        assert Path(waited.value.path()).read_bytes().startswith(begins)
