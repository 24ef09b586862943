"""What a crawl refused, counted by reason and host; the crawl may be running."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from dataclasses import dataclass

from clew.model import Outcome
from clew.store.base import Store
from clew.urls.canonical import host

EXAMPLES = 3
"""URLs shown of each host and reason."""

HELD = 20

_URL = re.compile(r"https?://\S+")


@dataclass(frozen=True, slots=True)
class RefusedGroup:
    """URLs of one host that were refused for one reason, in which URLs are written as "URL"; the first few of them,
    shortest first."""

    reason: str
    host: str
    count: int
    examples: tuple[str, ...]


def refused(store: Store) -> list[RefusedGroup]:
    """All refusals in groups: the commonest reason first, in it the host with most of them."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in store.links.refusals():
        if one.outcome is Outcome.REFUSED:
            groups.setdefault((_URL.sub("URL", one.reason), host(one.url)), []).append(one.url)
    totals: Counter[str] = Counter()
    for (reason, _), urls in groups.items():
        totals[reason] += len(urls)
    found = [
        RefusedGroup(reason, name, len(urls), tuple(sorted(urls, key=lambda url: (len(url), url))[:EXAMPLES]))
        for (reason, name), urls in groups.items()
    ]
    return sorted(found, key=lambda one: (-totals[one.reason], one.reason, -one.count, one.host))


class Refusals:
    """The same for those who ask again and again: what took t seconds to count holds for 20 t. With a million refusals
    t is about ten seconds. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0
        self._found: list[RefusedGroup] = []

    def groups(self, store: Store) -> list[RefusedGroup]:
        """As ``refused``, perhaps a little older."""
        with self._lock:
            began = time.monotonic()
            if began >= self._until:
                self._found = refused(store)
                ended = time.monotonic()
                self._until = ended + HELD * (ended - began)
            return self._found
