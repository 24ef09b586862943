"""Pages from HTML or text, and their links, as a crawl reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from clew.crawl.evidence import Evidence
from clew.model import Floats, Link, LinkBatch, Outcome, Page, Response, Source, Visit
from clew.text.reader import Reader
from clew.urls.canonical import Canonicaliser, host, keys, url_words

READER = Reader(Canonicaliser((), 2_000), keys, host, url_words)
"""Reads pages as a crawl with default settings does."""


def html_page(html: str, url: str = "http://a.test/") -> Page:
    """A page read from HTML."""
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return READER.read(Response(url, Outcome.OK, 200, headers, html.encode()))


def text_page(text: str, language: str = "en", title: str = "", url: str = "http://a.test/") -> Page:
    """A page of one paragraph."""
    return html_page(
        f"<html lang='{language}'><head><title>{title}</title></head><body><p>{text}</p></body></html>", url
    )


class NoHistory:
    """Hosts of which a crawl has seen nothing."""

    def ids(self, names: Sequence[str]) -> npt.NDArray[np.uint32]:
        return np.arange(len(names), dtype=np.uint32)

    def stats(self, ids: npt.NDArray[np.uint32]) -> tuple[Floats, Floats]:
        return np.zeros(len(ids), np.float32), np.zeros(len(ids), np.float32)


def batch_of(page: Page, relevance: float = 0.5, depth: int = 1, tunnel: int = 0, visit: int = 1) -> LinkBatch:
    """The links of a page as a strategy sees them, in a crawl that knows nothing yet of their hosts."""
    source = Source(visit, page.url, host(page.url), relevance, np.array([relevance], np.float32), 0, depth, tunnel)
    return Evidence(NoHistory()).of_page(page, source)


def visit_of(batch: LinkBatch, index: int, number: int, relevance: float) -> Visit:
    """A visit of one of the links, of whose page only the relevance is known: as visits are learned again."""
    link = Link(batch, index, 0.5)
    response = Response(link.url, Outcome.OK, 200)
    return Visit(number, link, response, None, None, relevance, relevance >= 0.5, 0)
