"""Which links of a sitemap are worth following: those whose URLs and titles the judge finds nearest to what is wanted.

A sitemap may list 50,000 pages and says of each little more than its URL. So each link is judged as if these words
were a page, and the best are kept, best first: links of one score are followed in the order in which they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.model import OTHER, Judgement, Leaves, LinkKind, Links, Page, TermIds, ragged


@dataclass(frozen=True, slots=True)
class Choice:
    """Links to choose among: their places among all links of the sitemap, and the leaf of each."""

    links: Links
    leaves: Leaves
    places: tuple[int, ...]

    def pages(self, language: str) -> list[Page]:
        """A page for each link to a page, of the words that are known of it."""
        return [self._page(place, language) for place in self.places if self._is_page(place)]

    def _is_page(self, place: int) -> bool:
        return self.links.kinds[place] is not LinkKind.SITEMAP

    def _page(self, place: int, language: str) -> Page:
        ids, text = self._said(place)
        leaves = Leaves(ids, np.array([0, len(ids)], np.int32))
        none = self.links.take(())
        return Page(self.links.urls[place], "", language, "", "text/html", text, ids[:0], leaves, none)

    def _said(self, place: int) -> tuple[TermIds, str]:
        anchor = int(np.searchsorted(self.links.spans[:, 0], place))
        first, last = self.links.spans[anchor, 1:].tolist()
        starts = self.leaves.starts
        return self.leaves.ids[starts[first] : starts[last + 1]], self.links.anchors[anchor]

    def first(self, page: Page, most: int) -> Page:
        """The page with the first of its links."""
        return self._with(page, list(self.places)[:most])

    def best(
        self, page: Page, relevance: Sequence[float], judgements: Sequence[Judgement], most: int
    ) -> tuple[Page, Judgement | None]:
        """The page with its best links, and the average of their judgements, None where there are none.

        ``relevance`` and ``judgements`` are those of ``pages``. Sitemaps that are named come first, all of them.
        """
        named = [place for place in self.places if not self._is_page(place)]
        order = sorted(range(len(relevance)), key=lambda one: -relevance[one])[:most]
        listed = [place for place in self.places if self._is_page(place)]
        found = self._with(page, named + [listed[one] for one in order])
        return found, _average([judgements[one] for one in order]) if order else None

    def _with(self, page: Page, places: Sequence[int]) -> Page:
        said = [self._said(place)[0] for place in places]
        links = self.links.take(places)
        spans = np.array([(one, one, one) for one in range(len(places))], np.int32).reshape(-1, 3)
        anchors = tuple(self._said(place)[1] for place in places)
        links = replace(links, spans=spans, anchors=anchors)
        return replace(page, text="", links=links, leaves=Leaves(*ragged(said)))


def chosen(links: Links, leaves: Leaves, hosts: Sequence[str]) -> Choice:
    """The links of a sitemap on the hosts that it may speak for."""
    allowed = np.array([name in hosts for name in links.host_names], np.bool_)
    inside = np.flatnonzero(allowed[links.host_index]) if len(links) else np.empty(0, np.int64)
    return Choice(links, leaves, tuple(inside.tolist()))


def _average(judgements: Sequence[Judgement]) -> Judgement:
    """The scores on average, and the topic that most are about."""
    scores = np.mean([one.scores for one in judgements], axis=0).astype(np.float32)
    topics, counts = np.unique([one.topic for one in judgements], return_counts=True)
    topic = int(topics[int(np.argmax(counts))]) if len(topics) else OTHER
    return Judgement(scores, topic, float(np.mean([one.confidence for one in judgements])))
