"""Search in a project of N generated pages: what texts cost, building the index, queries, one more page; and exports.

    python -m benchmarks.search [--pages 1000000] [--words 200] [--peer] [--exports] [--json]

The bound is 300 ms a query; times are CPU time. ``--peer`` puts the same texts into SQLite's FTS5 and asks it the same;
``--exports`` hands all pages over, and looks at time and memory. The texts part crawls a simulated web and compares
main texts made on demand with kept ones. Words are made up, with Zipf's frequencies; queries go from the rarest to the
commonest.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import run, show
from clew.collection.index import Index
from clew.collection.library import FOLDER, TEXTS, Filter, Library
from clew.collection.making import Maker
from clew.collection.query import parse
from clew.collection.texts import TextRow, Texts
from clew.crawl.crawl import Crawl
from clew.project.folder import DATABASE, SETTINGS
from clew.store.sqlite import SqliteStore, schema
from clew.text.formats import Formats
from clew.text.pagetext import MAIN
from clew.urls.canonical import keys

BOUND_MS = 300.0
TIMES = 11
VOCABULARY = 200_000
HOSTS = 5_000
RELEVANT = 0.4
MORE = 100
"""Pages that are added to a finished index."""

COLUMNS = {
    "what": ("what", ""), "query": ("query", ""), "median_ms": ("median ms", ".1f"), "p95_ms": ("p95 ms", ".1f"),
    "bound": ("of 300 ms", ".0%"), "peer_ms": ("FTS5 median ms", ".1f"),
}  # fmt: skip

FACTS = {
    "build_s": "build, s", "index_mb": "index, MB", "texts_mb": "kept texts, MB", "database_mb": "crawl.db, MB",
    "peer_build_s": "FTS5: build, s", "peer_mb": "FTS5: MB", "add_100_ms": "add 100 pages, ms",
    "all_p95_ms": "p95 of the p95, ms", "peak_mb": "peak memory, MB",
}  # fmt: skip


class Words:
    """Made-up texts of words with Zipf's frequencies."""

    def __init__(self, seed: int = 3) -> None:
        made, chance = dict[str, None](), random.Random(seed)
        while len(made) < VOCABULARY:
            syllables = chance.choice((1, 2, 2, 3, 3, 4))
            word = "".join(chance.choice("bcdfghklmnprstvz") + chance.choice("aeiou") for _ in range(syllables))
            made.setdefault(f"{word}{len(made) % 97}" if word in made else word)
        self.words = np.array(list(made)[:VOCABULARY], object)
        shares = np.cumsum(1.0 / np.arange(1, VOCABULARY + 1))
        self.shares = shares / shares[-1]
        self.rng = np.random.default_rng(seed)

    def texts(self, count: int, words: int) -> list[str]:
        """So many texts of so many words."""
        places = np.minimum(np.searchsorted(self.shares, self.rng.random((count, words))), VOCABULARY - 1)
        return [" ".join(row) for row in self.words[places]]

    def queries(self) -> dict[str, str]:
        """What is asked, by kind: a word's number is its rank."""
        w = self.words
        return {
            "a rare word": w[50_000], "a word": w[1_000], "a common word": w[10], "the commonest": w[0],
            "two words": f"{w[20]} {w[300]}", "two common": f"{w[1]} {w[2]}", "three common": f"{w[3]} {w[5]} {w[8]}",
            "a phrase": f'"{w[30]} {w[60]}"', "a common phrase": f'"{w[0]} {w[5]}"', "without": f"{w[30]} -{w[3]}",
            "a beginning": f"{w[500][:3]}*", "with rare phrase": f'{w[400]} "{w[2]} {w[9]}" -{w[1]}',
        }  # fmt: skip


def rows(words: Words, first: int, last: int, length: int) -> Iterator[TextRow]:
    """The texts of visits ``first`` to ``last``."""
    for start in range(first, last + 1, 1_000):
        for number, text in enumerate(words.texts(min(1_000, last + 1 - start), length), start):
            url, title = page_url(number), text[:40]
            yield TextRow(number, url, title, url.split("/")[2], "en", 19_000 + number % 1_000, "", "", MAIN, text)


def page_url(number: int) -> str:
    """The URL of the page that visit ``number`` fetched."""
    return f"http://host{number % HOSTS}.test/page-{number}.html"


