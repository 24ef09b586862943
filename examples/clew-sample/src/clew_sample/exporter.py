"""A collection as a list in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO

from clew import Exporter
from clew.store.records import VisitRow


class LinkList(Exporter):
    """One item a page: a link with its title, and its relevance."""

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        count = 0
        for page in pages:
            title = re.sub(r"([\\`*_\[\]<>&|#])", r"\\\1", " ".join(page.title.split())) or page.url
            out.write(f"- [{title}](<{page.url}>) {page.relevance:.2f}\n".encode())
            count += 1
        return count
