"""XML from the web: what is broken is read as far as it goes; nothing declared in it counts; time grows linearly."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

import pytest

from clew.text.xmlstream import MAX_ELEMENTS, entries, local, tell

NAMES = frozenset({"url", "item"})


def found(text: str) -> list[dict[str, str]]:
    """The entries of a text: what is in each, by local names."""
    return [
        {local(part): part.text or "" for part in element if local(part) not in NAMES}
        for element in entries(text, NAMES)
        if local(element) in NAMES
    ]


@pytest.mark.parametrize(
    ("text", "locs"),
    [
        ("<urlset xmlns='http://wrong/'><url><loc>a</loc></url></urlset>", ["a"]),
        ("<s:urlset><s:url><s:loc>a</s:loc></s:url></s:urlset>", ["a"]),
        ("<r><url><loc>http://a/?x=1&y=2&amp;z=3</loc></url></r>", ["http://a/?x=1&y=2&z=3"]),
        ("<r><url><loc><![CDATA[http://a/?x&y]]></loc></url></r>", ["http://a/?x&y"]),
        ("<r><url><loc>a</url><url><loc>b</loc></url></r>", ["a", "b"]),
        ("<r><url><loc>a</loc><url><loc>b</loc><url><loc>c</loc></r>", ["a", "b", "c"]),
        ("<r><url><loc>a < b</loc></url><url><loc>c</loc></url></r>", ["a < b", "c"]),
        ("<r><url><loc>a\x00\x08\ud800</loc></url></r>", ["a"]),
        ("<r><url><loc>&nbsp;&eacute;&#233;&#x0;&#1114112;&#xD800;</loc></url></r>", ["\xa0éé"]),
        ("<!-- <x> --><?pi <y> ?><r><url><loc>a</loc></url></r>", ["a"]),
        ("junk before<r><url><loc>a</loc></url></r>", ["a"]),
    ],
)
def test_broken_markup_loses_only_itself(text: str, locs: list[str]) -> None:
    assert [entry["loc"] for entry in found(text)] == locs


@pytest.mark.parametrize(
    "end", ["<url><loc>http://a/lon", "<url><loc>http://a/long</lo", "<url><lo", "<url", "<", "<![CDATA[x"]
)
def test_a_text_that_lost_its_end_gives_nothing_that_is_cut_short(end: str) -> None:
    """A URL that may have lost its end is none."""
    got = found(f"<r><url><loc>a</loc></url>{end}")
    assert [entry.get("loc") for entry in got if "loc" in entry] == ["a"]


def test_what_was_whole_before_the_end_is_kept() -> None:
    assert found("<r><item><title>t</title><link>b</link><description>and so") == [{"title": "t", "link": "b"}]


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
        "<!DOCTYPE r [<!ENTITY e \"]>\"><!-- don't ]> --> <!ENTITY f SYSTEM 'http://127.0.0.1:9/'>]>",
        '<!DOCTYPE r SYSTEM "file:///etc/passwd" [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    ],
)
def test_entities_that_a_text_declares_stand_for_themselves(declared: str) -> None:
    assert found(f"{declared}<r><url><loc>&e;</loc></url></r>") == [{"loc": "&e;"}]


def test_a_billion_laughs_are_not_told() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 30))
    text = f'<!DOCTYPE r [<!ENTITY l0 "lol">{laughs}]><r a="&l29;"><url><loc>&l29;</loc></url></r>'
    assert found(text) == [{"loc": "&l29;"}]


def test_an_entry_of_a_million_elements_ends_the_reading() -> None:
    given = found(
        "<r><url><loc>a</loc></url><url>" + "<x/>" * (20 * MAX_ELEMENTS) + "</url><url><loc>b</loc></url></r>"
    )
    assert {"loc": "b"} not in given
    assert given[0] == {"loc": "a"}


def test_cdata_and_tags_may_lie_across_the_pieces_that_are_parsed() -> None:
    urls = [f"http://a/{number}?x&y" for number in range(20_000)]
    text = "<r>" + "".join(f"<url><loc><![CDATA[{url}]]></loc></url>" for url in urls) + "</r>"
    assert [entry["loc"] for entry in found(text)] == urls


HOSTILE: dict[str, Callable[[int], str]] = {
    "open": lambda n: "<" * n,
    "unclosed tags": lambda n: "<a" * n,
    "nested": lambda n: "<a>" * n,
    "entries never closed": lambda n: "<url>" * n,
    "attributes": lambda n: "<a " + " ".join(f"a{i}='1'" for i in range(n)) + ">",
    "ampersands": lambda n: "&" * n,
    "comments": lambda n: "<!--" * n,
    "CDATA": lambda n: "<![CDATA[" * n,
    "doctypes": lambda n: "<!DOCTYPE x [" * n,
    "instructions": lambda n: "<?a" * n,
    "quotes": lambda n: '<a b="' * n,
    "colons": lambda n: "<a:" * n,
    "ends": lambda n: "</a>" * n,
    "empty": lambda n: "<a/>" * n,
}


class Listening:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.heard.append(f"<{name} {dict(attributes)}>")

    def end(self, name: str) -> None:
        self.heard.append(f"</{name}>")

    def data(self, text: str) -> None:
        self.heard.append(text)


def test_listeners_are_told_local_names_and_what_came_before_the_end() -> None:
    listener = Listening()
    tell("<!DOCTYPE x [<!ENTITY e 'swell'>]><W:p xmlns:W='w' W:Id='1'><b>&e; &eacute;</b><i>lost", listener)
    said = "".join(listener.heard)
    assert said.startswith("<p {'id': '1'}><b {}>&e; é</b><i {}>")


def through_all(text: str) -> None:
    for _ in entries(text, NAMES):
        pass


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("before", ["", "<r>"])
@pytest.mark.parametrize("read", [through_all, lambda text: tell(text, Listening())], ids=["entries", "tell"])
def test_time_grows_as_the_text_does(name: str, before: str, read: Callable[[str], None]) -> None:
    def seconds(size: int) -> float:
        text, best = before + HOSTILE[name](size), 1e9
        gc.disable()  # a collection costs what all tests before have left in this process
        try:
            for _ in range(3):
                began = time.process_time()
                read(text)
                best = min(best, time.process_time() - began)
        finally:
            gc.enable()
        return best

    assert seconds(40_000) < max(2.5 * 4 * seconds(10_000), 0.1)
