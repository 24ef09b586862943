"""Texts out of the files of Debian packages, one format after another. Everything comes in the order of the files."""

from __future__ import annotations

import gzip
import html
import re
import string
import struct
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

APT_HELPER = "/usr/lib/apt/apt-helper"
_DIGITS = {digit: value for value, digit in enumerate(string.ascii_uppercase + string.ascii_lowercase + "0123456789+/")}
_TAG = re.compile(r"<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\])?>|<\?.*?\?>|<[^>]*>", re.S)
_ENTITY = re.compile(r"&[A-Za-z][\w.-]*;")

Files = dict[str, bytes]
"""The files of one package that belong together, by path."""


def package_files(package: Path, wanted: re.Pattern[str]) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of the files of a .deb whose path matches ``wanted`` (somewhere, up to the end)."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() and wanted.search(member.name) else None
                if file is not None:
                    yield member.name, file.read()


def html_texts(files: Files) -> Iterator[str]:
    """One text a file."""
    for raw in files.values():
        tree = LexborHTMLParser(raw)
        tree.strip_tags(["script", "style", "nav", "header", "footer", "pre"])
        if tree.body is not None:
            yield tree.body.text(separator=" ")


def markup_texts(files: Files) -> Iterator[str]:
    """One text a file of XML; entities that are not HTML's stand for product names and are left out."""
    for raw in files.values():
        text = _TAG.sub(" ", raw.decode("utf-8", "replace"))
        yield _ENTITY.sub(" ", html.unescape(text))


def catalogue_texts(files: Files, original: bool = False) -> Iterator[str]:
    """One text a translated message; with ``original``, one an untranslated (English) one of gettext."""
    for path, raw in files.items():
        messages = _mo_messages(raw, original) if path.endswith(".mo") else _qm_messages(b"" if original else raw)
        for message in messages:
            yield html.unescape(_TAG.sub(" ", message))


def dictionary_texts(files: Files) -> Iterator[str]:
    """One text an entry of dictd's dictionaries (RFC 2229's server)."""
    for path, raw in files.items():
        if path.endswith(".index"):
            body = gzip.decompress(files[path.removesuffix(".index") + ".dict.dz"])
            spans = {
                tuple(line.split("\t")[1:3]) for line in raw.decode("utf-8", "replace").splitlines() if "\t" in line
            }
            for start, length in sorted((_base64(one), _base64(other)) for one, other in spans):
                yield body[start : start + length].decode("utf-8", "replace")


def fortune_texts(files: Files) -> Iterator[str]:
    """One text a cookie."""
    for path, raw in files.items():
        if not path.endswith((".dat", ".u8")):
            yield from re.split(r"^%.*$", raw.decode("utf-8", "replace"), flags=re.M)


def description_texts(index: Path) -> Iterator[str]:
    """One text a package of a Translation-xx file of apt; a paragraph that came before is left out."""
    command = [APT_HELPER, "cat-file", str(index)]
    raw = subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")
    seen: set[str] = set()
    for stanza in re.findall(r"^Description-\w+: (.*\n(?: .*\n)*)", raw.replace("Description-md5", "Sum"), flags=re.M):
        fresh = [part for part in re.split(r"\n \.\n", stanza) if " ".join(part.split()) not in seen]
        seen.update(" ".join(part.split()) for part in fresh)
        yield "\n".join(fresh)


FORMATS: dict[str, Callable[[Files], Iterator[str]]] = {
    "html": html_texts,
    "markup": markup_texts,
    "catalogue": catalogue_texts,
    "dictionary": dictionary_texts,
    "fortune": fortune_texts,
}


def _mo_messages(raw: bytes, original: bool) -> Iterator[str]:
    """Translations, or originals, in a gettext catalogue (little or big endian); the header is left out."""
    order = "<" if raw[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack_from(f"{order}III", raw, 8)
    table = originals if original else translations
    for place in range(count):
        length, start = struct.unpack_from(f"{order}II", raw, table + 8 * place)
        text = raw[start : start + length].decode("utf-8", "replace")
        if not text.startswith("Project-Id-Version"):
            yield text.replace("\0", "\n").replace("\4", "\n")


def _qm_messages(raw: bytes) -> Iterator[str]:
    """Translations in a compiled Qt catalogue: sections of a tag, a length and a body; the messages' tag is 0x69."""
    place = 16
    while place + 5 <= len(raw):
        tag, length = struct.unpack_from(">BI", raw, place)
        if tag == 0x69:
            yield from _qm_section(raw[place + 5 : place + 5 + length])
        place += 5 + length


def _qm_section(raw: bytes) -> Iterator[str]:
    """Inside, again tags and lengths: 3 is a translation in UTF-16, 1 ends a message and has no length; 5 has four
    bytes and none either."""
    place = 0
    while place < len(raw):
        tag = raw[place]
        if tag in (1, 5):
            place += 1 if tag == 1 else 5
            continue
        (length,) = struct.unpack_from(">I", raw, place + 1)
        if tag == 3 and length != 0xFFFFFFFF:
            yield raw[place + 5 : place + 5 + length].decode("utf-16-be", "replace")
        place += 5 + (0 if length == 0xFFFFFFFF else length)


def _base64(digits: str) -> int:
    value = 0
    for digit in digits:
        value = value * 64 + _DIGITS.get(digit, 0)
    return value
