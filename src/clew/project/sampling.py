"""How many of the pages that were called relevant are so: by labels on a random sample of them.

Whether a page may be drawn, and when its turn comes, is decided by a hash of its URL, so a sample is one at random of
the pages called relevant at any time. Only pages are drawn whose labels are held back from training (one in four):
those a judge learned from say nothing of the others. What was drawn is kept in ``drawn.txt``, for labels that a user
gave of his own accord are no random sample.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import sqrt

from clew.errors import InputError
from clew.examples.labels import IRRELEVANT, LABELS, read_labels
from clew.examples.training import held_back
from clew.model import OTHER
from clew.project.folder import ProjectFolder
from clew.store.base import Store
from clew.store.records import Selection, VisitRow
from clew.topics.interest import Interest
from clew.urls.canonical import key

DRAWN = "drawn.txt"
"""Hashes of the URLs that were drawn, a line each."""

NINETY = 1.6449
"""Standard deviations on either side of a normal mean that hold 90 %."""


@dataclass(frozen=True, slots=True)
class Sample:
    """``right`` of ``labelled`` pages, drawn at random among those called relevant, are so."""

    right: int
    labelled: int

    @property
    def precision(self) -> float:
        """The share that is right; NaN where nothing is labelled."""
        return self.right / self.labelled if self.labelled else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Where 90 % of such samples have the true share (Wilson 1927); 0 to 1 where nothing is labelled."""
        return wilson(self.right, self.labelled) if self.labelled else (0.0, 1.0)


def wilson(right: int, n: int) -> tuple[float, float]:
    """The interval of 90 % of a share, ``right`` of ``n`` > 0 drawn at random having been seen (Wilson 1927)."""
    share, spread = right / n, NINETY**2 / n
    centre = (share + spread / 2) / (1 + spread)
    half = NINETY * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def sample(project: ProjectFolder, store: Store) -> Sample:
    """What the labels say of the pages that are called relevant now. Looks up the labelled pages alone. Raises
    InputError for a bad label."""
    drawn, right, labelled = _drawn(project), 0, 0
    for url, wanted in _verdicts(project, drawn).items():
        row = store.visits.by_key(key(url))
        if row is not None and row.judged and row.relevant and wanted is not None:
            labelled += 1
            right += wanted
    return Sample(right, labelled)


def draw(project: ProjectFolder, store: Store, n: int) -> list[VisitRow]:
    """The next ``n`` pages of the sample that have no label yet, and keep in mind that they were drawn."""
    known = {label.line for label in read_labels(project.path / LABELS)}.union(one.line for one in project.wanted())
    urls = store.visits.urls(store.visits.listed(Selection(relevant=True), limit=-1).tolist())
    may = ((_hash(url), number) for number, url in urls.items() if url and held_back(url) and url not in known)
    found = list(store.visits.many([number for _, number in heapq.nsmallest(n, may)]))
    _keep(project, found)
    return found


def _verdicts(project: ProjectFolder, drawn: Set[str]) -> dict[str, bool | None]:
    """By the URL of each labelled page that was drawn: whether it is as it was wanted, None where its label cannot
    tell."""
    found: dict[str, bool | None] = {}
    for label in read_labels(project.path / LABELS) if drawn else ():
        if _hash(label.line) in drawn and held_back(label.line):
            topic = OTHER if label.verdict == IRRELEVANT else project.topic(label.verdict)
            found[label.line] = _wanted(project.interest, topic)
    return found


def _wanted(interest: Interest, topic: int) -> bool | None:
    """Of "A and B" a page that is about A may be wanted or not."""
    if interest.wants(topic):
        return True
    return None if interest.concerns(topic) else False


def _hash(url: str) -> str:
    return hashlib.blake2b(f"drawn {url}".encode(), digest_size=8).hexdigest()


def _drawn(project: ProjectFolder) -> set[str]:
    path = project.path / DRAWN
    try:
        return set(path.read_text(encoding="ascii").split())
    except FileNotFoundError:
        return set()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _keep(project: ProjectFolder, rows: Sequence[VisitRow]) -> None:
    path, known = project.path / DRAWN, _drawn(project)
    new = [line for row in rows if (line := _hash(row.url)) not in known]
    if not new:
        return
    try:
        with path.open("a", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in new)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
