"""Judges that heed a user's labels: trained again with them, and adopted only if that does not make them worse.

A fixed quarter of the labels is held back from training, chosen by URL. A judge trained with the others is adopted
unless the judge without them gives the held-back ones a smaller loss, −log of the score of the right answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from clew.examples.gathering import Wanted
from clew.judges.base import Judge
from clew.model import OTHER, Decision, Example
from clew.topics.interest import Interest

HELD_BACK = 4
"""One label in so many is held back."""

Make = Callable[[], Judge]


def held_back(line: str) -> bool:
    """Whether the label of a page is for checking only."""
    return hashlib.blake2b(line.encode(), digest_size=2).digest()[0] % HELD_BACK == 0


@dataclass(frozen=True, slots=True)
class Adoption:
    """A judge and why it was chosen. Losses are NaN where nothing was held back. ``archetypes`` pages of the crawl were
    added to the examples."""

    judge: Judge
    adopted: bool
    labels: int
    held_back: int
    loss_without: float
    loss_with: float
    archetypes: int = 0

    def decision(self) -> Decision:
        """For the decision log."""
        kind = "judge adopted" if self.adopted else "judge refused"
        facts: dict[str, str | int | float | bool] = {"labels": self.labels, "held_back": self.held_back}
        if self.archetypes:
            facts["archetypes"] = self.archetypes
        if self.held_back:
            facts |= {"loss_without": round(self.loss_without, 6), "loss_with": round(self.loss_with, 6)}
        return Decision(kind, facts)


def train(
    make: Make,
    examples: Sequence[Example],
    labelled: Sequence[Example],
    interest: Interest,
    archetypes: Sequence[Example] = (),
) -> Adoption:
    """The better of two judges: trained on the examples alone, and on examples and labels. Archetypes join the
    examples, but for those that are examples or labelled themselves.

    Raises TrainingError when the examples (and labels) cannot make a judge.
    """
    check = [one for one in labelled if held_back(one.url)]
    heard = [one for one in labelled if not held_back(one.url)]
    named, known = ({one.url for one in some} for some in (heard, [*examples, *labelled]))
    added = [one for one in archetypes if one.url not in known]
    taught = [*examples, *added]
    candidate = make()
    candidate.fit([one for one in taught if one.url not in named] + heard)
    if not check or not examples:
        return Adoption(candidate, True, len(labelled), 0, float("nan"), float("nan"), len(added))
    plain = make()
    plain.fit(taught)
    without, with_ = loss(plain, check, interest), loss(candidate, check, interest)
    adopted = with_ <= without + 1e-9
    judge = candidate if adopted else plain
    return Adoption(judge, adopted, len(labelled), len(check), without, with_, len(added))


def loss(judge: Judge, labelled: Sequence[Example], interest: Interest) -> float:
    """Mean of −log(score of the right answer), scores kept away from 0."""
    right = []
    for example, judgement in zip(labelled, judge.judge([one.page for one in labelled]), strict=True):
        if example.topic == OTHER:
            right.append(1.0 - interest.relevance(judgement))
        else:
            right.append(float(judgement.scores[example.topic]))
    return float(-np.log(np.clip(right, 1e-3, 1.0)).mean())


def apart(found: Sequence[Example], labels: Sequence[Wanted]) -> tuple[list[Example], list[Example]]:
    """Examples of the lists, and labels; a label on a page of the lists counts instead."""
    verdicts = {(one.line, one.topic) for one in labels}
    pages = {one.line for one in labels}
    lists = [one for one in found if one.url not in pages]
    return lists, [one for one in found if (one.url, one.topic) in verdicts]


@dataclass(slots=True)
class Feedback:
    """Looks between sessions whether labels came in while the crawl runs. ``read`` gives examples and labels now;
    ``version`` changes when there are other ones."""

    make: Make
    read: Callable[[], tuple[list[Example], list[Example]]]
    version: Callable[[], object]
    interest: Interest
    archetypes: list[Example] = field(default_factory=list)
    _seen: object = field(init=False)

    def __post_init__(self) -> None:
        self._seen = self.version()

    def retrained(self) -> Adoption | None:
        """A judge that heeds labels that came since the last look; None when there are none."""
        now = self.version()
        if now == self._seen:
            return None
        self._seen = now
        examples, labelled = self.read()
        return train(self.make, examples, labelled, self.interest, self.archetypes) if labelled else None

    def taught(self, archetypes: list[Example], current: Judge) -> Adoption:
        """A judge trained with these archetypes, as a crawl that is taken up would train it; adopted unless ``current``
        gives the labels that are held back a smaller loss. Raises TrainingError."""
        examples, labelled = self.read()
        found = train(self.make, examples, labelled, self.interest, archetypes)
        check = [one for one in labelled if held_back(one.url)]
        now, then = (loss(judge, check, self.interest) if check else float("nan") for judge in (current, found.judge))
        adopted = not check or then <= now + 1e-9
        if adopted:
            self.archetypes = archetypes
        return replace(found, adopted=adopted, held_back=len(check), loss_without=now, loss_with=then)
