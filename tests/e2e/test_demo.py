"""clew demo, and projects on simulated webs in English, by the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clew.web.simulated import demo_web, parse_spec
from support import clew, clew_json

COMMAND = [sys.executable, "-m", "clew.cli", "demo"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def told(folder: Path) -> subprocess.CompletedProcess[str]:
    arguments = ["--seed", "1", "--pages", "100", "--folder", str(folder / "d")]
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=600, check=True)


def test_the_demo_says_what_is_wanted_and_shows_what_was_found(
    told: subprocess.CompletedProcess[str], folder: Path
) -> None:
    topic = demo_web(1).topic
    assert f"Wanted: pages about {topic}." in told.stderr
    assert all(other in told.stderr for other in demo_web(1).web.topics())
    assert f"Looking for pages about {topic}" in told.stdout
    best = told.stdout.partition("The best pages that best-first found:\n")[2].splitlines()
    titles = [line.strip() for line in best[:10:2]]
    assert len(titles) == 5 and sum(title.startswith(topic.capitalize()) for title in titles) >= 4
    assert all(line.strip().startswith("http://") for line in best[1:10:2])
    assert "shaped to show the difference" in told.stdout
    command = told.stdout.splitlines()[-1].partition("? clew ")[2].split()
    assert topic in clew(*command).stdout.lower()
    assert (folder / "d" / "best-first" / "report.html").read_text(encoding="utf-8").startswith("<!")


def test_the_demo_as_json_and_again(told: subprocess.CompletedProcess[str], folder: Path) -> None:
    """A second demo replaces the first one; best-first wins clearly."""
    arguments = ["--seed", "1", "--folder", str(folder / "d"), "--json"]
    run = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=600, check=True)
    found = json.loads(run.stdout.splitlines()[-1])
    breadth, best = found["harvests"]
    assert (breadth["strategy"], best["strategy"]) == ("breadth-first", "best-first")
    assert breadth["fetched"] == best["fetched"] == 400
    assert best["found"] > 2 * breadth["found"]
    assert found["topic"] == demo_web(1).topic
    relevances = [page["relevance"] for page in best["best"]]
    assert len(relevances) == 5 and relevances == sorted(relevances, reverse=True)


def test_an_english_web_makes_a_project_whose_topic_has_a_name(tmp_path: Path) -> None:
    spec = "sim:pages=3000,seed=1,language=english"
    topic = parse_spec(spec).topics(1)[0]
    clew("init", tmp_path / "p", "--web", spec)
    ran = clew_json("crawl", tmp_path / "p", "--max-pages", 120)
    assert ran["fetched"] == 120 and ran["relevant"] > 60
    about = clew("topics", tmp_path / "p").stdout
    assert f"interest: {topic}" in about and f"* {topic}: 10 examples" in about
    typical = next(line for line in about.splitlines() if "typical:" in line)
    assert topic in typical
    again = clew_json("crawl", tmp_path / "p", "--max-pages", 140)
    assert again["fetched"] == 140
