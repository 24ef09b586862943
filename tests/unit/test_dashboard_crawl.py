"""The API of a crawl that does not run: its state, curve, log, hosts and refusals; and what is wrong input."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from clew.dashboard.app import plain_app
from clew.dashboard.projects import Shelf
from clew.dashboard.watching import Watch, events, launcher_of
from clew.export.curve import Curve
from clew.export.refused import Refusals
from clew.model import Decision, Outcome, Session
from clew.project.folder import ProjectFolder
from clew.store.base import Store
from clew.store.records import RunEnd, RunRecord
from clew.store.sqlite import schema
from support import PATIENCE_S, init_plain

LATE = 9.5e8


def add_visits(project: Path, flags: Sequence[bool], host: int = 0) -> None:
    """More visits, relevant or not, into a project's database."""
    store = opened(project)
    store.hosts.ids(["a.example", "b.example", "c.example"])
    first = store.visits.next_number
    store.commit()
    for number, flag in enumerate(flags, first):
        write(store, schema.ADD_VISIT, visit(number, host, flag))
        store.hosts.table.count(host, relevant=flag, failed=False)
    store.hosts.touch(host, 1.0)
    store.commit()
    store.close()


def visit(number: int, host: int, relevant: bool) -> tuple[Any, ...]:
    url = f"http://{'abc'[host]}.example/{number}"
    judged = (0.9 if relevant else 0.1, relevant, 0, 0.8)
    texts = ("A page", "en", "text/html", "utf-8", "", "D" * 32)
    place = (0, number, "a", 0.5, 1, 0, 0)
    return (number, number, url, host, 200, "ok", "", *place, *judged, *texts, 1000, LATE + number, 0.1, 0, 1, 0, 0,
            "", "", 0, b"\0\0\0\0")  # fmt: skip


def opened(project: Path) -> Any:
    return ProjectFolder(project).open_store()


def write(store: Any, sql: str, row: tuple[Any, ...]) -> None:
    store.visits._transaction.write(sql, [row])


def decide(project: Path, *decisions: Decision) -> None:
    store = opened(project)
    for one in decisions:
        store.journal.add_decision(one)
    store.commit()
    store.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return init_plain(tmp_path_factory.mktemp("made") / "p", "--web", "sim:pages=2000,seed=3")


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "p"))


@pytest.fixture
def client(project: Path) -> Iterator[TestClient]:
    with TestClient(plain_app(Shelf([project])), raise_server_exceptions=False) as found:
        yield found


