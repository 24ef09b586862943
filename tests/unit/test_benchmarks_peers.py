"""Peers on a task: what the proxy answers and counts, and how a ledger is scored. No peer is installed here."""

import asyncio
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import aiohttp
import numpy as np
import pytest
from benchmarks.peers import __main__ as command
from benchmarks.peers import running
from benchmarks.peers.proxy import START, Ledger, Names, Proxy
from benchmarks.peers.running import Peer, crawl
from benchmarks.peers.scoring import Measured, run_of
from benchmarks.peers.tables import counts
from benchmarks.peers.words import keywords, topic_names

from clew.config import Settings
from clew.crawl.setup import Setup
from clew.errors import InputError
from clew.lab.bench import Readers, bench, settings_of
from clew.lab.explore import back_links, explore
from clew.lab.measures import area_over_oracle
from clew.lab.oracle import greedy
from clew.lab.results import Graph
from clew.lab.running import TaskResult, remembered
from clew.lab.saved import load as load_results
from clew.lab.tasks import Task
from clew.lab.tasks import load as load_task
from clew.urls.canonical import Canonicaliser
from clew.web.registry import make as make_world

A, B, C, D = "http://a.test/", "http://a.test/b", "http://a.test/c", "http://a.test/d"
X, P = "https://s.test/x", "http://a.test/p%28q%29"

# a links to b, c, a page that is not there, x and p; b to c; c moved to d.
PAGES = {
    A: '<a href="/b">b</a> <a href="/c">c</a> <a href="/gone">-</a> <a href="https://s.test/x">x</a> '
    '<a href="/p%28q%29">p</a> <a href="https://s.test.example/x">elsewhere</a>',
    B: '<p>jazz trumpet quartet jazz trumpet</p><a href="/c">c</a>',
    D: "<p>jazz trumpet quartet swing</p>",
    X: "<p>granite basalt</p>",
    P: "<p>granite mineral</p>",
}
TASK = """\
name = "tiny"
web = "web.warc"
labels = "labels.tsv"
budget = {budget}
seeds = ["http://a.test/"]
[truth]
labels = ["Arts.Jazz"]
[examples]
positive = ["http://a.test/d"]
negative = ["https://s.test/x", "http://a.test/p%28q%29"]
"""


def record(url: str, head: str, body: str) -> bytes:
    html = f"<html><head><title>-</title></head><body>{body}</body></html>"
    message = f"HTTP/1.1 {head}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(html)}\r\n\r\n{html}"
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
    kind = "Content-Type: application/http; msgtype=response\r\n"
    return f"WARC/1.0\r\n{fields}{kind}Content-Length: {len(message)}\r\n\r\n{message}\r\n\r\n".encode()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def write_task(folder: Path, budget: int = 4) -> Path:
    records = [record(url, "200 OK", body) for url, body in PAGES.items()]
    records.append(record(C, "301 Moved\r\nLocation: /d", ""))
    (folder / "web.warc").write_bytes(b"".join(records))
    (folder / "labels.tsv").write_text(f"url\tlabel\tgroup\n{B}\tArts.Jazz\t-\n{X}\tStone\t-\n", encoding="utf-8")
    (folder / "task.toml").write_text(TASK.format(budget=budget), encoding="utf-8")
    return folder / "task.toml"


def loaded(folder: Path, budget: int = 4) -> tuple[Task, Setup, Graph]:
    task = load_task(write_task(folder, budget))
    with remembered() as store:
        setup = bench(task, settings_of(task, "breadth-first", "naive-bayes", 1), store, Readers(), None)
        return task, setup, asyncio.run(explore(task, setup))


async def asked(proxy: Proxy, urls: list[str], method: str = "GET") -> list[tuple[int, str, str]]:
    """Status, Location and body of each answer; redirects are not followed."""
    found = []
    async with proxy.running() as address, aiohttp.ClientSession() as client:
        for url in urls:
            wanted = aiohttp.client.URL(url, encoded=True)
            async with client.request(method, wanted, proxy=address, allow_redirects=False) as answer:
                found.append((answer.status, answer.headers.get("Location", ""), await answer.text()))
    return found


