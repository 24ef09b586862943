"""From a project's folder to a crawl: settings, lists and files become a ``Setup``; running it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from clew.config import Settings
from clew.crawl.loop import Loop
from clew.crawl.running import CrawlResult, Display, runner
from clew.crawl.running import run as run_setup
from clew.crawl.setup import Setup
from clew.crawl.steering import Steering
from clew.errors import ConfigError, InputError
from clew.examples.gathering import Gatherer
from clew.examples.training import Trainer
from clew.judges.base import Judge, JudgeContext, Shares
from clew.judges.registry import JUDGES
from clew.judges.registry import make as make_judge
from clew.model import OTHER
from clew.project.channel import listening
from clew.project.folder import MODELS, SETTINGS, ProjectFolder
from clew.project.reference import learned_reference
from clew.project.sources import FolderSource
from clew.registry import Registry
from clew.store.base import Store
from clew.store.cache import ArchiveCache
from clew.strategies.base import Strategy
from clew.strategies.registry import STRATEGIES
from clew.strategies.registry import make as make_strategy
from clew.web.base import Clock, World
from clew.web.cached import CachedWorld
from clew.web.providers.base import BacklinkProvider, SearchProvider
from clew.web.providers.registry import make as make_provider
from clew.web.registry import absolute
from clew.web.registry import make as make_world
from clew.web.sparing import sparing


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What a user may say for one run instead of clew.toml. None: as clew.toml says."""

    web: str | None = None
    strategy: str | None = None
    judge: str | None = None
    max_pages: int | None = None
    run_s: float = 0.0
    fresh_s: float | None = None
    workers: int | None = None
    contact: str | None = None


def crawl(project: ProjectFolder, options: CrawlOptions, display: Display | None = None) -> CrawlResult:
    """Run a crawl to its end in an event loop of its own. Raises ClewError; not for use inside a running loop."""
    with runner() as own:
        return own.run(run(project, options, display))


async def run(project: ProjectFolder, options: CrawlOptions, display: Display | None = None) -> CrawlResult:
    """Start a project's crawl, or resume it where it stopped; returns when a rule says stop."""
    project = project.with_settings(chosen(project.settings, options))
    store = project.open_store()
    try:
        check_complete(project, store)
        setup = setup_of(project, store, options.web)
        try:
            named = project.settings.scope.never
            never = project.path / named if named else None

            def beside(loop: Loop) -> AbstractAsyncContextManager[None]:
                return listening(project.path, Steering(loop, never, told(options)))

            return await run_setup(setup, display, options.run_s, beside)
        finally:
            await setup.world.close()
    finally:
        store.close()


def told(options: CrawlOptions) -> dict[str, str | int | float]:
    """The options that a user gave, for whoever watches."""
    given: dict[str, str | int | float | None] = asdict(options)
    return {name: one for name, one in given.items() if one}


async def check(project: ProjectFolder, options: CrawlOptions) -> None:
    """Raise ClewError for what ``run`` would refuse before it fetches anything. Changes nothing of the project."""
    settings = chosen(project.settings, options)
    project = project.with_settings(settings)
    strategy_of(project)
    judge_of(project)
    check_complete(project)
    project.scope.accepts(project.seeds())
    world, _ = make_world(options.web or absolute(settings.project.web, project.path), settings)
    await world.open()
    await world.close()


def check_complete(project: ProjectFolder, store: Store | None = None) -> None:
    """Raise InputError, saying what to give, where a project does not say where to start or what is wanted, or names
    a strategy or judge that there is not. A crawl that has begun (``store``) needs no more seeds."""
    check_names(project)
    check_wanted(project)
    if project.seeds() or (store is not None and any(True for _ in store.links.batches(seeds=True))):
        return
    raise InputError(
        f"{project.path} has no seeds to start from: put URLs into {project.path / project.settings.interest.seeds}, "
        "one a line, or make a project with clew init and --seeds, or with --query and a search provider, as "
        "--search searxng:URL, whose hits are seeds"
    )


def check_names(project: ProjectFolder) -> None:
    """Raise ConfigError where clew.toml names a strategy or judge that there is not, or has a table for one."""
    settings = project.settings
    tables = [name for name, value in settings.strategy.items() if isinstance(value, dict)]
    _require(project, STRATEGIES, "strategy", settings.strategy_name, tables)
    _require(project, JUDGES, "judge", settings.judge.name, settings.judge.tables)


def _require(project: ProjectFolder, registry: Registry[Any], table: str, name: str, tables: Iterable[str]) -> None:
    places = [(f"[{table}]", "name", name), *((f"[{table}.{one}]", "", one) for one in tables)]
    for place, setting, one in places:
        try:
            registry.require(one)
        except ConfigError as error:
            raise project.located(error, place, setting) from None


