"""One suite for every Store, by facet: what was written is read back, group by group, whatever ends the process.

Run as a script (``python test_store.py PATH``) this file is the child of the kill test: it writes groups for ever.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from made_up_crawl import (
    At,
    add_seeds,
    add_visits,
    assert_same_array,
    assert_same_batch,
    assert_same_visit,
    hosts_of,
    key_of,
    links_of,
    places_in,
    scores_of,
    visit_of,
)

from clew.errors import ProjectError, StoreError
from clew.model import OTHER, Decision, LinkBatch, Outcome, Response, Session
from clew.store.base import Store
from clew.store.records import DocumentRow, RunEnd, RunRecord, Selection, VisitRow
from clew.store.sqlite import SqliteStore

OpenStore = Callable[..., Store]


@pytest.fixture(params=["file", "memory"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the same store as often as wanted; all are closed in the end."""
    opened: list[Store] = []
    memory = SqliteStore(None)

    def opener(*, read_only: bool = False) -> Store:
        store: Store = memory if request.param == "memory" else SqliteStore(tmp_path / "crawl.db")
        store.open(read_only=read_only)
        opened.append(store)
        return store

    yield opener
    for store in opened:
        store.close()


on_disk = pytest.mark.parametrize("open_store", ["file"], indirect=True)
"""What only a store that others can reach has: readers, and a lock."""


def reopened(open_store: OpenStore, store: Store) -> Store:
    store.close()
    return open_store()


# -- visits --------------------------------------------------------------------------------------------


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
    assert list(store.visits.many([7, 99, 3, 7])) == [rows[6], rows[2], rows[6]]
    assert list(store.visits.many(range(60, 0, -1))) == rows[::-1]
    relevant = sorted((row for row in rows if row.relevant), key=lambda row: (-row.relevance, row.number))
    assert store.visits.best().tolist() == [row.number for row in relevant] and len(relevant) > 2
    found = [(row.number, row.topic, row.relevance, row.relevant) for row in (rows[2], rows[6])]
    assert list(store.visits.standing([7, 99, 3])) == found


@pytest.mark.parametrize("again", [False, True], ids=["same run", "opened again"])
def test_judged_visits_are_listed_and_counted(open_store: OpenStore, again: bool) -> None:
    """Against the same worked out from all rows."""
    store = open_store()
    add_seeds(store)
    add_visits(store, 80)
    store.commit()
    store = reopened(open_store, store) if again else store
    rows = [row for row in store.visits.rows() if row.judged]
    assert len({row.topic for row in rows}) > 1 and len({row.relevant for row in rows}) == 2
    host, language, topic = rows[5].host, rows[5].language, rows[5].topic
    assert topic is not None
    selections: list[tuple[Selection, Callable[[VisitRow], bool]]] = [
        (Selection(), lambda row: True),
        (Selection(relevant=True), lambda row: row.relevant),
        (Selection(relevant=False), lambda row: not row.relevant),
        (Selection(topics=frozenset((topic,))), lambda row: row.topic == topic),
        (Selection(topics=frozenset()), lambda row: False),
        (Selection(topics=frozenset((OTHER, topic))), lambda row: row.topic in (OTHER, topic)),
        (Selection(host=host), lambda row: row.host == host),
        (Selection(host="example"), lambda row: row.host.endswith(".example")),
        (Selection(host="xample"), lambda row: False),
        (Selection(language=language), lambda row: row.language == language),
        (Selection(True, None, host, language), lambda row: row.relevant and row.host == host),
    ]  # fmt: skip
    for which, fits in selections:
        found = [row for row in rows if fits(row)]
        best = sorted(found, key=lambda row: (-row.relevance, row.number))
        assert store.visits.count(which) == len(found)
        assert store.visits.listed(which, limit=-1).tolist() == [row.number for row in best]
        assert store.visits.listed(which, limit=3, offset=2).tolist() == [row.number for row in best[2:5]]
        assert store.visits.listed(which, "oldest").tolist() == [row.number for row in found[:50]]
        assert store.visits.listed(which, "newest", limit=4).tolist() == [row.number for row in found[::-1][:4]]