def served(folder: Path, urls: list[str], budget: int = 4, method: str = "GET"):
    task = load_task(write_task(folder))
    ledger = Ledger(budget)
    world, _ = make_world(task.web, Settings())
    proxy = Proxy(world, Names(Canonicaliser((), 2_000), [*PAGES, C]), [A], ledger)
    return ledger, asyncio.run(asked(proxy, urls, method))


def test_the_ledger_has_every_fetch_in_order_and_nothing_after_the_budget(tmp_path):
    urls = ["http://a.test/robots.txt", START, A, "http://a.test/gone", C, "http://s.test/robots.txt", B, B, D]
    ledger, answers = served(tmp_path, urls)
    assert [status for status, _, _ in answers] == [404, 200, 200, 404, 301, 404, 200, 200, 503]
    assert ledger.urls == [A, C, B, B]  # a page asked for twice counts twice, as in any crawl
    assert (ledger.robots, ledger.absent) == (2, 1)
    assert ledger.spent.is_set()
    assert f'<a href="{A}">' in answers[1][2] and "<p>" in answers[1][2]
    assert answers[4][1] in ("/d", D)


def test_a_budget_that_is_not_spent(tmp_path):
    ledger, _ = served(tmp_path, [A, B], budget=3)
    assert ledger.urls == [A, B]
    assert not ledger.spent.is_set()


def test_https_pages_are_shown_and_asked_for_as_http(tmp_path):
    ledger, answers = served(tmp_path, [A, "http://s.test/x", "http://s.test.example/x"])
    assert '"http://s.test/x"' in answers[0][2]
    assert '"https://s.test.example/x"' in answers[0][2]  # no page of the web has this host
    assert (answers[1][0], answers[2][0]) == (200, 404)
    assert ledger.urls == [A, X]


def test_a_page_is_found_however_its_escapes_are_written(tmp_path):
    ledger, answers = served(tmp_path, ["http://a.test/p(q)", "http://a.test/p%28q)", P])
    assert [status for status, _, _ in answers] == [200, 200, 200]
    assert ledger.urls == [P, P, P]


def test_a_head_request_is_a_fetch(tmp_path):
    ledger, answers = served(tmp_path, [A], method="HEAD")
    assert (answers[0][0], answers[0][2], ledger.urls) == (200, "", [A])


def test_a_ledger_is_scored_by_hand(tmp_path):
    task, _, graph = loaded(tmp_path, budget=5)
    ledger = Ledger(5, urls=[A, C, D, B, B], robots=2, absent=1)
    run = run_of(task, "toy", Measured(ledger, 2.0, 0.5, "budget"), graph, reachable=1)
    # Only b is relevant: d has no label, and is an example besides. The second fetch of b finds nothing new.
    assert run.found.tolist() == [False, False, False, True, False]
    # a is the seed; it links to c and b; c (visit 2) leads to d. The second b is as far as the first.
    assert run.sources.tolist() == [0, 1, 2, 1, 1]
    assert run.depth.tolist() == [0, 1, 2, 1, 1]
    assert run.frontier == 2  # a also links to x and p
    assert run.cpu_ms_per_page == 100.0
    assert (run.robots, run.absent, run.reachable, run.stopped_by) == (2, 1, 1, "budget")
    assert np.isnan(run.judged).all() and np.isnan(run.predicted).all()
    # R(n) = 0 0 0 1 1, mean 2/5; the oracle goes to b at once: 0 1 1 1 1, mean 4/5.
    assert area_over_oracle(run.found, greedy(graph, 5), 5) == pytest.approx(0.5)


def test_keywords_by_hand():
    positive = ["jazz music music with", "Jazz music band with"]
    negative = ["with with with iron"]
    # 8 and 4 tokens, 5 kinds: jazz weighs (2.5/10.5) log((2.5/10.5)/(.5/6.5)) > 0, "with" less than 0 since
    # 2.5/10.5 < 3.5/6.5; band stands in one example only; music is named already.
    assert keywords(["Music"], positive, negative) == ["music", "jazz", "with"]
    assert keywords(["Music"], positive, negative, 1) == ["music", "jazz"]
    assert keywords(["Music"], positive, negative, 0) == ["music"]
    assert keywords([], ["one band"], ["iron"]) == ["band"]  # of a single example, every word counts
    assert keywords([], ["with with band"], ["iron"]) == ["with", "band"]
    assert keywords([], ["with with band"], []) == ["band", "with"]  # in English "with" is the commoner


