"""Bytes to text: which charset a page is in, and its text.

In this order: byte order mark · bytes that are valid UTF-8 · the charset of the HTTP header · the charset that the
page itself declares (``<meta>``, XML declaration) · detection (chardet). A declaration is believed only if the bytes
bear it out. Labels mean what browsers mean by them (WHATWG Encoding: ``latin1`` is windows-1252, ``gb2312`` is
gb18030 ...). Nothing here raises: what cannot be decoded becomes U+FFFD, and NUL characters are removed.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

import chardet

PRESCAN_BYTES = 4096
"""How far into a page a declaration is looked for; browsers read 1,024, but templates put much before it."""

DETECT_BYTES = 65_536
"""How much of a page detection looks at."""

_WIDE_SHARE = 0.9
"""In UTF-32 at least this share of the bytes at two places of four are NULs."""

_FACTOR = 4
"""In UTF-16 so many times as many NULs stand at the one place of two as at the other."""

BAD_SHARE = 0.05
"""A declared charset is dropped when more than this share of the characters beyond ASCII come out wrong."""

_BOMS = (  # UTF-32 before UTF-16, whose mark it begins with
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*+=\s*+[\"']?+\s*+([^\s;\"',]++)", re.I)
_META = re.compile(rb"<meta\b[^>]*?charset\s*+=\s*+[\"']?+\s*+([\w:.+-]++)", re.I)  # of PRESCAN_BYTES, as the next
_XML = re.compile(rb"^\s*+<\?xml\b[^>]*?encoding\s*+=\s*+[\"']\s*+([\w:.+-]++)", re.I)
_COMMENT = re.compile(rb"<!--.*?-->", re.S)
_C1 = re.compile("[\x80-\x84\x86-\x9f]")  # controls that no page contains; U+0085 stands in EBCDIC-born text
_NUMBERED = re.compile(r"^(?:x-?)?(?:cp|win|windows|microsoft-cp)[-_ ]?(125\d|874|866|855|936|949|932|950)$")

_SUPERSETS = {  # Python codec of the label -> the codec browsers use for it
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
}
_LABELS = {  # labels of the WHATWG standard that Python does not know, or takes otherwise
    "unicode-1-1-utf-8": "utf-8",
    "x-unicode20utf8": "utf-8",
    "unicode": "utf-16-le",
    "ucs-2": "utf-16-le",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
    "x-gbk": "gb18030",
    "chinese": "gb18030",
    "x-sjis": "cp932",
    "ms_kanji": "cp932",
    "windows-31j": "cp932",
    "x-euc-jp": "euc_jp",
    "korean": "cp949",
    "ks_c_5601-1989": "cp949",
    "ksc_5601": "cp949",
    "windows-949": "cp949",
    "cn-big5": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "macintosh": "mac_roman",
    "x-mac-roman": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-mac-ukrainian": "mac_cyrillic",
    "iso-8859-8-i": "iso8859_8",
    "iso-8859-8-e": "iso8859_8",
    "logical": "iso8859_8",
    "visual": "iso8859_8",
    "sun_eu_greek": "iso8859_7",
    "dos-874": "cp874",
    "csgb2312": "gb18030",
    "gb_2312": "gb18030",
    "gb_2312-80": "gb18030",
    "cseucpkdfmtjapanese": "euc_jp",
    "cseuckr": "cp949",
    "csksc56011987": "cp949",
    "iso-ir-149": "cp949",
    "csmacintosh": "mac_roman",
    "mac": "mac_roman",
    "iso-8859-6-e": "iso8859_6",
    "iso-8859-6-i": "iso8859_6",
    "iso88591": "cp1252",
    "iso88592": "iso8859_2",
    "csisolatin9": "iso8859_15",
}
_NAMES = {  # Python codec -> the name browsers give it
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "cp874": "windows-874",
    "cp866": "ibm866",
    "big5hkscs": "big5",
    "euc_jp": "euc-jp",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac-roman": "macintosh",
    "iso2022_jp": "iso-2022-jp",
    "iso2022_kr": "iso-2022-kr",
}
_MULTIBYTE = frozenset({"gb18030", "cp932", "cp949", "big5hkscs", "euc_jp", "euc_jis_2004", "johab"})
_NOT_CHARSETS = frozenset({"unicode-escape", "raw-unicode-escape", "unicode_escape", "idna", "punycode", "undefined"})


def decode(body: bytes, content_type: str) -> tuple[str, str]:
    """The text of a page and the name of its charset; ``content_type`` is the HTTP header ("" if none)."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _clean(body[len(mark) :].decode(name, "replace")), name
    text, codec = _decode(body, content_type)
    return _clean(text), _name(codec)


def of_queries(body: bytes, content_type: str, name: str) -> str:
    """The name of the charset in which a page that was read in ``name`` writes the queries of its links.

    A page of nothing but ASCII has the charset that it declares. Browsers write gb18030 only where it is asked for by
    that name, else its predecessor gbk.
    """
    labels = _labels(body, content_type)
    if name == "utf-8" and body.isascii():
        name = next((_name(codec) for codec in map(codec_of, labels) if codec), name)
    if name == "gb18030" and not any(label.strip().lower() == name for label in labels):
        return "gbk"
    return name


