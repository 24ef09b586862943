"""Why a crawl has fetched nothing at all: what became of each of its seeds."""

from __future__ import annotations

from clew.crawl.parts import Parts
from clew.crawl.patience import Patience
from clew.model import Outcome
from clew.urls.canonical import host, key

SHOWN = 10
"""Seeds that are named, at most."""


def why_nothing(parts: Parts, patience: Patience) -> tuple[str, ...]:
    """A line for each of the first seeds of a crawl that has fetched nothing; none when it has, or may still. That an
    archive or folder lacks a seed is no failure."""
    if parts.progress.fetched:
        return ()
    seeds = [url for _, batch in parts.store.links.batches(seeds=True) for url in batch.links.urls]
    resting = {one.name: one.reason for one in patience.resting.values()}
    reasons = []
    for url in seeds:
        refusal = parts.store.links.refusal(key(url))
        _, alone = patience.alone.get(key(url), (0, ""))
        reason = refusal.reason if refusal is not None else resting.get(host(url), alone)
        if reason and (refusal is None or refusal.outcome is not Outcome.ABSENT):
            reasons.append(f"{url}: {reason}")
    more = [f"and {len(reasons) - SHOWN:,} more"] if len(reasons) > SHOWN else []
    return (*reasons[:SHOWN], *more)
