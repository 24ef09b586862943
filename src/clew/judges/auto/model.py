"""What the judge learned, and how it scores pages with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.judges.auto.kinds import Kinds
from clew.judges.auto.rows import unit
from clew.judges.bags import Bag, Places, Vocabulary
from clew.model import Doubles, Floats, TermIds

Seen = tuple[Bag, Doubles | None, TermIds | None]
"""A page as features, its mean word vector if it has one, and its marks (kinds.py) if it is a real page."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """k topics in v spaces of words (general text's document frequencies, and the crawl's once it taught them) and in
    that of meaning.

    ``weights`` float32[V, v·k]: centroids times idf, space by space. ``squares`` float32[V, v]: idf². ``directions``
    float64[d, k] and ``centre`` float64[d]: centroids of meaning, and what is taken off a page's mean vector.
    ``kinds``: None where they count for nothing, as before the crawl. Log odds of topic k:
    ``scale``[:, k] · (scores − ``missing``[:, k]) + ``shift``[k], float64[v + 2, k] and float64[k]; the last two rows
    are those of meaning and of kinds.
    """

    vocabulary: Vocabulary
    weights: Floats
    squares: Floats
    directions: Doubles
    centre: Doubles
    kinds: Kinds | None
    scale: Doubles
    missing: Doubles
    shift: Doubles

    @property
    def spaces(self) -> int:
        """v."""
        return int(self.squares.shape[1])

    def odds(
        self, places: Places, counts: Floats, mean: Doubles | None, marks: TermIds | None = None
    ) -> Doubles | None:
        """Log odds float64[k] of a page given as places in the vocabulary with their weights, its mean word vector and
        its marks; None when it holds nothing known."""
        if not len(places):
            return None
        topics = len(self.shift)
        lengths = np.sqrt(np.maximum((counts * counts) @ self.squares.take(places, axis=0), 1e-12))
        sums = (counts @ self.weights.take(places, axis=0)).reshape(self.spaces, topics)
        away = np.zeros((self.spaces + 2, topics))
        away[:-2] = sums / lengths[:, None] - self.missing[:-2]
        if mean is not None and self.directions.size:
            away[-2] = unit(mean - self.centre) @ self.directions - self.missing[-2]
        if marks is not None and self.kinds is not None:
            away[-1] = self.kinds.scores(marks) - self.missing[-1]
        return np.asarray((self.scale * away).sum(axis=0) + self.shift, np.float64)

    def word_parts(self, places: Places, counts: Floats, topic: int) -> Doubles:
        """What each place adds to a topic's log odds by the spaces of words: float64[d']."""
        squares, topics = self.squares[places], len(self.shift)
        lengths = np.sqrt(np.maximum((counts * counts) @ squares, 1e-12))
        columns = self.weights[places][:, topic::topics] / lengths
        return np.asarray(counts * (columns @ self.scale[:-2, topic]), np.float64)

    def kind_parts(self, marks: TermIds, topic: int) -> dict[int, float]:
        """What each mark of a page adds to a topic's log odds, by its id."""
        if self.kinds is None:
            return {}
        scale = float(self.scale[-1, topic])
        return {one: part * scale for one, part in self.kinds.parts(marks, topic).items() if scale}
