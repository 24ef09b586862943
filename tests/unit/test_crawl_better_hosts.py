"""Live crawls wait for better links on hosts that are free again soon (crawl.better_hosts), and no longer. Real servers
on loopback, pauses of a few hundredths."""

from __future__ import annotations

import asyncio

import pytest
from outages_web import QUICK, Servers
from web_live_site import Handler, answer

from clew import Crawl
from clew.crawl import running
from clew.frontier.resting import Waits

GOOD, POOR, OTHER = "127.0.9.1", "127.0.9.2", "127.0.9.3"
GOOD_LINKS = [f"/good/{number}" for number in range(8)]
POOR_LINKS = [f"/poor/{number}" for number in range(8)]


def page(text: str, links: list[str]) -> bytes:
    return answer(f"<p>{text}</p>{''.join(f'<a href={link}>x</a> ' for link in links)}".encode())


async def crawled(better_hosts: int, strategy: str = "best-first", first: Handler = b"") -> list[str]:
    """Pages in the order in which they were asked for: one host has a page on the topic with eight links to itself, of
    which the first answers as ``first`` does; the page of another, off the topic, links to itself and a third."""
    async with Servers({link: page("sailing", []) for link in GOOD_LINKS}, (GOOD, POOR, OTHER)) as servers:
        pages = servers.site.pages
        poor = [servers.url(link, ip) for link in POOR_LINKS for ip in (POOR, OTHER)]
        pages |= {"/": page("sailing " * 9, GOOD_LINKS), "/off": page("granite", poor)}
        pages |= {GOOD_LINKS[0]: first} if first else {}
        pages |= {link: page("granite", []) for link in POOR_LINKS}
        settings = {
            "interest": {"keywords": {"sailing": 1.0}},
            "judge": {"name": "keywords"},
            "crawl": {"contact": "me@example.org", "workers": 0, "better_hosts": better_hosts, "max_pages": 10},
            "politeness": QUICK | {"delay_s": 0.08},
            "web": {"live": {"allow_private": True}},
        }
        seeds = [servers.url("/", GOOD), servers.url("/off", POOR)]
        await Crawl(seeds, strategy=strategy, settings=settings).run()
        return [url.split("/", 1)[1] for url in servers.pages()]


def good(asked: list[str]) -> int:
    return sum(path.startswith("good/") for path in asked)


async def test_links_wait_for_better_ones_on_a_host_that_rests() -> None:
    waiting, taking = await crawled(1), await crawled(0)
    assert good(waiting) == 8  # the whole budget but for the seeds
    assert good(taking) <= 4


async def test_so_many_better_hosts_are_waited_for() -> None:
    """One host has better links; only two of that kind would keep the others waiting."""
    assert good(await crawled(2)) <= 5


@pytest.mark.parametrize(
    ("hosts", "waited_for", "enough"), [(1, 128, 1), (1, 132, 2), (2, 132, 4), (1, 383, 64), (1, 384, 0), (2, 264, 0)]
)
def test_a_crawl_of_many_hosts_waits_less(hosts: int, waited_for: int, enough: int) -> None:
    assert Waits(hosts, 5.0).enough(waited_for) == enough


async def test_nothing_waits_where_scores_are_no_worth() -> None:
    assert good(await crawled(1, "random")) <= 5


async def test_a_host_that_does_not_answer_is_waited_for_shortly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SOON_S", 0.0)  # so that five pauses are the longest
    answered: list[int] = []

    async def slow(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1.2)
        answered.append(1)
        writer.write(page("sailing", []))

    asked = await crawled(1, first=slow)
    assert answered
    assert good(asked) == 1  # the budget was spent on others before it answered
