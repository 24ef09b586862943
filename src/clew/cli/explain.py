"""clew explain: why a page was fetched and judged as it was; or why a URL waits or was refused."""

from __future__ import annotations

from pathlib import Path

import click

from clew.cli.common import json_option, print_json, project_argument, say
from clew.project.explaining import Explanation, explain
from clew.project.lists import Line, seed_url
from clew.project.project import Project
from clew.text.shown import shown
from clew.words import digits


@click.command()
@project_argument
@click.argument("url")
@json_option
def command(project: Path, url: str, as_json: bool) -> None:
    """Why a page was fetched and judged as it was, or why a URL waits or was refused."""
    opened = Project(project)
    canonical = opened.canonicalise(url, "") or seed_url(Line(url, "URL"))
    store = opened.open_store(read_only=True)
    try:
        found = explain(opened, store, canonical)
    finally:
        store.close()
    if as_json:
        print_json(found)
    else:
        say(_words(found))


def _words(found: Explanation) -> str:
    lines = [shown(found.url), f"  {shown(found.verdict)}"]
    if found.path:
        lines.append("how the crawl came there:")
    for step in found.path:
        score = digits(step.score, rounded=False)
        lines.append(f"  {step.number:>6}  score {score}  relevance {_number(step.relevance)}  {shown(step.url)}")
        lines.extend(f"          {shown(part)}" for part in step.parts)
        if step.anchor:
            lines.append(f"          the link reads: {shown(step.anchor)}")
    if found.terms:
        lines.append("terms that weighed most (+ speaks for, - against):")
        lines.extend(f"  {weight:+.4f}  {shown(term)}" for term, weight in found.terms)
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "  -  " if value is None else digits(value)
