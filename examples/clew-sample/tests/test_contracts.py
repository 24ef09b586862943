"""Clew's contract suites over the parts of this package."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from clew_sample.exporter import LinkList
from clew_sample.judge import TitleWords
from clew_sample.provider import PagesIndex
from clew_sample.strategy import PayingHosts
from clew_sample.world import PagesFile

from clew import Exporter, Judge, SearchProvider, Strategy, World
from clew.judges.base import JudgeContext
from clew.model import Page
from clew.testing import (
    ExporterContract,
    JudgeContract,
    SearchProviderContract,
    StrategyContract,
    WorldContract,
    html_page,
)
from clew.web.providers.base import ProviderContext

LINES = [
    {"url": "http://a.test/", "title": "Sailing boats", "html": "<p>boats and <a href='/b'>more boats</a>"},
    {"url": "http://A.test/b#part", "title": "Harbours", "html": "<p>sailing boats in a harbour"},
    {"url": "http://a.test/c", "title": "Bread", "html": "<p>bake it"},
    {"url": "http://a.test/old", "location": "http://a.test/"},
]


def write_lines(folder: Path) -> Path:
    """The pages above in a file."""
    path = folder / "pages.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


class TestPayingHosts(StrategyContract):
    def make(self) -> Strategy:
        return PayingHosts(PayingHosts.Settings(search=("sailing",)))


class TestTitleWords(JudgeContract):
    wanted = ("A sailing regatta", "Sailing boats on the island", "The harbour of the island")
    unwanted = ("The budget in parliament", "Bread with caraway")
    like = "Sailing to the island"
    unlike = "The minister in parliament"

    def make(self) -> Judge:
        return TitleWords(JudgeContext(), TitleWords.Settings())

    def page(self, text: str, language: str = "en") -> Page:
        return html_page(f"<html lang={language}><title>{html.escape(text)}</title><p>some text</p>")


class TestPagesFile(WorldContract):
    page = "http://a.test/"
    missing = "http://a.test/none"
    redirect = "http://a.test/old"

    def make(self) -> World:
        return PagesFile(str(write_lines(self.folder)))


class TestPagesIndex(SearchProviderContract):
    query = "sailing boats"
    nothing = "volcano"

    def make(self) -> SearchProvider:
        write_lines(self.folder)
        return PagesIndex(ProviderContext(self.folder), PagesIndex.Settings(path="pages.jsonl"))


class TestLinkList(ExporterContract):
    def make(self) -> Exporter:
        return LinkList(self.collection)

    def urls(self, data: bytes) -> list[str]:
        return re.findall(r"^- \[.*\]\(<(.*)>\) \d\.\d\d$", data.decode(), flags=re.M)
