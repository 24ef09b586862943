"""Best-first order: the baseline crawler of S. Chakrabarti, K. Punera, M. Subramanyam, "Accelerated Focused
Crawling through Online Relevance Feedback", WWW 2002, section 2.1.

Score of a link (u, v): Pr(c*|u), the relevance of the page u on which it stands.

=========  =====================================================
symbol     name
=========  =====================================================
u          ``LinkBatch.source``
v          the link's page, not yet seen
c*         the user's interest
Pr(c*|u)   ``Source.relevance``
=========  =====================================================

Departures. (1) The paper freezes the score at the first page u that was seen to link to v; by default the
best such score counts (``crawl.duplicates = "first"`` gives the paper's rule). (2) A page's relevance comes
from any judge; with naive Bayes it is length-normalised, so that scores do not pile up at 0 and 1 and the
order among links stays meaningful. Ties go by first sight. Seeds score 1.
"""

from __future__ import annotations

import numpy as np

from clew.model import Doubles, LinkBatch
from clew.strategies.base import UNCHANGED, Strategy


class BestFirst(Strategy):
    """Links of the most relevant pages first."""

    name = "best-first"
    presets = UNCHANGED

    def score(self, links: LinkBatch) -> Doubles:
        return np.full(len(links), links.source.relevance, np.float64)

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        source = links.source
        if not source.url:
            return ["best-first: a seed, so its score is 1"]
        return [f"best-first: the relevance of the page it stands on, {source.relevance:.3f} ({source.url})"]
