"""clew status: how far a crawl has come."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from shlex import quote

import click

from clew.cli.common import json_option, print_json, project_argument, say
from clew.export.refused import RefusedGroup, refused
from clew.export.summary import Summary, summarise
from clew.project.project import Project
from clew.text.shown import shown
from clew.words import many

HOSTS_SHOWN = 10
"""Hosts listed of each reason."""


@click.command()
@project_argument
@click.option("--refused", "only_refused", is_flag=True, help="List what was not fetched, by reason and host.")
@json_option
def command(project: Path, only_refused: bool, as_json: bool) -> None:
    """How far a crawl has come; works while it runs."""
    opened = Project(project)
    store = opened.open_store(read_only=True)
    try:
        found = refused(store) if only_refused else summarise(store, opened)
    finally:
        store.close()
    if isinstance(found, list):
        _show_refused(found, as_json)
    elif as_json:
        print_json(found)
    else:
        say(_words(project, found))


def _show_refused(groups: list[RefusedGroup], as_json: bool) -> None:
    total = sum(group.count for group in groups)
    if as_json:
        print_json({"refused": total, "groups": groups})
        return
    say(f"{total:,} links were refused" if total != 1 else "1 link was refused")
    for reason, same in groupby(groups, key=lambda group: group.reason):
        hosts = list(same)
        say(f"\n{shown(reason)} ({sum(group.count for group in hosts):,})")
        for group in hosts[:HOSTS_SHOWN]:
            say(f"  {shown(group.host)}  {group.count:,}")
            say("".join(f"    {shown(url)}\n" for url in group.examples), nl=False)
        if len(hosts) > HOSTS_SHOWN:
            say(f"  and {len(hosts) - HOSTS_SHOWN:,} other hosts (--json lists all)")


def _words(project: Path, found: Summary) -> str:
    documents = f"{found.documents:,} with the relevance of pages that link to them"
    rows = (
        ("fetched", f"{found.fetched:,}"),
        (
            "judged relevant",
            f"{found.relevant:,} ({found.harvest_rate:.3f} of all, {found.window_rate:.3f} of the last 200)",
        ),
        *(("precision", line) for line in precision_lines(project, found)),
        *([("documents", documents)] if found.documents else ()),
        ("waiting links", f"{found.frontier:,}"),
        ("hosts", f"{found.hosts:,}"),
        ("failed", f"{found.failed:,}, {many(found.redirects, 'redirect')}"),
        ("free of cost", f"{found.refused:,} refused, {found.absent:,} not in this web"),
        ("robots.txt", many(found.robots_requests, "request")),
        ("sessions", f"{found.sessions:,}"),
        ("stored", f"{found.bytes / 1e6:,.1f} MB of pages"),
        ("last fetch", found.last_fetch or "none yet"),
    )
    return "\n".join([str(project), *(f"  {name:<16}{value}" for name, value in rows)])


def precision_lines(project: Path, found: Summary) -> list[str]:
    """What is known of how many pages that were judged relevant are so, and how more would be; none where no page was
    judged relevant."""
    if not found.relevant:
        return []
    lines = [found.labels_say] if found.labels_say else []
    if found.judge_says:
        lines.append(found.judge_says)
    ask = f"clew label {quote(str(project))} --uncertain"
    if not lines:
        return [f"not known; {ask} finds out"]
    return [*lines, f"to narrow it: {ask}"] if found.is_vague else lines
