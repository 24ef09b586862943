"""What tells whether two pages are the same, or nearly: hashes of text, links and bytes, and a SimHash of the terms.

SimHash (Charikar 2002; for web pages Manku and others 2007): every distinct term votes, with the bits of a hash of its
own, on each of 64 bits. Pages that share nearly all their terms differ in few bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha1

import numpy as np

from clew.model import Fingerprint, TermIds

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""Odd; 64 bits come of the 32 random ones of a term id."""


def fingerprint(
    texts: Sequence[str], links: Iterable[str], host: str, body: bytes, title_ids: TermIds, ids: TermIds
) -> Fingerprint:
    """The fingerprint of a page at ``host``: its title and leaves as ``texts``, all URLs it links to, its own among
    them, the SHA-1 of its bytes, the terms of title and body.

    Links count by what they lead to, but whether a site calls itself by http or https, with www or without, makes no
    difference: so mirrors of a page have its fingerprint.
    """
    distinct = _distinct(np.concatenate([title_ids, ids]))
    text = _hash("\0".join(texts))
    return Fingerprint(
        content=_hash(f"{text} {_targets(links, host)}"),
        text=text,
        body=int.from_bytes(body[:8], "little"),
        near=simhash(distinct),
        title=_hash(texts[0]) if texts[0] else 0,
        terms=len(distinct),
    )


def simhash(ids: TermIds) -> int:
    """The SimHash of distinct term ids: 64 bits, each set when it is set in the hashes of more than half of them."""
    bits = np.unpackbits((ids.astype(np.uint64) * _MIX).view(np.uint8)).reshape(len(ids), 64)
    votes = np.ones(len(ids), np.float32) @ bits.astype(np.float32)
    return int.from_bytes(np.packbits(votes > len(ids) // 2).tobytes(), "big")


def _distinct(ids: TermIds) -> TermIds:
    """Sorted distinct ids: what numpy.unique gives, in a third of its time."""
    ids.sort()
    first = np.empty(len(ids), np.bool_)
    first[:1] = True
    np.not_equal(ids[1:], ids[:-1], out=first[1:])
    return ids[first]


def _targets(links: Iterable[str], host: str) -> str:
    """Links as one text in which their order does not matter, and links within the host begin with a slash."""
    text = "\n".join(links)
    bare = host.removeprefix("www.")
    if bare in text:
        for name in (f"www.{bare}", bare):
            text = text.replace(f"https://{name}/", "/").replace(f"http://{name}/", "/")
    return "\n".join(sorted(text.split("\n")))


def _hash(text: str) -> int:
    raw = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(sha1(raw, usedforsecurity=False).digest()[:8], "little")
