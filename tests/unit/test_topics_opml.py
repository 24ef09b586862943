"""Reading OPML outlines."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import InputError
from clew.topics.entry import Entry
from clew.topics.opml import read_opml

LISTS = """<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head><title>Subscriptions</title></head>
  <body>
    <outline text="Science" description="All of it">
      <outline text="Space  &amp; sky">
        <outline type="rss" text="Stars" title="ignored" xmlUrl="http://a.test/feed?x=1&amp;y=2"
                 htmlUrl="http://a.test/" description="On stars" category="/Space/Stars,news"
                 created="Tue, 10 Oct 2000 10:55:36 GMT"/>
      </outline>
      <outline type="link" text="A page" url="https://b.test/p"/>
    </outline>
    <outline title="By title" xmlUrl="http://c.test/rss"/>
    <outline type="include" text="Other list" url="http://d.test/other.opml"/>
    <outline text="Local" url="file:///etc/passwd"/>
    <outline text="Empty folder"/>
  </body>
</opml>
"""


def _read(tmp_path: Path, text: str | bytes) -> list[Entry]:
    file = tmp_path / "list.opml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_opml(file))


def test_links_folders_and_their_attributes(tmp_path: Path) -> None:
    space = ("Science", "Space & sky")
    tags = ("Space/Stars", "news")
    assert _read(tmp_path, LISTS) == [
        Entry(("Science",), description="All of it"),
        Entry(space),
        Entry(space, "http://a.test/", "Stars", "On stars", tags, 971175336.0),
        Entry(space, "http://a.test/feed?x=1&y=2", "Stars", "On stars", tags, 971175336.0, example=False),
        Entry(("Science",), "https://b.test/p", "A page"),
        Entry((), "http://c.test/rss", "By title", example=False),
        Entry((), "http://d.test/other.opml", "Other list", example=False),
        Entry(("Empty folder",)),
    ]


def test_an_outline_with_a_link_is_the_folder_of_what_is_below(tmp_path: Path) -> None:
    text = "<opml><body><outline text='A' url='http://a.test/'><outline text='B' url='http://b.test/'/></outline></body></opml>"
    assert [(entry.path, entry.url) for entry in _read(tmp_path, text)] == [
        ((), "http://a.test/"),
        (("A",), "http://b.test/"),
    ]


def test_charset_of_the_declaration_counts(tmp_path: Path) -> None:
    text = "<?xml version='1.0' encoding='windows-1251'?><opml><body><outline text='Наука'/></body></opml>"
    assert [entry.path for entry in _read(tmp_path, text.encode("cp1251"))] == [("Наука",)]


def test_entities_are_refused_where_they_are_declared(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE opml [\n<!ENTITY a "ha">\n<!ENTITY b "&a;&a;&a;&a;">\n]>\n<opml><outline text="&b;"/></opml>'
    with pytest.raises(InputError, match=r"list\.opml:2:\d+: the file declares an entity \('a'\)"):
        _read(tmp_path, bomb)


def test_external_entities_are_refused(tmp_path: Path) -> None:
    text = '<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]><opml><outline text="&x;"/></opml>'
    with pytest.raises(InputError, match=r"declares an entity \('x'\)"):
        _read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"list\.opml:1:1: no XML: no element found"),
        ("<opml>\n<body>\n  <outline text='a & b'/>", r"list\.opml:3:2\d: no XML: not well-formed"),
        ("<opml><outline text='a'>", r"list\.opml:1:\d+: no XML: no element found"),
        ("<html><body/></html>", r"list\.opml:1:1: this is no OPML \(its first element is <html>\)"),
        ("<?xml version='1.0' encoding='shift_jis'?><opml/>", r"list\.opml.*(multi-byte|encoding)"),
        ("<opml>" + "<outline text='x'>" * 201, r"nested more than 200 deep"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _read(tmp_path, text)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.opml: cannot be read: No such file"):
        read_opml(tmp_path / "none.opml")
