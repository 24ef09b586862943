"""A collection as a Parquet file, for data frames and databases of columns (docs/commands.md has the fields)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import IO, Any

from clew.errors import InputError
from clew.export.base import Exporter
from clew.export.collection import fields_of, records
from clew.export.columns import INTEGERS, REALS, TIMES, TRUTHS, Counted, batches
from clew.store.records import VisitRow
from clew.text.shown import whole


class Parquet(Exporter):
    """One row a page, in groups of a thousand; compressed with zstd."""

    name = "parquet"
    binary = True

    def write(self, pages: Iterable[VisitRow], out: IO[bytes]) -> int:
        arrow, parquet = _libraries()
        schema = arrow.schema([(name, _type(arrow, name)) for name in self._fields()])
        count = 0
        with parquet.ParquetWriter(arrow.PythonFile(Counted(out), mode="w"), schema, compression="zstd") as writer:
            for batch in batches(records(self.collection, pages)):
                writer.write_batch(arrow.RecordBatch.from_pylist([_row(one) for one in batch], schema=schema))
                count += len(batch)
        return count

    def _fields(self) -> tuple[str, ...]:
        return self.collection.fields or fields_of(self.collection.text)


def _row(record: dict[str, object]) -> dict[str, object]:
    """Times as times, and texts that UTF-8 can hold."""
    found = {name: whole(value) for name, value in record.items()}
    for name in TIMES & found.keys():
        if isinstance(value := found[name], str):
            found[name] = datetime.fromisoformat(value)
    return found


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError("Parquet needs pyarrow, which is not installed: pip install 'clew[parquet]'") from error
    return pyarrow, parquet


def _type(arrow: Any, name: str) -> Any:
    if name in INTEGERS:
        return arrow.int64()
    if name in REALS:
        return arrow.float64()
    if name in TRUTHS:
        return arrow.bool_()
    return arrow.timestamp("ms", tz="UTC") if name in TIMES else arrow.string()