def ask(client: TestClient, path: str, status: int = 200, **parameters: Any) -> Any:
    answer = client.get(f"/api/projects/p/{path}", params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


# -- the state ---------------------------------------------------------------------------------------------


def test_before_the_first_crawl_there_is_nothing_to_see(client: TestClient) -> None:
    state = ask(client, "crawl")
    assert (state["state"], state["says"]) == ("never", "nothing was crawled yet")
    assert state["figures"] is None and state["live"] is None
    for path in ("curve", "decisions", "sessions", "hosts", "refusals"):
        assert "nothing was crawled" in ask(client, path, 409)["error"]


def test_the_last_figures_are_those_of_the_store(client: TestClient, project: Path) -> None:
    add_visits(project, [True, False, True, True, False])
    store = opened(project)
    store.journal.begin_run(RunRecord("best-first", "linear", "sim:pages=9", 0.5))
    store.journal.count("robots", 2)
    store.links.refuse(77, "http://a.example/x", row=0, index=0, outcome=Outcome.REFUSED, reason="why", at=1.0)
    store.commit()
    store.close()
    killed = ask(client, "crawl")
    assert killed["state"] == "stopped"
    assert "killed" in killed["says"]
    figures = killed["figures"]
    assert (figures["fetched"], figures["relevant"], figures["harvest_rate"]) == (5, 3, 0.6)
    assert (figures["window_rate"], figures["bytes"], figures["robots"]) == (pytest.approx(0.6), 5000, 2)
    assert (figures["refused"], figures["waiting"], figures["precision"]) == (1, None, None)
    assert (figures["strategy"], figures["judge"], figures["web"]) == ("best-first", "linear", "sim:pages=9")
    store = opened(project)
    store.journal.end_run(RunEnd("max_pages", visit=5, at=17.0, waiting=9))
    store.commit()
    store.close()
    ended = ask(client, "crawl")
    assert (ended["says"], ended["ended_at"]) == ("not running: the budget of pages is spent", 17.0)
    assert (ended["stopped_by"], ended["figures"]["waiting"]) == ("max_pages", 9)


def test_a_database_that_another_process_writes_is_a_crawl_that_gets_ready(client: TestClient, project: Path) -> None:
    store = opened(project)
    try:
        assert ask(client, "crawl")["state"] == "starting"
        answer = client.post("/api/projects/p/crawl/start")
        assert answer.status_code == 409
        assert "in use by process" in answer.json()["error"]
    finally:
        store.close()
    assert ask(client, "crawl")["state"] == "stopped"


# -- the curve ---------------------------------------------------------------------------------------------


def test_a_curve_counts_relevant_visits(client: TestClient, project: Path) -> None:
    add_visits(project, [True, False, True, True, False])
    found = ask(client, "curve")
    assert found["visits"] == [1, 2, 3, 4, 5]
    assert found["relevant"] == [1, 1, 2, 3, 3]
    assert found["late"] == [1.0, 0.5, 0.6667, 0.75, 0.6]
    assert (found["total"], found["marks"]) == (5, [])
    assert ask(client, "curve", points=2)["visits"] == [1, 5]
    add_visits(project, [True] * 3)
    longer = ask(client, "curve", points=3)
    assert (longer["visits"], longer["relevant"]) == ([1, 4, 8], [1, 3, 6])


def test_the_last_200_are_the_last_200(client: TestClient, project: Path) -> None:
    add_visits(project, [True] * 100 + [False] * 150)
    found = ask(client, "curve", points=5000)
    assert found["late"][199] == 0.5  # 100 of 200
    assert found["late"][249] == 0.25  # visits 51 to 250: 50 of 200
    assert found["relevant"][249] == 100


def test_old_visits_are_read_again_only_when_pages_were_judged_again(project: Path) -> None:
    add_visits(project, [True, True, False])
    curve = Curve()

    def relevant(stamp: str) -> tuple[int, ...]:
        store = ProjectFolder(project).open_store(read_only=True)
        try:
            return curve.points(store, 10, stamp).relevant
        finally:
            store.close()

    assert relevant("x") == (1, 2, 2)
    store = opened(project)
    write(store, "UPDATE visits SET relevant = 0 WHERE number = ?", (1,))
    store.commit()
    store.close()
    assert relevant("x") == (1, 2, 2)  # nobody said so
    add_visits(project, [True])
    assert relevant("x") == (1, 2, 2, 3)
    decide(project, Decision("judge adopted", {"labels": 1, "held_back": 0}))
    assert relevant("x") == (0, 1, 1, 2)
    assert relevant("another database") == (0, 1, 1, 2)


def test_a_crawl_that_was_begun_anew_has_a_new_curve(client: TestClient, project: Path) -> None:
    add_visits(project, [True] * 9)
    assert ask(client, "curve")["total"] == 9
    ProjectFolder(project).put_aside()
    add_visits(project, [False] * 9)
    assert ask(client, "curve")["relevant"][-1] == 0


def test_an_empty_crawl_has_an_empty_curve(client: TestClient, project: Path) -> None:
    add_visits(project, [])
    assert ask(client, "curve") == {"total": 0, "visits": [], "relevant": [], "late": [], "marks": []}


# -- the log -----------------------------------------------------------------------------------------------


def test_the_log_comes_newest_first_in_pieces(client: TestClient, project: Path) -> None:
    add_visits(project, [True, False])
    widened = {"session": 3, "precision": 0.05, "precision_total": 0.3, "from": "boats", "to": "sport", "steps": 1}
    decide(project, Decision("focus generalised", widened), Decision("made up", {"one_thing": 0.123456}))
    add_visits(project, [True])
    decide(project, Decision("paused", {"by": "a user"}))
    found = ask(client, "decisions")
    assert found["total"] == 3
    assert [(one["number"], one["visit"], one["mark"], one["text"]) for one in found["decisions"]] == [
        (3, 3, "paused", "a user paused the crawl"),
        (2, 2, "", "made up: one thing 0.1235"),
        (1, 2, "widened", "the focus was widened from boats to sport (0.050 of session 3 was relevant, "
                          "0.300 of all so far)"),
    ]  # fmt: skip
    assert [one["number"] for one in ask(client, "decisions", limit=2)["decisions"]] == [3, 2]
    assert [one["number"] for one in ask(client, "decisions", limit=2, before=3)["decisions"]] == [2, 1]
    assert ask(client, "decisions", before=1)["decisions"] == []
    marks = ask(client, "curve")["marks"]
    assert [(one["visit"], one["kind"]) for one in marks] == [(2, "widened"), (3, "paused")]
    assert {one["kind"] for one in marks} < client.get("/api/marks").json().keys()


def test_sessions_come_newest_first_without_nan(client: TestClient, project: Path) -> None:
    add_visits(project, [True])
    store = opened(project)
    store.journal.add_session(Session(1, 1, 200, 200, 50, 200, 50, 0.75), rescored=True, at=1.0)
    store.journal.add_session(Session(2, 201, 400, 200, 10, 400, 60), rescored=False, at=2.0)
    store.commit()
    store.close()
    two, one = ask(client, "sessions")["sessions"]
    assert (two["number"], two["precision"], two["precision_total"], two["best_waiting"]) == (2, 0.05, 0.15, None)
    assert (one["number"], one["best_waiting"], one["rescored"]) == (1, 0.75, True)
    short = ask(client, "sessions", limit=1)
    assert (short["total"], [row["number"] for row in short["sessions"]]) == (2, [2])


# -- hosts and refusals ------------------------------------------------------------------------------------


def test_hosts_are_listed_by_what_they_gave(client: TestClient, project: Path) -> None:
    add_visits(project, [True, False, False], host=0)
    add_visits(project, [True, True], host=1)
    add_visits(project, [True, True, False], host=2)
    found = ask(client, "hosts")
    assert [(one["name"], one["visits"], one["relevant"]) for one in found["hosts"]] == [
        ("b.example", 2, 2), ("c.example", 3, 2), ("a.example", 3, 1),
    ]  # fmt: skip
    assert [one["name"] for one in ask(client, "hosts", limit=1, offset=1)["hosts"]] == ["c.example"]
    assert ask(client, "hosts", offset=10)["hosts"] == []
    for state in ("active", "waiting"):
        assert "while a crawl runs" in ask(client, "hosts", state=state)["says"]


def test_hosts_that_do_not_answer_or_refuse_say_why(client: TestClient, project: Path) -> None:
    add_visits(project, [True])
    store = opened(project)
    store.hosts.fell_silent(1, "connection refused")
    refuse(store, {f"http://b.example/{n}": "robots.txt" for n in (1, 2)} | {"http://c.example/": "scope"})
    store.close()
    (silent,) = ask(client, "hosts", state="resting")["hosts"]
    assert (silent["name"], silent["why"]) == ("b.example", "connection refused")
    refused = ask(client, "hosts", state="refused")["hosts"]
    assert [(one["name"], one["links"], one["why"]) for one in refused] == [
        ("b.example", 2, "robots.txt"), ("c.example", 1, "scope"),
    ]  # fmt: skip


def refuse(store: Store, reasons: dict[str, str]) -> None:
    for number, (url, reason) in enumerate(reasons.items(), 500):
        store.links.refuse(number, url, row=0, index=0, outcome=Outcome.REFUSED, reason=reason, at=1.0)
    store.commit()


def test_refusals_are_grouped_by_reason_and_host(client: TestClient, project: Path) -> None:
    add_visits(project, [True])
    store = opened(project)
    refuse(store, {f"http://a.example/{n}": f"robots.txt of http://a.example/{n} says no" for n in range(3)})
    refuse(store, {})
    store.links.refuse(9, "http://b.example/", row=0, index=0, outcome=Outcome.REFUSED, reason="scope", at=1.0)
    store.links.refuse(8, "http://b.example/2", row=0, index=0, outcome=Outcome.ABSENT, reason="absent", at=1.0)
    store.commit()
    store.close()
    found = ask(client, "refusals")
    assert (found["total"], found["groups_total"]) == (4, 2)
    first, second = found["groups"]
    assert (first["reason"], first["host"], first["count"]) == ("robots.txt of URL says no", "a.example", 3)
    assert second["reason"] == "scope"
    short = ask(client, "refusals", limit=1)
    assert (short["total"], len(short["groups"])) == (4, 1)


def test_refusals_are_not_counted_again_at_once(project: Path) -> None:
    add_visits(project, [True])
    store, refusals = opened(project), Refusals()
    refuse(store, {f"http://a.example/{n}": "no" for n in range(300)})
    assert [one.count for one in refusals.groups(store)] == [300]
    refusals._until = time.monotonic() + PATIENCE_S  # as if it had taken a while
    store.links.refuse(1, "http://a.example/more", row=0, index=0, outcome=Outcome.REFUSED, reason="no", at=1.0)
    assert [one.count for one in refusals.groups(store)] == [300]
    refusals._until = 0.0
    assert [one.count for one in refusals.groups(store)] == [301]
    store.close()


# -- wrong input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("curve", {"points": 1}), ("curve", {"points": 5001}), ("curve", {"points": "x"}),
        ("decisions", {"limit": 0}), ("decisions", {"limit": 501}), ("decisions", {"before": 0}),
        ("decisions", {"before": 10**13}), ("sessions", {"limit": -1}), ("refusals", {"limit": 501}),
        ("hosts", {"state": "gone"}), ("hosts", {"state": "\0"}), ("hosts", {"offset": -1}),
        ("hosts", {"offset": 10**30}), ("bands", {"n": 0}), ("bands", {"n": 101}),
    ],
)  # fmt: skip
def test_parameters_have_bounds(client: TestClient, project: Path, path: str, parameters: dict[str, Any]) -> None:
    add_visits(project, [True])
    assert next(iter(parameters)) in ask(client, path, 422, **parameters)["error"]


