"""In what two URLs differ: scheme, www, trailing slash, index page, a token in the path, parameters by name.

When pages whose URLs differ in one of these turn out to be the same, again and again, it makes no difference on that
host (Bar-Yossef and others 2007 call such rules DUST: different URLs with similar text).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from clew.urls.traps import parts

_INDEX = re.compile(r"(?i)(?<=/)(?:index|default|home)\.(?:x?html?|php\d?|aspx?|jsp|cgi|shtml)$")
_TOKEN = re.compile(
    r"(?i)\(S\([^()/]*\)\)|(?<=/)(?=[^/]*\d)(?=[^/]*[a-z])[0-9a-z_-]{20,}(?=/)|;[a-z]*s(?:ession)?id=[^;/]*"
)
_VALUE = re.compile(r"(?i)(?=.*\d)(?=.*[a-z])[0-9a-z_-]{16,}|(?=.*\d)(?=.*[a-f])[0-9a-f]{8,}")
_SESSION = re.compile(
    r"(?i)(?:php|asp|j|os|zen)?_?s(?:ess(?:ion)?)?_?(?:id|key|code|token|hash)?|osCsid|zenid|cfid|cftoken|token|"
    r"ticket|nonce|visitor_?id|_|rand(?:om)?|timestamp|ts|t"
)
_ORDER = re.compile(r"(?i)(?:sort|order|dir|direction)(?:_?(?:by|order|dir|col|column|field|key))?|c|o|asc|desc|ob|od")


class Aspects(NamedTuple):
    """A URL taken apart: what stays, and by name what may make no difference."""

    skeleton: str
    values: dict[str, str]


def bare(host: str) -> str:
    """A host without www."""
    return host.removeprefix("www.")


def has_ending(url: str, endings: tuple[str, ...]) -> bool:
    """Whether the path of a canonical URL ends so; ``endings`` are lower-case and begin with a dot."""
    return url.partition("?")[0].lower().endswith(endings)


def aspects(url: str) -> Aspects:
    """A canonical URL taken apart. Names of parameters begin with a question mark."""
    name, path, query = parts(url)
    values = {"scheme": url.partition(":")[0], "www": "www" if name.startswith("www.") else ""}
    if token := _TOKEN.search(path):
        path, values["token"] = path[: token.start()] + "~" + path[token.end() :], token[0]
    if index := _INDEX.search(path):
        path, values["index"] = path[: index.start()], index[0]
    values["slash"] = "/" if path.endswith("/") else ""
    path = path.rstrip("/")
    for field in re.split("[&;]", query) if query else ():
        label, _, value = field.partition("=")
        values[f"?{label}"] = values.get(f"?{label}", "") + "\0" + value
    return Aspects(f"{bare(name)}{path}", values)


def difference(one: Aspects, other: Aspects) -> list[str]:
    """The names of what differs between two URLs of one skeleton. An index page stands for its folder: whether the
    URL without one ends in a slash is no difference more."""
    names = [name for name in {**one.values, **other.values} if one.values.get(name) != other.values.get(name)]
    return [name for name in names if name != "slash"] if "index" in names else names


def without(found: Aspects, names: Collection[str]) -> str:
    """A URL as text, less what makes no difference: equal for URLs that differ in nothing else."""
    left = sorted((name, value) for name, value in found.values.items() if name not in names)
    return f"{found.skeleton} {left}"


def is_expected(name: str, value: str) -> bool:
    """Whether an aspect is one that seldom makes a difference: a session, a token, a sort order."""
    if name == "token":
        return True
    if not name.startswith("?"):
        return False
    return bool(_SESSION.fullmatch(name[1:]) or _ORDER.fullmatch(name[1:]) or _VALUE.fullmatch(value.lstrip("\0")))
