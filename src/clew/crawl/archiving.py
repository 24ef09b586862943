"""What the archive keeps of a visit: its records, or, where the page repeats one that is there, a pointer to that."""

from __future__ import annotations

from collections.abc import Mapping

from clew.crawl.parts import Parts
from clew.errors import ArchiveError
from clew.model import Link, Visit
from clew.store.warc import Original, encode_revisit, payload_digest, stored_digest


def facts(link: Link) -> dict[str, str]:
    """What the archive's metadata record says of how a page was found."""
    return {
        "via": link.batch.source.url or "seed",
        "hopsFromSeed": str(link.depth),
        "score": f"{link.score:.6f}",
        "attempt": str(link.attempt),
    }


def archive(parts: Parts, visit: Visit, records: bytes) -> tuple[str, int] | None:
    """Append the records of a visit; returns where they lie, None where nothing is archived."""
    if parts.archive is None or not records:
        return None
    original = _original(parts, visit)
    if original is not None:
        found = {**facts(visit.link), **_judged(visit)}
        records = encode_revisit(visit.response, found, original, parts.settings.store.gzip_level)
    return parts.archive.append(records)


def _judged(visit: Visit) -> Mapping[str, str]:
    page = visit.page
    return {} if page is None else {"relevance": f"{visit.relevance:.6f}", "language": page.language}


def _original(parts: Parts, visit: Visit) -> Original | None:
    """The archived response of the page that a visit repeats, if its payload is the same to the byte."""
    page, folder = visit.page, parts.archive_folder
    if page is None or folder is None or not visit.duplicate_of:
        return None
    row = parts.store.visits.get(visit.duplicate_of)
    if row is None or not row.warc_file or row.digest != page.digest:
        return None
    try:
        same = stored_digest(folder, row.warc_file, row.warc_offset) == payload_digest(visit.response)
    except ArchiveError:  # the file may have been taken away
        return None
    return Original(row.url, row.fetched_at, row.warc_file, row.warc_offset) if same else None
