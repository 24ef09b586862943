"""Keeps a frontier that adds up evidence in step with the strategy that does so (``frontier.base.Combination``)."""

from __future__ import annotations

import numpy as np

from clew.crawl.parts import Parts
from clew.model import LinkBatch


def grow(parts: Parts, taken: int, batch: LinkBatch) -> None:
    """After a visit was learned: links of some pages add more than before, or less. ``batch``: packed row ``taken``,
    where the link of the visit stands; most often its links are those, and it is at hand."""
    combination = parts.strategy.combination
    if combination is None:
        return
    for row, more in combination.grown():
        scores = parts.store.links.scores(row).astype(np.float64)
        keys = (batch if row == taken else parts.store.links.batch(row)).links.keys
        parts.frontier.grow(row, keys, scores, more)


def rank_if_stale(parts: Parts) -> None:
    """After a page's links were added: the strategy may weigh all evidence anew."""
    combination = parts.strategy.combination
    if combination is not None and combination.stale():
        parts.frontier.rank()


def forget_news(parts: Parts) -> None:
    """Before the frontier is rebuilt, which takes everything as it is now."""
    combination = parts.strategy.combination
    if combination is not None:
        combination.grown()
        combination.stale()
