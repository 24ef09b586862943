"""clew init from what users have: folders of pages, taxonomies, a query with a search engine, an earlier project."""

from __future__ import annotations

import json
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from clew.topics.topicsfile import read_topics
from support import clew, clew_json, shared

PAGE = "<html lang=en><title>{0}</title><p>{0} the and of a page about {0}, more {0} and other {0} words"


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_folders_of_pages_are_examples(tmp_path: Path) -> None:
    for name in ("good/one.html", "good/deep/two.htm", "good/three.txt", "good/picture.png", "bad/four.html"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(file.stem), encoding="utf-8")
    (tmp_path / "seeds.txt").write_text("http://a.test/\n")
    options = ["--relevant", tmp_path / "good", "--irrelevant", tmp_path / "bad", "--seeds", tmp_path / "seeds.txt"]
    made = clew_json("init", tmp_path / "p", *options)
    assert (made["relevant"], made["irrelevant"], made["seeds"]) == (3, 1, 1)
    assert lines(tmp_path / "p/relevant.txt") == [
        str(tmp_path / name) for name in ("good/deep/two.htm", "good/one.html", "good/three.txt")
    ]
    (tmp_path / "none").mkdir()
    said = clew("init", tmp_path / "q", "--relevant", tmp_path / "none", code=2).stderr
    assert "holds no page" in said


def test_open_directory_with_a_focus(tmp_path: Path) -> None:
    """Topics are those of the focus; links outside it are negatives."""
    content = shared("hostile/dmoz/content_sample.rdf.u8")
    whole = clew_json("init", tmp_path / "all", "--taxonomy", content)
    assert whole["topics"] > 0 and whole["irrelevant"] == 0
    paths = ["/".join(spec.path) for spec in read_topics(tmp_path / "all/topics.yaml")]
    top = paths[0].split("/")[0]
    part = clew_json("init", tmp_path / "part", "--taxonomy", content, "--focus", top)
    assert 0 < part["topics"] <= whole["topics"]
    assert f'formula = "\\"{top}\\""' in (tmp_path / "part/clew.toml").read_text(encoding="utf-8")
    said = clew("init", tmp_path / "none", "--taxonomy", content, "--focus", "Nowhere/At/All", code=2).stderr
    assert "Nowhere" in said


def test_keywords_of_topics_judge(tmp_path: Path) -> None:
    """Weights survive the import; a keyword between slashes is a regular expression on the page's text."""
    topics = tmp_path / "topics.yaml"
    topics.write_text(
        "Sport:\n  topics:\n    Sailing: {keywords: {boat: 2, harbour: 0.5}, seeds: ['http://a.test/']}\n"
        "Codes: {keywords: ['/[A-Z]{2}-[0-9]{3}/']}\n"
    )
    made = clew_json("init", tmp_path / "p", "--taxonomy", topics)
    assert made["topics"] == 3
    found = {spec.path: spec.keywords for spec in read_topics(tmp_path / "p/topics.yaml")}
    assert found[("Sport", "Sailing")] == {"boat": 2.0, "harbour": 0.5}
    (tmp_path / "one.html").write_text("<html lang=en><p>" + "the boat left the harbour, a boat of wood and " * 9)
    (tmp_path / "two.html").write_text("<html lang=en><p>" + "the part numbered AB-123 and the part CD-456 of " * 9)
    command = ["judge", tmp_path / "p", "--judge", "keywords", tmp_path / "one.html", tmp_path / "two.html"]
    boat, code = (dict(one["scores"]) for one in clew_json(*command))
    assert boat["Sport/Sailing"] == boat["Sport"] > 0.5 > boat["Codes"]
    assert code["Codes"] > 0.5 > code["Sport"]


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("Sailing: {examples: ['http://a.test/1']}\n")
    bookmarks = tmp_path / "b.html"
    bookmarks.write_text("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF='http://a.test/'>a</A></DL>")
    p = tmp_path / "p"
    assert "choose one" in clew("init", p, "--taxonomy", file, "--bookmarks", bookmarks, code=2).stderr
    assert "--taxonomy" in clew("init", p, "--bookmarks", bookmarks, "--focus", "Sailing", code=2).stderr
    assert "topics" in clew("init", p, "--bookmarks", bookmarks, "--interest", "sailing", code=2).stderr
    assert "--query" in clew("init", p, "--search", "searxng:http://127.0.0.1:9", code=2).stderr
    assert not (p / "clew.toml").exists()


