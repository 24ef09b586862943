"""A page of the web as it came, made into one that loads nothing and leads nowhere by itself.

The browser does most of that: who shows such a page sends ``POLICY`` with it, which gives it an origin of its own
and lets it run and load nothing. What a policy says nothing about is made unknown to the browser here: elements that
reach for other hosts before anything is loaded (``link``), lead elsewhere (``meta``), or change where links lead
(``base``).
"""

from __future__ import annotations

import re

from clew.model import Response
from clew.text import charset
from clew.text.reader import content_type_of
from clew.text.sniff import PLAIN, is_xml, kind_of
from clew.text.xhtml import as_html

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
"""The Content-Security-Policy of such a page: no scripts, no forms, no frames, nothing from anywhere; styles and images
that stand in the page itself."""

_REACHING = re.compile(r"<(?=(?:base|link|meta)(?![^\s/>]))", re.IGNORECASE)


def inert(response: Response) -> tuple[str, bool] | None:
    """The text of a response, and whether it is a page, for HTML and XHTML; else plain text. None for what is neither:
    documents, images."""
    content_type = content_type_of(response)
    kind, _ = kind_of(content_type, response.body)
    if not kind:
        return None
    text, _ = charset.decode(response.body, content_type)
    if kind == PLAIN:
        return text, False
    return _REACHING.sub("<x-", as_html(text) if is_xml(content_type) else text), True
