"""One suite for every Store: what was written is read back, group by group, whatever ends the process.

Run as a script (``python test_store.py PATH``) this file is the child of the kill test: it writes groups for ever.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from clew.errors import ProjectError, StoreError
from clew.model import (
    OTHER,
    Decision,
    Judgement,
    Leaves,
    Link,
    LinkBatch,
    LinkKind,
    Links,
    Outcome,
    Page,
    Response,
    Session,
    Source,
    Visit,
    ragged,
)
from clew.store.base import Store
from clew.store.sqlite import SqliteStore

OpenStore = Callable[..., Store]


@dataclass(frozen=True)
class At:
    row: int
    index: int


# -- a made-up crawl --------------------------------------------------------------------------------------


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


def write_for_ever(path: str) -> None:
    """The child of the kill test. After every commit it prints how many visits are safe."""
    store, chance = SqliteStore(path), random.Random(time.time_ns())
    store.open()
    if store.visits.next_number == 1 and not list(store.links.rows()):
        add_seeds(store)
    places = places_in(store)
    while True:
        add_visits(store, chance.randint(1, 40), places)
        store.links.update_scores([(0, scores_of(store.visits.next_number, 5))])
        store.journal.clock = float(store.visits.next_number - 1)
        store.journal.save("strategy", store.visits.next_number - 1, bytes(chance.randint(1, 20_000)))
        store.commit()
        print(store.visits.next_number - 1, flush=True)


# -- comparing --------------------------------------------------------------------------------------------


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


# -- the suite --------------------------------------------------------------------------------------------


@pytest.fixture(params=[SqliteStore])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the same store as often as wanted; all are closed in the end."""
    opened: list[Store] = []

    def opener(*, read_only: bool = False) -> Store:
        store: Store = request.param(tmp_path / "crawl.db")
        store.open(read_only=read_only)
        opened.append(store)
        return store

    yield opener
    for store in opened:
        store.close()


def reopened(open_store: OpenStore, store: Store) -> Store:
    store.close()
    return open_store()


def test_an_empty_store_knows_nothing(open_store: OpenStore) -> None:
    store = open_store()
    totals = store.visits.totals()
    assert (totals.fetched, totals.visits, totals.relevant, totals.bytes, totals.robots) == (0, 0, 0, 0, 0)
    assert store.visits.next_number == 1
    assert list(store.links.rows()) == [] and list(store.links.batches()) == [] and list(store.visits.rows()) == []
    assert list(store.visits.replay()) == [] and list(store.visits.relevant()) == [] and store.journal.sessions() == []
    assert len(store.links.done_keys()) == 0 and store.links.done_keys().dtype == np.uint64
    assert len(store.visits.series().relevance) == 0 and store.visits.urls() == {}
    assert store.visits.get(1) is None and store.visits.by_key(5) is None and store.links.refusal(5) is None
    assert store.links.retries() == {} and store.journal.ledger() == {}
    assert store.examples.all() == [] and store.visits.path_to(1) == []
    assert store.journal.saved("strategy") is None and store.journal.archive is None and store.journal.clock == 0.0
    with pytest.raises(StoreError, match="row 0"):
        store.links.batch(0)


@pytest.mark.parametrize("again", [False, True], ids=["same run", "opened again"])
def test_visits_come_back_as_they_were(open_store: OpenStore, again: bool) -> None:
    store = open_store()
    add_seeds(store)
    made = add_visits(store, 60)
    store.commit()
    store = reopened(open_store, store) if again else store
    rows = list(store.visits.rows())
    assert [row.number for row in rows] == list(range(1, 61)) and store.visits.next_number == 61
    for visit, row in zip(made, rows, strict=True):
        assert (row.url, row.key, row.host) == (visit.link.url, visit.link.key, visit.link.host)
        assert (row.outcome, row.status) == (visit.response.outcome, 200 + visit.number)
        assert (row.relevance, row.relevant) == (visit.relevance, visit.relevant)
        assert (row.score, row.depth, row.hops) == (visit.link.score, visit.link.depth, visit.link.hops)
        assert (row.attempt, row.kind) == (visit.link.attempt, visit.link.kind)
        assert (row.bytes, row.fetched_at, row.reason) == (visit.number, 1e9 + visit.number, f"reason {visit.number}")
        assert row.judged == (visit.judgement is not None) and row.content_type == "text/html"
        assert row.source == visit.link.batch.source.visit and row.tunnel == visit.tunnel
        assert (row.warc_file, row.warc_offset) == (
            ("crawl1-00001.warc.gz", 1000 * visit.number) if visit.number % 2 else ("", 0)
        )
        assert row.title == (f"Title \u2013 {visit.number} ?" if visit.page is not None else "")
        assert row.location == ("http://elsewhere.example/?" if row.outcome is Outcome.REDIRECT else "")
        assert store.visits.get(row.number) == row == store.visits.by_key(row.key)
        assert store.visits.visited(row.key)
    assert not store.visits.visited(12345)
    assert {row.outcome for row in rows} == {Outcome.OK, Outcome.FAILED, Outcome.REDIRECT}