def test_topics_are_counted_and_the_nearest_found(open_store: OpenStore) -> None:
    store = open_store()
    assert store.visits.by_topic() == [] and store.visits.count(Selection()) == 0
    assert store.visits.near(0.5, 9).tolist() == [] and store.visits.listed(Selection()).tolist() == []
    add_seeds(store)
    add_visits(store, 80)
    rows = [row for row in store.visits.rows() if row.judged]
    for one in store.visits.by_topic():
        of_topic = [row for row in rows if row.topic == one.topic]
        relevant = [row.relevance for row in of_topic if row.relevant]
        assert (one.judged, one.relevant) == (len(of_topic), len(relevant))
        assert one.relevance == pytest.approx(float(np.mean(relevant)) if relevant else 0.0)
    assert [one.topic for one in store.visits.by_topic()] == sorted(
        {row.topic for row in rows if row.topic is not None}
    )
    near = sorted(rows, key=lambda row: (abs(row.relevance - 0.4), row.number))
    assert store.visits.near(0.4, 7).tolist() == [row.number for row in near[:7]]


def test_some_rows_of_links_and_the_first_places_of_a_link(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 30)
    rows = {row: (keys, hosts, scores) for row, keys, hosts, scores in store.links.rows()}
    some = [row for row in rows if row > 0][::3]
    found = list(store.links.some([*some[::-1], 999]))
    assert [row for row, *_ in found] == some
    for row, *columns in found:
        for one, other in zip(columns, rows[row], strict=True):
            assert_same_array(one, other)
    key = int(rows[some[0]][0][0])
    places = list(store.links.find(key))
    assert next(iter(store.links.find(key, 1))) == places[0] and list(store.links.find(key, 0)) == []


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


