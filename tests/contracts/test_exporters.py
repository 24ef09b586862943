"""One suite over every exporter (``clew.testing.ExporterContract``)."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from clew.export.base import Exporter
from clew.export.registry import EXPORTERS, make
from clew.testing import ExporterContract
from clew.topics.topicsfile import read_topics


class TestExporter(ExporterContract):
    in_order = True

    @pytest.fixture(autouse=True, params=EXPORTERS.builtin)
    def named(self, request: pytest.FixtureRequest) -> None:
        self.name = request.param

    def make(self) -> Exporter:
        return make(self.name, self.collection)

    def urls(self, data: bytes) -> list[str]:
        return getattr(self, f"in_{self.name}")(data)

    def in_jsonl(self, data: bytes) -> list[str]:
        return [json.loads(line)["url"] for line in data.splitlines()]

    def in_csv(self, data: bytes) -> list[str]:
        return [row["url"] for row in csv.DictReader(io.StringIO(data.decode(), newline=""))]

    def in_parquet(self, data: bytes) -> list[str]:
        from pyarrow import parquet

        return list(parquet.read_table(io.BytesIO(data))["url"].to_pylist())

    def in_sqlite(self, data: bytes) -> list[str]:
        file = Path(self.folder) / "pages.db"
        file.write_bytes(data)
        with closing(sqlite3.connect(file)) as database:
            return [url for (url,) in database.execute("SELECT url FROM pages ORDER BY rowid")]

    def in_markdown(self, data: bytes) -> list[str]:
        return [json.loads(found) for found in re.findall(r'^---\nurl: (".*")$', data.decode(), re.M)]

    def in_warc(self, data: bytes) -> list[str]:
        from warcio.archiveiterator import ArchiveIterator

        records = ArchiveIterator(io.BytesIO(data))
        return [one.rec_headers["WARC-Target-URI"] for one in records if one.rec_type == "response"]

    def in_bookmarks(self, data: bytes) -> list[str]:
        return re.findall(r'<A HREF="([^"]*)"', data.decode())

    def in_yaml(self, data: bytes) -> list[str]:
        file = Path(self.folder) / "topics.yaml"
        file.write_bytes(data)
        return [url for spec in read_topics(file) for url in spec.examples] if data.strip() not in (b"", b"{}") else []
