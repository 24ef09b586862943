"""A view of a crawl that was never run, for tests of strategies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from clew.judges.base import Judge, JudgeContext
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.model import Decision, Example, Keys, Page, Visit
from clew.strategies.base import Actions, Lookups, Pages, Retraining
from clew.topics.interest import Interest
from clew.topics.tree import TopicTree
from clew.urls.canonical import keys


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
        self.actions: Actions = self
        self.lookups: Lookups = self
        self.seen: list[Visit] = []
        self.decisions: list[Decision] = []
        self.enqueued: list[tuple[str, str]] = []
        self.retrained: list[dict[int, tuple[int, ...]]] = []
        self.tops = self.communities = self.asked = 0
        self.others: dict[str, list[Visit]] = {}
        self.refusing: list[str] = []

    @property
    def judge(self) -> Judge:
        if self._judge is None:
            self._judge = NaiveBayesJudge(JudgeContext(self.topics))
            self._judge.fit(self.examples)
        return self._judge

    @property
    def training(self) -> Sequence[Example]:
        """The examples, and the pages that were named as archetypes last."""
        read = {visit.number: visit for visit in self.seen}
        named = ((topic, read[number]) for topic, numbers in self.archetypes().items() for number in numbers)
        return [*self.examples, *(Example(visit.link.url, topic, _page(visit)) for topic, visit in named)]

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

    def sources(self) -> npt.NDArray[np.int64]:
        return np.array([visit.link.batch.source.visit for visit in self.seen], np.int64)

    def link_rows(self) -> Iterator[tuple[int, Keys, npt.NDArray[np.uint32]]]:
        for visit in self.seen:
            if visit.links is not None:
                names = visit.links.links.host_names
                hosts = np.array([_host_number(name) for name in names], np.uint32)
                yield visit.number, visit.links.links.keys, hosts[visit.links.links.host_index]

    def urls(self, numbers: Iterable[int]) -> dict[int, str]:
        wanted = set(numbers)
        return {visit.number: visit.link.url for visit in self.seen if visit.number in wanted}

    def host_id(self, name: str) -> int:
        return _host_number(name)

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

    def refused(self) -> Keys:
        """Pages that may not become archetypes; none unless a test says so."""
        return keys(self.refusing)

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


def _page(visit: Visit) -> Page:
    """A visited page, from the terms kept with its links."""
    assert visit.links is not None
    leaves, links = visit.links.leaves, visit.links.links
    return Page(visit.link.url, "", "en", "utf-8", "text/html", "", np.empty(0, np.uint32), leaves, links)


def _host_number(name: str) -> int:
    return int(keys([name])[0] % 2**32)
