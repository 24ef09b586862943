"""How well judges tell relevant pages from others, and what they cost: python -m benchmarks.judges [--json] [JUDGE ...]

Each judge learns from a task's examples and ranks every page of the task's archive outside the examples and seeds (and
inside the task's groups, where it names some). The truth is in the labels. The measure is average precision: the mean,
over the relevant pages, of the share of relevant pages among those ranked as high. The cost is CPU-ms a page from
terms to scores, with the task's one topic; the task "20 topics" has as many topics and pages of 12 kB of text.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType

from clew.judges.base import Judge, JudgeContext
from clew.judges.quality import average_precision
from clew.judges.registry import make
from clew.model import OTHER, Bools, Doubles, Example, Outcome, Page, Response
from clew.text.reader import Reader, Unreadable
from clew.urls.canonical import Canonicaliser, host, keys, url_words

WEBS = Path(__file__).parents[1].parent / "shared" / "webs"
TASKS = (
    "wiki-music-far",
    "wiki-mathematics-far",
    "wiki-religion-far",
    "wiki-chemistry-far",
    "webkb-course",
    "webkb-faculty",
    "webkb-student",
)
NAMES = (
    "auto",
    "naive-bayes",
    "svm",
    "logistic",
    "centroid",
    "ensemble",
    *(["embedding"] if find_spec("model2vec") else []),
)
"""Judges that learn; the embedding judge where its extra is installed."""
MANY = "20 topics"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result; no average precision for a task that measures the cost only."""

    judge: str
    task: str
    average_precision: float | None
    cpu_ms_per_page: float


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Examples, and the pages to rank with their truth."""

    examples: list[Example]
    pages: list[Page]
    truth: Bools


@cache
def pages_of(archive: Path) -> dict[str, Page]:
    """The readable pages of a WARC file by URL, without their links."""
    reader = Reader(Canonicaliser((), 2_000), keys, host, url_words)
    found = {}
    with archive.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
            headers = record.http_headers
            if headers is None or headers.status_code != 200:
                continue
            url = record.headers["WARC-Target-URI"]
            response = Response(url, Outcome.OK, 200, tuple(headers.items()), record.reader.read())
            try:
                page = reader.read(response)
            except Unreadable:
                continue
            found[url] = replace(page, links=_no_links(reader))
    return found


@cache
def _no_links(reader: Reader) -> Any:
    return reader.read(Response("http://a.test/", Outcome.OK, 200, (("Content-Type", "text/html"),), b"<p>a")).links


def read_task(path: Path) -> Task:
    """A task file with the pages of its archive and the truth of its labels."""
    task = tomllib.loads(path.read_text(encoding="utf-8"))
    pages = pages_of((path.parent / task["web"]).resolve())
    given, groups = task["examples"], set(task["truth"]["groups"])
    used = {*given["positive"], *given["negative"], *task["seeds"]}
    labels = dict(_labels((path.parent / task["labels"]).resolve()))
    ranked = [url for url in pages if url not in used and (not groups or labels.get(url, ("", ""))[1] in groups)]
    wanted = tuple(task["truth"]["labels"])
    truth = [any(one.startswith(wanted) for one in labels.get(url, ("", ""))[0].split(";")) for url in ranked]
    examples = [Example(url, 0, pages[url]) for url in given["positive"] if url in pages]
    examples += [Example(url, OTHER, pages[url]) for url in given["negative"] if url in pages]
    return Task(examples, [pages[url] for url in ranked], np.array(truth, np.bool_))


def _labels(path: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            yield row["url"], (row["label"], row["group"])


def measure(judge: Judge, examples: Sequence[Example], pages: Sequence[Page]) -> tuple[Doubles, float]:
    """Scores of the first topic, float64[n], and CPU-ms a page, after training."""
    judge.fit(examples)
    judge.judge(pages[:20])
    started = time.process_time()
    scores = [judgement.scores[0] for judgement in judge.judge(pages)]
    return np.array(scores, np.float64), 1000 * (time.process_time() - started) / len(pages)


def twenty_topics() -> tuple[tuple[str, ...], list[Example], list[Page]]:
    """Four topics of four below each, ten examples a leaf and twenty negatives, and 100 pages of 12 kB to judge."""
    rng = np.random.default_rng(20)
    reader = Reader(Canonicaliser((), 2_000), keys, host, url_words)
    words = [
        "".join(rng.choice(list("bdfgklmnprstvz")) + rng.choice(list("aeiou")) for _ in range(3)) for _ in range(9_000)
    ]
    topics = [path for i in range(4) for path in (f"t{i}", *(f"t{i}/s{j}" for j in range(4)))]

    def page(topic: int) -> Page:
        ranks = rng.zipf(1.15, 2_400) % 3_000
        own = 3_000 + (topic + 1) * 280 + rng.integers(0, 280, len(ranks))
        chosen = np.where(rng.random(len(ranks)) < 0.2, own, ranks)
        body = " ".join(words[rank] for rank in chosen)[:12_000]
        html = f"<html lang=en><title>{words[own[0]]}</title><p>{body}</p></html>".encode()
        return reader.read(Response("http://a.test/", Outcome.OK, 200, (("Content-Type", "text/html"),), html))

    leaves = [index for index, path in enumerate(topics) if "/" in path]
    examples = [Example(f"http://a.test/{i}", topic, page(topic)) for i in range(10) for topic in leaves]
    examples += [Example(f"http://a.test/o{i}", OTHER, page(OTHER)) for i in range(20)]
    return tuple(topics), examples, [page(leaves[i % len(leaves)]) for i in range(100)]


def rows(names: Sequence[str], tasks: Sequence[str]) -> Iterator[Row]:
    """Every judge on every task."""
    for task_name in tasks:
        task = read_task(WEBS / "tasks" / f"{task_name}.toml")
        for name in names:
            scores, cost = measure(make(name), task.examples, task.pages)
            yield Row(name, task_name, round(average_precision(scores, task.truth), 4), round(cost, 3))
    topics, examples, pages = twenty_topics()
    for name in names:
        _, cost = measure(make(name, JudgeContext(topics)), examples, pages)
        yield Row(name, MANY, None, round(cost, 3))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judges", description=__doc__)
    parser.add_argument("judges", nargs="*", default=list(NAMES), help="which judges (default: all that learn)")
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    parser.add_argument("--task", action="append", choices=TASKS, help="only these tasks (default: all)")
    options = parser.parse_args(arguments)
    if not WEBS.is_dir():
        sys.exit(f"the archives of the tasks are not here: {WEBS.name}/ is missing beside the checkout")
    found = []
    for row in rows(options.judges, options.task or TASKS):
        found.append({field: getattr(row, field) for field in Row.__slots__})
        if not options.json:
            precision = "     -" if row.average_precision is None else f"{row.average_precision:6.3f}"
            print(f"{row.judge:12} {row.task:22} {precision}  {row.cpu_ms_per_page:6.3f} ms", flush=True)
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
