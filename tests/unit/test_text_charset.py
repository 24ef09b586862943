"""Charsets: precedence, labels, and the suite of real texts whose folder names are the truth."""

from __future__ import annotations

import codecs
import encodings.aliases
import random
import re
from pathlib import Path

import pytest

from clew.text.charset import codec_of, declared, decode

SUITE = Path(__file__).parents[2].parent / "shared" / "hostile" / "charsets"
RIGHT = 223  # of the 224 files whose charset Python knows; the other is MacRoman with one letter beyond ASCII

SUPERSETS = {  # folder names that mean what browsers mean by them, or that Python spells otherwise
    "GB2312": "gb18030",
    "SHIFT_JIS": "cp932",
    "EUC-KR": "cp949",
    "Big5": "big5hkscs",
    "TIS-620": "cp874",
    "MacCyrillic": "mac_cyrillic",
    "MacRoman": "mac_roman",
    "IBM855": "cp855",
    "IBM866": "cp866",
}


def truth_codec(folder: str) -> str:
    label = re.sub(r"-(?:[a-z]{5,})$", "", folder)
    try:
        return codecs.lookup(SUPERSETS.get(label, label)).name
    except LookupError:
        return ""


def test_real_texts_are_decoded_rightly():
    if not SUITE.is_dir():
        pytest.skip("the charset suite is not on this machine")
    right, wrong = 0, []
    for path in sorted(SUITE.glob("*/*")):
        codec = truth_codec(path.parent.name)
        if not codec:
            continue
        body = path.read_bytes()
        truth = body.decode(codec, "replace").lstrip("\ufeff").replace("\0", "")
        text, name = decode(body, "")
        if text == truth:
            right += 1
        else:
            wrong.append((path.parent.name, path.name, name))
    assert right >= RIGHT, wrong


@pytest.mark.parametrize(
    ("body", "header", "text", "charset"),
    [
        (b"", "", "", "utf-8"),
        (b"plain", "text/html; charset=iso-8859-1", "plain", "utf-8"),
        ("naïve".encode(), "text/html; charset=windows-1252", "naïve", "utf-8"),  # valid UTF-8 beats a default label
        ("naïve".encode("latin1"), "text/html; charset=ISO-8859-1", "naïve", "windows-1252"),
        ("“x”".encode("cp1252"), 'text/html; charset="latin1"', "“x”", "windows-1252"),
        (codecs.BOM_UTF8 + "Ünï".encode(), "text/html; charset=windows-1252", "Ünï", "utf-8"),
        (codecs.BOM_UTF16_LE + "Ünï".encode("utf-16-le"), "text/html; charset=utf-8", "Ünï", "utf-16-le"),
        ("日本語テキスト".encode("shift_jis"), "text/html; charset=Shift_JIS", "日本語テキスト", "shift_jis"),
        ("한국어".encode("cp949"), "text/html;charset=ks_c_5601-1987", "한국어", "euc-kr"),
        ("联通".encode("gbk"), "text/html; charset=gb2312", "联通", "gb18030"),  # two letters that are valid UTF-8
        ("Привет".encode("koi8-r"), "text/html; charset=koi8-r", "Привет", "koi8-r"),
        ("文字".encode("iso2022_jp"), "text/html; charset=iso-2022-jp", "文字", "iso-2022-jp"),
    ],
)
def test_what_decides(body: bytes, header: str, text: str, charset: str):
    assert decode(body, header) == (text, charset)


@pytest.mark.parametrize(
    "head",
    [
        b"<meta charset=GBK",  # never closed
        b"<meta charset = 'gbk' >",
        b'<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=gb2312">',
        b'<?xml version="1.0" encoding="GBK"?><html>',
        b"<!-- <meta charset=utf-7> --><meta charset='GB_2312-80'/>",
        b"<title>" + b"x" * 2000 + b'</title><meta name="x" charset="gbk">',
    ],
)
def test_what_pages_declare(head: bytes):
    body = head + " 中文网页的内容\n".encode("gbk")
    assert declared(body) == "gb18030"
    text, charset = decode(body, "text/html")
    assert charset == "gb18030" and "中文网页的内容" in text


