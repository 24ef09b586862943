"""The Store contract: what is remembered of a crawl, committed a group of visits at a time.

A store has six facets: visits, links, documents, hosts, journal and examples. Whatever is written to any of them since
the last ``commit`` is one transaction: killing the process at any instant loses no committed group, keeps none by half,
and records no visit twice. Reading sees what was written, committed or not.

The links of a page, with all the evidence about them, are one **packed row**. A row's number is that of the visit
that found the links; rows of seeds are numbered 0, -1, -2 ... in the order they were added. A store belongs to one
thread. Every method raises StoreError when what is on disk cannot be read or written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from clew.model import Bools, Decision, Doubles, Floats, Keys, LinkBatch, LinkKind, Outcome, Response, Session, Visit
from clew.store.records import (
    DecisionRow,
    DocumentRow,
    HostIds,
    JudgedColumns,
    LinkRow,
    Order,
    Place,
    PrintRow,
    Refusal,
    Rejudged,
    RunEnd,
    RunRecord,
    SavedState,
    Selection,
    Series,
    SessionRow,
    TopicCount,
    Totals,
    VisitRow,
)


class Store(Protocol):
    """What is remembered. Use: ``open``, read and write the facets, ``commit`` now and then, ``close``."""

    @property
    def visits(self) -> VisitStore:
        """What was fetched, and how it was judged."""

    @property
    def links(self) -> LinkStore:
        """The links found, and what became of URLs that were not visited."""

    @property
    def documents(self) -> DocumentStore:
        """Documents that were not read, with what they inherit."""

    @property
    def hosts(self) -> HostStore:
        """Hosts as numbers, with their history."""

    @property
    def journal(self) -> Journal:
        """How the crawl went: runs, sessions, decisions, requests, saved states."""

    @property
    def examples(self) -> ExampleStore:
        """The example pages, as they were fetched."""

    def open(self, *, read_only: bool = False) -> None:
        """Open or make the store and bring an older one up to date.

        For writing it is locked: ProjectError names the process that holds it. ``read_only`` takes no lock and
        sees the crawl as it was at this moment (``refresh`` moves on).
        """

    def close(self) -> None:
        """Let go of files and lock; what was not committed is forgotten. Safe to call twice."""

    def refresh(self) -> None:
        """Read-only stores: see what was committed since. A reader that stays long must call it now and then."""

    def commit(self) -> None:
        """Make everything written so far last.

        When this or any writing raises StoreError because of what is on disk, nothing of the group was written,
        and the store takes nothing more until it is opened again. After DiskFullError the group is kept in memory:
        ``commit`` may be called again when there is room.
        """

    def renumber(self, places: Sequence[int], topics: int) -> None:
        """Topics have other numbers: that of topic i is ``places[i]`` from now on, -1 where it is gone, and there are
        ``topics``. Whatever is kept by topic moves with it: judgements, sources of links, archetypes, example pages,
        documents. A page of a topic that is gone belongs to none; new topics have a score of 0 on all pages. Relevance
        stays as it was judged."""


class VisitStore(Protocol):
    """Visits in the order of fetching, numbered from 1."""

    @property
    def next_number(self) -> int:
        """The number the next visit must have."""

    def add(
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

    def update(self, rows: Iterable[Rejudged]) -> None:
        """Pages were judged again: change visits, the sources of their links, and the history of their hosts."""

    def unarchive(self, numbers: Iterable[int]) -> None:
        """The archive lost the records of these visits: they point nowhere."""

    def ask_again(self, numbers: Iterable[int]) -> None:
        """The URLs of these visits count as not visited, and may be visited once more. The visits stay as they are, the
        tries before them count, and ``by_key`` gives the later visit only."""

    def visited(self, key: int) -> bool:
        """Whether the URL was visited."""

    def get(self, number: int) -> VisitRow | None:
        """A visit by its number."""

    def by_key(self, key: int) -> VisitRow | None:
        """A visit by its URL's key."""

    def rows(
        self, *, after: int = 0, relevant: bool | None = None, outcome: Outcome | None = None
    ) -> Iterator[VisitRow]:
        """Visits with a number above ``after``, in the order of fetching, filtered where asked."""

    def many(self, numbers: Sequence[int] | npt.NDArray[np.int64]) -> Iterator[VisitRow]:
        """Visits by their numbers, in the order of ``numbers``, a few hundred read at a time; unknown ones are left
        out."""

    def best(self) -> npt.NDArray[np.int64]:
        """int64[n]: the numbers of the relevant visits, by falling relevance, equals in the order of fetching."""

    def listed(
        self, which: Selection, order: Order = "relevance", *, limit: int = 50, offset: int = 0
    ) -> npt.NDArray[np.int64]:
        """int64[<= limit]: numbers of judged visits, in an order, after the first ``offset``. Reads an index alone."""

    def count(self, which: Selection) -> int:
        """How many judged visits these are. Reads an index alone."""

    def by_topic(self) -> list[TopicCount]:
        """The judged visits counted by topic, in the order of topics. Reads an index alone."""

    def near(self, relevance: float, limit: int) -> npt.NDArray[np.int64]:
        """int64[<= limit]: the judged visits whose relevance is nearest to this one, equals in the order of
        fetching."""

    def sound(self, last: int) -> npt.NDArray[np.int64]:
        """int64[n]: the numbers of the visits up to ``last`` that gave a page of their own, in the order of fetching:
        it was read and judged, repeats no other, and nothing (a ``reason``) is said against it."""

    def standing(self, numbers: Sequence[int]) -> Iterator[tuple[int, int | None, float, bool]]:
        """(number, topic, relevance, relevant) of these visits, in the order of fetching; unknown ones are left out."""

    def unjudged(self) -> Iterator[VisitRow]:
        """Visits that gave no page to judge, with the reason, in the order of fetching; without those whose URLs were
        forgotten, or do not count as visited by them any more (``ask_again``)."""

    def by_host(self, kind: LinkKind) -> dict[str, int]:
        """How many URLs were visited by links of a kind, by the names of their hosts."""

    def prints(self, after: int = 0) -> Iterator[PrintRow]:
        """The fingerprints of pages of visits above ``after``, in their order."""

    def path_to(self, number: int) -> list[VisitRow]:
        """The visits that led to this one, from the seed on, itself last."""

    def urls(self, numbers: Iterable[int] | None = None) -> dict[int, str]:
        """Visit number → URL, of these visits (in that order; unknown numbers are left out) or of all."""

    def urls_on(self, hosts: Sequence[str]) -> Iterator[str]:
        """The URLs of pages visited on these hosts, in the order of fetching."""

    def replay(self, after: int = 0) -> Iterator[Visit]:
        """Visits above ``after`` as ``Strategy.learn`` saw them: evidence, scores, judgement, and host history as
        it was before each; visits added meanwhile are left out.

        Not kept: ``barren`` (False), ``page`` (None), the response's headers and body (empty), its own reason (the
        visit's instead).
        """

    def judged(self, after: int = 0, most: int = -1) -> JudgedColumns:
        """All judged pages as columns, in the order of their visits; or those above ``after``, ``most`` of them."""

    def reasons(self, after: int = 0) -> Iterator[tuple[int, str]]:
        """(number, reason) of the judged visits above ``after`` that have one, in the order of fetching."""

    def relevant(self, first: int = 1, last: int | None = None) -> Bools:
        """bool[n]: whether each of the visits ``first`` to ``last`` (both included; None: the last) was relevant."""

    def sources(self) -> npt.NDArray[np.int64]:
        """int64[n]: the packed row on which the link of each visit stood, in the order of fetching."""

    def series(self) -> Series:
        """All visits as columns, for curves."""

    def totals(self) -> Totals:
        """Counts of the whole crawl."""


