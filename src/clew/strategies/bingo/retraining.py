"""When BINGO! trains the judge again: link analysis, archetypes, training, and what of it is logged.

After Sizov and others 2002.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.errors import TrainingError, UrlError
from clew.model import OTHER, Bools, Decision, Ints, Keys
from clew.strategies.base import Pages, View
from clew.strategies.bingo.archetypes import Candidates, Choice, Ranked, bar, choose, graph_of, ranked
from clew.strategies.bingo.settings import BingoSettings
from clew.urls.canonical import canonical, key

SHOWN = 3
"""URLs of archetypes that an entry of the decision log names, at most."""

FOLDS = 5

Facts = dict[str, str | int | float | bool]


@dataclass(frozen=True, slots=True, eq=False)
class Topics:
    """Topics of interest: ``own`` bool[topics], all those; ``taught``, those of them that have examples, and the
    ``examples``, as keys of URLs."""

    own: Bools = field(default_factory=lambda: np.zeros(1, np.bool_))
    taught: tuple[int, ...] = (0,)
    examples: Keys = field(default_factory=lambda: np.empty(0, np.uint64))

    @classmethod
    def of(cls, view: View) -> Topics:
        """Those of the interest's formula and all below them, but for those that are excluded."""
        own = np.array([view.interest.concerns(topic) for topic in range(len(view.topics))], np.bool_)
        taught = sorted({one.topic for one in view.examples if one.topic >= 0 and own[one.topic]})
        urls = [one.url for one in view.examples]
        return cls(own, tuple(taught) or view.interest.wanted_topics or (view.interest.wanted,), _keys_of(urls))

    def class_of(self, topic: int) -> int:
        """A topic a page was classified into if it is of interest, else OTHER."""
        return topic if 0 <= topic < len(self.own) and self.own[topic] else OTHER

    def classes(self, topics: Ints) -> Ints:
        """int32[n], as ``class_of``."""
        padded = np.append(self.own, False)  # OTHER is -1
        return np.where(padded[topics], topics, OTHER).astype(np.int32)


