"""A user's verdicts on pages: given, taken back, and what they say of the precision."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from clew.crawl.lastrun import last_estimate
from clew.errors import InputError
from clew.examples.labels import IRRELEVANT, LABELS, NO_LABEL, RELEVANT, add_label, read_labels
from clew.project.folder import ProjectFolder
from clew.project.lists import Line, example
from clew.project.sampling import sample
from clew.store.base import Store


@dataclass(frozen=True, slots=True)
class Precision:
    """Of the pages called relevant now, the share that is so, with an interval of 90 %: ``right`` of ``labelled`` pages
    drawn at random are, by the user's labels (``labelled_low``, ``labelled_high``); and as the judge expects it. None
    where they, or it, tell nothing."""

    right: int
    labelled: int
    share: float | None
    low: float | None
    high: float | None
    expected: float | None
    expected_low: float | None
    expected_high: float | None


def line_of(text: str, base: Path) -> str:
    """What labels.tsv calls a page: its canonical URL, or the path of a local page, relative to ``base``. Raises
    InputError."""
    return example(Line(text, "URL"), 0, base).line


def verdict_of(project: ProjectFolder, verdict: str) -> str:
    """A verdict as it is kept: relevant, irrelevant, none (taken back), or the name of a topic. Raises InputError for
    what is none of these."""
    verdict = verdict.strip()
    if verdict.lower() in (RELEVANT, IRRELEVANT, NO_LABEL):
        verdict = verdict.lower()
    if verdict in (IRRELEVANT, NO_LABEL):
        return verdict
    topic = project.topic(verdict)
    return verdict if verdict == RELEVANT or project.tree is None else project.tree.path(topic)


def label(project: ProjectFolder, verdicts: Iterable[tuple[str, str]]) -> int:
    """Keep verdicts on pages, as (line, verdict) of ``line_of`` and any that ``verdict_of`` takes; all of them or none.
    Returns how many pages are labelled then. Raises InputError."""
    checked = [(line, verdict_of(project, verdict)) for line, verdict in verdicts]
    for line, verdict in checked:
        add_label(project.path / LABELS, line, verdict)
    return len(read_labels(project.path / LABELS))


def precision(project: ProjectFolder, store: Store) -> Precision:
    """What labels and judge say of the pages called relevant. Looks up the labelled pages alone. Raises InputError for
    a bad label."""
    labels, told = sample(project, store), last_estimate(store)
    low, high = labels.interval if labels.labelled else (None, None)
    share = labels.precision if labels.labelled else None
    expected = (told.precision, told.low, told.high) if told is not None else (math.nan,) * 3
    return Precision(labels.right, labels.labelled, share, low, high, *map(_number, expected))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def check_url(project: ProjectFolder, text: str) -> str:
    """A URL as the crawl writes it. Raises InputError."""
    found = project.canonicalise(text.strip(), "") if "://" in text else ""
    if not found:
        raise InputError(f"{text[:200]!r} is no http(s) URL")
    return found
