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
from clew.judges.base import Judge
from clew.model import OTHER, Bools, Decision, Doubles, Example, Ints, Keys
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
    """Rounds of training. ``adopted``: how many gave a new judge."""

    settings: BingoSettings
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
        classes, count = topics.classes(pages.topics), len(topics.taught)
        return {topic: ranked(graph, pages, classes == topic, rng, self.settings, count) for topic in topics.taught}

    def train(self, view: View, pages: Pages, topics: Topics, found: dict[int, Ranked]) -> bool:
        """Choose archetypes and train with them; whether the judge was adopted."""
        choices = self._choices(view, pages, topics, found)
        _log(view, choices)
        if not any(choice.admitted for choice in choices.values()):
            return False
        outcome = view.actions.retrain({topic: choice.archetypes for topic, choice in choices.items()})
        facts: Facts = {"archetypes": outcome.archetypes, "pages judged again": outcome.pages}
        facts |= {"relevant": outcome.relevant, "relevant before": outcome.relevant_before}
        view.actions.decide(Decision("bingo trained", {"refused": outcome.refused} if outcome.refused else facts))
        self.adopted += not outcome.refused
        return not outcome.refused

    def _choices(self, view: View, pages: Pages, topics: Topics, found: dict[int, Ranked]) -> dict[int, Choice]:
        before, classes = view.archetypes(), topics.classes(pages.topics)
        sure = confidences(view, topics.taught, held_out=self.settings.guard_by == "held-out")
        taught = _keys_of([one.url for one in view.training])
        barred = np.isin(pages.keys, view.refused())
        archetypes = np.isin(pages.numbers, [number for numbers in before.values() for number in numbers])
        examples = (np.isin(pages.keys, taught) & ~archetypes) | np.isin(pages.keys, topics.examples)
        choices = {}
        for topic in topics.taught:
            inside = classes == topic
            own = _as_held_out(pages, topic, sure[topic])
            candidates = Candidates(pages.numbers[inside], own[inside], examples[inside], barred[inside])
            least = bar([score for _, score in sure[topic]], self.settings)
            choices[topic] = choose(candidates, found[topic].authorities, before.get(topic, ()), least, self.settings)
        return choices


def confidences(view: View, topics: Sequence[int], held_out: bool = True) -> dict[int, list[tuple[str, float]]]:
    """How sure the judge is of the pages of each topic that it is trained on: (URL, score), for each topic.

    held_out: as the same judge says when trained without them, a fifth of the pages of each topic at a time; nothing is
    said of a page that cannot be left out, such as the only one of its topic. Else as the judge that knows them says.
    """
    training = view.training
    found: dict[int, list[tuple[str, float]]] = {topic: [] for topic in topics}
    if not held_out:
        mine = [one for one in training if one.topic in found]
        _judged(view.judge, mine, found)
        return found
    fold = np.full(len(training), -1)
    for topic in topics:
        places = [place for place, one in enumerate(training) if one.topic == topic]
        if len(places) > 1:
            fold[places] = np.arange(len(places)) % FOLDS
    for number in range(fold.max(initial=-1) + 1):
        judge = copy.deepcopy(view.judge)
        try:
            judge.fit([one for one, its in zip(training, fold, strict=True) if its != number])
        except TrainingError:
            continue
        _judged(judge, [one for one, its in zip(training, fold, strict=True) if its == number], found)
    return found


def _judged(judge: Judge, pages: Sequence[Example], found: dict[int, list[tuple[str, float]]]) -> None:
    for one, judgement in zip(pages, judge.judge([one.page for one in pages]), strict=True):
        found[one.topic].append((one.url, float(judgement.scores[one.topic])))


def _as_held_out(pages: Pages, topic: int, sure: Sequence[tuple[str, float]]) -> Doubles:
    """float64[n]: how sure the judge is that pages belong to a topic; of those it was trained on, as ``sure`` says."""
    scores = pages.scores[:, topic].astype(np.float64)
    known = {one: score for url, score in sure for one in _keys_of([url]).tolist()}
    for place in np.flatnonzero(np.isin(pages.keys, np.array(list(known), np.uint64))).tolist():
        scores[place] = known[int(pages.keys[place])]
    return scores


def _log(view: View, choices: dict[int, Choice]) -> None:
    """One entry a topic: what was admitted, and what was refused and why."""
    for topic, choice in choices.items():
        facts: Facts = {"topic": view.topics[topic], "kept": len(choice.kept), "admitted": len(choice.admitted)}
        facts |= {"as authorities": len(choice.by_links), "as surest": len(choice.by_judge)}
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
