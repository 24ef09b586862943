"""Jobs and readings on their way between processes: a few texts, and all numbers of a page in one piece.

Pickled as they are, records and small arrays cost several times as much, for each page and on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import accumulate
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.model import Judgement, Leaves, LinkKind, Links, Page, Response

Message = tuple[Any, ...]
Texts = str | tuple[str, ...]

_KINDS = tuple(LinkKind)
_KIND_CODE = {kind: code for code, kind in enumerate(_KINDS)}
_DTYPES = tuple(map(np.dtype, ("u8", "u4", "u4", "i4", "i4", "u4", "i4", "i4", "?")))
"""How the columns of a page are kept: those of 8 bytes first, then those of 4."""

_RESPONSE = attrgetter(*(part.name for part in fields(Response)))
_FACTS = attrgetter(
    "url", "title", "language", "charset", "content_type", "canonical", "noindex", "nofollow", "digest", "fingerprint"
)


@dataclass(frozen=True, slots=True)
class Job:
    """A response to read, and facts about its fetch for the archive's metadata record.

    ``sitemap_links``: it is a sitemap, of which at most so many links are wanted, on these ``hosts``.
    """

    response: Response
    facts: Mapping[str, str] = field(default_factory=dict)
    sitemap_links: int = 0
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What came of a response: a page (without its text) and its judgement, or a reason; and its archive records,
    compressed."""

    page: Page | None = None
    judgement: Judgement | None = None
    reason: str = ""
    records: bytes = b""


def pack_job(job: Job) -> Message:
    """What ``unpack_job`` makes the job of."""
    return *_RESPONSE(job.response), (job.facts, job.sitemap_links, job.hosts)


def unpack_job(message: Message) -> Job:
    """The job that was packed."""
    return Job(Response(*message[:-1]), *message[-1])


def pack_reading(reading: Reading) -> Message:
    """What ``unpack_reading`` makes the reading of."""
    judgement = reading.judgement
    page = _pack_page(reading.page) if reading.page is not None else None
    opinion = (judgement.scores, judgement.topic, judgement.confidence) if judgement is not None else None
    return page, opinion, reading.reason, reading.records


def unpack_reading(message: Message) -> Reading:
    """The reading that was packed."""
    page, opinion, reason, records = message
    judgement = Judgement(*opinion) if opinion is not None else None
    return Reading(_unpack_page(*page) if page is not None else None, judgement, reason, records)


def _pack_page(page: Page) -> Message:
    links, leaves = page.links, page.leaves
    columns = (
        links.keys,
        page.title_ids,
        leaves.ids,
        leaves.starts,
        links.host_index,
        links.url_term_ids,
        links.url_term_starts,
        links.spans,
        links.nofollow,
    )
    sizes = [column.size for column in columns]
    data = bytearray().join([np.asarray(column, of).tobytes() for column, of in zip(columns, _DTYPES, strict=True)])
    kinds = bytes([_KIND_CODE[kind] for kind in links.kinds])
    texts = [_joined(links.urls), _joined(links.host_names), _joined(links.anchors)]
    dates = None if links.dates is None else bytearray(links.dates.tobytes())
    return _FACTS(page), texts, kinds, sizes, data, dates


def _unpack_page(
    facts: Message, texts: Sequence[Texts], kinds: bytes, sizes: Sequence[int], data: bytearray, dates: bytearray | None
) -> Page:
    """The arrays share ``data``, and may be written to as those of the page that was packed."""
    n, *ends = accumulate(sizes[:8])
    words: npt.NDArray[np.uint32] = np.frombuffer(data, np.uint32, ends[-1] - n, 8 * n)
    numbers = words.view(np.int32)
    a, b, c, d, e, f, g = [end - n for end in ends]
    links = Links(
        urls=_parted(texts[0]),
        keys=np.frombuffer(data, np.uint64, n),
        host_names=_parted(texts[1]),
        host_index=numbers[c:d],
        nofollow=np.frombuffer(data, np.bool_, n, 8 * n + 4 * g),
        kinds=tuple([_KINDS[code] for code in kinds]),
        url_term_ids=words[d:e],
        url_term_starts=numbers[e:f],
        anchors=_parted(texts[2]),
        spans=numbers[f:g].reshape(-1, 3),
        dates=None if dates is None else np.frombuffer(dates, np.float64),
    )
    url, title, language, charset, content_type, canonical, noindex, nofollow, digest, prints = facts
    return Page(
        url=url,
        title=title,
        language=language,
        charset=charset,
        content_type=content_type,
        text="",
        title_ids=words[:a],
        leaves=Leaves(words[a:b], numbers[b:c]),
        links=links,
        canonical=canonical,
        noindex=noindex,
        nofollow=nofollow,
        digest=digest,
        fingerprint=prints,
    )


def _joined(texts: tuple[str, ...]) -> Texts:
    """Texts as one, unless there are none or one of them holds what would part them."""
    text = "\0".join(texts)
    return text if text.count("\0") == len(texts) - 1 else texts


def _parted(texts: Texts) -> tuple[str, ...]:
    return tuple(texts.split("\0")) if isinstance(texts, str) else texts