def test_filters_and_paths(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 60)
    rows = list(store.visits.rows())
    assert [row for row in rows if row.relevant] == list(store.visits.rows(relevant=True))
    assert [row for row in rows if row.outcome is Outcome.FAILED] == list(store.visits.rows(outcome=Outcome.FAILED))
    assert rows[41:] == list(store.visits.rows(after=41))
    path = store.visits.path_to(60)
    assert path[-1].number == 60 and path[0].source == 0 and len(path) > 2
    assert all(later.source == earlier.number for earlier, later in pairwise(path))
    assert store.visits.urls() == {row.number: row.url for row in rows}
    assert list(store.visits.urls([7, 99, 3]).items()) == [(7, rows[6].url), (3, rows[2].url)]


@pytest.mark.parametrize("after", [0, 17])
def test_replay_gives_what_was_learned_from(open_store: OpenStore, after: int) -> None:
    store = open_store()
    add_seeds(store)
    made = add_visits(store, 60)
    store.commit()
    store = reopened(open_store, store)
    replayed = list(store.visits.replay(after))
    assert [visit.number for visit in replayed] == list(range(after + 1, 61))
    for one, other in zip(made[after:], replayed, strict=True):
        assert_same_visit(one, other)
    assert any(visit.link.batch.host_visits.any() for visit in replayed)
    assert any(visit.link.batch.host_relevant.any() for visit in replayed)


def test_replay_leaves_out_what_is_added_meanwhile(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 6)
    replay = store.visits.replay()
    next(replay)
    add_visits(store, 4)
    assert [visit.number for visit in replay] == [2, 3, 4, 5, 6]
    assert len(list(store.visits.replay())) == 10


def test_packed_rows_come_back_in_the_order_added(open_store: OpenStore) -> None:
    store = open_store()
    assert add_seeds(store) == 0
    made = add_visits(store, 20)
    assert add_seeds(store, 1) == -1
    made += add_visits(store, 5)
    store.commit()
    store = reopened(open_store, store)
    assert add_seeds(store, 2) == -2
    with_links = [visit for visit in made if visit.links is not None]
    rows = list(store.links.rows())
    early = [visit.number for visit in with_links if visit.number <= 20]
    late = [visit.number for visit in with_links if visit.number > 20]
    assert [row for row, *_ in rows] == [0, *early, -1, *late, -2]
    found = {row: (keys, hosts, scores) for row, keys, hosts, scores in rows}
    for visit in with_links:
        keys, hosts, scores = found[visit.number]
        assert_same_array(keys, visit.links.links.keys)
        assert_same_array(scores, scores_of(visit.number, len(keys)).astype(np.float32))
        assert [store.hosts.name(host) for host in hosts.tolist()] == [
            visit.links.links.host_names[i] for i in visit.links.links.host_index
        ]
        assert_same_batch(with_history_of(store, visit.links), store.links.batch(visit.number))
    streamed = dict(store.links.batches())
    assert list(streamed) == [row for row, *_ in rows]
    for row, batch in streamed.items():
        assert_same_batch(batch, store.links.batch(row))
    seeds = {url for tag in range(3) for url in links_of(-1 - tag)[0].urls}
    found = dict(store.links.batches(seeds=True))
    assert list(found) == [0, -1, -2]
    assert {url for batch in found.values() for url in batch.links.urls} == seeds


