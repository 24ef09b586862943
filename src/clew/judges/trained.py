"""What judges that learn from examples have in common: bags of the examples, background, calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.errors import TrainingError
from clew.judges import background, calibration
from clew.judges.bags import Bag
from clew.judges.calibration import Calibration
from clew.model import OTHER, Doubles, Example, Judgement, Page
from clew.text.terms import name as term_name

BACKGROUND_PAGES = 40

UNKNOWN = 0.25
"""Score of a page that holds nothing the judge knows: not relevant, but no reason to starve its links (UNI-6)."""


class TrainedJudge:
    """A judge over ``topics`` and OTHER; subclasses give ``_train``, ``_held_out``, ``_raw`` and ``_weights``."""

    name = ""

    def __init__(self, topics: tuple[str, ...], *, background: bool = False, seed: int = 1) -> None:
        self.topics = topics
        self.background = background
        self.seed = seed
        self.languages: tuple[str, ...] = ()
        self.curves: tuple[Calibration, ...] = ()

    def fit(self, examples: Sequence[Example]) -> None:
        bags = [example.page.term_counts() for example in examples]
        labels = [example.topic for example in examples]
        self._check(bags, labels)
        self.languages = tuple(sorted({example.page.language for example in examples if example.page.language}))
        if OTHER not in labels or self.background:
            drawn = self._background_pages(bags)
            bags, labels = bags + drawn, labels + [OTHER] * len(drawn)
        self._train(bags, labels)
        held_out = np.array([self._held_out(bag, label) for bag, label in zip(bags, labels, strict=True)])
        truth = np.array(labels)
        self.curves = tuple(calibration.fit(held_out[:, k], truth == k) for k in range(len(self.topics)))

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        return [self._judge(page.term_counts()) for page in pages]

    def explain(self, page: Page, limit: int = 12) -> list[tuple[str, float]]:
        ids, weights = self._weights(page.term_counts())
        order = np.argsort(-np.abs(weights), kind="stable")[:limit]
        return [(term_name(int(ids[i])) or f"#{ids[i]:08x}", float(weights[i])) for i in order]

    def _judge(self, bag: Bag) -> Judgement:
        raw = self._raw(bag)
        if raw is None:
            return Judgement(np.full(len(self.topics), UNKNOWN, np.float32), OTHER, 0.0)
        scores = np.array([float(curve(raw[k : k + 1])[0]) for k, curve in enumerate(self.curves)], np.float32)
        best = int(np.argmax(scores))
        sure = abs(2.0 * float(scores[best]) - 1.0)
        return Judgement(scores, best if scores[best] >= 0.5 else OTHER, sure)

    def _check(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        for k, topic in enumerate(self.topics):
            if not any(label == k and len(bag[0]) for bag, label in zip(bags, labels, strict=True)):
                raise TrainingError(
                    f"no example page with text for topic {topic!r}: give at least one (clew init --relevant), "
                    "or use keywords (clew init --keywords)"
                )

    def _background_pages(self, bags: Sequence[Bag]) -> list[Bag]:
        """General pages as long as the examples, in their languages."""
        rng = np.random.default_rng([self.seed, 0xBAC6])
        lengths = [int(bag[1].sum()) for bag in bags if len(bag[0])]
        chosen = [lengths[i % len(lengths)] for i in range(BACKGROUND_PAGES)]
        return background.sample_pages(self.languages, chosen, rng)

    def _train(self, bags: Sequence[Bag], labels: Sequence[int]) -> None:
        raise NotImplementedError

    def _held_out(self, bag: Bag, label: int) -> Doubles:
        """Raw scores float64[k] of a training page as if it had not been trained on."""
        raise NotImplementedError

    def _raw(self, bag: Bag) -> Doubles | None:
        """Raw scores float64[k] of a page; None when it holds nothing known."""
        raise NotImplementedError

    def _weights(self, bag: Bag) -> Bag:
        """What each term of a page adds to the raw score of the first topic."""
        raise NotImplementedError
