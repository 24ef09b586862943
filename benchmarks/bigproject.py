"""A project of N pages as a long crawl leaves it: a short crawl of a simulated web, and generated visits behind it.

The generated pages have eight links each, with all evidence in the store's own encoding: four to pages that nobody
linked to before, which were visited later or wait, and four to earlier ones. A page's parent is the one that has the
first link to it. The archive's records are those of the short crawl, over and over; texts and index are made of words.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

from benchmarks.search import HOSTS, Words, page_url, rows
from clew.collection.library import TEXTS
from clew.collection.texts import Texts
from clew.examples.labels import LABELS
from clew.model import Keys, Leaves, LinkKind, Links, Source
from clew.project.assembly import CrawlOptions, crawl
from clew.project.making import Given, make_project
from clew.project.project import Project
from clew.store.packed import pack_evidence, pack_heads, pack_source
from clew.store.sqlite import schema
from clew.urls.canonical import host, keys
from clew.web.simulated import SimulatedWeb, parse_spec

WEB = "sim:pages=4000,seed=3,language=english,branching=3,depth=2,pages_per_host=40"
CRAWLED = 300
"""Pages of the short crawl."""

LINKS, FRESH = 8, 4
"""Links of a page, and those of them to pages that no earlier page links to."""

GROUP = 2_000
"""Pages that are made, and written, together."""

SESSION = 1_000
TOKENS, LEAVES = 300, 40
FORMS = 64
"""Pages whose texts beside the links differ."""

FAILED, REDIRECTS = 0.04, 0.03
"""Shares of the later pages, which have no links that were followed."""

REFUSED, DOCUMENTS = 0.02, 0.01
"""For each page, URLs that were refused and documents that inherit."""

LABELLED = 200
NAMES = ("outage", "widened", "judge adopted", "clew adapts", "labels taken into account")


@dataclass(frozen=True, slots=True)
class Pages:
    """The generated pages: numbers of their visits; host ids begin at ``hosts``."""

    first: int
    last: int
    hosts: int
    topics: int
    wanted: int
    threshold: float
    archive: Sequence[tuple[str, int]]
    began: float

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    def parent(self, number: int) -> tuple[int, int]:
        """The packed row with the first link to a page, and the place in it; the first page has a row of seeds."""
        place = number - self.first
        return (self.first + (place - 1) // FRESH, (place - 1) % FRESH) if place else (0, 0)

    def linked(self, number: int, rng: np.random.Generator) -> list[int]:
        """The numbers of the pages that a page links to: fresh ones first; all differ."""
        place = number - self.first
        fresh = range(FRESH * place + 1, FRESH * place + 1 + FRESH)
        old = [int(part * place + rng.integers(place)) for part in range(LINKS - FRESH)] if place else []
        return [self.first + one for one in (*fresh, *old)]


def make(folder: Path, pages: int, words: int, *, texts: bool = True, seed: int = 3) -> Project:
    """The project, made in ``folder``. ``words``: of a text, which go into the search index; ``texts``: or none do."""
    project = _crawled(folder)
    store = project.open_store()
    visits = [row for row in store.visits.rows() if row.warc_file]
    made = Pages(
        first=store.visits.next_number,
        last=max(pages, store.visits.next_number),
        hosts=int(store.hosts.ids([host(page_url(number)) for number in range(HOSTS)])[0]),
        topics=len(project.interest.topics),
        wanted=project.interest.wanted_topics[0],
        threshold=project.settings.judge.threshold,
        archive=[(row.warc_file, row.warc_offset) for row in visits],
        began=visits[-1].fetched_at,
    )
    store.commit()
    store.close()
    if texts:
        _index(project)
    _fill(project, made, np.random.default_rng(seed))
    if texts:
        with closing(Texts(project.library.folder / TEXTS, project.library.crawl)) as kept:
            generated = rows(Words(seed), made.first, made.last, words)
            while group := list(islice(generated, 1_000)):
                kept.add(group, group[-1].number)
        _index(project)
    return project


def _crawled(folder: Path) -> Project:
    """A project with a tree of topics, of which one is wanted, and some pages of a simulated web."""
    web = parse_spec(WEB)
    topics = web.topics()
    folder.mkdir(parents=True, exist_ok=True)
    tree = folder.parent / f"{folder.name}-topics.yaml"
    tree.write_text(yaml.safe_dump(_tree(web, topics)), encoding="utf-8")
    make_project(folder, Given(taxonomy=tree, interest=topics[0], web=WEB))
    tree.unlink()
    project = Project(folder)
    crawl(project, CrawlOptions(max_pages=CRAWLED, workers=0))
    return Project(folder)


def _tree(web: SimulatedWeb, topics: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in topics:
        level = found
        *above, name = path.split("/")
        for one in above:
            level = level.setdefault(one, {}).setdefault("topics", {})
        level[name] = {"examples": web.examples(6, path), "seeds": web.seeds(2, path)}
    return found


def _index(project: Project) -> None:
    store = project.open_store(read_only=True)
    try:
        project.library.update(store)
    finally:
        store.close()


# -- the database -----------------------------------------------------------------------------------------


def _fill(project: Project, pages: Pages, rng: np.random.Generator) -> None:
    with closing(sqlite3.connect(project.database, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA cache_size = -200000")
        forms = [_form(rng) for _ in range(FORMS)]
        for start in range(pages.first, pages.last + 1, GROUP):
            database.execute("BEGIN")
            _group(database, pages, range(start, min(start + GROUP, pages.last + 1)), forms, rng)
            database.execute("COMMIT")
        database.execute("BEGIN")
        _journal(database, pages, rng)
        _others(database, pages)
        database.execute("COMMIT")
    lines = [f"{page_url(pages.first + place)}\trelevant" for place in range(0, min(pages.count, LABELLED), 2)]
    lines += [f"{page_url(pages.first + place)}\tirrelevant" for place in range(1, min(pages.count, LABELLED), 2)]
    (project.path / LABELS).write_text("\n".join([*lines, ""]), encoding="utf-8")


def _form(rng: np.random.Generator) -> tuple[Leaves, npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
    """The leaves of a page, the terms of its links' URLs, and the leaves in which its anchors stand."""
    starts = np.sort(rng.integers(0, TOKENS, LEAVES + 1)).astype(np.int32)
    starts[0], starts[-1] = 0, TOKENS
    leaves = Leaves(rng.zipf(1.4, TOKENS).astype(np.uint32), starts)
    return leaves, rng.zipf(1.4, 4 * LINKS).astype(np.uint32), np.sort(rng.integers(0, LEAVES, LINKS)).astype(np.int32)


