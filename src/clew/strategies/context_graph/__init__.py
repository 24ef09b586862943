"""Crawling by context graphs: M. Diligenti, F. M. Coetzee, S. Lawrence, C. L. Giles, M. Gori, "Focused Crawling Using
Context Graphs", VLDB 2000.

Pages that lead to known targets in 1, 2, ... N steps are gathered by asking who links to whom, and fetched. Naive Bayes
learns what pages of each layer look like. A fetched page goes to the queue of its layer; the page at the head of the
first queue that is not empty is expanded: all pages it links to are fetched.

    v(w) = f^d(w) / f^d_max · log(N / f(w)), the 40 heaviest phrases of V stay        equation (1), judges/reduced.py
    j*   = argmax_j P(c_j) Π_k P(w_k|c_j), other if ℓ_j* < threshold_j*               context_graph/layers.py
    score of all links of a page = (N + 1 − queue) + s,  0 < s < 1
    s = 1 / (1 + |ℓ|) in the queues of layers, .999 · the judge's relevance in queue 0 and in that of other pages

=====================  =====================================================================
symbol                 name
=====================  =====================================================================
N                      ``Settings.depth``
layer j, D_j           ``Graphs.layers``, the pages fetched of them: ``Sample``
V                      ``LayerModel.vocabulary``
ℓ_j, threshold_j       ``LayerModel.likelihoods``, ``LayerModel.thresholds``
queue j, N + 1         integer part of the score, N + 1 − j; 0 is that of other pages
=====================  =====================================================================

Departures. (1) The paper's layer-0 classifier says what a target is; by default Clew's judge does, so that all
strategies look for the same, and queue 0 goes by its relevance. (2) Other pages go by relevance; the paper does not
say. (3) Likelihoods are per feature, thresholds a quartile. (4) ``merged_cap`` bounds what back-crawling costs. (5)
Pages fetched for the graphs wait in the queues too. docs/strategies/context-graph.md has all departures.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from clew.model import Decision, Doubles, Judgement, LinkBatch, LinkKind, Outcome, Session, Source, Visit
from clew.strategies.base import Queue, Strategy, View, enqueued
from clew.strategies.context_graph.build import Graphs, Layer
from clew.strategies.context_graph.layers import TOP_OF_QUEUE, LayerModel, squashed
from clew.strategies.context_graph.settings import PRESETS
from clew.strategies.context_graph.settings import Settings as ContextGraphSettings
from clew.strategies.context_graph.training import Trainer, facts

START, SEARCHING, SPREADING, FETCHING, CRAWLING = "start", "searching", "spreading", "fetching", "crawling"


class _State(msgspec.Struct, array_like=True):
    """What was learned. ``asks``: targets whose parents are still to be asked for; ``found``: targets of the bootstrap;
    ``due``, ``grown``: graphs are to be built again, and were; ``builds``: how often they were."""

    phase: str
    layers: list[Layer]
    count: int
    model: bytes
    asks: list[str]
    found: int
    due: bool
    grown: bool
    builds: int


class ContextGraph(Strategy):
    """Expands the pages that look nearest to a target."""

    name = "context-graph"
    opened_tier = 1
    Settings = ContextGraphSettings
    presets = PRESETS

    def __init__(self, settings: ContextGraphSettings | None = None) -> None:
        self.settings = settings or ContextGraphSettings()
        self.last = self.settings.depth + 1
        self.phase = START
        self.graphs = Graphs(self.settings.depth)
        self.model: LayerModel | None = None
        self._asks: list[str] = []
        self._found = self._builds = 0
        self._due = self._grown = False

    def begin(self, view: View) -> None:
        """Train the classifier of layer 0 from the examples, with nothing else known yet."""
        self._view = view
        self.trainer = Trainer.of(self.settings, view)
        self.model = self.trainer.model(self.trainer.known())

    # -- scoring ------------------------------------------------------------------------------------------

    def score(self, links: LinkBatch) -> Doubles:
        if self.tier(links):
            return np.full(len(links), TOP_OF_QUEUE)
        if self.phase == SPREADING:
            return np.asarray(1.0 / (2.0 + links.depths), np.float64)
        if self.phase != CRAWLING:
            return np.full(len(links), np.nan)
        queue, within = self._queue(links)
        return np.full(len(links), self.last - queue + within)

    def tier(self, links: LinkBatch) -> int:
        """Pages that were asked for are fetched before any other."""
        return int(enqueued(links) or (self.phase not in (SPREADING, CRAWLING) and self._asked_for(links)))

    def _asked_for(self, links: LinkBatch) -> bool:
        """Whether this is a redirect of a page that was asked for, to one that is not in the graphs anyway."""
        moved = len(links) == 1 and links.links.kinds[0] is LinkKind.REDIRECT and not links.source.url
        return moved and not any(links.links.urls[0] in layer for layer in self.graphs.layers)

    def _queue(self, links: LinkBatch) -> tuple[int, float]:
        """The queue of a page, 0 to N + 1 (beyond: last of all), and its place there in (0, 1)."""
        source, settings, model = links.source, self.settings, self.model
        if not source.url:
            return self.last, TOP_OF_QUEUE
        if not settings.expand_graphs and any(source.url in layer for layer in self.graphs.layers):
            return self.last + 1, 0.0
        by_judge = settings.layer0 == "judge" or model is None
        if by_judge and self._wanted(source):
            return 0, _within(source.relevance)
        layer, likelihood = model.place(links.leaves.ids, 1 if by_judge else 0) if model is not None else (-1, 0.0)
        if layer >= 0:
            return layer, squashed(likelihood)
        if settings.other == "relevance" or model is None:
            return self.last, _within(source.relevance)
        found = model.likelihoods(links.leaves.ids)
        return self.last, 0.0 if found is None else squashed(float(found[0]))

    def _wanted(self, source: Source) -> bool:
        judgement = Judgement(source.scores, source.topic, 0.0)
        return self._view.interest.relevant(source.relevance, judgement)

    def _is_target(self, visit: Visit) -> bool:
        """Whether a visited page belongs into queue 0. As long as nothing was learned the judge says so."""
        if self.settings.layer0 == "judge" or self.model is None:
            return visit.relevant
        if visit.links is None or visit.response.outcome is not Outcome.OK:
            return False
        return self.model.place(visit.links.leaves.ids)[0] == 0

    # -- learning -----------------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        """Note targets, where something comes of them. What pages hold is in the store."""
        if self.phase == SPREADING:
            self._found += self._is_target(visit)
        elif self.phase == CRAWLING and self.settings.update == "backlinks" and self._is_target(visit):
            self._asks.append(visit.link.url)

    def adapt(self, session: Session) -> bool:
        if self.phase != CRAWLING or self.settings.update != "rebuild":
            return False
        grown, self._grown = self._grown, False
        if grown:
            self._train()
        self._due = self._due or session.number % self.settings.rebuild_sessions == 0
        return grown

    # -- look-up services ---------------------------------------------------------------------------------

    def wants_to_consult(self) -> bool:
        if self.phase == SPREADING:
            return self._found >= self.settings.min_targets
        return self._due or bool(self._asks)

    async def consult(self) -> bool:
        """The next step: graphs of the examples; or a bootstrap, then graphs of what it found; then the model."""
        if self.phase == CRAWLING:
            await self._update()
            return False
        if self.phase == START:
            return await self._start()
        if self.phase == FETCHING:
            return self._begin_crawling()
        if not await self._grow(self._targets_found()):
            return self._spread() if self.phase == SEARCHING else self._begin_crawling()
        self.phase = FETCHING
        return True

    async def _start(self) -> bool:
        urls = [one.url for one in self.trainer.examples if one.url.startswith(("http://", "https://"))]
        if await self._grow(urls):
            self.phase = FETCHING
            return False
        if len(self.graphs.places()) > len(self.graphs.layers[0]):  # all of it was fetched before
            return self._begin_crawling()
        if self.settings.bootstrap in ("search", "both") and await self._search():
            self.phase = SEARCHING
            return False
        return self._spread()

    def _spread(self) -> bool:
        """No example has back links: breadth-first order until there are targets that may have."""
        if self.settings.bootstrap not in ("breadth-first", "both"):
            return self._begin_crawling()
        self.phase = SPREADING
        self._view.actions.decide(
            Decision("context graph: breadth-first", {"until targets": self.settings.min_targets})
        )
        return True

    async def _search(self) -> int:
        """Ask a search engine for pages like the examples."""
        queries = self.trainer.queries(self.model)
        hits = [url for query in queries for url in await self._view.lookups.search(query, self.settings.search_hits)]
        added = self._view.actions.enqueue(list(dict.fromkeys(hits)))
        self._view.actions.decide(Decision("context graph: search", {"queries": " | ".join(queries), "hits": added}))
        return added

    async def _grow(self, targets: Sequence[str]) -> int:
        """Build the graphs of more targets; returns how many pages were put on the frontier."""
        settings, view = self.settings, self._view

        async def ask(url: str) -> list[str]:
            return await view.lookups.backlinks(url, settings.parents_per_page)

        rng = view.rng(f"context graphs {self._builds}")
        fresh = await self.graphs.grow(targets, ask, rng, settings.layer_cap, settings.merged_cap)
        self._builds += 1
        added = view.actions.enqueue(fresh)
        pages = {f"layer {number}": len(layer) for number, layer in enumerate(self.graphs.layers)}
        nodes = sum(len(graphs) for layer in self.graphs.layers for graphs in layer.values())
        view.actions.decide(
            Decision("context graph", {"graphs": self.graphs.count, **pages, "nodes": nodes, "to fetch": added})
        )
        return added

    def _targets_found(self) -> list[str]:
        """Targets among the visits that have no graph yet."""
        found = (visit.link.url for visit in self._view.visits() if self._is_target(visit))
        return [url for url in found if url not in self.graphs.layers[0]]

    async def _update(self) -> None:
        """The parents of new targets, or graphs of them."""
        for url in self._asks:
            self._view.actions.enqueue(await self._view.lookups.backlinks(url, self.settings.backlinks_per_target), url)
        self._asks = []
        if not self._due:
            return
        found, most = self._targets_found(), self.settings.rebuild_targets
        if len(found) > most:
            drawn = self._view.rng(f"new targets {self._builds}").choice(len(found), most, replace=False)
            found = [found[place] for place in np.sort(drawn).tolist()]
        await self._grow(found)
        self._due, self._grown = False, True

    # -- training -----------------------------------------------------------------------------------------

    def _begin_crawling(self) -> bool:
        self._train()
        self.phase = CRAWLING
        return True

    def _train(self) -> None:
        """Learn the layers from what was fetched of the graphs (``_is_target`` still goes by the old model)."""
        samples = self.trainer.samples(self.graphs, self._view.visits(), self._is_target)
        self.model = self.trainer.model(samples)
        self._view.actions.decide(Decision("layer model", facts(self.model, samples)))

    # -- for people ---------------------------------------------------------------------------------------

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        source = links.source
        if enqueued(links):
            return [f"context-graph: fetched at once, for it links to {source.url or 'a page of the context graphs'}"]
        if self.phase == SPREADING:
            return [f"context-graph: breadth-first until there are graphs; depth {int(links.depths[index])}"]
        if self.phase != CRAWLING:
            return ["context-graph: waits until the context graphs are fetched"]
        if not source.url:
            return [f"context-graph: a seed, so it is in queue {self.last}"]
        queue, within = self._queue(links)
        kind = f"layer {queue}" if queue < self.last else ("other pages", "pages of the graphs")[queue - self.last]
        parts = [f"context-graph: it stands on {source.url}, in queue {queue} ({kind}) with {within:.3f}"]
        found = self.model.likelihoods(links.leaves.ids) if self.model is not None else None
        if found is None or self.model is None:
            return [*parts, "no phrase of the vocabulary stands on that page"]
        rows = enumerate(zip(found.tolist(), self.model.thresholds.tolist(), self.model.sizes, strict=True))
        return parts + [f"layer {i}: log-likelihood {a:.3f}, threshold {b:.3f}" for i, (a, b, size) in rows if size]

    # -- state --------------------------------------------------------------------------------------------

    def queues(self) -> list[Queue]:
        """One for each layer, one for pages of none of them."""
        if self.phase != CRAWLING:
            return [Queue("phase", self.phase)]
        names = ["0: targets", *(f"{layer}: {layer} before a target" for layer in range(1, self.last)), "others"]
        ranges = [(self.last - queue, self.last - queue + 1.0) for queue in range(len(names))]
        return [Queue(f"queue {name}", scores=scores) for name, scores in zip(names, ranges, strict=True)]

    def state(self) -> bytes:
        model = self.model.to_bytes() if self.model is not None and self.phase == CRAWLING else b""
        graphs, flags = self.graphs, (self._due, self._grown, self._builds)
        return msgspec.msgpack.encode(
            _State(self.phase, graphs.layers, graphs.count, model, self._asks, self._found, *flags)
        )

    def restore(self, state: bytes) -> None:
        found = msgspec.msgpack.decode(state, type=_State)
        self.phase, self._asks, self._found = found.phase, found.asks, found.found
        self.graphs = Graphs(self.settings.depth, found.layers[: self.last], found.count)
        self._due, self._grown, self._builds = found.due, found.grown, found.builds
        if found.model:
            self.model = LayerModel.from_bytes(found.model)
            if len(self.model.sizes) != self.last:  # depth was changed: the layers are learned anew
                self.phase = FETCHING


def _within(relevance: float) -> float:
    """A relevance as a place in a queue. It is scaled, not cut: pages that are almost sure keep their order."""
    return TOP_OF_QUEUE * min(max(relevance, 0.0), 1.0)