@pytest.mark.parametrize(
    "body",
    [
        {"max_pages": 0}, {"max_pages": 10**13}, {"max_pages": "many"}, {"for_s": 0}, {"for_s": -1}, {"for_s": 1e300},
        {"strategy": "-x y"}, {"strategy": "a\0b"}, {"judge": "x" * 201}, {"judge": ""}, [], "x",
    ],
)  # fmt: skip
def test_a_crawl_is_not_started_with_options_that_make_no_sense(client: TestClient, project: Path, body: Any) -> None:
    assert client.post("/api/projects/p/crawl/start", json=body).status_code == 422
    assert not (project / "crawl.log").exists()


@pytest.mark.parametrize(("name", "value"), [("strategy", "best-frist"), ("judge", "--version")])
def test_unknown_parts_are_named(client: TestClient, project: Path, name: str, value: str) -> None:
    answer = client.post("/api/projects/p/crawl/start", json={name: value})
    assert answer.status_code == 400
    assert value in answer.json()["error"]
    assert not (project / "crawl.log").exists()


@pytest.mark.parametrize("what", ["pause", "resume", "stop"])
def test_what_does_not_run_cannot_be_steered(client: TestClient, what: str) -> None:
    answer = client.post(f"/api/projects/p/crawl/{what}")
    assert answer.status_code == 409
    assert answer.json() == {"error": "no crawl of p runs: start one first"}
    assert "start one" in ask(client, "bands", 409)["error"]


