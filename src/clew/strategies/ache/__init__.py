"""ACHE: L. Barbosa, J. Freire, "An Adaptive Crawler for Locating Hidden-Web Entry Points", WWW 2007, after their
"Searching for Hidden-Web Databases", WebDB 2005; details after the authors' program of the same name.

A link classifier learns in the crawl, after every N pages, which words of links lead to relevant pages.

    l: a link; its words: of its URL, of its anchor, at most A on each side of the anchor
    features F: the words of each kind that are most frequent among the links that are learned from
    levels:  class 0 = links to relevant pages, class i = links to pages that are i links before a relevant one
    binary:  class 0 = links to relevant pages, class 1 = as many links to other pages
    Pr(c | l) ∝ Pr(c) · Π_{f ∈ F(l)} θ_{c,f},   θ_{c,f} = (α + n_{c,f}) / (α·|F| + Σ_{f'} n_{c,f'})
    c(l) = argmax_c Pr(c | l),   x(l) = log Pr(c(l) | l) / (1 − Pr(c(l) | l))
    score(l) = (2 − c(l) + s(x(l))) / 3,   s(x) = (1 + x / (1 + |x|)) / 2

========  ====================================================================================
symbol    name
========  ====================================================================================
N, A      ``learn_every``, ``around``
F, F(l)   ``Features``: all of them, and those of a link (``features.py``)
c, n_c,f  a class (``Memory.classes``), and the number of its links that have feature f
θ, α      ``Classifier.weights`` (as logarithms), ``smoothing``
x         ``Classifier.odds``; of support vector machines (``classifier = "svm"``), Platt's log-odds
========  ====================================================================================

The paper's queues, one a level, each in the order of the posterior, are the whole part of 3 · score; where links are
classed as 1 in ``binary``, the likeliest to be of class 0 after all come first (``rejected``). Before the first
training a link scores as its page is relevant (``initial``).

Departures. (1) A page is relevant when Clew's judge and interest say so; what the papers look for are search forms.
(2) The score orders as the posterior does, and keeps apart links whose posteriors round to 1. (3) Levels follow the
paths that were taken, not every known link to a page. (4) It learns from the latest links (``samples``), not from a
random sample, and needs five of a class. (5) All waiting links compete: no batch has to be used up before
others are looked at. (6) Links of pages off the topic wait their turn by default (``focus``). (7) Not built: leaving
sites that yield nothing, the crawler of hubs and authorities, words of images. More in docs/strategies/ache.md.
"""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np

from clew.model import SEEDS, Decision, Doubles, LinkBatch, LinkKind, Session, Visit
from clew.strategies.ache.classifier import Classifier
from clew.strategies.ache.features import Features
from clew.strategies.ache.memory import LEVELS, Memory
from clew.strategies.ache.settings import PRESETS, AcheSettings
from clew.strategies.base import Queue, Strategy, View
from clew.text.terms import name as term_name

STRONGEST = 6


class _Trained(msgspec.Struct, array_like=True):
    """A classifier; arrays as bytes."""

    url: list[str]
    anchor: bytes
    around: bytes
    substring: bool
    ranks: tuple[int, ...]
    weights: bytes
    shifts: bytes
    curves: bool


class _State(msgspec.Struct, array_like=True):
    """What was learned. ``hosts``: pages fetched of each."""

    memory: msgspec.Raw
    trainings: int
    trained: _Trained | None
    hosts: dict[str, int]


