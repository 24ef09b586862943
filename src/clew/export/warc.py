"""A crawl's collection as one WARC file: response, request and metadata records of the chosen pages."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from clew.export.base import Collection, Exporter
from clew.export.collection import iso, topic_name
from clew.model import Outcome
from clew.store.records import VisitRow
from clew.store.warc import WarcWriter, encode, encode_about, read
from clew.version import __version__

ONE_FILE = 2**62


def write_warc(collection: Collection, rows: Iterable[VisitRow], out: IO[bytes]) -> int:
    """Write the records of each visit that was archived, and what is known of each document that was listed, in the
    order of ``rows``; returns how many there were."""
    count, level, urls = 0, collection.gzip_level, collection.store.visits.urls()
    with tempfile.TemporaryDirectory() as folder:
        writer = WarcWriter(Path(folder), "export", ONE_FILE, level, f"clew/{__version__}")
        writer.open(None)
        for row in rows:
            facts = _facts(row, collection.topics, urls.get(row.inherited_from, ""))
            if row.warc_file:
                writer.append(encode(read(collection.archive, row.warc_file, row.warc_offset), facts, level))
            elif row.outcome is Outcome.LISTED:
                writer.append(encode_about(row.url, row.fetched_at, facts, level))
            else:
                continue
            count += 1
        file, _ = writer.flush()
        writer.close()
        with (Path(folder) / file).open("rb") as stream:
            shutil.copyfileobj(stream, out)
    return count


class Warc(Exporter):
    """The pages themselves, as they were fetched; of documents that were listed what they inherit."""

    name = "warc"

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        return write_warc(self.collection, pages, out)


def _facts(row: VisitRow, topics: Sequence[str], parent: str) -> dict[str, str]:
    """What the metadata record says of a page in the collection."""
    found = {
        "relevance": f"{row.relevance:.9f}",
        "topic": topic_name(row, topics) or "",
        "hopsFromSeed": str(row.depth),
        "score": f"{row.score:.6f}",
        "language": row.language,
        "fetchedAt": iso(row.fetched_at),
        "inheritedFrom": parent,
    }
    absent = {"score", "language", "fetchedAt"} if row.outcome is Outcome.LISTED else set()
    absent |= {name for name in ("topic", "inheritedFrom") if not found[name]}
    return {name: value for name, value in found.items() if name not in absent}
