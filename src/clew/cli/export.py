"""clew export: hand the collection over."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

import click

from clew import __version__
from clew.cli.common import print_json, project_argument
from clew.errors import ClewError, InputError
from clew.export.collection import chosen, records, write_csv, write_jsonl
from clew.export.filed import write_filed
from clew.export.warc import write_warc
from clew.project.project import Project
from clew.store.base import Store
from clew.store.records import VisitRow

Rows = Callable[[], Iterator[VisitRow]]
FORMS = ("jsonl", "csv", "warc", "bookmarks", "yaml")


@click.command()
@project_argument
@click.option("--to", "form", type=click.Choice(FORMS), default="jsonl", show_default=True)
@click.option(
    "--all", "everything", is_flag=True, help="Every visit in the order of fetching, not only relevant pages."
)
@click.option("--top", type=click.IntRange(min=0), default=0, help="Of each topic so many pages, the best; 0: all.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write. Default: standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object last, for scripts (needs --out).")
def command(project: Path, form: str, everything: bool, top: int, out: Path | None, as_json: bool) -> None:
    """Hand the collection over: relevant pages, best first.

    JSON lines and CSV hold what is known of each page, WARC the pages themselves as they were fetched; bookmarks and
    yaml file their URLs under the topics, for a browser or another project.
    """
    if as_json and out is None:
        raise InputError("--json needs --out FILE: standard output is taken by the export itself")
    if everything and top:
        raise InputError("--all exports every visit and --top the best pages: give one of them")
    opened = Project(project)
    store = opened.open_store(read_only=True)
    try:
        count = _export(opened, store, form, partial(chosen, store, everything, top), out)
    finally:
        store.close()
    if as_json:
        print_json({"exported": count, "to": form, "out": str(out)})
    elif out is not None:
        click.echo(f"wrote {count} pages to {out}", err=True)


def _export(project: Project, store: Store, form: str, rows: Rows, out: Path | None) -> int:
    if out is None:
        return _write(project, store, form, rows, sys.stdout.buffer)
    part = out.with_name(out.name + ".part") if out.is_file() or not out.exists() else out
    try:
        with part.open("wb") as target:
            count = _write(project, store, form, rows, target)
        if part != out:  # devices and pipes are written to, never replaced
            part.replace(out)
    except OSError as error:
        raise ClewError(f"{out} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):  # it is gone, as it should be, or never was
            if part != out:
                part.unlink()
    return count


def _write(project: Project, store: Store, form: str, rows: Rows, target: IO[bytes]) -> int:
    if form == "warc":
        level = project.settings.store.gzip_level
        return write_warc(rows(), project.archive, target, level, f"clew/{__version__}")
    if form in ("bookmarks", "yaml"):
        with tempfile.TemporaryDirectory() as folder:
            topics = project.interest.topics
            return write_filed(rows(), topics, form, target, Path(folder) / form)
    plain = records(store, rows())
    if form == "jsonl":
        count = write_jsonl(plain, target)
    else:
        text = io.TextIOWrapper(target, encoding="utf-8", newline="")
        count = write_csv(plain, text)
        text.flush()
        text.detach()
    target.flush()
    return count
