"""The interest: the formula, tried before it is saved; and archetypes, adopted and refused by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from clew.dashboard.api.common import BASE, Done, ShownOf
from clew.dashboard.api.topics import LONGEST, Changed, Stamp, Text, changed, store_of
from clew.dashboard.projects import Shown
from clew.dashboard.studies import study_of
from clew.project.archetypes import Archetype, adopt, allow, archetypes, refuse
from clew.project.edits import running, stamp
from clew.project.interestediting import save_interest
from clew.project.previewing import Preview, preview

router = APIRouter(tags=["interest"])

Threshold = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
FormulaText = Annotated[str, Field(max_length=1000)]


@dataclass(frozen=True, slots=True)
class Formula:
    """The formula as it is written (empty: any topic of the first level), and from which relevance on a page counts.
    ``tree``: whether there are topics to write one of."""

    formula: str
    threshold: float
    exclude_from: float
    semantics: str
    tree: bool
    running: bool
    stamp: str


@dataclass(frozen=True, slots=True)
class FormulaTried:
    """A formula to try; ``threshold`` null: that of the settings."""

    formula: FormulaText
    threshold: Threshold | None = None


@dataclass(frozen=True, slots=True)
class FormulaSaved:
    """A formula and a threshold to write into clew.toml; null: as it is."""

    formula: FormulaText | None = None
    threshold: Threshold | None = None
    stamp: Stamp = ""


@router.get(f"{BASE}/formula")
def formula(shown: ShownOf) -> Formula:
    """The formula and the threshold of the settings."""
    project = shown.project()
    interest = project.settings.interest
    return Formula(
        formula=interest.formula,
        threshold=project.settings.judge.threshold,
        exclude_from=interest.exclude_from,
        semantics=interest.semantics,
        tree=project.tree is not None,
        running=running(project),
        stamp=stamp(project),
    )


@router.post(f"{BASE}/formula/preview")
def try_formula(shown: ShownOf, request: Request, tried: FormulaTried) -> Preview:
    """How many of the pages judged so far would be relevant, by topic, and which pages turn. Changes nothing. A formula
    that cannot be read is answered with its ``problem``."""
    with store_of(shown) as store:
        scores = study_of(request, shown).columns(shown, store) if store is not None else None
        return preview(shown.project(), store, scores, tried.formula, tried.threshold)


@router.put(f"{BASE}/formula")
def save(shown: ShownOf, wanted: FormulaSaved) -> Changed:
    """Write the formula, the threshold or both into clew.toml."""
    save_interest(shown.project(), wanted.formula, wanted.threshold, wanted.stamp)
    return changed(shown, _saved(shown))


def _saved(shown: Shown) -> str:
    """What a saved interest does, in words."""
    project = shown.project()
    if not project.database.is_file():
        return "saved: it counts from the first page of the crawl on"
    if running(project):
        return "saved: the running crawl does not know it. Stop it and start it again: then it counts for all pages"
    return "saved: when the crawl goes on, all pages get new verdicts first, and all links new scores"


@dataclass(frozen=True, slots=True)
class Adopted:
    """A page to label with a topic, so that it trains the judge for good. ``topic``: its path, or ``relevant``."""

    url: Text
    topic: Text = "relevant"


@dataclass(frozen=True, slots=True)
class Allowed:
    """A page that may be an archetype again."""

    url: Text


@router.get(f"{BASE}/archetypes")
def list_archetypes(shown: ShownOf, request: Request) -> list[Archetype]:
    """Pages of the crawl that train the judge, pages that could, and pages that the user refused."""
    with store_of(shown) as store:
        scores = study_of(request, shown).columns(shown, store) if store is not None else None
        return archetypes(shown.project(), store, scores)


@router.put(f"{BASE}/archetypes")
def adopt_archetype(shown: ShownOf, page: Adopted) -> Done:
    """Adopt a page: it is labelled, and trains the judge after the session, or when the crawl goes on."""
    return Done(adopt(shown.project(), page.url, page.topic))


@router.delete(f"{BASE}/archetypes")
def refuse_archetype(shown: ShownOf, url: Annotated[str, Query(max_length=LONGEST)]) -> Done:
    """Refuse a page: it may be relevant, but trains the judge no more, and no strategy may name it."""
    return Done(refuse(shown.project(), url))


@router.post(f"{BASE}/archetypes/allow")
def allow_archetype(shown: ShownOf, page: Allowed) -> Done:
    """Take a page off the list of those that may not be archetypes."""
    return Done(allow(shown.project(), page.url))
