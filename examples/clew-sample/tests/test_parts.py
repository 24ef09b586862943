"""What is particular to these parts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from clew_sample.provider import PagesIndex
from clew_sample.strategy import PayingHosts
from clew_sample.world import PagesFile

from clew.errors import InputError
from clew.testing import StubView, batch_of, html_page, visit_of
from clew.web.providers.base import ProviderContext, ProviderError

LINKS = "<a href=http://good.test/1>one</a> <a href=http://bad.test/1>two</a> <a href=http://new.test/1>three</a>"


def test_hosts_that_paid_off_come_first() -> None:
    strategy, links = PayingHosts(PayingHosts.Settings(hosts=1.0)), batch_of(html_page(LINKS))
    for number in range(1, 4):
        strategy.learn(visit_of(links, 0, number, relevance=1.0))
        strategy.learn(visit_of(links, 1, number, relevance=0.0))
    assert strategy.score(links).tolist() == [3.5 / 4, 0.5 / 4, 0.5]


def test_queries_are_asked_once() -> None:
    view = StubView(hits={"sailing": ["http://a.test/", "http://b.test/"], "boats": ["http://c.test/"]})
    strategy = PayingHosts(PayingHosts.Settings(search=("sailing", "boats"), hits=1))
    strategy.begin(view)
    while strategy.wants_to_consult():
        asyncio.run(strategy.consult())
    assert view.enqueued == [("http://a.test/", ""), ("http://c.test/", "")]
    resumed = PayingHosts(strategy.settings)
    resumed.restore(strategy.state())
    assert not resumed.wants_to_consult()


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text('{"url": "http://a.test/"}\n{"title": "no URL"}\n')
    with pytest.raises(InputError, match=r"pages\.jsonl line 2: .*url"):
        asyncio.run(PagesFile(str(path)).open())
    provider = PagesIndex(ProviderContext(tmp_path), PagesIndex.Settings(path="pages.jsonl"))
    with pytest.raises(ProviderError, match="line 2"):
        asyncio.run(provider.search("sailing", 3))
