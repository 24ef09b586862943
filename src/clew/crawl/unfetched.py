"""What became of seeds that gave no page; why a crawl has fetched nothing at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from clew.crawl.parts import Parts
from clew.crawl.patience import Patience
from clew.model import Outcome
from clew.urls.canonical import host, key

SHOWN = 10
"""Seeds that are named, at most."""


def why_nothing(parts: Parts, patience: Patience) -> tuple[str, ...]:
    """A line for each of the first seeds of a crawl that has fetched nothing; none when it has, or may still. That an
    archive or folder lacks a seed is no failure."""
    return () if parts.progress.fetched else _lines(parts, patience, {Outcome.ABSENT})


def seeds_lost(parts: Parts, patience: Patience) -> tuple[str, ...]:
    """A line for each of the first seeds that gave no page: refused, failed, not in this web, or on a host that does
    not answer. Those whose turn has not come are none of them."""
    return _lines(parts, patience)


def _lines(parts: Parts, patience: Patience, but: Collection[Outcome] = ()) -> tuple[str, ...]:
    seeds = dict.fromkeys(url for _, batch in parts.store.links.batches(seeds=True) for url in batch.links.urls)
    resting = {one.name: one.reason for one in patience.resting.values()}
    reasons = [f"{url}: {reason}" for url in seeds if (reason := _why(parts, patience, resting, url, but))]
    more = [f"and {len(reasons) - SHOWN:,} more"] if len(reasons) > SHOWN else []
    return (*reasons[:SHOWN], *more)


def _why(parts: Parts, patience: Patience, resting: Mapping[str, str], url: str, but: Collection[Outcome]) -> str:
    """Why a seed gave no page, unless by an outcome of ``but``; "" where it did, or may still."""
    refusal = parts.store.links.refusal(key(url))
    if refusal is not None:
        return "" if refusal.outcome in but else refusal.reason or str(refusal.outcome)
    visit = parts.store.visits.by_key(key(url))
    if visit is not None:
        failed = visit.outcome is Outcome.FAILED
        return (visit.reason or f"status {visit.status}") if failed else ""
    return resting.get(host(url), patience.alone.get(key(url), (0, ""))[1])
