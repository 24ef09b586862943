"""Several judges vote (BNG-18): unanimous, by majority, or weighted by how precise each is.

    unanimous:  score_k = min_m p_{m,k}
    majority:   score_k = the highest value that more than half of the members reach
    weighted:   score_k = σ(Σ_m a_{m,k} · logit p_{m,k} / Σ_m a_{m,k}),   a_{m,k}: precision of m for k

p_{m,k} is member m's calibrated score, so that 0.5 means yes for each. Precision is measured on pages held back when a
member was trained, with one right and one wrong answer added. (The paper weighs by the ξα estimate of precision, a
bound for support vector machines that needs no held-back pages; ours works for every judge.)

The members share one way of making features; a page is looked up once in each vocabulary that they have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from clew.judges.bags import Places
from clew.judges.hierarchy import Hierarchy
from clew.judges.trained import UNKNOWN, TrainedJudge, judgement
from clew.judges.vectors import Shares
from clew.model import OTHER, Doubles, Example, Floats, Judgement, Page

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


class EnsembleJudge:
    """A vote of trained judges with the same topics and features. ``weights`` float64[m, k]."""

    name = "ensemble"

    def __init__(self, members: Sequence[TrainedJudge], vote: str = "weighted") -> None:
        self.members = tuple(members)
        self.topics = self.members[0].topics
        self.tree = Hierarchy.of(self.topics)
        self.features = self.members[0].features
        self.vote = vote
        self.weights = np.ones((len(self.members), len(self.topics)))

    def fit(self, examples: Sequence[Example]) -> None:
        bags = [self.features.bag(example.page) for example in examples]
        labels = [example.topic for example in examples]
        languages = {example.page.language for example in examples if example.page.language}
        truth = self.tree.members(labels).T
        rows = []
        for member in self.members:
            said = member.fit_bags(bags, labels, languages) >= 0.5
            rows.append(((said & truth).sum(axis=0) + 1.0) / (said.sum(axis=0) + 2.0))
        self.weights = np.array(rows, np.float64)
        self._share()

    def refer_to(self, shares: Shares) -> None:
        """As for each of its members."""
        for member in self.members:
            member.refer_to(shares)

    def combine(self, together: Sequence[tuple[int, int]]) -> None:
        """As ``TrainedJudge.combine``."""
        for member in self.members:
            member.combine(together)

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        vocabularies = {id(member.vocabulary): member.vocabulary for member in self.members}
        columns = [self.features.known(pages, vocabulary) for vocabulary in vocabularies.values()]
        return [self._judge(dict(zip(vocabularies, row, strict=True))) for row in zip(*columns, strict=True)]

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        """Each member's weights, its largest scaled to 1, added up by the members' say."""
        bag = self.features.bag(page)
        total: dict[int, float] = {}
        for member, say in zip(self.members, self.weights[:, topic] / self.weights[:, topic].sum(), strict=True):
            ids, parts = member.explain_bag(bag, topic)
            scale = say / max(float(np.abs(parts).max(initial=0.0)), 1e-12)
            for feature, part in zip(ids.tolist(), parts.tolist(), strict=True):
                total[feature] = total.get(feature, 0.0) + part * scale
        best = sorted(total.items(), key=lambda pair: (-abs(pair[1]), pair[0]))[:limit]
        return [(self.features.name(page, feature), weight) for feature, weight in best]

    def _share(self) -> None:
        """Members that learnt the same vocabulary hold it once, and look a page up in it once."""
        for member in self.members:
            for first in self.members:
                if np.array_equal(member.vocabulary.ids, first.vocabulary.ids):
                    member.vocabulary = first.vocabulary
                    break

    def _judge(self, known: Mapping[int, tuple[Places, Floats]]) -> Judgement:
        """The judgement of a page projected on each member's vocabulary, by the vocabulary's ``id``."""
        scores = [member.scores_at(*known[id(member.vocabulary)]) for member in self.members]
        if any(one is None for one in scores):
            return Judgement(np.full(len(self.topics), UNKNOWN, np.float32), OTHER, 0.0)
        return judgement(self.tree, VOTES[self.vote](np.array(scores, np.float64), self.weights))
