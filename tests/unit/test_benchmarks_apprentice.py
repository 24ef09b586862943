"""The programs behind docs/replications/apprentice.md: windows made narrower, what was saved, and rows drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.effects_apprentice_offsets import Instances, main
from benchmarks.replication_apprentice import clear, rows
from PIL import Image
from test_lab_report import run

from clew.lab.running import TaskResult
from clew.strategies.apprentice.links import Extras, features_of
from clew.strategies.apprentice.settings import PAPER, ApprenticeSettings
from support import batch_of, html_page


@pytest.mark.parametrize("offsets", [True, False])
@pytest.mark.parametrize("d_max", [0, 1, 3])
def test_a_narrowed_window_has_the_features_of_its_settings(d_max: int, offsets: bool) -> None:
    body = "<p>one two <b>three</b> <a href=/a>four</a> five <i>six</i> one <a href=/b>seven</a> eight"
    batch = batch_of(html_page(body))
    widest = ApprenticeSettings(**{**PAPER, "d_max": 4, "topics": 1})
    narrow = ApprenticeSettings(**{**PAPER, "d_max": d_max, "topics": 1, "offsets": offsets})
    for index in range(2):
        features = features_of(batch, index, widest, Extras(widest, ("wanted",)), {})
        ours = Instances(widest, [features], np.array([True]), [1]).narrowed(d_max, offsets)
        expected = features_of(batch, index, narrow, Extras(narrow, ("wanted",)), {})
        assert ours.settings == narrow
        assert sorted(ours.features[0].tolist()) == sorted(expected.tolist())


def test_losses_saved_are_those_of_the_same_repeat() -> None:
    """Best-first loses 2 and 3 of 4, the other 1 and 3: half and nothing saved."""
    found = {"best-first": ("0110", "0010"), "other": ("0111", "0001")}
    runs = [run(flags, name, repeat=i) for name, both in found.items() for i, flags in enumerate(both)]
    base, other = rows(TaskResult("near", tuple(runs), (), ()), after=2)
    assert base["saved"] == [0.0, 0.0, 0.0] and base["better"] == 0
    assert (other["n"], other["better"]) == (2, 1)
    assert other["saved"] == [0.25, 0.0, 0.5]
    assert other["lost"] == [0.5, 0.25, 0.75]
    assert (other["before"], other["after"]) == ([0.75, 0.5, 1.0], [0.25, 0.0, 0.5])


def test_pages_of_which_the_judge_was_sure() -> None:
    judged = np.array([0.05, 0.5, 0.95, np.nan], np.float32)
    assert clear(replace(run("0000"), judged=judged)) == pytest.approx(2 / 3)


def test_rows_of_earlier_runs_are_drawn(tmp_path: Path) -> None:
    shares = {"features": "text", "folds": "target", "all right": 0.7}
    made = [{"web": web, "d_max": d, **shares} for web in ("web 1", "web 2", "real") for d in (0, 1)]
    (tmp_path / "rows").write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
    main(["--read", str(tmp_path / "rows"), "--plot", str(tmp_path / "plot.png")])
    with Image.open(tmp_path / "plot.png") as picture:  # two panels: the simulated webs share one
        assert picture.size[0] == 2 * 352