class LinkStore(Protocol):
    """Packed rows of links, and URLs that are no visits: set aside for good, or to be tried again."""

    def add_seeds(self, batch: LinkBatch, hosts: HostIds, scores: Doubles) -> int:
        """One more packed row of seeds; returns its number."""

    def rows(self) -> Iterator[LinkRow]:
        """Every packed row without its evidence, in the order added; reads nothing else."""

    def batch(self, row: int) -> LinkBatch:
        """A packed row with all its evidence; host history as it is now."""

    def batches(self, *, seeds: bool = False) -> Iterator[tuple[int, LinkBatch]]:
        """(row, batch) of every packed row, or of those of seeds only, in the order added."""

    def scores(self, row: int) -> Floats:
        """The scores of a packed row's links, float32[n]: when they were found, or last scored again."""

    def update_scores(self, rows: Iterable[tuple[int, Doubles]]) -> None:
        """New scores for packed rows, one float a link; memory holds a few hundred rows at a time.

        Raises StoreError, and undoes the group, when a row does not exist or has another number of links.
        """

    def some(self, rows: Sequence[int]) -> Iterator[LinkRow]:
        """These packed rows without their evidence, in the order added; rows that there are not are left out."""

    def find(self, key: int, limit: int = -1) -> Iterator[tuple[int, int, float]]:
        """(row, index, score) of every link to a URL, in the order added; of the first ``limit`` rows that have one
        where it is not negative. Looks through all rows."""

    def opened(self) -> set[int]:
        """Packed rows of which a link was taken: one was visited, or set aside when its turn came."""

    def refuse(self, key: int, url: str, *, row: int, index: int, outcome: Outcome, reason: str, at: float) -> None:
        """Set a URL aside for good; the first refusal of a URL counts."""

    def readmit(self, key: int | None = None, *, reason: str = "") -> None:
        """Take back the refusal of a URL, or all whose reason begins with ``reason``: their links wait again after a
        rebuild. One of the two must be given."""

    def refusal(self, key: int) -> Refusal | None:
        """Why a URL was set aside, if it was."""

    def refusals(self) -> Iterator[Refusal]:
        """Every URL that was set aside, in the order of their keys."""

    def retry(self, key: int, attempts: int, reason: str, ready_at: float) -> None:
        """A URL was tried ``attempts`` times so far and will be tried again."""

    def retries(self) -> dict[int, int]:
        """Key → tries so far, of URLs that wait for another try."""

    def waiting(self, above: float = -inf) -> int:
        """How many URLs have a link that may be followed and are not done: what the frontier would hold. ``above``:
        only those with a link of a higher score."""

    def done_keys(self) -> Keys:
        """Sorted distinct keys of all URLs visited, refused or absent."""


