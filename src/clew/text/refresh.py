"""Where a page sends its readers after a while: ``<meta http-equiv=refresh>`` and the header ``Refresh``.

Both are read by the shared declarative refresh steps of the HTML standard, so that the odd forms mean what they mean
in browsers.
"""

from __future__ import annotations

import re

_VALUE = re.compile(
    r"[ \t\n\r\f]*+"
    r"(?:[0-9]++|(?=\.))[0-9.]*+"  # seconds: whole ones count, fractions are read over
    r"(?=[;, \t\n\r\f])[ \t\n\r\f]*+[;,]?+[ \t\n\r\f]*+"
    r"(?P<rest>.++)",
    re.S,
)
_NAME = re.compile(r"url[ \t\n\r\f]*+=[ \t\n\r\f]*+", re.I)


def refresh_target(value: str) -> str:
    """The URL that a refresh leads to, as written; "" when it names none (it is no refresh, or one of the page)."""
    found = _VALUE.match(value)
    if found is None:
        return ""
    rest = found["rest"]
    name = _NAME.match(rest)
    if name is not None:
        rest = rest[name.end() :]
    elif rest[:1] in ("u", "U"):
        return rest.strip()  # a relative URL that begins with a u: browsers look for no quotes here
    quote = rest[:1]
    if quote in ("'", '"'):
        rest = rest[1:].partition(quote)[0]
    return rest.strip()