def with_history_of(store: Store, batch: LinkBatch) -> LinkBatch:
    visits, relevant = store.hosts.stats(hosts_of(store, batch))
    return replace(batch, host_visits=visits, host_relevant=relevant)


def test_a_batch_shows_host_history_as_it_is_now(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    assert not store.links.batch(0).host_visits.any()
    add_visits(store, 30)
    pages = [row for row in store.visits.rows() if row.outcome is not Outcome.REDIRECT]
    batch = store.links.batch(0)
    for i in range(len(batch)):
        mine = [row for row in pages if row.host == batch.links.host_names[batch.links.host_index[i]]]
        assert batch.host_visits[i] == len(mine) > 0
        assert batch.host_relevant[i] == sum(row.relevant for row in mine)
    store.commit()
    before = store.links.batch(0)
    store = reopened(open_store, store)
    assert_same_batch(before, store.links.batch(0))


def test_many_rows_are_found_when_they_are_no_longer_kept(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    made = add_visits(store, 400)
    for visit in made:
        if visit.links is not None:
            assert store.links.batch(visit.number).links.urls == visit.links.links.urls
    assert len(list(store.links.rows())) == 1 + sum(visit.links is not None for visit in made)
    assert len(list(store.visits.rows())) == 400


def test_links_to_a_url_are_found(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    made = add_visits(store, 12)
    url = made[3].links.links.urls[2]
    scores = scores_of(4, 5)
    assert list(store.links.find(key_of(url))) == [(4, 2, pytest.approx(np.float32(scores[2]), nan_ok=True))]
    assert list(store.links.find(key_of("http://nowhere.example/"))) == []


# -- groups -----------------------------------------------------------------------------------------------


def test_what_was_not_committed_is_seen_and_then_forgotten(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 8)
    store.commit()
    add_visits(store, 4)
    store.links.refuse(77, "http://r.example/", row=1, index=0, outcome=Outcome.REFUSED, reason="robots.txt", at=1.0)
    store.journal.add_decision(Decision("x"))
    assert (store.visits.totals().visits, store.visits.totals().refused) == (12, 1)
    assert store.visits.get(12) is not None
    assert store.hosts.ids(["new.example"])[0] == store.hosts.ids(["new.example"])[0]
    store = reopened(open_store, store)
    assert store.visits.totals().visits == 8 and store.visits.next_number == 9 and store.visits.get(9) is None
    assert store.links.refusal(77) is None and list(store.journal.decisions()) == []
    assert store.journal.ledger()["ok"] == 6
    assert max(row for row, *_ in store.links.rows()) <= 8
    add_visits(store, 4)
    store.commit()
    assert store.visits.totals().visits == 12


def test_a_url_is_visited_once(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    (first,) = add_visits(store, 1)
    with pytest.raises(StoreError, match="visited before"):
        store.visits.add(replace(visit_of(store, 2, At(0, 0)), links=None), At(0, 0))
    store.commit()
    store = reopened(open_store, store)
    with pytest.raises(StoreError, match="visited before"):
        store.visits.add(replace(visit_of(store, 2, At(0, 0)), links=None), At(0, 0))
    store.commit()
    assert [row.url for row in store.visits.rows()] == [first.link.url]


def test_visits_out_of_turn_or_without_hosts_are_refused(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    with pytest.raises(ValueError, match="out of turn"):
        store.visits.add(visit_of(store, 2, At(0, 1)), At(0, 1))
    with pytest.raises(ValueError, match="hosts and scores"):
        store.visits.add(visit_of(store, 1, At(0, 1)), At(0, 1))
    assert store.visits.totals().visits == 0 and store.visits.next_number == 1


def test_new_scores_last_with_their_group_only(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 300)
    store.commit()
    before = {row: scores for row, _, _, scores in store.links.rows()}
    store.links.update_scores((row, np.full(len(batch), row / 2)) for row, batch in store.links.batches())
    assert all((scores == row / 2).all() for row, _, _, scores in store.links.rows())
    store = reopened(open_store, store)
    for row, _, _, scores in store.links.rows():
        assert_same_array(scores, before[row])
    store.links.update_scores((row, np.full(len(batch), row / 2)) for row, batch in store.links.batches())
    store.commit()
    store = reopened(open_store, store)
    assert all((scores == row / 2).all() for row, _, _, scores in store.links.rows())


@pytest.mark.parametrize("row, n", [(99, 5), (0, 4)], ids=["no such row", "wrong length"])
def test_scores_that_fit_no_row_undo_the_group(open_store: OpenStore, row: int, n: int) -> None:
    store = open_store()
    add_seeds(store)
    store.commit()
    add_visits(store, 2)
    with pytest.raises(StoreError, match="no such rows"):
        store.links.update_scores([(0, np.zeros(5)), (row, np.zeros(n))])
    with pytest.raises(StoreError, match="no such rows"):
        store.commit()
    store = reopened(open_store, store)
    assert store.visits.next_number == 1
    ((_, _, _, scores),) = store.links.rows()
    assert_same_array(scores, scores_of(0, 5).astype(np.float32))


# -- the rest ---------------------------------------------------------------------------------------------


def test_curves_and_totals_agree_with_the_visits(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 50)
    store.journal.count("robots", 3)
    store.links.retry(2**63 + 5, 1, "timed out", 12.0)
    store.links.retry(2**63 + 5, 2, "timed out", 13.0)
    store.links.retry(next(store.visits.rows()).key, 1, "timed out", 13.0)
    store.links.refuse(1, "http://a.example/", row=0, index=1, outcome=Outcome.REFUSED, reason="robots.txt", at=1.0)
    store.links.refuse(2, "http://b.example/", row=0, index=2, outcome=Outcome.ABSENT, reason="not in it", at=1.0)
    rows, series, totals = list(store.visits.rows()), store.visits.series(), store.visits.totals()
    assert series.relevance.tolist() == [float(np.float32(row.relevance)) for row in rows]
    assert series.relevant.tolist() == [row.relevant for row in rows] == list(store.visits.relevant())
    assert series.depth.tolist() == [row.depth for row in rows]
    assert [store.hosts.name(host) for host in series.hosts.tolist()] == [row.host for row in rows]
    assert series.fetched_at.tolist() == [row.fetched_at for row in rows]
    assert (totals.visits, totals.fetched) == (50, 53)
    assert totals.relevant == sum(row.relevant for row in rows) == store.visits.relevant(1, 50).sum()
    assert store.visits.relevant(5, 20).sum() == sum(row.relevant for row in rows[4:20]) > 0
    ledger = store.journal.ledger()
    assert totals.failed == sum(row.outcome is Outcome.FAILED for row in rows) == ledger["failed"]
    assert totals.redirects == sum(row.outcome is Outcome.REDIRECT for row in rows) == ledger["redirect"]
    assert (totals.refused, totals.absent, totals.robots) == (1, 1, 3)
    assert totals.bytes == sum(range(1, 51))
    assert store.links.retries() == {2**63 + 5: 2}


def test_done_keys_are_all_that_need_no_fetching(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    made = add_visits(store, 10)
    for extra in (0, 2**63 - 1, 2**63, 2**64 - 1, made[0].link.key):
        store.links.refuse(extra, "http://a.example/", row=0, index=0, outcome=Outcome.ABSENT, reason="", at=0.0)
    store.commit()
    store = reopened(open_store, store)
    wanted = {visit.link.key for visit in made} | {0, 2**63 - 1, 2**63, 2**64 - 1}
    assert store.links.done_keys().tolist() == sorted(wanted)


def test_the_first_refusal_of_a_url_counts(open_store: OpenStore) -> None:
    store = open_store()
    key = 2**64 - 3
    store.links.refuse(
        key, "http://a.example/\udc80", row=3, index=4, outcome=Outcome.REFUSED, reason="robots.txt", at=5.0
    )
    store.links.refuse(key, "http://a.example/", row=9, index=9, outcome=Outcome.ABSENT, reason="other", at=6.0)
    store.commit()
    found = reopened(open_store, store).links.refusal(key)
    assert found is not None
    assert (found.key, found.url, found.row, found.link_index) == (key, "http://a.example/?", 3, 4)
    assert (found.outcome, found.reason, found.at) == (Outcome.REFUSED, "robots.txt", 5.0)


def test_refusals_can_be_taken_back(open_store: OpenStore) -> None:
    store = open_store()
    for key, reason in ((5, "host given up after 5 failures"), (6, "robots.txt"), (7, "same page as another")):
        store.links.refuse(
            key, f"http://{key}.example/", row=0, index=0, outcome=Outcome.REFUSED, reason=reason, at=1.0
        )
    store.links.readmit(7)
    store.links.readmit(reason="host given up")
    store.links.readmit(reason="host given up after 5 failures and more")
    store.commit()
    store = reopened(open_store, store)
    assert [store.links.refusal(key) is not None for key in (5, 6, 7)] == [False, True, False]
    assert store.links.done_keys().tolist() == [6] and store.visits.totals().refused == 1


def test_hosts_keep_their_numbers_and_times(open_store: OpenStore) -> None:
    store = open_store()
    names = [f"host{i}.example" for i in range(500)]
    ids = store.hosts.ids(names)
    assert ids.dtype == np.uint32 and len(set(ids.tolist())) == 500
    for host, ready_at in ((7, 5.0), (9, 3.0), (7, 4.0), (7, 0.0), (11, 0.0)):
        store.hosts.touch(int(ids[host]), ready_at)
    store.commit()
    store = reopened(open_store, store)
    assert store.hosts.ready() == [(ids[7], 5.0), (ids[9], 3.0)]
    assert store.hosts.ids(names[::-1]).tolist() == ids[::-1].tolist()
    assert [store.hosts.name(int(i)) for i in ids] == names
    assert store.hosts.ids(["one-more.example"])[0] == 500
    visits, relevant = store.hosts.stats(ids)
    assert visits.dtype == relevant.dtype == np.float32 and not visits.any() and len(relevant) == 500


def test_the_logs_come_back(open_store: OpenStore) -> None:
    store = open_store()
    one = Session(1, 1, 200, 200, 30, 200, 30, 0.75)
    two = Session(2, 201, 400, 200, 10, 400, 40)
    store.journal.clock = 17.5
    store.journal.add_decision(Decision("begin", {"a": 1, "b": "two", "c": 0.5, "d": True, "e": np.float32(0.5)}))
    store.journal.add_session(one, rescored=True, at=20.0)
    store.journal.add_session(two, rescored=False, at=21.0)
    store.journal.add_decision(Decision("end"))
    store.journal.save("strategy", 200, b"old")
    store.journal.save("strategy", 400, b"new\x00")
    store.journal.archive = "crawl1-00001.warc.gz", 10
    store.journal.archive = "crawl1-00002.warc.gz", 2**40
    store.journal.count("ok", 2)
    store.journal.count("ok", 3)
    store.journal.count("robots", 0)
    store.commit()
    store.journal.count("ok", 4)
    store.commit()
    store = reopened(open_store, store)
    first, second = store.journal.sessions()
    assert (first.session, first.rescored, first.at) == (one, True, 20.0)
    assert second.session.fetched_total == 400 and np.isnan(second.session.best_waiting) and not second.rescored
    assert store.journal.last_session == 2
    begin, end = store.journal.decisions()
    assert begin.decision.facts == {"a": 1, "b": "two", "c": 0.5, "d": True, "e": 0.5}
    assert (begin.decision.kind, begin.at, begin.session, begin.visit) == ("begin", 17.5, 1, 0)
    assert (end.decision, end.session) == (Decision("end"), 3)
    checkpoint = store.journal.saved("strategy")
    assert checkpoint is not None
    assert (checkpoint.session, checkpoint.visit, checkpoint.state) == (2, 400, b"new\x00")
    assert store.journal.saved("judge") is None
    assert store.journal.archive == ("crawl1-00002.warc.gz", 2**40)
    assert store.journal.clock == 17.5 and store.journal.ledger() == {"ok": 9}


def test_examples_are_kept_as_fetched(open_store: OpenStore) -> None:
    store = open_store()
    headers = (("Content-Type", "text/html"), ("X-Odd", "caf\udce9"), ("X-Odd", "2"))
    kept = Response("http://e.example/", Outcome.OK, 203, headers, bytes(range(256)) * 9, fetched_at=3.5, ip="::1")
    store.examples.add("http://e.example/", 0, replace(kept, body=b"older"))
    store.examples.add("pages/other.html", OTHER, replace(kept, body=b""))
    store.examples.add("http://e.example/", OTHER, kept)
    store.examples.add("http://e.example/", 0, kept)
    assert len(store.examples.all()) == 3
    store.commit()
    store = reopened(open_store, store)
    assert store.examples.all() == [
        ("http://e.example/", 0, kept),
        ("pages/other.html", OTHER, replace(kept, body=b"")),
        ("http://e.example/", OTHER, kept),
    ]


def test_readers_see_the_crawl_as_it_was_until_they_look_again(open_store: OpenStore) -> None:
    writer = open_store()
    add_seeds(writer)
    add_visits(writer, 5)
    writer.commit()
    reader = open_store(read_only=True)
    add_visits(writer, 5)
    assert reader.visits.totals().visits == 5
    writer.commit()
    assert reader.visits.totals().visits == 5 and len(list(reader.visits.rows())) == 5
    assert reader.visits.next_number == 6
    reader.refresh()
    assert reader.visits.totals().visits == 10 and reader.visits.next_number == 11
    assert_same_batch(reader.links.batch(4), writer.links.batch(4))
    assert [row.host for row in reader.visits.rows()] == [row.host for row in writer.visits.rows()]
    with pytest.raises(StoreError, match="only for reading"):
        reader.journal.count("ok", 1)
    with pytest.raises(StoreError, match="only for reading"):
        reader.commit()


def test_nothing_to_read(open_store: OpenStore) -> None:
    with pytest.raises(ProjectError, match="clew crawl"):
        open_store(read_only=True)


def test_a_closed_store_says_so(open_store: OpenStore) -> None:
    store = open_store()
    store.close()
    store.close()
    with pytest.raises(StoreError, match="not open"):
        store.visits.totals()


# -- other processes --------------------------------------------------------------------------------------


def start_writer(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, __file__, str(path)], stdout=subprocess.PIPE, text=True)


def test_one_writer_at_a_time(open_store: OpenStore, tmp_path: Path) -> None:
    child = start_writer(tmp_path / "crawl.db")
    try:
        assert child.stdout is not None and child.stdout.readline()
        with pytest.raises(ProjectError, match=rf"in use by process {child.pid}\b"):
            open_store()
        reader = open_store(read_only=True)
        assert reader.visits.totals().visits > 0
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    store = open_store()
    with pytest.raises(ProjectError, match=rf"in use by process {os.getpid()}\b"):
        open_store()
    store.close()
    open_store()


def test_killing_the_process_loses_no_committed_visit_and_keeps_no_half_group(tmp_path: Path) -> None:
    chance, path, safe = random.Random(5), tmp_path / "crawl.db", 0
    for _ in range(6):
        child = start_writer(path)
        try:
            assert child.stdout is not None
            safe = max(safe, int(child.stdout.readline()))
            time.sleep(chance.random() * 0.15)
        finally:
            child.send_signal(signal.SIGKILL)
            told, _ = child.communicate()
        whole_lines = told.split("\n")[:-1]
        safe = max([safe, *map(int, whole_lines)])
        safe = check_after_kill(path, safe)


def check_after_kill(path: Path, safe: int) -> int:
    """Everything promised is there, once, in whole groups; returns how many visits there are."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store = SqliteStore(path)
    store.open()
    rows = list(store.visits.rows())
    assert len(rows) >= safe
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    assert len({row.key for row in rows}) == len(rows)
    assert store.journal.clock == len(rows)  # written last in every group
    checkpoint = store.journal.saved("strategy")
    assert checkpoint is not None and checkpoint.visit == len(rows)
    assert sum(store.journal.ledger().values()) == len(rows)
    places, found = places_in(store), {row for row, *_ in store.links.rows()}
    assert [(row.row, row.link_index) for row in rows] == [(at.row, at.index) for at in places[: len(rows)]]
    assert found == {0} | {visit.number for visit in store.visits.replay() if visit.links is not None}
    assert_hosts_match(store)
    store.close()
    return len(rows)


def assert_hosts_match(store: Store) -> None:
    pages = [row for row in store.visits.rows() if row.outcome is not Outcome.REDIRECT]
    for name in {row.host for row in pages}:
        visits, relevant = store.hosts.stats(store.hosts.ids([name]))
        assert visits[0] == sum(row.host == name for row in pages)
        assert relevant[0] == sum(row.host == name and row.relevant for row in pages)


if __name__ == "__main__":
    write_for_ever(sys.argv[1])
