"""What the judge learned, and how it scores pages with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.judges.auto.rows import unit
from clew.judges.bags import Bag, Places, Vocabulary
from clew.model import Doubles, Floats

Seen = tuple[Bag, Doubles | None]
"""A page as features, and its mean word vector if it has one."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """k topics in v spaces of words (general text's document frequencies, and the crawl's once it taught them) and in
    that of meaning.

    ``weights`` float32[V, v·k]: centroids times idf, space by space. ``squares`` float32[V, v]: idf². ``directions``
    float64[d, k] and ``centre`` float64[d]: centroids of meaning, and what is taken off a page's mean vector. Log odds
    of topic k: ``scale``[:, k] · (scores − ``missing``[:, k]) + ``shift``[k], float64[v + 1, k] and float64[k].
    """

    vocabulary: Vocabulary
    weights: Floats
    squares: Floats
    directions: Doubles
    centre: Doubles
    scale: Doubles
    missing: Doubles
    shift: Doubles

    @property
    def spaces(self) -> int:
        """v."""
        return int(self.squares.shape[1])

    def odds(self, places: Places, counts: Floats, mean: Doubles | None) -> Doubles | None:
        """Log odds float64[k] of a page given as places in the vocabulary with their weights, and its mean word vector;
        None when it holds nothing known."""
        if not len(places):
            return None
        topics = len(self.shift)
        lengths = np.sqrt(np.maximum((counts * counts) @ self.squares.take(places, axis=0), 1e-12))
        sums = (counts @ self.weights.take(places, axis=0)).reshape(self.spaces, topics)
        away = np.zeros((self.spaces + 1, topics))
        away[:-1] = sums / lengths[:, None] - self.missing[:-1]
        if mean is not None and self.directions.size:
            away[-1] = unit(mean - self.centre) @ self.directions - self.missing[-1]
        return np.asarray((self.scale * away).sum(axis=0) + self.shift, np.float64)

    def word_parts(self, places: Places, counts: Floats, topic: int) -> Doubles:
        """What each place adds to a topic's log odds by the spaces of words: float64[d']."""
        squares, topics = self.squares[places], len(self.shift)
        lengths = np.sqrt(np.maximum((counts * counts) @ squares, 1e-12))
        columns = self.weights[places][:, topic::topics] / lengths
        return np.asarray(counts * (columns @ self.scale[:-1, topic]), np.float64)
