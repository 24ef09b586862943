"""The main text of a page: what is left when menus, headers, footers and advertisements are taken away; and what the
page says of its author and its date.

trafilatura finds the text, htmldate the date (from the head, ``time`` elements and the URL; not from running text).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from clew.text.html import squeeze
from clew.text.taming import tame

HTML_CHARS = 4_000_000
"""A page with more has no main text, only its full one: what a book needs, a few times over."""

MAX_ELEMENTS = 100_000
"""The same for its elements: the time that trafilatura takes grows faster than they do."""

AUTHOR_CHARS = 120

_AUTHOR_NAMES = (
    "author",
    "citation_author",
    "dc.creator",
    "dc.creator.personalname",
    "dcterms.creator",
    "parsely-author",
)
_URL = re.compile(r"(?i)\A\s*(?:https?:)?//")


@dataclass(frozen=True, slots=True)
class MainText:
    """``text``: paragraphs, a line each; "" where none was found. ``date``: ISO 8601 day on which the page says it was
    published, or else changed; ``author``: as the page names them; both "" where it does not say."""

    text: str = ""
    date: str = ""
    author: str = ""


def main_text(html: str, url: str = "") -> MainText:
    """The main text of an HTML page, however broken. Never raises for what a page holds."""
    if len(html) > HTML_CHARS:
        return MainText()
    _quiet()
    from lxml import etree
    from trafilatura import load_html

    try:
        tree = load_html(tame(html))
        if tree is None or sum(1 for _ in tree.iter()) > MAX_ELEMENTS:
            return MainText()
        day, author = _date(tree, url), _author(tree)
        return MainText(_text(tree), day, author)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, etree.Error):
        return MainText()  # a page is never worth a crash; its full text is there


def _text(tree: Any) -> str:
    """trafilatura changes the tree: it comes last."""
    from trafilatura import extract

    found = extract(tree, fast=True, include_comments=False, include_tables=True)
    return str(found or "")


def _date(tree: Any, url: str) -> str:
    from htmldate import find_date

    found = find_date(tree, url=url or None, extensive_search=False, original_date=True) or ""
    return date.fromisoformat(found).isoformat() if found else ""


def _author(tree: Any) -> str:
    """The first name that a meta element, JSON-LD or a link with rel=author gives; no URLs."""
    for name in _authors(tree):
        text = squeeze(name)
        if text and len(text) <= AUTHOR_CHARS and not _URL.match(text):
            return text
    return ""


def _authors(tree: Any) -> Iterator[str]:
    for meta in tree.iter("meta"):
        if (meta.get("name") or meta.get("property") or "").strip().lower() in _AUTHOR_NAMES:
            yield meta.get("content") or ""
    for script in tree.iter("script"):
        if (script.get("type") or "").strip().lower() == "application/ld+json":
            yield from _named(_json(script.text or ""))
    for link in tree.iter("a"):
        if "author" in (link.get("rel") or "").lower().split():
            yield link.text_content()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _named(value: Any) -> Iterator[str]:
    """Names of authors in JSON-LD: a list, a graph, or one object."""
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, dict):
            continue
        authors = one.get("author")
        for author in authors if isinstance(authors, list) else [authors]:
            name = author.get("name") if isinstance(author, dict) else author
            if isinstance(name, str):
                yield name
        if isinstance(one.get("@graph"), list):
            yield from _named([part for part in one["@graph"] if not (isinstance(part, dict) and "@graph" in part)])


def _quiet() -> None:
    """What these libraries say of a page is of no use to the reader of a log."""
    for name in ("trafilatura", "htmldate", "justext", "courlan"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
