"""A collection as a topic tree: URLs under their topics, for another project."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from clew.export.base import Exporter
from clew.export.filed import filed
from clew.store.records import VisitRow
from clew.topics.topicsfile import specs_of, write_topics


class TopicsYaml(Exporter):
    """A topics.yaml."""

    name = "yaml"

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        entries = list(filed(pages, self.collection.topics))
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder) / "yaml"
            write_topics(specs_of(entries), part)
            out.write(part.read_bytes())
        return len(entries)
