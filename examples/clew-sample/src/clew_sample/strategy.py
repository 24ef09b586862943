"""A strategy that prefers links to hosts that paid off."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np

from clew import Strategy
from clew.model import Doubles, LinkBatch, Visit
from clew.section import Section, doc
from clew.strategies.base import View


class PayingHosts(Strategy):
    """score = (1 - hosts) * relevance of the page + hosts * (relevant + 1/2) / (visited + 1), by host of the link."""

    class Settings(Section, frozen=True):
        """[strategy.paying-hosts]"""

        hosts: Annotated[float, doc("How much the host of a link weighs beside the page it is on.", ge=0, le=1)] = 0.5
        search: Annotated[tuple[str, ...], doc("Queries to begin with, for the provider in [providers.search].")] = ()
        hits: Annotated[int, doc("Pages taken from the answer to a query, at most.", ge=1)] = 10

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.seen: dict[str, tuple[int, int]] = {}  # host -> pages visited, relevant ones
        self.asked = 0

    def begin(self, view: View) -> None:
        self.view = view

    def score(self, links: LinkBatch) -> Doubles:
        weight = self.settings.hosts
        shares = np.array([self.share(name) for name in links.links.host_names], np.float64)
        return (1 - weight) * links.source.relevance + weight * shares[links.links.host_index]

    def share(self, host: str) -> float:
        """How likely a page of a host is relevant: 1/2 for one that was never visited."""
        visited, relevant = self.seen.get(host, (0, 0))
        return (relevant + 0.5) / (visited + 1)

    def learn(self, visit: Visit) -> None:
        visited, relevant = self.seen.get(visit.link.host, (0, 0))
        self.seen[visit.link.host] = (visited + 1, relevant + visit.relevant)

    def wants_to_consult(self) -> bool:
        return self.asked < len(self.settings.search)

    async def consult(self) -> bool:
        if self.wants_to_consult():
            query = self.settings.search[self.asked]
            self.asked += 1
            self.view.actions.enqueue(await self.view.lookups.search(query, self.settings.hits))
        return False

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        host = links.links.host_names[links.links.host_index[index]]
        visited, relevant = self.seen.get(host, (0, 0))
        return [
            f"paying-hosts: it is on a page of relevance {links.source.relevance:.2f}",
            f"{relevant} of {visited} pages of {host} were relevant",
        ]

    def state(self) -> bytes:
        return msgspec.msgpack.encode((self.asked, self.seen))

    def restore(self, state: bytes) -> None:
        self.asked, self.seen = msgspec.msgpack.decode(state, type=tuple[int, dict[str, tuple[int, int]]])
