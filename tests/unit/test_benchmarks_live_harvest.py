"""The benchmark of live and offline harvests, on small webs served on loopback by a process of their own."""

import asyncio
import json
import shutil
import sys
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from benchmarks import live_harvest
from benchmarks.live_harvest import Conditions, _live, archived, compare, mean, simulated, verdict
from benchmarks.served import Server

from clew.config import Settings
from clew.errors import InputError
from clew.lab.bench import settings_of
from clew.lab.results import Graph
from clew.lab.running import remembered
from clew.lab.variants import judge_variants, strategy_variants
from clew.web.registry import make as make_world
from clew.web.simulated import parse_spec

SMALL = "sim:pages=200,branching=4,depth=1,pages_per_host=12,words=50,out_degree=8,broken=0"
A, B, C, D = "https://a.test/", "https://a.test/b", "http://b.test/c", "https://b.test/d"
E = "http://b.test/e"

# a links to b, c, a page that is not there and a host that is not; c to d; nothing to e, an example.
PAGES = {
    A: '<a href="/b">b</a> <a href="http://b.test/c">c</a> <a href="/gone">-</a> <a href="https://z.test/">-</a>',
    B: "<p>jazz trumpet quartet jazz trumpet</p>",
    C: '<p>granite basalt</p> <a href="https://b.test/d">d</a>',
    D: "<p>jazz trumpet quartet swing</p>",
    E: "<p>jazz band quartet</p>",
}
TASK = f"""\
name = "tiny"
web = "web.warc"
labels = "labels.tsv"
budget = 50
seeds = ["{A}"]
[truth]
labels = ["Arts.Jazz"]
[examples]
positive = ["{E}"]
negative = ["{C}"]
"""


def record(url, body):
    html = f"<html lang=en><head><title>-</title></head><body>{body}</body></html>"
    message = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n{html}"
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
    kind = "Content-Type: application/http; msgtype=response\r\n"
    return f"WARC/1.0\r\n{fields}{kind}Content-Length: {len(message)}\r\n\r\n{message}\r\n\r\n".encode()


@pytest.fixture
def task(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "web.warc").write_bytes(b"".join(record(url, body) for url, body in PAGES.items()))
    (tmp_path / "labels.tsv").write_text(f"url\tlabel\tgroup\n{D}\tArts.Jazz\t-\n", encoding="utf-8")
    (tmp_path / "task.toml").write_text(TASK, encoding="utf-8")
    return tmp_path / "task.toml"


def rows_of(case, *ways):
    return compare(case, strategy_variants("best-first")[0], judge_variants("centroid")[0], ways)


def test_a_simulated_web_is_crawled_offline_and_live():
    case = simulated(SMALL, 1, 25, 3)
    assert case.addresses == len(set(case.live.resolve.values())) - 1  # and where hosts that are gone lie
    (row,) = rows_of(case, Conditions((0.0, 0.001), 0.001, 1, 0))
    assert (row["offline_fetched"], row["live_fetched"]) == (25, 25)
    assert 0 < row["live_harvest"] <= 1
    assert row["harvest_ratio"] == row["live_harvest"] / row["offline_harvest"]


@pytest.mark.skipif(not shutil.which("openssl"), reason="the openssl program makes the certificate")
def test_an_archive_with_https_pages_keeps_its_urls(task, monkeypatch, capsys):
    given = [
        "--task",
        str(task),
        "--strategy",
        "breadth-first",
        "--judge",
        "centroid",
        "--seeds",
        "1",
        "--workers",
        "0",
    ]
    given += ["--latency", "0", "0", "--delay", "0", "--at-once", "4", "--json"]
    monkeypatch.setattr(sys, "argv", ["live_harvest", *given])
    assert live_harvest.main() == 0
    *_, line, said = capsys.readouterr().out.splitlines()
    (row,) = json.loads(line)
    # The page and the host that are not there cost nothing, live as offline.
    assert (row["offline_fetched"], row["live_fetched"], row["hosts"]) == (4, 4, 2)
    assert row["live_harvest"] == row["offline_harvest"] == 0.25
    assert row["live_stopped"] == row["offline_stopped"] == "frontier"
    assert said == "4 hosts at once, 1 better ones waited for: the live harvest is 100.0% of the offline one: within 5%"


