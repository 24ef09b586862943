"""URLs of a simulated web, and back: ``http://h123.sim.test/section/page-45.html``.

In English webs hosts have names, such as ``bread-mill.sim.test``; the topic stands in them now and then.
The file's number is the page's local number; the words before it tell the topic now and then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clew.web.simulated.hashing import Numbers, Words, draw, draws, key, unit
from clew.web.simulated.language import TITLE_WORDS, Language, flags
from clew.web.simulated.layout import Layout
from clew.web.simulated.links import Way
from clew.web.simulated.sites import Sites

SECTIONS = ("articles", "archive", "notes", "library", "reports", "items", "misc", "docs")
"""Names of sections that tell nothing of the topic."""

_PLACES = np.arange(1, TITLE_WORDS + 1)
_SHIFT = np.uint64(24)  # moves bits that phrases leave unused to the top
_SECTION_RANKS = 12  # a topical section is named after one of these many words
_PAGE = re.compile(r"/([a-z]+)/[a-z]+-(0|[1-9]\d{0,11})\.html")
_HOP = re.compile(r"/go/([abc])/(0|[1-9]\d{0,11})|/turn/([ab])/(0|[1-9]\d{0,11})")


@dataclass(frozen=True, slots=True, eq=False)
class Cards:
    """What can be said of n pages without computing their texts. ``layers``: of layered sites, -1 for other pages."""

    hosts: Numbers
    locals: Numbers
    leaves: Numbers
    layers: Numbers
    titles: list[list[str]]
    paths: list[str]


class Spot(NamedTuple):
    """What a URL of the right form points at: a page of a host, directly or by a number of redirects.

    ``turn`` is the next letter of a redirect loop.
    """

    host: int
    local: int
    way: Way = Way.DIRECT
    turn: str = ""


class Addresses:
    """Writes and reads the URLs of one web."""

    def __init__(self, layout: Layout, language: Language, sites: Sites, seed: int) -> None:
        self._layout, self._language, self._sites = layout, language, sites
        parameters = layout.parameters
        self._port = "" if parameters.port == 80 else f":{parameters.port}"
        self._domain, self._telling = parameters.domain, parameters.url_informative
        self._section_key, self._name_key = key(seed, "section"), key(seed, "host name")
        self._lexicon = language.lexicon
        self._label = lru_cache(maxsize=1 << 16)(self._host_label)
        authority = re.escape(f".{self._domain}{self._port}")
        default = "(?::80)?" if not self._port else ""
        self._url = re.compile(rf"http://([a-z0-9.-]+){authority}{default}(/[^?#]*)?(?:#.*)?")

    # writing

    def root(self, host: int) -> str:
        """The URL of a host, without a slash at its end."""
        return f"http://{self._label(host)}.{self._domain}{self._port}"

    def host_name(self, host: int) -> str:
        """The DNS name of a host."""
        return f"{self._label(host)}.{self._domain}"

    def _host_label(self, host: int) -> str:
        """The name of a host without the domain. Layered sites have none that tells their topic."""
        telling = unit(draw(self._name_key, host)) < self._telling and not self._sites.is_layered(host)
        return self._lexicon.host_label(host, self._layout.host_leaf(host), host // self._layout.leaves, telling)

    @property
    def graveyard(self) -> str:
        """The domain of all hosts that are gone."""
        return f"gone.{self._domain}"

    def cards(self, hosts: Numbers, locals_: Numbers) -> Cards:
        """Titles and paths of pages."""
        own = self._layout.bits(hosts, locals_)
        leaves = self._layout.leaves_on(self._layout.host_leaves(hosts), locals_, own)
        bits = draws(own[:, None], _PLACES[None, :])
        layers = self._sites.layers(hosts, locals_)
        titles = self._language.phrases(leaves, bits)
        lengths = (2 + (bits[:, 0] >> np.uint64(3)) % np.uint64(TITLE_WORDS - 1)).tolist()
        titles = [title[:length] for title, length in zip(titles, lengths, strict=True)]
        sections = self._sections(leaves, draws(self._section_key, hosts * self._layout.leaves + leaves))
        self._name_layers(layers, bits, titles, sections)
        telling = flags(bits[:, 1] << _SHIFT, self._telling).tolist()
        columns = zip(locals_.tolist(), sections, telling, titles, strict=True)
        paths = [f"/{part}/{title[0] if tells else 'page'}-{n}.html" if n else "/" for n, part, tells, title in columns]
        return Cards(hosts, locals_, leaves, layers, titles, paths)

    def _name_layers(self, layers: Numbers, bits: Words, titles: list[list[str]], sections: list[str]) -> None:
        """Give layer pages, in place, titles and sections that tell the layer and no topic."""
        places = np.flatnonzero(layers >= 0)
        phrases = self._language.layer_phrases(layers[places], bits[places])
        for place, phrase in zip(places.tolist(), phrases, strict=True):
            titles[place] = phrase[: len(titles[place])]
            sections[place] = self._language.layer_words(int(layers[place]))[0]

    def _sections(self, leaves: Numbers, bits: Words) -> list[str]:
        telling, low = flags(bits, self._telling).tolist(), (bits & np.uint64(0xFFFF)).tolist()
        return [
            self._language.topic_word(leaf, number % _SECTION_RANKS) if tells else SECTIONS[number % len(SECTIONS)]
            for leaf, tells, number in zip(leaves.tolist(), telling, low, strict=True)
        ]

    def url(self, host: int, local: int) -> str:
        """The URL of one page."""
        return self.root(host) + self.cards(np.array([host]), np.array([local])).paths[0]

    def link(self, host: int, local: int, path: str, way: Way) -> str:
        """The URL by which a link names a page whose path is ``path``."""
        if way is Way.DEAD:
            return f"http://{self._label(host)}.{self.graveyard}{self._port}{path}"
        return self.root(host) + _detour(path, local, way)

    # reading

    def split(self, url: str) -> tuple[str, str] | None:
        """(host name without the domain, path) of a URL of this web's domain and port, or None."""
        match = self._url.fullmatch(url)
        return (match[1], match[2] or "/") if match else None

    def host_number(self, label: str) -> int | None:
        """The number of a living host, given its name without the domain."""
        host, about = self._lexicon.host_numbered(label), self._lexicon.host_about(label)
        if about is not None and about[1] < self._layout.blocks:
            host = self._layout.host_at(*about)
        if host is None or host >= self._layout.hosts or self._label(host) != label:
            return None
        return host

    def spot(self, host: int, path: str) -> Spot | None:
        """What a path on a host points at, if its form is right and there is such a local number.

        Whether the words in a page's path are right is for the caller to check.
        """
        spot = _read(host, path)
        return spot if spot and spot.local < self._layout.size(host) else None


def _detour(path: str, local: int, way: Way) -> str:
    if way is Way.DIRECT:
        return path
    if way is Way.MISSING:
        return f"/old{path}" if local else "/old/index.html"
    return f"/turn/a/{local}" if way is Way.LOOP else f"/go/{'abc'[way - 1]}/{local}"


def _read(host: int, path: str) -> Spot | None:
    if path == "/":
        return Spot(host, 0)
    if match := _PAGE.fullmatch(path):
        return Spot(host, int(match[2]))
    if match := _HOP.fullmatch(path):
        if match[3]:
            return Spot(host, int(match[4]), Way.LOOP, "b" if match[3] == "a" else "a")
        return Spot(host, int(match[2]), Way("_abc".index(match[1])))
    return None
