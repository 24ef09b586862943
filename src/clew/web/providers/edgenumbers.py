"""The index of links between numbers, as Common Crawl publishes its web graphs: ID<TAB>NAME lines name the vertices,
FROM_ID<TAB>TO_ID lines are the links.

Both files are sorted on disk by columns of uint64: ``keys`` and ``key_ids`` (the vertices by the key of their URL),
``ids`` and ``places`` (the vertices by number, with the byte offset of the URL in ``lines``), ``targets`` and
``sources`` (the links by the number of their target). 32 bytes a vertex and 16 bytes a link, while indexing twice
that; no table of vertices is ever in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np

from clew.errors import InputError
from clew.model import Keys
from clew.urls.canonical import key, keys
from clew.web.providers.edgecolumn import Column
from clew.web.providers.edgelines import LineReader, LineWriter
from clew.web.providers.edgeread import text_blocks, text_lines
from clew.web.providers.edgesort import PairSorter

_DIGITS = b"0123456789\t\n"
_LONGEST = 18  # digits, so that numbers fit into 63 bits


def build(
    folder: Path, vertices: Path, edges: Path, url: Callable[[str], str | None], chunk: int
) -> tuple[int, int, int]:
    """Write the index into ``folder``; how many vertices were read, how many of them are URLs, and how many links.

    Raises InputError for a line that is none of such a file, and for a link to a number beyond all vertices.
    """
    read, named, highest = _vertices(folder, vertices, url, chunk)
    sorter = PairSorter(folder, chunk)
    line = 1
    for block in text_blocks(edges):
        pairs = _numbers(edges, block, line)
        if len(pairs) and int(pairs.max()) > highest:
            row = int(np.argmax(pairs.max(axis=1) > highest))
            reason = f"{pairs[row, 0]} and {pairs[row, 1]} are linked, but the last vertex is {highest}"
            raise InputError(f"edge list {edges}: {reason}; is {vertices} the vertices file of these links?")
        line += block.count(b"\n")
        loops = pairs[:, 0] == pairs[:, 1]
        sorter.add(pairs[~loops, 1], pairs[~loops, 0])
    links = sorter.pairs
    sorter.finish(folder / "targets", folder / "sources")
    return read, named, links


class NumberIndex:
    """Answers from what ``build`` wrote. Raises OSError or ValueError when it is damaged."""

    def __init__(self, folder: Path) -> None:
        names = ("keys", "key_ids", "ids", "places", "targets", "sources")
        with ExitStack() as stack:
            columns = [stack.enter_context(closing(Column(folder / name))) for name in names]
            self._keys, self._key_ids, self._ids, self._places, self._targets, self._sources = columns
            self._lines = stack.enter_context(closing(LineReader(folder / "lines", folder / "blocks")))
            self._open = stack.pop_all()

    def linking(self, url: str) -> Iterator[str]:
        """The pages that link to canonical ``url``, in the order of the list; numbers without a URL are passed over."""
        for at in range(*self._keys.range(key(url))):
            for link in range(*self._targets.range(self._key_ids[at])):
                number = self._sources[link]
                place = self._place(number)
                if place < len(self._ids) and self._ids[place] == number:
                    yield self._lines.at(self._places[place])

    def close(self) -> None:
        """Close the files."""
        self._open.close()

    def _place(self, number: int) -> int:
        """Where a vertex stands: mostly its number says it, since graphs are numbered from 0."""
        if number < len(self._ids) and self._ids[number] == number:
            return number
        return self._ids.place(number)


def _vertices(folder: Path, path: Path, url: Callable[[str], str | None], chunk: int) -> tuple[int, int, int]:
    """Index the vertices: how many were read, how many are URLs, the highest number (-1: there are none)."""
    writer = LineWriter(folder / "lines", folder / "blocks")
    by_key, by_id = (PairSorter(_made(folder / name), chunk // 2) for name in ("by_key", "by_id"))
    read, highest = 0, -1
    try:
        for lines in text_lines(path):
            found: list[str] = []
            numbers: list[int] = []
            for at, line in enumerate(lines, read + 1):
                if not line.strip():
                    continue
                number, name = _vertex(path, at, line)
                highest = max(highest, number)
                address = url(name)
                if address is not None:
                    found.append(address)
                    numbers.append(number)
            read += len(lines)
            ids = np.array(numbers, np.uint64)
            by_key.add(keys(found), ids)
            by_id.add(ids, np.array([writer.add(address) for address in found], np.uint64))
    finally:
        writer.close()
    by_key.finish(folder / "keys", folder / "key_ids")
    by_id.finish(folder / "ids", folder / "places")
    for name in ("by_key", "by_id"):
        (folder / name).rmdir()
    _check_unique(path, folder / "ids")
    return read, by_id.pairs, highest


def _vertex(path: Path, at: int, line: str) -> tuple[int, str]:
    """Number and name of a line; later columns do not matter."""
    number, tab, rest = line.partition("\t")
    if not tab or not number.isascii() or not number.isdigit() or len(number) > _LONGEST:
        reason = f"line {at:,} is {line[:60]!r}, not a number, a tab and a name"
        raise InputError(f"vertices file {path}: {reason}; is it the vertices file of a web graph?")
    return int(number), rest.partition("\t")[0]


def _check_unique(path: Path, ids: Path) -> None:
    """Raises InputError when a number stands for two names."""
    last = -1
    with ids.open("rb") as file:
        while len(part := np.fromfile(file, np.uint64, 1 << 20)):
            same = part[1:][part[1:] == part[:-1]]
            if len(same) or int(part[0]) == last:
                twice = same[0] if len(same) else last
                raise InputError(f"vertices file {path}: the number {twice} stands on two lines; number them anew")
            last = int(part[-1])


def _numbers(path: Path, block: bytes, line: int) -> Keys:
    """The links of a piece of the file, uint64[links, 2]; ``line`` is the number of its first line."""
    if block.endswith(b"\n") and not block.translate(None, _DIGITS):
        signs = np.frombuffer(block.translate(None, _DIGITS[:10]), np.uint8)
        if len(signs) % 2 == 0 and (signs[::2] == 9).all() and (signs[1::2] == 10).all():
            found: Keys = np.fromstring(block, np.uint64, sep=" ")
            if len(found) == len(signs):
                return found.reshape(-1, 2)
    return _slowly(path, block, line)


def _slowly(path: Path, block: bytes, line: int) -> Keys:
    """The same for lines that are not of the plainest: other line ends, empty lines, further columns."""
    found: list[tuple[int, int]] = []
    for at, text in enumerate(block.split(b"\n"), line):
        fields = text.split()
        if not fields:
            continue
        if (
            len(fields) < 2
            or not fields[0].isdigit()
            or not fields[1].isdigit()
            or max(map(len, fields[:2])) > _LONGEST
        ):
            shown = text[:60].decode("utf-8", "replace")
            reason = f"line {at:,} is {shown!r}, not two numbers with a tab between"
            raise InputError(f"edge list {path}: {reason}; with vertices, links are FROM_ID<TAB>TO_ID")
        found.append((int(fields[0]), int(fields[1])))
    return np.array(found, np.uint64).reshape(-1, 2)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