def test_a_task_on_another_web_is_refused(task):
    task.write_text(task.read_text().replace('"web.warc"', '"sim:pages=800"'))
    with pytest.raises(InputError, match=r"task\.toml is no task on an archive"):
        archived(task, 0, 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [("best-frist", "best-frist"), ("best-first,bingo", "--strategy: name one, not best-first, bingo")],
)
def test_a_strategy_that_is_none_or_several_is_refused(monkeypatch, capsys, name, said):
    monkeypatch.setattr(sys, "argv", ["live_harvest", "--strategy", name])
    assert live_harvest.main() == 2
    assert said in capsys.readouterr().err


def test_the_live_crawl_goes_by_the_conditions_that_are_given():
    case = simulated(SMALL, 1, 25, 3)
    settings, nothing = settings_of(case.task, "best-first", "centroid", 3), np.zeros(0, np.int32)
    graph = Graph((), nothing, np.zeros(1, np.int32), np.zeros(0, np.bool_), nothing)
    with remembered() as store:
        live = _live(case, settings, graph, Conditions((0.0, 0.0), 0.7, 5, 3, 7), store)
        assert live.settings.crawl.better_hosts == 7
        assert (live.settings.crawl.hosts_at_once, live.settings.crawl.workers) == (5, 3)
        assert live.world.delay("a.test") == 0.7  # whatever the answer took
        assert (live.settings.crawl.max_pages, live.settings.crawl.seed) == (25, 3)
        assert live.settings.strategy == settings.strategy and live.settings.judge == settings.judge


def test_the_ratio_of_the_mean_row_is_that_of_the_means():
    figures = {"offline_area": 0.5, "live_area": 0.5, "seed": "1", "at_once": "8", "better_hosts": "2"}
    rows = [
        figures | {"offline_harvest": 0.2, "live_harvest": 0.1},
        figures | {"offline_harvest": 0.8, "live_harvest": 0.86, "seed": "2"},
    ]
    row = mean(rows)
    assert (row["seed"], row["area_ratio"]) == ("mean", 1.0)
    assert row["harvest_ratio"] == pytest.approx(0.96)  # the mean of the ratios is .7875
    assert (
        verdict(row)
        == "8 hosts at once, 2 better ones waited for: the live harvest is 96.0% of the offline one: within 5%"
    )
    assert "not within" in verdict(row | {"harvest_ratio": 1.06})
    assert json.dumps(row)


def test_every_answer_is_late_and_knows_the_host():
    world, _ = make_world(SMALL, Settings())
    page = parse_spec(SMALL).url_of(7)
    name, path = urlsplit(page).netloc, urlsplit(page).path

    async def asked(request: str) -> tuple[bytes, float]:
        server = await asyncio.start_server(Server(world, (0.1, 0.1)).connection, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            began = time.monotonic()
            writer.write(request.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            took = time.monotonic() - began
            body = await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r")[0]))
            writer.close()
            return head + body, took

    for request in (f"GET {path} HTTP/1.1\r\nHost: {name}\r\n\r\n", f"GET {page} HTTP/1.1\r\n\r\n"):
        answer, took = asyncio.run(asked(request))
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(parse_spec(SMALL).page(page).html.encode())
        assert took >= 0.1
    answer, _ = asyncio.run(asked(f"GET /robots.txt HTTP/1.1\r\nHost: {name}\r\n\r\n"))
    assert answer.startswith(b"HTTP/1.1 404")


def test_latency_lies_in_its_range_and_is_that_of_the_url():
    world, _ = make_world(SMALL, Settings())
    server = Server(world, (0.05, 0.2))
    waits = [server.wait(f"http://a.test/{number}") for number in range(200)]
    assert min(waits) >= 0.05 and max(waits) <= 0.2
    assert max(waits) - min(waits) > 0.1
    assert waits == [server.wait(f"http://a.test/{number}") for number in range(200)]
