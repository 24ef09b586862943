"""Why a page is or is not relevant, how the crawl came there, and what became of any URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query

from clew.dashboard.api.common import BASE, ShownOf
from clew.dashboard.api.pages import MOST_CHARS, Number, row_of, text_of
from clew.dashboard.experts import Expert
from clew.project.explaining import Explanation
from clew.project.labelling import check_url
from clew.text.places import term_places

router = APIRouter(tags=["pages"])


@dataclass(frozen=True, slots=True)
class Why:
    """Why a page is or is not relevant, and how the crawl came there: ``explanation``, and where its terms stand in the
    text of the page: (start, end, place in ``explanation.terms``), in characters. ``computing``: the reasons are being
    looked for, and there is no explanation yet; ask again."""

    computing: bool
    explanation: Explanation | None = None
    marks: tuple[tuple[int, int, int], ...] = ()


@router.get(f"{BASE}/pages/{{number}}/why")
def why(shown: ShownOf, number: Number) -> Why:
    """Why a page is or is not relevant, and how the crawl came there. For the first page that is explained the judge is
    trained again, which takes some seconds: ``computing`` says so at once. Later ones take little."""
    with shown.store() as store:
        row = row_of(store, number)
        found = shown.kept(Expert).answer(store, lambda expert: expert.explain(row.url))
    if found is None:
        return Why(computing=True)
    text = text_of(shown.project(), row).text[:MOST_CHARS]
    marks = term_places(text, [term for term, _ in found[0].terms], row.language)
    return Why(False, found[0], tuple(marks))


@router.get(f"{BASE}/explain")
def explain(shown: ShownOf, url: Annotated[str, Query(min_length=1, max_length=4_000)]) -> Explanation:
    """What became of any URL: visited, waiting, refused, out of scope or unknown; and why. Of one that waits, all
    links are looked through."""
    canonical = check_url(shown.project(), url)
    with shown.store() as store:
        return shown.kept(Expert).ask(store, lambda expert: expert.explain(canonical))
