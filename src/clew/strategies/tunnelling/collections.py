"""What a crawl of many collections gathered (Bergmark and others 2002 sections 2 and 4): the best pages of each, and
the documents that inherit the score of the page that links to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.model import Visit
from clew.strategies.base import Pages

DOCUMENTS = ("pdf", "ps")
"""File endings of documents that the paper does not read (its footnote 1)."""
SIZE = 50
"""Pages of a collection: the paper wants 25 to 50 and keeps 50."""


@dataclass(frozen=True, slots=True)
class Inherited:
    """A document in a collection: ``topic`` and ``score`` are the nearest collection of the page ``parent`` (a visit
    number) that links to it, and that page's correlation with it."""

    url: str
    topic: int
    score: float
    parent: int


def collections(
    pages: Pages, topics: Sequence[int], k: int = SIZE, least: float = 0.0
) -> dict[int, npt.NDArray[np.int64]]:
    """The best ``k`` pages of each collection: topic -> visit numbers int64[<= k], best first, the earlier of equals.

    Every page belongs to the nearest of ``topics`` alone, whatever its correlation (a collection is the
    head of a ranking, so precision is that of its ranks); ``least`` leaves out pages of a lower one.
    """
    order = np.asarray(topics, np.intp)
    if not len(pages) or not len(order):
        return {int(topic): np.zeros(0, np.int64) for topic in order}
    scores = pages.scores[:, order]
    nearest, best = scores.argmax(axis=1), scores.max(axis=1)
    ranked = np.argsort(-best, kind="stable")
    ranked = ranked[best[ranked] >= least]
    return {int(topic): pages.numbers[ranked[nearest[ranked] == place][:k]] for place, topic in enumerate(order)}


def inherited(
    visits: Iterable[Visit], topics: Sequence[int], k: int = SIZE, endings: Sequence[str] = DOCUMENTS
) -> list[Inherited]:
    """The best ``k`` documents of each collection, collection by collection in the order of ``topics``, best
    first, the earlier of equals. A document that several pages link to takes the best of their scores.

    Only links that ``[scope]`` lets through are known of a page: take "pdf" and "ps" out of scope.exclude_endings.
    """
    best: dict[str, Inherited] = {}
    for found in _links(visits, np.asarray(topics, np.intp), tuple(f".{name.lower().lstrip('.')}" for name in endings)):
        if found.url not in best or found.score > best[found.url].score:
            best[found.url] = found
    rows = sorted(best.values(), key=lambda one: (-one.score, one.parent))
    return [one for topic in topics for one in [row for row in rows if row.topic == topic][:k]]


def is_document(url: str, endings: tuple[str, ...]) -> bool:
    """Whether the path of a canonical URL ends so; ``endings`` are lower-case and begin with a dot."""
    return url.partition("?")[0].lower().endswith(endings)


def _links(visits: Iterable[Visit], topics: npt.NDArray[np.intp], endings: tuple[str, ...]) -> Iterator[Inherited]:
    for visit in visits:
        if visit.links is None or visit.judgement is None:
            continue
        scores = visit.judgement.scores[topics]
        place = int(scores.argmax())
        for url in visit.links.links.urls:
            if is_document(url, endings):
                yield Inherited(url, int(topics[place]), float(scores[place]), visit.number)
