"""Links in the header of a response: ``Refresh`` (HTML standard) and ``Link`` (RFC 8288)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from clew.model import LinkKind
from clew.text.html import Anchor, head_link
from clew.text.refresh import refresh_target

_LINK = re.compile(r'<([^<>]*+)>((?:[^",<]++|"(?:[^"\\]++|\\.)*+"?)*+)', re.S)
_PARAMETER = re.compile(r';\s*+([^\s=;,"]++)(?:\s*+=\s*+("(?:[^"\\]++|\\.)*+"?|[^\s;,"]*+))?', re.S)
_ESCAPED = re.compile(r"\\(.)", re.S)


def header_links(headers: Iterable[tuple[str, str]]) -> tuple[list[Anchor], list[str]]:
    """The links in a response's header, and the canonical URLs that it declares; as written, relative to its URL.

    Links of another page (parameter ``anchor``) are left out.
    """
    anchors: list[Anchor] = []
    canonicals: list[str] = []
    for name, value in headers:
        lower = name.lower()
        if lower == "refresh":
            if target := refresh_target(value):
                anchors.append(Anchor(LinkKind.REFRESH, target))
        elif lower == "link":
            for href, given in _links(value):
                rels = given.get("rel", "").lower().split()
                canonicals += [href] if "canonical" in rels else []
                if found := head_link(href, rels, given.get("type", ""), given.get("title", "")):
                    anchors.append(found)
    return anchors, canonicals


def _links(value: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Targets and parameters (names in lower case; the first of a name counts)."""
    for found in _LINK.finditer(value):
        given: dict[str, str] = {}
        for name, text in _PARAMETER.findall(found[2]):
            bare = _ESCAPED.sub(r"\1", text[1:].removesuffix('"')) if text[:1] == '"' else text
            given.setdefault(name.lower(), bare)
        href = found[1].strip()
        if href and "anchor" not in given:
            yield href, given
