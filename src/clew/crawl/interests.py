"""What a crawl's stored verdicts rest on: the topics by number, the formula, the threshold. A run that finds another
interest than the last one had brings all stored pages up to date before it fetches anything.

Where formula or threshold changed, the stored scores say anew what is relevant. Where the topics changed, what is
stored by topic gets their new numbers (``take_over_topics``), and the judge, which knows other topics now, judges all
stored pages again. Either way the strategy learns all visits again, and all links are scored again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

import msgspec

from clew.store.base import Store
from clew.topics.formula import unparse
from clew.topics.interest import Interest
from clew.topics.semantics import FaginWimmers, Semantics

INTEREST = "[interest]"
"""Under what the journal keeps what the stored verdicts rest on. No strategy is called so."""


class Change(Enum):
    """What changed since the stored pages were judged."""

    NOTHING = 0
    VERDICTS = 1
    TOPICS = 2


class Standing(msgspec.Struct, frozen=True):
    """An interest in words. ``judge_anew``: the topics changed, and the stored pages were not judged again since."""

    topics: tuple[str, ...]
    formula: str
    excluded: str
    threshold: float
    exclude_from: float
    semantics: str
    judge_anew: bool = False


def standing_of(interest: Interest) -> Standing:
    """An interest in words."""
    return Standing(
        topics=tuple(interest.topics),
        formula=unparse(interest.formula, interest.topics),
        excluded="" if interest.excluded is None else unparse(interest.excluded, interest.topics),
        threshold=interest.threshold,
        exclude_from=interest.exclude_from,
        semantics=_semantics(interest.semantics),
    )


def _semantics(semantics: Semantics) -> str:
    if isinstance(semantics, FaginWimmers):
        return f"{_semantics(semantics.rule)} weighted {semantics.weights}"
    return type(semantics).__name__


def recorded(store: Store) -> Standing | None:
    """What the stored verdicts rest on; None where nothing ran yet, or only an earlier version."""
    saved = store.journal.saved(INTEREST)
    return msgspec.json.decode(saved.state, type=Standing) if saved is not None else None


def record(store: Store, standing: Standing) -> None:
    """Keep what the stored verdicts rest on, with what else is committed next."""
    store.journal.save(INTEREST, store.visits.next_number - 1, msgspec.json.encode(standing))


def crawled_topics(store: Store, topics: Sequence[str]) -> tuple[str, ...]:
    """The topics by whose numbers the stored pages are judged; ``topics`` where nothing says so."""
    before = recorded(store)
    return before.topics if before is not None else tuple(topics)


def take_over_topics(store: Store, topics: Sequence[str], named: Mapping[str, str] | None = None) -> bool:
    """Put what is stored by topic under the numbers of ``topics``, and commit; whether anything moved. ``named``: the
    new paths of topics that have another one; those that are in neither are gone. Pages are judged again by the next
    run."""
    before = recorded(store)
    if before is None or before.topics == tuple(topics):
        return False
    new = {path: place for place, path in enumerate(topics)}
    named = named or {}
    places = [new.get(named.get(path, path), -1) for path in before.topics]
    moved = places != list(range(len(topics)))
    if moved:
        store.renumber(places, len(topics))
    record(store, replace_topics(before, topics, judge_anew=before.judge_anew or moved))
    store.commit()
    return moved


def replace_topics(before: Standing, topics: Sequence[str], *, judge_anew: bool) -> Standing:
    """The same standing with other topics."""
    return msgspec.structs.replace(before, topics=tuple(topics), judge_anew=judge_anew)


def change(store: Store, interest: Interest) -> Change:
    """What changed since the stored pages were judged, for a run with this interest."""
    before = recorded(store)
    if before is None or before == standing_of(interest):
        return Change.NOTHING
    if store.visits.next_number == 1:
        return Change.NOTHING
    topics = before.judge_anew or before.topics != tuple(interest.topics)
    return Change.TOPICS if topics else Change.VERDICTS
