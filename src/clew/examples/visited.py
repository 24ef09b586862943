"""What a crawl keeps of the pages it visited, as pages and as examples that a judge can be trained with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from clew.errors import ClewError, StoreError
from clew.model import Example, Keys, LinkBatch, Outcome, Page
from clew.store.base import Store
from clew.store.records import VisitRow
from clew.store.warc import read
from clew.text.reader import Reader, Unreadable
from clew.text.terms import tokeniser


def examples(
    store: Store, archetypes: Mapping[int, Sequence[int]], reader: Reader, archive: Path | None
) -> list[Example]:
    """Archetypes as examples; those whose page is not kept are left out."""
    found = []
    for topic, numbers in sorted(archetypes.items()):
        for number in numbers:
            row = store.visits.get(number)
            page = visited_page(store, row, reader, archive) if row is not None else None
            if row is not None and page is not None:
                found.append(Example(row.url, topic, page))
    return found


def without_refused(store: Store, archetypes: Mapping[int, Sequence[int]], refused: Keys) -> dict[int, tuple[int, ...]]:
    """Archetypes without the pages that the user refused."""
    numbers = [number for some in archetypes.values() for number in some] if len(refused) else []
    gone = {row.number for row in store.visits.many(numbers) if row.key in set(refused.tolist())}
    return {topic: tuple(one for one in some if one not in gone) for topic, some in archetypes.items()}


SAMPLE = 1_000
"""Pages of a crawl that a judge is shown, at most."""


def sample(store: Store, last: int, reader: Reader, archive: Path | None, most: int = SAMPLE) -> list[Page]:
    """Pages that were read up to visit ``last``, in order: every k-th, so that they are no more than ``most``. The same
    store gives the same pages. Pages that repeat others, and those that are no pages, are left out."""
    numbers = store.visits.sound(last)
    step = max(-(-len(numbers) // most), 1)
    rows = store.visits.many(numbers[::step])
    pages = (visited_page(store, row, reader, archive) for row in rows)
    return [page for page in pages if page is not None]


def visited_page(store: Store, row: VisitRow, reader: Reader, archive: Path | None) -> Page | None:
    """A visited page, from the terms kept with its links, or from the archive where a judge needs its text."""
    if row.outcome is not Outcome.OK or not row.judged:
        return None
    if reader.keep_text:
        return _archived(row, reader, archive)
    try:
        return _of_terms(row, store.links.batch(row.number))
    except StoreError:  # its links are not to be followed, so they were not kept
        return _archived(row, reader, archive)


def _archived(row: VisitRow, reader: Reader, archive: Path | None) -> Page | None:
    if archive is None or not row.warc_file:
        return None
    try:
        return reader.read(read(archive, row.warc_file, row.warc_offset))
    except (ClewError, Unreadable):
        return None


def _of_terms(row: VisitRow, batch: LinkBatch) -> Page:
    return Page(
        url=row.url,
        title=row.title,
        language=row.language,
        charset=row.charset,
        content_type=row.content_type,
        text="",
        title_ids=tokeniser(row.language).ids(row.title),
        leaves=batch.leaves,
        links=batch.links,
        canonical=row.canonical,
        noindex=row.noindex,
        digest=row.digest,
    )
