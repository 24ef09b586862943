"""The apprentice: S. Chakrabarti, K. Punera, M. Subramanyam, "Accelerated Focused Crawling through Online Relevance
Feedback", WWW 2002, sections 2.2, 2.3, 3.4 to 3.8. It learns from fetched pages which links are worth it.

    instance (u, v): features ⟨t, d⟩ of u around its links to v, and the class of Pr(c*|v): high from ``cut``, else low
    Pr(c) = |V_c| / Σ_c' |V_c'|,   θ_{c,τ} = (α + Σ_{u∈V_c} n(u,τ)) / (α·|T| + Σ_{u∈V_c} Σ_{τ'∈T} n(u,τ'))
    w_τ = log θ_high,τ / θ_low,τ
    x(u, v) = log Pr(high|r)/Pr(low|r) + Σ_{|d|≤W} N_d^-p · Σ_{text τ at d} n(u,τ)·w_τ + Σ_{other τ} n(u,τ)·w_τ
    Pr(high|r) ∝ |V_high,r| + k·m_r,   Pr(low|r) ∝ |V_low,r| + k·(1 − m_r)
    score(u, v) = (1 + x/(1 + |x|)) / 2

With ``offsets`` off the text of the window is one bag: d = 0 for all of it, as the paper's Figure 7 compares.

=========  ==========================================================================
symbol     name
=========  ==========================================================================
(u, v)     a link: ``LinkBatch.source`` and ``Link``
Pr(c*|v)   ``Visit.relevance``, by any judge: the critic
d, d_max   DOM offset (``LinkBatch.offsets``), ``d_max``
W          the window, ``Apprentice.width``: d_max, or chosen (``window.py``)
τ, n(u,τ)  a packed feature and how often it occurs (``model.py``)
T, V_c     the features and instances of ``Table``
α          ``smoothing`` (1: Laplace's, the paper's)
r, m_r, k  range of the relevance of u (``source_ranges``; 0: the paper's prior), its middle, ``source_weight``
N_d, p     number of text features of the link at offset d, ``length`` (0: the paper's)
=========  ==========================================================================

Before ``warmup`` instances a link scores as best-first has it, or ``prior``; then the counts become weights
and the whole frontier is scored again, and again after a session once there are ``growth`` more instances.

Departures. (1) The paper scores by the posterior of *high*, which is 0 or 1 for nearly every link; ours is the same
order without ties: x itself, squashed so that 32 bits tell links apart. (2) An instance is the link that was
followed (``instances = "followed"``); the paper takes every link to v, of pages u fetched before v ("before").
(3) A fetch that fails is an instance of low: it is lost as well. (4) The prior depends on the relevance of u.
It learns from links that were followed, mostly those of relevant pages: without that, links of which it knows nothing,
such as those of pages unlike any before, look as good as these. (5) Pseudo-counts follow the sizes of the classes
(``proportional``): with Laplace's, a feature seen once in the larger class speaks against it, so unknown words look
better than known ones. (6) The text at an offset counts by the mean of its weights, whatever its length. (7) The paper
chose d_max by cross-validation, once for all topics: 4 or 5. ``window = "chosen"`` does so at each training, on the
instances that were followed first. (8) Words of the link's URL (``url_words``) are ours.
"""

from __future__ import annotations

import msgspec
import numpy as np

from clew.model import SEEDS, Decision, Doubles, Link, LinkBatch, Session, Visit
from clew.strategies.apprentice.links import Extras, Teacher, features_of
from clew.strategies.apprentice.model import Model, Recipe, Smoothing, Table
from clew.strategies.apprentice.packing import PAGE, SIBLING, URL, Packed, unpack
from clew.strategies.apprentice.settings import PRESETS, ApprenticeSettings
from clew.strategies.apprentice.window import gains, held_out_order
from clew.strategies.base import Queue, Strategy, View, enqueued
from clew.text.terms import name as term_name

LEAST = 5
"""Instances of either class without which nothing is trained."""

STRONGEST = 6


