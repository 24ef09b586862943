"""Reading and writing topics.yaml."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.topics.entry import Entry
from clew.topics.topicsfile import TopicSpec, entries, read_topics, specs_of, write_topics

GOOD = """\
# by hand
Science:
  description: >
    What researchers
    find out
  keywords: {experiment: 1, hypothesis: 0.5, "No": -2}
  topics:
    Astronomy:
      examples:
        - https://a.test/stars
        - https://a.test/both
      seeds: [https://a.test/both, "http://b.test/?x=1#y"]
      keywords: [star, galaxy]
    2024:
No: {}
"""
SPECS = [
    TopicSpec(("Science",), "What researchers find out", {"experiment": 1.0, "hypothesis": 0.5, "No": -2.0}),
    TopicSpec(
        ("Science", "Astronomy"),
        "",
        {"star": 1.0, "galaxy": 1.0},
        ("https://a.test/stars", "https://a.test/both"),
        ("https://a.test/both", "http://b.test/?x=1#y"),
    ),
    TopicSpec(("Science", "2024")),
    TopicSpec(("No",)),
]


def _read(tmp_path: Path, text: str | bytes) -> list[TopicSpec]:
    file = tmp_path / "topics.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_topics(file)


def test_topics_come_parents_first_with_all_their_parts(tmp_path: Path) -> None:
    assert _read(tmp_path, GOOD) == SPECS


def test_entries_name_each_topic_and_each_link_once() -> None:
    astronomy = ("Science", "Astronomy")
    assert list(entries(SPECS)) == [
        Entry(("Science",), description="What researchers find out", tags=("experiment", "hypothesis", "No")),
        Entry(astronomy, tags=("star", "galaxy")),
        Entry(astronomy, "https://a.test/stars", seed=False),
        Entry(astronomy, "https://a.test/both"),
        Entry(astronomy, "http://b.test/?x=1#y", example=False),
        Entry(("Science", "2024")),
        Entry(("No",)),
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "", "the file is empty"),
        ("# only a comment\n", "", "the file is empty"),
        ("{}", "", "there is no topic in the file"),
        ("- a\n- b\n", ":1:1", "here must be topics, each a name"),
        ("A: {}\nB: {}\nA: {}\n", ":3:1", r"'A' is there already \(line 1\)"),
        ("A:\n  keywords:\n    x: 1\n    x: 2\n", ":4:5", r"'x' is there already \(line 3\)"),
        (
            "A:\n  keyword: {x: 1}\n",
            ":2:12",
            r"'keyword' is no part of a topic \('A'\); parts are description, keywords",
        ),
        ("A:\n  - x\n", ":2:3", "here must be parts of the topic 'A'"),
        ("A:\n  keywords:\n    x: much\n", ":3:8", "the weight of 'x' must be a number"),
        ("A:\n  keywords: {x: .nan, y: 1}\n", ":2:17", "the weight of 'x' must be a number"),
        ("A:\n  keywords: {x: nan}\n", ":2:17", "the weight of 'x' must be a number"),
        ("A:\n  keywords: [x, '']\n", ":2:17", "a word is empty"),
        ("A:\n  examples: https://a.test/\n", ":2:13", "here must be a list of URLs"),
        ("A:\n  seeds:\n    - https://a.test/\n    - a.test\n", ":4:7", "'a.test'.*give it in full"),
        ("A:\n  seeds: ['javascript:1']\n", ":2:11", "javascript.*give it in full"),
        ("A:\n  description: {x: 1}\n", ":2:16", "here must be a text"),
        ("'': {}\n", ":1:1", "a name is empty"),
        ("[a, b]: {}\n", ":1:1", "here must be a name"),
        ("A: &x {}\nB: *x\n", ":2:4", r"aliases \(\*name\) are not used here"),
        ("A: {\n", ":2:1", "expected the node content|expected ',' or '}'|while parsing"),
        ("A: {}\n--- \nB: {}\n", ":2:1", "found another document"),
        ("A:\n\tB: 1\n", ":2:1", "cannot start any token"),
        ("A: " + "[" * 5_000, "", "nested too deeply"),
    ],
)
def test_mistakes_are_named_with_line_and_column(tmp_path: Path, text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _read(tmp_path, text)
    assert re.search(rf"topics\.yaml{place}: .*({message})", str(caught.value)), str(caught.value)


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"topics\.yaml: .*save the file as UTF-8 text"):
        _read(tmp_path, "Ä: {}".encode("latin-1"))


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read: No such file"):
        read_topics(tmp_path / "none.yaml")


def test_round_trip(tmp_path: Path) -> None:
    odd = TopicSpec(
        ("Näme: #1", "true"), "two\nlines\n\nand “more”: - x", {"null": 1.5, "a: b": 2.0}, ("http://ж.test/",)
    )
    specs = [*SPECS, TopicSpec(("Näme: #1",)), odd]
    write_topics(specs, tmp_path / "out.yaml")
    assert read_topics(tmp_path / "out.yaml") == specs


def test_missing_parents_are_added_on_writing(tmp_path: Path) -> None:
    write_topics([TopicSpec(("A", "B", "C"), "deep")], tmp_path / "out.yaml")
    paths = [spec.path for spec in read_topics(tmp_path / "out.yaml")]
    assert paths == [("A",), ("A", "B"), ("A", "B", "C")]


def test_what_another_importer_found_can_be_written(tmp_path: Path) -> None:
    found = [
        Entry(("A", "B"), "http://b.test/", seed=False),
        Entry((), "http://root.test/"),
        Entry(("A",), description="about A"),
        Entry(("A", "B"), "http://b.test/"),
        Entry(("A",), "http://a.test/", example=False),
    ]
    specs = specs_of(found)
    assert specs == [
        TopicSpec(("A",), "about A", {}, (), ("http://a.test/",)),
        TopicSpec(("A", "B"), "", {}, ("http://b.test/",), ("http://b.test/",)),
    ]
    write_topics(specs, tmp_path / "out.yaml")
    assert read_topics(tmp_path / "out.yaml") == specs
