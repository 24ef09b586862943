"""clew serve: a page in the browser on which crawls are watched, searched and steered."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from clew.cli.common import say
from clew.dashboard.projects import Shelf
from clew.dashboard.serving import LOCAL, PORT, access_of, address, bound, open_browser, run


@click.command()
@click.argument("projects", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option("--port", type=click.IntRange(0, 65535), help=f"Default: {PORT}, or the next that is free; 0: any.")
@click.option("--host", default=LOCAL, show_default=True, help="Address to listen on; others than loopback are open "
              "to the network, without encryption.")  # fmt: skip
@click.option("--results", type=click.Path(path_type=Path, file_okay=False, exists=True),
              help="Folder with results of clew lab, to compare.")  # fmt: skip
@click.option("--no-open", is_flag=True, help="Open no browser.")
@click.option("--until-eof", is_flag=True, help="End when standard input does, for programs that start this.")
def command(
    projects: tuple[Path, ...], port: int | None, host: str, results: Path | None, no_open: bool, until_eof: bool
) -> None:
    """Show projects in the browser: watch and steer their crawls, search and label what they found.

    The address that is printed holds a token; without it nothing is answered. CLEW_TOKEN in the environment sets it.
    Crawls go on when this ends: they are processes of their own. Ctrl-C ends it.
    """
    shelf = Shelf(projects, results)
    listening = bound(host, port)
    access = access_of(listening, host, os.environ.get("CLEW_TOKEN", ""))
    url = address(access, host)

    def ready() -> None:
        say(f"dashboard: {url}")
        if not no_open:
            open_browser(url)

    run(shelf, access, listening, ready, until_eof=sys.stdin if until_eof else None)
