"""What terms say by the examples that hold them."""

from __future__ import annotations

import numpy as np

from clew.model import Doubles

LIMIT = 4.0
"""No term weighs more."""

KEPT = 0.9
"""One page of one against none of one just counts: log 9 = 2.197 is 0.95 standard deviations."""


def log_odds(p: Doubles, of: float, q: Doubles, against: float) -> Doubles:
    """The weights of terms that ``p`` of ``of`` examples hold, and ``q`` of ``against`` others: float64[V].

    log (p + ½)/(P − p + ½) − log (q + ½)/(Q − q + ½), cut to ±LIMIT; 0 where that is less than KEPT of its standard
    deviations away from 0.
    """
    odds = np.log((p + 0.5) / (of - p + 0.5)) - np.log((q + 0.5) / (against - q + 0.5))
    deviation = np.sqrt(1 / (p + 0.5) + 1 / (of - p + 0.5) + 1 / (q + 0.5) + 1 / (against - q + 0.5))
    return np.where(np.abs(odds) >= KEPT * deviation, np.clip(odds, -LIMIT, LIMIT), 0.0)
