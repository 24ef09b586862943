"""Results of the lab through the dashboard, on runs made by ``clew lab run`` on a tiny web."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from lab_web import TASK, write_web
from starlette.testclient import TestClient

from clew.dashboard.app import make_app
from clew.dashboard.guard import Access
from clew.dashboard.projects import Shelf
from clew.lab.measured import MEASURES
from clew.lab.shown import results
from support import clew_json, write_project

ACCESS = Access(8711, "t" * 32, "c" * 32)
BEARER = {"authorization": f"Bearer {ACCESS.token}"}
POSITIVE = 'positive = ["http://w.test/boats.html"]'


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, and results in results/one/first: two strategies, two repeats each."""
    base = tmp_path_factory.mktemp("compare")
    write_web(base)
    (base / "task.toml").write_text(TASK.format(examples=POSITIVE))
    clew_json(
        "lab", "run", base / "task.toml", "--strategies", "breadth-first,random", "--judges", "naive-bayes",
        "--repeats", 2, "--out", base / "results" / "one" / "first", "--jobs", 1,
    )  # fmt: skip
    write_project(base / "p", ["http://w.test/"])
    return base


def client_of(base: Path, folder: Path | None) -> TestClient:
    app = make_app(Shelf([base / "p"], folder), ACCESS)
    return TestClient(app, base_url="http://127.0.0.1:8711", raise_server_exceptions=False, headers=BEARER)


@pytest.fixture(scope="module")
def client(base: Path) -> Iterator[TestClient]:
    with client_of(base, base / "results") as found:
        yield found


def test_folders_are_listed(client: TestClient, base: Path) -> None:
    told = client.get("/api/results").json()
    assert told["base"] == str(base / "results")
    (folder,) = told["folders"]
    assert (folder["name"], folder["tasks"], folder["runs"]) == ("one/first", 1, 4)
    assert folder["changed"].endswith("Z")


def test_one_is_what_the_lab_says_without_its_curves(client: TestClient, base: Path) -> None:
    told = client.get("/api/results/one/first").json()
    own = asdict(results(base / "results" / "one" / "first"))
    assert own["curves"]
    assert told == {**own, "curves": []}
    assert [one["name"] for one in told["measures"]] == [one.name for one in MEASURES]
    assert all(one["says"].endswith(".") for one in told["measures"])


def test_curves_are_those_of_a_task(client: TestClient, base: Path) -> None:
    found = client.get("/api/curves", params={"folder": "one/first", "task": "boats"}).json()
    assert found == asdict(results(base / "results" / "one" / "first"))["curves"]
    assert {one["task"] for one in found} == {"boats"}
    runs = [one for one in found if not one["is_limit"]]
    assert {(one["method"], one["repeat"]) for one in runs} == {
        (f"{name} / naive-bayes", repeat) for name in ("breadth-first", "random") for repeat in (0, 1)
    }
    assert client.get("/api/curves", params={"folder": "one/first", "task": "no such"}).json() == []


@pytest.mark.parametrize("name", ["", "%2e"])
def test_the_folder_itself_is_nothing_in_a_path_and_a_dot_elsewhere(base: Path, name: str) -> None:
    with client_of(base, base / "results" / "one" / "first") as client:
        (folder,) = client.get("/api/results").json()["folders"]
        assert folder["name"] == "."
        assert client.get(f"/api/results/{name}").json()["tasks"][0]["name"] == "boats"
        assert client.get("/api/curves", params={"task": "boats"}).json()


NAMES = ["none", "one", "..", "one/../../results/one/first/../..", "/etc", "%00", "%ff", "a" * 900, "one/first/tasks"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_result_below_the_folder_is_not_there(client: TestClient, name: str) -> None:
    for answer in (
        client.get("/api/results/" + name.replace("..", "%2e%2e")),
        client.get(f"/api/curves?task=boats&folder={name}"),
    ):
        assert answer.status_code == 404
        assert "there are no results of the lab" in answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        f"/api/results/{'a' * 1001}", "/api/curves", f"/api/curves?task={'a' * 1001}",
        f"/api/curves?task=a&folder={'a' * 1001}",
    ],
)  # fmt: skip
def test_names_have_bounds(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 422


def test_without_a_folder_of_results_it_says_how_to_give_one(base: Path) -> None:
    with client_of(base, None) as client:
        assert client.get("/api/results").json() == {"base": "", "folders": []}
        for path in ("/api/results/one", "/api/curves?task=boats"):
            answer = client.get(path)
            assert answer.status_code == 409
            assert "--results DIR" in answer.json()["error"]


def test_a_folder_without_results_lists_none(base: Path, tmp_path: Path) -> None:
    with client_of(base, tmp_path) as client:
        assert client.get("/api/results").json() == {"base": str(tmp_path), "folders": []}
        assert client.get("/api/results/").status_code == 404


def test_results_that_changed_are_read_again(base: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(base / "results" / "one" / "first", tmp_path / "r")
    runs = min((folder / "runs").glob("*.npz"))
    with client_of(base, tmp_path) as client:
        assert client.get("/api/results/r").json()["methods"]
        runs.write_bytes(b"not a run")
        os.utime(runs, (2e9, 2e9))
        answer = client.get("/api/results/r")
    assert answer.status_code == 400
    assert "damaged" in answer.json()["error"]