# -- news --------------------------------------------------------------------------------------------------


async def test_all_who_listen_share_one_thread_that_ends_with_them(project: Path) -> None:
    add_visits(project, [True, False])
    (shown,) = Shelf([project])
    streams = [events(shown) for _ in range(3)]
    for stream in streams:
        event = (await anext(stream)).decode()
        assert event.startswith("event: state\ndata: ")
        assert event.endswith("\n\n")
        assert json.loads(event.splitlines()[1].removeprefix("data: "))["figures"]["fetched"] == 2
    watching = [one for one in threading.enumerate() if one.name == "watch p"]
    assert len(watching) == 1
    add_visits(project, [True])
    for stream in streams:
        while '"fetched":3' not in (await anext(stream)).decode():
            pass
        await stream.aclose()
    watching[0].join(PATIENCE_S)
    assert not watching[0].is_alive()


async def test_streams_end_with_the_server(project: Path) -> None:
    shelf = Shelf([project])
    (shown,) = shelf
    stream = events(shown)
    await anext(stream)
    shelf.close()
    async with asyncio.timeout(PATIENCE_S):
        assert [one async for one in stream if not one.startswith((b"event: state", b":"))] == []
    assert not shown.kept(Watch)._listeners


async def test_what_cannot_be_read_is_told(project: Path) -> None:
    (project / "crawl.db").write_bytes(b"this is no database, " * 100)
    (shown,) = Shelf([project])
    stream = events(shown)
    assert (await anext(stream)).startswith(b'event: fault\ndata: {"error":"')
    await stream.aclose()


def test_shared_things_are_made_once(project: Path) -> None:
    (shown,) = Shelf([project])
    assert launcher_of(shown) is launcher_of(shown)
    assert shown.kept(Watch) is shown.kept(Watch)
