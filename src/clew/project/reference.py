"""How rare words are, learned from the pages that a project crawled: a reference corpus of its own.

It is learned when a user asks for it, not while a crawl runs: a judge must not change between a crawl that was stopped
and resumed and one that was not.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.errors import InputError
from clew.examples.visited import visited_page
from clew.judges.base import JudgeContext
from clew.judges.reference import Reference
from clew.judges.registry import settings_for
from clew.judges.settings import FeatureSettings
from clew.model import Page
from clew.project.folder import MODELS, ProjectFolder
from clew.store.base import Store

FILE = "reference.npz"
ENOUGH = 100
"""Pages that a corpus must have."""


def learned_reference(project: ProjectFolder) -> Reference | None:
    """The corpus that was learned, None when there is none. Raises InputError when it is damaged."""
    file = project.path / MODELS / FILE
    if not file.is_file():
        return None
    return Reference.from_bytes(file.read_bytes(), str(file))


def judge_settings(project: ProjectFolder) -> FeatureSettings | None:
    """The settings of the project's judge, or of the first judge of an ensemble; None when it is none of terms."""
    context = JudgeContext(settings=project.settings.judge)
    name = project.settings.judge.name
    found = settings_for(name, context)
    if members := getattr(found, "members", ()):
        found = settings_for(members[0], context)
    return found if isinstance(found, FeatureSettings) else None


def learn_reference(project: ProjectFolder) -> Reference:
    """Learn it from all pages that were read, and keep it. Raises InputError when there are too few."""
    features = (judge_settings(project) or FeatureSettings()).page_features
    store = project.open_store(read_only=True)
    try:
        found = Reference.learned(_pages(project, store), features)
    finally:
        store.close()
    if found.documents < ENOUGH:
        raise InputError(
            f"{project.path} holds {found.documents:.0f} pages that were read; {ENOUGH} are needed to tell how rare "
            "words are: crawl more first"
        )
    file = project.path / MODELS / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(found.to_bytes())
    return found


def _pages(project: ProjectFolder, store: Store) -> Iterator[Page]:
    for row in store.visits.rows():
        page = visited_page(store, row, project.reader, project.archive)
        if page is not None:
            yield page
