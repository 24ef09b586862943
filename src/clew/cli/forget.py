"""clew forget: erase a page or a host from a project, and never fetch it again."""

from __future__ import annotations

from pathlib import Path

import click

from clew.cli.common import json_option, print_json, project_argument, say
from clew.project.forgetting import Forgotten, forget
from clew.project.project import Project
from clew.text.shown import shown
from clew.words import many


@click.command()
@project_argument
@click.argument("what", metavar="URL|HOST")
@json_option
def command(project: Path, what: str, as_json: bool) -> None:
    """Erase a page or a host from a project, and never fetch it again.

    It goes out of the databases, the archive, the examples and the lists of the project, and onto its do-not-crawl
    list. Links on other pages that name it stay, as do files that you exported: those in the project that name it are
    listed.
    """
    found = forget(Project(project), what)
    if as_json:
        print_json(found)
    else:
        say(_words(project, found))


def _words(project: Path, found: Forgotten) -> str:
    lines = [
        f"forgotten: {shown(found.entry)}",
        f"  {many(found.visits, 'visit')}, {many(found.records, 'archive record')}, "
        f"{many(found.examples, 'example page')}, {many(found.refused, 'refused URL')}, "
        f"{many(found.lists, 'line')} of lists",
        *(f"  removed {shown(name)}: make it anew with clew report {project}" for name in found.removed),
        *(f"  {shown(name)} still names it: change or delete it yourself" for name in found.still),
    ]
    return "\n".join(lines)
