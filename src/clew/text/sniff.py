"""What a response really is: HTML, plain text, or no text at all. Servers' labels are often wrong.

Follows the WHATWG MIME Sniffing standard where it matters to a crawler: signatures of binary files beat any label,
``text/plain`` and ``application/octet-stream`` are looked into, and what is declared to be a page is believed.
"""

from __future__ import annotations

import re

import chardet

HTML = "text/html"
PLAIN = "text/plain"

_SIGNATURES = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"%!PS", "a PostScript document"),
    (b"{\\rtf", "an RTF document"),
    (b"\x7fELF", "a program"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"\x1aE\xdf\xa3", "a Matroska film"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"\x00asm", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"SQLite format 3\x00", "a database"),
)
_PATTERNS = (  # signatures that a text could begin with by chance
    (re.compile(rb"GIF8[79]a"), "a GIF image"),
    (re.compile(rb"RIFF.{4}(?:WEBP|WAVE|AVI )", re.S), "a WebP image, WAV recording or AVI film"),
    (re.compile(rb"BZh[1-9]1AY&SY"), "a bzip2 archive"),
    (re.compile(rb"ID3[\x02-\x04]"), "an MP3 recording"),
    (re.compile(rb"[CFZ]WS[\x01-\x2f]"), "a Flash film"),
    (re.compile(rb".{4}ftyp", re.S), "a film or picture (MP4 family)"),
)
_HTML_START = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?+(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+"
    rb"<(?:!doctype\s+html|(?:html|head|body|title|script|iframe|h1|div|font|table|a|style|b|br|p|meta)[\s/>])",
    re.I | re.S,
)
_VALUES = re.compile(r'(?:[^,"]++|"(?:[^"\\]++|\\.)*+"?)++', re.S)
_ESSENCE = re.compile(r"[\s\"']*+([\w!#$%&'*+.^`|~-]++/[\w!#$%&*+.^`|~-]++)", re.A)
_TAG = re.compile(
    rb"<(?:!doctype\s|/?(?:html|head|title|body|meta|link|script|div|span|p|a|table|td|ul|li|h[1-6]|br|b|font)[\s/>])",
    re.I,
)
"""Two of these are not to be found at the beginning of a binary file."""

_CONTROLS = bytes({*range(32)} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_SNIFFED_BYTES = 2048
_CONTROL_SHARE = 0.02
NAMELESS = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})
"""Content types that say nothing."""

_UNKNOWN = NAMELESS | {"application/octet-stream"}
_READABLE = frozenset({HTML, "application/xhtml+xml", PLAIN})


def kind_of(content_type: str, body: bytes) -> tuple[str, str]:
    """The content type to read a body as (HTML, XHTML or PLAIN) and "", or "" and why it is no text for people."""
    essence = essence_of(content_type)
    if not body:
        return (essence if essence in _READABLE else HTML), ""
    if binary := _binary(body):
        return "", f"is {binary}, not text" + (f" (sent as {essence})" if essence else "")
    if essence in (HTML, "application/xhtml+xml"):
        return essence, ""
    # XML is read tolerantly: its text comes out.
    if (is_xml(content_type) and not essence.startswith("image/")) or _HTML_START.match(
        body[:_SNIFFED_BYTES].replace(b"\x00", b"")
    ):
        return HTML, ""
    return (PLAIN, "") if essence in _UNKNOWN or essence.startswith("text/") else ("", f"is {essence}, not text")


def essence_of(content_type: str) -> str:
    """Type and subtype of a Content-Type header, in lower case, "" if it has none. Of several the last counts, and what
    follows without a semicolon is passed over, as it must be meant."""
    found = ""
    for value in _VALUES.findall(content_type):
        essence = _ESSENCE.match(value)
        if essence is not None and essence[1] != "*/*":
            found = essence[1].lower()
    return found


def is_xml(content_type: str) -> bool:
    """Whether browsers read what is sent with this header by the rules of XML."""
    return essence_of(content_type).endswith(("/xml", "+xml"))


def _binary(body: bytes) -> str:
    """What kind of binary file a body is, "" if it is text."""
    for signature, name in _SIGNATURES:
        if body.startswith(signature):
            return name
    for pattern, name in _PATTERNS:
        if pattern.match(body):
            return name
    head = body[:_SNIFFED_BYTES]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls <= max(1, _CONTROL_SHARE * len(head)) or len(_TAG.findall(head.translate(None, _CONTROLS))) > 1:
        return ""
    # Much that no text holds: UTF-16 and UTF-32, or no text.
    return "" if chardet.detect(body, max_bytes=65_536)["encoding"] else "binary data"
