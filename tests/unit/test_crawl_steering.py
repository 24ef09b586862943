"""Watching and steering a crawl from within its loop: simulated crawls, which repeat exactly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

from clew.config import StopSettings
from clew.crawl import standing
from clew.crawl.loop import Loop
from clew.crawl.progress import Progress
from clew.crawl.running import CrawlResult, Display
from clew.crawl.steering import Steering, checked_entry
from clew.crawl.stopping import StopRules
from clew.errors import InputError
from clew.frontier.columns import ColumnFrontier
from clew.model import Visit
from clew.project.assembly import CrawlOptions, run
from clew.project.project import Project
from clew.store.records import VisitRow
from clew.strategies.base import Queue
from clew.urls.never import write_never
from support import clew, init_plain

PAGES = 90

Act = Callable[[Steering], Coroutine[None, None, None]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return init_plain(tmp_path / "p", "--web", "sim:pages=800,seed=3")


def crawl(project: Path, acts: dict[int, Act], max_pages: int = PAGES) -> CrawlResult:
    """Crawl, and do something after so many visits, while the loop goes on."""

    async def whole() -> CrawlResult:
        tasks: list[asyncio.Task[None]] = []

        def started(loop: Loop) -> None:
            steering = Steering(loop, project / "never.txt", {"max_pages": max_pages})

            def visited(visit: Visit) -> None:
                act = acts.get(visit.number)
                if act is not None:
                    tasks.append(asyncio.create_task(act(steering)))

            loop.on_visit = visited

        result = await run(Project(project), CrawlOptions(max_pages=max_pages), Display(started=started))
        for task in tasks:
            assert task.done(), "the crawl ended before that"
            task.result()
        return result

    return asyncio.run(whole())


async def stands_still(steering: Steering) -> None:
    """Wait until nothing is under way."""
    while steering.loop.under_way != (0, 0):  # noqa: ASYNC110  # nobody tells
        await asyncio.sleep(0)
    await steering.settled()


def visits(project: Path) -> list[VisitRow]:
    store = Project(project).open_store(read_only=True)
    try:
        return list(store.visits.rows())
    finally:
        store.close()


def urls(project: Path) -> list[str]:
    return [row.url for row in visits(project)]


def decisions(project: Path) -> list[tuple[str, object]]:
    store = Project(project).open_store(read_only=True)
    try:
        return [(row.decision.kind, row.decision.facts.get("by")) for row in store.journal.decisions()]
    finally:
        store.close()


# -- pausing ----------------------------------------------------------------------------------------------


async def pause_for_a_while(steering: Steering) -> None:
    assert steering.pause().startswith("paused")
    assert steering.pause() == "it is paused already"
    await stands_still(steering)
    before = steering.snapshot()
    for _ in range(50):
        await asyncio.sleep(0)
    after = steering.snapshot()
    assert before.paused and after.paused
    assert (before.fetched, before.seconds) == (after.fetched, after.seconds)
    assert after.paused_s > before.paused_s
    assert after.waits_for == "a user paused it"
    assert steering.resume() == "it goes on"
    assert steering.resume() == "it is not paused"
    assert not steering.snapshot().paused


@pytest.mark.parametrize("strategy", ["best-first", "clew"])
def test_a_crawl_that_was_paused_visits_the_same_pages_in_the_same_order(tmp_path: Path, strategy: str) -> None:
    found = []
    for name, acts in (("alone", {}), ("paused", dict.fromkeys((1, 20, 50, 77), pause_for_a_while))):
        project = init_plain(tmp_path / name, "--web", "sim:pages=800,seed=3")
        toml = project / "clew.toml"
        text = toml.read_text(encoding="utf-8").replace('name = "best-first"', f'name = "{strategy}"')
        toml.write_text(f"{text}\n[crawl]\nsession_pages = 25\n" if "[crawl]" not in text else text, encoding="utf-8")
        crawl(project, acts)
        found.append([(row.url, row.score, row.relevance) for row in visits(project)])
    assert found[0] == found[1]
    assert len(found[0]) == PAGES


def test_a_pause_is_in_the_log_and_takes_no_time(project: Path) -> None:
    result = crawl(project, {5: pause_for_a_while})
    assert decisions(project)[-2:] == [("paused", "a user"), ("resumed", "a user")]
    assert result.stopped_by == "max_pages"


def test_what_was_fetched_before_a_pause_is_committed_in_it(project: Path) -> None:
    async def look(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        assert len(urls(project)) == steering.snapshot().visits  # read by another connection
        steering.resume()

    crawl(project, {7: look})


def test_a_paused_crawl_can_be_stopped(project: Path) -> None:
    async def stop(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        assert steering.stop().startswith("stopping")
        with pytest.raises(InputError, match="stopping"):
            steering.pause()

    assert crawl(project, {7: stop}).stopped_by == "interrupted"


def test_time_that_is_paused_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("clew.crawl.progress.time.monotonic", lambda: now)
    progress = Progress(started=now)
    for _ in range(40):
        now += 1.0
        progress.fetched += 2
        progress.sample()
    assert progress.recent_pages_per_s == pytest.approx(2.0)
    progress.pause()
    progress.pause()
    now += 1_000.0
    progress.sample()
    assert (progress.seconds, progress.whole_pause_s, progress.pages_per_s) == (40.0, 1_000.0, 2.0)
    progress.resume()
    progress.resume()
    now += 10.0
    progress.fetched += 40
    assert progress.seconds == 50.0
    assert progress.recent_pages_per_s == pytest.approx((30 * 2 + 40) / 40)
    assert progress.whole_pause_s == 1_000.0
    assert not StopRules(StopSettings(), run_s=51.0).reached(progress)
    assert StopRules(StopSettings(), run_s=50.0).reached(progress) == "for"


# -- links ------------------------------------------------------------------------------------------------


def test_a_pushed_url_is_fetched_next_and_a_dropped_one_never(project: Path) -> None:
    pushed: list[str] = []
    dropped: list[str] = []

    async def steer(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        best = [one.url for one in steering.best(30)]
        dropped.append(best[0])
        pushed.append(best[-1])
        assert "not be fetched" in steering.drop(best[0])
        with pytest.raises(InputError, match="set aside already: dropped by a user"):
            steering.drop(best[0])
        assert best[0] not in [one.url for one in steering.best(30)]
        refused = steering.hosts("refused")
        assert [(one.links, one.why) for one in refused.hosts] == [(1, "dropped by a user")]
        assert "fetched next" in steering.push(best[-1])
        first = steering.best(1)[0]
        assert (first.url, first.tier) == (best[-1], 3)
        assert steering.bands(5).first == 1
        steering.resume()

    crawl(project, {40: steer})
    found = urls(project)
    assert pushed[0] in found[40:42]  # one may have been under way
    assert dropped[0] not in found
    assert [kind for kind, by in decisions(project) if by == "a user"] == ["paused", "dropped", "pushed", "resumed"]


def test_a_dropped_url_can_be_taken_back(project: Path) -> None:
    taken: list[str] = []

    async def steer(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        url = steering.best(10)[-1].url
        taken.append(url)
        refused = steering.snapshot().refused
        steering.drop(url)
        assert steering.snapshot().refused == refused + 1
        steering.push(url)
        assert steering.snapshot().refused == refused
        assert steering.best(1)[0].url == url
        steering.resume()

    crawl(project, {30: steer})
    assert urls(project).count(taken[0]) == 1
    assert taken[0] in urls(project)[30:32]


@pytest.mark.parametrize("strategy", ["best-first", "clew", "bingo"])
def test_what_was_pushed_and_dropped_holds_in_the_next_run(tmp_path: Path, strategy: str) -> None:
    project = init_plain(tmp_path / "p", "--web", "sim:pages=800,seed=3")
    toml = project / "clew.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace('"best-first"', f'"{strategy}"'), encoding="utf-8")
    said: list[str] = []

    async def steer(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        best = [one.url for one in steering.best(20)]
        said.extend((best[-1], best[1]))
        steering.push(best[-1])
        steering.drop(best[1])
        steering.stop()

    crawl(project, {30: steer})
    before = urls(project)
    assert not {*said} & {*before}
    crawl(project, {})
    found = urls(project)
    assert found[: len(before)] == before
    assert found[len(before)] == said[0]
    assert said[1] not in found


def test_a_url_that_was_never_seen_can_be_pushed(project: Path) -> None:
    async def steer(steering: Steering) -> None:
        steering.push("http://h1.sim.test/nowhere/at/all.html")

    crawl(project, {10: steer})
    (row,) = [row for row in visits(project) if row.url == "http://h1.sim.test/nowhere/at/all.html"]
    assert str(row.kind) == "pushed"
    assert row.number in (11, 12)


def test_what_cannot_be_pushed_or_dropped_says_why(project: Path) -> None:
    clew_toml = project / "clew.toml"
    clew_toml.write_text(f'{clew_toml.read_text(encoding="utf-8")}\n[scope]\nexclude_hosts = ["out.test"]\n', "utf-8")

    async def steer(steering: Steering) -> None:
        with pytest.raises(InputError, match=r"out of scope: host out\.test is excluded"):
            steering.push("http://out.test/")
        with pytest.raises(InputError, match="not a URL"):
            steering.push("no url")
        with pytest.raises(InputError, match=r"visited already \(visit 1\)"):
            steering.push(urls(project)[0])
        with pytest.raises(InputError, match=r"visited already"):
            steering.drop(urls(project)[0])
        with pytest.raises(InputError, match="no link to"):
            steering.drop("http://h1.sim.test/never/seen")
        for wrong in (0, 5_000):
            with pytest.raises(InputError, match="between 1 and"):
                steering.best(wrong)
        with pytest.raises(InputError, match="hosts are active"):
            steering.hosts("sleeping")  # type: ignore[arg-type]

    async def commit_first(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        await steer(steering)
        steering.resume()

    crawl(project, {10: commit_first})


# -- hosts ------------------------------------------------------------------------------------------------


def test_a_blocked_host_is_never_fetched_and_its_links_leave_the_frontier(project: Path) -> None:
    blocked: list[str] = []

    async def steer(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        host = steering.hosts("waiting", 1).hosts[0]
        blocked.append(host.name)
        waiting = steering.snapshot().waiting
        assert f"{host.links} waiting link" in steering.block(host.name)
        assert steering.snapshot().waiting == waiting - host.links
        assert "already" in steering.block(host.name)
        with pytest.raises(InputError, match="do-not-crawl list"):
            steering.push(f"http://{host.name}/")
        steering.resume()

    crawl(project, {40: steer})
    found = visits(project)
    assert not [row.url for row in found[41:] if row.host == blocked[0]]
    assert [row.url for row in found[:41] if row.host == blocked[0]]
    line = (project / "never.txt").read_text(encoding="utf-8").splitlines()[-1]
    assert line == f"{blocked[0]}  # blocked by a user"


def test_what_was_blocked_while_the_crawl_got_ready_is_taken_up(project: Path) -> None:
    """Nobody could tell it then: the list alone was written, after it was read."""
    blocked: list[str] = []

    async def steer(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        host = steering.hosts("waiting", 1).hosts[0]
        blocked.append(host.name)
        write_never(project / "never.txt", [host.name])
        waiting = steering.snapshot().waiting
        steering.reread()
        assert steering.snapshot().waiting == waiting - host.links
        steering.reread()
        steering.resume()

    crawl(project, {40: steer})
    assert not [row.url for row in visits(project)[41:] if row.host == blocked[0]]
    assert [kind for kind, _ in decisions(project)].count("blocked") == 1


def test_an_unblocked_host_waits_as_before(project: Path) -> None:
    async def steer(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        before = [(one.url, one.score) for one in steering.best(100)]
        name = steering.hosts("waiting", 1).hosts[0].name
        steering.block(name)
        assert before != [(one.url, one.score) for one in steering.best(100)]
        assert "may be fetched again" in steering.unblock(name)
        assert before == [(one.url, one.score) for one in steering.best(100)]
        with pytest.raises(InputError, match=r"is not on never\.txt"):
            steering.unblock(name)
        steering.resume()

    crawl(project, {40: steer})
    assert not (project / "never.txt").read_text(encoding="utf-8").strip()


def test_the_beginning_of_urls_is_refused_when_its_turn_comes(project: Path) -> None:
    prefix: list[str] = []

    async def steer(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        url = steering.best(1)[0].url
        prefix.append(url[: url.rindex("/") + 1])
        steering.block(prefix[0].removeprefix("http://"))
        steering.resume()

    crawl(project, {40: steer})
    assert not [url for url in urls(project)[41:] if url.startswith(prefix[0])]
    store = Project(project).open_store(read_only=True)
    reasons = {one.reason for one in store.links.refusals() if one.url.startswith(prefix[0])}
    store.close()
    assert [one for one in reasons if one.startswith("do-not-crawl list")]


@pytest.mark.parametrize("entry", ["", " ", "a b", "a.test\nb.test", "\x00", "http://", "/path", "# a.test"])
def test_what_is_no_entry_is_refused(entry: str) -> None:
    with pytest.raises(InputError):
        checked_entry(entry)


# -- figures ----------------------------------------------------------------------------------------------


def test_a_snapshot_tells_all_and_is_json(project: Path) -> None:
    found: list[str] = []

    async def look(steering: Steering) -> None:
        told = steering.snapshot(), steering.bands(), steering.best(), steering.hosts("waiting", 3)
        found.extend(json.dumps(msgspec.to_builtins(one), allow_nan=False) for one in told)

    crawl(project, {60: look})
    snapshot, bands, best, hosts = map(json.loads, found)
    assert (snapshot["visits"], snapshot["strategy"], snapshot["judge"]) == (60, "best-first", "naive-bayes")
    assert snapshot["options"] == {"max_pages": PAGES}
    assert snapshot["rules"][0]["name"] == "max_pages"
    assert snapshot["rules"][0]["share"] == pytest.approx(60 / PAGES, abs=0.02)
    assert sum(band["links"] for band in bands["bands"]) == snapshot["waiting"]
    assert [one["score"] for one in best] == sorted((one["score"] for one in best), reverse=True)
    assert all(one["words"] and one["source"] for one in best)
    assert hosts["of"] >= 3 == len(hosts["hosts"])


def test_the_queues_of_a_strategy_count_its_links(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = (0.0, 0.4, 0.9, 2.0)
    told = [Queue(f"from {low}", "relevance", 1.0, (low, high)) for low, high in pairwise(edges)]
    monkeypatch.setattr("clew.strategies.best_first.BestFirst.queues", lambda self: [*told, Queue("focus", "boats")])

    async def look(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        *counted, focus = steering.snapshot().queues
        scores = [one.score for one in steering.best(1_000)]
        expected = [sum(low <= score < high for score in scores) for low, high in pairwise(edges)]
        assert [queue.links for queue in counted] == expected
        assert sum(expected) == steering.snapshot().waiting <= 1_000
        assert (focus.words, focus.links) == ("boats", None)
        steering.resume()

    crawl(project, {30: look})


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5], [-3.0, 0.0, 1.0, 1.0], [-1e38, 1e38]])
def test_bands_hold_every_waiting_link_once(values: list[float]) -> None:
    frontier = ColumnFrontier()
    keys = np.arange(1, len(values) + 1, dtype=np.uint64)
    frontier.add(keys, np.zeros(len(keys), np.uint32), np.array(values, np.float64), 1)
    frontier.add(np.array([99], np.uint64), np.zeros(1, np.uint32), np.ones(1), 2, tier=2)
    found = standing.bands(frontier, 4)
    assert found.first == 1
    assert sum(band.links for band in found.bands) == len(values)
    for band in found.bands:
        assert band.low <= band.high
    if len(set(values)) > 1:
        assert (found.bands[0].low, found.bands[-1].high) == pytest.approx((min(values), max(values)))


def test_nearness_of_rules_that_are_set_alone() -> None:
    progress = Progress(fetched=50, visits=40, relevant=10, irrelevant_run=3)
    assert StopRules(StopSettings()).nearness(progress, 0.5) == []
    stop = StopSettings(
        relevant_pages=20, irrelevant_pages=60, irrelevant_run=2, min_precision=0.1, min_score=0.25, topic_pages=8,
        top_of_topics=True,
    )  # fmt: skip
    rules = StopRules(stop, budget=200)
    rules.filled(6)
    found = {one.name: (one.value, one.limit, one.share) for one in rules.nearness(progress, 0.5)}
    assert found == {
        "max_pages": (50, 200, 0.25),
        "relevant_pages": (10, 20, 0.5),
        "irrelevant_pages": (30, 60, 0.5),
        "irrelevant_run": (3, 2, 1.0),
        "topic_pages": (6, 8, 0.75),
        "top_of_topics": (0, 1, 0.0),
        "min_precision": (0.2, 0.1, 0.5),
        "min_score": (0.5, 0.25, 0.5),
    }
    assert "min_score" not in {one.name for one in rules.nearness(progress, float("nan"))}


def test_an_interrupt_line_says_paused(project: Path) -> None:
    from clew.crawl.showing import summary

    said: list[str] = []

    async def look(steering: Steering) -> None:
        steering.pause()
        await stands_still(steering)
        said.append(summary(steering.loop))
        steering.resume()
        said.append(summary(steering.loop))

    crawl(project, {5: look})
    assert ", paused," in said[0]
    assert "paused" not in said[1]


def test_commands_say_where_no_crawl_runs(project: Path) -> None:
    for command in ("pause", "resume", "stop"):
        assert "no crawl of" in clew(command, project, code=2).stderr
