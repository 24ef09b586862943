"""clew demo: a small web served over real HTTP on this machine's loopback addresses, crawled by the live world."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clew.cli.common import json_option, print_json, say
from clew.cli.crawl import screen_for
from clew.cli.report import write_report
from clew.config import quoted
from clew.errors import InputError
from clew.project.assembly import CrawlOptions, crawl
from clew.project.folder import SETTINGS
from clew.project.project import Project
from clew.text.shown import shown
from clew.web.simulated import Demo, demo_web
from clew.web.simulated.server import DemoServer

STRATEGIES = ("breadth-first", "best-first")
BEST = 5
"""Pages that are shown of a harvest."""
MARK = "made by clew demo"

CONFIG = """\
# {mark}
[project]
name = {name}

[judge]
name = "naive-bayes"   # learns nothing while it crawls: the strategies alone differ

[strategy]
name = {strategy}

[crawl]
contact = "demo@localhost.invalid"
hosts_at_once = 16

[politeness]
delay_s = 0.02
adaptive = 0.0
max_delay_s = 1.0

[web.live]
allow_private = true   # the demo's servers live on loopback addresses

[web.live.resolve]
{resolve}
"""


@dataclass(frozen=True, slots=True)
class Find:
    """A page that was found, with its relevance from 0 to 1."""

    title: str
    url: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Harvest:
    """What one strategy brought home; ``found`` are pages that are relevant in truth, not in the judge's opinion.
    ``best`` are those that the judge thinks most of."""

    strategy: str
    fetched: int
    relevant: int
    found: int
    seconds: float
    pages_per_s: float
    report: str
    best: tuple[Find, ...]


@click.command()
@click.option(
    "--pages", type=click.IntRange(min=50), default=400, show_default=True, help="Pages each strategy fetches."
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Which web is made.")
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False), default=Path("clew-demo"), show_default=True,
    help="Where the demo's projects go; an earlier demo there is replaced.",
)  # fmt: skip
@json_option
def command(pages: int, seed: int, folder: Path, as_json: bool) -> None:
    """Crawl a small web served on this machine, once breadth-first and once best-first, and show the harvest.

    Nothing to prepare, nothing leaves this machine. The projects stay for you to look at.
    """
    _clear(folder)
    with DemoServer(demo_web(seed).web) as server:
        demo = demo_web(seed, server.port)
        say(_introduction(demo, server.port), err=True)
        rows = [_harvest(demo, server, folder / strategy, strategy, pages) for strategy in STRATEGIES]
    if as_json:
        print_json({"harvests": rows, "topic": demo.topic})
    else:
        _tell(rows, demo)


def _introduction(demo: Demo, port: int) -> str:
    *others, last = demo.web.topics()
    return (
        f"A made-up web of {demo.web.pages:,} pages on {demo.web.hosts} hosts is served on this machine, port {port}.\n"
        f"Its pages are about {', '.join(others)} and {last}.\n"
        f"Wanted: pages about {demo.topic}. Each strategy is given {len(demo.relevant)} pages about {demo.topic} and "
        f"{len(demo.irrelevant)} others\nas examples, and starts from {len(demo.seeds)} pages about something else."
    )


def _clear(folder: Path) -> None:
    """Make room for the demo, but never remove what it did not make."""
    for strategy in STRATEGIES:
        settings = folder / strategy / SETTINGS
        if not (folder / strategy).exists():
            continue
        if not settings.is_file() or MARK not in settings.read_text(encoding="utf-8"):
            raise InputError(f"{folder / strategy} exists and was not made by clew demo: choose another --folder")
        shutil.rmtree(folder / strategy)


def _harvest(demo: Demo, server: DemoServer, folder: Path, strategy: str, pages: int) -> Harvest:
    _make_project(demo, server, folder, strategy)
    say(f"\n{strategy}:", err=True)
    project = Project(folder)
    started = time.monotonic()
    screen = screen_for(quiet=False)
    with screen:
        result = crawl(project, CrawlOptions(max_pages=pages), screen.display)
    seconds = time.monotonic() - started
    report = write_report(project, folder / "report.html")
    return Harvest(
        strategy,
        result.fetched,
        result.relevant,
        _found(project, demo),
        round(seconds, 2),
        round(result.fetched / seconds, 1),
        str(report),
        _best(project),
    )


def _make_project(demo: Demo, server: DemoServer, folder: Path, strategy: str) -> None:
    folder.mkdir(parents=True)
    lists = {"seeds.txt": demo.seeds, "relevant.txt": demo.relevant, "irrelevant.txt": demo.irrelevant}
    for name, lines in lists.items():
        _write_lines(folder / name, lines)
    resolve = "\n".join(f"{quoted(name)} = {quoted(address)}" for name, address in server.resolve().items())
    text = CONFIG.format(
        mark=MARK, name=quoted(f"{demo.topic} ({strategy})"), strategy=quoted(strategy), resolve=resolve
    )
    (folder / SETTINGS).write_text(text, encoding="utf-8")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _found(project: Project, demo: Demo) -> int:
    """Pages fetched that are about the topic in truth, examples apart."""
    store = project.open_store(read_only=True)
    try:
        fetched = {row.url for row in store.visits.rows() if row.judged}
    finally:
        store.close()
    return sum(demo.web.truth(url).relevant_to(demo.topic) for url in fetched - set(demo.relevant))


def _best(project: Project) -> tuple[Find, ...]:
    """The pages that the judge finds most relevant, the best one first."""
    store = project.open_store(read_only=True)
    try:
        rows = sorted(store.visits.rows(relevant=True), key=lambda row: (-row.relevance, row.number))[:BEST]
    finally:
        store.close()
    return tuple(Find(row.title, row.url, round(row.relevance, 3)) for row in rows)


def _tell(rows: list[Harvest], demo: Demo) -> None:
    console = Console()
    console.print(_table(rows, demo.topic))
    breadth, best = rows
    say(f"{breadth.strategy} takes links as they come, {best.strategy} those of relevant pages first.")
    if breadth.found:
        say(f"With the same number of fetches, {best.strategy} found {best.found / breadth.found:.1f} times as many.")
    say("This web was shaped to show the difference; on others it can be smaller or larger.")
    say(f"\nThe best pages that {best.strategy} found:")
    for find in best.best:
        say(f"  {shown(find.title)}\n    {shown(find.url)}")
    say(f"\nOpen {best.report} in a browser for the whole harvest.")
    if best.best:
        say(f"Why was the first page fetched? clew explain {Path(best.report).parent} {best.best[0].url}")


def _table(rows: list[Harvest], topic: str) -> Table:
    table = Table(title=Text(f"Looking for pages about {topic}"))
    for name in ("strategy", "fetched", "judged relevant", f"about {topic} in truth", "seconds", "pages/s"):
        table.add_column(name, justify="left" if name == "strategy" else "right")
    for row in rows:
        counts = (row.fetched, row.relevant, row.found)
        table.add_row(row.strategy, *map(str, counts), f"{row.seconds:.1f}", f"{row.pages_per_s:.0f}")
    return table