def fill(folder: Path, first: int, last: int) -> None:
    """Visits ``first`` to ``last`` of a crawl, without links."""
    store = SqliteStore(folder / DATABASE)
    store.open()
    store.close()
    (folder / SETTINGS).touch()
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        hosts = [(host, f"host{host}.test", 0, 0, 0, 0.0) for host in range(HOSTS)]
        database.executemany(schema.PUT_HOST, hosts)
        database.executemany(schema.ADD_VISIT, (_visit(number) for number in range(first, last + 1)))
        database.commit()


def _visit(number: int) -> tuple[Any, ...]:
    url, relevance = page_url(number), (number * 7919 % 1_000) / 1_000
    values = {
        "number": number, "key": schema.signed(int(keys([url])[0])), "url": url, "host": number % HOSTS, "status": 200,
        "outcome": "ok", "kind": "a", "score": 0.5, "relevance": relevance, "relevant": relevance >= 1 - RELEVANT,
        "topic": 0, "confidence": 1.0, "title": f"Page {number}", "language": "en", "content_type": "text/html",
        "charset": "utf-8", "fetched_at": 1.6e9 + number, "bytes": 10_000, "topic_scores": b"\0\0\0\0",
    }  # fmt: skip
    texts = ("reason", "canonical", "digest", "location", "warc_file")
    return tuple(values.get(name, "" if name in texts else 0) for name in schema.VISIT_COLUMNS)


def timed(ask: Callable[[], object], times: int = TIMES) -> list[float]:
    """CPU milliseconds of each of so many calls, which wait for nothing else; the first is not counted."""
    found = []
    for _ in range(times + 1):
        began = time.process_time()
        ask()
        found.append((time.process_time() - began) * 1e3)
    return found[1:]


def p95(values: list[float]) -> float:
    return float(np.percentile(values, 95))


def size(path: Path) -> float:
    """MB of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def peer(path: Path, texts: Texts, queries: dict[str, str]) -> tuple[float, dict[str, float]]:
    """FTS5 with the same texts: seconds to build, and median milliseconds by kind."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE VIRTUAL TABLE pages USING fts5(words, content='')")
        began = time.process_time()
        found = ((row.number, f"{row.title} {row.title} {row.text}") for row in texts.rows())
        while group := list(islice(found, 20_000)):
            database.executemany("INSERT INTO pages (rowid, words) VALUES (?, ?)", group)
            database.commit()
        seconds = time.process_time() - began
        sql = "SELECT rowid, rank FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 1000"
        return seconds, {
            kind: statistics.median(timed(partial(_fetch, database, sql, _fts5(text)), 3))
            for kind, text in queries.items()
        }


def _fetch(database: sqlite3.Connection, sql: str, text: str) -> list[Any]:
    return database.execute(sql, (text,)).fetchall()


def _fts5(text: str) -> str:
    parts = re.findall(r'-?"[^"]*"|\S+', text)
    wanted = " AND ".join(part for part in parts if part[0] != "-")
    return f"({wanted}) {' '.join(f'NOT {part[1:]}' for part in parts if part[0] == '-')}".strip()


