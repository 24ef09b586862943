"""A crawl's collection as one WARC file: response, request and metadata records of the chosen pages."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from clew.export.base import Exporter
from clew.export.collection import iso
from clew.store.records import VisitRow
from clew.store.warc import WarcWriter, encode, read
from clew.version import __version__

ONE_FILE = 2**62


def write_warc(rows: Iterable[VisitRow], archive: Path, out: IO[bytes], gzip_level: int, software: str) -> int:
    """Write the records of each visit that was archived, in the order of ``rows``; returns how many were."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        writer = WarcWriter(Path(folder), "export", ONE_FILE, gzip_level, software)
        writer.open(None)
        for row in rows:
            if row.warc_file:
                writer.append(encode(read(archive, row.warc_file, row.warc_offset), _facts(row), gzip_level))
                count += 1
        file, _ = writer.flush()
        writer.close()
        with (Path(folder) / file).open("rb") as stream:
            shutil.copyfileobj(stream, out)
    return count


def _facts(row: VisitRow) -> dict[str, str]:
    """What the metadata record says of a page in the collection."""
    return {
        "relevance": f"{row.relevance:.6f}",
        "hopsFromSeed": str(row.depth),
        "score": f"{row.score:.6f}",
        "language": row.language,
        "fetchedAt": iso(row.fetched_at),
    }


class Warc(Exporter):
    """The pages themselves, as they were fetched."""

    name = "warc"

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        collection = self.collection
        return write_warc(pages, collection.archive, out, collection.gzip_level, f"clew/{__version__}")
