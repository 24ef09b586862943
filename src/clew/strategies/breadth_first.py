"""Breadth-first order: the baseline of all five papers.

Score of a link: − depth, where depth is the link distance of its page from the seeds along the path that
led there. Equal depths go first in, first out (the frontier breaks ties by first sight).

=========  ==========================
symbol     name
=========  ==========================
depth      ``LinkBatch.depths``
=========  ==========================

No departures. It learns nothing and never adapts.
"""

from __future__ import annotations

import numpy as np

from clew.model import Doubles, LinkBatch
from clew.strategies.base import UNCHANGED, Strategy


class BreadthFirst(Strategy):
    """Nearest to the seeds first."""

    name = "breadth-first"
    presets = UNCHANGED
    by_worth = False

    def score(self, links: LinkBatch) -> Doubles:
        return -links.depths.astype(np.float64)

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        depth = int(links.depths[index])
        return [f"breadth-first: {depth} link{'' if depth == 1 else 's'} from the seeds, so its score is {-depth}"]
