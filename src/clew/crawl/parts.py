"""The parts a crawl is put together from, one a question the papers vary; ``project`` chooses them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from clew.config import Settings
from clew.crawl.evidence import Evidence
from clew.crawl.progress import Progress
from clew.crawl.stopping import StopRules
from clew.crawl.tiers import tier_of
from clew.crawl.view import CrawlView
from clew.examples.training import Feedback
from clew.frontier.base import Frontier
from clew.model import Doubles, LinkBatch
from clew.store.base import Store
from clew.store.warc import WarcWriter
from clew.strategies.base import Strategy
from clew.topics.interest import Interest
from clew.urls.canonical import Canonicaliser
from clew.urls.scope import Scope
from clew.web.base import Clock, World
from clew.workers.pool import ReadingPool


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Where pages come from, what is wanted, where to go next, what is remembered. ``archive`` and
    ``feedback`` (what trains the judge again while the crawl runs) may be None; ``archive_folder`` holds WARC files."""

    settings: Settings
    world: World
    clock: Clock
    store: Store
    frontier: Frontier
    strategy: Strategy
    interest: Interest
    reading: ReadingPool
    rules: StopRules
    view: CrawlView
    evidence: Evidence
    scope: Scope
    canonicalise: Canonicaliser
    progress: Progress
    archive: WarcWriter | None = None
    feedback: Feedback | None = None
    archive_folder: Path = field(default_factory=Path)

    def commit(self) -> None:
        """One transaction; the archive's bytes are on disk before the rows that point at them."""
        if self.archive is not None:
            self.store.set_archive(*self.archive.flush())
        self.store.set_clock(self.clock.now())
        self.store.commit()

    def tier(self, batch: LinkBatch) -> int:
        """The tier of the links of a row as they are found."""
        return tier_of(self.strategy, batch)

    def scores(self, batch: LinkBatch) -> Doubles:
        """The strategy's scores, NaN where a link must not be followed (rel=nofollow, scope.max_depth)."""
        scores = np.array(self.strategy.score(batch), np.float64)
        if self.settings.crawl.nofollow:
            scores[batch.links.nofollow] = np.nan
        deepest = self.settings.scope.max_depth
        if deepest:
            scores[batch.depths > deepest] = np.nan
        return scores
