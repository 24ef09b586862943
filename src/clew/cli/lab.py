"""clew lab: compare strategies and judges on the same webs, against a truth that did not guide them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from clew.cli.common import NamedOption, json_option, print_json, say
from clew.cli.labtable import print_table
from clew.cli.labtask import from_crawl as from_finished_crawl
from clew.cli.labweb import command as web_command
from clew.config import JUDGE
from clew.judges.registry import JUDGES
from clew.lab.asking import BOTH, PLANS
from clew.lab.experiment import KEPT, distinct
from clew.lab.experiment import load as load_experiment
from clew.lab.ledgers import AS_WRITTEN, LEDGERS, with_ledgers
from clew.lab.report import write_report
from clew.lab.running import Plan, TaskResult, run_all, summary
from clew.lab.saved import comparison_of, load_comparison, save
from clew.lab.simulating import PRESETS, simulate
from clew.lab.tasks import load as load_task
from clew.lab.variants import judge_variants, strategy_variants
from clew.project.project import Project
from clew.strategies.registry import STRATEGIES

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

jobs_option = click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Processes.")


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
    help="Names parted by commas, with settings if need be, as in apprentice(length=0)",
)
@click.option(
    "--judges",
    cls=NamedOption,
    registry=JUDGES,
    several=True,
    default=JUDGE,
    show_default=True,
    help="Names parted by commas, with settings if need be, as in svm(cost=10)",
)
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of each.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the first repeat.")
@click.option(
    "--resample/--no-resample",
    default=True,
    show_default=True,
    help="Repeats after the first draw start pages, examples and simulated webs anew; else only the crawl's seed.",
)
@click.option(
    "--backlinks",
    type=click.Choice(PLANS),
    default=BOTH,
    show_default=True,
    help="What it costs to ask who links to a page: nothing, a fetch, or nobody answers; both: nothing, and strategies "
    "that ask have a second row without answers.",
)
@click.option(
    "--ledger",
    type=click.Choice(LEDGERS),
    default=AS_WRITTEN,
    show_default=True,
    help="Links to pages that a web lacks: as the task says, free, a fetch each, or each task with both.",
)
@jobs_option
@click.option("--out", type=FOLDER, help="Write results, plots and a report into this folder.")
@json_option
def run(
    tasks: Sequence[Path],
    strategies: str,
    judges: str,
    repeats: int,
    seed: int,
    resample: bool,
    backlinks: str,
    ledger: str,
    jobs: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Crawl each task with each strategy and judge, and compare with what was possible."""
    plan = Plan(strategy_variants(strategies), judge_variants(judges), repeats, seed, resample, backlinks)
    given = distinct(with_ledgers([load_task(path) for path in tasks], ledger))
    results = list(run_all(given, plan, jobs))
    if out is not None:
        save(results, out)
        write_report(comparison_of(results), out)
    _tell(results, out, as_json)


@command.command("experiment")
@click.argument("file", type=FILE, metavar="EXPERIMENT.toml")
@jobs_option
@click.option("--out", type=FOLDER, help="Folder for results and report, in place of the one that the file names.")
@json_option
def experiment(file: Path, jobs: int, out: Path | None, as_json: bool) -> None:
    """Run all of a study that one file describes: tasks, variants with their settings, repeats, budget."""
    study = load_experiment(file)
    folder = out or study.out
    results = list(run_all(study.tasks, study.plan, jobs))
    save(results, folder)
    (folder / KEPT).write_bytes(file.read_bytes())
    write_report(comparison_of(results, study.title), folder)
    _tell(results, folder, as_json)


@command.command("report")
@click.argument("folder", type=FOLDER)
@json_option
def report(folder: Path, as_json: bool) -> None:
    """Write the report of earlier results again: one HTML page, plots, CSV and a LaTeX table."""
    page = write_report(load_comparison(folder), folder)
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


def _tell(results: Sequence[TaskResult], out: Path | None, as_json: bool) -> None:
    """Print what came out."""
    if as_json:
        print_json([summary(result, one) for result in results for one in result.runs])
        return
    print_table(comparison_of(results))
    if out is not None:
        say(f"report: {out / 'report.html'}")
