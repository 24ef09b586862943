"""The Strategy contract: where to go next, and the View of the crawl that a strategy is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from clew.frontier.base import Combination
from clew.judges.base import Judge
from clew.model import Decision, Doubles, Example, Floats, Ints, Keys, LinkBatch, LinkKind, Session, Visit
from clew.registry import name_of
from clew.topics.interest import Interest
from clew.topics.tree import TopicTree

UNCHANGED: Mapping[str, Mapping[str, Any]] = {"paper": {}}
"""The presets of a strategy that is as its paper has it by default."""


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """All pages that were read and judged so far, as columns, in the order of their visits.

    numbers int64[n] (of visits) · keys uint64[n] · hosts uint32[n] (host ids) · topics int32[n] (or OTHER) ·
    confidence, relevance float32[n] · scores float32[n, topics] · relevant bool[n].
    """

    numbers: npt.NDArray[np.int64]
    keys: Keys
    hosts: npt.NDArray[np.uint32]
    topics: Ints
    confidence: Floats
    relevance: Floats
    scores: Floats
    relevant: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class Queue:
    """Something by which a strategy sorts links, or what it is after now, for people: its name, what there is to say of
    it, and a count or share where there is one. Waiting links of tier 0 with scores from the first of ``scores`` to
    below the second are in it; None: it is no queue of links."""

    name: str
    words: str = ""
    value: float | None = None
    scores: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Retraining:
    """What came of training the judge again. ``refused``: why the old judge stays, "" when the new one was adopted.
    ``pages`` stored pages were judged again, ``relevant`` of all are relevant now, ``relevant_before`` were."""

    refused: str = ""
    archetypes: int = 0
    pages: int = 0
    relevant: int = 0
    relevant_before: int = 0


class Actions(Protocol):
    """What a strategy can do to the crawl that it is part of. Where nothing is running, nothing comes of it."""

    def decide(self, decision: Decision) -> None:
        """Write to the crawl's decision log."""
        ...

    def at_top(self) -> None:
        """The strategy had to widen its focus and is at the top of the topics already (a stopping rule)."""
        ...

    def community(self) -> None:
        """The relevant pages contain a community (a stopping rule)."""
        ...

    def retrain(self, archetypes: Mapping[int, Sequence[int]]) -> Retraining:
        """Train the judge again with the examples and these pages, visit numbers by topic, as further examples.

        They replace the archetypes named before. When the judge is adopted, every stored page is judged again and
        the evidence of its links changes; the strategy asks for rescoring itself. Only for use in ``adapt``.
        """
        ...

    def enqueue(self, urls: Sequence[str], about: str = "") -> int:
        """Put pages on the frontier that no page of this crawl need link to, as links of kind BACKLINK with the source
        page ``about``: a URL of a visited page, or "" for none. They are scored by ``score`` like all others.

        Returns how many there are that were not fetched yet. Pages fetched before are not fetched again.
        """
        ...


class Lookups(Protocol):
    """Whom a strategy may ask about the web; only in ``consult``."""

    async def backlinks(self, url: str, limit: int) -> list[str]:
        """At most ``limit`` pages that link to a URL, none twice; [] when nobody can be asked or the ration is used up.
        What a provider answered is kept in the project."""
        ...

    async def search(self, query: str, limit: int) -> list[str]:
        """At most ``limit`` pages that a search provider finds; [] as for ``backlinks``."""
        ...


class View(Protocol):
    """What a strategy may look at: the examples and the crawl's own past. Nothing unfetched."""

    @property
    def examples(self) -> Sequence[Example]:
        """The pages the judge was trained on: the user's, without archetypes."""
        ...

    @property
    def training(self) -> Sequence[Example]:
        """All pages that the judge as it is now was trained on: examples, the user's labels, archetypes."""
        ...

    @property
    def topics(self) -> tuple[str, ...]:
        """Topic names, in the order of ``Source.scores``."""
        ...

    @property
    def interest(self) -> Interest:
        """What is wanted. Relevance is always judged by this, never by a focus."""
        ...

    @property
    def tree(self) -> TopicTree | None:
        """The tree of the topics, None in a project that was made from examples alone."""
        ...

    @property
    def judge(self) -> Judge:
        """The judge as it is now."""
        ...

    @property
    def actions(self) -> Actions:
        """What can be done to the crawl."""
        ...

    @property
    def lookups(self) -> Lookups:
        """Whom to ask about the web."""
        ...

    def visits(self) -> Iterator[Visit]:
        """The visits so far, oldest first, with the evidence of the links that led to them (no ``page``)."""
        ...

    def pages(self) -> Pages:
        """Everything judged so far, by the judge as it is now where it was trained again."""
        ...

    def sources(self) -> npt.NDArray[np.int64]:
        """int64[n]: of visits 1 to n, the packed row on which the link stood that was taken: a visit's number, or 0 or
        less for links that stand on no page."""
        ...

    def link_rows(self) -> Iterator[tuple[int, Keys, npt.NDArray[np.uint32]]]:
        """The links of every page read so far: (visit number, keys uint64[n], host ids uint32[n])."""
        ...

    def urls(self, numbers: Iterable[int]) -> dict[int, str]:
        """URLs of visits by their numbers."""
        ...

    def host_id(self, name: str) -> int:
        """The number of a host that links of this crawl name."""
        ...

    def rng(self, name: str) -> np.random.Generator:
        """A generator decided by the crawl's seed and ``name`` alone."""
        ...

    def archetypes(self) -> dict[int, tuple[int, ...]]:
        """The archetypes that the judge was last trained with: visit numbers by topic."""
        ...

    def refused(self) -> Keys:
        """The pages that the user wants no archetypes made of, as keys of URLs: uint64[n]."""
        ...

    def other_crawl(self, folder: str) -> Iterator[Visit]:
        """The visits of another project, as ``visits``; ``folder`` is relative to this one. Raises ProjectError."""
        ...


