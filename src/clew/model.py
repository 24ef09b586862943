"""What passes between the rooms: frozen records and columns of evidence. No I/O, nothing of ours imported.

Units: times are seconds (float, Unix time in the live world, virtual time in a simulated one),
sizes are bytes, scores and relevances lie in [0, 1].

Two identifiers recur:

* a **key** is the 64-bit hash of a canonical URL (``uint64``); equal URLs have equal keys;
* a **term id** is the 32-bit hash of a stemmed term (``uint32``), the same in every process and run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
TermIds = npt.NDArray[np.uint32]
Keys = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]
Number = TypeVar("Number", bound="np.integer[Any]")

OTHER = -1
"""Topic index of a page that belongs to none of the topics."""


class Outcome(StrEnum):
    """How asking a world for a URL ended."""

    OK = "ok"  # a page came back (any content; perhaps unreadable)
    REDIRECT = "redirect"  # the answer names another URL (Response.location)
    FAILED = "failed"  # asked, and no page came back: HTTP error, time-out, broken connection, a limit
    REFUSED = "refused"  # never asked: robots.txt, address guard, scope
    ABSENT = "absent"  # a closed world lacks the page; costs nothing
    LISTED = "listed"  # a document that inherits from the page that links to it; nothing was asked, it costs nothing
    DEFERRED = "deferred"  # nothing learned of this URL yet; ask again at ``retry_at``


class LinkKind(StrEnum):
    """Where a link was found."""

    ANCHOR = "a"
    AREA = "area"
    FRAME = "frame"
    REFRESH = "refresh"
    HEAD = "head"  # <link rel=next|prev|alternate ...>
    CANONICAL = "canonical"
    REDIRECT = "redirect"
    SEED = "seed"
    BACKLINK = "backlink"  # put on the frontier by a strategy that asked who links to a page, or a search engine
    SITEMAP = "sitemap"  # leads to a sitemap: named by robots.txt or by an index of sitemaps
    LISTED = "listed"  # listed in a sitemap
    FEED = "feed"  # leads to a feed: <link rel=alternate type=application/rss+xml>
    ENTRY = "entry"  # an entry of a feed
    PROBE = "probe"  # a made-up URL: how does a host say that there is no page?
    PUSHED = "pushed"  # a user asked for it while the crawl ran


LISTS = (LinkKind.SITEMAP, LinkKind.FEED)
"""Links to lists of links, which are no pages of the collection."""

SEEDS = (LinkKind.SEED, LinkKind.PUSHED)
"""Links that a user named."""

STILL = (LinkKind.REDIRECT, *SEEDS, LinkKind.BACKLINK, LinkKind.PROBE, *LISTS)
"""Links that add no step to the distance from the seeds."""


@dataclass(frozen=True, slots=True)
class Request:
    """One URL to ask a world for. ``attempt`` counts from 0; ``hops`` counts redirects on the way.

    ``listing``: a sitemap or feed is asked for, which is taken whatever content type it is served as.
    """

    url: str
    attempt: int = 0
    hops: int = 0
    referrer: str = ""
    listing: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """What a world answered. A failure is a Response with a ``reason`` for people, never an exception.

    ``body`` is content-decoded (gunzipped ...); ``encoded_body`` holds the bytes as received when they
    differ. ``requests`` counts the GETs sent for this URL (0: nothing was sent), ``robots_requests``
    those sent for robots.txt on the way. ``ready_at`` is the earliest time at which the same host may be
    asked again. ``retry_at`` is set when the same URL is worth another try (always when DEFERRED, which costs none: the
    reason lies with the host or the line).

    ``rests_until``: the host does not answer as it should, and none of its URLs is asked for before; ``given_up``: and
    a run that has nothing else to do does not wait for it.
    ``sitemaps`` are the sitemaps that robots.txt names, in the answer that brought robots.txt.
    ``truncated`` says what cut the body short, as in WARC (disconnect, time, length). ``head`` holds status line
    and header lines as they were received, the empty line included; it is empty where nobody has them.
    """

    url: str
    outcome: Outcome
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    encoded_body: bytes | None = None
    reason: str = ""
    location: str = ""
    fetched_at: float = 0.0
    elapsed_s: float = 0.0
    ip: str = ""
    requests: int = 1
    robots_requests: int = 0
    ready_at: float = 0.0
    retry_at: float | None = None
    rests_until: float = 0.0
    given_up: bool = False
    request_headers: tuple[tuple[str, str], ...] = ()
    http_version: str = "HTTP/1.1"
    from_cache: bool = False
    sitemaps: tuple[str, ...] = ()
    truncated: str = ""
    head: bytes = field(default=b"", compare=False, repr=False)

    def header(self, name: str) -> str:
        """The first header called ``name`` (case-insensitive), or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    @property
    def media_type(self) -> str:
        """What Content-Type says up to the first semicolon, in lower case; "" without one."""
        return self.header("content-type").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The term ids of a page, DOM leaf by leaf.

    ``ids`` uint32[t]: terms in reading order, stop words removed; leaf ``i`` holds
    ``ids[starts[i]:starts[i + 1]]``; ``starts`` int32[leaves + 1]. Leaves without text are empty ranges.
    """

    ids: TermIds
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The n distinct links of a page, in the order of first appearance, and their m anchors, as columns.

    urls n canonical URLs · keys uint64[n] · host_names distinct host names · host_index int32[n] into
    them · nofollow bool[n] · kinds n · url_term_ids uint32, url_term_starts int32[n + 1] ·
    anchors m anchor texts · spans int32[m, 3]: (link, first leaf, last leaf) of each anchor, sorted by link.
    A link without an anchor in the DOM (seed, redirect) has an anchor text and an empty span (0, -1).
    dates float64[n], or None where no link has one: when the page last changed, as a sitemap or feed says (Unix time,
    NaN where it does not).
    """

    urls: tuple[str, ...]
    keys: Keys
    host_names: tuple[str, ...]
    host_index: Ints
    nofollow: Bools
    kinds: tuple[LinkKind, ...]
    url_term_ids: TermIds
    url_term_starts: Ints
    anchors: tuple[str, ...]
    spans: Ints
    dates: Doubles | None = None

    def __len__(self) -> int:
        return len(self.urls)

    def take(self, places: Sequence[int]) -> Links:
        """Some of the links, in the order of ``places``, each once at most, with all their anchors."""
        wanted = np.array(places, np.int64)
        rank = np.full(len(self), -1, np.int32)
        rank[wanted] = np.arange(len(wanted))
        ranks = rank[self.spans[:, 0]]
        anchors = np.argsort(ranks, kind="stable")[np.count_nonzero(ranks < 0) :]
        spans = self.spans[anchors].copy()
        spans[:, 0] = ranks[anchors]
        hosts = [self.host_names[int(host)] for host in self.host_index[wanted]]
        names = {host: place for place, host in enumerate(dict.fromkeys(hosts))}
        starts = self.url_term_starts
        ids, term_starts = ragged([self.url_term_ids[starts[place] : starts[place + 1]] for place in places])
        return Links(
            urls=tuple([self.urls[place] for place in places]),
            keys=self.keys[wanted],
            host_names=tuple(names),
            host_index=np.array([names[host] for host in hosts], np.int32),
            nofollow=self.nofollow[wanted],
            kinds=tuple([self.kinds[place] for place in places]),
            url_term_ids=ids,
            url_term_starts=term_starts,
            anchors=tuple([self.anchors[anchor] for anchor in anchors.tolist()]),
            spans=spans,
            dates=None if self.dates is None else self.dates[wanted],
        )


