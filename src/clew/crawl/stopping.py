"""When a crawl stops: the rules of Ester and others 2001, full topics (Sizov and others 2002), and the user's budget.

Each rule is a setting; the crawl says which one stopped it, by the name of that setting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isnan

from clew.config import StopSettings
from clew.crawl.progress import Progress

NO_BUDGET = 2**62


@dataclass(frozen=True, slots=True)
class Nearness:
    """A rule that is set: its name, the figure that it looks at, the figure at which it says stop, and how near that
    is, 0 to 1."""

    name: str
    value: float
    limit: float
    share: float


@dataclass(slots=True)
class StopRules:
    """Rules checked after every visit; ``budget`` is the project's total of fetches, ``run_s`` this run's time.

    ``asked`` is set from outside ("interrupted") or by a strategy ("top_of_topics", "community"). ``fewest``: as
    ``filled`` was told last; ``at_the_top``: whether ``at_top`` was ever called.
    """

    settings: StopSettings
    budget: int = 0
    run_s: float = 0.0
    asked: str = ""
    fewest: int = 0
    at_the_top: bool = False
    _rules: tuple[tuple[str, Callable[[Progress], bool]], ...] = field(init=False)

    def __post_init__(self) -> None:
        stop = self.settings
        self._rules = (
            ("max_pages", lambda p: 0 < self.budget <= p.fetched),
            ("for", lambda p: 0 < self.run_s <= p.seconds),
            ("relevant_pages", lambda p: 0 < stop.relevant_pages <= p.relevant),
            ("irrelevant_pages", lambda p: 0 < stop.irrelevant_pages <= p.visits - p.relevant),
            ("irrelevant_run", lambda p: 0 < stop.irrelevant_run <= p.irrelevant_run),
        )

    def reached(self, progress: Progress) -> str:
        """The name of the rule that says stop, or an empty string."""
        return self.asked or next((name for name, rule in self._rules if rule(progress)), "")

    def after_session(self, progress: Progress) -> None:
        """min_precision is judged between sessions only, so that a bad first page stops nothing."""
        if progress.harvest_rate < self.settings.min_precision:
            self.asked = self.asked or "min_precision"

    def filled(self, fewest: int) -> None:
        """``fewest``: the relevant pages of the topic that has the fewest; known between sessions."""
        self.fewest = fewest
        if 0 < self.settings.topic_pages <= fewest:
            self.asked = self.asked or "topic_pages"

    def at_top(self) -> None:
        """A strategy had to widen its focus and could not."""
        self.at_the_top = True
        if self.settings.top_of_topics:
            self.asked = self.asked or "top_of_topics"

    def community(self) -> None:
        """A strategy that was told to look for one found that the relevant pages contain a community."""
        self.asked = self.asked or "community"

    def nearness(self, progress: Progress, best_score: float) -> list[Nearness]:
        """How near each rule is that is set. ``best_score``: of the best waiting link, NaN where none waits.
        ``topic_pages`` is as it was after the last session."""
        stop = self.settings
        rising = (
            ("max_pages", progress.fetched, self.budget),
            ("for", progress.seconds, self.run_s),
            ("relevant_pages", progress.relevant, stop.relevant_pages),
            ("irrelevant_pages", progress.visits - progress.relevant, stop.irrelevant_pages),
            ("irrelevant_run", progress.irrelevant_run, stop.irrelevant_run),
            ("topic_pages", self.fewest, stop.topic_pages),
            ("top_of_topics", int(self.at_the_top), int(stop.top_of_topics)),
        )
        falling = (
            ("min_precision", progress.harvest_rate if progress.fetched else 1.0, stop.min_precision),
            ("min_score", best_score, stop.min_score),
        )
        near = [Nearness(name, value, limit, min(value / limit, 1.0)) for name, value, limit in rising if limit > 0]
        for name, value, limit in falling:
            if limit > 0 and not isnan(value):
                near.append(Nearness(name, value, limit, min(limit / value, 1.0) if value > 0 else 1.0))
        return near

    def room(self, progress: Progress, under_way: int) -> bool:
        """Whether one more fetch fits into the budget when ``under_way`` are not counted yet."""
        return progress.fetched + under_way < (self.budget or NO_BUDGET)
