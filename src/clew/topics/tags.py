"""Topics from the tags of links: bookmark services have tags where browsers have folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from clew.errors import InputError
from clew.section import did_you_mean
from clew.topics.entry import Entry

LEAST = 2
"""Links that a tag needs to be a topic of its own."""

MOST = 30
"""Topics that are made of tags, those with the most links."""

WITHIN = 0.8
"""A tag lies below another one that at least this share of its links have, too (M. Sanderson, W. B. Croft 1999)."""

LISTED = 12
"""Tags that an error message names."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """Links filed by their tags. ``links``: how many there are under each tag that became a topic, whatever else they
    are tagged; ``tags``: how many different ones the links have; ``without``: links that have none of the topics."""

    entries: tuple[Entry, ...]
    links: Mapping[str, int]
    tags: int
    without: int


def by_tags(entries: Iterable[Entry], least: int = LEAST, chosen: Sequence[str] = ()) -> Tagged:
    """File links under topics made of their tags, whatever their case.

    The tags that become topics are those ``chosen``, else the ``MOST`` most used ones that at least ``least`` links
    have; a link counts for each of its tags. A tag most of whose links have a more frequent one, too, is a topic below
    that. A link is filed under the rarest of its topics, for two topics that are not one above the other must not
    share examples; a tag that is left with fewer than ``least`` links (chosen: without any) is no topic. Where tags are
    chosen, links without any of them are left out, and so are all folders; else links in folders stay there, links
    without a topic stay in none, and only links in no folder count.

    Raises InputError for a chosen tag that no link has.
    """
    given = list(entries)
    links = [entry for entry in given if entry.url and (chosen or not entry.path)]
    tagged = [tuple(map(_key, entry.tags)) for entry in links]
    having, names = _index(links)
    topics = [_find(tag, having, names) for tag in chosen] or _frequent(having, least)
    topics = list(dict.fromkeys(topics))
    while True:
        paths = _nested(topics, having)
        filed = [_rarest(tags, topics, having) for tags in tagged]
        thin = _thin(topics, paths, Counter(filed), 1 if chosen else least)
        if not thin:
            break
        topics.remove(thin)
    under = dict(zip(map(id, links), filed, strict=True))
    found = []
    for entry in given:
        if topic := under.get(id(entry), ""):
            found.append(replace(entry, path=tuple(names[one] for one in paths[topic])))
        elif not chosen:
            found.append(entry)
    counted = {names[topic]: len(having[topic]) for topic in topics}
    return Tagged(tuple(found), counted, len(having), filed.count(""))


def _key(tag: str) -> str:
    return " ".join(tag.split()).casefold()


def _index(links: Sequence[Entry]) -> tuple[dict[str, set[str]], dict[str, str]]:
    """The URLs that have each tag, and the spelling of each tag that is used most."""
    having: dict[str, set[str]] = {}
    spelt: dict[str, Counter[str]] = {}
    for entry in links:
        for tag in entry.tags:
            key = _key(tag)
            having.setdefault(key, set()).add(entry.url)
            spelt.setdefault(key, Counter())[" ".join(tag.split())] += 1
    return having, {key: spellings.most_common(1)[0][0] for key, spellings in spelt.items()}


def _find(tag: str, having: Mapping[str, set[str]], names: Mapping[str, str]) -> str:
    if (key := _key(tag)) in having:
        return key
    used = sorted(having, key=lambda one: -len(having[one]))
    listed = ", ".join(f"{names[one]} ({len(having[one])})" for one in used[:LISTED])
    more = f" and {len(used) - LISTED:,} more" if len(used) > LISTED else ""
    near = did_you_mean(key, used)
    raise InputError(f"no link is tagged {tag!r}{near}; the tags used most are: {listed or 'none'}{more}")


def _frequent(having: Mapping[str, set[str]], least: int) -> list[str]:
    often = sorted(having, key=lambda tag: -len(having[tag]))  # of equals the first in the file
    return [tag for tag in often[:MOST] if len(having[tag]) >= least]


def _nested(topics: Sequence[str], having: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    """The path of each topic: below the rarest of the more frequent ones that hold most of its links."""
    paths: dict[str, tuple[str, ...]] = {}
    for topic in sorted(topics, key=lambda one: -len(having[one])):
        own = having[topic]
        above = [one for one in paths if len(having[one]) > len(own)]
        above = [one for one in above if len(own & having[one]) >= WITHIN * len(own)]
        paths[topic] = (*paths[min(above, key=lambda one: len(having[one]))], topic) if above else (topic,)
    return paths


def _rarest(tags: Sequence[str], topics: Sequence[str], having: Mapping[str, set[str]]) -> str:
    """Of equals the first tag of the link."""
    return min((tag for tag in tags if tag in topics), key=lambda one: len(having[one]), default="")


def _thin(topics: Sequence[str], paths: Mapping[str, tuple[str, ...]], filed: Counter[str], least: int) -> str:
    """The topic with the fewest links at and below it, if these are fewer than ``least``; else none."""
    totals: Counter[str] = Counter(dict.fromkeys(topics, 0))
    for topic in topics:
        for one in paths[topic]:
            totals[one] += filed[topic]
    order = {topic: place for place, topic in enumerate(topics)}
    fewest = min(topics, key=lambda one: (totals[one], -order[one]), default="")
    return fewest if fewest and totals[fewest] < least else ""