def test_a_topic_is_called_by_the_last_part_of_its_label(tmp_path):
    task = write_task(tmp_path)
    assert topic_names(task) == ["Jazz"]
    several = '["Design.Railway_and_tram_transport", "Railway", "Arts.Art"]'
    task.write_text(task.read_text().replace('["Arts.Jazz"]', several))
    assert topic_names(task) == ["Railway", "tram", "transport", "Art"]


TOY = """\
import json, re, sys, urllib.error, urllib.parse, urllib.request
spec = json.load(open(sys.argv[1]))
seen, queue = set(), list(spec["seeds"])
while queue:
    url = queue.pop(0)
    try:
        with urllib.request.urlopen(url) as answer:
            base, html = answer.url, answer.read().decode()
    except urllib.error.HTTPError as error:
        if error.code == 503:
            queue.append(url)  # a peer that would try forever
        continue
    for link in re.findall('href="(http:[^"]+|/[^"]+)"', html):
        target = urllib.parse.urljoin(base, link)
        if target not in seen:
            seen.add(target)
            queue.append(target)
"""


def toy(folder: Path, text: str = TOY) -> Peer:
    (folder / "toy.py").write_text(text, encoding="utf-8")
    return Peer("toy breadth-first", "toy", (str(folder / "toy.py"),))


def test_a_peer_is_stopped_when_the_budget_is_spent(tmp_path):
    task, setup, graph = loaded(tmp_path, budget=3)
    measured = asyncio.run(crawl(toy(tmp_path), Path(sys.executable), task, setup, graph, ["jazz"], 1.0))
    assert measured.ledger.urls == [A, B, C]
    assert measured.stopped_by == "budget"
    assert measured.cpu_s > 0


def test_a_peer_that_has_nothing_left(tmp_path):
    task, setup, graph = loaded(tmp_path, budget=100)
    measured = asyncio.run(crawl(toy(tmp_path), Path(sys.executable), task, setup, graph, ["jazz"], 1.0))
    assert measured.ledger.urls == [A, B, C, D, X, P]  # the redirect of c is followed at once
    assert (measured.ledger.absent, measured.stopped_by) == (1, "nothing left")


def test_a_peer_that_fails_is_named(tmp_path):
    task, setup, graph = loaded(tmp_path)
    broken = toy(tmp_path, "raise SystemExit('out of order')")
    with pytest.raises(InputError, match=r"toy\.py.*out of order"):
        asyncio.run(crawl(broken, Path(sys.executable), task, setup, graph, [], 1.0))


def test_a_peer_that_fetches_nothing_has_failed(tmp_path):
    """As one that the start page turns away, and that ends in good order."""
    task, setup, graph = loaded(tmp_path)
    idle = toy(tmp_path, "print('turned away')")
    with pytest.raises(InputError, match=r"toy\.py.*fetched nothing: turned away"):
        asyncio.run(crawl(idle, Path(sys.executable), task, setup, graph, [], 1.0))


def test_a_peer_with_one_start_gets_the_seed_and_else_a_page_of_all(tmp_path):
    text = """\
import json, sys, urllib.request
spec = json.load(open(sys.argv[1]))
for url in spec["seeds"][:1]:
    urllib.request.urlopen(url).read()
sys.exit(spec["start"])
"""
    task, setup, graph = loaded(tmp_path)
    for seeds, start in (((A,), A), ((A, B), START)):
        own = replace(task, seeds=seeds)
        with pytest.raises(InputError, match=rf"failed \(1\): {start}$"):
            asyncio.run(crawl(toy(tmp_path, text), Path(sys.executable), own, setup, graph, [], 1.0))


def run_command(monkeypatch, folder: Path, peers: dict[str, Peer], *given: str, jobs: int = 1) -> tuple[int, dict]:
    """Exit code and figures of the command; no peer is installed."""
    monkeypatch.setattr(command, "PEERS", peers)
    monkeypatch.setattr(command, "install", lambda peer: Path(sys.executable))
    file = folder / "figures.json"
    monkeypatch.setattr(sys, "argv", ["peers", *given, "--jobs", str(jobs), "--json", str(file)])
    return command.main(), json.loads(file.read_text(encoding="utf-8"))


