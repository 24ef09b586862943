"""What several tasks need at once is opened, looked through and asked for once."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from pathlib import Path

import pytest
from providers_servers import Wiki, serving
from proxy_servers import proxying
from web_live_site import serving as site
from web_live_site import visiting

from clew import Project
from clew.examples.sources import Wanted
from clew.model import Request, Response
from clew.project.judging import judge_pages, train_judge
from clew.urls.canonical import Canonicaliser
from clew.web.clock import VirtualClock
from clew.web.folder import FolderWorld
from clew.web.providers.inverted import LookedThrough
from clew.web.providers.mediawiki import MediaWiki
from support import READER, write_project

HOSTS = 40


def test_examples_of_many_hosts_are_all_read_from_a_folder(tmp_path: Path) -> None:
    """Judging opens the web with the first request, and the hosts are asked at once."""
    for number in range(HOSTS):
        host = tmp_path / "mirror" / f"h{number}.test"
        host.mkdir(parents=True)
        words = "sailing boats" if number % 2 else "taxes ministers"
        (host / "index.html").write_text(f"<html lang=en><p>{words} {number}", encoding="utf-8")
    urls = [f"http://h{number}.test/" for number in range(HOSTS)]
    settings = f'[project]\nweb = "folder:{tmp_path / "mirror"}"\n[crawl]\nworkers = 0\ncontact = "me@example.org"\n'
    folder = write_project(tmp_path / "p", urls[:1], {}, {}, settings)
    (folder / "relevant.txt").write_text("\n".join(urls[1::2]), encoding="utf-8")
    (folder / "irrelevant.txt").write_text("\n".join(urls[::2]), encoding="utf-8")
    found = train_judge(Project(folder))
    assert (len(found.examples), found.notes) == (HOSTS, (f"reading {HOSTS} example pages",))
    verdicts = judge_pages(Project(folder), [Wanted(url, -1, "") for url in urls[1:3]])
    assert [one.relevant for one in verdicts] == [True, False]


class Slow(FolderWorld):
    """Lets others go first, and counts what it is asked for."""

    async def fetch(self, request: Request) -> Response:
        self.asked = getattr(self, "asked", Counter[str]())
        self.asked[request.url] += 1
        await asyncio.sleep(0)
        return await super().fetch(request)


async def test_a_web_is_looked_through_once(tmp_path: Path) -> None:
    host = tmp_path / "mirror" / "a.test"
    host.mkdir(parents=True)
    (host / "parent.html").write_text("<a href=child.html>child</a>", encoding="utf-8")
    (host / "child.html").write_text("child", encoding="utf-8")
    world = Slow(tmp_path / "mirror", clock=VirtualClock())
    await world.open()
    made = LookedThrough(world, READER, Canonicaliser(), ["http://a.test/parent.html"])
    found = await asyncio.gather(*(made.backlinks(f"http://a.test/{name}.html", 3) for name in ("child", "parent")))
    assert found == [["http://a.test/parent.html"], []]
    assert set(world.asked.values()) == {1}


async def test_a_wiki_is_asked_once_where_its_articles_are() -> None:
    wiki = Wiki(["A", "B"])
    async with serving({"/w/api.php": wiki.handle}) as root:
        made = MediaWiki(f"{root}/w/api.php")
        found = await asyncio.gather(*(made.search("sailing", 1) for _ in range(3)))
        await made.close()
    assert [hits[0].title for hits in found] == ["A", "A", "A"]
    assert sum("meta" in asked for asked in wiki.log) == 1


async def test_a_proxy_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first requests of a crawl go to many hosts at once, and all of them need the proxy's address."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def counting(host: str, *rest: object, **options: object) -> object:
        asked.append(host)
        return real(host, *rest, **options)  # type: ignore[arg-type]

    hosts = [f"h{number}.test" for number in range(8)]
    clock = VirtualClock(1_000_000_000.0)
    async with site(clock) as there, proxying("http") as proxy:
        settings = {"proxy": f"http://localhost:{proxy.port}", "resolve": dict.fromkeys(hosts, "192.0.46.9")}
        monkeypatch.setattr(socket, "getaddrinfo", counting)
        async with visiting(clock, **settings) as world:
            found = await asyncio.gather(*(world.fetch(Request(there.url(host=host))) for host in hosts))
    assert len(proxy.asked) == len(found) == len(hosts), "each host was asked for its robots.txt"
    assert asked.count("localhost") == 1
