"""Nothing on the do-not-crawl list is asked for, whatever names it: seeds, links, redirects, waiting links, examples,
pages that a strategy asks for; and files that a user names."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from clew import Crawl, Project, World
from clew.model import Outcome, Request, Response
from clew.strategies.base import View
from clew.strategies.breadth_first import BreadthFirst
from support import clew, clew_json, write_project

SETTINGS = {"interest": {"keywords": {"sailing": 1.0}}, "judge": {"name": "keywords"}}
NEVER = "b.test\n.wild.test\na.test/private/\nhttp://a.test/one$\n"


class Web(World):
    """Every page links to the same pages; /away redirects to a host that wants no crawler."""

    closed = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fetch(self, request: Request) -> Response:
        self.asked.append(request.url)
        if request.url.endswith("/away"):
            return Response(request.url, Outcome.REDIRECT, 302, location="http://b.test/from-away")
        links = (
            "http://b.test/",
            "http://x.wild.test/",
            "/private/x",
            "/one",
            "/one1",
            "/two",
            "/away",
            "http://c.test/",
        )
        words = " ".join(
            f"w{Random(request.url + str(i)).randrange(10**6)}" for i in range(60)
        )  # no page is a duplicate
        body = f"<html lang=en><p>sailing {words}" + "".join(f"<a href={link}>x</a>" for link in links)
        return Response(request.url, Outcome.OK, 200, (("Content-Type", "text/html"),), body.encode())


class Asking(BreadthFirst):
    """Asks for pages of its own when no link is left."""

    name = "asking"
    asked = 0

    def begin(self, view: View) -> None:
        super().begin(view)
        self.seen = view

    async def consult(self) -> bool:
        if not self.asked:
            self.asked = 1
            self.asked += self.seen.actions.enqueue(["http://b.test/asked", "http://a.test/asked"])
        return False


def hosts_asked(web: Web) -> set[str]:
    return {url.partition("//")[2].partition("/")[0] for url in web.asked}


def test_nothing_on_the_list_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "never.txt").write_text(NEVER, encoding="utf-8")
    web, strategy = Web(), Asking()
    seeds = ["http://b.test/seed", "http://a.test/", "http://wild.test/"]
    with Crawl(seeds, world=web, strategy=strategy, settings=SETTINGS, folder=tmp_path) as crawl:
        result = crawl.run_sync(max_pages=50)
        assert strategy.asked == 2
        paths = ("", "one1", "two", "away", "asked")
        assert set(web.asked) == {f"http://a.test/{path}" for path in paths} | {
            f"http://c.test/{path}" for path in ("", "one", "one1", "two", "away", "private/x")
        }
        assert result.refused == 2


def test_links_that_wait_are_checked_again(tmp_path: Path) -> None:
    web = Web()
    with Crawl(["http://a.test/"], world=web, strategy=BreadthFirst(), settings=SETTINGS, folder=tmp_path) as crawl:
        crawl.run_sync(max_pages=1)
    (tmp_path / "never.txt").write_text("c.test\n.wild.test\nb.test\n", encoding="utf-8")
    again = Web()
    with Crawl([], world=again, strategy=BreadthFirst(), settings=SETTINGS, folder=tmp_path) as crawl:
        crawl.run_sync(max_pages=50)
    assert hosts_asked(again) == {"a.test"}
    assert "http://a.test/two" in again.asked


def test_what_leaves_the_list_is_asked_for_again(tmp_path: Path) -> None:
    for entries, expected in (("b.test\n", False), ("", True)):
        (tmp_path / "never.txt").write_text(entries, encoding="utf-8")
        web = Web()
        with Crawl(["http://b.test/"], world=web, settings=SETTINGS, folder=tmp_path) as crawl:
            crawl.run_sync(max_pages=5)
        assert ("http://b.test/" in web.asked) == expected


def test_a_crawl_without_a_folder_has_the_list_that_it_names(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text(NEVER, encoding="utf-8")
    web = Web()
    crawl = Crawl(["http://a.test/"], world=web, settings={**SETTINGS, "scope": {"never": str(file)}})
    crawl.run_sync(max_pages=10)
    assert hosts_asked(web) == {"a.test", "c.test"}


@pytest.mark.parametrize("command", ["crawl", "judge"])
def test_examples_on_the_list_are_left_out(command: str, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror" / "a.test"
    mirror.mkdir(parents=True)
    for name in ("index.html", "good.html", "bad.html", "spared.html"):
        (mirror / name).write_text(f"<html lang=en><title>{name}</title><p>sailing boats on the sea", encoding="utf-8")
    project = write_project(
        tmp_path / "p",
        ["http://a.test/", "http://a.test/spared.html"],
        {"good.htm": "<html lang=en><p>sailing boats and regattas"},
        {"bad.htm": "<html lang=en><p>taxes and budgets"},
        f'[project]\nweb = "folder:{tmp_path / "mirror"}"\n',
    )
    with (project / "relevant.txt").open("a", encoding="utf-8") as file:
        file.write("http://a.test/spared.html\nhttp://a.test/good.html\n")
    (project / "never.txt").write_text("http://a.test/spared.html$  # by mail\n", encoding="utf-8")
    if command == "crawl":
        assert clew_json("crawl", project, "--workers", "0", "--quiet")["fetched"] == 1
        told = clew("explain", project, "http://a.test/spared.html").stdout
    else:
        told = clew("judge", project, "http://a.test/spared.html").stdout
    assert "do-not-crawl list: http://a.test/spared.html$ (never.txt line 1)" in " ".join(told.split())
    store = Project(project).open_store(read_only=True)
    kept = [line for line, _, _ in store.examples.all()]
    store.close()
    assert "http://a.test/good.html" in kept
    assert "http://a.test/spared.html" not in kept


def test_a_bad_line_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    settings = '[interest.keywords]\nsailing = 1\n[judge]\nname = "keywords"\n'
    project = write_project(tmp_path / "p", ["http://a.test/"], settings=settings)
    (project / "never.txt").write_text("b.test\n*.c.test\n", encoding="utf-8")
    done = clew("crawl", project, "--web", "sim:pages=1000", code=2)
    assert f"{project}/never.txt line 2: '*.c.test' cannot be kept from the crawl" in done.stderr
