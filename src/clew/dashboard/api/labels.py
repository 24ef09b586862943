"""A user's verdicts on pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Body, Query
from pydantic import Field

from clew.dashboard.api.common import BASE, ShownOf
from clew.dashboard.projects import Shown
from clew.examples.labels import LABELS, NO_LABEL, read_labels
from clew.project.labelling import Precision, check_url, label, precision
from clew.project.uncertain import DRAWN, uncertain
from clew.urls.canonical import key

router = APIRouter(tags=["labels"])

EFFECT = (
    "a crawl that runs takes labels into account from its next session on, one that stopped when it goes on; the "
    "estimate of precision counts them at once"
)
"""When labels count, in words."""

PageUrl = Annotated[str, Field(min_length=1, max_length=4_000)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on the page at ``url``: relevant, irrelevant, the name of a topic; or none: its label is taken back."""

    url: PageUrl
    verdict: Annotated[str, Field(min_length=1, max_length=500)]


@dataclass(frozen=True, slots=True)
class LabelLine:
    """A label. ``number``: of the page's visit, 0 where it was not visited; ``relevance`` and ``relevant``: as it is
    judged now; None where it was not judged."""

    url: str
    verdict: str
    number: int
    title: str
    relevance: float | None
    relevant: bool


@dataclass(frozen=True, slots=True)
class Labelled:
    """``labels``: how many pages have a label now; ``precision`` by them, None before the first crawl; ``effect``: when
    they count."""

    labels: int
    precision: Precision | None
    effect: str = EFFECT


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels, the last ones first, ``offset`` left out, and what they say."""

    pages: tuple[LabelLine, ...]
    labelled: Labelled


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A page that is worth a verdict. ``drawn``: at random, for the estimate of precision; else it is near the
    threshold and teaches the judge. What the judge thinks of it is not told, for it would lead the answer."""

    number: int
    url: str
    title: str
    drawn: bool


@dataclass(frozen=True, slots=True)
class UncertainPages:
    """Pages to ask about, and the estimate of precision before that."""

    pages: tuple[Uncertain, ...]
    labelled: Labelled


@router.get(f"{BASE}/labels")
def labels(
    shown: ShownOf,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
) -> Labels:
    """The labels of a project, those given last first."""
    found = read_labels(shown.path / LABELS)[::-1][offset : offset + limit]
    if not shown.project().database.is_file():
        return Labels(tuple(LabelLine(one.line, one.verdict, 0, "", None, False) for one in found), _labelled(shown))
    lines = list[LabelLine]()
    with shown.store() as store:
        for one in found:
            row = store.visits.by_key(key(one.line))
            judged = row is not None and row.judged
            lines.append(
                LabelLine(
                    url=one.line,
                    verdict=one.verdict,
                    number=row.number if row is not None else 0,
                    title=row.title if row is not None else "",
                    relevance=round(row.relevance, 9) if row is not None and judged else None,
                    relevant=row is not None and row.relevant,
                )
            )
    return Labels(tuple(lines), _labelled(shown))


@router.put(f"{BASE}/labels")
def give(shown: ShownOf, verdict: Verdict) -> Labelled:
    """Label a page, or change its label. The page need not have been visited."""
    return _give(shown, [verdict])


@router.delete(f"{BASE}/labels")
def take_back(shown: ShownOf, url: Annotated[str, Query(min_length=1, max_length=4_000)]) -> Labelled:
    """Take the label of a page back."""
    return _give(shown, [Verdict(url, NO_LABEL)])


@router.post(f"{BASE}/labels/bulk")
def give_all(shown: ShownOf, verdicts: Annotated[list[Verdict], Body(max_length=1_000)]) -> Labelled:
    """Label several pages: all of them, or none where one verdict makes no sense."""
    return _give(shown, verdicts)


@router.get(f"{BASE}/uncertain")
def ask(shown: ShownOf, n: Annotated[int, Query(ge=1, le=200)] = 20) -> UncertainPages:
    """Pages without a label whose labels tell most, as ``clew label --uncertain`` asks about them."""
    with shown.store() as store:
        found = uncertain(shown.project(), store, n)
    pages = tuple(Uncertain(one.number, one.url, one.title, one.why == DRAWN) for one in found)
    return UncertainPages(pages, _labelled(shown))


def _give(shown: Shown, verdicts: list[Verdict]) -> Labelled:
    project = shown.project()
    count = label(project, [(check_url(project, one.url), one.verdict) for one in verdicts])
    return _labelled(shown, count)


def _labelled(shown: Shown, count: int | None = None) -> Labelled:
    count = len(read_labels(shown.path / LABELS)) if count is None else count
    if not shown.project().database.is_file():
        return Labelled(count, None)
    with shown.store() as store:
        return Labelled(count, precision(shown.project(), store))
