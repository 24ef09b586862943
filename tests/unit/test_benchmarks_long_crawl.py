"""The benchmark of a long crawl: CPU time goes to the part that spent it, and rows are differences."""

import json
import sys
import time

import pytest
from benchmarks import long_crawl
from benchmarks.crawling import setup_in
from benchmarks.long_crawl import PARTS, Meter, measure, rows_of

from clew.crawl import sessions
from clew.crawl.applying import Applier
from clew.examples.examples import Examples
from clew.frontier.columns import ColumnFrontier
from clew.lab.bench import settings_of
from clew.lab.experiment import SimulatedTask, simulated
from clew.lab.running import remembered
from clew.strategies.best_first import BestFirst


def burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_calls_within_calls_count_for_their_own_part() -> None:
    meter = Meter()
    inner = meter.timed("store", lambda: burn(0.02))

    def outer() -> None:
        burn(0.01)
        inner()

    meter.timed("strategy", outer)()
    whole = meter.timed("ranking", outer)
    whole()
    spent = meter.read()
    assert spent["strategy"] == pytest.approx(0.01, abs=0.008)
    assert spent["store"] == pytest.approx(0.02, abs=0.008)
    assert spent["ranking"] == pytest.approx(0.03, abs=0.008)


def test_a_call_that_fails_ends_its_part() -> None:
    meter = Meter()
    with pytest.raises(ZeroDivisionError):
        meter.timed("store", lambda: 1 // 0)()
    burn(0.02)
    assert meter.read()["rest"] >= 0.015


def test_a_crawl_is_measured_and_left_as_it_was() -> None:
    before = Applier.apply, ColumnFrontier.rank, BestFirst.score, sessions.learn_from_crawl
    task = simulated(SimulatedTask(preset="topical", pages=1_000, seed=1, budget=60))
    told: list[int] = []
    with remembered() as store:
        examples = Examples(relevant=task.positive, irrelevant=task.negative)
        setup = setup_in(settings_of(task, "best-first", "naive-bayes", 1), examples, task.seeds, store)
        started = time.process_time()
        found = measure(setup, 20, lambda one: told.append(one.visits))
        spent = time.process_time() - started
    assert told == [one.visits for one in found] == [20, 40, 60]
    assert found[-1].waiting > 0
    assert found[-1].mb > 10
    assert all(found[-1].spent[part] > 0 for part in ("web", "reading", "judge", "strategy", "frontier", "store"))
    assert 0.5 * spent < sum(found[-1].spent.values()) <= spent
    assert before == (Applier.apply, ColumnFrontier.rank, BestFirst.score, sessions.learn_from_crawl)
    assert "rescore" in vars(sessions.Sessions)


def test_rows_are_what_a_page_cost_since_the_last() -> None:
    lines = [
        {"visits": 10, "spent": {"web": 9.0, "store": 0.05}, "mb": 80.0, "waiting": 5, "relevant": 3},
        {"visits": 30, "spent": {"web": 9.9, "store": 0.09, "judge": 0.1}, "mb": 90.0, "waiting": 7, "relevant": 9},
        {"peak_mb": 95.0, "visits": 30},
    ]
    first, second, whole = rows_of("clew|auto", lines)
    assert (first["store"], first["cpu"], first["visits"]) == (pytest.approx(5.0), pytest.approx(5.0), "10")
    assert (second["store"], second["judge"], second["cpu"]) == tuple(map(pytest.approx, (2.0, 5.0, 7.0)))
    assert (whole["store"], whole["visits"], whole["mb"]) == (pytest.approx(3.0), "all", 95.0)
    assert set(PARTS) < set(whole)


def test_each_method_runs_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--fetches", "40", "--pages", "1000", "--every", "20", "--set", "words=60", "--alone"]
    monkeypatch.setattr(sys, "argv", ["long_crawl", *given, "--methods", "best-first|centroid"])
    assert long_crawl.main() == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["visits"] for line in lines] == [20, 40, 40]
    monkeypatch.setattr(sys, "argv", ["long_crawl", *given, "--methods", "best-first"])
    assert long_crawl.main() == 2
    assert "STRATEGY|JUDGE" in capsys.readouterr().err