def judge_of(project: Path) -> str:
    return str(tomllib.loads((project / "clew.toml").read_text(encoding="utf-8"))["judge"]["name"])


def test_words_that_say_nothing_are_refused(tmp_path: Path) -> None:
    p, seeds = tmp_path / "p", ("--seeds", tmp_path / "seeds.txt")
    seeds[1].write_text("http://a.test/\n")
    for query in ("the of", "  ", "?!"):
        assert f"--query {query!r} has no word" in clew("init", p, "--query", query, *seeds, code=2).stderr
    for keywords in ("the", "of -boat"):
        assert "--keywords has no word that speaks" in clew("init", p, "--keywords", keywords, *seeds, code=2).stderr
    assert not p.exists()


def test_query_and_keywords_add_up(tmp_path: Path) -> None:
    """What a keyword speaks for or against counts beside the query, and the query beside keywords."""
    p, seeds = tmp_path / "p", tmp_path / "seeds.txt"
    seeds.write_text("http://a.test/\n")
    clew("init", p, "--query", "the sailing boats", "--keywords", "harbour -hotel", "--seeds", seeds)
    settings = tomllib.loads((p / "clew.toml").read_text(encoding="utf-8"))
    assert settings["interest"]["keywords"] == {"sailing": 1.0, "boats": 1.0, "harbour": 1.0, "hotel": -1.0}
    assert settings["judge"]["name"] == "auto" and lines(p / "relevant.txt") == ["query.txt"]
    page = tmp_path / "page.html"
    page.write_text("<html lang=en><p>The boats in the harbour belong to the hotel on the hill.", encoding="utf-8")
    (judged,) = clew_json("judge", p, page)
    terms = {word[:4]: weight for word, weight in judged["terms"]}
    assert terms["boat"] > 0 and terms["harb"] > 0 > terms["hote"]


def test_regular_expressions_get_the_judge_that_reads_them(tmp_path: Path) -> None:
    seeds, pattern = tmp_path / "seeds.txt", "/[A-Z]{2}-[0-9]{3}/"
    seeds.write_text("http://a.test/\n")
    for number, (options, judge) in enumerate({
        ("--keywords", f"{pattern} boat"): "keywords",
        ("--keywords", f"boat -{pattern}"): "keywords",
        ("--keywords", pattern, "--query", "sailing boats"): "keywords",
        ("--keywords", "boat"): "auto",
        ("--query", "sailing boats"): "auto",
        ("--keywords", pattern, "--relevant", seeds): "auto",
    }.items()):  # fmt: skip
        made = clew_json("init", tmp_path / str(number), *options, "--seeds", seeds)
        assert judge_of(tmp_path / str(number)) == judge, options
        told = any("regular expressions" in note for note in made["notes"])
        assert told == (pattern in options and "--relevant" in options)
    topics = tmp_path / "topics.yaml"
    topics.write_text(f"Codes: {{keywords: ['{pattern}'], seeds: ['http://a.test/']}}\n")
    clew("init", tmp_path / "codes", "--taxonomy", topics)
    topics.write_text("Boats: {keywords: [boat], seeds: ['http://a.test/']}\n")
    clew("init", tmp_path / "boats", "--taxonomy", topics)
    assert [judge_of(tmp_path / name) for name in ("codes", "boats")] == ["keywords", "auto"]