def codec_of(label: str) -> str:
    """The Python codec that a charset label stands for, or "" if none does."""
    return _codec_of(label.strip().lower()[:64])


def declared(body: bytes) -> str:
    """The codec that a page declares for itself, or "". Tolerates tags that never end."""
    codec = codec_of(_declared_label(body))
    # Bytes in which this could be read are no UTF-16, whatever they say.
    return "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec


def _declared_label(body: bytes) -> str:
    head = _COMMENT.sub(b"", body[:PRESCAN_BYTES])
    found = _META.search(head) or _XML.search(head)
    return found[1].decode("ascii", "replace") if found else ""


def _clean(text: str) -> str:
    return text.replace("\x00", "") if "\x00" in text else text


def _decode(body: bytes, content_type: str) -> tuple[str, str]:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _legacy(body, content_type)
    if (b"\x00" in body or b"\x1b" in body) and (better := _disguised(body, content_type)):
        return better
    if not text.isascii() and len(body) - len(text) < 16 and (better := _by_chance(body, content_type)):
        return better
    return text, "utf-8"


def _disguised(body: bytes, content_type: str) -> tuple[str, str] | None:
    """ISO-2022 and UTF-16 without a mark look like ASCII."""
    if b"\x1b" not in body and body.count(b"\x00") * 8 < len(body):
        return None  # stray NULs
    for codec in (_by_nulls(body), *_declarations(body, content_type), _detect(body)):
        if codec.startswith(("iso2022", "utf-16", "utf-32", "hz")):
            text = body.decode(codec, "replace")
            if not _damage(text):
                return text, codec
    return None


def _by_nulls(body: bytes) -> str:
    """UTF-16 or UTF-32 by the places where NULs stand, "" if they stand anywhere. The labels say too little: ``utf-16``
    is either order."""
    sample = body[:DETECT_BYTES]
    share = [4 * sample[place::4].count(0) / len(sample) for place in range(4)]
    if min(share[2:]) > _WIDE_SHARE > share[0]:
        return "utf-32-le"
    if min(share[:2]) > _WIDE_SHARE > share[3]:
        return "utf-32-be"
    little, big = share[1] + share[3], share[0] + share[2]
    if max(little, big) < _FACTOR * min(little, big) or not little + big:
        return ""
    return "utf-16-le" if little > big else "utf-16-be"


def _by_chance(body: bytes, content_type: str) -> tuple[str, str] | None:
    """A few characters of a declared multi-byte charset can be valid UTF-8 by chance."""
    for codec in _declarations(body, content_type):
        if codec == "utf-8":
            return None
        text = body.decode(codec, "replace")
        if codec in _MULTIBYTE and "\ufffd" not in text:
            return text, codec
    return None


def _legacy(body: bytes, content_type: str) -> tuple[str, str]:
    """Bytes that are not valid UTF-8: what is declared if it fits, else what is detected."""
    for codec in _declarations(body, content_type):
        text = body.decode(codec, "replace")
        if _damage(text) <= BAD_SHARE:
            return text, codec
    codec = _detect(body)
    return body.decode(codec, "replace"), codec


def _declarations(body: bytes, content_type: str) -> list[str]:
    """Codecs declared by the header, then by the page."""
    header, _ = _labels(b"", content_type)
    found = [codec_of(header), declared(body)]
    return [codec for codec in dict.fromkeys(found) if codec]


def _labels(body: bytes, content_type: str) -> list[str]:
    """Labels of the header and of the page; "" where there is none."""
    header = _HEADER.search(content_type)
    return [header[1] if header else "", _declared_label(body)]


def _damage(text: str) -> float:
    """The share of characters beyond ASCII that cannot be meant: replaced ones and C1 controls."""
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    return (text.count("\ufffd") + len(_C1.findall(text))) / beyond if beyond else 0.0


def _detect(body: bytes) -> str:
    found = chardet.detect(body, max_bytes=DETECT_BYTES)["encoding"]
    return codec_of(found) if found else "cp1252"


@lru_cache(maxsize=1024)
def _codec_of(label: str) -> str:
    if label in _LABELS:
        return _LABELS[label]
    numbered = _NUMBERED.match(label)
    try:
        codec = codecs.lookup(f"cp{numbered[1]}" if numbered else label).name
        b"text".decode(codec, "replace")  # refuses codecs that are not charsets, such as hex
    except (LookupError, UnicodeError, ValueError):
        return ""
    return "" if codec in _NOT_CHARSETS else _SUPERSETS.get(codec, codec)


@lru_cache(maxsize=1024)
def _name(codec: str) -> str:
    if re.fullmatch(r"cp125\d", codec):
        return f"windows-{codec[2:]}"
    return _NAMES.get(codec, codec.replace("iso8859-", "iso-8859-"))
