"""The replications: their experiment files load and keep to the seeds set aside for them, and every page says how its
figures are made."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from clew.lab.experiment import load

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "benchmarks" / "replications").glob("*.toml"))
PAGES = sorted(path for path in (ROOT / "docs" / "replications").glob("*.md") if path.name != "README.md")
SEEDS = range(301, 311)
"""Of made webs; never used for anything but reports."""
LARGEST = 3000
COMMAND = re.compile(r"clew lab experiment (benchmarks/replications/[\w-]+\.toml)|python -m (benchmarks\.\w+)")


def test_there_are_replications() -> None:
    assert STUDIES and PAGES


def quick(text: str, folder: Path) -> str:
    """The study with smaller webs, which are made sooner, and a topic that such webs have; its tasks by full paths."""
    text = re.sub(r"^pages = (\d+)", lambda found: f"pages = {min(int(found[1]), LARGEST)}", text, flags=re.M)
    text = re.sub(r"^level = \d+", "level = 1", text, flags=re.M)
    return text.replace('"../', f'"{folder.as_posix()}/../')


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_study_loads_and_keeps_to_its_seeds(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    given = tomllib.loads(text)
    tasks, webs = given.get("tasks", ()), given.get("simulated", ())
    assert tasks or webs
    assert not any("family/b" in task for task in tasks), "family/b is never run"
    for web in webs:
        assert web["seed"] in SEEDS and web["seed"] + given["repeats"] - 1 in SEEDS
    if missing := [task for task in tasks if not (path.parent / task).exists()]:
        pytest.skip(f"{missing[0]} is not here: the shared webs lie beside the repository")
    (tmp_path / path.name).write_text(quick(text, path.parent), encoding="utf-8")
    study = load(tmp_path / path.name)
    assert len(study.tasks) == len(tasks) + len(webs)
    assert study.plan.repeats == given.get("repeats", 1)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_names_its_commands_and_both_presets(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "preset=paper" in text and "defaults" in text
    commands = COMMAND.findall(text)
    assert commands, "a page says how its figures are made"
    for study, module in commands:
        file = study or f"{module.replace('.', '/')}.py"
        assert (ROOT / file).exists(), file


def test_every_study_has_a_page_and_every_page_a_row() -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in PAGES}
    for study in STUDIES:
        assert any(f"benchmarks/replications/{study.name}" in text for text in pages.values()), study.name
    index = (ROOT / "docs" / "replications" / "README.md").read_text(encoding="utf-8")
    assert all(f"({name})" in index for name in pages)
