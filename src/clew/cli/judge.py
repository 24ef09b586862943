"""clew judge: relevance of pages, and what decided."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from clew.cli.common import NamedOption, json_option, print_json, project_argument, say
from clew.judges.registry import JUDGES
from clew.project.judging import Verdict, judge_pages
from clew.project.lists import Line, example
from clew.project.project import Project
from clew.text.shown import shown
from clew.words import digits

SHOWN = 8
"""Topics shown for people."""


@click.command()
@project_argument
@click.argument("pages", nargs=-1, required=True, metavar="URL|FILE...")
@click.option("--judge", cls=NamedOption, registry=JUDGES, help="Judge with this one instead of the project's")
@json_option
def command(project: Path, pages: tuple[str, ...], judge: str | None, as_json: bool) -> None:
    """Judge pages: relevance, the topics they belong to, and the terms that decided."""
    wanted = [example(Line(page, f"argument {place}"), 0, Path.cwd()) for place, page in enumerate(pages, 1)]
    found = judge_pages(Project(project), wanted, judge)
    if as_json:
        print_json([msgspec.to_builtins(one) for one in found])
    else:
        say("\n\n".join(_words(one) for one in found))


def _words(one: Verdict) -> str:
    if one.reason:
        return f"{shown(one.page)}\n  not judged: {shown(one.reason)}"
    lines = [shown(one.page)]
    if one.title:
        lines.append(f"  {shown(one.title)}")
    lines.append(f"  {'relevant' if one.relevant else 'not relevant'}: relevance {digits(one.relevance)}")
    if len(one.scores) > 1:
        best = sorted(one.scores, key=lambda score: -score[1])[:SHOWN]
        lines.append("topics:")
        lines.extend(f"  {digits(value)}  {shown(name)}" for name, value in best)
        lines.append("the interest, step by step:")
        lines.extend(f"  {digits(value)}  {text}" for text, value in one.steps)
    if one.terms:
        lines.append("terms that weighed most (+ speaks for, - against):")
        lines.extend(f"  {weight:+.4f}  {shown(term)}" for term, weight in one.terms)
    return "\n".join(lines)
