"""What several tests need: pages from text, projects on disk, the command line as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.crawl.evidence import Evidence
from clew.judges.base import Judge, JudgeContext
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.model import Decision, Example, Leaves, LinkBatch, Links, Outcome, Page, Response, Source, TermIds, Visit
from clew.strategies.base import Pages, Retraining
from clew.text.reader import Reader
from clew.topics.interest import Interest
from clew.topics.tree import TopicTree
from clew.urls.canonical import Canonicaliser, host, keys, url_words

SHARED = Path(__file__).parents[1].parent / "shared"
READER = Reader(Canonicaliser((), 2_000), keys, host, url_words)


def shared(name: str) -> Path:
    """A file of the shared folder; skips the test where it is missing."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"shared/{name} is not here")
    return path


def html_page(html: str, url: str = "http://a.test/") -> Page:
    """A page read from HTML."""
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return READER.read(Response(url, Outcome.OK, 200, headers, html.encode()))


def text_page(text: str, language: str = "en", title: str = "", url: str = "http://a.test/") -> Page:
    """A page of one paragraph."""
    return html_page(
        f"<html lang='{language}'><head><title>{title}</title></head><body><p>{text}</p></body></html>", url
    )


def uints(*numbers: int) -> TermIds:
    """Term ids."""
    return np.array(numbers, np.uint32)


def page_of_terms(title: Sequence[int], body: Sequence[int]) -> Page:
    """A page of these terms in one leaf, without links."""
    none, starts = np.empty(0, np.int32), np.zeros(1, np.int32)
    keys_, spans = np.empty(0, np.uint64), np.empty((0, 3), np.int32)
    links = Links((), keys_, (), none, np.empty(0, np.bool_), (), uints(), starts, (), spans)
    leaves = Leaves(uints(*body), np.array([0, len(body)], np.int32))
    return Page("http://a.example/", "", "en", "utf-8", "text/html", "", uints(*title), leaves, links)


class NoHistory:
    """Hosts of which a crawl has seen nothing."""

    def ids(self, names: Sequence[str]) -> Any:
        return np.arange(len(names), dtype=np.uint32)

    def stats(self, ids: Any) -> Any:
        return np.zeros(len(ids), np.float32), np.zeros(len(ids), np.float32)


def batch_of(page: Page, relevance: float = 0.5, depth: int = 1, tunnel: int = 0, visit: int = 1) -> LinkBatch:
    """The links of a page as a strategy sees them."""
    source = Source(visit, page.url, host(page.url), relevance, np.array([relevance], np.float32), 0, depth, tunnel)
    return Evidence(NoHistory()).of_page(page, source)


