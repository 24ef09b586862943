"""What can be tuned in a simulated web, with units and ranges, and the ``sim:`` spec that names one."""

from __future__ import annotations

import re
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, get_args

from clew.errors import InputError

MIN_HOST_PAGES = 10
"""Pages of the smallest host: its home, the pages reserved for tunnels, and one more."""


def _number(default: Any, low: float, high: float, doc: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "doc": doc})


def _share(default: float, doc: str) -> Any:
    return _number(default, 0.0, 1.0, doc)


Wording = Literal["made-up", "english"]
"""Made-up words for any number of topics; English ones for webs that people look at."""


@dataclass(frozen=True, slots=True)
class SimParameters:
    """The shape of a simulated web. Shares and probabilities lie in [0, 1].

    Raises InputError when a value lies outside its range.
    """

    branching: int = _number(4, 2, 16, "children of each node of the topic tree")
    depth: int = _number(3, 1, 4, "levels of the topic tree below its root; pages have topics of the lowest level")
    pages_per_host: int = _number(75, MIN_HOST_PAGES, 1_000_000, "mean number of pages a host")
    host_skew: int = _number(2, 0, 4, "size of the host of rank r is proportional to r^-(1 - 2^-skew); 0: equal sizes")
    host_locality: float = _share(0.85, "probability that a page is about its host's main topic")
    out_degree: float = _number(40.0, 8, 200, "mean number of links on a page (log-normal)")
    same_host: float = _number(0.4, 0, 0.9, "share of links that stay on the host")
    locality: float = _share(0.6, "probability that a link to another host is aimed at the page's own topic")
    island_hosts: int = _number(4, 1, 1_000_000, "hosts of one topic that form an island")
    tunnels: float = _share(0.25, "share of islands that no page of their own branch of topics links to from outside")
    tunnel_length: int = _number(3, 1, 8, "off-topic pages in the longest tunnel; lengths are uniform from 1")
    hubs: float = _number(0.05, 0, 0.5, "share of hub pages, which list many pages of their topic")
    navigation: float = _number(0.08, 0, 0.5, "share of navigation pages, which list pages of their host")
    anchor_informative: float = _share(0.6, "probability that an anchor text is taken from the title of its target")
    context_informative: float = _share(0.5, "probability that words of the target's topic follow a link")
    url_informative: float = _share(0.4, "probability that a word of a URL's path tells the topic")
    broken: float = _number(0.03, 0, 0.9, "share of links that lead to no page: 404, dead host or redirect loop")
    redirects: float = _number(0.03, 0, 0.9, "share of working links that lead through one to three redirects")
    words: int = _number(1_100, 50, 20_000, "mean number of words in the text of a page (log-normal)")
    topic_words: float = _number(0.2, 0, 0.9, "mean share of words drawn from the page's topic and its ancestors")
    degree_spread: float = _number(0.4, 0, 1.5, "standard deviation of the logarithm of the number of links on a page")
    layers: float = _share(0.0, "share of hosts that are layered sites (home, people, person, papers); needs tunnels=0")
    decoys: float = _share(0.75, "share of a layered site's lists, after the first, that lead to no papers")
    traps: float = _share(0.0, "share of hosts with traps: calendars without end, print versions, tickets in URLs")
    language: Wording = field(
        default="made-up", metadata={"choices": get_args(Wording), "doc": "words of topics, texts and hosts"}
    )
    domain: str = field(default="sim.test", metadata={"doc": "suffix of all host names"})
    port: int = _number(80, 1, 65_535, "port in all URLs")

    def __post_init__(self) -> None:
        for item in fields(self):
            _check(item, getattr(self, item.name))
        if self.layers and self.tunnels:
            raise InputError("simulated web: layered sites have no room for tunnels: set tunnels=0 or layers=0")

    @property
    def leaves(self) -> int:
        """Topics of the lowest level."""
        return int(self.branching**self.depth)

    def changed(self) -> dict[str, int | float | str]:
        """The parameters that differ from their defaults."""
        pairs = ((item.name, getattr(self, item.name), item.default) for item in fields(self))
        return {name: value for name, value, default in pairs if value != default}


def _check(item: Field[Any], value: Any) -> None:
    if "choices" in item.metadata:
        if value not in item.metadata["choices"]:
            choices = ", ".join(item.metadata["choices"])
            raise InputError(f"simulated web: {item.name}={value} is none of: {choices} ({item.metadata['doc']})")
        return
    if item.name == "domain":
        if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)*", value):
            raise InputError(f"simulated web: domain={value!r} is no lower-case domain name; use one like sim.test")
        return
    if isinstance(item.default, int) and not isinstance(value, int):
        raise InputError(f"simulated web: {item.name}={value} must be a whole number ({item.metadata['doc']})")
    low, high = item.metadata["low"], item.metadata["high"]
    if not low <= value <= high:
        raise InputError(f"simulated web: {item.name}={value} lies outside {low} to {high} ({item.metadata['doc']})")


def describe() -> list[tuple[str, str, str]]:
    """(name, default, meaning with range) of every parameter, for help texts."""
    rows = [("pages", "100000", "number of pages"), ("seed", "1", "decides everything random")]
    return rows + [(item.name, str(item.default), _meaning(item)) for item in fields(SimParameters)]


def _meaning(item: Field[Any]) -> str:
    if "choices" in item.metadata:
        return f"{item.metadata['doc']}: {' or '.join(item.metadata['choices'])}"
    span = f" ({item.metadata['low']} to {item.metadata['high']})" if "low" in item.metadata else ""
    return f"{item.metadata['doc']}{span}"


def read_spec(spec: str) -> tuple[int, int, SimParameters]:
    """(pages, seed, parameters) of a spec such as ``sim:pages=100000,seed=7,locality=.6``.

    Raises InputError naming the part that is wrong and the parameters there are.
    """
    if not spec.startswith("sim:") and spec != "sim":
        raise InputError(f"{spec!r} names no simulated web; write for example sim:pages=100000,seed=7")
    given: dict[str, Any] = {}
    for part in filter(None, (text.strip() for text in spec[4:].split(","))):
        name, value = _read_part(spec, part)
        if name in given:
            raise InputError(f"{spec!r}: {name} is given twice; keep one")
        given[name] = value
    pages, seed = given.pop("pages", 100_000), given.pop("seed", 1)
    return pages, seed, SimParameters(**given)


def _read_part(spec: str, part: str) -> tuple[str, Any]:
    name, sign, text = (piece.strip() for piece in part.partition("="))
    kinds = _kinds()
    if not sign or name not in kinds:
        known = ", ".join(kinds)
        raise InputError(f"{spec!r}: {part!r} is no known parameter; write name=value with a name of: {known}")
    try:
        return name, kinds[name](text.replace("_", ""))
    except ValueError as error:
        kind = "a whole number" if kinds[name] is int else "a number"
        raise InputError(f"{spec!r}: {name} must be {kind}, not {text!r}") from error


def _kinds() -> dict[str, type]:
    kinds: dict[str, type] = {"pages": int, "seed": int}
    return kinds | {item.name: type(item.default) for item in fields(SimParameters)}
