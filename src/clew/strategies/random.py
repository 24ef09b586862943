"""Random order: the floor below every strategy that looks at anything.

Score of a link: a number in [0, 1) that the crawl's seed and the URL alone decide; seeds score 1.

=========  ============================================================
symbol     name
=========  ============================================================
k          ``Links.keys``: the 64-bit key of the link's URL
s          64 bits drawn once from ``View.rng``, so from the crawl's seed
mix        the finaliser of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, figure 15)
=========  ============================================================

    score = mix(k + s) / 2⁶⁴, its first 53 bits

No paper defines it. The score belongs to the URL, so it is the same from whatever page a link comes, which keeps
well-linked pages from going sooner; and the target of a redirect, another URL, has a score of its own. It learns
nothing and never adapts.
"""

from __future__ import annotations

import numpy as np

from clew.model import SEEDS, Doubles, Keys, LinkBatch
from clew.strategies.base import UNCHANGED, Strategy, View

STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
"""Of SplitMix64's finaliser: how far to shift, and what to multiply by. A last shift by 31 follows."""


class RandomOrder(Strategy):
    """Waiting links in an order that was fixed by chance."""

    name = "random"
    presets = UNCHANGED
    by_worth = False

    def __init__(self) -> None:
        self.salt = np.uint64(0)

    def begin(self, view: View) -> None:
        """Draw the salt from the crawl's seed."""
        self.salt = view.rng(self.name).integers(1 << 64, dtype=np.uint64)

    def score(self, links: LinkBatch) -> Doubles:
        seeds = np.array([kind in SEEDS for kind in links.links.kinds], np.bool_)
        return np.where(seeds, 1.0, fractions(links.links.keys + self.salt))

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        if links.links.kinds[index] in SEEDS:
            return ["random: a seed, so its score is 1"]
        return [f"random: {float(self.score(links)[index]):.3f}, drawn for this URL from the crawl's seed"]


def fractions(keys: Keys) -> Doubles:
    """float64[n] in [0, 1): each key mixed until every bit depends on all of it, and its first 53 bits taken."""
    mixed = keys.copy()
    for shift, factor in STEPS:
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