class DocumentStore(Protocol):
    """Documents that inherit, one row a URL."""

    def offer(self, row: DocumentRow) -> None:
        """A page links to a document. The best page counts: a relevant one first, then the higher relevance, then the
        one that was offered first."""

    def get(self, key: int) -> DocumentRow | None:
        """A document by its URL's key."""

    def all(self) -> list[DocumentRow]:
        """Every document, in the order of the visits they inherit from, then of the links there."""

    def clear(self) -> None:
        """Forget all of them, so that they can be offered anew."""


class HostStore(Protocol):
    """Hosts as numbers from 0 in the order of first sight, and what the crawl saw of each."""

    def ids(self, names: Sequence[str]) -> HostIds:
        """uint32[n]: host numbers of names; a new name gets the next one."""

    def name(self, host: int) -> str:
        """The name of a host number."""

    def stats(self, ids: HostIds) -> tuple[Floats, Floats]:
        """float32[n] each: visits to these hosts so far (redirects apart), and how many were relevant."""

    def touch(self, host: int, ready_at: float) -> None:
        """The host may not be visited before ``ready_at``; of several times the latest counts."""

    def ready(self) -> list[tuple[int, float]]:
        """(host, time before which it may not be visited) of every host with such a time."""

    def sooner(self, seconds: float, latest: float) -> None:
        """The clock was set back by so many seconds: the times before which hosts may not be visited are so much
        earlier, and none is later than ``latest``."""

    def fell_silent(self, host: int, reason: str) -> None:
        """The host does not answer as it should; ``reason`` says how, in words; empty: it does again."""

    def count(self) -> int:
        """How many hosts have a number."""

    def silent(self) -> dict[int, str]:
        """The hosts that do not answer, and why."""

    def spend(self, host: int, fetches: int) -> None:
        """So many more requests for pages were sent to a host, whatever came of them."""

    def spent(self, host: int) -> int:
        """How many requests for pages a host was sent: pages, redirects, failures and tries that were repeated."""


class Journal(Protocol):
    """How the crawl went, and what it needs to go on."""

    archetypes: dict[int, tuple[int, ...]]
    """Visit numbers by topic: pages of the crawl with which the judge was last trained, besides the examples."""

    clock: float
    """The crawl's time at the last commit; 0.0 at first. Set it before a commit."""

    @property
    def archive(self) -> tuple[str, int] | None:
        """(file, length): archive bytes up to here belong to what is committed; None before any do."""

    @archive.setter
    def archive(self, mark: tuple[str, int]) -> None: ...

    def count(self, kind: str, n: int) -> None:
        """Add ``n`` requests of a kind (ok, redirect, failed, retried, robots, examples ...) to the ledger."""

    def ledger(self) -> dict[str, int]:
        """Requests by kind."""

    def add_session(self, session: Session, *, rescored: bool, at: float) -> None:
        """A session ended."""

    @property
    def last_session(self) -> int:
        """Number of the last session that ended, 0 if none."""

    def sessions(self) -> list[SessionRow]:
        """All sessions that ended, in order."""

    def add_decision(self, decision: Decision) -> None:
        """Write to the decision log."""

    def decisions(self) -> Iterator[DecisionRow]:
        """The decision log, oldest first."""

    def begin_run(self, run: RunRecord) -> None:
        """A run begins after the visits so far."""

    def last_run(self) -> RunRecord | None:
        """The run that began last."""

    def end_run(self, end: RunEnd) -> None:
        """The run that began last ended so."""

    def last_end(self) -> RunEnd | None:
        """How the run that began last ended; None while it goes on, and where it was killed."""

    def save(self, strategy: str, visit: int, state: bytes) -> None:
        """Save what a strategy learned up to visit ``visit``; it replaces its last state."""

    def saved(self, strategy: str) -> SavedState | None:
        """The last state of a strategy."""


class ExampleStore(Protocol):
    """Example pages under the lines that name them."""

    def add(self, line: str, topic: int, response: Response) -> None:
        """Keep an example page, as fetched, under the line that names it; it replaces the last one."""

    def all(self) -> list[tuple[str, int, Response]]:
        """(line, topic, response) of every example kept, in the order of first keeping."""

    def names(self) -> list[tuple[str, int]]:
        """(line, topic) of every example kept, in the order of first keeping; reads no page."""
