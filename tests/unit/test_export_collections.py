"""The best pages of many collections (TUN-5, TUN-7) against values worked out by hand, and the ranking they are of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from clew.crawl.evidence import NO_LEAVES, Evidence
from clew.export.choosing import Choice
from clew.export.collection import chosen
from clew.export.collections import collections
from clew.model import Judgement, Link, LinkKind, Outcome, Response, Source, Visit
from clew.store.records import DocumentRow
from clew.store.sqlite import SqliteStore
from clew.text.reader import seed_links
from clew.topics.formula import And, Or, Topic
from clew.topics.interest import Interest
from clew.urls.canonical import host, key, keys, url_words

SCORES = {1: (0, 0.9, 0.1), 2: (0, 0.3, 0.4), 3: (0, 0.7, 0), 4: (0.9, 0.1, 0), 5: (0, 0.7, 0.6), 6: (0, 1, 1)}
"""Of visits 1 to 6; topic 0 is not wanted, and visit 6 is not relevant for another reason."""

NAMES = ("none", "a", "b")
EITHER = Interest(NAMES, Or((Topic(1), Topic(2))))


class At(NamedTuple):
    row: int
    index: int


def url(number: int, ending: str = "html") -> str:
    return f"http://h{number % 2}.test/{number}.{ending}"


def visit(store: SqliteStore, address: str, judgement: Judgement | None, relevant: bool) -> None:
    evidence = Evidence(store.hosts)
    links = seed_links([address], keys([address]), [host(address)], url_words, LinkKind.SEED)
    batch = evidence.batch(Source(0, "", "", 1.0, np.ones(3, np.float32), 0, 0, 0), links, NO_LEAVES)
    relevance = float(judgement.scores[1:].max()) if judgement else 0.0
    response = Response(address, Outcome.OK, 200)
    number = store.visits.next_number
    found = Visit(number, Link(batch, 0, 0.5), response, None, judgement, relevance, relevant, 0, "")
    store.visits.add(found, At(0, 0))


def document(store: SqliteStore, address: str, parent: int, relevance: float, relevant: bool = True) -> None:
    row = DocumentRow(key(address), address, parent, 0, parent, "paper", relevance, relevant, 1, True)
    store.documents.offer(row)


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    made = SqliteStore(None)
    made.open()
    for number, scores in SCORES.items():
        topic = int(np.argmax(scores))
        visit(made, url(number), Judgement(np.array(scores, np.float32), topic, 0.5), number < 6)
    yield made
    made.close()


def found(store: SqliteStore, interest: Interest = EITHER, **given: Any) -> dict[str, list[tuple[int, int]]]:
    """(number, parent) of the members of each collection."""
    members = collections(store, interest, **given)
    return {name: [(one.row.number, one.row.inherited_from) for one in some] for name, some in members.items()}


def test_a_page_is_in_the_nearest_collection_alone(store: SqliteStore) -> None:
    # topic 1 wins visits 1 (.9), 3 (.7) and 5 (.7), topic 2 visit 2 (.4); topic 0 is not wanted, so visit 4 goes to 1
    assert found(store) == {"a": [(1, 0), (3, 0), (5, 0), (4, 0)], "b": [(2, 0)]}
    assert found(store, k=2, least=0.5) == {"a": [(1, 0), (3, 0)], "b": []}
    (nearest, *_), () = collections(store, EITHER, k=1, least=0.5).values()
    assert (nearest.row.url, nearest.correlation) == (url(1), np.float32(0.9))


def test_of_a_host_there_are_as_many_as_asked_for(store: SqliteStore) -> None:
    # host 1 has visits 1, 3 and 5, host 0 visit 4; visit 3 counts .63 behind visit 1, and visit 4 .1
    assert found(store, choice=Choice(per_host=1))["a"] == [(1, 0), (4, 0)]
    assert found(store, choice=Choice(diverse=True))["a"] == [(1, 0), (3, 0), (5, 0), (4, 0)]


def test_a_document_is_where_the_page_is_that_it_inherits_from(store: SqliteStore) -> None:
    # a document listed on page 2, one that was fetched as visit 7 and inherits from page 1: after their pages; one that
    # is not relevant, and one whose page is not there
    visit(store, url(7, "pdf"), None, relevant=False)
    document(store, url(7, "pdf"), 1, 0.9)
    document(store, url(8, "pdf"), 2, 0.4)
    document(store, url(9, "pdf"), 3, 0.9, relevant=False)
    document(store, url(10, "pdf"), 99, 0.9)
    assert found(store) == {"a": [(1, 0), (7, 1), (3, 0), (5, 0), (4, 0)], "b": [(2, 0), (0, 2)]}
    (_, paper) = collections(store, EITHER)["b"]
    assert (paper.row.url, paper.correlation) == (url(8, "pdf"), np.float32(0.4))


def test_topics_that_are_joined_are_one_collection(store: SqliteStore) -> None:
    """Its pages are as near as the farther of the two topics: visit 5 at .6, then 2 at .3, 1 at .1, 3 and 4 at 0."""
    both = Interest(NAMES, And((Topic(1), Topic(2))))
    assert found(store, both) == {"a and b": [(5, 0), (2, 0), (1, 0), (3, 0), (4, 0)]}
    assert found(store, both, least=0.2) == {"a and b": [(5, 0), (2, 0)]}


def test_nothing_is_in_collections_before_a_page_was_judged() -> None:
    empty = SqliteStore(None)
    empty.open()
    assert found(empty) == {"a": [], "b": []}
    assert list(chosen(empty, everything=False, choice=Choice(diverse=True))) == []
    empty.close()


def test_hosts_take_turns_among_pages_and_documents(store: SqliteStore) -> None:
    # relevance: 1 .9, 3 .7, 5 .7, 2 .4, 4 .1, and a document of host 0 that inherits .65 from visit 3. Host 1 counts
    # .9, .63, .567; the document .65; visit 2 behind it .36, visit 4 .081
    document(store, url(8, "pdf"), 3, 0.65)
    rows = list(chosen(store, everything=False, choice=Choice(diverse=True)))
    assert [row.url for row in rows] == [url(1), url(8, "pdf"), url(3), url(5), url(2), url(4)]
    assert [row.url for row in chosen(store, everything=False, choice=Choice(diverse=True, per_host=1))] == [
        url(1),
        url(8, "pdf"),
    ]
    topics = [row.url for row in chosen(store, everything=False, choice=Choice(diverse=True, top=1))]
    assert topics == [url(1), url(2), url(4)], "one of topic 1, one of topic 2, one of topic 0"
