"""What the apprentice learns from: features of links beyond the text around them, and instances of visits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from clew.model import LISTS, OTHER, SEEDS, LinkBatch, LinkKind, Outcome, Source, Visit
from clew.strategies.apprentice.model import Table, range_of
from clew.strategies.apprentice.packing import NONE, PAGE, RANGE, SIBLING, TEXT, URL, Packed, pack

UNTAUGHT = frozenset((*SEEDS, LinkKind.BACKLINK, *LISTS))
"""Links whose pages teach nothing: nobody chose them for their words, or they lead to no page."""

EVERY = 1 << 62
"""For the visit of a page in a state of an earlier version, which did not keep it: all pages were fetched before."""


class Options(Protocol):
    """The settings that features and instances depend on."""

    @property
    def warmup(self) -> int: ...
    @property
    def d_max(self) -> int: ...
    @property
    def offsets(self) -> bool: ...
    @property
    def window(self) -> str: ...
    @property
    def held_out(self) -> int: ...
    @property
    def anchors(self) -> str: ...
    @property
    def instances(self) -> str: ...
    @property
    def buckets(self) -> str: ...
    @property
    def cut(self) -> float: ...
    @property
    def failures(self) -> bool: ...
    @property
    def topics(self) -> int: ...
    @property
    def prefixes(self) -> bool: ...
    @property
    def source_ranges(self) -> int: ...
    @property
    def siblings(self) -> bool: ...
    @property
    def url_words(self) -> bool: ...


Known = dict[int, bool]
"""Keys of fetched pages, and whether each is high."""


def spans_of(links: LinkBatch, wanted: npt.NDArray[np.bool_], first_only: bool) -> LinkBatch:
    """The batch with the anchors of the ``wanted`` links alone, or the first anchor of each."""
    spans = links.links.spans
    keep = wanted[spans[:, 0]]
    if first_only:
        keep &= np.diff(spans[:, 0], prepend=-1) != 0
    return replace(links, links=replace(links.links, spans=spans[keep]))


def text_features(links: LinkBatch, index: int, d_max: int, first_only: bool, by_offset: bool = True) -> Packed:
    """The ⟨t, d⟩ of one link, an entry an occurrence; not ``by_offset``: its terms t within d_max, all as at d = 0."""
    wanted = np.zeros(len(links), np.bool_)
    wanted[index] = True
    _, terms, offsets = spans_of(links, wanted, first_only).offsets(d_max)
    return pack(TEXT, terms, offsets + d_max if by_offset else d_max)


class Extras:
    """The features of a link that are no text near it. ``words``: what page features say."""

    def __init__(self, options: Options, topics: tuple[str, ...]) -> None:
        self.options, self.topics = options, topics
        self.words: dict[int, str] = {}
        self._by_topic = [self._named(path) for path in topics]
        self._other = self._ids(["its page is about none of the topics"])

    def _named(self, path: str) -> list[int]:
        parts = path.split("/")
        first = 0 if self.options.prefixes else len(parts)
        return self._ids([f"its page is about /{'/'.join(parts[:i])}" for i in range(first, len(parts) + 1)])

    def _ids(self, texts: list[str]) -> list[int]:
        ids = [int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "little") for text in texts]
        self.words.update(zip(ids, texts, strict=True))
        return ids

    def of_page(self, source: Source) -> Packed:
        """Features of the page on which links stand."""
        options, found = self.options, dict[int, None]()
        if options.topics and source.topic == OTHER:
            found.update(dict.fromkeys(self._other))
        elif options.topics:
            best = np.argsort(-source.scores, kind="stable")[: options.topics].tolist()
            for topic in dict.fromkeys([source.topic, *best]):
                found.update(dict.fromkeys(self._by_topic[topic]))
        return pack(PAGE, np.array(list(found), np.uint64), options.d_max) if found else NONE

    def range_of(self, source: Source) -> Packed:
        """The range of the page's relevance, as one feature (or none)."""
        ranges, d_max = self.options.source_ranges, self.options.d_max
        return pack(RANGE, np.array([range_of(source.relevance, ranges)]), d_max) if ranges else NONE

    def of_links(self, links: LinkBatch, known: Known) -> Iterator[tuple[npt.NDArray[np.intp], Packed]]:
        """Features of links, kind by kind: link indexes and features, as columns of equal length."""
        if self.options.url_words:
            number = np.repeat(np.arange(len(links)), np.diff(links.links.url_term_starts))
            yield number, pack(URL, links.links.url_term_ids, self.options.d_max)
        if self.options.siblings:
            yield self._siblings(links, known)

    def _siblings(self, links: LinkBatch, known: Known) -> tuple[npt.NDArray[np.intp], Packed]:
        """⟨ρ, d⟩ of every fetched page that is linked within d_max of a link."""
        spans, d_max = links.links.spans, self.options.d_max
        spans = spans[spans[:, 2] >= spans[:, 1]]
        fetched = [known.get(key) for key in links.links.keys[spans[:, 0]].tolist()]
        beside = np.flatnonzero([rating is not None for rating in fetched])
        own, other = spans[:, None, :], spans[None, beside, :]
        offsets = np.minimum(other[..., 2] - own[..., 1], 0) + np.maximum(other[..., 1] - own[..., 2], 0)
        one, two = np.nonzero((np.abs(offsets) <= d_max) & (own[..., 0] != other[..., 0]))
        ratings = np.array([bool(fetched[i]) for i in beside], np.uint64)[two]
        return spans[one, 0].astype(np.intp), pack(SIBLING, ratings, offsets[one, two] + d_max)


