"""The parts of a running crawl, one for each question the papers vary."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from clew.config import Settings
from clew.crawl.evidence import Evidence
from clew.crawl.happened import Happened
from clew.crawl.interests import Change
from clew.crawl.pages import OnPage
from clew.crawl.progress import Progress
from clew.crawl.stopping import StopRules
from clew.crawl.tiers import tier_of
from clew.crawl.view import CrawlView
from clew.examples.training import Trainer
from clew.frontier.base import Frontier
from clew.model import Doubles, LinkBatch, LinkKind
from clew.store.base import Store
from clew.store.records import RunRecord
from clew.store.room import Room
from clew.store.warc import WarcWriter
from clew.strategies.base import Strategy
from clew.text.mediatypes import inheriting_suffixes
from clew.topics.interest import Interest
from clew.urls.aspects import has_ending
from clew.urls.canonical import Canonicaliser
from clew.urls.scope import Scope
from clew.web.base import Clock, World
from clew.workers.pool import ReadingPool


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Where pages come from, what is wanted, where to go next, what is remembered. ``run`` goes on record when the
    crawl starts. ``archive`` and ``trainer`` (which trains the judge again while the crawl runs) may be None;
    ``archive_folder`` holds WARC files. ``on_page`` may leave a page out of the collection. ``happened``: in this
    run; ``change``: of the interest, since the last one."""

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
    run: RunRecord
    archive: WarcWriter | None = None
    trainer: Trainer | None = None
    archive_folder: Path | None = None
    on_page: OnPage | None = None
    room: Room = field(default_factory=Room)
    happened: Happened = field(default_factory=Happened)
    change: Change = Change.NOTHING

    def commit(self) -> None:
        """As ``commit_now``; waits for room where the disk is full, and nothing else happens meanwhile."""
        self.room.until(self.commit_now)

    def commit_now(self) -> None:
        """One transaction; the archive's bytes are on disk before the rows that point at them. May be called again
        after DiskFullError."""
        if self.strategy.saves_often and self.progress.visits:
            self.store.journal.save(self.run.strategy, self.progress.visits, self.strategy.state())
        if self.archive is not None:
            self.store.journal.archive = self.archive.flush()
        self.store.journal.clock = self.clock.now()
        self.store.commit()

    def tier(self, batch: LinkBatch) -> int:
        """The tier of the links of a row as they are found."""
        return tier_of(self.strategy, batch)

    def scores(self, batch: LinkBatch) -> Doubles:
        """The strategy's scores, NaN where a link must not be followed (rel=nofollow, scope.max_depth, documents that
        are listed). What a user pushed is followed in any case."""
        scores = np.array(self.strategy.score(batch), np.float64)
        if self.settings.crawl.nofollow:
            scores[batch.links.nofollow] = np.nan
        deepest = self.settings.scope.max_depth
        if deepest:
            scores[batch.depths > deepest] = np.nan
        if self.settings.crawl.documents == "listed" and batch.source.visit:  # a seed was asked for by name
            endings = inheriting_suffixes(self.settings)
            scores[[has_ending(url, endings) for url in batch.links.urls]] = np.nan
        if batch.links.kinds[:1] == (LinkKind.PUSHED,):  # whoever asks for a page gets it
            scores = np.nan_to_num(scores, nan=0.0)
        return scores