class Engine(BaseHTTPRequestHandler):
    """A SearXNG instance: what its documented JSON answers hold."""

    def do_GET(self) -> None:
        words = parse_qs(urlsplit(self.path).query)
        found = int(words["q"][0].split()[-1]) if words.get("pageno", ["1"]) == ["1"] else 0
        results = [{"url": f"http://a.test/{n}", "title": f"hit {n}", "content": "text"} for n in range(found)]
        body = json.dumps({"query": words["q"][0], "results": results}).encode()
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def engine() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_a_query_with_a_search_engine(tmp_path: Path, engine: ThreadingHTTPServer) -> None:
    """Nine hits are nine seeds; the first seven and the query itself are examples (BNG-3, TUN-2)."""
    url = f"searxng:http://127.0.0.1:{engine.server_address[1]}"
    made = clew_json("init", tmp_path / "p", "--query", "bounds of Chernoff 9", "--search", url)
    assert (made["seeds"], made["relevant"], made["notes"]) == (9, 8, [])
    assert lines(tmp_path / "p/relevant.txt") == ["query.txt", *(f"http://a.test/{n}" for n in range(7))]
    assert lines(tmp_path / "p/query.txt") == ["bounds of Chernoff 9"]
    few = clew_json("init", tmp_path / "few", "--query", "bounds of Chernoff 3", "--search", url)
    assert (few["seeds"], few["relevant"]) == (3, 1) and "too few" in few["notes"][0]
    said = clew("init", tmp_path / "none", "--query", "nothing 0", "--search", url, code=2).stderr
    assert "finds nothing" in said
    bare = clew_json("init", tmp_path / "bare", "--query", "the 9", "--search", url)
    assert (bare["seeds"], bare["relevant"]) == (9, 7)  # the engine knows what the words mean, an example page does not
    assert "no word" in clew("init", tmp_path / "thin", "--query", "the 3", "--search", url, code=2).stderr
    dead = clew("init", tmp_path / "dead", "--query", "x 1", "--search", "searxng:http://127.0.0.1:9", code=1).stderr
    assert "searxng" in dead
    wrong = clew("init", tmp_path / "wrong", "--query", "x 1", "--search", "bing:http://127.0.0.1:9", code=2).stderr
    assert "no provider 'bing'; choose one of: edgelist, json, mediawiki, searxng" in wrong


def test_a_search_engine_finds_examples_for_bare_topics(tmp_path: Path, engine: ThreadingHTTPServer) -> None:
    """Four to seven hits make a topic (TUN-2), fewer drop it; hits are no seeds (TUN-4)."""
    url = f"searxng:http://127.0.0.1:{engine.server_address[1]}"
    topics = tmp_path / "topics.yaml"
    topics.write_text(
        "Sport:\n  topics:\n    Sailing 5: {}\n    Chess 3: {}\nArt 20: {}\nOwn 9: {examples: ['http://b.test/']}\n"
    )
    (tmp_path / "seeds.txt").write_text("http://c.test/\n")
    options = ["--taxonomy", topics, "--search", url, "--seeds", tmp_path / "seeds.txt"]
    made = clew_json("init", tmp_path / "p", *options)
    assert "Sport/Chess 3" in made["notes"][0] and made["seeds"] == 1
    found = {"/".join(spec.path): len(spec.examples) for spec in read_topics(tmp_path / "p/topics.yaml")}
    assert found == {"Sport": 0, "Sport/Sailing 5": 5, "Art 20": 7, "Own 9": 1}


def test_how_many_hits_make_a_topic_is_the_users_choice(tmp_path: Path, engine: ThreadingHTTPServer) -> None:
    url = f"searxng:http://127.0.0.1:{engine.server_address[1]}"
    (tmp_path / "topics.yaml").write_text("Sailing 5: {}\nChess 3: {}\nArt 20: {}\nGo 2: {}\n")
    (tmp_path / "seeds.txt").write_text("http://c.test/\n")
    options = ["--taxonomy", tmp_path / "topics.yaml", "--search", url, "--seeds", tmp_path / "seeds.txt"]
    made = clew_json("init", tmp_path / "p", *options, "--hits", 10, "--least-hits", 3)
    found = {"/".join(spec.path): len(spec.examples) for spec in read_topics(tmp_path / "p/topics.yaml")}
    assert found == {"Sailing 5": 5, "Chess 3": 3, "Art 20": 10}
    assert "fewer than 3 hits" in made["notes"][0]
    query = ["--query", "bounds 9", "--search", url]
    assert clew_json("init", tmp_path / "q", *query, "--hits", 2, "--least-hits", 1)["relevant"] == 3
    assert clew_json("init", tmp_path / "r", *query, "--hits", 12, "--least-hits", 10)["relevant"] == 1
    assert "--least-hits 8" in clew("init", tmp_path / "s", *query, "--least-hits", 8, code=2).stderr


def test_an_earlier_project_gives_seeds_and_examples(tmp_path: Path) -> None:
    clew("init", tmp_path / "old", "--web", "sim:pages=2000,seed=3")
    assert "nothing was crawled" in clew("init", tmp_path / "new", "--from", tmp_path / "old", code=2).stderr
    found = clew_json("crawl", tmp_path / "old", "--max-pages", 60, "--quiet")
    made = clew_json("init", tmp_path / "new", "--from", tmp_path / "old", "--web", "sim:pages=2000,seed=3")
    assert made["relevant"] == made["seeds"] == found["relevant"] > 0