def features_of(links: LinkBatch, index: int, options: Options, extras: Extras, known: Known) -> Packed:
    """All features of one link, an entry an occurrence."""
    text = text_features(links, index, options.d_max, options.anchors == "first", options.offsets)
    parts = [text, extras.of_page(links.source), extras.range_of(links.source)]
    parts += [features[link == index] for link, features in extras.of_links(links, known)]
    return np.concatenate(parts)


class Teacher:
    """Makes instances of visits and counts them.

    ``seen`` instances in all · ``cut``: high from this relevance on, NaN before it is known · ``since``: counts since
    the last training · ``known``: fetched pages, where settings need them · ``waiting``: instances not counted yet ·
    ``fresh``: keys of pages fetched since ``look_back``; of each its relevance, the visit whose link was followed, and
    its own visit · ``first``: the first instances that were counted, where the window is chosen by them.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.seen = 0
        self.cut = options.cut if options.buckets == "cut" else float("nan")
        self.since = Table.empty()
        self.known: Known = {}
        self.waiting: list[tuple[float, Packed]] = []
        self.fresh: dict[int, tuple[float, int, int]] = {}
        self.first: list[tuple[bool, Packed]] = []

    def take(self, visit: Visit, extras: Extras) -> tuple[Packed, bool] | None:
        """Take up a visit: its features and whether it is high. None when it is no instance (a redirect, a seed).

        Where a link was redirected, v is the page at the end: its link carries the evidence of the first one.
        """
        failed = visit.response.outcome is not Outcome.OK
        if visit.response.outcome is Outcome.REDIRECT or (failed and not self.options.failures):
            return None
        taught = None
        link = visit.link
        if link.batch.source.visit > 0 and link.kind not in UNTAUGHT:
            features = features_of(link.batch, link.index, self.options, extras, self.known)
            self.waiting.append((visit.relevance, features))
            self.seen += 1
            taught = features, visit.relevance >= self.cut
        if self.options.siblings:
            self.known[link.key] = visit.relevance >= (0.5 if np.isnan(self.cut) else self.cut)
        if self.options.instances != "followed":
            self.fresh[link.key] = visit.relevance, link.batch.source.visit, visit.number
        return taught

    def look_back(self, visits: Iterable[Visit], extras: Extras, every: bool) -> None:
        """The other links (u, v) to pages fetched since last time are instances too: ``every`` one, or those of pages u
        that were fetched before v."""
        wanted = np.sort(np.array(list(self.fresh), np.uint64))
        for visit in visits:
            if visit.links is None or visit.response.outcome is Outcome.REDIRECT:
                continue
            keys = visit.links.links.keys
            for index in np.flatnonzero(np.isin(keys, wanted)).tolist():
                relevance, followed_from, number = self.fresh[int(keys[index])]
                if followed_from != visit.number and (every or visit.number < number):
                    features = features_of(visit.links, index, self.options, extras, self.known)
                    self.waiting.append((relevance, features))
        self.fresh.clear()

    def counted(self) -> Table:
        """Count what waits; the first time the cut is found if it is the median."""
        if self.waiting:
            values = np.array([relevance for relevance, _ in self.waiting])
            if np.isnan(self.cut):
                self.cut = float(np.median(values))
            high = (values >= self.cut).tolist()
            found = [features for _, features in self.waiting]
            self.since = self.since.plus(found, high)
            if self.options.window == "chosen":
                self.first += list(zip(high, found, strict=True))[: self.options.held_out - len(self.first)]
            self.waiting.clear()
        return self.since

    # -- what was learned ---------------------------------------------------------------------------------

    def state(self) -> msgspec.Raw:
        relevance = np.array([one for one, _ in self.waiting], np.float64)
        known = np.array(list(self.known), np.uint64)
        fresh = [(key, *rest) for key, rest in self.fresh.items()]
        columns = [
            relevance,
            *_flattened([features for _, features in self.waiting]),
            known,
            np.array(list(self.known.values()), np.bool_),
            np.array([high for high, _ in self.first], np.bool_),
            *_flattened([features for _, features in self.first]),
        ]
        parts = (self.seen, self.cut, self.since.packed(), [column.tobytes() for column in columns], fresh)
        return msgspec.Raw(msgspec.msgpack.encode(parts))

    def restore(self, state: msgspec.Raw) -> None:
        form = tuple[int, float, list[bytes], list[bytes], list[list[int | float]]]
        self.seen, self.cut, since, columns, fresh = msgspec.msgpack.decode(state, type=form)
        self.since = Table.unpacked(since)
        self.waiting = list(zip(np.frombuffer(columns[0], np.float64).tolist(), _rows(*columns[1:3]), strict=True))
        high = np.frombuffer(columns[4], np.bool_).tolist()
        self.known = dict(zip(np.frombuffer(columns[3], np.uint64).tolist(), high, strict=True))
        self.first = list(zip(np.frombuffer(columns[5], np.bool_).tolist(), _rows(*columns[6:8]), strict=True))
        self.fresh = {
            int(key): (relevance, int(source), int(number[0]) if number else EVERY)
            for key, relevance, source, *number in fresh
        }


def _flattened(rows: list[Packed]) -> tuple[npt.NDArray[np.int64], Packed]:
    """The sizes of rows, and the rows one after another."""
    return np.array([len(row) for row in rows], np.int64), np.concatenate([NONE, *rows])


def _rows(sizes: bytes, flat: bytes) -> list[Packed]:
    """The rows again."""
    lengths = np.frombuffer(sizes, np.int64)
    return np.split(np.frombuffer(flat, np.uint64), np.cumsum(lengths)[:-1]) if len(lengths) else []
