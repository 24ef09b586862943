"""How pages with the same path fared (criterion (d); Ester and others 2001 section 3.2): "If, e.g., 15 pages from a
specific host were unimportant the 16th will probably be, too; this is true even more if the path is the same, or the
filename is somewhat similar".

    s_0 = (R_0 + m·p) / (V_0 + m)        s_k = (R_k + m·s_{k−1}) / (V_k + m),  k = 1, 2, …

V_0 and R_0 are the visited and relevant pages of the host; V_k and R_k those in the first k folders of the path, and at
last those whose file names differ in digits alone. m pages of what is known of the wider group count in each group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np

from clew.model import Doubles
from clew.urls.canonical import key

History: TypeAlias = dict[int, tuple[int, int]]
"""Pages visited, and relevant pages, of each group."""

DEEPEST = 8
"""Folders further down are not told apart."""

_DIGITS = re.compile(r"[0-9]+")


def groups(url: str, names: bool) -> Iterator[int]:
    """64-bit keys of the groups in which a canonical URL is, the widest first; without its host."""
    parts = url.partition("?")[0].split("/")
    folder, name = "/".join(parts[:3]), parts[-1]
    for part in parts[3:-1][:DEEPEST]:
        folder = f"{folder}/{part}"
        yield key(f"{folder}/")
    if names and name:
        yield key(f"{'/'.join(parts[:-1])}/{_DIGITS.sub('0', name)}#")


class PathHistory:
    """Counts of visits by path. ``names``: whether file names that are alike are a group, too."""

    def __init__(self, names: bool) -> None:
        self.names = names
        self.counts: History = {}

    def note(self, url: str, relevant: bool) -> None:
        """Count a visit."""
        for group in groups(url, self.names):
            visits, found = self.counts.get(group, (0, 0))
            self.counts[group] = visits + 1, found + relevant

    def shares(self, urls: Iterable[str], hosts: Doubles, strength: float) -> Doubles:
        """float64[n]: s of URLs, from s_0 of their hosts; ``strength``: m."""
        return np.array([self._share(url, s, strength) for url, s in zip(urls, hosts.tolist(), strict=True)])

    def _share(self, url: str, share: float, strength: float) -> float:
        for group in groups(url, self.names):
            visits, found = self.counts.get(group, (0, 0))
            share = (found + strength * share) / (visits + strength)
        return share

    def packed(self) -> list[bytes]:
        """keys uint64[n], counts uint32[n, 2]."""
        keys, counts = np.array(list(self.counts), np.uint64), np.array(list(self.counts.values()), np.uint32)
        return [keys.tobytes(), counts.tobytes()]

    def unpack(self, packed: list[bytes]) -> None:
        """Take up ``packed``."""
        visits, found = np.frombuffer(packed[1], np.uint32).reshape(-1, 2).T.tolist()
        self.counts = dict(
            zip(np.frombuffer(packed[0], np.uint64).tolist(), zip(visits, found, strict=True), strict=True)
        )
