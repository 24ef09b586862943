"""A setup made of objects, without a folder: for ``Crawl`` and for the lab."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path

from clew.config import Settings
from clew.crawl.pages import OnPage
from clew.crawl.reading import canonicaliser_of, reader_of, scope_of
from clew.crawl.setup import Setup
from clew.errors import ConfigError, UrlError
from clew.examples.examples import Examples, Given
from clew.judges.base import Judge, JudgeContext
from clew.judges.registry import make as make_judge
from clew.judges.registry import reads_text
from clew.store.base import Store
from clew.strategies.base import Strategy
from clew.strategies.registry import make as make_strategy
from clew.text.reader import Reader
from clew.topics.interest import Interest, semantics_of
from clew.urls.canonical import canonical
from clew.web.base import Clock, World
from clew.web.providers.base import BacklinkProvider
from clew.web.sparing import sparing


def setup_of(
    settings: Settings,
    examples: Examples,
    seeds: Sequence[str],
    *,
    world: World,
    clock: Clock,
    store: Store,
    web: str,
    strategy: str | Strategy | None = None,
    judge: str | Judge | None = None,
    reader: Reader | None = None,
    archive: Path | None = None,
    backlinks: Callable[[], BacklinkProvider] | None = None,
    on_page: OnPage | None = None,
) -> Setup:
    """The setup of a crawl. ``strategy`` and ``judge`` are names (None: those of the settings) or objects.

    Raises ClewError for what cannot be crawled with.
    """
    scope, canonicalise = scope_of(settings, archive.parent if archive else None), canonicaliser_of(settings)
    interest = _interest(settings, examples)
    context = _context(settings, examples, interest)
    strategy_name, made = _strategy(settings, strategy)
    judge_name, make = _judge(judge, context)
    keep_text = reads_text(judge_name, context) if not isinstance(judge, Judge) else judge.needs_text
    return Setup(
        settings=settings,
        seeds=[canonicalise(url, "") or url for url in dict.fromkeys(_canonical(url) for url in seeds)],
        source=Given(examples),
        interest=interest,
        tree=examples.tree,
        make_judge=make,
        strategy=made,
        judge_name=judge_name,
        strategy_name=strategy_name,
        web=web,
        world=sparing(world, scope.never),
        clock=clock,
        store=store,
        reader=reader or reader_of(settings, canonicalise, scope, keep_text=keep_text),
        scope=scope,
        canonicalise=canonicalise,
        archive=archive,
        backlinks=backlinks,
        on_page=on_page,
    )


def _interest(settings: Settings, examples: Examples) -> Interest:
    wanted = settings.interest
    semantics = semantics_of(wanted.semantics, wanted.weights)
    return examples.interest_of(settings.judge.threshold, wanted.exclude_from, semantics)


def _context(settings: Settings, examples: Examples, interest: Interest) -> JudgeContext:
    """What the judge is made from."""
    return JudgeContext(
        topics=interest.topics,
        keywords={**settings.interest.keywords, **examples.words},
        seed=settings.crawl.seed,
        together=interest.together,
        settings=settings.judge,
    )


def _strategy(settings: Settings, strategy: str | Strategy | None) -> tuple[str, Strategy]:
    if strategy is None or isinstance(strategy, str):
        name = strategy or settings.strategy_name
        return name, make_strategy(name, settings.strategy.get(name, {}))
    return strategy.name, strategy


def _judge(judge: str | Judge | None, context: JudgeContext) -> tuple[str, Callable[[], Judge]]:
    """The judge's name, and what makes an untrained one each time: training compares several."""
    if judge is not None and not isinstance(judge, str):
        if tuple(judge.topics) != context.topics:
            raise ConfigError(
                f"the judge {judge.name} is for the topics {', '.join(judge.topics)}; this crawl's are "
                f"{', '.join(context.topics)}"
            )
        untrained = copy.deepcopy(judge)
        return judge.name, lambda: copy.deepcopy(untrained)
    name = judge or context.settings.name
    make_judge(name, context)  # what is wrong is told now, not after examples were fetched
    return name, lambda: make_judge(name, context)


def _canonical(url: str) -> str:
    """A seed. Raises UrlError with a hint."""
    try:
        return canonical(url)
    except UrlError as error:
        hint = f"; did you mean http://{url} ?" if "://" not in url and "." in url else ""
        raise UrlError(url, f"{error.reason}{hint}") from error
