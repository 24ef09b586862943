"""clew label: a user's verdicts on pages; the judge is trained again with them."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from clew.cli.common import json_option, print_json, project_argument, say
from clew.cli.status import precision_lines
from clew.errors import InputError
from clew.examples.labels import IRRELEVANT, NO_LABEL, RELEVANT
from clew.export.summary import summarise
from clew.project.labelling import label, line_of, verdict_of
from clew.project.project import Project
from clew.project.uncertain import Candidate, uncertain
from clew.text.shown import shown
from clew.words import digits, form, many

ASKED = 20
"""Pages that --uncertain asks about, where it is given no number."""


@click.command()
@project_argument
@click.argument("url", required=False)
@click.argument("verdict", required=False)
@click.option(
    "--uncertain", "n", type=click.IntRange(min=1), is_flag=False, flag_value=ASKED, metavar="[N]",
    help=f"Ask about the N visited pages whose labels tell most, {ASKED} without a number: half are near the "
    "threshold, half drawn at random among those judged relevant, for the estimate of precision.",
)  # fmt: skip
@json_option
def command(project: Path, url: str | None, verdict: str | None, n: int | None, as_json: bool) -> None:
    """Say whether a page is what you want: relevant, irrelevant, or the name of a topic; none takes a label back.

    A running crawl takes labels into account from its next session on, one that stopped when it resumes; the estimate
    of precision at once (clew status).
    """
    opened = Project(project)
    if n is not None and url is None:
        _ask(opened, n, as_json)
        return
    if url is None or verdict is None or n is not None:
        raise InputError("say which page and what it is: clew label PROJECT URL relevant; or: --uncertain")
    line, verdict = line_of(url, Path.cwd()), verdict_of(opened, verdict)
    count = label(opened, [(line, verdict)])
    if as_json:
        print_json({"url": line, "verdict": verdict, "labels": count})
    else:
        now = "has no label any more" if verdict == NO_LABEL else f"is {verdict}"
        say(f"{line} {now}; {many(count, 'page')} {form(count, 'is', 'are')} labelled")


def _ask(project: Project, n: int, as_json: bool) -> None:
    """Show the pages whose labels tell most; in a terminal, ask about each."""
    store = project.open_store(read_only=True)
    try:
        found = uncertain(project, store, n)
    finally:
        store.close()
    if as_json:
        print_json([msgspec.to_builtins(one) for one in found])
    elif not found:
        say("nothing to ask: every page that was judged has a label")
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _interview(project, found)
        _tell_estimate(project)
    else:
        for one in found:
            say(f"{digits(one.relevance)}  {shown(one.url)}  {shown(one.title)}")


def _interview(project: Project, found: list[Candidate]) -> None:
    """Ask about each page. What the judge thinks of it is not told: it would lead the answer."""
    answers = _answers(project)
    for place, one in enumerate(found, 1):
        say(f"{place}/{len(found)}  {shown(one.title)}\n  {shown(one.url)}")
        answer = click.prompt(f"  {answers}", default="s", show_default=False).strip()
        if answer.lower() in ("q", "quit"):
            return
        verdict = {"r": RELEVANT, "i": IRRELEVANT, "s": "", "skip": ""}.get(answer.lower(), answer)
        if verdict:
            _add(project, one.url, verdict)


def _answers(project: Project) -> str:
    several = len(project.interest.wanted_topics) > 1
    return f"{'the name of a topic' if several else 'relevant (r)'}, irrelevant (i), skip (s), quit (q)"


def _add(project: Project, url: str, answer: str) -> None:
    """Keep an answer; one that is none is said to be so, and skipped."""
    try:
        label(project, [(url, answer)])
    except InputError as error:
        say(f"  skipped: {error}")


def _tell_estimate(project: Project) -> None:
    """What the labels make of the estimate of precision."""
    store = project.open_store(read_only=True)
    try:
        found = summarise(store, project)
    finally:
        store.close()
    for line in precision_lines(project.path, found):
        say(f"precision: {line}")
