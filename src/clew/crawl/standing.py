"""How a running crawl stands, for whoever watches it: figures, stopping rules, queues, links and hosts. All of it can
be written as JSON, and holds no NaN."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

import numpy as np

from clew.crawl.loop import Loop
from clew.crawl.stopping import Nearness
from clew.crawl.waiting import WaitingLink, waiting_link
from clew.frontier.base import Frontier
from clew.model import Doubles
from clew.store.base import Store
from clew.urls.canonical import host

HostState = Literal["active", "waiting", "resting", "refused"]

SAMPLE: Final = 20_000
"""Refused URLs that are looked at, at most; a larger crawl tells of a sample, since they come in no order."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Of the pages that count as relevant, the share that is so as the judge sees it, with an interval of 90 %."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class QueueNow:
    """As ``strategies.base.Queue``; ``links``: waiting links in it, None where it is no queue of links."""

    name: str
    words: str
    value: float | None
    links: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The crawl at one moment. Counts are of the whole crawl; ``fetched_now``, ``seconds`` (pauses do not count),
    ``paused_s``, ``pages_per_s`` and ``best_waited`` are of this run, ``recent_pages_per_s`` is of its last 30 seconds.

    ``requests`` wait for their answers, ``pages`` were fetched and are not applied yet. ``waits_for``: what is waited
    for, in words, when nothing else is done. ``stops``: how often the crawl was asked to stop; ``stopped_by``: the rule
    that stops it. ``options``: what the user said for this run. ``session``: the last one that ended.
    """

    fetched: int
    fetched_now: int
    visits: int
    relevant: int
    harvest_rate: float
    window_rate: float
    pages_per_s: float
    recent_pages_per_s: float
    seconds: float
    paused_s: float
    failed: int
    redirects: int
    refused: int
    absent: int
    robots: int
    bytes: int
    waiting: int
    parked: int
    hosts_active: int
    hosts_waiting: int
    hosts_resting: int
    requests: int
    pages: int
    waits_for: str
    strategy: str
    judge: str
    web: str
    options: dict[str, str | int | float]
    precision: Precision | None
    paused: bool
    stops: int
    stopped_by: str
    best_waited: float
    session: int
    rules: list[Nearness]
    queues: list[QueueNow]


@dataclass(frozen=True, slots=True)
class Band:
    """Waiting links with scores from ``low`` to below ``high`` (the last band: up to it)."""

    low: float
    high: float
    links: int


@dataclass(frozen=True, slots=True)
class Bands:
    """All waiting links by score; ``first`` of them are in a tier above 0 and come before all others."""

    bands: list[Band]
    first: int


@dataclass(frozen=True, slots=True)
class HostNow:
    """A host with its waiting links, or the URLs of it that were refused. ``why``: why it rests or what the most were
    refused for; ``until``: not visited before then, in the crawl's time; 0 where it may be visited."""

    name: str
    links: int
    why: str = ""
    until: float = 0.0


@dataclass(frozen=True, slots=True)
class HostsNow:
    """The hosts with the most links; ``of``: how many there are. ``sample``: only so many refused URLs were looked at,
    0 for all."""

    state: HostState
    of: int
    hosts: list[HostNow]
    sample: int = 0


def snapshot(loop: Loop, options: Mapping[str, str | int | float], queues: list[QueueNow]) -> Snapshot:
    """The crawl at this moment."""
    parts, progress, frontier = loop.parts, loop.parts.progress, loop.parts.frontier
    requests, pages = loop.under_way
    now = parts.clock.now()
    return Snapshot(
        fetched=progress.fetched,
        fetched_now=progress.fetched_now,
        visits=progress.visits,
        relevant=progress.relevant,
        harvest_rate=progress.harvest_rate,
        window_rate=progress.window_rate,
        pages_per_s=progress.pages_per_s,
        recent_pages_per_s=progress.recent_pages_per_s,
        seconds=progress.seconds,
        paused_s=progress.whole_pause_s,
        failed=progress.failed,
        redirects=progress.redirects,
        refused=progress.refused,
        absent=progress.absent,
        robots=progress.robots,
        bytes=progress.bytes,
        waiting=len(frontier),
        parked=frontier.parked,
        hosts_active=frontier.hosts_busy,
        hosts_waiting=frontier.hosts_waiting,
        hosts_resting=sum(one.until > now for one in loop.patience.resting.values()),
        requests=requests,
        pages=pages,
        waits_for=loop.waits_for(),
        strategy=parts.run.strategy,
        judge=parts.run.judge,
        web=parts.run.web,
        options=dict(options),
        precision=_precision(loop),
        paused=progress.paused,
        stops=loop.interrupts,
        stopped_by=parts.rules.asked,
        best_waited=progress.waited_rate,
        session=parts.store.journal.last_session,
        rules=parts.rules.nearness(progress, _best_score(loop)),
        queues=queues,
    )