def test_a_declaration_that_fails_on_the_bytes_is_dropped():
    text = "Это русский текст, который объявлен не так, как он записан. " * 5
    assert decode(text.encode("cp1251"), "text/html; charset=utf-8")[0] == text
    japanese = "これは宣言のない日本語の文章です。文字コードを推測します。" * 5
    assert decode(japanese.encode("shift_jis"), "")[0] == japanese
    assert decode(japanese.encode("euc_jp"), "text/html; charset=shift_jis")[0] == japanese


def test_a_few_bad_bytes_cost_only_themselves():
    body = "ä".encode() * 50 + b"\xff" + "ö".encode() * 50 + "ü".encode()[:1]
    text, charset = decode(body, "text/html; charset=utf-8")
    assert charset == "utf-8"
    assert text == "ä" * 50 + "\ufffd" + "ö" * 50 + "\ufffd"


def test_nul_in_the_middle_leaves_the_rest():
    assert decode(b"<p>before\x00after</p>", "text/html; charset=utf-8") == ("<p>beforeafter</p>", "utf-8")


def test_a_page_that_says_utf_16_in_ascii_is_not():
    assert decode('<meta charset="utf-16"><p>é'.encode(), "")[1] == "utf-8"


@pytest.mark.parametrize(
    "label", ["hex", "base64", "rot13", "unicode_escape", "idna", "nonsense", "", "x" * 300, "\x00"]
)
def test_labels_that_are_no_charsets(label: str):
    assert codec_of(label) == ""
    assert decode("é".encode("latin1") + b" caf\xe9 au lait", f"text/html; charset={label}")[0].endswith("lait")


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("UTF8", "utf-8"),
        ("x-sjis", "cp932"),
        ("windows-31j", "cp932"),
        ("iso-8859-9", "cp1254"),
        ("tis-620", "cp874"),
        ("x-cp1251", "cp1251"),
        ("Windows_1250", "cp1250"),
        ("win-1251", "cp1251"),
        ("x-mac-cyrillic", "mac_cyrillic"),
        ("big5", "big5hkscs"),
        ("us-ascii", "cp1252"),
        ("iso-8859-8-i", "iso8859_8"),
    ],
)
def test_labels_mean_what_browsers_mean(label: str, codec: str):
    assert codec_of(label) == codec


# -- UTF-16 and UTF-32 without a byte order mark; NULs ---------------------------------------------------------


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("label", ["", "utf-16", "utf-8", "windows-1251", "UTF-16LE", "utf-32"])
@pytest.mark.parametrize("text", ["The yacht goes over the sea", "Парусная яхта идёт по морю"])
def test_wide_charsets_without_a_mark(codec: str, label: str, text: str) -> None:
    """Whatever the header says: the label utf-16 leaves the order open, and is often wrong."""
    page = f"<html><head><title>{text}</title></head><body><p>{text}</p><a href=/x>{text}</a></body></html>"
    assert decode(page.encode(codec), f"text/html; charset={label}" if label else "") == (page, codec)


def test_no_text_holds_lone_surrogates_or_nuls() -> None:
    """Whatever is declared, what comes out can be written in UTF-8."""
    rng = random.Random(1)
    pool = [0, 0x1B, 0x2B, 0x2F, 0x5C, 0x75, 0x7E, 0xA0, 0xD8, 0xDC, 0xED, 0xFE, 0xFF, *range(0, 256, 7)]
    names = sorted({*encodings.aliases.aliases.values(), "utf-16", "utf-32", "unicode", "x-user-defined"})
    for name in names:
        for _ in range(40):
            text, _charset = decode(bytes(rng.choices(pool, k=60)), f"text/html; charset={name}")
            assert "\x00" not in text
            text.encode()


@pytest.mark.parametrize(
    "content_type",
    [
        'text/html; charset="windows-1251"', "text/html; charset='windows-1251'", "text/html;charset=windows-1251;",
        "text/html; charset = windows-1251", "text/html; Charset=CP1251", 'text/html; charset="windows-1251',
        "text/html, text/html; charset=windows-1251", "text/html charset=windows-1251", "text/html; charset=none",
        "text/html;charset=windows-1251,text/html", "text/html; charset=", "text/html; charset=utf-8",
    ],
)  # fmt: skip
def test_the_charset_of_a_header_however_it_is_quoted(content_type: str) -> None:
    page = "<p>Парусная яхта идёт по морю, ветер дует с юга"
    assert decode(page.encode("cp1251"), content_type) == (page, "windows-1251")
