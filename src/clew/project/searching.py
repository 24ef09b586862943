"""Seeds and examples from a search engine; how many hits follows Bergmark and others 2002."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.examples.keywords import keywords_of
from clew.project.wishes import Wish
from clew.text.shown import shown

SEEDS = 20
"""Hits that become seeds."""


@dataclass(frozen=True, slots=True)
class Hits:
    """How many hits make the examples of a topic: with fewer than ``least`` it is too thin, those after the first
    ``most`` are too far off."""

    least: int = 4
    most: int = 7


def add_query(wish: Wish, query: str, search: str, folder: Path, wanted: Hits) -> None:
    """The query as an example page of its own words; with a search engine, its hits as seeds and examples.

    ``folder`` is the project's, where answers are kept and calls are written down. Raises InputError or ConfigError for
    a wrong provider, ProviderError when it does not answer.
    """
    says_nothing = bool(query) and not keywords_of(query)
    if says_nothing and not search:
        raise _empty(query)
    wish.query = query if not says_nothing else ""
    if not search:
        return
    if not query and wish.tree is None:
        raise InputError("--search needs to know what to ask for: --query, or a --taxonomy whose topics lack examples")
    folder.mkdir(parents=True, exist_ok=True)
    if not query:
        asyncio.run(_fill_topics(wish, search, folder, wanted))
        return
    (hits,) = asyncio.run(_search(search, [query], folder, SEEDS))
    if not hits:
        raise InputError(f"{search} finds nothing for {query!r}: try other words, or give --seeds")
    wish.seeds += hits[:SEEDS]
    if len(hits) >= wanted.least:
        wish.relevant += hits[: wanted.most]
    elif says_nothing:
        raise _empty(query)
    else:
        wish.notes.append(f"only {len(hits)} {'hit' if len(hits) == 1 else 'hits'}: too few to be examples, seeds only")


def _empty(query: str) -> InputError:
    return InputError(
        f"--query {shown(query)!r} has no word that says what is wanted: stop words, such as the and of, do not count"
    )


async def _fill_topics(wish: Wish, search: str, folder: Path, wanted: Hits) -> None:
    """Ask for each leaf without examples by its name: its first hits make its examples, but no seeds; a topic with too
    few is dropped."""
    assert wish.tree is not None
    tree = wish.tree
    empty = [topic for topic in tree.leaves() if not tree.own(topic)]
    answers = await _search(search, [tree.name(topic) for topic in empty], folder, wanted.most)
    thin = []
    for topic, hits in zip(empty, answers, strict=True):
        if len(hits) < wanted.least:
            thin.append(tree.path(topic))
            continue
        for url in hits:
            tree.add(tree.path(topic), url=url, seed=False)
    wish.tree = tree.pruned(1)
    if thin:
        wish.notes.append(f"fewer than {wanted.least} hits, so these topics were dropped: {', '.join(thin)}")


async def _search(search: str, queries: Sequence[str], folder: Path, limit: int) -> list[list[str]]:
    """URLs of the hits of each query."""
    from clew.web.providers.registry import make  # only who searches needs it

    provider = make(settings_of(search), folder)
    try:
        return [[hit.url for hit in await provider.search(query, limit)] for query in queries]
    finally:
        await provider.close()


def settings_of(search: str) -> dict[str, Any]:
    """A provider as users write it: KIND:URL, or a TOML file with its settings. Raises InputError."""
    kind, colon, url = search.partition(":")
    if colon and "://" in url:
        return {"kind": kind, "url": url}
    try:
        return tomllib.loads(Path(search).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"--search {search}: write searxng:URL, mediawiki:URL or a TOML file ({error})") from error
