"""The web platform's URL tests: what browsers must make of a URL, and what they must refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from clew.errors import UrlError
from clew.urls.canonical import Canonicaliser, canonical

FOLDER = Path(__file__).parents[2].parent / "shared" / "hostile" / "urls"

REFUSED = {
    "http://./": "nothing is left of the host",
    "http://../": "nothing is left of the host",
    "http://foo.09..": "without its dots the host would be an IPv4 address, and 09 is no number",
}
"""Valid for browsers, refused by us: input -> why."""


def cases(name: str) -> list[dict[str, Any]]:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"shared/hostile/urls/{name} is not here")
    return [case for case in json.loads(path.read_text(encoding="utf-8")) if isinstance(case, dict)]


def by_our_rules(href: str) -> str:
    """Our rules applied, step by step, to what browsers give."""
    href = href.split("#", 1)[0]
    scheme, rest = href.split("//", 1)
    authority, slash, tail = rest.partition("/")
    authority = authority.split("@")[-1]
    port = match[0] if (match := re.search(r":\d+$", authority)) else ""
    name = authority.removesuffix(port)
    while name.endswith("."):
        name = name[:-1]
    if tail.endswith("?") and tail.count("?") == 1:
        tail = tail[:-1]
    return f"{scheme}//{name}{port}{slash}{escapes(tail)}"


def escapes(text: str) -> str:
    """Escapes of unreserved characters decoded, all others in capitals."""
    found, at = [], 0
    while at < len(text):
        escape = re.match("%[0-9A-Fa-f]{2}", text[at:])
        if escape:
            character = chr(int(escape[0][1:], 16))
            plain = character.isascii() and (character.isalnum() or character in "-._~")
            found.append(character if plain else escape[0].upper())
        else:
            found.append(text[at])
        at += 3 if escape else 1
    return "".join(found)


def attempt(url: str, base: str | None = None) -> str | None:
    try:
        return canonical(url, base)
    except UrlError as error:
        assert error.reason
        return None


def test_urls_that_browsers_parse():
    """Every http(s) case gives the browser's URL after our rules, by either way, and keeps it for ever."""
    call = Canonicaliser((), 65_536)
    count, wrong = 0, []
    for case in cases("urltestdata.json"):
        if case.get("protocol") not in ("http:", "https:") or case["input"] in REFUSED:
            continue
        url, base = case["input"], case["base"]
        wanted = by_our_rules(case["href"])
        found = (attempt(url, base), call(url, base or ""), attempt(wanted))
        count += 1
        if found != (wanted,) * 3:
            wrong.append((url, base, wanted, found))
    assert not wrong
    assert count > 240


def test_urls_that_browsers_refuse_and_other_schemes():
    call = Canonicaliser((), 65_536)
    failing, other, wrong = 0, 0, []
    for case in cases("urltestdata.json"):
        if not case.get("failure") and case["protocol"] in ("http:", "https:"):
            continue
        url, base = case["input"], case["base"]
        if attempt(url, base) is not None or call(url, base or "") is not None or not call.why_not(url, base or ""):
            wrong.append((url, base))
        failing, other = failing + bool(case.get("failure")), other + (not case.get("failure"))
    assert not wrong
    assert failing > 260 and other > 360


def test_what_we_refuse_beyond_browsers():
    """Each exception is still in the suite, is valid there, and is still refused."""
    valid = {case["input"] for case in cases("urltestdata.json") if not case.get("failure")}
    assert valid >= REFUSED.keys()
    assert [attempt(url) for url in REFUSED] == [None] * len(REFUSED)


@pytest.mark.parametrize(("name", "least"), [("toascii.json", 80), ("IdnaTestV2.json", 2_600)])
def test_hosts_to_ascii(name: str, least: int):
    count, wrong = 0, []
    for case in cases(name):
        if not case["input"]:
            continue  # no host to speak of: https:///x is https://x/
        output = (case["output"] or "").rstrip(".")
        wanted = f"https://{output}/x" if output else None
        found = attempt(f"https://{case['input']}/x")
        count += 1
        if found != wanted:
            wrong.append((case, found))
    assert not wrong
    assert count >= least
