"""A store filled with packed rows of links and all their evidence, as a long crawl leaves it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from clew.crawl.evidence import Evidence
from clew.model import Leaves, Link, LinkKind, Links, Outcome, Response, Source, Visit
from clew.store.sqlite import SqliteStore
from clew.urls.canonical import host, keys

HOSTS = 5_000
TOKENS = 1_800
LEAVES = 330


def filled_store(path: Path, pages: int, links: int) -> SqliteStore:
    """A store with ``pages`` visits of ``links`` links, half of which stand on earlier pages too."""
    rng = np.random.default_rng(5)
    store = SqliteStore(path)
    store.open()
    evidence = Evidence(store.hosts)
    seed = evidence.batch(_source(0, "", 0.9), _links(rng, [0]), _leaves(rng))
    store.links.add_seeds(seed, evidence.host_ids(seed.links), np.ones(1))
    known = 1
    for page in range(pages):
        fresh = range(known, known + links // 2)
        old = rng.integers(0, known, links - links // 2).tolist()
        known += links // 2
        _add(store, evidence, rng, page, list(dict.fromkeys([*fresh, *old])))
        if page % 200 == 0:
            store.commit()
    store.commit()
    return store


def _add(store: SqliteStore, evidence: Evidence, rng: np.random.Generator, page: int, numbers: list[int]) -> None:
    relevance = float(rng.random())
    source = _source(page + 1, url(page), relevance)
    batch = evidence.batch(source, _links(rng, numbers), _leaves(rng))
    asked = evidence.batch(_source(0, "", 1.0), _links(rng, [page]), _leaves(rng))
    visit = Visit(
        page + 1, Link(asked, 0, 0.5), Response(url(page), Outcome.OK, 200), None, None, relevance, True, 0, "", batch
    )
    place = _Place(0, 0)
    store.visits.add(visit, place, evidence.host_ids(batch.links), np.full(len(batch), relevance))


class _Place:
    def __init__(self, row: int, index: int) -> None:
        self.row, self.index = row, index


def url(number: int) -> str:
    """The URL of a page by its number."""
    return f"http://host{number * 7919 % HOSTS}.test/section/page-{number}.html"


def _source(visit: int, address: str, relevance: float) -> Source:
    name = host(address) if address else ""
    return Source(visit, address, name, relevance, np.array([relevance], np.float32), 0, 1, 0)


def _leaves(rng: np.random.Generator) -> Leaves:
    starts = np.sort(rng.integers(0, TOKENS, LEAVES + 1)).astype(np.int32)
    starts[0], starts[-1] = 0, TOKENS
    return Leaves(rng.zipf(1.4, TOKENS).astype(np.uint32), starts)


def _links(rng: np.random.Generator, numbers: list[int]) -> Links:
    urls = tuple(url(number) for number in numbers)
    names = [host(one) for one in urls]
    distinct = tuple(dict.fromkeys(names))
    place = {name: index for index, name in enumerate(distinct)}
    n = len(urls)
    first = np.sort(rng.integers(0, LEAVES, n)).astype(np.int32)
    return Links(
        urls=urls,
        keys=keys(urls),
        host_names=distinct,
        host_index=np.array([place[name] for name in names], np.int32),
        nofollow=np.zeros(n, np.bool_),
        kinds=(LinkKind.ANCHOR,) * n,
        url_term_ids=rng.zipf(1.4, 4 * n).astype(np.uint32),
        url_term_starts=np.arange(0, 4 * n + 1, 4).astype(np.int32),
        anchors=tuple(f"anchor text {number}" for number in numbers),
        spans=np.column_stack([np.arange(n, dtype=np.int32), first, first]),
    )
