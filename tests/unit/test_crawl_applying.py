"""What arrivals become, where the order in which they come matters."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from clew.config import Settings
from clew.crawl.applying import Applier, Arrival
from clew.crawl.evidence import NO_LEAVES, Evidence
from clew.crawl.parts import Parts
from clew.crawl.progress import Progress
from clew.crawl.stopping import StopRules
from clew.crawl.view import CrawlView
from clew.frontier.columns import ColumnFrontier
from clew.judges.base import JudgeContext
from clew.judges.keywords import KeywordsJudge
from clew.model import Link, LinkKind, Outcome, Response, Source
from clew.store.records import RunRecord
from clew.store.sqlite import SqliteStore
from clew.strategies.breadth_first import BreadthFirst
from clew.text.reader import seed_links
from clew.topics.interest import Interest
from clew.urls.canonical import Canonicaliser, host, keys, url_words
from clew.urls.scope import Scope
from clew.web.clock import VirtualClock
from clew.web.folder import FolderWorld
from clew.workers.messages import Job
from clew.workers.pool import PageWorker, ReadingPool
from support import READER

URLS = ("http://a.test/page", "http://a.test/page?sort=asc")
PAGE = b"<html lang=en><link rel=canonical href='/page'><p>sailing regatta on the sea"


def make_parts(folder: Path) -> Parts:
    store = SqliteStore(folder / "crawl.db")
    store.open()
    judge = KeywordsJudge(JudgeContext(keywords={"sailing": 1.0}))
    judge.fit([])
    interest, rules = Interest(), StopRules(Settings().stop)
    return Parts(
        settings=Settings(),
        world=FolderWorld(folder, clock=VirtualClock()),
        clock=VirtualClock(),
        store=store,
        frontier=ColumnFrontier(),
        strategy=BreadthFirst(),
        interest=interest,
        reading=ReadingPool(PageWorker(READER, judge, interest), 0),
        rules=rules,
        view=CrawlView([], interest, None, 1, store, lambda: judge),
        evidence=Evidence(store.hosts),
        scope=Scope(),
        canonicalise=Canonicaliser(),
        progress=Progress(),
        run=RunRecord("breadth-first", "keywords", "folder", interest.threshold),
    )


def test_a_canonical_page_that_was_under_way_counts_once(tmp_path: Path) -> None:
    """/page is being read when /page?sort=asc, which names it as canonical, is applied: two fetches, one relevant."""
    parts = make_parts(tmp_path)
    links = seed_links(URLS, keys(URLS), [host(url) for url in URLS], url_words, LinkKind.SEED)
    batch = parts.evidence.batch(Source(0, "", "", 1.0, np.ones(1, np.float32), 0, 0, 0), links, NO_LEAVES)
    ids = parts.evidence.host_ids(links)
    parts.frontier.add(links.keys, ids, np.array([2.0, 1.0]), parts.store.links.add_seeds(batch, ids, np.ones(2)))
    applier = Applier(parts)
    arrivals = []
    for index in range(2):
        lease = parts.frontier.lease(0.0)
        assert lease is not None and lease.index == index
        parts.frontier.done(lease, 0.0)
        response = Response(URLS[index], Outcome.OK, 200, (("Content-Type", "text/html"),), PAGE)
        reading = parts.reading.worker.work([Job(response)])[0]
        arrivals.append(Arrival(lease, Link(batch, index, 1.0), response, reading))
    first, second = applier.apply(arrivals[1]), applier.apply(arrivals[0])
    parts.store.commit()
    assert first is not None and first.relevant
    assert second is not None and not second.relevant and second.reason.startswith("same page as")
    totals = parts.store.visits.totals()
    assert (totals.visits, totals.relevant, totals.refused, parts.progress.refused) == (2, 1, 0, 0)
    assert len(parts.frontier) == 0
    parts.store.close()
