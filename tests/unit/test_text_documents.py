"""PDF, docx, odt and EPUB files, made here: text, links, title and language come out; broken ones end in a reason."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence

import pytest
from pypdf import PdfReader, PdfWriter

from clew.errors import ConfigError
from clew.model import LinkKind, Outcome, Response
from clew.text import documents, reader
from clew.text.documents import DocumentError
from clew.text.documents.package import MAX_UNPACKED
from clew.text.documents.pdf import MAX_LINKS
from clew.text.documents.writing import MAX_ANCHORS
from clew.text.formats import Formats
from clew.text.html import Document
from clew.text.mediatypes import DOCX, EPUB, ODT, PDF
from clew.urls.canonical import Canonicaliser, host, keys, url_words

TEXT = "Boats were sailing in the harbour."


def pdf(pages: Sequence[bytes], filters: bytes = b"", extra: bytes = b"", catalog: bytes = b"/Lang(en-GB)") -> bytes:
    """A PDF file with these content streams, and one link to http://a.test/more in a frame at 50, 650."""
    kids = b" ".join(b"%d 0 R" % (5 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Kids[%s]/Count %d%s>>" % (kids, len(pages), extra),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Annot/Subtype/Link/Rect[48 640 300 665]/A<</S/URI/URI(http://a.test/more)>>>>",
    ]
    for number, content in enumerate(pages):
        at = 6 + 2 * number
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R"
            b"/Annots[4 0 R (x) 99 0 R]>>" % at
        )
        objects.append(b"<<%s/Length %d>>stream\n%s\nendstream" % (filters, len(content), content))
    objects.append(b"<</Title(A report of boats)>>")
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer\n<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, size - 1, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (size, table, end)


def drawn(*lines: str) -> bytes:
    """The content stream of a page with these lines, 50 apart, from 700 downwards."""
    return (
        b"BT /F 12 Tf "
        + b"".join(b"1 0 0 1 50 %d Tm (%s) Tj " % (700 - 50 * place, line.encode()) for place, line in enumerate(lines))
        + b"ET"
    )


