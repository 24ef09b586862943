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
    if parts.protocol not in ("http:", "https:"):
        with pytest.raises(ValueError):
            take_apart(url)
        return
    parts.username = parts.password = ""
    expected = Target(parts.href.partition("#")[0], parts.origin, parts.hostname.rstrip("."))
    assert take_apart(url) == expected


def test_examples() -> None:
    assert take_apart("http://a.test/b?c") == Target("http://a.test/b?c", "http://a.test", "a.test")
    assert take_apart("https://a.test.:8443/") == Target("https://a.test.:8443/", "https://a.test.:8443", "a.test")
    assert take_apart("http://0x7f.1/%2e%2e/x#y") == Target("http://127.0.0.1/x", "http://127.0.0.1", "127.0.0.1")


def test_credentials_are_left_out() -> None:
    assert take_apart("http://me:secret@a.test:81/x@y?z") == Target(
        "http://a.test:81/x@y?z", "http://a.test:81", "a.test"
    )
    with pytest.raises(ValueError, match=r"'ftp://a\.test/' is no http or https URL"):
        take_apart("ftp://me:secret@a.test/")


@pytest.mark.parametrize(
    ("url", "port"),
    [("http://a.test/", 80), ("https://a.test/x:5", 443), ("https://a.test:8443/", 8443), ("http://[::1]/", 80),
     ("http://[::1]:81/", 81), ("http://a.test:080/", 80)],
)  # fmt: skip
def test_ports(url: str, port: int) -> None:
    assert take_apart(url).port == port
