"""What can be told of a project's topics: examples, terms, and how well its judge tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.crawl.lastrun import last_run
from clew.errors import TrainingError
from clew.judges.quality import TopicQuality, quality, warnings
from clew.model import OTHER, Doubles, Example, TermIds
from clew.project.assembly import judge_of, trainer_as_crawled
from clew.project.judging import train_judge
from clew.project.project import Project
from clew.store.base import Store
from clew.text.terms import name as term_name
from clew.topics.formula import unparse

TERMS = 8
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Told:
    """A topic. ``wanted``: pages of it are, alone or together with other topics.

    ``typical``: terms that most of its examples hold, and few of the others; ``distinct``: terms that set it apart from
    all others; ``quality`` is cross-validated, None where that cannot be done.
    """

    path: str
    description: str
    wanted: bool
    own: int
    inherited: int
    typical: tuple[str, ...] = ()
    distinct: tuple[str, ...] = ()
    quality: TopicQuality | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What is wanted, in words, and all topics."""

    interest: str
    excluded: str
    threshold: float
    topics: tuple[Told, ...]
    warnings: tuple[str, ...] = ()


def about(project: Project, *, quick: bool = False) -> About:
    """Describe a project's topics; not ``quick``: read their example pages and cross-validate the judge.

    Raises ClewError.
    """
    if quick:
        return _about(project, _plain(project))
    trained = train_judge(project)
    topics, notes = _studied(project, trained.examples, _plain(project))
    return _about(project, topics, (*(note for note in trained.notes if not note.startswith("reading ")), *notes))


def about_as_crawled(project: Project, store: Store) -> About:
    """The same from the examples that the crawl kept: fetches and writes nothing, so a crawl may be running. Raises
    ClewError."""
    trained = trainer_as_crawled(project, store).as_crawled(last_run(store, project.settings).threshold)
    topics, notes = _studied(project, trained.examples, _plain(project))
    return _about(project, topics, notes)


def _about(project: Project, topics: Sequence[Told], notes: Sequence[str] = ()) -> About:
    interest = project.interest
    excluded = unparse(interest.excluded, interest.topics) if interest.excluded is not None else ""
    formula = unparse(interest.formula, interest.topics)
    return About(formula, excluded, interest.threshold, tuple(topics), tuple(notes))


def _plain(project: Project) -> list[Told]:
    interest, tree = project.interest, project.tree
    if tree is None:
        own = sum(one.topic != OTHER for one in project.wanted())
        return [Told(interest.topics[0], "", True, own, own)]
    return [
        Told(
            tree.path(topic),
            tree.description(topic),
            interest.concerns(topic),
            len(tree.own(topic)),
            len(tree.inherited(topic)),
        )
        for topic in range(len(tree))
    ]


def _studied(project: Project, examples: Sequence[Example], topics: list[Told]) -> tuple[list[Told], list[str]]:
    """Topics with their terms and the judge's estimated quality."""
    names = project.interest.topics

    try:
        rated = quality(lambda: judge_of(project), examples, FOLDS, project.settings.crawl.seed)
    except TrainingError as error:
        return topics, [str(error)]
    by_name = {one.topic: one for one in rated}
    told = []
    for topic in topics:
        typical, distinct = _terms(topic.path, names, examples)
        told.append(replace(topic, typical=typical, distinct=distinct, quality=by_name.get(topic.path)))
    return told, warnings(rated, examples)


def _terms(path: str, names: Sequence[str], examples: Sequence[Example]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Typical and distinguishing terms of a topic: the shares of its examples, and of the others, that hold a term."""
    inside = {index for index, name in enumerate(names) if name == path or name.startswith(f"{path}/")}
    own = [one.page.term_counts()[0] for one in examples if one.topic in inside]
    rest = [one.page.term_counts()[0] for one in examples if one.topic not in inside]
    if not own:
        return (), ()
    ids, counts = np.unique(np.concatenate(own), return_counts=True)
    share = counts / len(own)
    others = _shares(ids, rest)
    frequent = share * np.log1p(1.0 / (others + 0.3))
    common = ids[np.lexsort((ids, -frequent))][:TERMS]
    apart = share * np.log((share + 0.01) / (others + 0.01))
    unlike = ids[np.lexsort((ids, -apart))][:TERMS]
    return tuple(map(_name, common)), tuple(map(_name, unlike))


def _shares(ids: TermIds, bags: Sequence[TermIds]) -> Doubles:
    """float64[n]: the share of ``bags`` that hold each id."""
    found = np.zeros(len(ids))
    for bag in bags:
        found += np.isin(ids, bag)
    return found / max(len(bags), 1)


def _name(term: np.uint32) -> str:
    return term_name(int(term)) or f"#{int(term):08x}"
