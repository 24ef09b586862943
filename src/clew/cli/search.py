"""clew search: find pages in the collection by their text."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from clew.cli.common import json_option, print_json, project_argument, say, say_over
from clew.collection.library import Hit, Progress
from clew.export.collection import topic_name
from clew.export.found import plain
from clew.project.finding import Answer, SearchOptions, search
from clew.project.project import Project
from clew.text.shown import shown
from clew.words import digits, many

WIDEST = 100
MANY_NEW = 200
"""New pages from which on it is worth saying that they are being added."""


class Day(click.ParamType[date]):
    """A day: 2024-05-31; or a month or year, which stand for their first day, or their ``last``."""

    name = "day"

    def __init__(self, last: bool = False) -> None:
        self.last = last

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """A date."""
        if isinstance(value, date):
            return value
        parts = re.fullmatch(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?", str(value).strip())
        try:
            year, month, day = (int(part) if part else 0 for part in parts.groups()) if parts else (0, 0, 0)
            month = month or (12 if self.last else 1)
            return date(year, month, day or (monthrange(year, month)[1] if self.last else 1))
        except (ValueError, IndexError):
            self.fail(f"{value!r} is no day; write 2024-05-31, 2024-05 or 2024", param, ctx)


@click.command()
@project_argument
@click.argument("query", nargs=-1, required=True)
@click.option("--topic", default="", help="Only of this topic and those below it.")
@click.option("--host", default="", help="Only of this host and its subdomains.")
@click.option("--language", default="", metavar="CODE", help="Only in this language, such as en or de.")
@click.option("--since", type=Day(), help="Not older: 2024-05-31, 2024-05 or 2024.")
@click.option("--until", type=Day(last=True), help="Not newer, likewise.")
@click.option("--all", "everything", is_flag=True, help="Every page that was judged, not only relevant ones.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="So many, the best.")
@click.option("--no-update", is_flag=True, help="Search what was added before; add no new pages first.")
@json_option
def command(
    project: Path,
    query: Sequence[str],
    topic: str,
    host: str,
    language: str,
    since: date | None,
    until: date | None,
    everything: bool,
    limit: int,
    no_update: bool,
    as_json: bool,
) -> None:
    """Find pages in the collection by their text; works while a crawl runs.

    QUERY: words that must all occur, "quoted phrases", -word or -"a phrase" for what must not, begin* for words that
    begin so; in single quotes, so that the shell lets it through. Pages that were visited since the last search are
    added first. A page is of the date that it says, or else of the day it was fetched. Best first: BM25 over title, URL
    and main text, up to doubled by relevance.
    """
    opened = Project(project)
    options = SearchOptions(
        topic=topic,
        host=host,
        language=language,
        since=since,
        until=until,
        everything=everything,
        limit=limit,
    )
    text = " ".join(query)
    answer = search(opened, text, options, update=not no_update, progress=_progress())
    if as_json:
        print_json(plain(opened, text, answer))
        return
    _show(opened, text, answer)


def _progress() -> Progress | None:
    """A line that tells how far adding is, in a terminal."""
    if not sys.stderr.isatty():
        return None

    def told(done: int, of: int) -> None:
        if of >= MANY_NEW and (done % 50 < 2 or done == of):
            say_over(f"adding new pages to the search index: {done:,} of {of:,}", last=done == of)

    return told


def _show(project: Project, query: str, answer: Answer) -> None:
    found, topics = answer.found, project.interest.topics
    width = min(shutil.get_terminal_size().columns, WIDEST)
    for number, hit in enumerate(found.hits, 1):
        say(_words(number, hit, topics, width))
    if not found.hits:
        say(f"no page found for {shown(query)}")
    say(f"searched {many(found.pages, 'page')} in {found.seconds * 1000:.0f} ms", err=True)
    for note in answer.notes:
        say(f"note: {note}", err=True)


def _words(number: int, hit: Hit, topics: Sequence[str], width: int) -> str:
    row = hit.row
    facts = [f"relevance {digits(row.relevance)}", topic_name(row, topics) or "", row.language, hit.text.date]
    lines = [
        f"{number}. {_cut(shown(row.title) or '(no title)', width - 4)}",
        f"   {shown(row.url)}",
        f"   {_cut(', '.join(shown(fact) for fact in facts if fact), width - 3)}",
    ]
    if hit.snippet.text:
        lines += textwrap.wrap(shown(_marked(hit)), width, initial_indent="   ", subsequent_indent="   ")
    return "\n".join([*lines, ""])


def _marked(hit: Hit) -> str:
    """The snippet with its words in brackets: colour alone does not reach everybody, nor a file."""
    text, place = "", 0
    for start, end in hit.snippet.marks:
        text += f"{hit.snippet.text[place:start]}[{hit.snippet.text[start:end]}]"
        place = end
    text += hit.snippet.text[place:]
    before, after = hit.snippet.cut
    return f"{'... ' if before else ''}{text}{' ...' if after else ''}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 3, 10)]}..."
