"""Links that stand on no page of the crawl: seeds, and pages that a strategy asked for (who links to a page)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.crawl.evidence import NO_LEAVES
from clew.crawl.parts import Parts
from clew.model import LinkKind, Source
from clew.text.reader import seed_links
from clew.urls.canonical import host, key, keys, url_words


def add_row(parts: Parts, urls: Sequence[str], kind: LinkKind, source: Source | None = None) -> None:
    """One more packed row, of distinct canonical URLs, remembered and made known to the frontier; ``source``: what is
    known of where they come from, None for what seeds have."""
    links = seed_links(urls, keys(urls), [host(url) for url in urls], url_words, kind)
    batch = parts.evidence.batch(source or _wanted(parts), links, NO_LEAVES)
    hosts, scores = parts.evidence.host_ids(links), parts.scores(batch)
    row = parts.store.links.add_seeds(batch, hosts, scores)
    parts.frontier.add(links.keys, hosts, scores, row, tier=parts.tier(batch))


def _wanted(parts: Parts, about: str = "") -> Source:
    """The source of links that are wanted for themselves, or for a page that they are ``about``."""
    topics = np.ones(len(parts.interest.topics), np.float32)
    home = host(about) if about else ""
    return Source(0, about, home, relevance=1.0, scores=topics, topic=parts.interest.wanted, depth=0, tunnel=0)


def enqueue(parts: Parts, urls: Sequence[str], about: str = "") -> int:
    """Put pages on the frontier as links of kind BACKLINK; returns how many of them were not fetched or refused."""
    named = dict.fromkeys(found for url in urls if (found := parts.canonicalise(url, "")) is not None)
    new = [url for url in named if _may_be_fetched(parts, url)]
    if new:
        add_row(parts, new, LinkKind.BACKLINK, _wanted(parts, about))
    return len(new)


def _may_be_fetched(parts: Parts, url: str) -> bool:
    return not parts.scope.why_not(url, 0) and is_new(parts, key(url))


def is_new(parts: Parts, number: int) -> bool:
    """Whether the URL of this key was neither visited nor refused."""
    return not parts.store.visits.visited(number) and parts.store.links.refusal(number) is None
