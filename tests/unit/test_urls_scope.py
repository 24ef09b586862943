"""The rules of [scope]."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from clew.config import ScopeSettings
from clew.errors import ConfigError
from clew.urls import scope as module
from clew.urls.scope import Scope


@pytest.mark.parametrize(
    ("rules", "inside", "outside"),
    [
        (
            {},
            ["http://a.example/", "https://a.example:8443/x.pdf?y", "http://[::1]/", "http://a.example/calendar/"],
            {},
        ),
        (
            {"hosts": ["example.org", ".example.net"]},
            ["http://example.org/", "https://example.org:81/x", "http://example.net/", "http://a.b.example.net:8080/"],
            {
                "http://www.example.org/": "host www.example.org is not in scope.hosts",
                "http://badexample.net/x": "host badexample.net is not in scope.hosts",
                "http://example.net.example.com/": "host example.net.example.com is not in scope.hosts",
                "http://net/": "host net is not in scope.hosts",
            },
        ),
        (
            {"hosts": [".example.org"], "exclude_hosts": ["ads.example.org", ".example.com"]},
            ["http://example.org/", "http://x.ads.example.org/"],
            {
                "http://ads.example.org/x": "host ads.example.org is excluded by scope.exclude_hosts",
                "http://ads.example.org:81/": "host ads.example.org:81 is excluded by scope.exclude_hosts",
                "http://example.com/": "host example.com is excluded by scope.exclude_hosts",
            },
        ),
        (
            {"hosts": ["a.example:8080", ".b.example:443", "[::1]:81"]},
            [
                "http://a.example:8080/",
                "https://b.example/",
                "https://x.b.example/",
                "http://b.example:443/",
                "http://[::1]:81/",
            ],
            {
                "http://a.example/": "host a.example is not in scope.hosts",
                "http://b.example/": "host b.example is not in scope.hosts",
                "http://[::1]/": "host [::1] is not in scope.hosts",
            },
        ),
        (
            {"exclude_hosts": ["EXAMPLE.org.", ".münchen.example", "192.0.2.1"]},
            ["http://www.example.org/", "http://x.192.0.2.example/"],
            {
                "http://example.org/": "host example.org is excluded by scope.exclude_hosts",
                "http://x.xn--mnchen-3ya.example/": "host x.xn--mnchen-3ya.example is excluded by scope.exclude_hosts",
                "http://192.0.2.1/": "host 192.0.2.1 is excluded by scope.exclude_hosts",
            },
        ),
        (
            {"paths": ["^/docs/", r"[?&]lang=en\b"], "exclude_paths": ["(?i)/PRINT/", r"\bC=\w;O="]},
            ["http://a.example/docs/x", "http://a.example/?lang=en", "http://a.example/x?a&lang=en&b"],
            {
                "http://a.example/": "path / is not in scope.paths",
                "http://docs/": "path / is not in scope.paths",
                "http://a.example/x/docs/": "path /x/docs/ is not in scope.paths",
                "http://a.example/docs/print/x": "path /docs/print/x is excluded by scope.exclude_paths ((?i)/PRINT/)",
                "http://a.example/docs/?C=N;O=D": r"path /docs/?C=N;O=D is excluded by scope.exclude_paths (\bC=\w;O=)",
            },
        ),
        (
            {"schemes": ["https"]},
            ["https://a.example/"],
            {"http://a.example/": "scheme http is not in scope.schemes"},
        ),
        (
            {"exclude_endings": ["pdf", ".ZIP", "tar.gz", "com"]},
            [
                "http://a.example.com/",
                "http://a.example.com/?f=x.pdf",
                "http://a.example/x.pdf/",
                "http://a.example/x.pdf.html",
                "http://a.example/v1.0/pdf",
                "http://a.example/x.gz",
                "http://a.example/xpdf",
                "http://a.example/v1.zip/notes",
            ],
            {
                "http://a.example/x.pdf": "file ending pdf is excluded by scope.exclude_endings",
                "http://a.example/d.e/X.PdF?y=1": "file ending pdf is excluded by scope.exclude_endings",
                "http://a.example/.zip": "file ending zip is excluded by scope.exclude_endings",
                "http://a.example/x-1.2.TAR.gz": "the file ending of x-1.2.tar.gz is excluded by scope.exclude_endings",
            },
        ),
        (
            {"url_length": 32},
            ["http://a.example/" + "x" * 15],
            {"http://a.example/" + "x" * 16: "33 characters are more than scope.url_length (32)"},
        ),
    ],
)
def test_rules(rules: dict[str, Any], inside: list[str], outside: dict[str, str]):
    scope = Scope(**rules)
    for _ in range(2):  # the second time with what is remembered
        assert {url: scope.why_not(url) for url in inside} == dict.fromkeys(inside)
        assert {url: scope.why_not(url) for url in outside} == outside
    assert scope.accepts([*inside, *outside]) == [True] * len(inside) + [False] * len(outside)


def test_depth():
    scope = Scope(max_depth=2)
    assert scope.why_not("http://a.example/", 2) is None
    assert scope.why_not("http://a.example/", 3) == "depth 3 is beyond scope.max_depth (2)"
    assert scope.accepts(["http://a.example/"] * 2, 3) == [False, False] and scope.accepts([], 3) == []
    assert Scope().why_not("http://a.example/", 1_000_000) is None


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"paths": ["ok", "(x"]}, r"scope\.paths: '\(x' is no regular expression: missing \)"),
        ({"exclude_paths": ["*"]}, r"scope\.exclude_paths: '\*' is no regular expression: nothing to repeat"),
        *(
            ({setting: ["ok.example", host]}, rf"scope\.{setting}: .* is no host name: write example\.org")
            for setting in ("hosts", "exclude_hosts")
            for host in (
                *("http://a.example", "a.example/x", "*.a.example", "", ".", "..", "a b.example", "u@a.example", "a?b"),
                *("a.example:http", "a.example:" + "9" * 5_000, "::1", "[::1", "256.1.1.1", "a#b", ":80"),
            )
        ),
        ({"schemes": ["http", "ftp"]}, r"scope\.schemes: \['http', 'ftp'\] must hold http, https or both"),
        ({"schemes": []}, r"scope\.schemes: \[\] must hold http, https or both"),
    ],
)
def test_bad_settings_are_named(rules: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        Scope(**rules)


def test_takes_the_settings_as_they_are_called():
    settings = ScopeSettings(hosts=(".a.example",), max_depth=3)
    fields = {
        name: getattr(settings, name) for name in settings.__struct_fields__ if name not in ("drop_parameters", "never")
    }
    scope = Scope(**fields)
    urls = ["http://a.example/x.html", "http://a.example/x.mp4", "http://b.example/", "http://a.example/" + "x" * 2_000]
    assert scope.accepts(urls, 3) == [True, False, False, False] and scope.accepts(urls, 4) == [False] * 4


def test_copies_for_workers():
    scope = Scope(exclude_hosts=[".a.example"], paths=["x"])
    scope.accepts(["http://a.example/x"])
    accepts = pickle.loads(pickle.dumps(scope.accepts))
    assert accepts(["http://a.example/x", "http://b.example/x", "http://b.example/y"]) == [False, True, False]


def test_what_is_remembered_of_hosts_is_bounded():
    scope = Scope(exclude_hosts=["h7.example"])
    scope.accepts(f"http://h{n}.example/" for n in range(module._ORIGINS + 10))
    assert len(scope._origins) <= module._ORIGINS
    assert scope.accepts(["http://h7.example/", "http://h8.example/"]) == [False, True]
