"""What strategies may look at: the examples and the crawl's own past (Protocol ``strategies.base.View``)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.model import Decision, Example, Visit


@dataclass(frozen=True, slots=True)
class CrawlView:
    """The view of a running crawl. ``past`` reads visits from the store, ``log`` writes decisions to it; ``top`` tells
    the stopping rules that a focus cannot be widened."""

    examples: Sequence[Example]
    topics: tuple[str, ...]
    seed: int
    past: Callable[[], Iterator[Visit]]
    log: Callable[[Decision], None]
    top: Callable[[], None]

    def visits(self) -> Iterator[Visit]:
        return self.past()

    def rng(self, name: str) -> np.random.Generator:
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest, "little")])

    def decide(self, decision: Decision) -> None:
        self.log(decision)

    def at_top(self) -> None:
        self.top()
