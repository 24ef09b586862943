"""Ariadne: M. Ester, M. Groß, H.-P. Kriegel, "Focused Web Crawling: A Generic Framework for Specifying the User
Interest and for Adaptive Crawling Strategies", 2001, section 3.

Score of a link: the weighted geometric mean of criteria in (0, 1], or their lexicographic order:

    S = Π_k max(s_k, ε)^(w_k / Σw)

    (a) source      s = μ_F of the page on which the link stands, F the present focus
    (b) url         s = μ_Φ' of the terms of its URL, Φ' the relaxed interest (``texts``)
    (c) anchor      s = μ_Φ' of the terms of its anchors, and of the text close to them
    (d) host        s = (relevant + m·p) / (visited + m) of the pages of its host visited so far
    (e) distance    s = ε + (1 − ε) / (1 + d)
    (f) level       s = 1 / (1 + l)
    (g) transversal s = 1 to another host, ``intrinsic`` to the same
    (h) hub         s = o / (o + ``hub_links``)
    hub_rank, authority_rank: those of the page it stands on, of the page it leads to (ranks.py)

After session i, with the shares s_i and r_i of relevant pages in the session and in the crawl so far:

    s_i < a·r_i: the focus is generalised, if possible       s_i > b·r_i: a generalisation is undone

=========  ==========================================================
symbol     name
=========  ==========================================================
Φ          ``View.interest``: what is relevant, always
F          ``Aim``: the focus, at first Φ
Φ'         ``relaxed``: of A ∧ B the rarer topic, or A ∨ B
a, b       ``generalise_at``, ``specialise_at``
s_i, r_i   ``Session.precision``, ``Session.precision_total``
ε          ``floor``
d, l, o    ``LinkBatch.depths``, ``file_level``, ``out_degree``
p, m       ``host_prior``, ``host_strength``
=========  ==========================================================

Departures: docs/strategies/ariadne.md. The main ones: a floor ε, as one criterion of 0 would annul all others (built
into (e), which must not level off); texts are valued by term tables, not by the judge; seeds score 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import numpy.typing as npt

from clew.graph.community import contains_community
from clew.model import SEEDS, Decision, Doubles, Judgement, LinkBatch, Outcome, Session, TermIds, Visit
from clew.strategies.ariadne.criteria import LOCAL, geometric, host, lexicographic
from clew.strategies.ariadne.focus import Aim, Widening, narrower, renumbered
from clew.strategies.ariadne.history import PathHistory
from clew.strategies.ariadne.ranks import Ranks, visited_graph
from clew.strategies.ariadne.rarity import Rarity
from clew.strategies.ariadne.settings import CRITERIA, LETTERS, MEANINGS, PRESETS, AriadneSettings
from clew.strategies.ariadne.texts import learned, text_of_term
from clew.strategies.base import Pages, Queue, Strategy, View
from clew.topics.formula import relaxed, topics_of, unparse
from clew.topics.semantics import value
from clew.topics.tree import ROOT

Numbers = npt.NDArray[np.integer]


class Ariadne(Strategy):
    """Links by ten criteria under a focus that widens when fewer relevant pages are found."""

    name = "ariadne"
    Settings = AriadneSettings
    presets = PRESETS

    def __init__(self, settings: AriadneSettings | None = None) -> None:
        self.settings = settings or AriadneSettings()
        self._widening = Widening(self.settings.generalise, self.settings.boost, self.settings.widen)
        weights = {name: float(getattr(self.settings, name)) for name in CRITERIA}
        self._weights: dict[str, float] = {name: weight for name, weight in weights.items() if weight > 0}
        self.chain: tuple[Aim, ...] = ()
        self.frequency = np.zeros(0)
        self.history, self.ranks = PathHistory(self.settings.history == "name"), Ranks.none()
        self.topped = False

    # -- the crawl ----------------------------------------------------------------------------------------

    def begin(self, view: View) -> None:
        """Learn the term tables, and focus on the interest."""
        self._view, interest = view, view.interest
        self._semantics = interest.semantics
        wanted = topics_of(interest.formula)
        self.table = learned(
            view.examples, interest, view.tree, _with_parents(wanted, view), self.settings.neutral, self.settings.strong
        )
        self.history, self.ranks = PathHistory(self.settings.history == "name"), Ranks.none()
        self._rarity = Rarity(view, self.settings)
        self.chain, self.topped = (Aim(interest.formula),), False
        self.frequency = self._rarity.at_first()
        self._refocus()

    def learn(self, visit: Visit) -> None:
        """Count the visit for its path."""
        if self.settings.history != "host" and visit.response.outcome is not Outcome.REDIRECT:
            self.history.note(visit.link.url, visit.relevant)

    def adapt(self, session: Session) -> bool:
        """Generalise or specialise the focus by the precision of the session."""
        pages = self._view.pages()
        self._look_for_community(pages)
        self._rank(pages)
        before = self.aim, self._relaxed
        self.frequency = self._rarity.estimated(pages, self.aim.formula)
        now, so_far = session.precision, session.precision_total
        settings = self.settings
        if now < settings.generalise_at * so_far or (settings.barren and not session.relevant_total):
            self._generalise(session)
        elif now > settings.specialise_at * so_far and len(self.chain) > 1:
            self._specialise()
            self._decide("focus specialised", session, before[0])
        self._refocus()
        changed = before != (self.aim, self._relaxed)
        return settings.rescore == "always" or (changed and settings.rescore == "all")

    @property
    def aim(self) -> Aim:
        """The present focus."""
        return self.chain[-1]

    def _generalise(self, session: Session) -> None:
        wider = self._widening.wider(self.aim, self._view.tree, self.frequency.tolist(), self._semantics)
        if wider is not None:
            self.chain = (*self.chain, wider)
            self._decide("focus generalised", session, self.chain[-2])
            return
        if not self.topped:
            self._decide("focus at the top", session, self.aim)
        self.topped = True
        self._view.actions.at_top()

    def _specialise(self) -> None:
        tree, self.topped = self._view.tree, False
        if self.settings.specialise == "frequent" and tree is not None:
            self.chain = narrower(self.chain, tree, self.frequency.tolist())
        else:
            self.chain = self.chain[:-1]

    def _decide(self, kind: str, session: Session, before: Aim) -> None:
        names = self._view.topics
        facts: dict[str, str | int | float | bool] = {
            "session": session.number,
            "precision": round(session.precision, 4),
            "precision_total": round(session.precision_total, 4),
            "from": before.words(names),
            "to": self.aim.words(names),
            "steps": len(self.chain) - 1,
        }
        self._view.actions.decide(Decision(kind, facts))

    def _refocus(self) -> None:
        """The relaxed formula for anchors and URLs."""
        about = self.aim.formula if self.settings.texts_about == "focus" else self.chain[0].formula
        self._relaxed = relaxed(about, self.frequency.tolist(), either=self.settings.texts == "either")
        self._text_topics = topics_of(self._relaxed)
        places = {topic: place for place, topic in enumerate(self._text_topics)}
        self._text_formula = renumbered(self._relaxed, places)

    # -- scores -------------------------------------------------------------------------------------------

    def score(self, links: LinkBatch) -> Doubles:
        if not len(links):
            return np.empty(0, np.float64)
        if links.links.kinds[0] in SEEDS:
            return np.ones(len(links), np.float64)
        if self.settings.prune and not self._relevant(links):
            return np.full(len(links), np.nan)
        if self.settings.combine == "lexicographic":
            return lexicographic([self.criterion(name, links) for name in self.settings.order], len(links))
        parts = ((weight, self.criterion(name, links)) for name, weight in self._present_weights().items())
        return geometric(parts, len(links), self.settings.floor)

    def _present_weights(self) -> dict[str, float]:
        weights = dict(self._weights)
        if self.aim.halved and "source" in weights:
            weights["source"] *= 0.5**self.aim.halved
        return weights

    def criterion(self, name: str, links: LinkBatch) -> Doubles:
        """A criterion of every link, float64[n] in [0, 1] (or [1], the same for all of them)."""
        if name in LOCAL:
            return LOCAL[name](links, self.settings)
        others = {"source": self._source, "url": self._url, "anchor": self._anchor, "host": self._host}
        return (others | {"hub_rank": self._hub_rank, "authority_rank": self._authority_rank})[name](links)

    def _source(self, links: LinkBatch) -> Doubles:
        return self.aim.value(links.source.scores[None, :], self._semantics)

    def _url(self, links: LinkBatch) -> Doubles:
        terms, starts = links.links.url_term_ids, links.links.url_term_starts
        return self._texts(text_of_term(starts), terms, len(links), None)

    def _anchor(self, links: LinkBatch) -> Doubles:
        texts, terms, offsets = links.offsets(self.settings.close)
        return self._texts(texts, terms, len(links), 0.5 ** np.abs(offsets) if self.settings.close else None)

    def _host(self, links: LinkBatch) -> Doubles:
        shares = host(links, self.settings)
        if self.settings.history == "host":
            return shares
        return self.history.shares(links.links.urls, shares, self.settings.host_strength)

    def _hub_rank(self, links: LinkBatch) -> Doubles:
        return self.ranks.hub(links, self.settings.neutral)

    def _authority_rank(self, links: LinkBatch) -> Doubles:
        return self.ranks.authority(links, self.settings.neutral)

    def _texts(self, texts: Numbers, terms: TermIds, count: int, shares: Doubles | None) -> Doubles:
        if not self._text_topics:
            return np.full(count, self.settings.neutral)
        return value(self._text_formula, self.table.values(texts, terms, count, self._text_topics, shares))

    def _relevant(self, links: LinkBatch) -> bool:
        source = links.source
        return self._view.interest.relevant(source.relevance, Judgement(source.scores, source.topic, 1.0))

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        if links.links.kinds[index] in SEEDS:
            return ["ariadne: a seed, so its score is 1"]
        names = self._view.topics
        steps = len(self.chain) - 1
        parts = [f"ariadne: the focus is {self.aim.words(names)}" + (f", {steps} steps wider" if steps else "")]
        if self.settings.prune and not self._relevant(links):
            return [*parts, "not followed: it stands on an irrelevant page"]
        weights: Mapping[str, float | None] = (
            self._present_weights() if self.settings.combine == "mean" else dict.fromkeys(self.settings.order)
        )
        for name, weight in weights.items():
            found = np.broadcast_to(self.criterion(name, links), len(links))[index]
            about = f" ({unparse(self._relaxed, names)})" if name in ("url", "anchor") else ""
            how = "" if weight is None else f", weight {weight:g}"
            parts.append(f"({LETTERS[name]}) {MEANINGS[name]}{about}: {found:.3f}{how}")
        return [*parts, f"{self.settings.combine}: {self.score(links)[index]:.4f}"]

    def queues(self) -> list[Queue]:
        """The focus, and those that it widened from."""
        names, steps = self._view.topics, len(self.chain) - 1
        before = [Queue("before it was widened", aim.words(names)) for aim in reversed(self.chain[:-1])]
        top = [Queue("at the top", "it cannot be widened further")] if self.topped else []
        return [Queue("focus", self.aim.words(names)), Queue("widened", value=steps), *before, *top]

    # -- links among visited pages ------------------------------------------------------------------------

    def _rank(self, pages: Pages) -> None:
        """Hub and authority ranks, if they count."""
        used = self.settings.order if self.settings.combine == "lexicographic" else tuple(self._weights)
        if {"hub_rank", "authority_rank"} & set(used) and pages.relevant.any():
            graph = visited_graph(self._view, pages, inside=False)
            self.ranks = Ranks.of(graph, pages)

    def _look_for_community(self, pages: Pages) -> None:
        """The last stopping rule, among the pages visited."""
        size = self.settings.community_pages
        if not size or int(pages.relevant.sum()) < size:
            return
        if contains_community(visited_graph(self._view, pages, inside=True), pages.relevant, size):
            self._view.actions.decide(
                Decision("community found", {"pages": size, "relevant": int(pages.relevant.sum())})
            )
            self._view.actions.community()

    # -- state --------------------------------------------------------------------------------------------

    def state(self) -> bytes:
        names = self._view.topics
        chain = [aim.packed(names) for aim in self.chain]
        more = self.history.packed(), self.ranks.packed()
        return msgspec.msgpack.encode([chain, list(names), self.frequency.tobytes(), self.topped, *more])

    def restore(self, state: bytes) -> None:
        """A focus on another interest than the present one, or on topics that are no more, is forgotten."""
        if not state:
            return
        chain, names, frequency, topped, *more = msgspec.msgpack.decode(state)
        numbers = {path: index for index, path in enumerate(self._view.topics)}
        try:
            aims = tuple(Aim.unpacked(packed, numbers) for packed in chain)
        except KeyError:
            return
        if aims[0] != self.chain[0] or tuple(names) != tuple(self._view.topics):
            return
        self.chain, self.topped = aims, topped
        self.frequency = np.frombuffer(frequency, np.float64)
        if more:  # the version before had neither
            self.history.unpack(more[0])
            self.ranks = Ranks.unpacked(more[1])
        self._refocus()


def _with_parents(topics: tuple[int, ...], view: View) -> tuple[int, ...]:
    """The topics and all above them."""
    found = dict.fromkeys(topics)
    for topic in topics:
        while view.tree is not None and (topic := view.tree.parent(topic)) != ROOT:
            found[topic] = None
    return tuple(found)
