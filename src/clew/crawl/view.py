"""What strategies may look at: the examples and the crawl's own past (Protocol ``strategies.base.View``)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from clew.errors import ProjectError
from clew.judges.base import Judge
from clew.model import Decision, Example, Keys, Visit
from clew.store.base import Store
from clew.strategies.base import Actions, Lookups, Pages, Retraining
from clew.topics.interest import Interest
from clew.topics.tree import TopicTree


class NoActions:
    """Of a crawl that is not running: nothing can be done to it (Protocol ``strategies.base.Actions``)."""

    def decide(self, decision: Decision) -> None: ...

    def at_top(self) -> None: ...

    def community(self) -> None: ...

    def retrain(self, archetypes: Mapping[int, Sequence[int]]) -> Retraining:
        return Retraining("this crawl is not running")

    def enqueue(self, urls: Sequence[str], about: str = "") -> int:
        return 0


class Nobody:
    """Nobody to ask (Protocol ``strategies.base.Lookups``)."""

    async def backlinks(self, url: str, limit: int) -> list[str]:
        return []

    async def search(self, query: str, limit: int) -> list[str]:
        return []


@dataclass(slots=True)
class CrawlView:
    """The view of a crawl over its store. By default (a crawl that is only explained) nothing can be done or asked.

    ``now`` gives the judge as it is now; ``taught`` the pages that it was trained on, where more than the examples;
    ``others`` the visits of another crawl, by its folder; ``barred`` the pages that are refused as archetypes.
    """

    examples: Sequence[Example]
    interest: Interest
    tree: TopicTree | None
    seed: int
    store: Store
    now: Callable[[], Judge]
    others: Callable[[str], Iterator[Visit]] | None = None
    lookups: Lookups = field(default_factory=Nobody)
    actions: Actions = field(default_factory=NoActions)
    taught: Callable[[], Sequence[Example]] | None = None
    barred: Callable[[], Keys] | None = None

    @property
    def training(self) -> Sequence[Example]:
        return self.examples if self.taught is None else self.taught()

    @property
    def topics(self) -> tuple[str, ...]:
        return self.interest.topics

    @property
    def judge(self) -> Judge:
        return self.now()

    def visits(self) -> Iterator[Visit]:
        return self.store.visits.replay()

    def pages(self) -> Pages:
        return Pages(*self.store.visits.judged())

    def sources(self) -> npt.NDArray[np.int64]:
        return self.store.visits.sources()

    def link_rows(self) -> Iterator[tuple[int, Keys, npt.NDArray[np.uint32]]]:
        return ((row, keys, hosts) for row, keys, hosts, _ in self.store.links.rows() if row > 0)

    def urls(self, numbers: Iterable[int]) -> dict[int, str]:
        return self.store.visits.urls(numbers)

    def host_id(self, name: str) -> int:
        return int(self.store.hosts.ids([name])[0])

    def rng(self, name: str) -> np.random.Generator:
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest, "little")])

    def archetypes(self) -> dict[int, tuple[int, ...]]:
        return self.store.journal.archetypes

    def refused(self) -> Keys:
        return np.empty(0, np.uint64) if self.barred is None else self.barred()

    def other_crawl(self, folder: str) -> Iterator[Visit]:
        if self.others is None:
            raise ProjectError(f"this crawl has no folder, so there is no other crawl {folder} beside it to learn from")
        return self.others(folder)
