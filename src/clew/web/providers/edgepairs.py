"""The index of links whose two ends are written out, as URLs or host names.

``targets`` and ``sources`` (uint64[links]) are sorted by the key of the target: the key, and the byte offset of the
linking URL in a list that is compressed in blocks (``lines``, ``blocks``). 16 bytes a link, while indexing 32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np

from clew.urls.canonical import key, keys
from clew.web.providers.edgecolumn import Column
from clew.web.providers.edgelines import LineReader, LineWriter
from clew.web.providers.edgeread import Pairs
from clew.web.providers.edgesort import PairSorter


def build(folder: Path, batches: Iterable[Pairs], url: Callable[[str], str | None], chunk: int) -> tuple[int, int]:
    """Write the index into ``folder``; how many pairs were read, and how many are links.

    ``url`` gives the canonical URL of a field, None: it is none. A link of a page to itself is left out. Two pairs in
    a row with the same source share its line, so lists sorted by source take the least space.
    """
    writer = LineWriter(folder / "lines", folder / "blocks")
    sorter = PairSorter(folder, chunk)
    read = 0
    last, source, offset = "", None, -1
    try:
        for pairs in batches:
            targets: list[str] = []
            offsets: list[int] = []
            for first, second in pairs:
                if first != last:
                    last, source, offset = first, url(first), -1
                target = url(second)
                if source is None or target is None or source == target:
                    continue
                if offset < 0:
                    offset = writer.add(source)
                targets.append(target)
                offsets.append(offset)
            read += len(pairs)
            sorter.add(keys(targets), np.array(offsets, np.uint64))
    finally:
        writer.close()
    links = sorter.pairs
    sorter.finish(folder / "targets", folder / "sources")
    return read, links


class PairIndex:
    """Answers from what ``build`` wrote. Raises OSError or ValueError when it is damaged."""

    def __init__(self, folder: Path) -> None:
        with ExitStack() as stack:
            self._targets, self._sources = (
                stack.enter_context(closing(Column(folder / name))) for name in ("targets", "sources")
            )
            self._lines = stack.enter_context(closing(LineReader(folder / "lines", folder / "blocks")))
            self._open = stack.pop_all()

    def linking(self, url: str) -> Iterator[str]:
        """The pages that link to canonical ``url``, in the order of the list."""
        for at in range(*self._targets.range(key(url))):
            yield self._lines.at(self._sources[at])

    def close(self) -> None:
        """Close the files."""
        self._open.close()
