"""clew label: a user's verdicts on pages; the judge is trained again with them."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from clew.cli.common import json_option, print_json, project_argument, say
from clew.errors import InputError
from clew.examples.labels import IRRELEVANT, LABELS, RELEVANT, add_label
from clew.project.lists import Line, example
from clew.project.project import Project
from clew.project.uncertain import Candidate, uncertain
from clew.text.shown import shown
from clew.words import form, many


@click.command()
@project_argument
@click.argument("url", required=False)
@click.argument("verdict", required=False)
@click.option("--uncertain", "n", type=click.IntRange(min=1), help="Ask about the N visited pages that teach most.")
@json_option
def command(project: Path, url: str | None, verdict: str | None, n: int | None, as_json: bool) -> None:
    """Say whether a page is what you want: relevant, irrelevant, or the name of a topic.

    A running crawl takes labels into account from its next session on, one that stopped when it resumes.
    """
    opened = Project(project)
    if n is not None and url is None:
        _ask(opened, n, as_json)
        return
    if url is None or verdict is None or n is not None:
        raise InputError("say which page and what it is: clew label PROJECT URL relevant; or: --uncertain 20")
    line = example(Line(url, "URL"), 0, Path.cwd()).line
    verdict = _checked(opened, verdict)
    add_label(opened.path / LABELS, line, verdict)
    if as_json:
        print_json({"url": line, "verdict": verdict, "labels": len(opened.labels())})
    else:
        count = len(opened.labels())
        say(f"{line} is {verdict}; {many(count, 'page')} {form(count, 'is', 'are')} labelled")


def _checked(project: Project, verdict: str) -> str:
    """The verdict as it is kept. Raises InputError for what is neither a verdict nor a topic."""
    if verdict.lower() in (RELEVANT, IRRELEVANT):
        verdict = verdict.lower()
    if verdict != IRRELEVANT:
        project.topic(verdict)
    return verdict


def _ask(project: Project, n: int, as_json: bool) -> None:
    """Show the pages of which the judge is least sure; in a terminal, ask about each."""
    store = project.open_store(read_only=True)
    try:
        found = uncertain(project, store, n)
    finally:
        store.close()
    if as_json:
        print_json([msgspec.to_builtins(one) for one in found])
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _interview(project, found)
    else:
        for one in found:
            say(f"{one.relevance:.3f}  {shown(one.url)}  {shown(one.title)}")


def _interview(project: Project, found: list[Candidate]) -> None:
    for place, one in enumerate(found, 1):
        say(f"{place}/{len(found)}  relevance {one.relevance:.3f}  {shown(one.title)}\n  {shown(one.url)}")
        answer = click.prompt("  relevant (r), irrelevant (i), skip (s), quit (q)", default="s", show_default=False)
        if answer.lower().startswith("q"):
            return
        verdict = {"r": RELEVANT, "i": IRRELEVANT}.get(answer.lower()[:1])
        if verdict:
            add_label(project.path / LABELS, one.url, verdict)