class Apprentice(Strategy):
    """Links first whose surroundings resemble those of links that led to relevant pages."""

    name = "apprentice"
    Settings = ApprenticeSettings
    presets = PRESETS

    def __init__(self, settings: ApprenticeSettings | None = None) -> None:
        self.settings = settings or ApprenticeSettings()
        self.extras = Extras(self.settings, ())
        self.teacher = Teacher(self.settings)
        self.table, self.trained_at = Table.empty(), 0  # the counts that were trained with, of so many instances
        self.model: Model | None = None
        self.width, self.order = self.settings.d_max, np.empty(0)  # the window, and pairs put in order with each
        self.tests = np.zeros((2, 2), np.int64)  # by what was found, then by what was predicted
        self.allowed: Packed | None = None
        self.view: View | None = None

    # -- training -----------------------------------------------------------------------------------------

    def begin(self, view: View) -> None:
        """Learn from a finished crawl if one is named. Raises ProjectError where it cannot be read."""
        self.view = view
        self.extras = Extras(self.settings, view.topics)
        if self.settings.only_from:
            found = [visit.link.key for visit in view.other_crawl(self.settings.only_from)]
            self.allowed = np.unique(np.array(found, np.uint64))
        if self.settings.learn_from:
            self._learn_offline(view)

    def _learn_offline(self, view: View) -> None:
        other = Teacher(self.settings)
        for visit in view.other_crawl(self.settings.learn_from):
            other.take(visit, self.extras)
        if self.settings.instances != "followed":  # section 3.5 takes both orders
            other.look_back(view.other_crawl(self.settings.learn_from), self.extras, every=True)
        self.teacher.since, self.teacher.cut = other.counted(), other.cut
        self.teacher.first = other.first
        self._train(f"the crawl of {self.settings.learn_from}")

    def learn(self, visit: Visit) -> None:
        """Test what would have been predicted, then keep the instance."""
        taught = self.teacher.take(visit, self.extras)
        if taught is not None and self.model is not None:
            features, high = taught
            self.tests[int(high), int(self.model.odds(features) >= 0)] += 1

    def adapt(self, session: Session) -> bool:
        """Train when it is time."""
        if self.model is not None or self.settings.buckets == "cut":
            self.teacher.counted()
        grown = self.teacher.seen >= max(self.settings.warmup, self.trained_at * (1 + self.settings.growth))
        if not grown or session.number % self.settings.retrain_every:
            return False
        if self.settings.instances != "followed" and self.view is not None:
            self.teacher.look_back(self.view.visits(), self.extras, every=self.settings.instances == "all")
        self.teacher.counted()
        return self._train("this crawl")

    def _train(self, origin: str) -> bool:
        """Make weights of all counts; False when a class has too few instances."""
        table = self.table.joined(self.teacher.since)
        if table.instances.min() < LEAST:
            return False
        self.table = table.pruned(self.settings.max_features)
        self.teacher.since, self.trained_at = Table.empty(), self.teacher.seen
        self._choose()
        self.model = Model.trained(self.table, self._recipe, self.width)
        self._report(origin)
        self.tests[:] = 0
        return True

    def _choose(self) -> None:
        """Take the widest window that puts the first instances in order nearly as well as the best.

        Those were followed before anything was learned. Links that it chose itself all look good to it: of those, the
        surprises alone would decide.
        """
        if len({high for high, _ in self.teacher.first}) == 2:
            self.order = held_out_order(self.table, self.teacher.first, self._recipe)
            near = self.order >= self.order.max() - self.settings.tolerance
            self.width = int(np.flatnonzero(near)[-1])

    @property
    def _recipe(self) -> Recipe:
        settings = self.settings
        smoothing = Smoothing(settings.smoothing, settings.proportional)
        ranges = settings.source_ranges, settings.source_weight
        return Recipe(settings.d_max, smoothing, *ranges, settings.length, settings.offsets)

    def _report(self, origin: str) -> None:
        """Write what was trained, how right it was since last time, and the gain at each offset."""
        assert self.view is not None and self.model is not None
        low, high = self.table.instances.tolist()
        facts: dict[str, str | int | float | bool] = {
            "instances from": origin,
            "low": low,
            "high": high,
            "features": len(self.model.features),
            "high from relevance": round(self.teacher.cut, 4),
        }
        if len(self.order):
            facts["window"] = self.width
            facts["order by window"] = " ".join(f"{d}:{share:.4f}" for d, share in enumerate(self.order.tolist()))
        tested, right = self.tests.sum(axis=1), self.tests.diagonal()
        for label, of, hits in (
            ("low", tested[0], right[0]),
            ("high", tested[1], right[1]),
            ("all", tested.sum(), right.sum()),
        ):
            if of:
                facts[f"right of {of} {label}"] = round(float(hits / of), 4)
        bits = gains(self.table, self.settings.d_max)
        facts["bits by offset"] = " ".join(
            f"{d:+d}:{gain:.2e}" for d, gain in enumerate(bits.tolist(), -self.settings.d_max)
        )
        self.view.actions.decide(Decision("apprentice trained", facts))

    # -- scoring ------------------------------------------------------------------------------------------

    def score(self, links: LinkBatch) -> Doubles:
        if enqueued(links):
            scores = np.ones(len(links))
        elif self.model is None:
            scores = np.full(len(links), self.settings.prior or links.source.relevance)
        elif len(links) and links.links.kinds[0] in SEEDS:
            scores = np.ones(len(links))
        else:
            odds = self._all_odds(self.model, links)
            scores = 0.5 + 0.5 * odds / (1.0 + np.abs(odds))
        if self.allowed is not None:
            scores[~np.isin(links.links.keys, self.allowed)] = np.nan
        return scores

    def tier(self, links: LinkBatch) -> int:
        """Pages it asked for come first: what they teach is wanted now."""
        return int(enqueued(links))

    def _all_odds(self, model: Model, links: LinkBatch) -> Doubles:
        """float64[n]: x of every link."""
        total = model.text(links, self.settings.anchors == "first")
        total += model.prior(links.source.relevance) + model.sums(self.extras.of_page(links.source))
        for link, features in self.extras.of_links(links, self.teacher.known):
            total += np.bincount(link, model.each(features), len(links))
        return total

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        link = Link(links, index, 0.0)
        if self.allowed is not None and not np.isin(link.key, self.allowed):
            return [f"apprentice: the crawl of {self.settings.only_from} did not fetch it, so it is not followed"]
        if enqueued(links) or link.kind in SEEDS:
            return ["apprentice: a start page, so it comes first"]
        if self.model is None:
            return [
                f"apprentice: not trained yet ({self.teacher.seen} instances of {self.settings.warmup}), "
                f"so it scores {self.settings.prior or links.source.relevance:.3f}"
                + ("" if self.settings.prior else ", the relevance of its page")
            ]
        features = features_of(links, index, self.settings, self.extras, self.teacher.known)
        odds, prior = float(self._all_odds(self.model, links)[index]), self.model.prior(links.source.relevance)
        parts = [
            f"apprentice: log-odds {odds:+.2f} of leading to a relevant page; {prior:+.2f} for any link of a page of "
            f"relevance {links.source.relevance:.3f} ({links.source.url})"
        ]
        return parts + [self._worded(*each) for each in self.model.strongest(features, STRONGEST)]

    def queues(self) -> list[Queue]:
        """What it has learned from."""
        low, high = self.table.instances.tolist()
        trained = f"with {low} links to pages of low and {high} of high relevance" if self.model else "not yet"
        return [
            Queue("trained", trained),
            Queue("instances", f"seen; trains from {self.settings.warmup} on", self.teacher.seen),
            Queue("window", "offsets around a link that count", self.width),
        ]

    def _worded(self, feature: int, adds: float) -> str:
        kind, term, offset = unpack(feature, self.settings.d_max)
        if kind == PAGE:
            return f"{self.extras.words.get(term, 'about its page')}: {adds:+.2f}"
        if kind == SIBLING:
            return f"a link to a page of {'high' if term else 'low'} relevance at offset {offset:+d}: {adds:+.2f}"
        at_0 = "in its anchor text" if self.settings.offsets else "near it"
        where = "in its URL" if kind == URL else f"at offset {offset:+d}" if offset else at_0
        return f"“{term_name(term) or term}” {where}: {adds:+.2f}"

    # -- what was learned ---------------------------------------------------------------------------------

    @property
    def _form(self) -> tuple[int, int]:
        """The settings on which the columns and ranges of features depend; without offsets, −1 − d_max."""
        d_max = self.settings.d_max
        return d_max if self.settings.offsets else -1 - d_max, self.settings.source_ranges

    def state(self) -> bytes:
        trained = self.model is not None
        parts = (
            self._form,
            self.table.packed(),
            self.trained_at,
            trained,
            self.width,
            self.tests.tobytes(),
            self.teacher.state(),
        )
        return msgspec.msgpack.encode(parts)

    def restore(self, state: bytes) -> None:
        """Take up a state. One with features of another form, since settings were changed, is left: it starts anew."""
        form = tuple[tuple[int, int], list[bytes], int, bool, int, bytes, msgspec.Raw]
        old, table, trained_at, trained, self.width, tests, teacher = msgspec.msgpack.decode(state, type=form)
        if old != self._form:
            if self.view is not None:
                self.view.actions.decide(
                    Decision("apprentice starts anew", {"why": "d_max, offsets or source_ranges was changed"})
                )
            return
        self.trained_at = trained_at
        self.table = Table.unpacked(table)
        self.tests = np.frombuffer(tests, np.int64).reshape(2, 2).copy()
        self.teacher.restore(teacher)
        self.model = Model.trained(self.table, self._recipe, self.width) if trained else None
