"""How good a judge would be, estimated before a crawl: every example judged by a judge that did not learn from it.

The examples are dealt into folds, topic by topic; each fold is judged by a judge trained on the others. Background text
that a judge adds by itself is not among them. A topic's positives are its examples and those of the topics below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.errors import TrainingError
from clew.judges.bags import Vocabulary
from clew.judges.base import Judge
from clew.judges.hierarchy import Hierarchy
from clew.model import Bools, Doubles, Example

BINS = 10
THIN = 5
"""Fewer examples than this cannot be judged well, nor the judge by them."""

CONFUSED = 0.3
"""Share of a topic's examples that go to another topic from which on the two are said to overlap."""

ALIKE = 0.8
"""Cosine of two topics' mean pages from which on they are said to overlap."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Examples whose score for the topic lies in [low, high): how many, their mean score, the share that belongs to
    it. In a calibrated judge the two are the same. Both are NaN where there are none."""

    low: float
    high: float
    count: int
    mean_score: float
    share: float


@dataclass(frozen=True, slots=True)
class TopicQuality:
    """Estimates for one topic. ``positives`` and ``negatives`` count the examples that were judged.

    Precision and recall are those of a score of at least 0.5; NaN when nothing was accepted, or there is nothing to
    find. ``confused`` holds the share of the topic's own examples that each other topic won, by path.
    """

    topic: str
    positives: int
    negatives: int
    precision: float
    recall: float
    average_precision: float
    reliability: tuple[Bin, ...]
    confused: tuple[tuple[str, float], ...] = ()


def quality(
    judge_factory: Callable[[], Judge], examples: Sequence[Example], folds: int = 5, seed: int = 1
) -> list[TopicQuality]:
    """Estimates for each topic of the judges that ``judge_factory`` makes, in their order.

    A fold whose judge cannot be trained, because it holds the only example of a topic, is not judged: its examples are
    not counted. Raises TrainingError when that leaves none.
    """
    topics = judge_factory().topics
    labels = np.array([example.topic for example in examples], np.intp)
    fold = deal(labels, folds, seed)
    scores = np.full((len(examples), len(topics)), np.nan)
    winners = np.full(len(examples), -1, np.intp)
    for number in range(folds):
        held = np.flatnonzero(fold == number)
        learnt = [example for example, where in zip(examples, fold, strict=True) if where != number]
        judge = _trained(judge_factory, learnt)
        if judge is None or not len(held):
            continue
        for row, judgement in zip(held, judge.judge([examples[int(row)].page for row in held]), strict=True):
            scores[row], winners[row] = judgement.scores, judgement.topic
    judged = ~np.isnan(scores).any(axis=1)
    if not judged.any():
        raise TrainingError("too few examples to estimate how good the judge is: give each topic at least two")
    return _topics(topics, labels[judged], scores[judged], winners[judged])


def deal(labels: npt.NDArray[np.intp], folds: int, seed: int) -> npt.NDArray[np.intp]:
    """The fold of each example, intp[n]: every topic is dealt out evenly, each going on where the last one ended."""
    rng = np.random.default_rng([seed, 0xDEA1])
    result = np.zeros(len(labels), np.intp)
    dealt = 0
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        result[rows] = (np.arange(len(rows)) + dealt) % folds
        dealt += len(rows)
    return result


def average_precision(scores: Doubles, truth: Bools) -> float:
    """The mean precision at each positive, best score first; what ties has the same rank. NaN without positives."""
    if not truth.any():
        return float("nan")
    ranks = [(scores >= score).sum() for score in scores[truth]]
    found = [(scores[truth] >= score).sum() for score in scores[truth]]
    return float(np.mean(np.array(found) / np.array(ranks)))


