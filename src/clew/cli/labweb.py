"""clew lab web: how real is the web of a task?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from clew.cli.common import json_option, print_json, say
from clew.lab.tasks import load
from clew.lab.webplots import MEASURES, conclusion, web_report
from clew.text.shown import shown

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("web")
@click.argument("tasks", type=FILE, nargs=-1, required=True, metavar="TASK.toml...")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Decides what is sampled.")
@click.option("--out", type=FILE, required=True, help="HTML page to write.")
@json_option
def command(tasks: Sequence[Path], seed: int, out: Path, as_json: bool) -> None:
    """Compare the statistics of webs: degrees, topical locality, similarity by link distance.

    The webs of all tasks are compared with that of the first one.
    """
    webs = web_report([load(path) for path in tasks], out, seed)
    if as_json:
        print_json([{"task": web.name} | {each.name: round(each.read(web), 4) for each in MEASURES} for web in webs])
    else:
        say(f"{shown(conclusion(webs))}\npage: {out}")