def package(parts: dict[str, str | bytes]) -> bytes:
    """A ZIP file of these parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return made.getvalue()


FACTS = "<dc:title>A report of boats</dc:title><dc:language>en-GB</dc:language>"
DUBLIN = f"<x xmlns:dc='d'>{FACTS}<dc:title>no</dc:title></x>"
DOCX_PARTS: dict[str, str | bytes] = {
    "word/document.xml": (
        "<?xml version='1.0'?><w:document xmlns:w='w' xmlns:r='r'><w:body><w:p><w:r><w:t>Boats were </w:t></w:r>"
        "<w:r><w:delText>never</w:delText><w:t>sailing</w:t><w:tab/><w:t>in the harbour.</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>See</w:t></w:r><w:hyperlink r:id='rId1'><w:r><w:t>more of them</w:t></w:r></w:hyperlink>"
        "<w:hyperlink w:anchor='here'><w:r><w:t>here</w:t></w:r></w:hyperlink></w:p>"
        "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>HYPERLINK \"http://a.test/field\"</w:instrText>"
        "</w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>by a field</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t>end</w:t></w:r></w:p></w:body></w:document>"
    ),
    "word/_rels/document.xml.rels": (
        "<Relationships><Relationship Id='rId1' Target='http://a.test/more' TargetMode='External'/>"
        "<Relationship Id='rId2' Target='styles.xml'/></Relationships>"
    ),
    "docProps/core.xml": DUBLIN,
}
ODT_PARTS: dict[str, str | bytes] = {
    "mimetype": ODT,
    "content.xml": (
        "<office:document-content xmlns:office='o' xmlns:text='t' xmlns:xlink='x'><office:body><text:tracked-changes>"
        "<text:p>deleted</text:p></text:tracked-changes><text:h>Boats <text:span>were</text:span> sailing<text:s/>"
        "in the harbour.</text:h><text:p>See <text:a xlink:href='http://a.test/more'>more of them</text:a></text:p>"
        "</office:body></office:document-content>"
    ),
    "meta.xml": DUBLIN,
}
EPUB_PARTS: dict[str, str | bytes] = {
    "mimetype": EPUB,
    "META-INF/container.xml": "<container><rootfiles><rootfile full-path='O/book.opf'/></rootfiles></container>",
    "O/book.opf": (
        f"<package xmlns:dc='d'><metadata>{FACTS}</metadata>"
        "<manifest><item id='b' href='t/2.xhtml'/><item id='a' href='t/one%201.xhtml'/><item id='n' href='nav.xhtml'/>"
        "</manifest><spine><itemref idref='a'/><itemref idref='b'/><itemref idref='gone'/></spine></package>"
    ),
    "O/t/one 1.xhtml": f"<html><head><title>One</title></head><body><p>{TEXT}</p></body></html>",
    "O/t/2.xhtml": "<html><body><p>See <a href='http://a.test/more'>more of them</a><a href='3.xhtml'>on</a></p>",
    "O/nav.xhtml": "<html><body>contents</body></html>",
}
GOOD = {
    PDF: pdf([drawn(TEXT, "more of them")]),
    DOCX: package(DOCX_PARTS),
    ODT: package(ODT_PARTS),
    EPUB: package(EPUB_PARTS),
}


def links(document: Document) -> list[tuple[str, str, list[str]]]:
    """Where each link leads, its text, and the leaves that it spans."""
    return [(one.href, one.text, document.leaves[one.first : one.last + 1]) for one in document.anchors]


@pytest.mark.parametrize("kind", GOOD)
def test_text_title_language_and_links_come_out(kind: str) -> None:
    body = GOOD[kind]
    assert documents.kind_of(body) == kind
    document = documents.read(body, kind, 10)
    assert (document.title, document.lang) == ("A report of boats", "en-GB")
    assert TEXT in document.leaves
    assert ("http://a.test/more", "more of them", ["more of them"]) in links(document)
    assert not {"deleted", "never", "contents"} & set(" ".join(document.leaves).split())
    assert TEXT in document.text
    if kind == DOCX:
        assert links(document)[1:] == [("http://a.test/field", "by a field", ["by a field"])]


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("content_type", ["application/octet-stream", "text/html", "", "application/pdf", "text/plain"])
def test_a_document_is_read_by_its_bytes_and_becomes_a_page(kind: str, content_type: str) -> None:
    """Case 26: a PDF that is served as octet-stream."""
    made = reader.Reader(Canonicaliser(), keys, host, url_words, formats=Formats(documents=True))
    response = Response("http://a.test/x", Outcome.OK, 200, (("Content-Type", content_type),), GOOD[kind])
    page = made.read(response)
    assert (page.content_type, page.title, page.language) == (kind, "A report of boats", "en")
    assert page.links.urls[0] == "http://a.test/more"
    assert page.links.kinds[0] is LinkKind.ANCHOR
    assert len(page.leaves.ids) >= 3
    plain = reader.Reader(Canonicaliser(), keys, host, url_words)
    with pytest.raises(reader.Unreadable, match="PDF document" if kind == PDF else "ZIP archive"):
        plain.read(response)


def test_only_the_first_pages_and_chapters_are_read() -> None:
    five = pdf([drawn(f"Page number {number}") for number in range(5)])
    assert documents.read(five, PDF, 2).leaves == ["Page number 0", "Page number 1"]
    assert documents.read(GOOD[EPUB], EPUB, 1).leaves == [TEXT]


def test_a_small_file_of_much_text_is_cut_as_a_long_page_is() -> None:
    text = "<w:p><w:t>" + "sailing boats " * 160_000 + "</w:t></w:p><w:p><w:t>harbours</w:t></w:p>"
    body = package({"word/document.xml": f"<w:document>{text}</w:document>"})
    assert len(body) < 50_000
    made = reader.Reader(Canonicaliser(), keys, host, url_words, formats=Formats(documents=True))
    page = made.read(Response("http://a.test/x", Outcome.OK, 200, (), body))
    assert 200_000 < len(page.leaves.ids) < 300_000
    assert len(page.leaves) == 2
    assert len(page.text) == 2_000_000


def test_a_page_of_very_many_links_and_words_costs_no_more_than_the_limits() -> None:
    words = b"BT /F 12 Tf " + b"1 0 0 1 50 650 Tm (x) Tj " * 3_000 + b"ET"
    body = pdf([words]).replace(b"/Annots[4 0 R (x) 99 0 R]", b"/Annots[" + b"4 0 R " * 1_100 + b"]")
    document = documents.read(body, PDF, 9)
    assert len(document.anchors) == MAX_LINKS
    many = "<w:p><w:hyperlink r:id='rId1'><w:t>x</w:t></w:hyperlink></w:p>" * (MAX_ANCHORS + 10)
    parts = {**DOCX_PARTS, "word/document.xml": f"<w:document>{many}</w:document>"}
    assert len(documents.read(package(parts), DOCX, 9).anchors) == MAX_ANCHORS


def test_words_that_a_line_parts_are_one() -> None:
    assert documents.read(pdf([drawn("Boats were sail-", "ing in 2020-", "2021")]), PDF, 9).leaves == [
        "Boats were sailing in 2020-",
        "2021",
    ]


def encrypted(password: str) -> bytes:
    writer, made = PdfWriter(), io.BytesIO()
    writer.append(PdfReader(io.BytesIO(GOOD[PDF].replace(b"(x) 99 0 R", b" " * 10))))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    writer.write(made)
    return made.getvalue()


def test_encrypted_files_are_read_where_no_password_is_needed() -> None:
    assert TEXT in documents.read(encrypted(""), PDF, 9).leaves
    with pytest.raises(DocumentError, match="is encrypted"):
        documents.read(encrypted("secret"), PDF, 9)
    sealed = bytearray(package({"word/document.xml": "<p/>"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        sealed[sealed.index(mark) + place] |= 1
    with pytest.raises(DocumentError, match="is encrypted"):
        documents.read(bytes(sealed), DOCX, 9)


DEEP = b"[" * 200_000
BROKEN = {
    "nothing": b"%PDF-1.7\n",
    "noise": b"%PDF-1.4\n" + bytes(range(256)) * 500,
    "cut": GOOD[PDF][:300],
    "cycle": GOOD[PDF].replace(b"/Kids[5 0 R]", b"/Kids[2 0 R]"),
    "no pages": GOOD[PDF].replace(b"/Pages 2 0 R", b"/Pages 9 0 R"),
    "objects that never end": b"%PDF-1.4\n" + b"1 0 obj\n<<" * 20_000,
    "deep content": pdf([DEEP]),
    "deep object": GOOD[PDF].replace(b"(A report of boats)", DEEP),
    "endless content": pdf([zlib.compress(b"(x) Tj " * 3_000_000)], b"/Filter/FlateDecode"),
    "a bomb": pdf([zlib.compress(zlib.compress(bytes(300 << 20)))], b"/Filter[/FlateDecode/FlateDecode]"),
    "endless pages": GOOD[PDF].replace(b"/Kids[5 0 R]", b"/Kids[%s]" % (b"5 0 R " * 150_000)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_pdf_ends_in_a_reason_or_in_what_can_be_read(name: str) -> None:
    try:
        document = documents.read(BROKEN[name], PDF, 50)
    except DocumentError as error:
        assert str(error).startswith("is a damaged PDF document")
    else:
        assert set(document.leaves) <= {TEXT, "more of them"}


@pytest.mark.parametrize("kind", [DOCX, ODT, EPUB])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_broken_package_ends_in_a_reason(kind: str, share: float) -> None:
    body = GOOD[kind]
    assert documents.kind_of(body[: int(len(body) * share)]) == ""
    damaged = bytearray(body)
    middle = int(len(body) * share * 0.4)
    damaged[middle : middle + 20] = bytes(20)
    try:
        documents.read(bytes(damaged), kind, 9)
    except DocumentError as error:
        assert "damaged" in str(error) or "without a chapter" in str(error) or "encrypted" in str(error)


def test_a_package_unpacks_to_no_more_than_the_limit() -> None:
    """One part that swells, and many that do."""
    part = b"\n" * (21 << 20)
    swollen = package({"word/document.xml": part})
    assert len(swollen) < 100_000
    assert documents.read(swollen, DOCX, 9).leaves == []
    many = package({"mimetype": EPUB, **{f"{number}.html": part for number in range(4)}})
    with pytest.raises(DocumentError, match=f"more than {MAX_UNPACKED >> 20} MB"):
        documents.read(many, EPUB, 99)


def test_other_archives_are_no_documents() -> None:
    for parts in ({"a.txt": "x"}, {"mimetype": "application/x-other"}, {"xl/workbook.xml": "<x/>"}):
        assert documents.kind_of(package(parts)) == ""
    assert documents.kind_of(b"<html>%PDF-1.4 is a version") == ""
    assert documents.kind_of(b"PK\x03\x04") == ""
    with pytest.raises(DocumentError, match="without a chapter"):
        documents.read(package({"mimetype": EPUB}), EPUB, 9)


def test_a_book_without_a_spine_is_read_by_the_names_of_its_chapters() -> None:
    parts = {"mimetype": EPUB, "b.html": "<p>two", "a.html": "<p>one", "c.txt": "three"}
    assert documents.read(package(parts), EPUB, 9).leaves == ["one", "two"]


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from clew.config import settings_from
    from clew.crawl.reading import canonicaliser_of, reader_of, scope_of

    settings = settings_from({"limits": {"documents": True}})
    parts = canonicaliser_of(settings), scope_of(settings)
    assert reader_of(settings, *parts).formats.documents
    monkeypatch.setattr(documents, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'clew\[documents\]'") as caught:
        reader_of(settings, *parts)
    assert caught.value.exit_code == 2


def test_one_setting_lifts_endings_and_content_types() -> None:
    from clew.config import Settings, settings_from
    from clew.crawl.reading import canonicaliser_of, reader_of, scope_of
    from clew.text.mediatypes import wanted_types

    on = settings_from({"limits": {"documents": True, "document_pages": 3}})
    assert reader_of(on, canonicaliser_of(on), scope_of(on)).formats.pages == 3
    for ending in ("pdf", "docx", "odt", "epub"):
        assert scope_of(on).why_not(f"http://a.test/x.{ending}") is None
        assert "scope.exclude_endings" in (scope_of(Settings()).why_not(f"http://a.test/x.{ending}") or "")
    assert scope_of(on).why_not("http://a.test/x.zip") is not None
    assert {PDF, DOCX, ODT, EPUB, "application/octet-stream", "text/html"} <= set(wanted_types(on))
    assert wanted_types(Settings()) == Settings().limits.content_types
    assert wanted_types(settings_from({"limits": {"documents": True, "content_types": []}})) == ()
