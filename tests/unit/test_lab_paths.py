"""Paths, losses and sentences of the lab, on the breadth-first crawl of 12 pages of test_lab_measures.

breadth-first   0  3  1  2  6  5* 4  9  8* 7* 10*     * relevant
  its source    -  0  0  0  3  3  1  6  5* 4  9
  tunnel        0  0  0  0  1  1  1  2  0  2  3       irrelevant pages since the last relevant one, or seed
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError
from clew.lab import details, readings
from clew.lab.comparison import Comparison
from clew.lab.paths import digging, finds_by_tunnel, mean_counts
from clew.lab.results import Run
from clew.lab.running import TaskResult
from clew.lab.saved import load, save

PAGES = [0, 3, 1, 2, 6, 5, 4, 9, 8, 7, 10]
RELEVANT = [5, 7, 8, 10, 11]
SOURCES = [0, 1, 1, 1, 2, 2, 3, 5, 6, 7, 8]
JUDGED = [0.1, 0.3, 0.2, 0.1, 0.4, 0.9, np.nan, 0.2, 0.8, 0.7, 0.6]
DEPTH = [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4]


def run_of(strategy: str = "breadth-first", pages: int = 11, judge: str = "nb") -> Run:
    found = np.isin(PAGES, RELEVANT)[:pages]
    return Run(
        task="web",
        strategy=strategy,
        judge=judge,
        repeat=0,
        budget=11,
        reachable=4,
        urls=tuple(f"http://a.test/{page}" for page in PAGES[:pages]),
        found=found,
        judged=np.array(JUDGED[:pages], np.float32),
        predicted=-np.array(DEPTH[:pages], np.float32),
        depth=np.array(DEPTH[:pages], np.int32),
        tunnel=np.zeros(pages, np.int32),
        sources=np.array(SOURCES[:pages], np.int32),
        seconds=1.0,
        cpu_ms_per_page=2.0 if strategy == "breadth-first" else 6.0,
        frontier=3,
        robots=0,
        absent=0,
        stopped_by="budget",
    )


WHOLE, HALF = run_of(), run_of("best-first", 6)
"""All four finds, and only the first (5)."""


def compared(*runs: Run) -> Comparison:
    return Comparison(runs, {"web": (np.array([0, 0, 1, 1, 0, 0, 1, 0, 0, 1], np.bool_),)}, {})


def test_digging() -> None:
    # 8 stands on a relevant page; 5 behind one irrelevant page, 7 behind two, 10 behind three
    measured = digging(WHOLE)
    assert (measured.finds, measured.dug, measured.deep, measured.longest) == (4, 3 / 4, 2 / 4, 3)
    # of the four fetches without a tunnel (3 1 2 8*) one is relevant, of all ten after the seed four are
    assert (measured.modal_length, measured.lift) == (2, pytest.approx((1 / 4) / (4 / 10)))
    assert finds_by_tunnel([WHOLE]).tolist() == [1, 1, 1, 1]
    assert finds_by_tunnel([WHOLE, HALF]).tolist() == [0.5, 1, 0.5, 0.5]


def test_a_run_without_finds() -> None:
    measured = digging(run_of(pages=3))
    assert (measured.finds, measured.longest, measured.modal_length) == (0, 0, 0)
    assert math.isnan(measured.dug) and math.isnan(measured.deep)
    assert mean_counts([]).tolist() == []


def test_loss_rates() -> None:
    # 7 of 11 are lost by the truth; by the judge 11 − 4.3, the page that was not judged counts as lost
    assert readings.loss_rate(WHOLE.found) == pytest.approx(7 / 11)
    assert readings.loss_rate(WHOLE.judged) == pytest.approx((11 - 4.3) / 11)
    assert math.isnan(readings.loss_rate(np.full(3, np.nan, np.float32)))
    shares = details.lost(HALF.found, 11)
    assert shares[[1, 5, 6]].tolist() == pytest.approx([1, 1, 5 / 6])
    assert np.isnan(shares[[0, 7, 11]]).all()  # before the first fetch and after the end
    assert np.isnan(details.lost(np.full(3, np.nan, np.float32), 5)).all()


def test_sentences_give_the_figures() -> None:
    both = compared(WHOLE, HALF)
    said = {name: getattr(readings, name)(both, "web") for name in NAMES}
    # the finds are fetches 6, 9, 10, 11: half of them within 9; the oracle's 3, 4, 7, 10: within 4
    assert said["found"].startswith("breadth-first / nb found 4 of 4, half of them within 9 fetches; the oracle found")
    assert "within 4. Higher" in said["found"]
    # the window of 11 // 5 = 2: the last two fetches of breadth-first are both relevant
    assert "In the last 2 fetches breadth-first / nb still found 100 pages in 100" in said["harvest"]
    assert "lost 64 pages in 100 by the truth and 61 by its judge, so its own loss is a fair guide" in said["loss"]
    # (.9 + .8 + .7 + .6)/4 = .75 against (.1 + .3 + .2 + .1 + .4 + .2)/6 = .22
    assert "gave .75 to the relevant pages of breadth-first / nb and .22 to the others" in said["relevance"]
    assert "lies within 3 links of the seeds, the farthest 4 links out" in said["distances"]
    assert said["tunnels"].startswith("75 in 100 finds of breadth-first / nb stood behind at least one irrelevant page")
    assert "and 50 behind two or more, at most 3. Where few" in said["tunnels"]
    assert "By breadth-first's paths, a page linked from a relevant one is 0.6 times as likely" in said["tunnels"]
    assert said["overlap"].startswith("All methods together found 4 pages, 0 more than breadth-first / nb alone;")
    assert "25 in 100 found by both" in said["overlap"]
    # breadth-first: AUC (1 + 2 · .5 + .5 + .5)/28 = .11; best-first: 5 ties with 6 and loses to four: .1
    assert "The link scores of breadth-first / nb foretold best what a link leads to (AUC .11)" in said["predictions"]
    assert (
        said["costs"] == "breadth-first / nb takes 2.0 ms a page, about as little as any: cost is no reason against it."
    )
    dear = compared(replace(WHOLE, cpu_ms_per_page=9.0), HALF)
    assert "9.0 ms a page, 1.5 times as long as best-first / nb" in readings.costs(dear, "web")


NAMES = ("found", "harvest", "loss", "relevance", "distances", "tunnels", "overlap", "predictions", "costs")


@pytest.mark.parametrize("name", NAMES)
def test_what_was_not_recorded_breaks_no_plot_and_no_sentence(name: str) -> None:
    """Peers have no judge and no scores, and some runs find nothing."""
    blind = np.full(11, np.nan, np.float32)
    peer = replace(WHOLE, strategy="peer", judge="", judged=blind, predicted=blind, cpu_ms_per_page=0.0)
    poor = replace(WHOLE, found=np.zeros(11, np.bool_))
    empty = run_of("empty", 0)
    for runs in ((peer,), (WHOLE, peer, poor), (poor, empty)):
        sentence = getattr(readings, name)(compared(*runs), "web")
        assert sentence.endswith(".") and "nan" not in sentence
        if hasattr(details, name):
            assert "<svg" in getattr(details, name)(compared(*runs), "web").inline


def test_results_come_back_from_disk(tmp_path: Path) -> None:
    save([TaskResult("web", (WHOLE,), (WHOLE.found,), (WHOLE.found,))], tmp_path)
    ((run,),) = (result.runs for result in load(tmp_path))
    assert run.sources.tolist() == SOURCES and run.sources.dtype == np.int32
    assert (run.strategy, run.urls, run.frontier) == (WHOLE.strategy, WHOLE.urls, 3)


def test_results_of_an_earlier_version_are_refused_with_their_name(tmp_path: Path) -> None:
    save([TaskResult("web", (WHOLE,), (WHOLE.found,), (WHOLE.found,))], tmp_path)
    (file,) = (tmp_path / "runs").iterdir()
    with np.load(file) as kept:
        columns = {name: kept[name] for name in kept.files if name != "sources"}
    np.savez_compressed(file, **columns)
    with pytest.raises(InputError, match=r"breadth-first.nb.0.npz .* lacks sources: remove it, or make"):
        load(tmp_path)
