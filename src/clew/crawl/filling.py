"""How full the topics of an interest are (Sizov and others 2002), for the stopping rule ``topic_pages``."""

from __future__ import annotations

import numpy as np

from clew.strategies.base import View


def fewest_pages(view: View) -> int:
    """How many relevant pages were filed under the topic of the interest that has the fewest: of those that have
    examples, the wanted ones and all below them."""
    asked = {one.topic for one in view.examples if view.interest.concerns(one.topic)}
    topics = sorted(asked) or [view.interest.wanted]
    pages = view.pages()
    filed = pages.topics[pages.relevant]
    counts = np.bincount(filed[filed >= 0], minlength=max(topics) + 1)
    return int(counts[topics].min())
