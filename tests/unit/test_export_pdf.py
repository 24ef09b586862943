"""The report as a PDF, read again with pypdf: what it says, where its links lead, and text that tries to break it."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from clew.export.printedtext import joined, lines, printable, seen
from clew.export.reportdata import ReportCollection, ReportData, ReportPage
from clew.export.reporting import report_html, report_pdf
from clew.export.reportpdf import pdf
from clew.export.reporttable import COLUMNS, link_of
from clew.project.project import Project
from support import clew, clew_json, exported, init_plain

WRITTEN = "2026-01-02T03:04:05.000Z"


def data(titles: Sequence[str] = (), urls: Sequence[str] = (), name: str = "Sailing") -> ReportData:
    """A crawl of forty visits of which every other was relevant, with these best pages."""
    relevant = np.arange(40) % 2 == 0
    places = urls or [f"http://h.test/{place}" for place in range(len(titles))]
    best = [
        ReportPage(url, title, 0.9, place, "boats")
        for place, (url, title) in enumerate(zip(places, titles or ["a"] * len(places), strict=True))
    ]
    return ReportData(
        name=name,
        facts={"fetched": "40", "strategy": "best-first"},
        relevant=relevant,
        relevance=relevant.astype(np.float64),
        depth=np.arange(40) // 8,
        hosts=[("h.test", 20, 40)],
        best=best,
        written=WRITTEN,
    )


def read(document: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(document), strict=True)


def text_of(document: bytes) -> str:
    return "\n".join(page.extract_text() for page in read(document).pages)


def links_of(document: bytes) -> list[str]:
    """Where the document leads outside, in order; a link of two lines twice."""
    found = []
    for page in read(document).pages:
        for one in page.get("/Annots", ()):
            action = one.get_object()["/A"]
            assert set(action) == {"/S", "/URI"}, "nothing but links"
            found.append(str(action["/URI"]))
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = init_plain(tmp_path_factory.mktemp("pdf") / "p", "--web", "sim:pages=700,seed=3")
    clew("crawl", folder, "--max-pages", 250, "--quiet")
    return folder


def test_it_says_what_the_web_page_says(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.pdf"
    told = clew_json("report", project, "--pdf", file)
    assert told == {"report": "", "pdf": str(file)}
    assert not (project / "report.html").exists(), "a PDF was wanted"
    document = file.read_bytes()
    text, status = " ".join(text_of(document).split()), clew_json("status", project)
    best = exported(project)[:100]
    assert len(best) == 100
    assert f"{status['relevant']:,} of {status['fetched']:,} fetches brought a page" in text
    for said in ("Pages found", "Sliding window", "Link distance", "Top hosts", "pages judged relevant", "best-first"):
        assert said in text
    assert all(row["title"] in text and row["url"] in text for row in best)
    assert list(dict.fromkeys(links_of(document))) == [row["url"] for row in best]


def test_it_has_a_title_a_language_page_numbers_and_an_outline(project: Path) -> None:
    reader = read(report_pdf(Project(project)))
    assert reader.metadata is not None
    assert reader.metadata.title == "p – Clew report"
    assert reader.root_object["/Lang"] == "en"
    pages = len(reader.pages)
    assert pages > 3
    for number, page in enumerate(reader.pages, 1):
        assert re.search(rf"(?<!\d){number} / {pages}(?!\d)", page.extract_text())
    (top,) = [one for one in reader.outline if not isinstance(one, list)]
    assert top["/Title"] == "p"


def test_both_are_written_when_both_are_named(project: Path, tmp_path: Path) -> None:
    page, document = tmp_path / "r.html", tmp_path / "r.pdf"
    said = clew("report", project, "--out", page, "--pdf", document).stdout
    assert f"wrote {page}" in said
    assert f"wrote {document}" in said
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert document.read_bytes().startswith(b"%PDF-")
    assert report_html(Project(project)).count("<svg") == 4


def test_what_cannot_be_written_is_said(project: Path, tmp_path: Path) -> None:
    assert "cannot be written" in clew("report", project, "--pdf", tmp_path / "none" / "r.pdf", code=1).stderr
    assert "no PDF" in clew("report", project, "--pdf", tmp_path / "r.pdf", "--paths", code=2).stderr


def test_forgetting_removes_the_pdf_too(tmp_path: Path) -> None:
    folder = init_plain(tmp_path / "p", "--web", "sim:pages=700,seed=3")
    clew("crawl", folder, "--max-pages", 40, "--quiet")
    clew("report", folder, "--pdf", folder / "report.pdf")
    assert clew_json("forget", folder, exported(folder)[0]["url"])["removed"] == ["report.pdf"]
    assert not (folder / "report.pdf").exists()


def test_a_hundred_pages_break_over_sheets_and_each_sheet_has_heads() -> None:
    """Titles of very different length: no row is cut, and none is lost."""
    titles = [f"No{place}x " + "long words of a title " * (place % 11) for place in range(100)]
    sheets = [page.extract_text() for page in read(pdf(data(titles))).pages]
    tables = [sheet for sheet in sheets if re.search(r"No\d+x", sheet)]
    assert len(tables) >= 4
    assert all("relevance" in sheet and "links from" in sheet for sheet in tables)
    assert re.findall(r"No(\d+)x", "\n".join(tables)) == [str(place) for place in range(100)]


def test_an_empty_crawl() -> None:
    none = np.empty(0)
    empty = replace(
        data(), relevant=none.astype(np.bool_), relevance=none, depth=none.astype(np.int64), hosts=[], facts={}
    )
    text = text_of(pdf(empty))
    assert "has not fetched anything yet" in text
    assert "Nothing was fetched yet" in text
    assert "None yet." in text


def test_collections_have_tables_of_their_own() -> None:
    pages = [ReportPage(f"http://c.test/{place}", f"Chess {place}", 0.5, 1, inherited=place == 2) for place in range(3)]
    both = [ReportCollection("Chess", pages), ReportCollection("Go", [])]
    text = text_of(pdf(replace(data(["A"]), collections=both)))
    assert "Chess: 3, 1 of them documents" in text
    assert "Chess 2 (document)" in text
    assert "correlation" in text
    assert "Collections" not in text_of(pdf(replace(data(["A"]), collections=both[:1])))


HOSTILE = {
    "日本語のタイトル": "日本語のタイトル",
    "Ελληνικά Русский Tiếng Việt": "Ελληνικά Русский Tiếng Việt",
    "हिन्दी தமிழ் ไทย 한국어": "हिन्दी தமிழ் ไทย 한국어",
    "\U0001f600 \U00020000 \U0010ffff": "\U0001f600 \U00020000 \U0010ffff",
    "A\u0301 composed": "Á composed",
    "esc \x1b[2J nul \x00 bell \x07": r"esc \x1b[2J nul \x00 bell \x07",
    "turned \u202egpj.exe\u2066": r"turned \u202egpj.exe\u2066",
    "lone \ud83d here": r"lone \ud83d here",
    "{nb} of \x02pages": r"{nb} of \x02pages",
    "**bold** __under__ <b>tag</b> (a\\) %PDF endstream": "**bold** __under__ <b>tag</b> (a\\) %PDF endstream",
}


def test_titles_of_all_scripts_and_of_bad_intent(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        text = text_of(pdf(data(list(HOSTILE), name="\u202e日本\x1b {nb}")))
    for printed in HOSTILE.values():
        assert printed in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert caplog.records == [], "nothing was left out"


def test_titles_that_never_end() -> None:
    for title in ("W" * 100_000, "\u0644\u0627" * 5_000, "\u4e00" * 5_000, "a\u0300" * 5_000, " " * 9_999 + "x"):
        sheets = read(pdf(data([title] * 3, name=title))).pages
        assert 2 <= len(sheets) <= 4


@settings(max_examples=15)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.text(max_size=40))
def test_no_text_whatever_is_an_error(titles: list[str], name: str) -> None:
    urls = [f"http://h.test/{title}" for title in titles]
    assert len(read(pdf(data(titles, urls, name))).pages) >= 2


def test_only_what_lies_on_the_web_is_a_link() -> None:
    urls = [
        "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "mailto:a@b.test", "folder/page.html",
        "HTTP://h.test/a", "https://h.test/(b)\\?q=ü&r=%20#c", "http://h.test/\n/x", "http://h.test/\u202e",
    ]  # fmt: skip
    found = list(dict.fromkeys(links_of(pdf(data(urls=urls)))))
    assert found == [
        "HTTP://h.test/a",
        "https://h.test/(b)%5C?q=%C3%BC&r=%20#c",
        "http://h.test/%0A/x",
        "http://h.test/%E2%80%AE",
    ]
    assert link_of("http://h.test/\ud800") == "http://h.test/?"


def test_the_same_report_is_the_same_file() -> None:
    assert pdf(data(["A", "日本"])) == pdf(data(["A", "日本"]))


def test_columns_fill_the_sheet() -> None:
    assert sum(COLUMNS) == 180


# -- text ---------------------------------------------------------------------------------------------------------


def test_arabic_letters_join() -> None:
    """sin begins, lam and alef are one sign that ends, mim stands alone; alef never joins the next letter."""
    assert joined("\u0633\u0644\u0627\u0645") == "\ufeb3\ufefc\ufee1"
    assert joined("\u0628\u0628\u0628") == "\ufe91\ufe92\ufe90"
    assert joined("\u0627\u0628") == "\ufe8d\ufe8f"
    assert joined("\u0628\u064e\u0628") == "\ufe91\u064e\ufe90", "over marks"
    assert joined("\u0628 \u0628") == "\ufe8f \ufe8f"
    assert joined("\u067e\u0686") == "\ufb58\ufb7b", "Persian"
    assert joined("plain") == "plain"


def test_lines_are_in_the_order_in_which_they_are_seen() -> None:
    alef, bet = "\u05d0", "\u05d1"
    assert seen(f"{alef}{bet}") == f"{bet}{alef}"
    assert seen(f"{alef} (12) {bet}") == f"{bet} (12) {alef}", "brackets close where they did"
    assert seen(f"boats {alef}{bet} sail") == f"boats {bet}{alef} sail"
    assert seen("(boats)") == "(boats)"


def test_lines_break_before_they_are_turned() -> None:
    """The first word read stands in the first line, at its right."""
    words = ["\u05d0\u05d0", "\u05d1\u05d1", "\u05d2\u05d2"]
    assert lines(" ".join(words), len, 5) == [f"{words[1]} {words[0]}", words[2]]
    assert lines("one two abcdefghij", len, 4) == ["one", "two", "abcd", "efgh", "ij"]
    assert lines("http://host.test/a-b", len, 9) == ["http://", "host.", "test/a-b"]
    assert lines("", len, 4) == [""]
    assert lines("wide", lambda text: 9.0 * len(text), 1) == ["w", "i", "d", "e"]


def test_long_text_is_cut_and_says_so() -> None:
    assert printable("a" * 9, 5) == "aaaa…"
    assert printable("a" * 5, 5) == "aaaaa"
    assert printable("e\u0301") == "é"
