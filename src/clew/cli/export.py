"""clew export: hand the collection over."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from clew.cli.common import NamedOption, print_json, project_argument, say
from clew.errors import ClewError, InputError
from clew.export.base import Collection, Exporter
from clew.export.choosing import Choice
from clew.export.collection import ALL, TEXTS, chosen, fields_named
from clew.export.registry import EXPORTERS, make
from clew.project.project import Project
from clew.store.records import VisitRow
from clew.text.pagetext import NONE
from clew.words import many


@click.command()
@project_argument
@click.option("--to", "form", cls=NamedOption, registry=EXPORTERS, default="jsonl", show_default=True, help="The form")
@click.option(
    "--all", "everything", is_flag=True, help="Every visit in the order of fetching, not only what is relevant."
)
@click.option("--top", type=click.IntRange(min=0), default=0, help="Of each topic so many, the best; 0: all.")
@click.option("--per-host", type=click.IntRange(min=0), default=0, help="Of each host so many, the best; 0: all.")
@click.option(
    "--diverse", is_flag=True, help="Hosts take turns: a page counts less for each one of its host before it."
)
@click.option("--text", type=click.Choice(TEXTS), help="Which text of each page; Markdown: main, others: none.")
@click.option("--fields", default="", metavar="NAMES", help="Only these fields, in this order, parted by commas.")
@click.option("--out", type=click.Path(path_type=Path), help="File or, for markdown, folder. Default: standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object last, for scripts (needs --out).")
def command(
    project: Path,
    form: str,
    everything: bool,
    top: int,
    per_host: int,
    diverse: bool,
    text: str | None,
    fields: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Hand the collection over: relevant pages, best first, and the documents that inherit from them.

    JSON lines, CSV, Parquet and SQLite hold what is known of each page, and its text with --text; Markdown is a folder
    with a file a page; WARC the pages themselves as they were fetched; bookmarks and yaml file their URLs under the
    topics, for a browser or another project. In CSV, texts that a spreadsheet would take for formulas begin with a ';
    the others hold them as they are. The main text is that without menus, headers and footers.
    """
    if as_json and out is None:
        raise InputError("--json needs --out FILE: standard output is taken by the export itself")
    choice = Choice(top, per_host, diverse)
    if everything and choice != ALL:
        raise InputError("--all exports every visit; --top, --per-host and --diverse the best pages: give one of them")
    opened = Project(project)
    kind = EXPORTERS.get(form)
    wanted = text or str(getattr(kind, "text", NONE))
    named = fields_named(fields, wanted)
    store = opened.open_store(read_only=True)
    try:
        level = opened.settings.store.gzip_level
        collection = Collection(store, opened.archive, opened.interest.topics, level, wanted, named, opened.library)
        exporter = make(form, collection)
        if out is None and exporter.binary and sys.stdout.isatty():
            raise InputError(f"{form} is nothing to read in a terminal: add --out FILE")
        count = _export(exporter, chosen(store, everything, choice), out)
    finally:
        store.close()
    if as_json:
        print_json({"exported": count, "to": form, "out": str(out)})
    elif out is not None:
        say(f"wrote {many(count, 'page')} to {out}", err=True)
    if wanted != NONE and opened.settings.store.archive is False:
        say("note: store.archive is false, so the texts of pages are not kept", err=True)


def _export(exporter: Exporter, pages: Iterator[VisitRow], out: Path | None) -> int:
    if out is None:
        count = exporter.write(pages, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return count
    try:
        count_in_folder = exporter.write_folder(pages, out) if _folder(out, exporter) else None
    except OSError as error:
        raise ClewError(f"{error.filename or out} cannot be written: {error.strerror}") from error
    return _export_file(exporter, pages, out) if count_in_folder is None else count_in_folder


def _folder(out: Path, exporter: Exporter) -> bool:
    """Whether the exporter is to write files of a folder."""
    folders = type(exporter).write_folder is not Exporter.write_folder
    if out.is_dir() and not folders:
        raise InputError(f"--out: {out} is a folder, and {exporter.name} is written as one file: name a file")
    return folders


def _export_file(exporter: Exporter, pages: Iterator[VisitRow], out: Path) -> int:
    part = out.with_name(out.name + ".part") if out.is_file() or not out.exists() else out
    try:
        with part.open("wb") as target:
            count = exporter.write(pages, target)
        if part != out:  # devices and pipes are written to, never replaced
            part.replace(out)
    except OSError as error:
        raise ClewError(f"{out} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):  # it is gone, as it should be, or never was
            if part != out:
                part.unlink()
    return count
