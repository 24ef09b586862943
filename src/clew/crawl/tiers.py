"""Which links come before all others, whatever their scores: the tiers that a strategy asks for.

What a user pushed comes before all else. Rows of seeds, of pages that a strategy put on the frontier and of redirects
have the tier that the strategy says; the links of a page are in tier 0 until one of them is taken, and in
``Strategy.opened_tier`` from then on. Nothing of it is stored: which rows were opened, the visits tell.
"""

from __future__ import annotations

from collections.abc import Set

from clew.model import LinkBatch, LinkKind
from clew.store.base import Store
from clew.strategies.base import Strategy, has_tiers

FIRST_TIER = 3

AT_ONCE = frozenset({LinkKind.PROBE, LinkKind.PUSHED})

APART = frozenset({LinkKind.SEED, LinkKind.BACKLINK, LinkKind.REDIRECT})
"""Kinds of links that stand on no page; such a row has no others."""


def tier_of(strategy: Strategy, links: LinkBatch) -> int:
    """The tier of a row's links as they are found. What a host answers to a made-up URL is asked at once, and what a
    user pushed comes next."""
    if len(links) and links.links.kinds[0] in AT_ONCE:
        return FIRST_TIER
    return strategy.tier(links) if len(links) and links.links.kinds[0] in APART else 0


def opened_rows(store: Store, strategy: Strategy) -> set[int]:
    """Rows of which a link was taken; none where that makes no difference."""
    return store.links.opened() if strategy.opened_tier else set()


def row_tiers(store: Store, strategy: Strategy, opened: Set[int]) -> dict[int, int]:
    """The tiers of all stored rows that are not in tier 0. The strategy must have been restored."""
    tiers = dict.fromkeys(opened, strategy.opened_tier)
    if has_tiers(strategy):
        for row, keys, *_ in store.links.rows():
            if row <= 0 or len(keys) == 1:  # a redirect has one target
                tiers[row] = max(tier_of(strategy, store.links.batch(row)), tiers.get(row, 0))
    else:
        for row, batch in store.links.batches(seeds=True):  # probes are among them
            tiers[row] = max(tier_of(strategy, batch), tiers.get(row, 0))
    return {row: tier for row, tier in tiers.items() if tier}
