"""CPU-ms a page of each stage of a crawl alone, on the pages of the benchmark site."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from benchmarks.site import Site
from clew.crawl.evidence import Evidence
from clew.frontier.columns import ColumnFrontier
from clew.judges.base import JudgeContext
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.model import OTHER, Example, LinkBatch, Outcome, Page, Response, Source
from clew.store.packed import pack_evidence
from clew.store.sqlite import SqliteStore
from clew.store.warc import encode
from clew.strategies.best_first import BestFirst
from clew.text.html import parse
from clew.text.reader import Reader
from clew.urls.canonical import Canonicaliser, host, keys, url_words

PAGES = 200


def measure(site: Site) -> dict[str, float]:
    """CPU-ms a page by stage."""
    responses = [_response(site, page) for page in range(min(PAGES, site.pages))]
    reader = Reader(Canonicaliser((), 2_000), keys, host, url_words, keep_text=False)
    for response in responses[:20]:
        reader.read(response)
    pages = [reader.read(response) for response in responses]
    judge = NaiveBayesJudge(JudgeContext(), NaiveBayesJudge.Settings(pairs=False, lead=0.0, damped=False))
    judge.fit([Example(page.url, 0 if i < 10 else OTHER, page) for i, page in enumerate(pages[:40])])
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "crawl.db")
        store.open()
        evidence = Evidence(store.hosts)
        batches = [_batch(evidence, page, number) for number, page in enumerate(pages, 1)]
        frontier, strategy = ColumnFrontier(), BestFirst()
        result = {
            "parse HTML alone": _each(lambda one: parse(one.body.decode(), keep_text=False), responses),
            "read (charset, HTML, terms, links)": _each(reader.read, responses),
            "judge": _each(lambda page: judge.judge([page]), pages),
            "WARC records": _each(lambda one: encode(one, {"via": "seed"}, 2), responses),
            "evidence columns": _each(
                lambda pair: _batch(evidence, *pair), list(zip(pages, range(len(pages)), strict=True))
            ),
            "score": _each(strategy.score, batches),
            "pack evidence": _each(lambda batch: pack_evidence(batch.links, batch.leaves), batches),
            "frontier": _each(lambda batch: _add(frontier, evidence, batch), batches),
        }
        store.close()
    return {name: round(value, 4) for name, value in result.items()}


def _each(work: Callable[..., object], items: Iterable[object]) -> float:
    items = list(items)
    started = time.process_time()
    for item in items:
        work(item)
    return 1000 * (time.process_time() - started) / len(items)


def _response(site: Site, page: int) -> Response:
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return Response(site.url(page), Outcome.OK, 200, headers, site.body(page))


def _batch(evidence: Evidence, page: Page, number: int) -> LinkBatch:
    source = Source(number, page.url, host(page.url), 0.5, np.array([0.5], np.float32), 0, 1, 0)
    return evidence.of_page(page, source)


def _add(frontier: ColumnFrontier, evidence: Evidence, batch: LinkBatch) -> None:
    scores = np.full(len(batch), batch.source.relevance)
    frontier.add(batch.links.keys, evidence.host_ids(batch.links), scores, batch.source.visit)
    lease = frontier.lease(0.0)
    if lease is not None:
        frontier.done(lease)
