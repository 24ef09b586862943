"""Batches of links with their evidence, made from visits: of a page, of a redirect, of the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from clew.model import LISTS, Floats, Leaves, Link, LinkBatch, LinkKind, Links, Page, Source
from clew.store.columns import file_levels, same_host
from clew.urls.canonical import host, key

NO_LEAVES = Leaves(np.empty(0, np.uint32), np.zeros(1, np.int32))


class HostHistory(Protocol):
    """What a crawl saw of hosts so far."""

    def ids(self, names: Sequence[str]) -> npt.NDArray[np.uint32]: ...

    def stats(self, ids: npt.NDArray[np.uint32]) -> tuple[Floats, Floats]: ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """Makes link batches; ``hosts`` gives the host history columns."""

    hosts: HostHistory

    def batch(self, source: Source, links: Links, leaves: Leaves) -> LinkBatch:
        """The batch of ``links`` standing on ``source``."""
        ids = self.host_ids(links)
        visits, relevant = self.hosts.stats(ids)
        return LinkBatch(
            source=source,
            links=links,
            leaves=leaves,
            same_host=same_host(links, source.host),
            file_level=file_levels(links.urls),
            host_visits=visits,
            host_relevant=relevant,
        )

    def host_ids(self, links: Links) -> npt.NDArray[np.uint32]:
        """uint32[n]: the host id of every link."""
        return self.hosts.ids(links.host_names)[links.host_index]

    def of_page(self, page: Page, source: Source) -> LinkBatch:
        """The links of a page that was read."""
        return self.batch(source, page.links, page.leaves)

    def of_redirect(self, link: Link, target: str, number: int) -> LinkBatch:
        """The one link of redirect ``number``: the link that led to it with another URL, so its score stays."""
        old, source = link.batch, link.batch.source
        spans = old.links.spans
        mine = spans[:, 0] == link.index
        terms = old.links.url_term_ids[
            old.links.url_term_starts[link.index] : old.links.url_term_starts[link.index + 1]
        ]
        kept = spans[mine].copy()
        kept[:, 0] = 0
        links = Links(
            urls=(target,),
            keys=np.array([key(target)], np.uint64),
            host_names=(host(target),),
            host_index=np.zeros(1, np.int32),
            nofollow=np.zeros(1, np.bool_),
            kinds=(link.kind if link.kind in (*LISTS, LinkKind.PUSHED) else LinkKind.REDIRECT,),
            url_term_ids=terms,
            url_term_starts=np.array([0, len(terms)], np.int32),
            anchors=tuple(text for text, own in zip(old.links.anchors, mine, strict=True) if own),
            spans=kept,
        )
        moved = replace(source, visit=number, hops=link.hops + 1, depth=link.depth)
        return self.batch(moved, links, old.leaves if len(kept) else NO_LEAVES)
