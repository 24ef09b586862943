"""Reading lists of links: lines of text, gzip or plain, and Parquet; always a piece at a time."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Iterator, Sequence
from gzip import BadGzipFile
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, cast

from isal import igzip, isal_zlib

from clew.errors import InputError

_READ = 4 << 20
_LONGEST = 16 << 20
_ROWS = 1 << 16
_DAMAGED = (EOFError, BadGzipFile, zlib.error, cast(type[Exception], isal_zlib.error))
_MAGIC = b"PAR1"
_NAMED = ("source", "target")
_NO_PYARROW = "Parquet files need the library pyarrow: pip install 'clew[parquet]', or write FROM<TAB>TO lines"

Pairs = list[tuple[str, str]]


def text_blocks(path: Path) -> Iterator[bytes]:
    """The file in pieces of some 4 MB that end where a line ends, the line end included unless the file lacks it.

    Raises InputError for damaged gzip data (after which line) and for a line of more than 16 MB.
    """
    read = 0
    try:
        with path.open("rb") as file:
            plain = _unpacked(file)
            rest = b""
            while block := plain.read(_READ):
                whole, end, rest = (rest + block).rpartition(b"\n")
                if len(rest) > _LONGEST:
                    raise InputError(f"edge list {path}: a line of more than {_LONGEST >> 20} MB; is it text?")
                if end:
                    read += whole.count(b"\n") + 1
                    yield whole + end
            if rest:
                yield rest
    except _DAMAGED as error:
        reason = f"the gzip data are damaged or cut off after line {read:,}: {error}"
        raise InputError(f"edge list {path}: {reason}; fetch the file again") from error


def text_lines(path: Path) -> Iterator[list[str]]:
    """The lines of the file without their ends, some 100,000 at a time. Raises InputError as ``text_blocks``."""
    for block in text_blocks(path):
        yield block.removesuffix(b"\n").decode("utf-8", "replace").split("\n")


def text_pairs(path: Path) -> Iterator[Pairs]:
    """The first two fields between tabs of each line; "" where there are none."""
    for lines in text_lines(path):
        yield [(first, rest.partition("\t")[0]) for first, _, rest in (line.partition("\t") for line in lines)]


def is_parquet(path: Path) -> bool:
    """Whether the file begins and ends as Parquet files do."""
    with path.open("rb") as file:
        if file.read(4) != _MAGIC or path.stat().st_size < 12:
            return False
        file.seek(-4, 2)
        return file.read(4) == _MAGIC


def parquet_pairs(path: Path, columns: Sequence[str] = ()) -> Iterator[Pairs]:
    """Two text columns, 65,536 rows at a time; nulls are "".

    The columns are those named; else ``source`` and ``target`` where both are there; else the first two that hold
    text. Column chunks are read as they are decoded, so that memory does not grow with the row groups. Raises
    InputError: no pyarrow, no such columns, a damaged file.
    """
    parquet = pyarrow(path)
    damaged = (importlib.import_module("pyarrow").ArrowException, OSError, UnicodeDecodeError)
    read = 0
    try:
        with parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
            chosen = _columns(path, file.schema_arrow, columns)
            for batch in file.iter_batches(_ROWS, columns=chosen):
                first, second = ([item or "" for item in batch.column(name).to_pylist()] for name in chosen)
                read += len(first)
                yield list(zip(first, second, strict=True))
    except damaged as error:
        reason = f"the Parquet data are damaged or cut off after row {read:,}: {error}"
        raise InputError(f"edge list {path}: {reason}; fetch the file again") from error


def pyarrow(path: Path) -> Any:
    """pyarrow.parquet, which only a Parquet file needs. Raises InputError when it is not installed."""
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise InputError(f"edge list {path}: {_NO_PYARROW}") from error


def _columns(path: Path, schema: Any, wanted: Sequence[str]) -> list[str]:
    """The names of the two columns to read. Raises InputError."""
    texts = [field.name for field in schema if _is_text(field.type)]
    chosen = list(wanted) or (list(_NAMED) if set(_NAMED) <= set(texts) else texts[:2])
    missing = [name for name in chosen if name not in texts]
    if missing or len(chosen) != 2:
        reason = f"there is no text column {missing[0]!r}" if missing else "it needs two text columns"
        known = ", ".join(f"{field.name} ({field.type})" for field in schema)
        raise InputError(f'edge list {path}: {reason}; it has {known}: set columns = ["FROM", "TO"]')
    return chosen


def _is_text(kind: Any) -> bool:
    """Strings, also those kept in a dictionary."""
    inner = kind.value_type if str(kind).startswith("dictionary") else kind
    return str(inner) in ("string", "large_string", "string_view")


def _unpacked(file: BufferedReader) -> IO[bytes]:
    """The content of a gzip file (of one or many members), or the file itself."""
    if file.peek(2)[:2] != b"\x1f\x8b":
        return file
    return cast(IO[bytes], igzip.IGzipFile(fileobj=file, mode="rb"))  # type: ignore[no-untyped-call]
