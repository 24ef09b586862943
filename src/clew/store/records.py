"""Records that a store takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from clew.model import (
    Bools,
    Decision,
    Doubles,
    Fingerprint,
    Floats,
    Ints,
    Judgement,
    Keys,
    LinkKind,
    Outcome,
    Session,
    Source,
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
    is "" where nothing was archived. ``duplicate_of``: the visit whose page this one repeats, 0 for none.

    ``inherited_from``: the visit from whose page a document that was not read has relevance and topic (exports set it),
    0 for none. A document that was listed only has the number 0 and the outcome LISTED."""

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
    duplicate_of: int = 0
    inherited_from: int = 0

    @property
    def source(self) -> int:
        """Number of the visit whose page the link stands on; 0 for seeds."""
        return max(self.row, 0)

    @property
    def judged(self) -> bool:
        """Whether a page was read and judged."""
        return self.topic is not None and not self.inherited_from


Order = Literal["relevance", "newest", "oldest"]
"""How judged visits are listed: by falling relevance, equals in the order of fetching; the last fetched first; or in
the order of fetching."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which judged visits: of these topics (OTHER among them; None: of all), of this host and its subdomains, in this
    language, relevant ones or others (None: both)."""

    relevant: bool | None = None
    topics: frozenset[int] | None = None
    host: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class TopicCount:
    """Visits judged to be most about ``topic`` (OTHER: about none): how many, how many of them relevant, and the mean
    relevance of these (0.0 where there is none)."""

    topic: int
    judged: int
    relevant: int
    relevance: float


@dataclass(frozen=True, slots=True)
class PrintRow:
    """The fingerprint of a visited page; the visit it repeats (0: none); whether it brought nothing new."""

    number: int
    fingerprint: Fingerprint
    duplicate_of: int
    barren: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of a whole crawl. ``fetched`` are visits and the tries that were repeated; ``robots`` requests for
    robots.txt; ``bytes`` of decoded bodies; ``failed`` and ``redirects`` are visits that ended so; ``hosts``:
    those that were visited."""

    fetched: int
    visits: int
    relevant: int
    failed: int
    redirects: int
    refused: int
    absent: int
    robots: int
    bytes: int
    hosts: int


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """All visits in the order of fetching, as columns: relevance float32[n], relevant bool[n], depth int32[n],
    hosts uint32[n] (host ids), fetched_at float64[n]."""

    relevance: Floats
    relevant: Bools
    depth: Ints
    hosts: HostIds
    fetched_at: Doubles


DROPPED = "dropped by a user"
"""The reason of a refusal that a user gave. It opens no row, for the link's turn never came."""


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
class DocumentRow:
    """A document that inherits: where the best link to it lies, the visit ``parent`` of the page on which that stands,
    and what it has from there. ``title``: what the link reads. ``listed``: it is in the collection without being
    fetched."""

    key: int
    url: str
    row: int
    link_index: int
    parent: int
    title: str
    relevance: float
    relevant: bool
    topic: int
    listed: bool


@dataclass(frozen=True, slots=True)
class SavedState:
    """What a strategy had learned after visit ``visit``."""

    visit: int
    state: bytes


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run of the crawl used: the names of strategy and judge, the web as users write it, and from which
    relevance on a page was relevant. "" and NaN: not known (runs of early versions)."""

    strategy: str
    judge: str
    web: str
    threshold: float


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the last run ended: the rule that stopped it, by its name; after which visit; when, by the crawl's clock; how
    many links waited then."""

    stopped_by: str
    visit: int
    at: float
    waiting: int


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
