"""The HTML of a page: words first, then links set among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.web.simulated.addresses import Addresses, Cards
from clew.web.simulated.hashing import Words, draw, draws, key
from clew.web.simulated.language import TITLE_WORDS, Language, flags
from clew.web.simulated.layout import Kind, Layout, Place
from clew.web.simulated.links import Targets, Way, log_normal
from clew.web.simulated.sites import LAYERS

_GENERIC = ("more", "here", "read on", "link", "next", "details", "click here", "this page", "see also", "continue")
_LENGTH_SPREAD = 0.35  # standard deviation of the logarithm of the number of words
_MONTH_WORDS = 120
_CONTEXT_WORDS = 3  # about the target, after a link
# Texts of hubs and navigation pages are shorter and say less of the topic: (factor of words, factor of topic words).
_TEXTURE = {
    Kind.HOME: (0.8, 0.9),
    Kind.CONTENT: (1.0, 1.0),
    Kind.HUB: (0.5, 0.8),
    Kind.NAVIGATION: (0.4, 0.15),
    Kind.LAYER: (0.4, 1.0),
}
_PAGE = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n<body>\n'
    "<nav><ul>\n{menu}</ul></nav>\n<main>\n<h1>{title}</h1>\n<p>{text}</p>\n</main>\n"
    "<footer><p>{host}</p></footer>\n</body>\n</html>\n"
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """One link as it stands on a page. ``context`` are words about its target that follow it, or ""."""

    href: str
    text: str
    context: str
    structural: bool


class Writer:
    """Writes the pages of one web."""

    def __init__(self, layout: Layout, language: Language, addresses: Addresses, seed: int) -> None:
        self._layout, self._language, self._addresses = layout, language, addresses
        self._lexicon = language.lexicon
        self._parameters = layout.parameters
        names = ("words", "length", "topical", "aside", "anchor", "context", "position", "break")
        self._keys = {name: key(seed, f"text {name}") for name in names}
        self._lengths = [self._parameters.words * factor for factor in log_normal(_LENGTH_SPREAD)]

    def _draw(self, name: str, place: Place) -> int:
        return draw(self._keys[name], place.host, place.local)

    def _bits(self, name: str, place: Place, count: int) -> Words:
        return draws(self._draw(name, place), np.arange(count))

    def html(self, place: Place, targets: Targets, cards: Cards, extra: Sequence[Anchor] = (), cut: int = 0) -> str:
        """The page at ``place``. ``cards`` are those of the page itself and of its targets, in order; ``extra`` links
        stand at the end of the menu. Without its last ``cut`` words.
        """
        anchors = self.anchors(place, targets, cards)
        menu = [*(anchor for anchor in anchors if anchor.structural), *extra]
        body = [anchor for anchor in anchors if not anchor.structural]
        words = self._words(place, int(cards.layers[0]))
        del words[len(words) - min(cut, len(words) - 1) :]
        self._finish(place, words, body)
        return _PAGE.format(
            title=self._lexicon.title(cards.titles[0], place.leaf if cards.layers[0] < 0 else -1),
            menu="".join(f"<li>{_tag(anchor)}</li>\n" for anchor in menu),
            text=" ".join(words),
            host=self._addresses.host_name(place.host),
        )

    def month(self, host: int, number: int, links: Sequence[tuple[str, str]]) -> str:
        """A month of a calendar without end: some words that all calendars use, and (path, text) of its links."""
        bits = draws(draw(self._keys["words"], host, number), np.arange(_MONTH_WORDS))
        items = "".join(f'<li><a href="{path}">{text}</a></li>\n' for path, text in links)
        return _PAGE.format(
            title=f"Calendar {number % 12 + 1} {number // 12}",
            menu=items,
            text=" ".join(self._language.layer_text(LAYERS, bits, self._parameters.topic_words)),
            host=self._addresses.host_name(host),
        )

    # words

    def _words(self, place: Place, layer: int) -> list[str]:
        size, strength = _TEXTURE[place.kind]
        count = round(size * self._lengths[self._draw("length", place) % 256])
        # pages differ in how plainly they speak: from a quarter to seven quarters of the mean
        plain = 0.25 + 1.5 * (self._draw("topical", place) % 1_024) / 1_023
        topical = min(0.95, self._parameters.topic_words * strength * plain)
        if layer >= 0:
            return self._language.layer_text(layer, self._bits("words", place, count), topical)
        return self._language.text(place.leaf, self._aside(place), self._bits("words", place, count), topical)

    def _aside(self, place: Place) -> int:
        """Another topic that the page touches on."""
        return int(self._layout.nearby(np.array([place.leaf]), self._bits("aside", place, 1))[0])

    # links

    def anchors(self, place: Place, targets: Targets, cards: Cards) -> list[Anchor]:
        """The links of a page, as they will be written: relative on the same host, absolute elsewhere."""
        texts = self._anchor_texts(place, cards)
        contexts = self._contexts(place, cards)
        hosts, locals_, ways = targets.hosts.tolist(), targets.locals.tolist(), targets.ways.tolist()
        columns = zip(hosts, locals_, cards.paths[1:], ways, strict=True)
        hrefs = [self._addresses.link(host, local, path, Way(way)) for host, local, path, way in columns]
        root = self._addresses.root(place.host)
        rest = zip(hrefs, texts, contexts, targets.structural.tolist(), strict=True)
        return [Anchor(_relative(href, root), text, context, menu) for href, text, context, menu in rest]

    def _anchor_texts(self, place: Place, cards: Cards) -> list[str]:
        bits = self._bits("anchor", place, len(cards.titles) - 1)
        telling = flags(bits, self._parameters.anchor_informative).tolist()
        columns = zip(cards.titles[1:], telling, (bits & np.uint64(0xFFFF)).tolist(), strict=True)
        return [
            self._lexicon.anchor(title[: 1 + low % TITLE_WORDS]) if tells else _GENERIC[low % len(_GENERIC)]
            for title, tells, low in columns
        ]

    def _contexts(self, place: Place, cards: Cards) -> list[str]:
        """Words that follow each link, "" for most uninformative ones."""
        bits = self._bits("context", place, len(cards.titles) - 1)
        telling = np.flatnonzero(flags(bits, self._parameters.context_informative))
        places = draws(bits[telling][:, None], np.arange(_CONTEXT_WORDS)[None, :])
        phrases = self._language.phrases(cards.leaves[1:][telling], places)
        layers = cards.layers[1:][telling]
        places_of_layers = np.flatnonzero(layers >= 0)
        named = self._language.layer_phrases(layers[places_of_layers], places[places_of_layers])
        for row, phrase in zip(places_of_layers.tolist(), named, strict=True):
            phrases[row] = phrase
        contexts = [""] * len(bits)
        for row, phrase in zip(telling.tolist(), phrases, strict=True):
            contexts[row] = self._lexicon.anchor(phrase)
        return contexts

    def _finish(self, place: Place, words: list[str], anchors: list[Anchor]) -> None:
        """Set links and full stops among words, in place."""
        marks = self._lexicon.punctuate(words, self._bits("break", place, len(words)))
        if self._lexicon.links_end_sentences:
            self._set_links(place, words, anchors)
        for end, mark in marks.items():
            words[end] += mark
        if not self._lexicon.links_end_sentences:
            self._set_links(place, words, anchors)

    def _set_links(self, place: Place, words: list[str], anchors: list[Anchor]) -> None:
        """Put links behind words: anywhere in a text; on hubs and navigation pages as a list at its end."""
        if place.kind in (Kind.HUB, Kind.NAVIGATION, Kind.LAYER):
            items = "\n".join(f"<li>{_with_context(anchor)}</li>" for anchor in anchors)
            words.append(f"</p>\n<ul>\n{items}\n</ul>\n<p>")
            return
        positions = self._bits("position", place, len(anchors)) % np.uint64(len(words))
        for position, anchor in zip(positions.tolist(), anchors, strict=True):
            words[position] += " " + _with_context(anchor)


def _tag(anchor: Anchor) -> str:
    return f'<a href="{anchor.href}">{anchor.text}</a>'


def _with_context(anchor: Anchor) -> str:
    return f"{_tag(anchor)} {anchor.context}" if anchor.context else _tag(anchor)


def _relative(href: str, root: str) -> str:
    return href[len(root) :] if href.startswith(root + "/") else href
