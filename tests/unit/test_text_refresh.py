"""The shared declarative refresh steps of the HTML standard."""

from __future__ import annotations

import pytest

from clew.text.refresh import refresh_target


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("0; url=http://a.test/b", "http://a.test/b"),
        ("5;URL='x y'", "x y"),
        ('0, url="q"', "q"),
        ("0;http://a.test/", "http://a.test/"),
        ("0; url = a?b=c;d", "a?b=c;d"),
        (".5 url=z", "z"),
        ("0.5.3.url=z", ""),  # what follows the number is neither ; nor , nor white space
        ("1.5.3;url=z", "z"),
        (" \t\n7\f,\r url\t=\n z \t", "z"),
        ("0;url='x'y'", "x"),
        ('0;url="x', "x"),
        ("0;url='x\"y", 'x"y'),
        ("0;'x'y", "x"),
        ("0;u", "u"),
        ("0;ur=x", "ur=x"),
        ("0;urls/x", "urls/x"),
        ("0;url x", "url x"),
        ("0;url'x'", "url'x'"),
        ("0;URL=url=x", "url=x"),
        ("0;;url=x", ";url=x"),
        ("0 ; url=x", "x"),
        ("0;, url=x", ", url=x"),
        ("0;\u00a0url=x", "url=x"),
        ("0url=x", ""),
        ("+1;url=x", ""),
        ("-1;url=x", ""),
        ("url=x", ""),
        (";url=x", ""),
        ("3", ""),
        ("3;", ""),
        ("3;  ", ""),
        ("0;url=", ""),
        ("0;url=''", ""),
        ("", ""),
        ("99999999999999999999;url=x", "x"),
    ],
)
def test_values(value: str, target: str) -> None:
    assert refresh_target(value) == target