def check_wanted(project: ProjectFolder) -> None:
    """Raise InputError where nothing says what is wanted: no example, no label and no keyword. A judge of the user's
    own may need none of these."""
    interest, name = project.settings.interest, project.settings.judge.name
    told = [interest.keywords, *project.topic_keywords.values()]
    if (
        name not in JUDGES.builtin
        or any(one.topic != OTHER for one in [*project.wanted(), *project.labels()])
        or any(weight > 0 for words in told for weight in words.values())
    ):
        return
    raise InputError(
        f"{project.path} does not say what is wanted: put URLs or paths of pages you like into "
        f"{project.path / interest.relevant}, or words into the table [interest.keywords] of "
        f"{project.path / SETTINGS}, or make a project with clew init and --relevant, --bookmarks, --query or "
        "--keywords"
    )


def chosen(settings: Settings, options: CrawlOptions) -> Settings:
    """The settings of this run: clew.toml with the options on top. Raises ConfigError."""
    given = {name: getattr(options, name) for name in ("max_pages", "fresh_s", "workers", "contact")}
    crawl = msgspec.structs.replace(settings.crawl, **{name: one for name, one in given.items() if one is not None})
    judge, strategy = settings.judge, dict(settings.strategy)
    if options.judge is not None:
        judge = msgspec.structs.replace(judge, name=options.judge)
    if options.strategy is not None:
        strategy["name"] = options.strategy
    return msgspec.structs.replace(settings, crawl=crawl, judge=judge, strategy=strategy)


def setup_of(project: ProjectFolder, store: Store, web: str | None = None) -> Setup:
    """The crawl of a project, under its settings; ``web`` instead of that of the settings. Raises ClewError."""
    settings = project.settings
    web = web or absolute(settings.project.web, project.path)
    world, clock = make_world(web, settings, now=store.journal.clock)
    return Setup(
        settings=settings,
        seeds=project.seeds(),
        source=FolderSource(project),
        interest=project.interest,
        tree=project.tree,
        make_judge=lambda: judge_of(project),
        strategy=strategy_of(project),
        judge_name=settings.judge.name,
        strategy_name=settings.strategy_name,
        web=web,
        world=sparing(_with_cache(project, world, clock), project.scope.never, grows=True),
        clock=clock,
        store=store,
        reader=project.reader,
        scope=project.scope,
        canonicalise=project.canonicalise,
        archive=project.archive,
        crawl_number=project.crawl_number(),
        backlinks=_backlinks(project),
        backlinks_file=project.path / MODELS / "backlinks.msgpack",
        search=lambda: _search(project),
        others=project.visits_of,
    )


def trainer_as_crawled(project: ProjectFolder, store: Store) -> Trainer:
    """What trains the judge again as the crawl trained it, from what the crawl kept. Fetches nothing."""
    gatherer = Gatherer(store, project.reader, project.path, archive=project.archive)
    starts = [url for url in project.seeds() if not project.scope.why_not(url)]
    return Trainer(FolderSource(project), gatherer, lambda: judge_of(project), project.interest, starts)


def strategy_of(project: ProjectFolder, name: str = "") -> Strategy:
    """Where to go next. Raises ConfigError for a wrong name or setting."""
    name = name or project.settings.strategy_name
    try:
        return make_strategy(name, project.settings.strategy.get(name, {}))
    except ConfigError as error:
        raise project.located(error) from None


def judge_of(project: ProjectFolder, name: str = "") -> Judge:
    """The judge of the settings, or another one by name, untrained. Raises ConfigError for a wrong name."""
    try:
        return make_judge(name or project.settings.judge.name, judge_context(project))
    except ConfigError as error:
        raise project.located(error) from None


def judge_context(project: ProjectFolder) -> JudgeContext:
    """What a project's judge is made from."""
    settings, interest = project.settings, project.interest

    def corpus() -> Shares | None:
        learned = learned_reference(project)
        return learned.shares if learned is not None else None

    return JudgeContext(
        topics=interest.topics,
        keywords=settings.interest.keywords,
        keywords_by_topic=project.topic_keywords,
        seed=settings.crawl.seed,
        together=interest.together,
        corpus=corpus,
        folder=project.path,
        settings=settings.judge,
    )


def _backlinks(project: ProjectFolder) -> Callable[[], BacklinkProvider] | None:
    """The provider that the settings name."""
    named = project.settings.providers.backlinks
    return (lambda: make_provider(named, project.path, project.canonicalise)) if named else None


def _search(project: ProjectFolder) -> SearchProvider | None:
    named = project.settings.providers.search
    return make_provider(named, project.path, project.canonicalise) if named else None


def _with_cache(project: ProjectFolder, world: World, clock: Clock) -> World:
    fresh = project.settings.crawl.fresh_s
    earlier = project.earlier_databases()
    if not fresh or not earlier:
        return world
    return CachedWorld(world, ArchiveCache(earlier, project.archive), fresh, clock)
