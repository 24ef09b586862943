"""The text of a page for people who read or search it: the main one, or all that is visible."""

from __future__ import annotations

from dataclasses import dataclass

from clew.model import Response
from clew.text import charset, html
from clew.text.formats import FEED, Formats, Unreadable
from clew.text.maintext import main_text
from clew.text.reader import content_type_of, plain
from clew.text.sniff import PLAIN, is_xml, kind_of
from clew.text.xhtml import as_html

MAIN, FULL, NONE = "main", "full", "none"


@dataclass(frozen=True, slots=True)
class PageText:
    """``kind``: MAIN, FULL (asked for, or there is no other: plain text, documents, pages whose main text was not
    found) or NONE, with no text. ``date`` and ``author``: as in MainText, known where the main text was asked for."""

    text: str = ""
    kind: str = NONE
    date: str = ""
    author: str = ""


NO_TEXT = PageText()


def page_text(response: Response, formats: Formats, *, main: bool) -> PageText:
    """The text in a response; NO_TEXT for what holds none. ``main``: the main text where it is found."""
    content_type = content_type_of(response)
    try:
        form = formats.read(response.body, content_type)
    except Unreadable:
        return NO_TEXT
    if form is not None:
        return NO_TEXT if form.kind == FEED else _full(form.document.text)
    kind, _ = kind_of(content_type, response.body)
    if not kind:
        return NO_TEXT
    text, _ = charset.decode(response.body, content_type)
    if kind == PLAIN:
        return _full(plain(text).text)
    if is_xml(content_type):
        text = as_html(text)
    found = main_text(text, response.url) if main else None
    if found is not None and found.text:
        return PageText(found.text, MAIN, found.date, found.author)
    full = _full(html.parse(text, 1).text)
    return full if found is None else PageText(full.text, full.kind, found.date, found.author)


def _full(text: str) -> PageText:
    return PageText(text, FULL) if text else NO_TEXT