def _precision(loop: Loop) -> Precision | None:
    told = loop.parts.reading.worker.judge.estimate()
    if told is None or not all(map(math.isfinite, (told.precision, told.low, told.high))):
        return None
    return Precision(told.precision, told.low, told.high)


def _best_score(loop: Loop) -> float:
    """The score of the best waiting link where a rule asks for it; NaN where none waits."""
    if not loop.parts.settings.stop.min_score:
        return math.nan
    best = loop.parts.frontier.best(1)
    return best[0].score if best else math.nan


def queues(loop: Loop) -> list[QueueNow]:
    """What the strategy says of its queues, and how many links wait in each."""
    found = loop.parts.strategy.queues()
    ordered = _ordered(loop.parts.frontier) if any(one.scores is not None for one in found) else np.empty(0)
    return [
        QueueNow(
            one.name,
            one.words,
            one.value,
            None if one.scores is None else int(np.diff(np.searchsorted(ordered, np.array(one.scores)))[0]),
        )
        for one in found
    ]


def _ordered(frontier: Frontier) -> Doubles:
    """Scores of the waiting links of tier 0, sorted."""
    scores, tiers = frontier.waiting_scores()
    return np.sort(scores[tiers == 0]).astype(np.float64)


def bands(frontier: Frontier, n: int) -> Bands:
    """Waiting links in ``n`` bands of the same width between the lowest and the highest score, one for all where these
    are equal."""
    scores, tiers = frontier.waiting_scores()
    lower = scores[tiers == 0] if tiers.any() else scores
    first = len(scores) - len(lower)
    if not len(lower):
        return Bands([], first)
    low, high = float(lower.min()), float(lower.max())
    if low == high:
        return Bands([Band(low, high, len(lower))], first)
    place = np.minimum(((lower.astype(np.float64) - low) * (n / (high - low))).astype(np.int64), n - 1)
    counts = np.bincount(place, minlength=n).tolist()
    edges = np.linspace(low, high, n + 1).tolist()
    return Bands([Band(*band) for band in zip(edges[:-1], edges[1:], counts, strict=True)], first)


def best(loop: Loop, n: int) -> list[WaitingLink]:
    """The ``n`` best waiting links, best first."""
    parts = loop.parts
    return [waiting_link(parts.store, parts.strategy, lease) for lease in parts.frontier.best(n)]


def hosts(loop: Loop, state: HostState, n: int) -> HostsNow:
    """The ``n`` hosts in a state that have the most links: *active* (a request is under way), *waiting* (links wait,
    and none is under way), *resting* (they do not answer as they should), *refused* (URLs of theirs were refused)."""
    if state == "refused":
        return refused_hosts(loop.parts.store, n)
    if state == "resting":
        return _resting(loop, n)
    columns = loop.parts.frontier.hosts()
    mine = np.flatnonzero(columns.busy if state == "active" else ~columns.busy & (columns.waiting > 0))
    order = mine[np.argsort(-columns.waiting[mine], kind="stable")[:n]]
    name, resting = loop.parts.store.hosts.name, loop.patience.resting
    found = []
    for host_id, links, ready_at in zip(
        columns.hosts[order].tolist(), columns.waiting[order].tolist(), columns.ready_at[order].tolist(), strict=True
    ):
        why = resting[host_id].reason if host_id in resting else ""
        until = ready_at if state == "waiting" and ready_at > loop.parts.clock.now() else 0.0
        found.append(HostNow(name(host_id), links, why, until))
    return HostsNow(state, len(mine), found)


def _resting(loop: Loop, n: int) -> HostsNow:
    waiting_on = loop.parts.frontier.waiting_on
    rows = [HostNow(one.name, waiting_on(key), one.reason, one.until) for key, one in loop.patience.resting.items()]
    rows.sort(key=lambda row: (-row.links, row.name))
    return HostsNow("resting", len(rows), rows[:n])


def refused_hosts(store: Store, n: int) -> HostsNow:
    """The hosts of which the most URLs were refused, and what the most of each were refused for."""
    reasons: dict[str, Counter[str]] = {}
    seen = 0
    for refusal in islice(store.links.refusals(), SAMPLE + 1):
        seen += 1
        reasons.setdefault(host(refusal.url), Counter())[refusal.reason] += 1
    rows = [HostNow(name, count.total(), count.most_common(1)[0][0]) for name, count in reasons.items()]
    rows.sort(key=lambda row: (-row.links, row.name))
    return HostsNow("refused", len(rows), rows[:n], SAMPLE if seen > SAMPLE else 0)
