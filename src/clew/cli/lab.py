"""clew lab: compare strategies and judges on the same webs, against a truth that did not guide them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clew.cli.common import NamedOption, json_option, print_json, say
from clew.cli.labtask import from_crawl as from_finished_crawl
from clew.cli.labweb import command as web_command
from clew.errors import InputError
from clew.judges.registry import JUDGES
from clew.lab.comparison import Comparison
from clew.lab.measures import area_over_oracle, recall_at
from clew.lab.report import write_report
from clew.lab.running import Plan, TaskResult, run_all, summary
from clew.lab.saved import load as load_results
from clew.lab.saved import save
from clew.lab.simulating import PRESETS, simulate
from clew.lab.tasks import load as load_task
from clew.project.project import Project
from clew.registry import Registry
from clew.strategies.registry import STRATEGIES
from clew.text.shown import shown

WIDTH = 132
"""Columns that the table needs; it is not squeezed into fewer."""

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group()
def command() -> None:
    """Compare strategies and judges on one web, honestly: same budget, same truth, an oracle beside them."""


@command.command("run")
@click.argument("tasks", type=FILE, nargs=-1, required=True, metavar="TASK.toml...")
@click.option(
    "--strategies",
    cls=NamedOption,
    registry=STRATEGIES,
    several=True,
    default="all",
    show_default=True,
    help="Names parted by commas",
)
@click.option(
    "--judges",
    cls=NamedOption,
    registry=JUDGES,
    several=True,
    default="naive-bayes",
    show_default=True,
    help="Names parted by commas",
)
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of each, by seed.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the first repeat.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Processes.")
@click.option("--out", type=FOLDER, help="Write results, plots and a report into this folder.")
@json_option
def run(
    tasks: Sequence[Path],
    strategies: str,
    judges: str,
    repeats: int,
    seed: int,
    jobs: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Crawl each task with each strategy and judge, and compare with what was possible."""
    plan = Plan(_names(strategies, STRATEGIES), _names(judges, JUDGES), repeats, seed)
    loaded = [load_task(path) for path in tasks]
    twice = {task.name for task in loaded if sum(other.name == task.name for other in loaded) > 1}
    if twice:
        raise InputError(f"two tasks are called {sorted(twice)[0]}: results would be mixed up, rename one")
    results = list(run_all(loaded, plan, jobs))
    if out is not None:
        save(results, out)
        write_report(comparison(results), out)
    if as_json:
        print_json([summary(result, one) for result in results for one in result.runs])
    else:
        _table(results)
        if out is not None:
            say(f"report: {out / 'report.html'}")


@command.command("report")
@click.argument("folder", type=FOLDER)
@json_option
def report(folder: Path, as_json: bool) -> None:
    """Write the report of earlier results again: one HTML page, plots, CSV and a LaTeX table."""
    page = write_report(comparison(load_results(folder)), folder)
    if as_json:
        print_json({"report": str(page)})
    else:
        say(f"report: {page}")


@command.command("task")
@click.argument("project", type=FOLDER)
@click.option("--from-crawl", is_flag=True, required=True, help="Its archive is the web, its labels are the truth.")
@click.option("--truth", type=click.Choice(["labels", "judge"]), default="labels", show_default=True)
@click.option("--out", type=FOLDER, required=True, help="Folder for the task: web, labels and task.toml.")
@json_option
def task(project: Path, from_crawl: bool, truth: str, out: Path, as_json: bool) -> None:
    """Make a task of a finished crawl of your own.

    --truth judge adds the judge's verdicts to your labels; it then favours strategies that agree with that judge.
    """
    made = from_finished_crawl(Project(project), out, judged=truth == "judge")
    if as_json:
        print_json({"task": str(made)})
    else:
        say(f"made {made}\nnext: clew lab run {made} --out results")


@command.command("sim")
@click.option("--preset", type=click.Choice(tuple(PRESETS)), required=True, help="What the web contains.")
@click.option("--pages", type=click.IntRange(min=500), default=10_000, show_default=True, help="Pages of the web.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Decides everything random.")
@click.option("--budget", type=click.IntRange(min=0), default=0, help="Fetches; 0: a twentieth of the pages.")
@click.option("--out", type=FILE, required=True, help="Task file to write; its labels lie beside it.")
@json_option
def sim(preset: str, pages: int, seed: int, budget: int, out: Path, as_json: bool) -> None:
    """Make a task of a simulated web; docs/simulated.md says what each preset contains."""
    made = simulate(preset, pages, seed, out, budget)
    if as_json:
        print_json({"task": str(made)})
    else:
        say(f"made {made}\nnext: clew lab run {made}")


command.add_command(web_command)


def comparison(results: Sequence[TaskResult]) -> Comparison:
    """Results as reports want them."""
    return Comparison(
        runs=tuple(run for result in results for run in result.runs),
        oracles={result.task: result.oracle for result in results},
        one_step={result.task: result.one_step for result in results},
        title="Crawl strategies compared",
    )


def _names(text: str, registry: Registry[Any]) -> tuple[str, ...]:
    if text == "all":
        return registry.names()
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        registry.get(name)  # a class that cannot be imported is found before anything is run
    if not names:
        raise InputError(f"name at least one {registry.kind}: all, or some of {', '.join(registry.names())}")
    return names


def _table(results: Sequence[TaskResult]) -> None:
    table = Table(title="Found of what could be found, by fetches (recall after 10, 25, 50 and 100 % of the budget)")
    left = ("task", "strategy", "judge")
    for name in (*left, "area / oracle", "found", "of", "10 %", "25 %", "50 %", "100 %", "CPU-ms"):
        table.add_column(name, justify="left" if name in left else "right", no_wrap=True)
    for result in results:
        for run in result.runs:
            area = area_over_oracle(run.found, result.oracle, run.budget)
            shares = [f"{share:.2f}" for share in recall_at(run.found, run.reachable, run.budget)]
            counts = (str(int(run.found.sum())), str(run.reachable), *shares, f"{run.cpu_ms_per_page:.1f}")
            table.add_row(*map(_plain, (run.task, run.strategy, run.judge)), f"{area:.3f}", *counts)
        best, most = result.one_step, result.runs[0]
        area = area_over_oracle(best, result.oracle, most.budget)
        shares = [f"{share:.2f}" for share in recall_at(best, most.reachable, most.budget)]
        counts = (str(int(best.sum())), str(most.reachable), *shares, "")
        table.add_row(_plain(result.task), "one-step sight", "", f"{area:.3f}", *counts, end_section=True)
    console = Console()
    Console(width=max(console.width, WIDTH)).print(table)


def _plain(name: str) -> Text:
    """A name as it stands: what looks like markup is none."""
    return Text(shown(name))
