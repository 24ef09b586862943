"""Experiment files: all of a study in one TOML file, so that one command runs it again.

title = "What the length of documents is worth"
tasks = ["webkb-course.toml"]       # task files, relative to this file
strategies = ["best-first", "apprentice(length=0)", { name = "paper", strategy = "apprentice", preset = "paper" }]
judges = ["auto"]
repeats = 12
seed = 1
budget = 800                        # fetches, in place of what each task allows

[[simulated]]                       # tasks on simulated webs, without files
preset = "topical"
pages = 20000
seed = 301
"""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import field

from clew.config import JUDGE
from clew.errors import ConfigError, InputError
from clew.judges.registry import JUDGES
from clew.lab.asking import BOTH, PLANS
from clew.lab.ledgers import AS_WRITTEN, with_ledgers
from clew.lab.running import Plan
from clew.lab.simulating import PRESETS, budget_of, level_of, task_of
from clew.lab.tasks import Task
from clew.lab.tasks import load as load_task
from clew.lab.variants import Variant, check, variant
from clew.registry import Registry
from clew.section import Section, checked, doc
from clew.strategies.registry import STRATEGIES
from clew.text.shown import shown
from clew.web.simulated import parse_spec

TITLE = "Crawl strategies compared"

KEPT = "experiment.toml"
"""The copy of an experiment file beside its results."""


class SimulatedTask(Section, frozen=True):
    """[[simulated]]: a task on a simulated web"""

    preset: Annotated[str, doc("What the web contains, as in clew lab sim; empty: parameters alone say it.")] = ""
    name: Annotated[str, doc("What the task is called.")] = ""
    pages: Annotated[int, doc("Pages of the web.", ge=500)] = 10_000
    seed: Annotated[int, doc("Seed of the web of the first repeat; each later one is one higher.", ge=0)] = 1
    parameters: Annotated[dict[str, float], doc("Parameters of the web, over those of the preset.")] = field(
        default_factory=dict
    )
    level: Annotated[int, doc("Level of the wanted topic in the tree of topics; 0: as clew lab sim takes.", ge=0)] = 0
    starts: Annotated[int, doc("Start pages.", ge=1)] = 5
    distance: Annotated[int, doc("Links from them to the topic, at least; 0: homes about it.", ge=0, le=3)] = 1
    positive: Annotated[int, doc("Relevant examples.", ge=1)] = 10
    negative: Annotated[int, doc("Irrelevant examples.", ge=0)] = 30
    budget: Annotated[int, doc("Fetches; 0: a twentieth of the pages.", ge=0)] = 0


class ExperimentFile(Section, frozen=True):
    """An experiment file."""

    strategies: Annotated[tuple[Any, ...], doc("Variants of strategies, as texts or tables.", min_length=1)]
    title: Annotated[str, doc("The title of the report.")] = TITLE
    tasks: Annotated[tuple[str, ...], doc("Task files, relative to this one.")] = ()
    judges: Annotated[tuple[Any, ...], doc("Variants of judges.", min_length=1)] = (JUDGE,)
    repeats: Annotated[int, doc("Runs of each.", ge=1)] = 1
    seed: Annotated[int, doc("Seed of the first repeat.", ge=0)] = 1
    resample: Annotated[bool, doc("Repeats draw start pages, examples and simulated webs anew.")] = True
    budget: Annotated[int, doc("Fetches, in place of what each task allows; 0: as they say.", ge=0)] = 0
    backlinks: Annotated[str, doc("What it costs to ask who links to a page: both, free, charged or none.")] = BOTH
    ledger: Annotated[str, doc("Whether links to pages that a web lacks cost a fetch: task, closed, open or both.")] = (
        AS_WRITTEN
    )
    out: Annotated[str, doc("Folder for results and report, relative to this file; empty: the file's name.")] = ""
    simulated: Annotated[tuple[SimulatedTask, ...], doc("Tasks on simulated webs.")] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """A study: what to run on which tasks, and the folder for what comes out."""

    title: str
    tasks: tuple[Task, ...]
    plan: Plan
    out: Path


