"""The neighbourhood of a link: words of its URL, of its anchor, and around its anchor."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from clew.model import Ints, LinkBatch, TermIds

Places = npt.NDArray[np.intp]
_WORD = re.compile(r"[^\W_]+")


class Neighbourhood(NamedTuple):
    """Words of a link. ``url``: those of its path and query, in lower case, with spaces between; ``anchor`` and
    ``around``: uint32 term ids, an entry an occurrence."""

    url: str
    anchor: TermIds
    around: TermIds


class Near(NamedTuple):
    """Terms near links, as columns: of which link (int), and which term. Terms may repeat."""

    anchor_links: Places
    anchor: TermIds
    around_links: Places
    around: TermIds


def url_words(url: str) -> list[str]:
    """The words of a canonical URL's path and query, in lower case: letters and digits in a row, escapes decoded."""
    tail = url.partition("//")[2].partition("/")[2]
    return _WORD.findall((unquote(tail) if "%" in tail else tail).lower())


def near(links: LinkBatch, width: int, first_only: bool, index: int | None = None) -> Near:
    """The terms of anchors, and at most ``width`` of them on each side; of one link, or of all.

    ``first_only``: a page's first anchor of each link alone.
    """
    spans = links.links.spans
    spans = spans[spans[:, 2] >= spans[:, 1]]
    if index is not None:
        spans = spans[spans[:, 0] == index]
    if first_only:
        spans = spans[np.diff(spans[:, 0], prepend=-1) != 0]
    ids, starts = links.leaves.ids, links.leaves.starts
    first, end = starts[spans[:, 1]].astype(np.intp), starts[spans[:, 2] + 1].astype(np.intp)
    rows = spans[:, 0].astype(np.intp)
    inside, lengths = _between(first, end)
    offsets = np.arange(-width, width)
    place = np.where(offsets < 0, first[:, None], end[:, None]) + offsets
    known = (place >= 0) & (place < len(ids))
    return Near(np.repeat(rows, lengths), ids[inside], np.repeat(rows, known.sum(axis=1)), ids[place[known]])


def _between(first: Places, end: Places) -> tuple[Places, Places]:
    """All places of ranges, one range after another, and the lengths of the ranges."""
    lengths = end - first
    shift = np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    return np.arange(int(lengths.sum())) + shift, lengths


def neighbourhood(links: LinkBatch, index: int, width: int, first_only: bool) -> Neighbourhood:
    """That of one link."""
    found = near(links, width, first_only, index)
    return Neighbourhood(" ".join(url_words(links.links.urls[index])), found.anchor, found.around)


def packed(rows: list[Neighbourhood]) -> tuple[list[str], list[bytes]]:
    """Neighbourhoods as texts and columns."""
    columns: list[bytes] = []
    for texts in ([row.anchor for row in rows], [row.around for row in rows]):
        flat = np.concatenate([np.empty(0, np.uint32), *texts])
        columns += [np.array([len(text) for text in texts], np.int32).tobytes(), flat.tobytes()]
    return [row.url for row in rows], columns


def unpacked(urls: list[str], columns: list[bytes]) -> list[Neighbourhood]:
    """The same again."""
    anchors, arounds = (_rows(*columns[at : at + 2]) for at in (0, 2))
    return list(map(Neighbourhood, urls, anchors, arounds))


def _rows(sizes: bytes, flat: bytes) -> list[TermIds]:
    lengths: Ints = np.frombuffer(sizes, np.int32)
    return np.split(np.frombuffer(flat, np.uint32), np.cumsum(lengths)[:-1]) if len(lengths) else []