def index_part(folder: Path, pages: int, length: int, with_peer: bool) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """The rows of the table of queries, and facts."""
    words, library = Words(), Library(folder / FOLDER, folder / "archive", Formats())
    library.folder.mkdir(parents=True)
    fill(folder, 1, pages)
    with closing(Texts(library.folder / TEXTS, 1)) as texts:
        made = rows(words, 1, pages, length)
        while group := list(islice(made, 1_000)):
            texts.add(group, group[-1].number)
    store = SqliteStore(folder / DATABASE)
    store.open(read_only=True)
    began = time.process_time()
    library.update(store)
    facts = {"build_s": time.process_time() - began, "index_mb": size(Index(library.folder).folder)}
    facts |= {"texts_mb": size(library.folder / TEXTS), "database_mb": size(folder / DATABASE)}
    queries, found = words.queries(), list[dict[str, Any]]()
    for kind, text in queries.items():
        taken = timed(partial(library.search, store, parse(text), Filter()))
        found.append({"what": kind, "query": text, "median_ms": statistics.median(taken), "p95_ms": p95(taken)})
        found[-1] |= {"bound": p95(taken) / BOUND_MS, "peer_ms": float("nan")}
    store.close()
    if with_peer:
        with closing(Texts(library.folder / TEXTS, 1)) as texts:
            facts["peer_build_s"], medians = peer(folder / "fts5.db", texts, queries)
        facts["peer_mb"] = size(folder / "fts5.db")
        for row in found:
            row["peer_ms"] = medians[row["what"]]
    facts["add_100_ms"] = _added(folder, library, words, pages, length)
    facts["all_p95_ms"] = p95([row["p95_ms"] for row in found])
    facts["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return found, facts


def _added(folder: Path, library: Library, words: Words, pages: int, length: int) -> float:
    """Milliseconds until a hundred more pages, whose texts are made, can be found."""
    fill(folder, pages + 1, pages + MORE)
    with closing(Texts(library.folder / TEXTS, 1)) as texts:
        texts.add(rows(words, pages + 1, pages + MORE, length), pages + MORE)
    store = SqliteStore(folder / DATABASE)
    store.open(read_only=True)
    began = time.process_time()
    library.update(store)
    store.close()
    return (time.process_time() - began) * 1e3


def texts_part(folder: Path, web: str, pages: int) -> list[dict[str, Any]]:
    """Main and full texts made from the archive, and main ones kept: CPU milliseconds and bytes a page."""
    settings = {"crawl": {"workers": 0}}
    Crawl(world=web, settings=settings, folder=folder).run_sync(max_pages=pages)
    store = SqliteStore(folder / DATABASE)
    store.open(read_only=True)
    places = [(row.warc_file, row.warc_offset) for row in store.visits.rows() if row.judged]
    library = Library(folder / FOLDER, folder / "archive", Formats())
    found = []
    for name, main in (("full, on demand", False), ("main, on demand", True)):
        maker = Maker(library.archive, library.formats, main)
        maker(places[:3])
        began = time.process_time()
        chars = sum(len(text.text) for text in maker(places))
        spent = (time.process_time() - began) * 1e3 / len(places)
        found.append({"text": name, "pages": len(places), "ms": spent, "chars": chars / len(places), "bytes": 0.0})
    library.update(store)
    store.close()
    with closing(Texts(library.folder / TEXTS, 1, read_only=True)) as texts:
        began = time.process_time()
        chars = sum(len(row.text) for row in texts.rows())
        spent = (time.process_time() - began) * 1e3 / len(places)
    kept = size(library.folder / TEXTS) * 1e6 / len(places)
    found.append({"text": "main, kept", "pages": len(places), "ms": spent, "chars": chars / len(places), "bytes": kept})
    archive = size(library.archive) * 1e6 / len(places)
    found.append({"text": "(archive)", "pages": len(places), "ms": 0.0, "chars": 0.0, "bytes": archive})
    return found


def exports_part(folder: Path) -> list[dict[str, Any]]:
    """Handing all pages over with their texts: seconds and memory."""
    found = []
    for form in ("jsonl", "csv", "parquet", "sqlite"):
        out = folder / f"export.{form}"
        command = [sys.executable, "-m", "clew.cli", "export", str(folder), "--to", form, "--text", "main"]
        cost = run([*command, "--out", str(out), "--json"], 3_600)
        found.append({"form": form, "seconds": cost.wall_s, "mb": size(out), "peak_mb": cost.peak_mb})
        out.unlink()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--exports", action="store_true")
    parser.add_argument("--web", default="sim:pages=5000,seed=3,language=english")
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (crawled := Path(name) / "texts").mkdir()
        columns = {"text": ("text", ""), "pages": ("pages", ","), "ms": ("CPU ms a page", ".2f")}
        columns |= {"chars": ("characters a page", ",.0f"), "bytes": ("bytes a page", ",.0f")}
        show("Texts", columns, texts_part(crawled, given.web, given.texts), as_json=given.json)
        (project := Path(name) / "project").mkdir()
        table, facts = index_part(project, given.pages, given.words, given.peer)
        show(f"{given.pages:,} pages of {given.words} words", COLUMNS, table, as_json=given.json)
        rows_of_facts = [{"fact": FACTS[key], "value": value} for key, value in facts.items()]
        show("The index", {"fact": ("", ""), "value": ("", ",.1f")}, rows_of_facts, as_json=given.json)
        if given.exports:
            columns = {"form": ("form", ""), "seconds": ("s", ",.1f"), "mb": ("MB", ",.0f")}
            columns |= {"peak_mb": ("peak MB", ",.0f")}
            show("Exports of all relevant pages", columns, exports_part(project), as_json=given.json)


if __name__ == "__main__":
    main()