class Fingerprint(NamedTuple):
    """What tells whether two pages are the same: 64-bit hashes of text and links together (``content``), of the text
    alone, of the bytes (``body``) and of the title's terms (0: no title); the SimHash of all distinct terms (``near``),
    and how many these are. All 0: nothing is known."""

    content: int = 0
    text: int = 0
    body: int = 0
    near: int = 0
    title: int = 0
    terms: int = 0


NO_FINGERPRINT = Fingerprint()


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A page that was read. ``title_ids`` are the title's terms, ``leaves`` the body's.

    ``text`` is the visible text; it is dropped ("") when a page leaves the process that read it.
    ``canonical`` is the canonical URL that the page declares, "" if none. ``digest`` is the SHA-1 of the
    decoded body, base 32 (as in WARC).
    """

    url: str
    title: str
    language: str
    charset: str
    content_type: str
    text: str
    title_ids: TermIds
    leaves: Leaves
    links: Links
    canonical: str = ""
    noindex: bool = False
    nofollow: bool = False
    digest: str = ""
    fingerprint: Fingerprint = NO_FINGERPRINT

    def term_counts(self) -> tuple[TermIds, Floats]:
        """Distinct term ids (sorted, uint32[d]) of title and body, and how often each occurs (float32[d])."""
        ids, counts = np.unique(np.concatenate([self.title_ids, self.leaves.ids]), return_counts=True)
        return ids, counts.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """A judge's opinion of one page: ``scores`` float32[k], one in [0, 1] per topic; the winning topic's
    index or OTHER; how sure the judge is in [0, 1]."""

    scores: Floats
    topic: int
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page whose topic is known. ``topic`` is an index into the interest's topics, or OTHER for a negative."""

    url: str
    topic: int
    page: Page


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What is known of the page that links stand on. ``visit`` is its number (0 for the seeds' row).

    ``tunnel`` is the number of irrelevant pages since the last relevant one (equation 2 of Bergmark and others 2002).
    """

    visit: int
    url: str
    host: str
    relevance: float
    scores: Floats
    topic: int
    depth: int
    tunnel: int
    hops: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class LinkBatch:
    """All evidence known about the links of one page before any of them is fetched.

    Per link: same_host bool[n] (intrinsic, Ester and others 2001 section 2) · file_level int32[n] (path depth of the
    URL) · host_visits, host_relevant float32[n] (what this crawl saw of the link's host so far).
    """

    source: Source
    links: Links
    leaves: Leaves
    same_host: Bools
    file_level: Ints
    host_visits: Floats
    host_relevant: Floats

    def __len__(self) -> int:
        return len(self.links)

    @property
    def out_degree(self) -> int:
        """Number of distinct links on the source page (criterion (h) of Ester and others 2001)."""
        return len(self.links)

    @property
    def depths(self) -> Ints:
        """int32[n]: the link distance from the seeds that each link's page will have (a redirect adds none)."""
        still = [kind in STILL for kind in self.links.kinds]
        return np.int32(self.source.depth) + np.where(still, 0, 1).astype(np.int32)

    def anchor_text(self, index: int) -> str:
        """All anchor texts of a link, joined."""
        rows = np.flatnonzero(self.links.spans[:, 0] == index)
        return " | ".join(text for text in (self.links.anchors[i] for i in rows) if text)

    def offsets(self, d_max: int = 5) -> tuple[Ints, TermIds, Ints]:
        """The ⟨term, offset⟩ evidence of Chakrabarti and others 2002 section 2.2.1.

        Returns three columns of equal length: link index, term id, DOM offset in [-d_max, d_max].
        A token inside an anchor has offset 0; left of it μ - first leaf; right of it μ - last leaf.
        """
        spans = self.links.spans
        spans = spans[spans[:, 2] >= spans[:, 1]]
        if not len(spans) or not len(self.leaves):
            return np.empty(0, np.int32), np.empty(0, np.uint32), np.empty(0, np.int32)
        starts = self.leaves.starts
        low = np.maximum(spans[:, 1] - d_max, 0)
        high = np.minimum(spans[:, 2] + d_max, len(self.leaves) - 1)
        first, last = starts[low], starts[high + 1]
        widths = last - first
        row = np.repeat(np.arange(len(spans)), widths)
        token = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths, widths) + first[row]
        leaf = np.searchsorted(starts, token, side="right").astype(np.int32) - 1
        left = np.minimum(leaf - spans[row, 1], 0)
        right = np.maximum(leaf - spans[row, 2], 0)
        return spans[row, 0], self.leaves.ids[token], left + right


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One link taken from the frontier: a place in a batch, and the score it had when it was taken.

    ``evidence``: what was added up for its URL then (``frontier.base.Lease``); () where nothing is, and when visits are
    learned again. ``oldest``: it was not taken for its score, but since its URL was seen first; not known then either.
    ``host_id``: the number of its host in the store; -1 then.
    """

    batch: LinkBatch
    index: int
    score: float
    attempt: int = 0
    evidence: tuple[float, ...] = ()
    oldest: bool = False
    host_id: int = -1

    @property
    def url(self) -> str:
        return self.batch.links.urls[self.index]

    @property
    def key(self) -> int:
        return int(self.batch.links.keys[self.index])

    @property
    def host(self) -> str:
        return self.batch.links.host_names[int(self.batch.links.host_index[self.index])]

    @property
    def kind(self) -> LinkKind:
        return self.batch.links.kinds[self.index]

    @property
    def hops(self) -> int:
        """Redirects on the way to this link."""
        return self.batch.source.hops if self.kind in (LinkKind.REDIRECT, *LISTS) else 0

    @property
    def depth(self) -> int:
        """Link distance from the seeds; a redirect does not add to it."""
        step = 0 if self.kind in STILL else 1
        return self.batch.source.depth + step


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """One fetched link and all that came of it. ``number`` counts from 1 in the order visits are applied.

    ``duplicate_of``: the visit whose page this one repeats, 0 for none. ``barren``: the page brought nothing new.
    """

    number: int
    link: Link
    response: Response
    page: Page | None
    judgement: Judgement | None
    relevance: float
    relevant: bool
    tunnel: int
    reason: str = ""
    links: LinkBatch | None = None
    duplicate_of: int = 0
    barren: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """A run of N visits under a fixed strategy (Ester and others 2001 section 3.1). Counts are of this session;
    ``*_total`` are of the crawl up to its end (s_i and r_i follow from them)."""

    number: int
    first_visit: int
    last_visit: int
    fetched: int
    relevant: int
    fetched_total: int
    relevant_total: int
    best_waiting: float = float("nan")

    @property
    def precision(self) -> float:
        """s_i: the share of relevant pages in this session."""
        return self.relevant / self.fetched if self.fetched else 0.0

    @property
    def precision_total(self) -> float:
        """r_i: the share of relevant pages in the crawl so far, this session included."""
        return self.relevant_total / self.fetched_total if self.fetched_total else 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """Something a strategy or the loop decided, for the decision log: ``kind`` and facts for people."""

    kind: str
    facts: Mapping[str, str | int | float | bool] = field(default_factory=dict)


def distinct(numbers: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The distinct ones of integers, sorted: ``np.unique`` in less time, which goes by a hash table."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def without(numbers: npt.NDArray[Number], others: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The distinct ones of integers that are not among ``others``, sorted: ``np.setdiff1d`` in less time. ``others``
    are distinct."""
    found = distinct(numbers)
    if not len(found):
        return found
    places = np.minimum(np.searchsorted(found, others), len(found) - 1)
    kept = np.ones(len(found), np.bool_)
    kept[places[found[places] == others]] = False
    return found[kept]


def ragged(rows: Sequence[npt.NDArray[np.uint32]]) -> tuple[TermIds, Ints]:
    """Rows of ids as one array and its starts (int32[rows + 1])."""
    starts = np.zeros(len(rows) + 1, np.int32)
    if rows:
        np.cumsum([len(row) for row in rows], out=starts[1:])
        return np.concatenate(rows).astype(np.uint32, copy=False), starts
    return np.empty(0, np.uint32), starts