def reliability(scores: Doubles, truth: Bools) -> tuple[Bin, ...]:
    """``BINS`` bins of equal width; a score of 1 falls into the last."""
    which = np.minimum((scores * BINS + 1e-5).astype(np.intp), BINS - 1)  # 0.7 in single precision is 0.7
    bins = []
    for number in range(BINS):
        inside = which == number
        count = int(inside.sum())
        mean, share = (float(scores[inside].mean()), float(truth[inside].mean())) if count else (np.nan, np.nan)
        bins.append(Bin(number / BINS, (number + 1) / BINS, count, mean, share))
    return tuple(bins)


def warnings(qualities: Sequence[TopicQuality], examples: Sequence[Example]) -> list[str]:
    """What a person should know, in sentences: topics with too few examples, and pairs of topics that overlap."""
    topics = tuple(one.topic for one in qualities)
    tree = Hierarchy.of(topics)
    members = tree.members([example.topic for example in examples])
    counts = members.sum(axis=1)
    said = [
        f"topic {topic} has {count} example{'s' if count != 1 else ''}: give it at least {THIN}, better twenty"
        for topic, count in zip(topics, counts, strict=True)
        if count < THIN
    ]
    cosines = _cosines(members, examples)
    confused = [dict(one.confused) for one in qualities]
    for first in range(len(topics)):
        for second in range(first + 1, len(topics)):
            if tree.below[first, second] or tree.below[second, first]:
                continue
            pair = f"topics {topics[first]} and {topics[second]} overlap: "
            share = max(confused[first].get(topics[second], 0.0), confused[second].get(topics[first], 0.0))
            if share >= CONFUSED:
                said.append(f"{pair}{share:.0%} of the examples of one are taken for the other; merge or sharpen them")
            elif cosines[first, second] >= ALIKE:
                said.append(f"{pair}their pages use the same words (cosine {cosines[first, second]:.2f})")
    return said


def _trained(judge_factory: Callable[[], Judge], examples: Sequence[Example]) -> Judge | None:
    judge = judge_factory()
    try:
        judge.fit(examples)
    except TrainingError:
        return None
    return judge


def _topics(
    topics: tuple[str, ...], labels: npt.NDArray[np.intp], scores: Doubles, winners: npt.NDArray[np.intp]
) -> list[TopicQuality]:
    tree = Hierarchy.of(topics)
    result = []
    for k, truth in enumerate(tree.members(labels.tolist())):
        said = scores[:, k] >= 0.5
        right = int((said & truth).sum())
        result.append(
            TopicQuality(
                topic=topics[k],
                positives=int(truth.sum()),
                negatives=int((~truth).sum()),
                precision=right / int(said.sum()) if said.any() else float("nan"),
                recall=right / int(truth.sum()) if truth.any() else float("nan"),
                average_precision=average_precision(scores[:, k], truth),
                reliability=reliability(scores[:, k], truth),
                confused=_confused(tree, topics, k, winners[truth]),
            )
        )
    return result


def _confused(
    tree: Hierarchy, topics: tuple[str, ...], topic: int, winners: npt.NDArray[np.intp]
) -> tuple[tuple[str, float], ...]:
    """The share of a topic's examples that went to topics neither above nor below it, by the topics that won them."""
    shares = []
    for other, path in enumerate(topics):
        if len(winners) and not tree.below[topic, other] and not tree.below[other, topic]:
            share = float(tree.below[other, winners].mean())
            if share > 0:
                shares.append((path, share))
    return tuple(shares)


def _cosines(members: Bools, examples: Sequence[Example]) -> Doubles:
    """Cosines float64[k, k] of the topics' mean pages, less the mean of all: what every page holds tells nothing."""
    bags = [example.page.term_counts() for example in examples]
    vocabulary = Vocabulary.of(bags)
    rows = np.zeros((len(bags), len(vocabulary)), np.float32)
    for row, bag in zip(rows, bags, strict=True):
        places, counts = vocabulary.project(bag)
        row[places] = np.log1p(counts) / max(float(np.linalg.norm(np.log1p(counts))), 1e-12)
    rows -= rows.mean(axis=0)
    means = members.astype(np.float64) @ rows
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    return np.asarray(means @ means.T, np.float64)