def _group(
    database: sqlite3.Connection, pages: Pages, numbers: range, forms: Sequence[Any], rng: np.random.Generator
) -> None:
    """Visits with their links."""
    scores = rng.dirichlet(np.full(pages.topics + 1, 0.4), len(numbers))[:, 1:].astype(np.float32)
    scores[:, pages.wanted] = rng.beta(0.6, 0.9, len(numbers))
    fates = rng.random(len(numbers))
    fates[[number - pages.first < pages.count // FRESH + 1 for number in numbers]] = 1.0
    found = keys([page_url(number) for number in numbers])
    values = [
        _visit(pages, number, int(key), own, fate)
        for number, key, own, fate in zip(numbers, found, scores, fates, strict=True)
    ]
    database.executemany(schema.ADD_VISIT, values)
    fine = [place for place, fate in enumerate(fates) if fate > FAILED + REDIRECTS]
    prints = rng.integers(-(1 << 62), 1 << 62, (len(fine), 5)).tolist()
    database.executemany(
        schema.ADD_PRINT, [(numbers[place], *five, TOKENS, 0, False) for place, five in zip(fine, prints, strict=True)]
    )
    linked = [pages.linked(numbers[place], rng) for place in fine]
    urls = [[page_url(number) for number in one] for one in linked]
    every = keys([url for some in urls for url in some])
    heads, evidence, start = [], [], 0
    for place, some in zip(fine, linked, strict=True):
        own, start = every[start : start + len(some)], start + len(some)
        number, hosts = numbers[place], np.array([pages.hosts + one % HOSTS for one in some], np.uint32)
        links = rng.beta(0.8, 2.0, len(some)).astype("<f4")
        links[rng.random(len(some)) < 0.02] = np.nan
        heads.append((number, len(some), pack_heads(own, hosts), links.tobytes()))
        leaves, terms, first = forms[number % FORMS]
        source = Source(
            number, page_url(number), "", float(scores[place, pages.wanted]), scores[place], 0, 1 + _depth(number), 0
        )
        evidence.append((number, pack_source(source), pack_evidence(_links(some, own, terms, first), leaves)))
    database.executemany(schema.ADD_HEADS, heads)
    database.executemany(schema.ADD_EVIDENCE, evidence)


def _links(numbers: Sequence[int], own: Keys, terms: npt.NDArray[np.uint32], first: npt.NDArray[np.int32]) -> Links:
    n = len(numbers)
    urls = tuple([page_url(number) for number in numbers])
    names = [url.split("/", 3)[2] for url in urls]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return Links(
        urls=urls,
        keys=own,
        host_names=tuple(places),
        host_index=np.array([places[name] for name in names], np.int32),
        nofollow=np.zeros(n, np.bool_),
        kinds=(LinkKind.ANCHOR,) * n,
        url_term_ids=terms[: 4 * n],
        url_term_starts=np.arange(0, 4 * n + 1, 4).astype(np.int32),
        anchors=tuple([f"more about {number}" for number in numbers]),
        spans=np.column_stack([np.arange(n, dtype=np.int32), first[:n], first[:n]]),
    )


def _depth(place: int) -> int:
    """Links from the seed."""
    return max(int(np.log(FRESH * place + 1) / np.log(FRESH)), 0)


def _visit(pages: Pages, number: int, key: int, scores: npt.NDArray[np.float32], fate: float) -> tuple[Any, ...]:
    row, index = pages.parent(number)
    archive, offset = pages.archive[number % len(pages.archive)]
    relevance, fine = float(scores[pages.wanted]), fate > FAILED + REDIRECTS
    outcome = "ok" if fine else "failed" if fate <= FAILED else "redirect"
    values = {
        "number": number, "key": schema.signed(key), "url": page_url(number), "host": pages.hosts + number % HOSTS,
        "status": {"ok": 200, "failed": 500, "redirect": 301}[outcome], "outcome": outcome, "row": row,
        "link_index": index, "kind": "a", "score": float(scores[-1]), "depth": _depth(number - pages.first),
        "fetched_at": pages.began + 0.3 * (number - pages.first + 1), "elapsed_s": 0.1, "requests": 1,
        "warc_file": archive, "warc_offset": offset,
        "reason": {"ok": "", "failed": "HTTP 500", "redirect": "a redirect"}[outcome],
    }  # fmt: skip
    if fine:
        values |= {
            "relevance": relevance, "relevant": relevance >= pages.threshold, "topic": int(scores.argmax()),
            "confidence": float(scores.max()), "title": f"Page {number} about a thing", "language": "en",
            "content_type": "text/html", "charset": "utf-8", "bytes": 10_000 + number % 50_000,
            "digest": f"sha1:{number:032x}", "topic_scores": scores.astype("<f4").tobytes(),
        }  # fmt: skip
    texts = ("title", "language", "content_type", "charset", "canonical", "digest", "location")
    empty = dict.fromkeys(texts, "") | {"topic": None, "confidence": None, "topic_scores": None}
    return tuple(values.get(name, empty.get(name, 0)) for name in schema.VISIT_COLUMNS)


def _journal(database: sqlite3.Connection, pages: Pages, rng: np.random.Generator) -> None:
    """Sessions, decisions, host history, requests, and states as they are after the last visit."""
    session = database.execute("SELECT coalesce(max(number), 0) FROM sessions").fetchone()[0]
    for place, first in enumerate(range(pages.first, pages.last + 1, SESSION), 1):
        last = min(first + SESSION - 1, pages.last)
        at, size = pages.began + 0.3 * (last - pages.first), last - first + 1
        counts = (session + place, first, last, size, size * 2 // 5, last, last * 2 // 5)
        database.execute(schema.ADD_SESSION, (*counts, float(rng.random()), place % 10 == 0, at))
        for kind in NAMES[place % 2 :: 2]:
            facts = json.dumps({"visits": last, "best_waiting": round(float(rng.random()), 4)})
            database.execute(schema.ADD_DECISION, (at, session + place, last, kind, facts))
    database.executemany("UPDATE hosts SET visits = ?, relevant = ?, failures = ? WHERE id = ?", [
        (visits, relevant, failed, host)
        for host, visits, relevant, failed in database.execute(schema.HOST_HISTORY, (pages.last,)).fetchall()
    ])  # fmt: skip
    database.execute("INSERT OR REPLACE INTO spent SELECT host, sum(requests) FROM visits GROUP BY host")
    database.execute("UPDATE states SET visit = ?", (pages.last,))
    database.execute(schema.PUT_META, ("clock", pages.began + 0.3 * pages.count))


def _others(database: sqlite3.Connection, pages: Pages) -> None:
    """The row of seeds with the first page, refused URLs, documents that inherit, silent hosts."""
    first = page_url(pages.first)
    number = -database.execute("SELECT count(*) FROM heads WHERE row <= 0").fetchone()[0]
    own = keys([first])
    empty, terms = Leaves(np.empty(0, np.uint32), np.zeros(1, np.int32)), np.ones(4, np.uint32)
    links = _links([pages.first], own, terms, np.zeros(1, np.int32))
    source = Source(0, "", "", 1.0, np.ones(pages.topics, np.float32), 0, 0, 0)
    hosts = np.array([pages.hosts + pages.first % HOSTS], np.uint32)
    database.execute(schema.ADD_HEADS, (number, 1, pack_heads(own, hosts), np.ones(1, "<f4").tobytes()))
    database.execute(schema.ADD_EVIDENCE, (number, pack_source(source), pack_evidence(links, empty)))
    database.execute("UPDATE visits SET row = ?, link_index = 0 WHERE number = ?", (number, pages.first))
    database.executemany(schema.ADD_REFUSED, _refused(pages))
    database.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _documents(pages))
    database.executemany(schema.PUT_SILENT, [(pages.hosts + 50 * one, "it does not answer") for one in range(100)])


def _refused(pages: Pages) -> Iterator[tuple[Any, ...]]:
    why = ("robots.txt forbids it", "its host has a private address", "it is out of scope", "its name is not known")
    urls = [f"http://host{one % HOSTS}.test/private/{one}" for one in range(int(pages.count * REFUSED))]
    for one, (url, key) in enumerate(zip(urls, keys(urls), strict=True)):
        row = pages.first + one % max(pages.count // FRESH, 1)
        yield schema.signed(int(key)), url, row, one % LINKS, "refused", why[one % len(why)], pages.began


def _documents(pages: Pages) -> Iterator[tuple[Any, ...]]:
    urls = [f"http://host{one % HOSTS}.test/paper-{one}.pdf" for one in range(int(pages.count * DOCUMENTS))]
    for one, (url, key) in enumerate(zip(urls, keys(urls), strict=True)):
        row = pages.first + one % max(pages.count // FRESH, 1)
        relevance = (one * 7919 % 1000) / 1000
        yield schema.signed(int(key)), url, row, one % LINKS, row, f"Paper {one}", relevance, relevance > 0.5, 0, True
