"""Presets: the settings of a paper by one name, for every strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
import pytest

from clew.errors import ConfigError
from clew.model import Doubles, LinkBatch
from clew.project.assembly import strategy_of
from clew.project.folder import ProjectFolder
from clew.registry import presets_of
from clew.section import Section, doc
from clew.strategies.base import Strategy
from clew.strategies.registry import STRATEGIES, make
from support import clew as run_clew
from support import write_project

PAPERS = {
    "ache": {"learning": "levels"},
    "apprentice": {"instances": "before", "failures": False, "proportional": False, "length": 0.0, "source_ranges": 0},
    "bingo": {"learning_order": "depth-first", "widen": False, "hub_boost": 1.0, "guard_by": "trained"},
    "context-graph": {"merged_cap": 0, "raw": True, "quantile": 0.0, "layer0": "model", "other": "likelihood"},
    "tunnelling": {"order": "breadth-first"},
}
"""Where the papers differ from the defaults (or some of it)."""


class Own(Strategy):
    """A strategy of the user's own with a preset."""

    class Settings(Section, frozen=True):
        """[strategy.own]"""

        weight: Annotated[float, doc("A weight.", ge=0, le=1)] = 0.5

    presets: ClassVar = {"paper": {"weight": 0.25}, "wrong": {"weight": 2.0}}

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def score(self, links: LinkBatch) -> Doubles:
        return np.full(len(links), self.settings.weight)


def settings_of(strategy: str | type[Strategy], **table: Any) -> dict[str, Any]:
    made = make(strategy, table)
    found: dict[str, Any] = msgspec.structs.asdict(made.settings)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("name", STRATEGIES.builtin)
def test_every_strategy_has_the_settings_of_its_paper(name: str) -> None:
    paper = dict(presets_of(STRATEGIES.get(name))["paper"])
    form = STRATEGIES.settings(name, {"preset": "paper"})
    if form is None:
        assert not paper
        assert make(name, {"preset": "paper"}).name == name
        return
    usual, found = msgspec.structs.asdict(type(form)()), msgspec.structs.asdict(form)
    assert {setting: found[setting] for setting in paper} == paper
    assert {setting: found[setting] for setting in found if setting not in paper} == {
        setting: usual[setting] for setting in usual if setting not in paper
    }
    assert msgspec.structs.asdict(make(name, {"preset": "paper"}).settings) == found  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", PAPERS)
def test_papers_differ_from_the_defaults(name: str) -> None:
    usual, paper = settings_of(name), settings_of(name, preset="paper")
    assert {setting: paper[setting] for setting in PAPERS[name]} == PAPERS[name]
    assert all(usual[setting] != value for setting, value in PAPERS[name].items())


def test_single_settings_beside_a_preset_win() -> None:
    found = settings_of("apprentice", preset="paper", length=0.5, topics=3)
    assert (found["length"], found["topics"], found["proportional"]) == (0.5, 3, False)
    assert settings_of(Own, preset="paper") == {"weight": 0.25}
    assert settings_of(Own, preset="paper", weight=0.75) == {"weight": 0.75}
    assert settings_of(Own, preset="wrong", weight=1.0) == {"weight": 1.0}  # what is overruled is not looked at


@pytest.mark.parametrize(
    ("strategy", "table", "said"),
    [
        (
            "apprentice",
            {"preset": "papr"},
            "[strategy.apprentice] has no preset 'papr' (did you mean paper?); it has: paper; "
            "see docs/strategies/apprentice.md",
        ),
        ("best-first", {"preset": 3}, "[strategy.best-first] has no preset 3; it has: paper; see docs/"),
        ("random", {"preset": "paper", "floor": 1}, "[strategy.random] has no settings, but floor is set"),
        ("tunnelling", {"prest": "paper"}, "has no setting 'prest' (did you mean preset?); it has: preset, threshold"),
        ("tunnelling", {"preset": "paper", "cutoff": -1}, "[strategy.tunnelling] cutoff: Expected"),
        (Own, {"preset": "peper"}, "[strategy.Own] has no preset 'peper' (did you mean paper?); it has: paper, wrong"),
        (Own, {"preset": "wrong"}, "[strategy.Own] weight: Expected `float` <= 1.0"),
    ],
)
def test_wrong_names_are_refused(strategy: str | type[Strategy], table: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make(strategy, table)
    assert said in str(caught.value)


def test_a_strategy_without_presets_has_no_such_setting() -> None:
    class Plain(Own):
        presets: ClassVar = {}

    class Named(Own):
        """One that has a setting of that name itself."""

        presets: ClassVar = {}

        class Settings(Section, frozen=True):
            """[strategy.named]"""

            preset: Annotated[str, doc("A name.")] = ""

    with pytest.raises(ConfigError, match=r"^\[strategy.Plain\] has no setting 'preset'; it has: weight$"):
        make(Plain, {"preset": "paper"})
    assert settings_of(Named, preset="mine") == {"preset": "mine"}


def test_a_project_crawls_with_a_preset(tmp_path: Path) -> None:
    settings = '[project]\nweb = "sim:pages=3000,seed=2"\n[judge]\nname = "keywords"\n[interest.keywords]\na = 1.0\n'
    settings += '[strategy]\nname = "apprentice"\n[strategy.apprentice]\npreset = "paper"\nwarmup = 7\n'
    folder = write_project(tmp_path / "p", ["http://nowhere.test/"], settings=settings)
    made = strategy_of(ProjectFolder(folder))
    assert (made.settings.warmup, made.settings.length) == (7, 0.0)  # type: ignore[attr-defined]
    run_clew("crawl", folder, "--max-pages", 3)
    text = settings.replace('"paper"', '"papers"')
    (folder / "clew.toml").write_text(text, encoding="utf-8")
    failed = run_clew("crawl", folder, code=2)
    assert "[strategy.apprentice] has no preset 'papers' (did you mean paper?)" in failed.stderr