def test_the_command_puts_peers_beside_our_strategies(tmp_path, monkeypatch, capsys):
    out = tmp_path / "results"
    given = [str(write_task(tmp_path)), "--strategies", "breadth-first,best-first", "--judges", "naive-bayes"]
    code, figures = run_command(monkeypatch, tmp_path, {"toy": toy(tmp_path)}, *given, "--out", str(out))
    rows = figures["runs"]
    assert (code, figures["failures"]) == (0, [])
    assert [row["strategy"] for row in rows] == ["breadth-first", "best-first", "toy breadth-first"]
    assert {row["recall"] for row in rows} == {1.0}
    assert set(rows[2]) == {
        *("task", "strategy", "judge", "repeat", "seed", "area_over_oracle", "recall", "fetched", "found", "seconds"),
        *("asked", "precision", "recall_of_called", "estimated_precision", "estimated_low", "estimated_high"),
    }
    (kept,) = load_results(out)
    assert kept.runs[-1].urls == (A, B, C, D)


def test_several_tasks_have_a_row_each_and_a_mean(tmp_path, monkeypatch, capsys):
    near, far = tmp_path / "near", tmp_path / "far"
    for folder in (near, far):
        folder.mkdir()
    first, second = write_task(near), write_task(far)
    second.write_text(second.read_text().replace('"tiny"', '"other"').replace(f'["{A}"]', f'["{C}", "{A}"]'))
    given = ["--strategies", "breadth-first", "--judges", "centroid,naive-bayes", "--budget", "5"]
    code, figures = run_command(monkeypatch, tmp_path, {"toy": toy(tmp_path)}, str(first), str(second), *given)
    found = [row["area_over_oracle"] for row in figures["runs"] if row["strategy"] == "toy breadth-first"]
    assert code == 0 and len(found) == 2 and found[0] != found[1]
    assert figures["means"]["toy breadth-first"] == pytest.approx(sum(found) / 2)
    assert list(figures["means"])[:2] == ["clew breadth-first / centroid", "clew breadth-first / naive-bayes"]
    assert {row["fetched"] for row in figures["runs"]} == {5}
    again = run_command(monkeypatch, tmp_path, {"toy": toy(tmp_path)}, str(first), str(second), *given, jobs=2)
    assert (again[0], again[1]["means"]) == (0, figures["means"])  # processes change nothing
    table = capsys.readouterr().out.partition("Area over the greedy oracle's")[2]
    assert [line.split("│")[1].strip() for line in table.splitlines() if "│" in line][-3:] == ["tiny", "other", "mean"]


def test_a_peer_that_fails_loses_nothing_of_the_others(tmp_path, monkeypatch, capsys):
    (tmp_path / "broken").mkdir()
    peers = {"broken": toy(tmp_path / "broken", "raise SystemExit('out of order')"), "toy": toy(tmp_path)}
    peers["broken"] = replace(peers["broken"], strategy="broken")
    given = [str(write_task(tmp_path)), "--strategies", "breadth-first", "--judges", "centroid"]
    code, figures = run_command(monkeypatch, tmp_path, peers, *given)
    assert code == 1
    assert set(figures["means"]) == {"clew breadth-first / centroid", "toy breadth-first"}
    assert "out of order" in figures["failures"][0]
    assert "failed: tiny: broken:" in capsys.readouterr().err


def test_what_is_kept_is_not_run_again(tmp_path, monkeypatch, capsys):
    counted = TOY + f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n"
    peers, task, out = {"toy": toy(tmp_path, counted)}, write_task(tmp_path), tmp_path / "results"
    given = [str(task), "--judges", "centroid", "--budget", "50", "--out", str(out)]
    first = run_command(monkeypatch, tmp_path, peers, *given, "--strategies", "breadth-first")
    assert run_command(monkeypatch, tmp_path, peers, *given, "--strategies", "breadth-first") == first
    assert (tmp_path / "starts").read_text() == "x"
    _, more = run_command(monkeypatch, tmp_path, peers, *given, "--strategies", "breadth-first,best-first")
    assert [row["strategy"] for row in more["runs"]] == ["breadth-first", "best-first", "toy breadth-first"]
    assert [more["runs"][0], more["runs"][2]] == first[1]["runs"]  # to the second: the same runs
    assert (tmp_path / "starts").read_text() == "x"
    task.write_text(task.read_text().replace(f'["{A}"]', f'["{C}", "{A}"]'))
    assert run_command(monkeypatch, tmp_path, peers, *given, "--strategies", "breadth-first")[0] == 0
    assert (tmp_path / "starts").read_text() == "xx"  # it is another task now


