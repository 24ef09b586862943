"""All that a crawl is made of: a project's folder, the lab and ``Crawl`` each make one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.config import Settings
from clew.crawl.owncrawl import OwnCrawl
from clew.crawl.pages import OnPage
from clew.examples.gathering import Gatherer
from clew.examples.sources import ExampleSource
from clew.examples.training import Trainer
from clew.judges.base import Judge
from clew.model import Visit
from clew.store.base import Store
from clew.strategies.base import Strategy
from clew.text.reader import Reader
from clew.topics.interest import Interest
from clew.topics.tree import TopicTree
from clew.urls.canonical import Canonicaliser
from clew.urls.scope import Scope
from clew.web.base import Clock, World
from clew.web.providers.base import BacklinkProvider, SearchProvider
from clew.web.providers.inverted import LookedThrough


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What is wanted: ``seeds`` (canonical URLs), ``source`` of examples, ``tree``, and ``interest``, with a threshold
    of 0 where the start pages are to set it. Is a page it, and where to go next: ``make_judge`` gives an untrained
    judge, ``strategy``. Where pages come from: ``world`` and its ``clock``. What is remembered: ``store``, open, and
    ``archive``, the folder of WARC files, None for none; ``crawl_number`` stands in their names. How pages are read:
    ``reader``, ``scope``, ``canonicalise``.

    ``backlinks`` and ``search`` make the providers that a strategy may ask. Without the first it asks the web itself
    where that can be looked through (``backlinks_file`` keeps what was found), else the pages of this crawl; without
    the second nobody. ``others`` gives the visits of another crawl by its folder.
    ``judge_name``, ``strategy_name`` and ``web`` are as the user wrote them. Whoever makes a setup closes its store and
    its world.
    """

    settings: Settings
    seeds: Sequence[str]
    source: ExampleSource
    interest: Interest
    tree: TopicTree | None
    make_judge: Callable[[], Judge]
    strategy: Strategy
    judge_name: str
    strategy_name: str
    web: str
    world: World
    clock: Clock
    store: Store
    reader: Reader
    scope: Scope
    canonicalise: Canonicaliser
    archive: Path | None = None
    crawl_number: int = 1
    backlinks: Callable[[], BacklinkProvider] | None = None
    backlinks_file: Path | None = None
    search: Callable[[], SearchProvider | None] = lambda: None
    others: Callable[[str], Iterator[Visit]] | None = None
    on_page: OnPage | None = None

    def trainer(self, warn: Callable[[str], None]) -> Trainer:
        """What trains the judge; ``warn`` is told of examples that cannot be had."""
        gatherer = Gatherer(
            store=self.store,
            reader=self.reader,
            base=self.source.base,
            world=self.world,
            clock=self.clock,
            warn=warn,
            archive=self.archive,
            hosts_at_once=self.settings.crawl.hosts_at_once,
        )
        starts = [url for url in self.seeds if not self.scope.why_not(url)]
        return Trainer(self.source, gatherer, self.make_judge, self.interest, starts)

    def backlink_provider(self) -> BacklinkProvider:
        """Who says which pages link to a page."""
        if self.backlinks is not None:
            return self.backlinks()
        if self.world.live:
            return OwnCrawl(self.store)
        known = [one.line for one in self.source.wanted() if one.is_url]
        starts = [*self.seeds, *known]
        return LookedThrough(self.world, self.reader, self.canonicalise, starts, self.backlinks_file)
