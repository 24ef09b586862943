"""Scope rules, and what they say of a URL they keep out."""

from __future__ import annotations

import pickle

import pytest

from clew.errors import ConfigError
from clew.urls.scope import Scope

URL = "http://www.a.test/news/2031/film.html?x=1"


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ({}, None),
        ({"hosts": [".a.test"]}, None),
        ({"hosts": ["a.test"]}, "host www.a.test is not among scope.hosts"),
        ({"exclude_hosts": ["www.a.test"]}, "host www.a.test is excluded by scope.exclude_hosts"),
        ({"paths": ["^/news/"]}, None),
        ({"paths": ["^/blog/"]}, "path matches none of scope.paths"),
        ({"exclude_paths": [r"/20\d\d/"]}, r"path matches '/20\\d\\d/' of scope.exclude_paths"),
        ({"exclude_endings": ["html"]}, "file ending .html is excluded by scope.exclude_endings"),
        ({"exclude_endings": ["pdf"]}, None),
        ({"schemes": ["https"]}, "http is not among scope.schemes"),
        ({"url_length": 40}, "longer than scope.url_length = 40"),
        ({"max_depth": 2}, "3 links from the seeds, more than scope.max_depth = 2"),
    ],
)
def test_rules(rules: dict[str, object], reason: str | None) -> None:
    scope = Scope(**rules)  # type: ignore[arg-type]
    assert scope.why_not(URL, depth=3) == reason
    assert scope.accepts([URL], depth=3) == [reason is None]


def test_a_leading_dot_takes_in_the_host_itself_and_no_lookalike() -> None:
    scope = Scope(hosts=[".a.test"])
    assert scope.accepts(["http://a.test/", "http://x.y.a.test/", "http://nota.test/", "http://a.test:8080/"]) == [
        True, True, False, True,
    ]  # fmt: skip


def test_endings_are_those_of_the_path() -> None:
    scope = Scope(exclude_endings=["pdf"])
    assert scope.accepts(["http://a.test/X.PDF", "http://a.test/?f=x.pdf", "http://a.test/pdf", "http://a.pdf/"]) == [
        False, True, True, True,
    ]  # fmt: skip


def test_a_bad_pattern_names_the_setting() -> None:
    with pytest.raises(ConfigError, match=r"scope.exclude_paths: '\(' is no regular expression"):
        Scope(exclude_paths=["("])


def test_it_can_be_sent_to_a_worker() -> None:
    assert pickle.loads(pickle.dumps(Scope(hosts=["a.test"]))).accepts(["http://b.test/"]) == [False]