class StubView:
    """A view of a crawl for tests of a strategy: what is given is seen, and what the strategy does is noted.

    ``parents`` answers ``backlinks``, ``hits`` answers ``search``; ``decisions``, ``enqueued`` and ``retrained`` note
    what was decided, put on the frontier and given to the judge. ``seen`` are the visits so far. It is its own actions
    and lookups.
    """

    def __init__(
        self,
        examples: Sequence[Example] = (),
        interest: Interest | None = None,
        tree: TopicTree | None = None,
        judge: Judge | None = None,
        parents: Mapping[str, Sequence[str]] | None = None,
        hits: Mapping[str, Sequence[str]] | None = None,
        seed: int = 1,
    ) -> None:
        self.examples = tuple(examples)
        self.interest = interest or Interest()
        self.topics = self.interest.topics
        self.tree = tree
        self._judge = judge
        self.parents, self.hits = dict(parents or {}), dict(hits or {})
        self.seed = seed
        self.actions = self.lookups = self
        self.seen: list[Visit] = []
        self.decisions: list[Decision] = []
        self.enqueued: list[tuple[str, str]] = []
        self.retrained: list[dict[int, tuple[int, ...]]] = []
        self.tops = self.communities = self.asked = 0
        self.others: dict[str, list[Visit]] = {}

    @property
    def judge(self) -> Judge:
        if self._judge is None:
            self._judge = NaiveBayesJudge(JudgeContext(self.topics))
            self._judge.fit(self.examples)
        return self._judge

    def visits(self) -> Iterator[Visit]:
        return iter(self.seen)

    def pages(self) -> Pages:
        read = [visit for visit in self.seen if visit.links is not None and visit.judgement is not None]
        judged = [visit.judgement for visit in read if visit.judgement is not None]
        return Pages(
            numbers=np.array([visit.number for visit in read], np.int64),
            keys=np.array([visit.link.key for visit in read], np.uint64),
            hosts=np.array([_host_number(visit.link.host) for visit in read], np.uint32),
            topics=np.array([one.topic for one in judged], np.int32),
            confidence=np.array([one.confidence for one in judged], np.float32),
            relevance=np.array([visit.relevance for visit in read], np.float32),
            scores=np.array([one.scores for one in judged], np.float32).reshape(len(read), len(self.topics)),
            relevant=np.array([visit.relevant for visit in read], np.bool_),
        )

    def link_rows(self) -> Iterator[tuple[int, Any, Any]]:
        for visit in self.seen:
            if visit.links is not None:
                names = visit.links.links.host_names
                hosts = np.array([_host_number(name) for name in names], np.uint32)
                yield visit.number, visit.links.links.keys, hosts[visit.links.links.host_index]

    def urls(self, numbers: Iterable[int]) -> dict[int, str]:
        wanted = set(numbers)
        return {visit.number: visit.link.url for visit in self.seen if visit.number in wanted}

    def rng(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self.seed, len(name)])

    def decide(self, decision: Decision) -> None:
        self.decisions.append(decision)

    def at_top(self) -> None:
        self.tops += 1

    def community(self) -> None:
        self.communities += 1

    def retrain(self, archetypes: Mapping[int, Sequence[int]]) -> Retraining:
        self.retrained.append({topic: tuple(numbers) for topic, numbers in archetypes.items()})
        return Retraining(archetypes=sum(map(len, archetypes.values())))

    def archetypes(self) -> dict[int, tuple[int, ...]]:
        return self.retrained[-1] if self.retrained else {}

    def other_crawl(self, folder: str) -> Iterator[Visit]:
        return iter(self.others[folder])

    async def backlinks(self, url: str, limit: int) -> list[str]:
        self.asked += 1
        return list(self.parents.get(url, ()))[:limit]

    async def search(self, query: str, limit: int) -> list[str]:
        self.asked += 1
        return list(self.hits.get(query, ()))[:limit]

    def enqueue(self, urls: Sequence[str], about: str = "") -> int:
        self.enqueued += [(url, about) for url in urls]
        visited = {visit.link.url for visit in self.seen}
        return len(set(urls) - visited)


def _host_number(name: str) -> int:
    return int(keys([name])[0] % 2**32)


def write_project(
    folder: Path,
    seeds: Iterable[str],
    relevant: Mapping[str, str] | None = None,
    irrelevant: Mapping[str, str] | None = None,
    settings: str = "",
) -> Path:
    """A project with local example pages: file name -> HTML."""
    folder.mkdir(parents=True)
    (folder / "seeds.txt").write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")
    for name, pages in (("relevant.txt", relevant or {}), ("irrelevant.txt", irrelevant or {})):
        for file, html in pages.items():
            (folder / file).write_text(html, encoding="utf-8")
        (folder / name).write_text("".join(f"{file}\n" for file in pages), encoding="utf-8")
    (folder / "clew.toml").write_text(settings, encoding="utf-8")
    return folder


def clew(*arguments: object, code: int = 0, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own and check its exit code."""
    command = [sys.executable, "-m", "clew.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done


def clew_json(*arguments: object, timeout: float = 120) -> Any:
    """The JSON object that a command prints last."""
    return json.loads(clew(*arguments, "--json", timeout=timeout).stdout.splitlines()[-1])


def exported(project: Path, *options: str) -> list[dict[str, Any]]:
    """The lines of clew export."""
    return [json.loads(line) for line in clew("export", project, "--to", "jsonl", *options).stdout.splitlines()]
