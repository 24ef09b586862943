"""The explainer of a project is made in a thread, one at a time, and whoever asks meanwhile is told so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dashboard_site import BASE, client_of, crawled_site

from clew import Project
from clew.dashboard import experts
from clew.dashboard.experts import Expert
from clew.dashboard.projects import Shown
from clew.dashboard.waiting import Waiting
from clew.errors import InputError
from clew.project.explaining import Explainer
from support import PATIENCE_S

URL = "http://h.test/tidal.html"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled_site(tmp_path_factory.mktemp("experts"))


class Held:
    """Explainers are made once they may be."""

    def __init__(self) -> None:
        self.may, self.begun = threading.Event(), threading.Event()
        self.made, self.making, self.most = 0, 0, 0
        self.problem: Exception | None = None

    def __call__(self, begin: Any, made: Explainer, *given: Any) -> None:
        self.making += 1
        self.most = max(self.most, self.making)
        self.begun.set()
        assert self.may.wait(PATIENCE_S)
        self.making -= 1
        self.made += 1
        if self.problem is not None:
            raise self.problem
        begin(made, *given)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    found, begin = Held(), Explainer.__init__
    monkeypatch.setattr(Explainer, "__init__", lambda made, *given: found(begin, made, *given))
    yield found
    found.may.set()


def state(explainer: Explainer) -> str:
    return explainer.explain(URL).state


def test_whoever_asks_meanwhile_is_told_and_one_is_made(project: Path, held: Held) -> None:
    shown = Shown("p", project)
    expert, waiting = shown.kept(Expert), shown.kept(Waiting)
    with shown.store() as store:
        assert [expert.answer(store, state, wait_s=0.0) for _ in range(3)] == [None] * 3
        assert held.begun.wait(PATIENCE_S)
        assert waiting.best(5, wait_s=0.0).computing
        assert expert.answer(store, state, wait_s=0.0) is None
        held.may.set()
        assert expert.answer(store, state, wait_s=PATIENCE_S) == ("visited",)
        assert not waiting.best(5, wait_s=PATIENCE_S).computing
    assert (held.made, held.most) == (1, 1)


def test_a_page_says_that_its_reasons_are_looked_for(
    project: Path, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Expert.answer, "__defaults__", (0.0,))
    client = client_of(project)
    assert client.get(f"{BASE}/pages/1/why").json() == {"computing": True, "explanation": None, "marks": []}
    assert client.get(f"{BASE}/pages/999/why").status_code == 404
    held.may.set()
    monkeypatch.setattr(Expert.answer, "__defaults__", (PATIENCE_S,))
    found = client.get(f"{BASE}/pages/1/why").json()
    assert (found["computing"], found["explanation"]["state"]) == (False, "visited")


def test_what_keeps_it_from_being_made_is_told_once_and_tried_again(project: Path, held: Held) -> None:
    shown = Shown("p", project)
    expert = Expert(shown)
    held.problem = InputError("the examples are gone")
    held.may.set()
    with shown.store() as store:
        with pytest.raises(InputError, match="the examples are gone"):
            expert.answer(store, state, wait_s=PATIENCE_S)
        held.problem = None
        assert expert.answer(store, state, wait_s=PATIENCE_S) == ("visited",)
    assert held.made == 2


def test_one_that_a_session_overtook_answers_whoever_waited(
    project: Path, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fast crawl ends sessions faster than an explainer is made: without that nobody would ever be answered."""
    shown, session = Shown("p", project), [0]
    expert = Expert(shown)

    def moving(project: Project, store: Any) -> tuple[object, object]:
        session[0] += 1
        return "judge", session[0]

    monkeypatch.setattr(experts, "stamps", moving)
    held.may.set()
    with shown.store() as store:
        assert expert.answer(store, state, wait_s=PATIENCE_S) == ("visited",)
        assert expert.answer(store, state, wait_s=PATIENCE_S) == ("visited",)
    assert held.made == 2, "it answers once, then another one is made"
