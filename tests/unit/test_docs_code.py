"""Every block of code in the documentation runs, in the order of its page; settings and topics in it are valid."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from clew.config import settings_from
from clew.lab.experiment import load as load_experiment
from clew.lab.tasks import load as load_task
from clew.topics.topicsfile import read_topics

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)(?: ([\w-]+))?\n(.*?)^```", flags=re.M | re.S)

KNOWN = {"python", "toml", "yaml", "layers"}
"""Kinds of blocks that a test looks at (``layers``: tests/unit/test_docs.py). Blocks without a kind are command lines
and what they print, whose options tests/unit/test_docs.py checks."""


def blocks(page: Path, kind: str) -> list[tuple[str, str]]:
    """(mark, code) of a page's blocks of a kind."""
    return [(mark, code) for found, mark, code in BLOCK.findall(page.read_text(encoding="utf-8")) if found == kind]


def pages_with(kind: str) -> list[object]:
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if blocks(page, kind)]


def test_no_block_is_of_a_kind_that_nothing_looks_at() -> None:
    kinds = {(page.name, kind) for page in PAGES for kind, _, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}
    assert {kind for _, kind in kinds} <= KNOWN, kinds
    assert ("python.md", "python") in kinds


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_runs(page: Path, tmp_path: Path) -> None:
    """All blocks of a page as one script. A block marked ``no-run`` needs the live web: it must only compile."""
    script = []
    for mark, code in blocks(page, "python"):
        assert mark in ("", "no-run"), f"{page.name}: there is no mark {mark!r}"
        if mark == "no-run":
            compile(code, str(page), "exec")
        else:
            script.append(code)
    (tmp_path / "page.py").write_text("\n".join(script), encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = [sys.executable, "page.py"]
    done = subprocess.run(
        run, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{page.name}:\n{done.stderr}"


@pytest.mark.parametrize("page", pages_with("toml"))
def test_toml_is_what_clew_reads(page: Path, tmp_path: Path) -> None:
    for _, code in blocks(page, "toml"):
        tables = tomllib.loads(code)
        if "truth" in tables:
            (tmp_path / "task.toml").write_text(code, encoding="utf-8")
            urls = "".join(f"http://a.test/{label}\t{label}\t-\n" for label in tables["truth"]["labels"])
            (tmp_path / tables["labels"]).write_text(f"url\tlabel\tgroup\n{urls}", encoding="utf-8")
            assert load_task(tmp_path / "task.toml").relevant
        elif "simulated" in tables:
            (tmp_path / tables["tasks"][0]).write_text((tmp_path / "task.toml").read_text("utf-8"), encoding="utf-8")
            (tmp_path / "study.toml").write_text(code, encoding="utf-8")
            assert [one.name for one in load_experiment(tmp_path / "study.toml").tasks] == ["my-task", "layers"]
        else:
            settings_from(tables)


@pytest.mark.parametrize("page", pages_with("yaml"))
def test_yaml_is_a_topic_tree(page: Path, tmp_path: Path) -> None:
    for _, code in blocks(page, "yaml"):
        (tmp_path / "topics.yaml").write_text(code, encoding="utf-8")
        assert read_topics(tmp_path / "topics.yaml")
