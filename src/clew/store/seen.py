"""Which keys a table may hold: nearly always enough to say that it has not got one without asking it."""

from __future__ import annotations

import numpy as np

from clew.model import Keys

BITS = 22
_MASK = (1 << BITS) - 1


class Seen:
    """Keys by their lowest 22 bits, a byte for each value (keys are hashes). There is no removal."""

    def __init__(self, keys: Keys) -> None:
        self._marks = np.zeros(1 << BITS, np.uint8)
        self._marks[keys & np.uint64(_MASK)] = 1

    def add(self, key: int) -> None:
        """One more key."""
        self._marks[key & _MASK] = 1

    def __contains__(self, key: int) -> bool:
        """False: it was never added. True: it was, or one like it."""
        return bool(self._marks.item(key & _MASK))
