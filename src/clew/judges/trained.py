"""What judges that learn from examples have in common: bags of the examples, background, calibration, the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from clew.errors import TrainingError
from clew.judges import background, calibration
from clew.judges.bags import Bag, Places, Vocabulary
from clew.judges.base import Judge, JudgeContext
from clew.judges.calibration import Calibration, Calibrations
from clew.judges.features import Features
from clew.judges.hierarchy import Hierarchy
from clew.model import OTHER, Bools, Doubles, Example, Floats, Ints, Judgement, Page

BACKGROUND_PAGES = 40

CELLS = 8_000_000
"""Features times topics that a judge keeps (32 MB in single precision)."""

TRAINING_ONLY = frozenset({"counts", "_holders", "_sums", "_products"})
"""Attributes of judges that copies do not carry."""

GIVEN_SHARE = 0.25
"""The same where the user gave irrelevant pages; they are nearer to the topic than general text."""

UNKNOWN = 0.25
"""Score of a page that holds nothing the judge knows: not relevant, but no reason to starve its links."""


class TrainedJudge(Judge):
    """A judge over ``topics`` and OTHER; subclasses give ``_train``, ``_held_out``, ``_raw_at`` and
    ``_weights``."""

    single_share: ClassVar[float] = 0.12
    """Of the way from general text to the score of a topic's only example, so much brings a page to 0.5. Measured: half
    of the pages of a topic come that far, of other pages a tenth."""

    can_vote = True
    """Whether it can be a member of an ensemble, which takes bags of terms."""

    def __init__(self, context: JudgeContext, *, background: bool, features: Features) -> None:
        super().__init__(context)
        self.tree = Hierarchy.of(context.topics, context.together)
        self.background = background
        self.seed = context.seed
        self.features = features
        self.vocabulary = Vocabulary(np.empty(0, np.uint32))
        self.languages: tuple[str, ...] = ()
        self.curves = Calibrations(())
        self._holders = np.zeros(0, np.int32)

    def fit(self, examples: Sequence[Example]) -> None:
        bags = [self.features.bag(example.page) for example in examples]
        languages = {example.page.language for example in examples if example.page.language}
        self.fit_bags(bags, [example.topic for example in examples], languages)

    def fit_bags(self, bags: Sequence[Bag], labels: Sequence[int], languages: set[str]) -> Doubles:
        """Train on pages as bags. Returns the score of each as if it had not been trained on: float64[n, k]."""
        self._check(bags, labels)
        self.languages = tuple(sorted(languages))
        given = len(bags)
        if OTHER not in labels or self.background:
            drawn = self._background_pages(bags)
            bags, labels = [*bags, *drawn], [*labels, *[OTHER] * len(drawn)]
        self._train(bags, labels)
        self._holders = self._count_holders(bags)
        held_out = self._all_held_out(bags, labels)
        known = [self._raw(bag) for bag in bags]
        raw = np.array([np.full(len(self.topics), np.nan) if one is None else one for one in known])
        sides = self.tree.members(labels)
        held_out[~(sides | self.tree.outsiders(labels)).T] = np.nan  # neither for nor against a topic
        share = self.single_share if len(bags) > given else GIVEN_SHARE
        self.curves = Calibrations([_curve(held_out[:, k], raw[:, k], truth, share) for k, truth in enumerate(sides)])
        return np.array([self._scores(raw) for raw in held_out[:given]])

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        return [self._judged(*known) for known in self.features.known(pages, self.vocabulary)]

    def judge_bag(self, bag: Bag) -> Judgement:
        """The judgement of a page given as a bag."""
        return self._judged(*self.vocabulary.project(bag))

    def _judged(self, places: Places, counts: Floats) -> Judgement:
        scores = self.scores_at(places, counts)
        if scores is None:
            return Judgement(np.full(len(self.topics), UNKNOWN, np.float32), OTHER, 0.0)
        return judgement(self.tree, scores)

    def scores_at(self, places: Places, counts: Floats) -> Doubles | None:
        """Scores in [0, 1] of a page given as places in the vocabulary and weights: float64[k]; None when it holds
        nothing known."""
        return self._scores(self._raw_at(places, counts)) if len(places) else None

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        ids, weights = self.explain_bag(self.features.bag(page), topic)
        order = np.argsort(-np.abs(weights), kind="stable")[:limit]
        return [(self.features.name(page, int(ids[i])), float(weights[i])) for i in order]

    def explain_bag(self, bag: Bag, topic: int) -> Bag:
        """What each feature of a page adds to the raw score of a topic: ids uint32[d'] and weights float32[d']."""
        places, counts = self.vocabulary.project(bag)
        return self.vocabulary.ids[places], self._weights(places, counts, topic)

    def _scores(self, raw: Doubles) -> Doubles:
        """Scores in [0, 1] of raw scores: float64[k] each."""
        return self.tree.lifted(self._probabilities(raw))

    def _probabilities(self, raw: Doubles) -> Doubles:
        """Of raw scores; 0 where there is none."""
        return np.asarray(np.fmax(self.curves(raw), 0.0), np.float64)

    def _check(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        full: Bools = np.array([len(ids) > 0 for ids, _ in bags], np.bool_)
        for topic, members in zip(self.topics, self.tree.members(labels), strict=True):
            if not (members & full).any():
                raise TrainingError(
                    f"no example page with text for topic {topic!r}: give at least one (clew init --relevant), "
                    "or use keywords (clew init --keywords)"
                )

    def _background_pages(self, bags: Sequence[Bag]) -> list[Bag]:
        """General pages as long as the examples, in their languages."""
        rng = np.random.default_rng([self.seed, 0xBAC6])
        lengths = [self._length(bag) for bag in bags if len(bag[0])]
        chosen = [lengths[i % len(lengths)] for i in range(BACKGROUND_PAGES)]
        pages = background.sample_pages(self.languages, chosen, rng)
        return [self.features.shuffled(page, rng) for page in pages]

    def _length(self, bag: Bag) -> int:
        """Terms of a page, about: what its bag tells."""
        return int(bag[1].sum()) if self.features.plain else len(bag[0]) // (2 if self.features.pairs else 1)

    def _learn_vocabulary(self, bags: Sequence[Bag]) -> None:
        """The features of ``bags``, but no more than ``CELLS`` allows: there is a number for each and each topic."""
        self.vocabulary = Vocabulary.of(bags, CELLS // (len(self.topics) + 1))

    def _count_holders(self, bags: Sequence[Bag]) -> Ints:
        """How many training pages hold each feature: int32[V]."""
        holders = np.zeros(len(self.vocabulary), np.int32)
        for bag in bags:
            holders[self.vocabulary.project(bag)[0]] += 1
        return holders

    def _project_held_out(self, bag: Bag) -> tuple[Places, Floats]:
        """A training page as an unseen page would be projected: what only it holds would not be known."""
        places, counts = self.vocabulary.project(bag)
        known = self._holders[places] > 1
        return places[known], counts[known]

    def __getstate__(self) -> dict[str, object]:
        """Copies judge; only training needs the sums and counts."""
        return {key: value for key, value in self.__dict__.items() if key not in TRAINING_ONLY}

    def _all_held_out(self, bags: Sequence[Bag], labels: Sequence[int]) -> Doubles:
        """Raw scores float64[n, k] of the training pages as if each had not been trained on."""
        return np.array([self._held_out(bag, label) for bag, label in zip(bags, labels, strict=True)])

    def _train(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        raise NotImplementedError

    def _held_out(self, bag: Bag, label: int) -> Doubles:
        """Raw scores float64[k] of a training page as if it had not been trained on; NaN where nothing is known."""
        raise NotImplementedError

    def _raw(self, bag: Bag) -> Doubles | None:
        """Raw scores float64[k] of a page; None when it holds nothing known."""
        places, counts = self.vocabulary.project(bag)
        return self._raw_at(places, counts) if len(places) else None

    def _raw_at(self, places: Places, counts: Floats) -> Doubles:
        """Raw scores float64[k] of a page given as places in the vocabulary and weights."""
        raise NotImplementedError

    def _weights(self, places: Places, counts: Floats, topic: int) -> Floats:
        """What each place adds to the raw score of a topic: float32[d']."""
        raise NotImplementedError


def judgement(tree: Hierarchy, scores: Doubles) -> Judgement:
    """The judgement that ``scores`` float64[k] make: the winner top down, and how far it is from a toss-up."""
    rounded = scores.astype(np.float32)
    values = rounded.tolist()
    winner = tree.winner(values)
    decisive = values[winner] if winner != OTHER else max(values)
    return Judgement(rounded, winner, abs(2.0 * decisive - 1.0))


def _curve(held_out: Doubles, raw: Doubles, truth: Bools, share: float) -> Calibration:
    """A curve for held-out scores; a side of which none is known lends the scores of pages that were trained on.
    ``share`` is for a topic with a single example (``calibration.fit_single``)."""
    values = held_out.copy()
    for side in (truth, ~truth):
        if np.isnan(values[side]).all():
            values[side] = raw[side]
    known = ~np.isnan(values)
    if truth.sum() == 1:
        return calibration.fit_single(float(raw[truth][0]), values[known & ~truth], share)
    return calibration.fit(values[known], truth[known])
