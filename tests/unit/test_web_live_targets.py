"""URLs taken apart: the fast way and the browser's algorithm agree on every URL."""

from __future__ import annotations

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.web.live.targets import Target, take_apart

PIECES = [
    "/",
    "//",
    ".",
    "..",
    "/./",
    "/../",
    "%2e",
    "%2E%2e",
    "/%2e/",
    "%",
    "%zz",
    "a",
    "é",
    "?",
    "#",
    "'",
    '"',
    "\\",
    "|",
    "^",
    "{",
    "<",
    "~",
    "@",
    ":",
    ";",
    "=",
    "&",
    "+",
    "[",
    "*",
    "!",
    "x.html",
]
PIECES += [" ", "\t", "\n", "\0"]
HOSTS = [
    "a.test",
    "A.Test",
    "a.test.",
    "a.test:80",
    "a.test:0443",
    "a.test:8080",
    "127.1",
    "0x7f.1",
    "[::1]",
    "u@a.test",
    "a%2etest",
    "é.test",
]
HOSTS += ["xn--9ca.test", "a b", "", "a:99999", "1.2.3.4.5", "a.0x1", "a_b.test", "2130706433"]


@settings(max_examples=600, deadline=None)
@given(
    st.sampled_from(["http://", "https://", "HTTP://", "http:/", "ftp://"]),
    st.sampled_from(HOSTS),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)
def test_as_the_browser_does(scheme: str, host: str, rest: str) -> None:
    url = f"{scheme}{host}{rest}"
    try:
        parts = ada_url.URL(url)
    except ValueError:
        with pytest.raises(ValueError):
            take_apart(url)
        return
    if parts.protocol not in ("http:", "https:") or parts.username:
        with pytest.raises(ValueError):
            take_apart(url)
        return
    expected = Target(parts.href.partition("#")[0], parts.origin, parts.hostname.rstrip("."))
    assert take_apart(url) == expected


def test_examples() -> None:
    assert take_apart("http://a.test/b?c") == Target("http://a.test/b?c", "http://a.test", "a.test")
    assert take_apart("https://a.test.:8443/") == Target("https://a.test.:8443/", "https://a.test.:8443", "a.test")
    assert take_apart("http://0x7f.1/%2e%2e/x#y") == Target("http://127.0.0.1/x", "http://127.0.0.1", "127.0.0.1")
