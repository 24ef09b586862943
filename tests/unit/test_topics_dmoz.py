"""Reading the Open Directory's RDF dumps, as they are."""

from __future__ import annotations

import gzip
import itertools
import tracemalloc
from pathlib import Path

import pytest
from tests.support import shared

from clew.errors import InputError
from clew.topics import dmoz
from clew.topics.dmoz import read_dmoz
from clew.topics.entry import Entry

ANIMATION = ("Arts", "Animation")
OTTER = ("Arts", "Animation", "Cartoons", "Titles", "P", "PB_&_J_Otter")
ARMENIAN = ("World", "Armenian", "Առողջություն")
LINKS = [
    (ANIMATION, "http://www.awn.com/", "Animation World Network"),
    (ANIMATION, "http://animation.about.com/", "About.com: Animation Guide"),
    (ANIMATION, "http://www.toonhound.com/", "Toonhound"),
    (
        ANIMATION,
        "http://enculturation.gmu.edu/2_1/pisters.html",
        "Enculturation: From Mouse to Mouse: Overcoming Information",
    ),
    (ANIMATION, "http://www.digitalmediafx.com/Features/animationhistory.html", ""),
    (ANIMATION, "http://www.spark-online.com/august00/media/romano.html", ""),
    (ANIMATION, "http://www.animated-divots.net/", ""),
    (OTTER, "http://www.tv.com/pbandj-otter/show/2596/summary.html", "PB &J Otter"),
    (ARMENIAN, "http://www.shoonch.com/", "Շունչ Յոգայի Ստուդիա"),
    (ARMENIAN, "http://www.armaids.am/", ""),
    (ARMENIAN, "http://www.armdf.org/", ""),
    (ARMENIAN, "http://www.edent.am/", ""),
    (ARMENIAN, "http://www.gastro.am/", ""),
]
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<RDF xmlns="http://dmoz.org/rdf/">\n'


def _links(entries: list[Entry]) -> list[tuple[tuple[str, ...], str, str]]:
    return [(entry.path, entry.url, entry.title) for entry in entries if entry.url]


def _page(url: str, topic: str, title: str = "t", description: str = "d") -> str:
    return (
        f'<ExternalPage about="{url}">\n<d:Title>{title}</d:Title>\n<d:Description>{description}</d:Description>\n'
        f"<topic>{topic}</topic>\n</ExternalPage>\n"
    )


def _read(tmp_path: Path, text: str | bytes, focus: str = "") -> list[Entry]:
    file = tmp_path / "content.rdf.u8"
    file.write_bytes(text if isinstance(text, bytes) else (HEAD + text + "</RDF>\n").encode())
    return list(read_dmoz(file, focus=focus))


def test_genuine_content() -> None:
    entries = list(read_dmoz(shared("hostile/dmoz/content_sample.rdf.u8")))
    assert _links(entries) == LINKS
    assert [entry.path for entry in entries if not entry.url] == [("Arts",), ANIMATION, OTTER, ARMENIAN]
    assert (
        entries[4].description
        == "British cartoon, animation and comic strip creations - links, reviews and news from the UK."
    )


def test_genuine_structure_adds_descriptions_ahead() -> None:
    folder = shared("hostile/dmoz")
    entries = list(read_dmoz(folder / "content_sample.rdf.u8", folder / "structure_sample.rdf.u8"))
    world, arts = entries[:2]
    assert (world.path, world.title, world.description) == (("World",), "Top", "")
    assert (arts.path, arts.title) == (("Arts",), "Arts")
    assert arts.description.startswith(
        'The ODP Arts category contains English language sites about art, or "the use of'
    )
    assert arts.description.endswith("the viewers or audience's personal senses.")
    assert "<" not in arts.description
    assert _links(entries) == LINKS
    assert len(entries) == 2 + 4 + len(LINKS)  # aliases, narrow and symbolic links declare nothing


@pytest.mark.parametrize("focus", ["Top/World/Armenian", "World/Armenian", "/World/Armenian/"])
def test_paths_begin_with_the_name_of_the_focus(focus: str) -> None:
    entries = list(read_dmoz(shared("hostile/dmoz/content_sample.rdf.u8"), focus=focus))
    assert _links(entries) == [(path[1:], url, title) for path, url, title in LINKS if path == ARMENIAN]


