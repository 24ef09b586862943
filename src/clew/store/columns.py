"""The columns of a link batch that follow from the links and the page they stand on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.model import Bools, Ints, Links
from clew.urls.canonical import file_level


def same_host(links: Links, host: str) -> Bools:
    """bool[n]: which links lead to ``host``."""
    place = links.host_names.index(host) if host in links.host_names else -1
    same: Bools = links.host_index == place
    return same


def file_levels(urls: Sequence[str]) -> Ints:
    """int32[n]: ``file_level`` of every URL."""
    return np.array([file_level(url) for url in urls], np.int32)
