"""The collection in a real browser: searched, a page explained and looked at, labels that change the judge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browsing, visit
from playwright.sync_api import Locator, Page, Route, expect
from projects_served import PAGES, WEB, Served, copied, serve

from clew.web.simulated import parse_spec
from support import clew_json, clew_process

TOPIC = parse_spec(WEB).topics(1)[0]


@pytest.fixture(scope="module")
def project(english: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(english, tmp_path_factory.mktemp("collection") / "english")


@pytest.fixture(scope="module")
def served(project: Path) -> Iterator[Served]:
    with serve(project) as found:
        yield found


@pytest.fixture
def collection(page: Page, browsing: Browsing, served: Served) -> Page:
    def shown() -> Page:
        visit(page, f"{served.origin}/#/english/collection")
        expect(page.locator("li.found").first).to_be_visible()
        return page

    return browsing.run(shown)


def titles(page: Page) -> Locator:
    return page.locator("li.found a.title")


def test_pages_are_listed_best_first(collection: Page, browsing: Browsing) -> None:
    told = [float(one) for one in re.findall(r"relevance ([\d.]+)", collection.locator("ol").inner_text())]
    assert len(told) == titles(collection).count() > 20
    assert told == sorted(told, reverse=True)


def test_a_search_finds_and_marks(collection: Page, project: Path, browsing: Browsing) -> None:
    """The same pages as by the command line."""
    collection.keyboard.press("/")
    collection.keyboard.type(TOPIC)
    collection.keyboard.press("Enter")
    expect(collection.locator("li.found mark").first).to_have_text(re.compile(TOPIC, re.IGNORECASE))
    expect(collection.get_by_text("adding pages")).to_have_count(0)
    hits = clew_json("search", project, TOPIC)["hits"]
    assert [hit["title"] for hit in hits][:5] == titles(collection).all_text_contents()[:5]
    assert f"q={TOPIC}" in collection.url
    collection.get_by_role("searchbox").fill("xyzzyplugh")
    collection.keyboard.press("Enter")
    expect(collection.get_by_text("no page found for xyzzyplugh")).to_be_visible()
    expect(collection.locator("li.found")).to_have_count(0)


def test_a_page_is_explained(collection: Page, browsing: Browsing) -> None:
    title = titles(collection).first.inner_text()
    collection.keyboard.press("j")
    expect(titles(collection).first).to_be_focused()
    collection.keyboard.press("Enter")
    expect(collection.get_by_role("heading", level=1)).to_have_text(title)
    expect(collection.locator(".prose mark").first).to_be_visible()
    marks = {word.lower() for word in collection.locator(".prose mark").all_text_contents()}
    assert any(word.startswith(TOPIC[:4].lower()) for word in marks), marks
    expect(collection.locator("ol.steps li").first).to_be_visible()
    assert collection.locator("ol.steps li").count() >= 1


def test_reasons_that_are_looked_for_are_asked_for_again(collection: Page, browsing: Browsing) -> None:
    """As where the judge of a large crawl is trained again."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 2:
            route.continue_()
        else:
            route.fulfill(json={"computing": True, "explanation": None, "marks": []})

    collection.route("**/why", answer)
    titles(collection).first.click()
    expect(collection.get_by_text("Looking for the reasons: the judge is trained again")).to_be_visible()
    expect(collection.locator("ol.steps li").first).to_be_visible()
    assert len(asked) >= 3


def test_the_archived_copy_is_shown_and_runs_nothing(collection: Page, browsing: Browsing) -> None:
    title = titles(collection).first.inner_text()
    titles(collection).first.click()
    collection.get_by_role("tab", name="Archived copy").click()
    frame = collection.locator("iframe")
    assert frame.get_attribute("sandbox") == ""
    expect(frame.content_frame.locator("body")).to_contain_text(title.split()[-1], ignore_case=True)


def test_a_label_by_one_key_changes_the_judge(
    collection: Page, project: Path, served: Served, browsing: Browsing
) -> None:
    """The crawl trains the judge with it when it goes on, and says so."""
    titles(collection).nth(2).click()
    expect(collection.get_by_text("no label")).to_be_visible()
    address, url = collection.url, collection.locator("main a.url").first.inner_text()
    collection.keyboard.press("i")
    expect(collection.get_by_text("labelled irrelevant")).to_be_visible()
    assert f"{url}\tirrelevant" in (project / "labels.tsv").read_text(encoding="utf-8")
    judged = json.loads(clew_process("judge", project, url, "--json").stdout.splitlines()[-1])[0]
    clew_process("crawl", project, "--max-pages", PAGES + 5)
    visit(collection, f"{served.origin}/#/english/crawl")
    expect(collection.get_by_role("region", name="Decision log")).to_contain_text("learned from 1 label")
    assert judged["relevance"] < 0.5, "trained with the label, it judges otherwise"
    visit(collection, address)
    collection.keyboard.press("u")
    expect(collection.get_by_text("no label")).to_be_visible()


def test_uncertain_pages_one_after_the_other(collection: Page, project: Path, browsing: Browsing) -> None:
    collection.get_by_role("link", name="Uncertain pages").click()
    expect(collection.get_by_text(re.compile(r"^1 of \d+$"))).to_be_visible()
    heading = collection.locator("h3").inner_text()
    collection.keyboard.press("r")
    expect(collection.get_by_text(re.compile(r"^2 of \d+$"))).to_be_visible()
    collection.keyboard.press("u")
    expect(collection.get_by_text(re.compile(r"^1 of \d+$"))).to_be_visible()
    expect(collection.locator("h3")).to_have_text(heading)
    collection.keyboard.press("s")
    expect(collection.get_by_text(re.compile(r"^2 of \d+$"))).to_be_visible()
