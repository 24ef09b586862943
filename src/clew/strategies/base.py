"""The Strategy contract: where to go next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from clew.model import Decision, Doubles, Example, LinkBatch, Session, Visit


class View(Protocol):
    """What a strategy may look at: the examples and the crawl's own past. Nothing unfetched."""

    @property
    def examples(self) -> Sequence[Example]:
        """The pages the judge was trained on."""
        ...

    @property
    def topics(self) -> tuple[str, ...]:
        """Topic names, in the order of ``Source.scores``."""
        ...

    def visits(self) -> Iterator[Visit]:
        """The visits so far, oldest first, with the evidence of the links that led to them."""
        ...

    def rng(self, name: str) -> np.random.Generator:
        """A generator decided by the crawl's seed and ``name`` alone."""
        ...

    def decide(self, decision: Decision) -> None:
        """Write to the crawl's decision log."""
        ...

    def at_top(self) -> None:
        """The strategy had to widen its focus and is at the top of the topics already (a stopping rule of ARI-50)."""
        ...


class Strategy(Protocol):
    """Scores links, learns from visits, adapts between sessions.

    ``score`` is pure: it depends on the batch and on what was learned, and changes nothing.
    Learned state must be restorable: ``restore(state())`` followed by ``learn`` of the later visits
    gives the same strategy as an undisturbed run.
    """

    name: str

    def begin(self, view: View) -> None:
        """Train whatever is needed from the examples; called once a run, before anything else."""
        ...

    def score(self, links: LinkBatch) -> Doubles:
        """float64[n]: higher is sooner, NaN is *do not follow*."""
        ...

    def learn(self, visit: Visit) -> None:
        """Called after every visit, in order: what was predicted against what was found."""
        ...

    def adapt(self, session: Session) -> bool:
        """Called after every session; True asks for the whole frontier to be scored again."""
        ...

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        """The parts of one link's score, in words, for people."""
        ...

    def state(self) -> bytes:
        """All that was learned, as bytes; empty when nothing is."""
        ...

    def restore(self, state: bytes) -> None:
        """Take up a state made by ``state``."""
        ...
