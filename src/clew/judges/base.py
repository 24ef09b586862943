"""The Judge contract: is this page it? And what judges are made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from clew.model import Doubles, Example, Judgement, Page, TermIds
from clew.registry import name_of

if TYPE_CHECKING:
    from clew.config import JudgeSettings

Shares = Callable[[Sequence[str]], tuple[TermIds, Doubles]]
"""Languages -> feature ids uint32[V], sorted, and the share of general pages that holds each, float64[V]."""


def _default_settings() -> JudgeSettings:
    from clew.config import JudgeSettings  # worker processes do not need it

    return JudgeSettings()


def _nothing_learned() -> Shares | None:
    return None


@dataclass(frozen=True, slots=True, eq=False)
class JudgeContext:
    """What a judge may be made from besides its own settings.

    ``topics``: paths, in the order of ``Judgement.scores``. ``keywords``: those of the first topic and their weights;
    ``keywords_by_topic``: those of others, by path. ``seed``: decides everything random. ``together``: pairs of topics
    (indices) that a page may be about at once. ``corpus``: how rare words are in the crawl's own pages, None where that
    was not learned. ``folder``: where relative paths start. ``settings``: [judge], with the tables of all judges, for
    judges that are made of others.
    """

    topics: tuple[str, ...] = ("relevant",)
    keywords: Mapping[str, float] = field(default_factory=dict)
    keywords_by_topic: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    seed: int = 1
    together: Sequence[tuple[int, int]] = ()
    corpus: Callable[[], Shares | None] = _nothing_learned
    folder: Path = field(default_factory=Path)
    settings: JudgeSettings = field(default_factory=_default_settings)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of the pages of a crawl that a judge calls relevant, the share that is so, with an interval of 90 %; and the
    share of all pages that are. NaN where nothing is known."""

    precision: float
    low: float
    high: float
    base_rate: float


class Judge(ABC):
    """Scores pages against topics. A subclass must give ``fit`` and ``judge``; all else has a default.

    ``topics`` are the topic names, in the order of ``Judgement.scores``. A judge is picklable: worker processes get a
    copy, so it must not keep the context. A nested class ``Settings`` (a ``clew.config.Section``) holds what
    [judge.NAME] of clew.toml may set; a class that has it is called with the context and these settings.
    """

    name: str = ""
    """How users call it; by default the name of the class, so that class LongPages is long-pages."""

    keywords: Mapping[str, float] = {}
    """What the user asked for in words, with weights."""

    needs_text: bool = False
    """Whether pages must carry their visible text, and not only its terms."""

    learns_from_crawl: ClassVar[bool] = False
    """Whether ``observe`` makes use of the pages of the crawl that the judge guides."""

    def __init__(self, context: JudgeContext) -> None:
        self.topics = context.topics
        self.keywords = dict(context.keywords)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = name_of(cls)

    @classmethod
    def reads_text(cls, context: JudgeContext) -> bool:
        """Whether a judge made from this needs the text of pages; asked before the first page is read."""
        return cls.needs_text

    @abstractmethod
    def fit(self, examples: Sequence[Example]) -> None:
        """Train. Raises TrainingError, saying what is missing, when the examples cannot make a judge."""

    def observe(self, pages: Sequence[Page]) -> bool:
        """Learn from pages that the crawl fetched, in the order of their visits, about which nobody said anything.

        Called once, after ``fit``. False: nothing was learned, since the pages are too few or the judge would be worse
        for it by its own examples; it judges as before then.
        """
        return False

    def estimate(self) -> Estimate | None:
        """How many of the pages that it calls relevant are so, by what ``observe`` was shown last and learned from;
        None where it cannot tell."""
        return None

    @abstractmethod
    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        """One judgement a page, in order. Pure: the same pages give the same judgements, in any batching."""

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        """The terms of ``page`` that weighed most on a topic's score, as (term, signed weight), heaviest first."""
        return []