def test_focus_is_a_topic_not_the_beginning_of_a_name(tmp_path: Path) -> None:
    text = _page("http://a.test/", "Top/Science") + _page("http://b.test/", "Top/Science_Fiction/Books")
    assert _links(_read(tmp_path, text, "Science")) == [(("Science",), "http://a.test/", "t")]
    assert _links(_read(tmp_path, text, "Top")) == _links(_read(tmp_path, text))


def test_unknown_focus_names_topics_of_the_file() -> None:
    with pytest.raises(InputError, match=r"content_sample\.rdf\.u8: there is no topic 'Sports'; .*Top/Arts/Animation"):
        list(read_dmoz(shared("hostile/dmoz/content_sample.rdf.u8"), focus="Sports"))


def test_gzip(tmp_path: Path) -> None:
    sample = shared("hostile/dmoz/content_sample.rdf.u8").read_bytes()
    file = tmp_path / "content.rdf.u8.gz"
    file.write_bytes(gzip.compress(sample))
    assert _links(list(read_dmoz(file))) == LINKS
    file.write_bytes(gzip.compress(sample)[:-300])
    with pytest.raises(InputError, match=r"content\.rdf\.u8\.gz: the gzip file is damaged or incomplete"):
        list(read_dmoz(file))


def test_faults_of_the_real_dumps(tmp_path: Path) -> None:
    body = (
        HEAD.encode()
        + b'<Topic r:id="Top/World/Espa\xc3\xb1ol">\n<pdf r:resource="http://a.test/x.pdf"></pdf>\n'
        + b"<link1 r:resource='http://a.test/?x=1&amp;copy=2'></link1>\n</Topic>\n"
        + _page(
            "http://b.test/", "Top/World/Español", "bell \x07here", "bad CHAR &#1; a & b < c\nin two lines"
        ).encode()
        + b'<ExternalPage about="http://never-ended.test/">\n<d:Title>lost end</d:Title>\n'
        + _page("http://c.test/", "Top/World/Español", "A &lt; B &amp;amp; C", "").encode()
        + _page("javascript:alert(1)", "Top/World/Español").encode()
        + _page("http://d.test/", "Kids_and_Teens/Arts").encode()
    ).replace(b"CHAR", b"\xe9")
    entries = _read(tmp_path, body)
    spanish = ("World", "Español")
    assert entries == [
        Entry(spanish),
        Entry(spanish, "http://b.test/", "bell here", "bad \ufffd a & b < c in two lines"),
        Entry(spanish, "http://never-ended.test/", "lost end"),
        Entry(spanish, "http://c.test/", "A < B & C"),
        Entry(("Kids_and_Teens", "Arts"), "http://d.test/", "t", "d"),
        Entry(spanish, "http://a.test/x.pdf"),
        Entry(spanish, "http://a.test/?x=1&copy=2"),
    ]


@pytest.mark.parametrize("block", [1, 7, 64, 1_000])
def test_records_may_lie_across_blocks(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(dmoz, "_BLOCK", block)
    assert _links(list(read_dmoz(shared("hostile/dmoz/content_sample.rdf.u8")))) == LINKS


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "content.rdf.u8"
    with file.open("w", encoding="utf-8") as out:
        out.write(HEAD)
        for number in range(20_000):
            out.write(_page(f"http://a.test/{number}", f"Top/A/{number // 10}", description="word " * 200))
    assert file.stat().st_size > 20_000_000
    tracemalloc.start()
    for _ in itertools.islice(read_dmoz(file), 20_000):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12_000_000


@pytest.mark.parametrize("body", [b"", b"<html><p>no dump</p></html>", b"\x00\x01\x02" * 100])
def test_foreign_files_are_refused(tmp_path: Path, body: bytes) -> None:
    with pytest.raises(InputError, match=r"content\.rdf\.u8: this is no Open Directory dump"):
        _read(tmp_path, body)


def test_an_endless_foreign_file_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dmoz, "_LONGEST", 1 << 21)
    file = tmp_path / "zeros.gz"
    file.write_bytes(gzip.compress(b"x" * (1 << 26)))
    tracemalloc.start()
    with pytest.raises(InputError, match="no Open Directory dump"):
        list(read_dmoz(file))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 25


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.rdf: cannot be read: No such file"):
        list(read_dmoz(tmp_path / "none.rdf"))
