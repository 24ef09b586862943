"""Pages as TF-IDF vectors of length 1, for judges that compare directions.

    w(d,t) = tf(d,t) · idf(t) / |w(d)|,   idf(t) = log(1 + N / (1 + df(t)))

tf is the weight of feature t in page d, or 1 + log of it when that is a count. df(t) counts the examples with t and
``GENERAL_PAGES`` pages of general text (judges/background.py, or a reference corpus), N all of them: a handful of
examples does not decide what is a rare word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.judges import background
from clew.judges.bags import Bag, Places, Vocabulary
from clew.judges.base import Shares
from clew.model import Doubles, Floats

GENERAL_PAGES = 1_000.0


@dataclass(slots=True, eq=False)
class Vectors:
    """What turns bags into vectors, once it has learnt how rare they are. ``heaviest`` features of a page stay, if it
    has more: the reduced vectors of Diligenti and others 2000, which has 40; 0: all.
    """

    logarithmic: bool = True
    heaviest: int = 0
    idf: Doubles = field(default_factory=lambda: np.zeros(0, np.float64))

    def learn(
        self,
        bags: Sequence[Bag],
        vocabulary: Vocabulary,
        languages: Sequence[str],
        shares_of: Shares = background.document_shares,
    ) -> None:
        """How rare features are, from the examples and general text in their languages.

        ``shares_of`` says in which share of general pages each feature occurs: word frequencies, or a reference corpus
        (judges/reference.py).
        """
        seen = np.zeros(len(vocabulary))
        for bag in bags:
            seen[vocabulary.project(bag)[0]] += 1
        ids, shares = shares_of(languages)
        places, general = vocabulary.project((ids, shares.astype(np.float32)))
        seen[places] += general * GENERAL_PAGES
        self.idf = np.asarray(np.log1p((len(bags) + GENERAL_PAGES) / (1.0 + seen)), np.float64)

    def of(self, places: Places, counts: Floats) -> Floats:
        """Weights float32[d'], of length 1, of a page's known features."""
        tf = 1.0 + np.log(np.maximum(counts, 1.0).astype(np.float64)) if self.logarithmic else counts.astype(np.float64)
        weights = tf * self.idf[places]
        if 0 < self.heaviest < len(weights):
            weights[np.argsort(-weights, kind="stable")[self.heaviest :]] = 0.0
        return np.asarray(weights / max(float(np.sqrt(weights @ weights)), 1e-12), np.float32)