def test_a_peer_that_failed_is_tried_again(tmp_path, monkeypatch, capsys):
    given = [str(write_task(tmp_path)), "--strategies", "breadth-first", "--out", str(tmp_path / "results")]
    broken = toy(tmp_path, "raise SystemExit('out of order')")
    assert run_command(monkeypatch, tmp_path, {"toy": broken}, *given)[0] == 1
    code, figures = run_command(monkeypatch, tmp_path, {"toy": toy(tmp_path)}, *given)
    assert (code, figures["failures"], len(figures["runs"])) == (0, [], 2)


def test_no_run_starts_when_the_time_is_over(tmp_path, monkeypatch, capsys):
    given = [str(write_task(tmp_path)), "--strategies", "breadth-first", "--within", "0"]
    code, figures = run_command(monkeypatch, tmp_path, {"toy": toy(tmp_path)}, *given)
    assert (code, figures["runs"]) == (1, [])
    assert "2 runs are left" in capsys.readouterr().err


def test_means_by_web_and_over_all_tasks(tmp_path):
    task, _, graph = loaded(tmp_path)
    run = run_of(task, "toy", Measured(Ledger(4), 1.0, 1.0, "budget"), graph, reachable=3)

    def result(name: str, found: str) -> TaskResult:
        own = np.array([letter == "+" for letter in found])
        return TaskResult(name, (replace(run, task=name, found=own),), (np.ones(4, np.bool_),), ())

    results = [result("x", "++++"), result("y", "+---"), result("z", "----")]
    webs = {"x": "one", "y": "one", "z": "two"}
    table = counts(results, webs)
    rows = list(zip(*(column.cells for column in table.columns), strict=True))
    assert rows == [
        *(("x", "3", "4"), ("y", "3", "1"), ("z", "3", "0")),
        *(("mean of 2, one", "3.0", "2.5"), ("mean of 1, two", "3.0", "0.0"), ("mean", "3.0", "1.7")),
    ]
    assert len(counts(results[:2], webs).rows) == 3  # the mean of the only web is that of all


def test_the_ten_tasks_are_every_third_of_all_kinds():
    if not command.FAMILY.is_dir():
        pytest.skip("the family of tasks is not on this machine")
    names = [path.stem for path in command.family()]
    assert names == sorted(path.stem for path in command.FAMILY.glob("*.toml"))[::3]
    assert Counter(name.partition("-")[0] for name in names) == {"wiki": 6, "webkb": 2, "manuals": 2}


def test_without_task_files_and_the_family_the_command_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "FAMILY", tmp_path / "none")
    monkeypatch.setattr(sys, "argv", ["peers"])
    assert command.main() == 2
    assert "name task files" in capsys.readouterr().err


def test_an_unknown_peer_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["peers", str(write_task(tmp_path)), "--peers", "nutch"])
    assert command.main() == 2
    assert "choose from: all, scrapy, scrapy-default, crawl4ai" in capsys.readouterr().err


def test_every_peer_has_an_adapter_and_pinned_requirements():
    for peer in running.PEERS.values():
        name, _, number = running.release(peer).partition(" ")
        assert name.lower() == peer.environment and number[0].isdigit()
        assert (running.HERE / peer.command[0]).is_file()
        lines = (running.HERE / f"requirements-{peer.environment}.txt").read_text(encoding="utf-8").splitlines()
        assert lines and all("==" in line and "/" not in line for line in lines)


def test_the_lab_answers_who_links_to_a_page_through_a_redirect(tmp_path):
    """The redirect is a page of the ledger, but none that links to others."""
    _, _, graph = loaded(tmp_path)
    assert [graph.urls[page] for page in graph.redirects] == [C]
    links = back_links(graph)
    assert {url: asyncio.run(links.backlinks(url, 9)) for url in (A, B, C, D, X)} == {
        A: [], B: [A], C: [A, B], D: [A, B], X: [A],
    }  # fmt: skip
