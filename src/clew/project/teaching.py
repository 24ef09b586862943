"""Training a project's judge: on its examples and labels; the threshold; labels that come in while a crawl runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from clew.examples.gathering import Training
from clew.examples.labels import LABELS
from clew.examples.training import Adoption, Feedback, apart, train
from clew.examples.visited import examples as archetype_examples
from clew.judges.base import Judge
from clew.judges.registry import make as make_judge
from clew.model import Example
from clew.project.project import Project
from clew.project.reference import learned_reference
from clew.store.base import Store
from clew.topics.interest import Interest
from clew.web.base import Clock, World


def make_project_judge(project: Project, name: str = "") -> Judge:
    """The judge of the settings, or another one by name, untrained. Raises ConfigError for a wrong name."""
    settings, interest = project.settings, project.interest
    judge = msgspec.structs.replace(settings.judge, name=name) if name else settings.judge
    if judge.model:
        judge = msgspec.structs.replace(judge, model=str(project.path / Path(judge.model).expanduser()))
    return make_judge(
        judge,
        interest.topics,
        settings.interest.keywords,
        settings.crawl.seed,
        interest.together,
        project.topic_keywords,
        learned_reference(project),
    )


def make_training(project: Project, store: Store, world: World, clock: Clock, warn: Callable[[str], None]) -> Training:
    """What gathers the project's examples."""
    at_once = project.settings.crawl.hosts_at_once
    return Training(store, world, clock, project.reader, project.path, warn, project.archive, at_once)


async def trained(project: Project, training: Training) -> tuple[list[Example], Adoption]:
    """The examples, and the judge trained on them, on the user's labels and on archetypes."""
    labels = project.labels()
    found = await training.examples(project.wanted() + labels)
    examples, labelled = apart(found, labels)
    learned = learned_pages(project, training.store)
    return examples, train(lambda: make_project_judge(project), examples, labelled, project.interest, learned)


def learned_pages(project: Project, store: Store) -> list[Example]:
    """The archetypes with which a crawl of the project trained its judge last."""
    return archetype_examples(store, store.journal.archetypes, project.reader, project.archive)


def measured(project: Project, judge: Judge, examples: Sequence[Example]) -> Interest:
    """The project's interest; without a threshold in the settings, with one that the wanted examples set (ARI-18)."""
    interest = project.interest
    if interest.threshold > 0:
        return interest
    wanted = set(interest.wanted_topics)
    pages = [one.page for one in examples if one.topic in wanted]
    return interest.measured_by(judge.judge(pages))


def feedback(project: Project, training: Training) -> Feedback:
    """Labels that come in while the crawl runs: their file is looked at between sessions."""
    file = project.path / LABELS

    def read() -> tuple[list[Example], list[Example]]:
        labels = project.labels()
        return apart(training.at_hand(project.wanted() + labels), labels)

    def version() -> object:
        return (found.st_mtime_ns, found.st_size) if (found := _stat(file)) is not None else None

    learned = learned_pages(project, training.store)
    return Feedback(lambda: make_project_judge(project), read, version, project.interest, learned)


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None
