"""Links that stand on no page of the crawl: seeds, and pages that a strategy asked for (who links to a page)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.crawl.evidence import NO_LEAVES
from clew.crawl.parts import Parts
from clew.model import LinkKind, Source
from clew.text.reader import seed_links
from clew.urls.canonical import host, key, keys, url_words


def add_row(parts: Parts, urls: Sequence[str], kind: LinkKind, about: str = "") -> None:
    """One more packed row, of distinct canonical URLs, remembered and made known to the frontier."""
    links = seed_links(urls, keys(urls), [host(url) for url in urls], url_words, kind)
    topics = np.ones(len(parts.interest.topics), np.float32)
    home = host(about) if about else ""
    source = Source(0, about, home, relevance=1.0, scores=topics, topic=parts.interest.wanted, depth=0, tunnel=0)
    batch = parts.evidence.batch(source, links, NO_LEAVES)
    hosts, scores = parts.evidence.host_ids(links), parts.scores(batch)
    row = parts.store.links.add_seeds(batch, hosts, scores)
    parts.frontier.add(links.keys, hosts, scores, row, tier=parts.tier(batch))


def enqueue(parts: Parts, urls: Sequence[str], about: str = "") -> int:
    """Put pages on the frontier as links of kind BACKLINK; returns how many of them were not fetched or refused."""
    named = dict.fromkeys(found for url in urls if (found := parts.canonicalise(url, "")) is not None)
    new = [url for url in named if _may_be_fetched(parts, url)]
    if new:
        add_row(parts, new, LinkKind.BACKLINK, about)
    return len(new)


def _may_be_fetched(parts: Parts, url: str) -> bool:
    number, store = key(url), parts.store
    return not parts.scope.why_not(url, 0) and not store.visits.visited(number) and store.links.refusal(number) is None
