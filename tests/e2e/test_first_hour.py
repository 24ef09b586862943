"""The first hour of a new user: whatever they have gives a crawl that works, or is told what is missing."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from clew.project.folder import ProjectFolder
from clew.topics.topicsfile import read_topics
from support import SHARED, clew, clew_json, clew_process, shared

SAMPLES = sorted((SHARED / "hostile/bookmarks").glob("*.htm"))
EMPTY = {"empty"}
NOTES_ONLY = {"shaarli_markdown", "shaarli_with_tabs_and_spaces", "shaarli_with_whitespace_tags"}
WIKI = "http://schools.wiki.test/wiki/"


def wiki() -> str:
    return f"archive:{shared('webs/wiki.warc.gz')}"


def topics_of(project: Path) -> dict[str, int]:
    return {"/".join(spec.path): len(spec.examples) for spec in read_topics(project / "topics.yaml")}


def bookmarks(file: Path, *links: tuple[str, str], folders: str = "") -> Path:
    """A flat file of (URL, tags), then folders as they are."""
    lines = (f'<DT><A HREF="{url}"{f" TAGS={chr(34)}{tags}{chr(34)}" if tags else ""}>x</A>' for url, tags in links)
    file.write_text("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n" + "\n".join(lines) + folders + "\n</DL>\n")
    return file


def next_of(printed: str) -> str:
    """The command that is printed last."""
    last = printed.splitlines()[-1]
    assert last.startswith("next: ")
    return last.removeprefix("next: ")


# -- bookmarks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_every_export_of_bookmarks_makes_a_project(tmp_path: Path, sample: Path) -> None:
    if sample.stem in EMPTY | NOTES_ONLY:
        said = clew("init", tmp_path / "mine", "--bookmarks", sample, code=2).stderr
        assert "the file is empty" in said or "notes of the bookmark service, whose address is not told" in said
        assert not (tmp_path / "mine").exists()
        return
    made = clew_json("init", tmp_path / "mine", "--bookmarks", sample)
    found = made["understood"]
    assert found["links"] == made["seeds"] == made["filed"] == sum(topics_of(tmp_path / "mine").values()) > 0
    assert found["topics"] == topics_of(tmp_path / "mine")
    project = ProjectFolder(tmp_path / "mine")
    assert len(project.wanted()) == made["filed"] and len(project.seeds()) == made["seeds"]


def test_links_in_no_folder_are_examples_of_a_topic_called_as_the_project(tmp_path: Path) -> None:
    file = bookmarks(
        tmp_path / "b.html",
        ("http://a.test/1", ""),
        ("http://a.test/2", ""),
        folders="<DT><H3>Sport</H3><DL><p><DT><A HREF='http://a.test/3'>x</A></DL>",
    )
    printed = clew("init", tmp_path / "sailing", "--bookmarks", file, "--contact", "me@example.org").stdout
    assert topics_of(tmp_path / "sailing") == {"Sport": 1, "sailing": 2}
    assert f"read {file}: 3 links, 2 topics" in printed
    assert "2 links in no folder: examples of the topic sailing" in printed
    assert re.search(r"(?m)^  sailing  2 examples$", printed)
    assert f"clew topics {tmp_path / 'sailing'} --interest" in printed


def test_tags_are_topics_and_can_be_chosen(tmp_path: Path) -> None:
    file = bookmarks(
        tmp_path / "b.html",
        ("http://a.test/1", "bread,food"),
        ("http://a.test/2", "bread,food"),
        ("http://a.test/3", "food"),
        ("http://a.test/4", "boats"),
        ("javascript:alert(1)", "boats"),
        ("?note", "boats"),
    )
    printed = clew("init", tmp_path / "p", "--bookmarks", file).stdout
    assert topics_of(tmp_path / "p") == {"food": 1, "food/bread": 2, "p": 1}
    assert re.search(r"(?m)^  food +1 example, 3 with those below$", printed)
    assert "their tags with 2 links or more: 2 of 3 (--tags chooses others)" in printed
    assert "left out: 1 link, not on the web (javascript:); 1 link, notes of the bookmark service" in printed
    made = clew_json("init", tmp_path / "q", "--bookmarks", file, "--tags", "bread, boats")
    assert topics_of(tmp_path / "q") == {"bread": 2, "boats": 1}
    assert made["seeds"] == 3 and made["understood"]["skipped"]["tagged otherwise"] == 1
    assert clew_json("init", tmp_path / "r", "--bookmarks", file, "--tags", "none")["understood"]["topics"] == {"r": 4}
    three = clew_json("init", tmp_path / "s", "--bookmarks", file, "--min-examples", 3)
    assert three["understood"]["topics"] == {"food": 3, "s": 1}
    said = clew("init", tmp_path / "t", "--bookmarks", file, "--tags", "braed", code=2).stderr
    assert "did you mean bread?" in said
    assert "--bookmarks" in clew("init", tmp_path / "t", "--tags", "bread", "--keywords", "x", code=2).stderr


def test_a_topic_keeps_some_links_as_examples_and_all_as_seeds(tmp_path: Path) -> None:
    file = bookmarks(tmp_path / "b.html", *((f"http://a.test/{n}", "") for n in range(40)))
    made = clew_json("init", tmp_path / "p", "--bookmarks", file)
    assert (made["seeds"], made["filed"], made["understood"]["links"]) == (40, 30, 40)
    assert "30 of them are examples, all are seeds" in " ".join(made["understood"]["notes"])


def test_a_dead_bookmark_ends_no_crawl(tmp_path: Path) -> None:
    """A topic whose only example is gone is known by its name; where all are gone the crawl does not begin."""
    dead = "<DT><H3>Knitting</H3><DL><p><DT><A HREF='http://gone.test/'>x</A></DL>"
    file = bookmarks(tmp_path / "b.html", (f"{WIKI}Zinc", ""), (f"{WIKI}Copper", ""), folders=dead)
    clew("init", tmp_path / "p", "--bookmarks", file, "--web", wiki())
    for judge in ("auto", "naive-bayes"):
        done = clew("crawl", tmp_path / "p", "--max-pages", 15, "--judge", judge, "--restart")
        assert "fetched 15" in done.stdout and "1 topic of which no example could be read" in done.stderr
    assert "Knitting" in done.stderr and "gone.test" in done.stderr
    found = {one["path"]: one["own"] for one in clew_json("topics", tmp_path / "p", "--quick")["topics"]}
    assert found == {"p": 2, "Knitting": 1}
    again = clew("crawl", tmp_path / "p", "--max-pages", 20, "--judge", "naive-bayes", "--quiet").stdout
    assert "fetched 20 (5 now" in again
    gone = bookmarks(tmp_path / "g.html", ("http://gone.test/", ""), (f"{WIKI}Zinc", "metal"), (f"{WIKI}Tin", "metal"))
    for judge in ("auto", "svm"):  # a name that says nothing is no reason to stop, either
        project = tmp_path / judge / "r"
        clew("init", project, "--bookmarks", gone, "--web", wiki())
        assert "fetched 5" in clew("crawl", project, "--max-pages", 5, "--judge", judge, "--quiet").stdout
    clew("init", tmp_path / "q", "--bookmarks", bookmarks(tmp_path / "c.html", folders=dead), "--web", wiki())
    assert "no example page with text for topic 'Knitting'" in clew("crawl", tmp_path / "q", code=2).stderr


# -- one thing alone ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ("--relevant", f"{WIKI}Zinc"),
        ("--relevant", "zinc.html", "--seeds", f"{WIKI}Zinc"),
        ("--query", "chemical elements such as zinc", "--seeds", f"{WIKI}Zinc"),
        ("--keywords", 'zinc "chemical element" -music', "--seeds", f"{WIKI}Zinc", "--seeds", f"{WIKI}Copper"),
        ("--bookmarks", "b.html"),
        ("--query", "sailing boats", "--web", "sim:pages=2000,seed=3,language=english"),
        ("--keywords", "sailing boats", "--web", "sim:pages=2000,seed=3,language=english"),
    ],
    ids=lambda options: f"{options[0]} {options[-1][:3]}",
)
def test_one_thing_alone_gives_a_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str]) -> None:
    """And the command that init prints runs it, as it is, in a folder whose name a shell would tear apart."""
    monkeypatch.chdir(tmp_path)
    Path("zinc.html").write_text("<html lang=en><title>Zinc</title><p>Zinc is a chemical element, a metal for brass.")
    bookmarks(Path("b.html"), (f"{WIKI}Zinc", "metals"), (f"{WIKI}Copper", "metals"))
    printed = clew("init", "my 'first' & crawl", "--web", wiki(), *options).stdout
    command = shlex.split(next_of(printed))
    assert command[:3] == ["clew", "crawl", "my 'first' & crawl"]
    command[command.index("1000")] = "15"
    done = clew(*command[1:], "--quiet")
    assert "fetched 15" in done.stdout


def test_the_next_command_is_for_a_shell(tmp_path: Path) -> None:
    """Printed by a process of its own, pasted into a shell, from the same folder."""
    init = [sys.executable, "-m", "clew.cli", "init", "my crawl", "--web", "sim:pages=2000,seed=3"]
    made = subprocess.run(init, capture_output=True, text=True, cwd=tmp_path, check=True)
    command = next_of(made.stdout).replace("1000", "10")
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0 and "fetched 10" in done.stdout, done.stderr


def test_a_live_crawl_is_told_that_it_lacks_a_contact(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://a.test/\n")
    printed = clew("init", tmp_path / "p", "--relevant", tmp_path / "seeds.txt").stdout
    assert "missing: " in printed and "--contact" in next_of(printed)
    told = clew("init", tmp_path / "q", "--relevant", tmp_path / "seeds.txt", "--contact", "me@example.org").stdout
    assert "missing: " not in told and "--contact" not in next_of(told)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--query", "boats"), r"say where to start: --seeds FILE .* --search searxng:URL with --query.*; words tell"),
        (("--keywords", "boats"), r"say where to start: --seeds FILE .*; words tell"),
        (("--relevant", "page.html"), r"say where to start: --seeds FILE .*; files tell"),
        (("--query", "boats", "--web", "folder:."), r"say where to start: .*--seeds URL; words tell .* in folder:"),
        (("--seeds", "http://a.test/"), r"say what is wanted: --relevant .*--bookmarks.*--query.*--keywords"),
        ((), "say what is wanted"),
        (("--relevant", "http:/"), r"--relevant: 'http:/' is neither|no http"),
        (("--relevant", "gone.html"), r"--relevant: 'gone.html' is neither an http\(s\) URL nor a file"),
        (("--seeds", "http://", "--query", "boats"), r"--seeds: 'http://' is no http\(s\) URL"),
    ],
)
def test_init_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("<title>Boats</title>boats and harbours")
    said = clew("init", "p", *options, code=2).stderr
    assert re.search(says, said), said
    assert not Path("p").exists()


def test_crawl_says_what_is_missing(tmp_path: Path) -> None:
    project, toml = tmp_path / "p", tmp_path / "p/clew.toml"
    project.mkdir()
    toml.write_text('[project]\nweb = "sim:pages=2000,seed=3"\n')
    for command in (("crawl", project), ("topics", project), ("judge", project, toml)):
        said = clew(*command, code=2).stderr
        assert "does not say what is wanted" in said and str(project / "relevant.txt") in said, command
        assert "[interest.keywords]" in said and str(toml) in said
    toml.write_text(toml.read_text() + "[interest.keywords]\nboats = 1.0\n")
    for restart in ((), ("--restart",)):
        said = clew("crawl", project, *restart, code=2).stderr
        assert "has no seeds to start from" in said and str(project / "seeds.txt") in said and "--search" in said
    (project / "seeds.txt").write_text("http://a.test/\n")
    (project / "relevant.txt").write_text("")
    assert "has no seeds" not in clew("crawl", project, "--max-pages", 1).stderr


# -- what is mistyped -----------------------------------------------------------------------------------------


def test_what_is_mistyped_gets_suggestions(tmp_path: Path) -> None:
    clew("init", tmp_path / "sailing", "--web", "sim:pages=2000,seed=3,language=english")
    for command, says in {
        ("crwal", tmp_path / "sailing"): "did you mean crawl?",
        ("statsu",): "did you mean status?",
        ("lab", "rnu"): "Did you mean 'run'?",
        ("crawl", tmp_path / "sailing", "--max-pagse", 3): "Did you mean '--max-pages'?",
        ("crawl", tmp_path / "saling"): "did you mean sailing?",
        ("crawl", tmp_path / "sailing", "--strategy", "aridane"): "did you mean ariadne?",
        ("crawl", tmp_path / "sailing", "--judge", "logisitc"): "did you mean logistic?",
        ("export", tmp_path / "sailing", "--to", "json"): "did you mean jsonl?",
        ("topics", tmp_path / "sailing", "--interest", "nowhere"): "the topics are",
    }.items():
        said = clew(*command, code=2).stderr
        assert says in said, said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[crawl]\n# a remark\nmax_pagse = 3\n",
            r"line 5: \[crawl\] has no setting 'max_pagse' \(did you mean max_pages",
        ),
        ("[crawl]\ndelay_s = 3.0\n", r"line 4: .*'delay_s'.*delay_s belongs into \[politeness\]"),
        ("[politness]\ndelay_s = 3.0\n", r"line 3: .*'politness' \(did you mean politeness"),
        ('[politeness]\ndelay_s = "x"\n', r"line 4: \[politeness\] delay_s: Expected `float`"),
        (
            '[strategy]\nname = "ariadne"\n[strategy.ariadne]\nwidne = true\n',
            r"line 6: \[strategy.ariadne\] .*'widne' \(did you mean widen",
        ),
        ("[strategy.aridane]\nfocus = 3\n", r"line 3: there is no strategy 'aridane' \(did you mean ariadne"),
        ('[strategy]\nname = "aridane"\n', r"line 4: there is no strategy 'aridane' \(did you mean ariadne"),
        ("[judge.svn]\ncost = 1.0\n", r"line 3: there is no judge 'svn' \(did you mean svm"),
        ('[judge]\nname = "svn"\n', r"line 4: there is no judge 'svn' \(did you mean svm"),
        ('[judge]\nname = "svm"\n[judge.svm]\ncots = 1.0\n', r"line 6: \[judge.svm\] .*'cots' \(did you mean cost"),
        ('[interest]\nformula = "sailng"\n', r"line 4: \[interest\] formula, column 1: no topic is called 'sailng'"),
    ],
)
def test_a_wrong_setting_is_told_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "topics.yaml").write_text("Sailing: {examples: ['http://a.test/']}\n")
    (project / "seeds.txt").write_text("http://a.test/\n")
    (project / "clew.toml").write_text(f'[project]\nweb = "sim:pages=2000,seed=3"\n{text}')
    said = clew("crawl", project, code=2).stderr
    assert re.search(rf"clew: {re.escape(str(project / 'clew.toml'))} {says}", said), said


def test_the_words_of_a_fresh_process(tmp_path: Path) -> None:
    """As a user's shell shows it: one clear line, exit code 2."""
    done = clew_process("crwal", tmp_path, code=2)
    assert done.stdout == "" and "there is no command 'crwal' (did you mean crawl?)" in done.stderr
