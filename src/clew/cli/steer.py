"""clew pause, resume and stop: steer the crawl of a project that runs in another process."""

from __future__ import annotations

from pathlib import Path

import click

from clew.cli.common import project_argument, say
from clew.project.project import Project
from clew.project.steering import running_crawl


@click.command()
@project_argument
def pause(project: Path) -> None:
    """Let a running crawl stand still: pages under way are finished and kept, no new ones are fetched.

    Its time (clew crawl --for) does not count meanwhile. clew resume lets it go on.
    """
    say(running_crawl(Project(project)).pause())


@click.command()
@project_argument
def resume(project: Path) -> None:
    """Let a crawl that was paused go on."""
    say(running_crawl(Project(project)).resume())


@click.command()
@project_argument
def stop(project: Path) -> None:
    """Stop a running crawl as Ctrl-C does. Once more: give up what is under way."""
    say(running_crawl(Project(project)).stop())


COMMANDS = {"pause": pause, "resume": resume, "stop": stop}
