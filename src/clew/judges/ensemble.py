"""Several judges vote: unanimous, by majority, or weighted by how precise each is.

    unanimous:  score_k = min_m p_{m,k}
    majority:   score_k = the highest value that more than half of the members reach
    weighted:   score_k = σ(Σ_m a_{m,k} · logit p_{m,k} / Σ_m a_{m,k}),   a_{m,k}: precision of m for k

p_{m,k} is member m's calibrated score, so that 0.5 means yes for each. Precision is measured on pages held back when a
member was trained, with one right and one wrong answer added. (The paper weighs by the ξα estimate of precision, a
bound for support vector machines that needs no held-back pages; ours works for every judge.)

A page is looked up once in each vocabulary that members with the same features share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np

from clew.errors import ConfigError
from clew.judges.bags import Places
from clew.judges.base import Judge, JudgeContext
from clew.judges.features import Features
from clew.judges.hierarchy import Hierarchy
from clew.judges.registry import JUDGES, make
from clew.judges.trained import UNKNOWN, TrainedJudge, judgement
from clew.model import OTHER, Doubles, Example, Floats, Judgement, Page
from clew.section import Section, doc

TINY = 1e-15
"""Scores this near to 0 or 1 count as just as sure: log odds of ±34.5."""


def unanimous(scores: Doubles, weights: Doubles) -> Doubles:
    """The lowest score of a topic: float64[k] from scores and weights float64[m, k]."""
    return np.asarray(scores.min(axis=0), np.float64)


def majority(scores: Doubles, weights: Doubles) -> Doubles:
    """The highest score that more than half of the members give."""
    return np.asarray(-np.sort(-scores, axis=0)[len(scores) // 2], np.float64)


def weighted(scores: Doubles, weights: Doubles) -> Doubles:
    """The weighted mean of the members' log odds, as a score."""
    odds = np.log(np.maximum(scores, TINY)) - np.log(np.maximum(1.0 - scores, TINY))
    mean = (odds * weights).sum(axis=0) / weights.sum(axis=0)
    return np.asarray(1.0 / (1.0 + np.exp(-mean)), np.float64)


VOTES: dict[str, Callable[[Doubles, Doubles], Doubles]] = {
    "unanimous": unanimous,
    "majority": majority,
    "weighted": weighted,
}


LookUp = tuple[Features, int]
"""How a page is looked up: as which features, in the vocabulary of which ``id``."""


class EnsembleJudge(Judge):
    """A vote of trained judges with the same topics. ``weights`` float64[m, k]. Each member has its own settings."""

    name = "ensemble"

    class Settings(Section, frozen=True):
        """[judge.ensemble]"""

        members: Annotated[
            tuple[str, ...], doc("The judges that vote, by their names; each takes the settings of its own table.")
        ] = ("naive-bayes", "svm", "centroid")
        vote: Annotated[Literal["weighted", "majority", "unanimous"], doc("How they agree.")] = "weighted"

        def __post_init__(self) -> None:
            if not self.members:
                raise ValueError("members is empty: name some judges, such as naive-bayes and svm")

    def __init__(self, context: JudgeContext, settings: Settings | None = None) -> None:
        super().__init__(context)
        settings = settings or self.Settings()
        self.members = tuple(_member(name, context) for name in settings.members)
        self.tree = Hierarchy.of(self.topics)
        self.vote = settings.vote
        self.weights = np.ones((len(self.members), len(self.topics)))

    def fit(self, examples: Sequence[Example]) -> None:
        bags = {
            features: [features.bag(example.page) for example in examples]
            for features in dict.fromkeys(member.features for member in self.members)
        }
        labels = [example.topic for example in examples]
        languages = {example.page.language for example in examples if example.page.language}
        truth = self.tree.members(labels).T
        rows = []
        for member in self.members:
            said = member.fit_bags(bags[member.features], labels, languages) >= 0.5
            rows.append(((said & truth).sum(axis=0) + 1.0) / (said.sum(axis=0) + 2.0))
        self.weights = np.array(rows, np.float64)
        self._share()

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        apart = {_looked_up(member): member for member in self.members}
        columns = [member.features.known(pages, member.vocabulary) for member in apart.values()]
        return [self._judge(dict(zip(apart, row, strict=True))) for row in zip(*columns, strict=True)]

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        """Each member's weights, its largest scaled to 1, added up by the members' say."""
        total: dict[int, float] = {}
        for member, say in zip(self.members, self.weights[:, topic] / self.weights[:, topic].sum(), strict=True):
            ids, parts = member.explain_bag(member.features.bag(page), topic)
            scale = say / max(float(np.abs(parts).max(initial=0.0)), 1e-12)
            for feature, part in zip(ids.tolist(), parts.tolist(), strict=True):
                total[feature] = total.get(feature, 0.0) + part * scale
        best = sorted(total.items(), key=lambda pair: (-abs(pair[1]), pair[0]))[:limit]
        features = max((member.features for member in self.members), key=lambda one: one.pairs)
        return [(features.name(page, feature), weight) for feature, weight in best]

    def _share(self) -> None:
        """Members that learnt the same vocabulary hold it once, and look a page up in it once."""
        for member in self.members:
            for first in self.members:
                if np.array_equal(member.vocabulary.ids, first.vocabulary.ids):
                    member.vocabulary = first.vocabulary
                    break

    def _judge(self, known: Mapping[LookUp, tuple[Places, Floats]]) -> Judgement:
        """The judgement of a page projected on each member's vocabulary."""
        scores = [member.scores_at(*known[_looked_up(member)]) for member in self.members]
        if any(one is None for one in scores):
            return Judgement(np.full(len(self.topics), UNKNOWN, np.float32), OTHER, 0.0)
        return judgement(self.tree, VOTES[self.vote](np.array(scores, np.float64), self.weights))


def _looked_up(member: TrainedJudge) -> LookUp:
    return member.features, id(member.vocabulary)


def _member(name: str, context: JudgeContext) -> TrainedJudge:
    """A judge with the settings of its own table. Raises ConfigError for one that cannot vote."""
    if _can_vote(name):
        made = make(name, context)
        if isinstance(made, TrainedJudge):
            return made
    voters = ", ".join(one for one in JUDGES.builtin if _can_vote(one))
    raise ConfigError(f"[judge.ensemble] members: {name!r} cannot vote; choose from: {voters}")


def _can_vote(name: str) -> bool:
    kind = JUDGES.get(name)
    return isinstance(kind, type) and issubclass(kind, TrainedJudge) and kind.can_vote