def title_of(path: Path) -> str:
    """The title that an experiment file gives its report, if it is there. Raises InputError or ConfigError."""
    return shown(_read(path).title) if path.exists() else TITLE


def _read(path: Path) -> ExperimentFile:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} is no TOML file: {error}") from error
    return checked(ExperimentFile, given, "", "docs/lab.md", f"{path}: ")


def load(path: Path) -> Experiment:
    """The experiment in a file, all of it checked. Raises InputError or ConfigError naming the file."""
    file = _read(path)
    plan = Plan(
        _variants(file.strategies, "strategy", STRATEGIES, path),
        _variants(file.judges, "judge", JUDGES, path),
        file.repeats,
        file.seed,
        file.resample,
        file.backlinks,
    )
    if file.backlinks not in PLANS:
        raise ConfigError(f"{path}: backlinks = {file.backlinks!r} is none of {', '.join(PLANS)}; see docs/lab.md")
    tasks = [load_task(path.parent / name) for name in file.tasks]
    tasks += [simulated(one, f"{path}: ") for one in file.simulated]
    if not tasks:
        raise InputError(f"{path}: name at least one task file in tasks, or describe a web in [[simulated]]")
    if file.budget:
        tasks = [replace(task, budget=file.budget) for task in tasks]
    try:
        tasks = with_ledgers(tasks, file.ledger)
    except InputError as error:
        raise ConfigError(f"{path}: {error}") from error
    out = path.parent / file.out if file.out else path.with_suffix("")
    return Experiment(shown(file.title), distinct(tasks), plan, out)


def distinct(tasks: list[Task]) -> tuple[Task, ...]:
    """The tasks. Raises InputError when two have one name."""
    name, times = Counter(task.name for task in tasks).most_common(1)[0]
    if times > 1:
        raise InputError(f"two tasks are called {name}: results would be mixed up, rename one")
    return tuple(tasks)


def _variants(given: tuple[Any, ...], kind: str, registry: Registry[Any], path: Path) -> tuple[Variant, ...]:
    try:
        found = [_variant(one, kind, registry) for one in given]
    except InputError as error:
        raise ConfigError(f"{path}: {error}") from error
    names = Counter(one.name for one in found)
    if twice := [name for name, times in names.items() if times > 1]:
        raise ConfigError(f"{path}: two variants are called {twice[0]}: give one another name")
    return tuple(found)


def _variant(given: Any, kind: str, registry: Registry[Any]) -> Variant:
    """A variant as text, or as a table: its part, a name if it shall have one, and its settings."""
    if isinstance(given, str):
        return variant(given, registry)
    if not isinstance(given, dict) or not isinstance(given.get(kind), str):
        raise ConfigError(f'{given!r} is no {kind}: write a text such as "NAME(setting=value)", or a table with {kind}')
    settings = dict(given)
    part, name = settings.pop(kind), settings.pop("name", "")
    if not isinstance(name, str):
        raise ConfigError(f"{name!r} is no name of a {kind}: it must be a text")
    return check(Variant(shown(name) or part, part, settings), registry)


def simulated(one: SimulatedTask, where: str = "") -> Task:
    """The task on a simulated web. Raises InputError, its message led by ``where``."""
    if one.preset and one.preset not in PRESETS:
        raise InputError(f"{where}there is no preset {one.preset!r}; choose one of: {', '.join(PRESETS)}")
    parameters = {**PRESETS.get(one.preset, {}), **one.parameters}
    values = "".join(f",{name}={value:g}" for name, value in parameters.items())
    try:
        web = parse_spec(f"sim:pages={one.pages},seed={one.seed}{values}")
        topic = web.topics(one.level or level_of(web, one.preset))[0]
        return task_of(
            shown(one.name) or f"sim-{one.preset or 'web'}-{one.pages}-{one.seed}",
            web,
            topic,
            starts=one.starts,
            distance=one.distance,
            positive=one.positive,
            negative=one.negative,
            budget=one.budget or budget_of(one.pages),
        )
    except InputError as error:
        raise InputError(f"{where}{error}") from error