@dataclass(slots=True)
class Rounds:
    """Rounds of training. ``sure``: how sure the judge was of each archetype, by visit number, when it was admitted;
    ``adopted``: how many rounds gave a new judge."""

    settings: BingoSettings
    sure: dict[int, float] = field(default_factory=dict)
    adopted: int = 0

    def due(self, new: Mapping[int, int], counts: Mapping[int, int], visits: int, ending: bool) -> bool:
        """Whether to train again. new: pages of each topic since the last round · counts: all of them ·
        visits: since the last round · ending: the learning phase ends."""
        settings, most = self.settings, max(new.values())
        if most >= settings.retrain_new and (len(counts) == 1 or min(counts.values()) >= settings.min_positives):
            return True
        if most >= settings.retrain_anyway * settings.retrain_new:
            return True
        long_ago = 0 < settings.retrain_pages <= visits and most >= settings.min_positives
        return long_ago or (ending and most > 0)

    def enough(self, view: View, topics: Topics) -> bool:
        """Whether the aim of the learning phase is reached."""
        if self.adopted >= self.settings.learning_retrainings:
            return True
        factor, found = self.settings.learning_archetypes, view.archetypes()
        examples = Counter(one.topic for one in view.examples)
        return factor > 0 and all(
            len(found.get(topic, ())) >= max(factor * examples[topic], 1) for topic in topics.taught
        )

    def rank(self, view: View, pages: Pages, topics: Topics, number: int) -> dict[int, Ranked]:
        """Hubs and authorities of each topic; ``number`` of the session decides the samples."""
        graph, rng = graph_of(pages, view.link_rows()), view.rng(f"bingo {number}")
        classes = topics.classes(pages.topics)
        return {topic: ranked(graph, pages, classes == topic, rng, self.settings) for topic in topics.taught}

    def train(self, view: View, pages: Pages, topics: Topics, found: dict[int, Ranked]) -> bool:
        """Choose archetypes and train with them; whether the judge was adopted."""
        examples = np.isin(pages.keys, topics.examples)
        before, classes = view.archetypes(), topics.classes(pages.topics)
        choices = {}
        for topic in topics.taught:
            inside = classes == topic
            confidence = pages.scores[inside, topic].astype(np.float64)
            candidates = Candidates(pages.numbers[inside], confidence, examples[inside])
            previous = before.get(topic, ())
            least = bar(self._trained_on(view, pages, topic, previous), self.settings)
            choices[topic] = choose(candidates, found[topic].authorities, previous, least, self.settings)
        _log(view, choices)
        if not any(choice.admitted for choice in choices.values()):
            return False
        outcome = view.actions.retrain({topic: choice.archetypes for topic, choice in choices.items()})
        facts: Facts = {"archetypes": outcome.archetypes, "pages judged again": outcome.pages}
        facts |= {"relevant": outcome.relevant, "relevant before": outcome.relevant_before}
        view.actions.decide(Decision("bingo trained", {"refused": outcome.refused} if outcome.refused else facts))
        if not outcome.refused:
            self.adopted += 1
            self._remember(pages, choices)
        return not outcome.refused

    def _remember(self, pages: Pages, choices: dict[int, Choice]) -> None:
        rows = {number: place for place, number in enumerate(pages.numbers.tolist())}
        for topic, choice in choices.items():
            self.sure |= {number: float(pages.scores[rows[number], topic]) for number in choice.admitted}

    def _trained_on(self, view: View, pages: Pages, topic: int, previous: Sequence[int]) -> list[float]:
        """Confidence of the pages of a topic that the judge was trained on."""
        if self.settings.guard_by == "held-out":
            return held_out(view, topic) + [self.sure[number] for number in previous if number in self.sure]
        judged = view.judge.judge([one.page for one in view.examples if one.topic == topic])
        inside = np.isin(pages.numbers, list(previous))
        return [float(one.scores[topic]) for one in judged] + [float(one) for one in pages.scores[inside, topic]]


def held_out(view: View, topic: int) -> list[float]:
    """How sure the judge is of a topic's examples when trained without them, a fifth of them at a time; [] where that
    cannot be done, as with a single one."""
    mine = [place for place, one in enumerate(view.examples) if one.topic == topic]
    folds = min(len(mine), FOLDS)
    found: list[float] = []
    for fold in range(folds if folds > 1 else 0):
        left_out = set(mine[fold::folds])
        judge = copy.deepcopy(view.judge)
        try:
            judge.fit([one for place, one in enumerate(view.examples) if place not in left_out])
        except TrainingError:
            continue
        pages = [view.examples[place].page for place in sorted(left_out)]
        found += [float(one.scores[topic]) for one in judge.judge(pages)]
    return found


def _log(view: View, choices: dict[int, Choice]) -> None:
    """One entry a topic: what was admitted, and what was refused and why."""
    for topic, choice in choices.items():
        facts: Facts = {"topic": view.topics[topic], "kept": len(choice.kept), "admitted": len(choice.admitted)}
        facts |= {"had to exceed": round(choice.bar, 4), **_named(view, "admitted", choice.admitted)}
        for reason, numbers in choice.refused.items():
            facts |= {f"refused, {reason}": len(numbers), **_named(view, f"refused, {reason}", numbers)}
        view.actions.decide(Decision("bingo archetypes", facts))


def _named(view: View, what: str, numbers: Sequence[int]) -> Facts:
    urls = view.urls(number for number in numbers[:SHOWN] if number)
    return {f"{what} for example": " ".join(urls.values())} if urls else {}


def _keys_of(urls: Sequence[str]) -> Keys:
    found = []
    for url in urls:
        try:
            found.append(key(canonical(url)))
        except UrlError:  # a file of the user's
            continue
    return np.array(found, np.uint64)