class Strategy(ABC):
    """Scores links, learns from visits, adapts between sessions. A subclass must give ``score``, the rest has defaults.

    ``score`` is pure: it depends on the batch and on what was learned, and changes nothing.
    Learned state must be restorable: ``restore(state())`` followed by ``learn`` of the later visits
    gives the same strategy as an undisturbed run. ``learn`` must not use ``visit.page`` or the response's body and
    headers, which are not there when visits are learned again; the terms of a page are ``visit.links.leaves``.

    A nested class ``Settings`` (a ``clew.config.Section``) holds what [strategy.NAME] of clew.toml may set; a class
    that has it is made with these settings, one that has none without arguments.
    """

    name: str = ""
    """How users call it; by default the name of the class, so that class MostLinks is most-links."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Settings by the name that [strategy.NAME] preset gives them; single settings beside it win. ``paper``: those of
    the paper that the strategy comes from, as far as it tells them."""

    saves_often: ClassVar[bool] = False
    """Whether ``state`` is saved with every transaction, so that no visit is learned again: for those that learn from
    ``Link.evidence``, which is not stored. The state should then be small."""

    by_worth: ClassVar[bool] = True
    """Whether a link of a higher score is worth waiting for: a live crawl then does so where its host rests for a short
    time (``crawl.better_hosts``). Not where scores only give an order, as that of first sight."""

    opened_tier: int = 0
    """The tier of a page's other links once one of them was taken. Above 0, all links of a page are fetched before
    those of the next page; 0: link by link."""

    @property
    def combination(self) -> Combination | None:
        """How all links to a URL make its score, asked for once; None: ``crawl.duplicates`` says whose score counts."""
        return None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = name_of(cls)

    def begin(self, view: View) -> None:
        """Train whatever is needed from the examples, and forget what was learned: a run begins. What earlier runs
        learned is given back by ``restore`` and ``learn``."""

    @abstractmethod
    def score(self, links: LinkBatch) -> Doubles:
        """float64[n]: higher is sooner, NaN is *do not follow*."""

    def tier(self, links: LinkBatch) -> int:
        """0 to 3: links of a higher tier come before all of lower ones, whatever their scores, and above tier 0 in the
        order in which they were found. Asked about links that stand on no page: seeds, pages that the strategy put on
        the frontier (``View.enqueue``), and where they redirect to.

        Asked again when a crawl is resumed, so it must depend, like ``score``, on nothing but the links and what was
        learned, and may change only when all links are scored again.
        """
        return 0

    def explores(self) -> bool:
        """Whether the next link to be taken is the one that has waited longest, and not the best; asked before every
        link, so it must be cheap. In a crawl that is resumed it must say the same again."""
        return False

    def learn(self, visit: Visit) -> None:
        """Called after every visit, in order: what was predicted against what was found.

        A strategy that learns and gives no ``state`` learns all visits again when its crawl is resumed.
        """

    def adapt(self, session: Session) -> bool:
        """Called after every session; True asks for the whole frontier to be scored again. What it changes must be in
        ``state``: sessions do not end again when a crawl is resumed."""
        return False

    def rejudged(self) -> None:
        """Called when all pages were judged again by a judge that learned from the crawl: ``View.pages`` has their new
        relevance. All links are scored again after it."""

    def wants_to_consult(self) -> bool:
        """Whether ``consult`` has something to do now; asked after every visit, so it must be cheap."""
        return False

    async def consult(self) -> bool:
        """Ask look-up services (back links, searches), put pages on the frontier, or change the scores;
        called when ``wants_to_consult`` and whenever no link is left that may be followed.

        True asks for the whole frontier to be scored again. When it returns False and there is still no link, the
        crawl is over; it must not return True for ever. What was learned is saved after every call.
        """
        return False

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        """The parts of one link's score, in words, for people."""
        return [f"{self.name}: {float(self.score(links)[index]):.3f}"]

    def queues(self) -> list[Queue]:
        """The queues, classes or experts that it has, and its present focus, for people who watch a crawl; asked for
        now and then while it runs, so it must be cheap and change nothing."""
        return []

    def state(self) -> bytes:
        """All that was learned, as bytes; empty when nothing is."""
        return b""

    def restore(self, state: bytes) -> None:
        """Resume from a state made by ``state``."""


def enqueued(links: LinkBatch) -> bool:
    """Whether these links were put on the frontier by a strategy (``Actions.enqueue``)."""
    return len(links) > 0 and links.links.kinds[0] is LinkKind.BACKLINK


def has_tiers(strategy: Strategy) -> bool:
    """Whether a strategy may put links that it is asked about into a tier above 0."""
    own: object = type(strategy).tier
    return own is not Strategy.tier
