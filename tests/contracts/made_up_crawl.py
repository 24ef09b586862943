"""A made-up crawl to fill a store with, and how its records are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from clew.model import (
    OTHER,
    Judgement,
    Leaves,
    Link,
    LinkBatch,
    LinkKind,
    Links,
    Outcome,
    Page,
    Response,
    Source,
    Visit,
    ragged,
)
from clew.store.base import Store


@dataclass(frozen=True)
class At:
    row: int
    index: int


def key_of(url: str) -> int:
    return hash_64(url.encode())


def hash_64(data: bytes) -> int:
    value = 0xCBF2_9CE4_8422_2325
    for byte in data:
        value = (value ^ byte) * 0x0000_0100_0000_01B3 % 2**64
    return value


def links_of(row: int, n: int = 5, kind: LinkKind = LinkKind.ANCHOR) -> tuple[Links, Leaves]:
    rng = np.random.default_rng(row + 1000)
    hosts = tuple(f"h{(row + i) % 7}.example" for i in range(3))
    index = np.array([i % 3 for i in range(n)], np.int32)
    urls = tuple(f"http://{hosts[index[i]]}/dir/{row}/page-{i}?q={i}" for i in range(n))
    ids, starts = ragged([rng.integers(0, 2**32, i % 4, np.uint32) for i in range(n)])
    leaf_ids, leaf_starts = ragged([rng.integers(0, 2**32, int(rng.integers(0, 6)), np.uint32) for _ in range(20)])
    spans = np.array([(i // 2, i, i + 1) for i in range(2 * n)], np.int32).reshape(2 * n, 3)
    links = Links(
        urls=urls,
        keys=np.array([key_of(url) for url in urls], np.uint64),
        host_names=hosts if n else (),
        host_index=index,
        nofollow=np.arange(n) % 3 == 2,
        kinds=(kind,) * n,
        url_term_ids=ids,
        url_term_starts=starts,
        anchors=tuple(f"link {i}\nof row {row} – ü\x00" for i in range(2 * n)),
        spans=spans,
    )
    return links, Leaves(leaf_ids, leaf_starts)


def batch_of(store: Store, source: Source, links: Links, leaves: Leaves) -> LinkBatch:
    visits, relevant = store.hosts.stats(store.hosts.ids(links.host_names)[links.host_index])
    own = np.array([name == source.host for name in links.host_names], np.bool_)
    return LinkBatch(
        source=source,
        links=links,
        leaves=leaves,
        same_host=own[links.host_index] if len(links) else np.empty(0, np.bool_),
        file_level=np.full(len(links), 3, np.int32),
        host_visits=visits,
        host_relevant=relevant,
    )


def hosts_of(store: Store, batch: LinkBatch) -> np.ndarray:
    return store.hosts.ids(batch.links.host_names)[batch.links.host_index]


def scores_of(row: int, n: int) -> np.ndarray:
    scores = np.random.default_rng(abs(row) + 7).random(n)
    scores[n // 2 : n // 2 + 1] = np.nan
    return scores


def add_seeds(store: Store, tag: int = 0) -> int:
    links, leaves = links_of(-1 - tag, kind=LinkKind.SEED)
    source = Source(0, "", "", 1.0, np.ones(2, np.float32), 0, 0, 0)
    batch = batch_of(store, source, links, Leaves(leaves.ids[:0], np.zeros(1, np.int32)))
    return store.links.add_seeds(batch, hosts_of(store, batch), scores_of(-tag, len(batch)))


def outcome_of(number: int) -> Outcome:
    return {3: Outcome.FAILED, 5: Outcome.REDIRECT}.get(number % 7, Outcome.OK)


def visit_of(store: Store, number: int, place: At) -> Visit:
    """Visit ``number`` of the made-up crawl, from the link at ``place``."""
    link = Link(store.links.batch(place.row), place.index, 0.125 * (number % 8), number % 3)
    outcome, url = outcome_of(number), link.url
    headers = (("Content-Type", "Text/HTML; charset=x"),)
    reason, when = f"reason {number}", 1e9 + number
    response = Response(
        url, outcome, 200 + number, headers, b"x" * number, reason=reason, fetched_at=when, elapsed_s=0.5
    )
    visit = Visit(number, link, response, None, None, 0.0, False, link.batch.source.tunnel + 1, reason)
    if outcome is Outcome.FAILED:
        return visit
    if outcome is Outcome.REDIRECT:
        source = replace(link.batch.source, visit=number, hops=link.hops + 1, depth=link.depth)
        links, leaves = links_of(number, 1, LinkKind.REDIRECT)
        response = replace(response, location="http://elsewhere.example/\udcff")
        return replace(visit, response=response, links=batch_of(store, source, links, leaves))
    return read_visit(store, visit, number % 4 == 0)


def read_visit(store: Store, visit: Visit, relevant: bool) -> Visit:
    number, link = visit.number, visit.link
    links, leaves = links_of(number, 0 if number % 11 == 10 else 5)
    title, digest = f"Title \u2013 {number} \ud800", f"{number:032}"
    page = Page(link.url, title, "en", "utf-8", "text/html", "", leaves.ids[:2], leaves, links, link.url, digest=digest)
    judgement = Judgement(np.array([0.25, number % 5 / 5], np.float32), 1 if relevant else OTHER, 0.75)
    tunnel = 0 if relevant else visit.tunnel
    source = Source(number, link.url, link.host, 1 / 3, judgement.scores, judgement.topic, link.depth, tunnel)
    found = batch_of(store, source, links, leaves) if number % 13 != 12 else None
    return replace(
        visit, page=page, judgement=judgement, relevance=1 / 3, relevant=relevant, tunnel=tunnel, links=found
    )


def places_in(store: Store) -> list[At]:
    return [At(row, index) for row, keys, _, _ in store.links.rows() for index in range(len(keys))]


def add_visits(store: Store, count: int, places: list[At] | None = None) -> list[Visit]:
    """The next ``count`` visits of the made-up crawl, uncommitted; as they were given to the store."""
    places = places_in(store) if places is None else places
    made = []
    for _ in range(count):
        number = store.visits.next_number
        place = places[number - 1]
        visit = visit_of(store, number, place)
        made.append(visit)
        add_visit(store, visit, place)
        places += [At(number, i) for i in range(len(visit.links) if visit.links is not None else 0)]
    return made


def add_visit(store: Store, visit: Visit, place: At) -> None:
    store.journal.count(str(visit.response.outcome), 1)
    store.hosts.touch(int(store.hosts.ids([visit.link.host])[0]), visit.response.fetched_at + 1)
    warc = ("crawl1-00001.warc.gz", 1000 * visit.number) if visit.number % 2 else None
    if visit.links is None:
        store.visits.add(visit, place, warc=warc)
    else:
        scores = scores_of(visit.number, len(visit.links))
        store.visits.add(visit, place, hosts=hosts_of(store, visit.links), scores=scores, warc=warc)


# -- comparing -----------------------------------------------------------------------------------------


def assert_same_array(one: np.ndarray, other: np.ndarray) -> None:
    assert one.dtype == other.dtype
    np.testing.assert_array_equal(one, other)


def assert_same_batch(one: LinkBatch, other: LinkBatch) -> None:
    for name in ("visit", "url", "host", "relevance", "topic", "depth", "tunnel", "hops"):
        assert getattr(one.source, name) == getattr(other.source, name), name
    assert_same_array(one.source.scores, other.source.scores)
    for name in ("urls", "host_names", "kinds", "anchors"):
        assert getattr(one.links, name) == getattr(other.links, name), name
    for name in ("keys", "host_index", "nofollow", "url_term_ids", "url_term_starts", "spans"):
        assert_same_array(getattr(one.links, name), getattr(other.links, name))
    assert_same_array(one.leaves.ids, other.leaves.ids)
    assert_same_array(one.leaves.starts, other.leaves.starts)
    for name in ("same_host", "file_level", "host_visits", "host_relevant"):
        assert_same_array(getattr(one, name), getattr(other, name))


def assert_same_visit(one: Visit, other: Visit) -> None:
    for name in ("number", "relevance", "relevant", "tunnel", "reason"):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.link.url, one.link.index, one.link.score) == (other.link.url, other.link.index, other.link.score)
    assert (one.link.attempt, one.link.depth, one.link.hops) == (other.link.attempt, other.link.depth, other.link.hops)
    assert_same_batch(one.link.batch, other.link.batch)
    assert (one.links is None) == (other.links is None)
    if one.links is not None and other.links is not None:
        assert_same_batch(one.links, other.links)
    assert (one.judgement is None) == (other.judgement is None)
    if one.judgement is not None and other.judgement is not None:
        assert_same_array(one.judgement.scores, other.judgement.scores)
        assert one.judgement.topic == other.judgement.topic
        assert one.judgement.confidence == other.judgement.confidence
    for name in ("url", "outcome", "status", "reason", "fetched_at", "elapsed_s", "requests", "from_cache"):
        assert getattr(one.response, name) == getattr(other.response, name), name
