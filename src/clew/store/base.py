"""The Store contract: what is remembered of a crawl, committed a group of visits at a time.

Everything written since the last ``commit`` is one transaction: killing the process at any instant loses no
committed group, keeps none by half, and records no visit twice. Reading sees what was written, committed or not.

The links of a page, with all the evidence about them, are one **packed row**. A row's number is that of the visit
that found the links; rows of seeds are numbered 0, -1, -2 ... in the order they were added. A store belongs to one
thread. Every method raises StoreError when what is on disk cannot be read or written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from clew.model import (
    Bools,
    Decision,
    Doubles,
    Floats,
    Ints,
    Judgement,
    Keys,
    LinkBatch,
    LinkKind,
    Outcome,
    Response,
    Session,
    Source,
    Visit,
)

HostIds = npt.NDArray[np.uint32]
LinkRow = tuple[int, Keys, HostIds, Floats]
"""A packed row without its evidence: row, keys uint64[n], hosts uint32[n], scores float32[n]."""


class Place(Protocol):
    """Where a link lies: place ``index`` of packed row ``row`` (a frontier's Lease is one)."""

    @property
    def row(self) -> int: ...

    @property
    def index(self) -> int: ...


@dataclass(frozen=True, slots=True)
class VisitRow:
    """A visit for lists, reports and exports. ``row`` and ``link_index`` say where its link lies; ``score`` is the
    link's score when it was taken. ``topic`` and ``confidence`` are None where no page was judged. ``warc_file``
    is "" where nothing was archived."""

    number: int
    key: int
    url: str
    host: str
    status: int
    outcome: Outcome
    reason: str
    row: int
    link_index: int
    kind: LinkKind
    score: float
    depth: int
    hops: int
    tunnel: int
    relevance: float
    relevant: bool
    topic: int | None
    confidence: float | None
    title: str
    language: str
    content_type: str
    charset: str
    canonical: str
    digest: str
    bytes: int
    fetched_at: float
    elapsed_s: float
    attempt: int
    requests: int
    noindex: bool
    from_cache: bool
    location: str
    warc_file: str
    warc_offset: int

    @property
    def source(self) -> int:
        """Number of the visit whose page the link stands on; 0 for seeds."""
        return max(self.row, 0)

    @property
    def judged(self) -> bool:
        """Whether a page was read and judged."""
        return self.topic is not None


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of a whole crawl. ``fetched`` are visits and the tries that were repeated; ``robots`` requests for
    robots.txt; ``bytes`` of decoded bodies; ``failed`` and ``redirects`` are visits that ended so."""

    fetched: int
    visits: int
    relevant: int
    failed: int
    redirects: int
    refused: int
    absent: int
    robots: int
    bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """All visits in the order of fetching, as columns: relevance float32[n], relevant bool[n], depth int32[n],
    hosts uint32[n] (host ids), fetched_at float64[n]."""

    relevance: Floats
    relevant: Bools
    depth: Ints
    hosts: HostIds
    fetched_at: Doubles


@dataclass(frozen=True, slots=True)
class Refusal:
    """A URL that was never asked for and never will be (``outcome`` REFUSED or ABSENT), and where its link lies."""

    key: int
    url: str
    row: int
    link_index: int
    outcome: Outcome
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The latest saved state of that name: after session ``session`` and visit ``visit``."""

    session: int
    visit: int
    state: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Rejudged:
    """What becomes of visit ``number`` when its page is judged again. ``judgement`` None: as it was judged before.
    ``source``: what its links are known by from now on, None where it has none."""

    number: int
    judgement: Judgement | None
    relevance: float
    relevant: bool
    tunnel: int
    reason: str
    source: Source | None


JudgedColumns = tuple[npt.NDArray[np.int64], Keys, HostIds, Ints, Floats, Floats, Floats, Bools]
"""numbers, keys, hosts, topics, confidence, relevance, scores [n, topics], relevant of all judged pages."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session that ended at time ``at``, and whether all links were scored again."""

    session: Session
    rescored: bool
    at: float


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """An entry of the decision log: written at ``at``, in ``session``, after ``visit``."""

    at: float
    session: int
    visit: int
    decision: Decision


class Store(Protocol):
    """What is remembered. Use: ``open``, read and write, ``commit`` now and then, ``close``."""

    def open(self, *, read_only: bool = False) -> None:
        """Open or make the store and bring an older one up to date.

        For writing it is locked: ProjectError names the process that holds it. ``read_only`` takes no lock and
        sees the crawl as it was at this moment (``refresh`` moves on).
        """
        ...

    def close(self) -> None:
        """Let go of files and lock; what was not committed is forgotten. Safe to call twice."""
        ...

    def refresh(self) -> None:
        """Read-only stores: see what was committed since. A reader that stays long must call it now and then."""
        ...

    def commit(self) -> None:
        """Make everything written so far last.

        When this or any writing raises StoreError because of what is on disk, nothing of the group was written,
        and the store takes nothing more until it is opened again.
        """
        ...

    # -- writing ------------------------------------------------------------------------------------------

    @property
    def next_number(self) -> int:
        """The number the next visit must have."""
        ...

    def add_visit(
        self,
        visit: Visit,
        place: Place,
        hosts: HostIds | None = None,
        scores: Doubles | None = None,
        warc: tuple[str, int] | None = None,
    ) -> None:
        """Record a visit; its links too when it has any, with their host ids and scores (NaN: do not follow).

        ``warc`` is the archive file and the offset of its records. Raises StoreError when the URL was visited.
        """
        ...

    def add_seeds(self, batch: LinkBatch, hosts: HostIds, scores: Doubles) -> int:
        """One more packed row of seeds; returns its number."""
        ...

    def refuse(self, key: int, url: str, *, row: int, index: int, outcome: Outcome, reason: str, at: float) -> None:
        """Set a URL aside for good; the first refusal of a URL counts."""
        ...

    def admit(self, key: int) -> None:
        """Take back the refusal of a URL."""
        ...

    def forgive(self, reason: str) -> None:
        """Take back all refusals whose reason begins with ``reason``: their links wait again after a rebuild."""
        ...

    def retry(self, key: int, attempts: int, reason: str, ready_at: float) -> None:
        """A URL was tried ``attempts`` times so far and will be tried again."""
        ...

    def count(self, kind: str, n: int) -> None:
        """Add ``n`` requests of a kind (ok, redirect, failed, retried, robots, examples ...) to the ledger."""
        ...

    def touch_host(self, host: int, ready_at: float) -> None:
        """The host may not be visited before ``ready_at``; of several times the latest counts."""
        ...

    def add_session(self, session: Session, *, rescored: bool, at: float) -> None:
        """A session ended."""
        ...

    def add_decision(self, decision: Decision) -> None:
        """Write to the decision log."""
        ...

    def checkpoint(self, name: str, session: int, visit: int, state: bytes) -> None:
        """Save a state; it replaces the last one of that name."""
        ...

    def update_scores(self, rows: Iterable[tuple[int, Doubles]]) -> None:
        """New scores for packed rows, one float a link; memory holds a few hundred rows at a time.

        Raises StoreError, and undoes the group, when a row does not exist or has another number of links.
        """
        ...

    def update_judgements(self, rows: Iterable[Rejudged]) -> None:
        """Pages were judged again: change visits, the sources of their links, and the history of their hosts."""
        ...

    def add_example(self, line: str, topic: int, response: Response) -> None:
        """Keep an example page, as fetched, under the line that names it; it replaces the last one."""
        ...

    def set_archive(self, file: str, length: int) -> None:
        """Archive bytes up to here belong to what is committed."""
        ...

    def set_clock(self, now: float) -> None:
        """The crawl's time at this commit."""
        ...

    # -- hosts --------------------------------------------------------------------------------------------

    def host_id(self, name: str) -> int:
        """The host's number in this store; a new name gets the next one."""
        ...

    def host_ids(self, names: Sequence[str]) -> HostIds:
        """uint32[n]: host numbers of names."""
        ...

    def host_name(self, host: int) -> str:
        """The name of a host number."""
        ...

    def host_stats(self, ids: HostIds) -> tuple[Floats, Floats]:
        """float32[n] each: visits to these hosts so far (redirects apart), and how many were relevant."""
        ...

    def host_ready(self) -> list[tuple[int, float]]:
        """(host, time before which it may not be visited) of every host with such a time."""
        ...

    # -- links --------------------------------------------------------------------------------------------

    def link_rows(self) -> Iterator[LinkRow]:
        """Every packed row without its evidence, in the order added; reads nothing else."""
        ...

    def batch(self, row: int) -> LinkBatch:
        """A packed row with all its evidence; host history as it is now."""
        ...

    def row_scores(self, row: int) -> Floats:
        """The scores of a packed row's links, float32[n]: when they were found, or last scored again."""
        ...

    def batches(self) -> Iterator[tuple[int, LinkBatch]]:
        """(row, batch) of every packed row, in the order added."""
        ...

    def find_links_to(self, key: int) -> Iterator[tuple[int, int, float]]:
        """(row, index, score) of every link to a URL, in the order added; looks through all rows."""
        ...

    def opened_rows(self) -> set[int]:
        """Packed rows of which a link was taken: one was visited, or set aside when its turn came."""
        ...

    def seed_urls(self) -> set[str]:
        """The URLs of all seed rows."""
        ...

    def done_keys(self) -> Keys:
        """Sorted distinct keys of all URLs visited, refused or absent."""
        ...

    def retries(self) -> dict[int, int]:
        """Key → tries so far, of URLs that wait for another try."""
        ...

    # -- visits -------------------------------------------------------------------------------------------

    def visited(self, key: int) -> bool:
        """Whether the URL was visited."""
        ...

    def visit(self, number: int) -> VisitRow | None:
        """A visit by its number."""
        ...

    def visit_by_key(self, key: int) -> VisitRow | None:
        """A visit by its URL's key."""
        ...

    def visits(
        self, *, after: int = 0, relevant: bool | None = None, outcome: Outcome | None = None
    ) -> Iterator[VisitRow]:
        """Visits with a number above ``after``, in the order of fetching, filtered where asked."""
        ...

    def path_to(self, number: int) -> list[VisitRow]:
        """The visits that led to this one, from the seed on, itself last."""
        ...

    def replay(self, after: int = 0) -> Iterator[Visit]:
        """Visits above ``after`` as ``Strategy.learn`` saw them: evidence, scores, judgement, and host history as
        it was before each; visits added meanwhile are left out.

        Not kept: ``page`` (None), the response's headers and body (empty), its own reason (the visit's instead).
        """
        ...

    def judged(self) -> JudgedColumns:
        """All judged pages as columns, in the order of their visits."""
        ...

    def urls_by_number(self) -> dict[int, str]:
        """Visit number → URL."""
        ...

    def relevance_flags(self) -> Iterator[bool]:
        """Whether each visit was relevant, in the order of fetching."""
        ...

    def relevant_between(self, first: int, last: int) -> int:
        """How many of the visits ``first`` to ``last`` (both included) were relevant."""
        ...

    def refusal(self, key: int) -> Refusal | None:
        """Why a URL was set aside, if it was."""
        ...

    def totals(self) -> Totals:
        """Counts of the whole crawl."""
        ...

    def series(self) -> Series:
        """All visits as columns, for curves."""
        ...

    def ledger(self) -> dict[str, int]:
        """Requests by kind."""
        ...

    # -- the rest -----------------------------------------------------------------------------------------

    def sessions_ended(self) -> int:
        """Number of the last session that ended, 0 if none."""
        ...

    def sessions(self) -> list[SessionRow]:
        """All sessions that ended, in order."""
        ...

    def decisions(self) -> Iterator[DecisionRow]:
        """The decision log, oldest first."""
        ...

    def last_checkpoint(self, name: str) -> Checkpoint | None:
        """The latest state saved under a name."""
        ...

    def examples(self) -> list[tuple[str, int, Response]]:
        """(line, topic, response) of every example kept, in the order of first keeping."""
        ...

    def archive(self) -> tuple[str, int] | None:
        """What ``set_archive`` last committed."""
        ...

    def clock(self) -> float:
        """What ``set_clock`` last committed; 0.0 at first."""
        ...