class Ache(Strategy):
    """Links first whose words are like those of links that led to relevant pages, or towards them."""

    name = "ache"
    Settings = AcheSettings
    presets = PRESETS

    def __init__(self, settings: AcheSettings | None = None) -> None:
        self.settings = settings or AcheSettings()
        self.memory = Memory(self.settings)
        self.classifier: Classifier | None = None
        self.trainings = 0
        self.hosts: Counter[str] = Counter()
        self.view: View | None = None

    # -- learning -----------------------------------------------------------------------------------------

    def begin(self, view: View) -> None:
        """Learn from a finished crawl if one is named. Raises ProjectError where it cannot be read."""
        self.view = view
        if self.settings.learn_from:
            other = Memory(self.settings)
            for visit in view.other_crawl(self.settings.learn_from):
                other.take(visit)
            self._train(other, f"the crawl of {self.settings.learn_from}")

    def learn(self, visit: Visit) -> None:
        self.memory.take(visit)
        if self.settings.selector == "websites":
            self.hosts[visit.link.host] += 1

    def adapt(self, session: Session) -> bool:
        """Count anew how many pages of each host were fetched, where that matters."""
        return self.settings.selector == "websites"

    def wants_to_consult(self) -> bool:
        return 0 < self.settings.learn_every <= self.memory.pages

    async def consult(self) -> bool:
        """Train the classifier after every N pages; nobody is asked."""
        if not self.wants_to_consult():
            return False
        self.memory.pages = 0
        return self._train(self.memory, "this crawl")

    def _train(self, memory: Memory, origin: str) -> bool:
        """A new classifier; without enough links the old one stays."""
        classes = memory.classes()
        trained = Classifier.trained(classes, self.settings)
        if trained is None:
            return False
        self.classifier = trained
        self.trainings += 1
        if self.view is not None:
            features = trained.features
            facts: dict[str, str | int | float | bool] = {"links from": origin, "training": self.trainings}
            facts |= {f"class {rank}": len(classes[rank]) for rank in trained.ranks}
            kinds = {"URLs": features.url, "anchors": features.anchor, "around": features.around}
            facts |= {f"features of {kind}": len(words) for kind, words in kinds.items()}
            self.view.actions.decide(Decision("ache trained", facts))
        return True

    # -- scoring ------------------------------------------------------------------------------------------

    def score(self, links: LinkBatch) -> Doubles:
        if len(links) and links.links.kinds[0] in (*SEEDS, LinkKind.BACKLINK):
            return np.ones(len(links))
        if self._out_of_focus(links):
            return np.full(len(links), np.nan)
        if self.classifier is not None:
            ranks, odds = self._classed(self.classifier, links)
            scores = (LEVELS - 1 - ranks + 0.5 + 0.5 * odds / (1.0 + np.abs(odds))) / LEVELS
        elif self.settings.initial == "baseline":
            scores = np.full(len(links), float(links.source.relevance))
        else:
            scores = 1.0 / (1.0 + links.depths.astype(np.float64))
        if self.settings.selector == "websites":
            fetched = np.array([self.hosts.get(name, 0) for name in links.links.host_names], np.float64)
            scores -= fetched[links.links.host_index]
        return scores

    def _out_of_focus(self, links: LinkBatch) -> bool:
        return self.settings.focus == "hard" and links.source.tunnel > 0

    def _classed(self, classifier: Classifier, links: LinkBatch) -> tuple[Doubles, Doubles]:
        """The class of every link (0 is best), and the log-odds by which links of a class are ordered."""
        settings = self.settings
        rows, numbers = classifier.features.of_links(links, settings.around, settings.anchors == "first")
        odds = classifier.odds(rows, numbers, len(links))
        best = odds.argmax(axis=1)
        ranks, values = np.array(classifier.ranks, np.float64)[best], odds[np.arange(len(links)), best]
        if settings.learning == "binary" and settings.rejected == "nearest":
            values = np.where(ranks > 0, -values, values)
        return ranks, values

    # -- for people ---------------------------------------------------------------------------------------

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        if len(links) and links.links.kinds[0] in (*SEEDS, LinkKind.BACKLINK):
            return ["ache: a start page, so it comes first"]
        if self._out_of_focus(links):
            return [f"ache: not followed, since {links.source.url} is not relevant (focus is hard)"]
        parts = self._explained(self.classifier, links, index) if self.classifier else [self._untrained(links, index)]
        if self.settings.selector == "websites":
            host = links.links.host_names[int(links.links.host_index[index])]
            parts.append(f"{self.hosts.get(host, 0)} pages of {host} were fetched: minus as much")
        return parts

    def _untrained(self, links: LinkBatch, index: int) -> str:
        pages = f"{self.memory.pages} pages of {self.settings.learn_every}"
        if self.settings.initial == "baseline":
            by = f"scores {links.source.relevance:.3f}, the relevance of {links.source.url}"
        else:
            by = f"goes by its distance from the seeds, {int(links.depths[index])}"
        return f"ache: not trained yet ({pages}), so it {by}"

    def _explained(self, classifier: Classifier, links: LinkBatch, index: int) -> list[str]:
        settings, features = self.settings, classifier.features
        ranks, odds = self._classed(classifier, links)
        rank, value = int(ranks[index]), float(odds[index])
        if settings.learning == "levels":
            led = f"class {rank}: it seems to be {rank + 1} links before a relevant page"
        else:
            led = f"class {rank}: it seems to lead to {'no' if rank else 'a'} relevant page"
        rows, numbers = features.of_links(links, settings.around, settings.anchors == "first")
        parts = [f"ache, {led}; log-odds {value:+.2f} order its class"]
        weights, column = classifier.weights, classifier.ranks.index(rank)
        own = numbers[rows == index]
        rest = np.delete(weights[own], column, axis=1).mean(axis=1) if len(own) else np.empty(0)
        adds = weights[own, column] - rest
        order = np.argsort(-np.abs(adds), kind="stable")[:STRONGEST]
        return parts + [f"{_worded(features, int(own[i]))}: {adds[i]:+.2f} for that class" for i in order]

    def queues(self) -> list[Queue]:
        """The classes of its link classifier."""
        learned = Queue("trainings", "of the link classifier", self.trainings)
        if self.classifier is None or self.settings.selector == "websites":  # there scores tell no class
            return [learned]
        ranks = self.classifier.ranks
        levels = self.settings.learning == "levels"
        words = {rank: f"{rank + 1} links before a relevant page" for rank in ranks}
        words |= {0: "leads to a relevant page"} | ({} if levels else {1: "leads to none"})
        ranges = {rank: ((LEVELS - 1 - rank) / LEVELS, (LEVELS - rank) / LEVELS) for rank in ranks}
        return [learned, *(Queue(f"class {rank}", words[rank], scores=ranges[rank]) for rank in sorted(ranks))]

    # -- what was learned ---------------------------------------------------------------------------------

    def state(self) -> bytes:
        """Some 100 bytes a remembered link, and the classifier."""
        found = _State(self.memory.state(), self.trainings, _packed(self.classifier), dict(self.hosts))
        return msgspec.msgpack.encode(found)

    def restore(self, state: bytes) -> None:
        found = msgspec.msgpack.decode(state, type=_State)
        self.memory.restore(found.memory)
        self.trainings, self.hosts = found.trainings, Counter(found.hosts)
        if found.trained is not None:
            self.classifier = _unpacked(found.trained)


def _worded(features: Features, number: int) -> str:
    """A feature in words."""
    if number < len(features.url):
        return f"“{features.url[number]}” in its URL"
    number -= len(features.url)
    anchor = number < len(features.anchor)
    term = int(features.anchor[number] if anchor else features.around[number - len(features.anchor)])
    return f"“{term_name(term) or term}” {'in' if anchor else 'around'} its anchor"


def _packed(classifier: Classifier | None) -> _Trained | None:
    if classifier is None:
        return None
    features = classifier.features
    return _Trained(
        list(features.url),
        features.anchor.tobytes(),
        features.around.tobytes(),
        features.substring,
        classifier.ranks,
        np.ascontiguousarray(classifier.weights).tobytes(),
        classifier.shifts.tobytes(),
        classifier.curves,
    )


def _unpacked(found: _Trained) -> Classifier:
    anchor, around = np.frombuffer(found.anchor, np.uint32), np.frombuffer(found.around, np.uint32)
    features = Features(tuple(found.url), anchor, around, found.substring)
    weights = np.frombuffer(found.weights).reshape(len(features), len(found.ranks))
    return Classifier(features, found.ranks, weights, np.frombuffer(found.shifts), found.curves)
