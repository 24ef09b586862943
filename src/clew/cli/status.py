"""clew status: how far a crawl has come."""

from __future__ import annotations

from pathlib import Path

import click

from clew.cli.common import json_option, print_json, project_argument
from clew.export.summary import Summary, summarise
from clew.project.project import Project


@click.command()
@project_argument
@json_option
def command(project: Path, as_json: bool) -> None:
    """How far a crawl has come; works while it runs."""
    store = Project(project).open_store(read_only=True)
    try:
        found = summarise(store)
    finally:
        store.close()
    if as_json:
        print_json(found)
    else:
        click.echo(_words(project, found))


def _words(project: Path, found: Summary) -> str:
    rows = (
        ("fetched", f"{found.fetched:,}"),
        ("relevant", f"{found.relevant:,} (harvest rate {found.harvest_rate:.3f}, last 200: {found.window_rate:.3f})"),
        ("waiting links", f"{found.frontier:,}"),
        ("hosts", f"{found.hosts:,}"),
        ("failed", f"{found.failed:,}, {found.redirects:,} redirects"),
        ("free of cost", f"{found.refused:,} refused, {found.absent:,} not in this web"),
        ("robots.txt", f"{found.robots_requests:,} requests"),
        ("sessions", f"{found.sessions:,}"),
        ("stored", f"{found.bytes / 1e6:,.1f} MB of pages"),
        ("last fetch", found.last_fetch or "none yet"),
    )
    return "\n".join([str(project), *(f"  {name:<14}{value}" for name, value in rows)])