def test_a_url_that_is_asked_for_again_is_visited_once_more(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    made = add_visits(store, 4)
    key = made[2].link.key
    store.links.retry(key, 2, "no answer", 5.0)
    store.visits.ask_again([3, 99])
    assert not store.visits.visited(key) and store.visits.by_key(key) is None
    assert store.links.retries() == {} and store.visits.totals().fetched == 6
    store.commit()
    store = reopened(open_store, store)
    assert not store.visits.visited(key) and key not in store.links.done_keys().tolist()
    assert [row.url for row in store.visits.rows()] == [visit.link.url for visit in made]
    again = replace(made[2], number=5, links=None)
    store.visits.add(again, At(made[2].link.batch.source.visit, made[2].link.index))
    store.commit()
    store = reopened(open_store, store)
    row = store.visits.by_key(key)
    assert row is not None and row.number == 5
    first = store.visits.get(3)
    assert first is not None and first.url == row.url and first.reason == row.reason
    assert [visit.number for visit in store.visits.replay()] == [1, 2, 3, 4, 5]


def test_visits_that_gave_no_page_are_found(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    for number, reason in ((1, ""), (2, "HTTP 404"), (3, "too large"), (4, "")):
        visit = visit_of(store, number, At(0, number - 1))
        page = {"page": None, "judgement": None} if reason else {}
        store.visits.add(replace(visit, reason=reason, links=None, **page), At(0, number - 1))
    judged = visit_of(store, 1, At(0, 0)).judgement
    store.visits.add(
        replace(visit_of(store, 5, At(0, 4)), reason="same page as 1", links=None, judgement=judged), At(0, 4)
    )
    assert [row.number for row in store.visits.unjudged()] == [2, 3]
    store.visits.ask_again([2])
    store.commit()
    assert [row.number for row in reopened(open_store, store).visits.unjudged()] == [3]


def test_visits_out_of_turn_or_without_hosts_are_refused(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    with pytest.raises(ValueError, match="out of turn"):
        store.visits.add(visit_of(store, 2, At(0, 1)), At(0, 1))
    with pytest.raises(ValueError, match="hosts and scores"):
        store.visits.add(visit_of(store, 1, At(0, 1)), At(0, 1))
    assert store.visits.totals().visits == 0 and store.visits.next_number == 1


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
    assert totals.hosts == len({row.host for row in rows})
    assert store.links.retries() == {2**63 + 5: 2}


# -- links ---------------------------------------------------------------------------------------------


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


def test_scores_of_a_row_are_the_last_written(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 3)
    for row, _, _, written in store.links.rows():
        assert store.links.scores(row).dtype == np.float32
        assert_same_array(store.links.scores(row), written)
    last, size = row, len(written)
    store.links.update_scores([(last, np.full(size, 0.1))])
    assert_same_array(store.links.scores(last), np.full(size, 0.1, np.float32))
    store.commit()
    store.links.update_scores([(last, np.full(size, 0.7))])
    assert_same_array(store.links.scores(last), np.full(size, 0.7, np.float32))
    store = reopened(open_store, store)
    assert_same_array(store.links.scores(last), np.full(size, 0.1, np.float32))
    with pytest.raises(StoreError, match="no links of row 99"):
        store.links.scores(99)


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


def test_visits_that_gave_a_page_of_their_own(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 30)
    places = places_in(store)
    for number, change in ((31, {}), (32, {"duplicate_of": 4}), (33, {"reason": "soft 404"}), (34, {})):
        visit = visit_of(store, number, places[number + 5])
        visit = replace(visit, **{"reason": "", **change}) if visit.judgement else visit
        store.visits.add(
            visit,
            places[number + 5],
            hosts_of(store, visit.links) if visit.links is not None else None,
            scores_of(number, len(visit.links)) if visit.links is not None else None,
        )
    store.commit()
    store = reopened(open_store, store)
    sound = [
        row.number
        for row in store.visits.rows(outcome=Outcome.OK)
        if row.judged and not row.duplicate_of and not row.reason
    ]
    assert sound and store.visits.sound(34).tolist() == sound
    assert store.visits.sound(sound[-1] - 1).tolist() == sound[:-1]


def test_links_that_wait_are_counted_once_each(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 30)
    store.links.refuse(1, "http://one.test/", row=0, index=0, outcome=Outcome.REFUSED, reason="robots.txt", at=5.0)
    rows = list(store.links.rows())
    everywhere, keys, *_ = max(rows, key=lambda row: len(row[1]))
    store.links.update_scores([(everywhere, np.full(len(keys), np.nan))])
    waiting = {
        int(key)
        for _, keys, _, scores in store.links.rows()
        for key, score in zip(keys, scores, strict=True)
        if not np.isnan(score)
    }
    assert store.links.waiting() == len(waiting - set(store.links.done_keys().tolist()))
    high = {
        int(key)
        for _, keys, _, scores in store.links.rows()
        for key, score in zip(keys, scores, strict=True)
        if score > 0.5
    }
    assert 0 < store.links.waiting(above=0.5) == len(high - set(store.links.done_keys().tolist())) < len(waiting)
    before, some = store.links.waiting(), next(iter(waiting - set(store.links.done_keys().tolist())))
    store.links.refuse(some, "http://two.test/", row=0, index=0, outcome=Outcome.ABSENT, reason="absent", at=6.0)
    assert store.links.waiting() == before - 1


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


def test_the_best_page_that_links_to_a_document_counts(open_store: OpenStore) -> None:
    def row(key: int, parent: int, relevance: float, relevant: bool = True, index: int = 0) -> DocumentRow:
        return DocumentRow(key, f"http://a.test/{key}", parent, index, parent, "a\udc80", relevance, relevant, 1, True)

    store, big = open_store(), 2**64 - 1
    offered = [
        row(big, 2, 0.5),
        row(7, 3, 0.9, relevant=False),
        row(big, 4, 0.5),
        row(7, 1, 0.2, index=3),
        row(5, 1, 0),
    ]
    for one in offered:
        store.documents.offer(one)
    store.documents.offer(row(7, 9, 0.1))
    store.commit()
    store = reopened(open_store, store)
    found = store.documents.all()
    assert [(one.key, one.parent) for one in found] == [(5, 1), (7, 1), (big, 2)], "by page, then by place"
    assert store.documents.get(7) == replace(offered[3], title="a?")
    assert store.documents.get(8) is None
    store.documents.clear()
    assert store.documents.all() == []


def test_taking_back_refusals_needs_a_key_or_a_reason(open_store: OpenStore) -> None:
    store = open_store()
    store.links.refuse(5, "http://a.example/", row=0, index=0, outcome=Outcome.REFUSED, reason="robots.txt", at=1.0)
    for key, reason in ((None, ""), (5, "robots")):
        with pytest.raises(ValueError, match="key or"):
            store.links.readmit(key, reason=reason)
    assert store.links.refusal(5) is not None


# -- hosts ---------------------------------------------------------------------------------------------


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
    assert store.hosts.count() == 500
    assert store.hosts.ids(["one-more.example"])[0] == 500
    assert store.hosts.count() == 501
    visits, relevant = store.hosts.stats(ids)
    assert visits.dtype == relevant.dtype == np.float32 and not visits.any() and len(relevant) == 500


# -- the journal ---------------------------------------------------------------------------------------


def test_sessions_decisions_and_the_ledger_come_back(open_store: OpenStore) -> None:
    store = open_store()
    one = Session(1, 1, 200, 200, 30, 200, 30, 0.75)
    two = Session(2, 201, 400, 200, 10, 400, 40)
    store.journal.clock = 17.5
    store.journal.add_decision(Decision("begin", {"a": 1, "b": "two", "c": 0.5, "d": True, "e": np.float32(0.5)}))
    store.journal.add_session(one, rescored=True, at=20.0)
    store.journal.add_session(two, rescored=False, at=21.0)
    store.journal.add_decision(Decision("end"))
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
    assert store.journal.ledger() == {"ok": 9}


def test_how_a_run_ended_is_known_until_the_next_one_begins(open_store: OpenStore) -> None:
    store = open_store()
    assert store.journal.last_end() is None
    store.journal.begin_run(RunRecord("best-first", "linear", "live", 0.5))
    end = RunEnd("max_pages", visit=40, at=17.25, waiting=3)
    store.journal.end_run(end)
    store.commit()
    store = reopened(open_store, store)
    assert store.journal.last_end() == end
    store.journal.begin_run(RunRecord("best-first", "linear", "live", 0.5))
    store.commit()
    assert reopened(open_store, store).journal.last_end() is None  # killed: nobody said how it ended


def test_decisions_say_after_which_visit_and_when(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 3)
    store.journal.add_decision(Decision("first"))
    store.commit()
    store = reopened(open_store, store)
    add_visits(store, 1)
    store.journal.add_decision(Decision("second"))
    assert [(row.visit, row.at) for row in store.journal.decisions()] == [(3, 1e9 + 3), (4, 1e9 + 4)]


def test_what_a_crawl_needs_to_go_on_comes_back(open_store: OpenStore) -> None:
    store = open_store()
    store.journal.clock = 17.5
    store.journal.save("bingo", 200, b"old")
    store.journal.save("ariadne", 250, b"another")
    store.journal.save("bingo", 400, b"new\x00")
    store.journal.archive = "crawl1-00001.warc.gz", 10
    store.journal.archive = "crawl1-00002.warc.gz", 2**40
    store.journal.archetypes = {1: (3, 9), 4: (7,)}
    store.journal.archetypes = {2: (9, 3, 5), 0: (), 1: (8,)}
    store.commit()
    store.journal.archetypes = {}
    store.journal.save("bingo", 401, b"lost")
    assert store.journal.archetypes == {}
    store = reopened(open_store, store)
    bingo, ariadne = store.journal.saved("bingo"), store.journal.saved("ariadne")
    assert bingo is not None and (bingo.visit, bingo.state) == (400, b"new\x00")
    assert ariadne is not None and (ariadne.visit, ariadne.state) == (250, b"another")
    assert store.journal.saved("apprentice") is None
    assert store.journal.archive == ("crawl1-00002.warc.gz", 2**40) and store.journal.clock == 17.5
    assert store.journal.archetypes == {2: (9, 3, 5), 0: (), 1: (8,)}


def test_the_last_run_is_the_one_that_was_committed(open_store: OpenStore) -> None:
    store = open_store()
    one = RunRecord("best-first", "svm", "sim:pages=1000,seed=3", 0.1 + 0.2)
    two = RunRecord("bingo", "centroid", "archive:a \u2013 b.warc.gz", 0.5)
    store.journal.begin_run(one)
    assert store.journal.last_run() == one
    store.commit()
    store.journal.begin_run(two)
    assert store.journal.last_run() == two
    store = reopened(open_store, store)
    assert store.journal.last_run() == one
    store.journal.begin_run(two)
    store.commit()
    assert reopened(open_store, store).journal.last_run() == two


# -- examples ------------------------------------------------------------------------------------------


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


# -- all facets under one commit -----------------------------------------------------------------------


def test_an_empty_store_knows_nothing(open_store: OpenStore) -> None:
    store = open_store()
    totals = store.visits.totals()
    assert (totals.fetched, totals.visits, totals.relevant, totals.bytes, totals.robots) == (0, 0, 0, 0, 0)
    assert store.visits.next_number == 1
    assert list(store.links.rows()) == [] and list(store.links.batches()) == [] and list(store.visits.rows()) == []
    assert store.links.waiting() == 0
    assert list(store.visits.replay()) == [] and list(store.visits.relevant()) == [] and store.journal.sessions() == []
    assert len(store.links.done_keys()) == 0 and store.links.done_keys().dtype == np.uint64
    assert len(store.visits.series().relevance) == 0 and store.visits.urls() == {}
    assert store.visits.get(1) is None and store.visits.by_key(5) is None and store.links.refusal(5) is None
    assert store.links.retries() == {} and store.journal.ledger() == {}
    assert store.examples.all() == [] and store.visits.path_to(1) == []
    assert store.journal.saved("bingo") is None and store.journal.last_run() is None
    assert store.journal.archetypes == {} and store.journal.archive is None and store.journal.clock == 0.0
    with pytest.raises(StoreError, match="row 0"):
        store.links.batch(0)


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


def test_a_closed_store_says_so(open_store: OpenStore) -> None:
    store = open_store()
    store.close()
    store.close()
    with pytest.raises(StoreError, match="not open"):
        store.visits.totals()


def test_a_store_in_memory_is_nobody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one, other = SqliteStore(":memory:"), SqliteStore(None)
    for store in (one, other):
        store.open()
    add_seeds(one)
    add_visits(one, 3)
    one.commit()
    one.close()
    assert other.visits.totals().visits == 0 and other.visits.next_number == 1
    with pytest.raises(StoreError, match="store in memory is not open"):
        one.visits.totals()
    with pytest.raises(StoreError, match="memory cannot be opened read-only"):
        one.open(read_only=True)
    one.open()
    assert one.visits.totals().visits == 3
    one.close()
    other.close()
    assert list(tmp_path.iterdir()) == []
    del one, other, store
    gc.collect()  # a connection that nobody closes is a warning, and warnings are errors


def test_a_group_that_failed_in_memory_is_undone_when_it_is_opened_again() -> None:
    store = SqliteStore(None)
    store.open()
    add_seeds(store)
    store.commit()
    with pytest.raises(StoreError, match="no such rows"):
        store.links.update_scores([(5, np.zeros(5))])
    with pytest.raises(StoreError, match="no such rows"):
        store.journal.count("ok", 1)
    store.open()
    store.journal.count("ok", 1)
    store.commit()
    assert store.journal.ledger() == {"ok": 1} and len(list(store.links.rows())) == 1
    store.close()


# -- other processes -----------------------------------------------------------------------------------


@on_disk
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


@on_disk
def test_nothing_to_read(open_store: OpenStore) -> None:
    with pytest.raises(ProjectError, match="clew crawl"):
        open_store(read_only=True)


def start_writer(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, __file__, str(path)], stdout=subprocess.PIPE, text=True)


def write_for_ever(path: str) -> None:
    """The child of the kill test. After every commit it prints how many visits are safe."""
    store, chance = SqliteStore(path), random.Random(time.time_ns())
    store.open()
    if not list(store.links.batches(seeds=True)):
        add_seeds(store)
    places = places_in(store)
    while True:
        add_visits(store, chance.randint(1, 40), places)
        store.links.update_scores([(0, scores_of(store.visits.next_number, 5))])
        store.journal.clock = float(store.visits.next_number - 1)
        store.journal.save("bingo", store.visits.next_number - 1, bytes(chance.randint(1, 20_000)))
        store.commit()
        print(store.visits.next_number - 1, flush=True)


@on_disk
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
    saved = store.journal.saved("bingo")
    assert saved is not None and saved.visit == len(rows)
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


# -- topics that get other numbers ------------------------------------------------------------------------


def test_what_is_kept_by_topic_gets_new_numbers(open_store: OpenStore) -> None:
    """Of two topics the first becomes the third of three; the second is gone."""
    store = open_store()
    add_seeds(store)
    add_visits(store, 12)
    response = Response("http://e.example/", Outcome.OK, 200, requests=1)
    for line, topic in (("a", 0), ("b", 1), ("c", OTHER)):
        store.examples.add(line, topic, response)
    store.journal.archetypes = {0: (1, 2), 1: (4,)}
    store.commit()
    before, rows = store.visits.judged(), list(store.visits.rows())
    sources = {row: batch.source for row, batch in store.links.batches()}
    store.renumber([2, -1], 3)
    store.commit()
    again = open_store(read_only=True) if store.path is not None else store  # type: ignore[attr-defined]
    after = again.visits.judged()
    assert after[6].shape == (len(before[6]), 3)
    np.testing.assert_array_equal(after[6][:, 2], before[6][:, 0])
    assert not after[6][:, :2].any()
    assert after[3].tolist() == [{0: 2, 1: OTHER, OTHER: OTHER}[topic] for topic in before[3].tolist()]
    assert [(row.relevance, row.relevant) for row in again.visits.rows()] == [
        (row.relevance, row.relevant) for row in rows
    ]
    for row, batch in again.links.batches():
        was, rest = sources[row], 0.0 if sources[row].visit else 1.0
        assert batch.source.scores.tolist() == [rest, rest, was.scores[0]]
        assert batch.source.topic == {0: 2, 1: OTHER, OTHER: OTHER}[was.topic]
    assert [(line, topic) for line, topic, _ in again.examples.all()] == [("a", 2), ("c", OTHER)]
    assert again.journal.archetypes == {2: (1, 2)}


def test_topics_may_change_places(open_store: OpenStore) -> None:
    """A page that is an example of both stays one of both."""
    store = open_store()
    response = Response("http://e.example/", Outcome.OK, 200, requests=1)
    for topic in (0, 1):
        store.examples.add("a", topic, response)
    store.examples.add("b", 0, response)
    store.renumber([1, 0], 2)
    store.commit()
    assert sorted(store.examples.names()) == [("a", 0), ("a", 1), ("b", 1)]


def test_judged_pages_are_read_in_parts(open_store: OpenStore) -> None:
    store = open_store()
    add_seeds(store)
    add_visits(store, 20)
    whole = store.visits.judged()
    numbers = whole[0].tolist()
    assert store.visits.judged(after=numbers[2])[0].tolist() == numbers[3:]
    part = store.visits.judged(after=numbers[2], most=4)
    assert part[0].tolist() == numbers[3:7]
    np.testing.assert_array_equal(part[6], whole[6][3:7])
    assert store.visits.judged(after=numbers[-1])[6].shape[0] == 0
    told = {row.number: row.reason for row in store.visits.rows() if row.number in numbers and row.reason}
    assert dict(store.visits.reasons()) == told
    assert dict(store.visits.reasons(after=9)) == {number: why for number, why in told.items() if number > 9}
