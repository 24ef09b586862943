"""BINGO!: S. Sizov, S. Siersdorfer, M. Theobald, G. Weikum, "The BINGO! Focused Crawler: From Bookmarks to Archetypes",
ICDE 2002; details after their CIDR 2003 paper and project pages.

The judge starts from few examples. Characteristic pages of the crawl itself, the archetypes, train it again and again.

    score of links of p = s_c(p) · decay^k(p) + hub_boost · [p is a top hub] + fill_boost · [c has < N_min pages]
    NaN (not followed) where k(p) > tunnelling and p is no hub; while learning also too deep and off the seeds' hosts
    depth-first: the distance from the seeds is added
    fit(t) = { d filed under t, neither an example nor an archetype : s_t(d) > mean s_t of the pages trained on }
    archetypes(t) += min{N_auth, N_conf} pages: authority_share of them the best authorities of fit(t), at most N_auth,
                     the others its surest, at most N_conf; where one source has too few, the other fills up
    trained again when some topic has N_max new pages and every topic N_min

==============  =====================================================================================
symbol          name
==============  =====================================================================================
class of p      ``Paths.classes``: the topic of interest into which p was classified, or OTHER
c               the class of p; for a page without one the topic of interest it scores best in
s_c(p)          ``Source.scores[c]``, the judge's confidence
k(p)            ``Paths.steps``: pages rejected in a row up to p, by a sharp or a soft focus
N_max, N_min    ``retrain_new``, ``min_positives``
N_auth, N_conf  ``authorities``, ``confident``; hubs and authorities: graph/hits.py
==============  =====================================================================================

Departures. (1) Confidence is the judge's calibrated score, not the distance to a plane: a negative distance would grow
when multiplied by the decay; what the mean is taken of is held out. (2) No topic can block training for ever
(``retrain_anyway``, ``retrain_pages``). (3) The domains of the learning phase are hosts. (4) When no link is left,
``tunnelling`` grows by one. (5) On a web of one host links within it count in the link analysis. (6) Each source of
archetypes has a share, and top hubs are a share of all pages (``hub_share``). More in docs/strategies/bingo.md.
"""

from __future__ import annotations

import msgspec
import numpy as np

from clew.model import OTHER, Bools, Decision, Doubles, LinkBatch, LinkKind, Outcome, Session, Source, Visit
from clew.strategies.base import Pages, Queue, Strategy, View, enqueued
from clew.strategies.bingo.archetypes import Ranked
from clew.strategies.bingo.paths import MOVED, Paths
from clew.strategies.bingo.retraining import Rounds, Topics
from clew.strategies.bingo.settings import PRESETS, BingoSettings


class _State(msgspec.Struct, array_like=True):
    """What was learned. ``parents``, ``classes``: bytes of int32[visits + 1]."""

    parents: bytes
    classes: bytes
    harvesting: bool
    due: bool
    tunnelling: int
    trained_at: int
    retrainings: int
    hosts: list[str]
    hubs: list[int]
    poor: list[int]
    asking: list[str]


class Bingo(Strategy):
    """Learns what archetypes of its topics look like near the seeds, then harvests."""

    name = "bingo"
    Settings = BingoSettings
    presets = PRESETS

    def __init__(self, settings: BingoSettings | None = None) -> None:
        self.settings = settings or BingoSettings()
        self.harvesting = not self.settings.learning_pages
        self._topics = Topics()
        self._rounds = Rounds(self.settings)
        self._tunnelling = self.settings.tunnelling
        self._paths = Paths(self._sharp)
        self._due = False
        self._trained_at = 0
        self._hosts: set[str] = set()
        self._hubs: frozenset[int] = frozenset()
        self._poor: frozenset[int] = frozenset()
        self._asking: list[str] = []
        self._view: View | None = None

    def begin(self, view: View) -> None:
        self._view = view
        self._topics = Topics.of(view)
        self._poor = frozenset(self._topics.taught) if self._counts_fill else frozenset()

    @property
    def _sharp(self) -> bool:
        settings = self.settings
        return (settings.harvesting_focus if self.harvesting else settings.learning_focus) == "sharp"

    @property
    def _depth_first(self) -> bool:
        settings = self.settings
        return (settings.harvesting_order if self.harvesting else settings.learning_order) == "depth-first"

    @property
    def _counts_fill(self) -> bool:
        """Whether some topics can have fewer pages than others."""
        return len(self._topics.taught) > 1 and self.settings.min_positives > 0

    # -- scoring ------------------------------------------------------------------------------------------

    def score(self, links: LinkBatch) -> Doubles:
        if self.tier(links):
            return np.ones(len(links))
        steps, held, hub = self._standing(links.source)
        if steps > self._tunnelling and not hub:
            return np.full(len(links), np.nan)
        value = self._confidence(links.source) * self.settings.decay**steps
        value += self.settings.hub_boost * hub + self.settings.fill_boost * (held in self._poor)
        scores = np.full(len(links), value)
        if self._depth_first:
            scores += links.depths
        if not self.harvesting:
            scores[self._later(links)] = np.nan
        return scores

    def tier(self, links: LinkBatch) -> int:
        """Seeds, and the pages that link to its authorities, come before what it found."""
        return int(not links.source.url or enqueued(links))

    def _standing(self, source: Source) -> tuple[int, int, bool]:
        """Pages rejected in a row, class held, and whether the page is a top hub; of a page that was not learned, as if
        it had been found by itself."""
        if not self._paths.known(source.visit):
            class_ = self._topics.class_of(source.topic)
            return (0 if class_ >= 0 else source.tunnel), class_, False
        hub = self._paths.page(source.visit) in self._hubs
        return self._paths.steps(source.visit), self._paths.held(source.visit), hub

    def _confidence(self, source: Source) -> float:
        if self._topics.class_of(source.topic) >= 0:
            return float(source.scores[source.topic])
        own = source.scores[self._topics.own[: len(source.scores)]]
        return float(own.max()) if len(own) else 0.0

    def _later(self, links: LinkBatch) -> Bools:
        """bool[n]: links that wait for the harvest. Before a seed was read nothing is known to be off their hosts."""
        settings, depths = self.settings, links.depths
        later = np.zeros(len(links), np.bool_)
        if settings.learning_depth:
            later |= depths > settings.learning_depth
        if settings.learning_hosts and self._hosts:
            off = np.array([name not in self._hosts for name in links.links.host_names], np.bool_)
            later |= off[links.links.host_index] & (depths > 0)
        return later

    # -- learning -----------------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        link = visit.link
        class_ = self._topics.class_of(visit.judgement.topic) if visit.judgement is not None else OTHER
        moved = visit.response.outcome is Outcome.REDIRECT
        self._paths.note(visit.number, link.batch.source.visit, MOVED if moved else class_)
        if link.depth == 0 and link.kind is not LinkKind.BACKLINK:
            self._hosts.add(link.host)

    # -- adapting -----------------------------------------------------------------------------------------

    def adapt(self, session: Session) -> bool:
        """Train the judge again when it is time, go on to the harvest, see which topics lag behind."""
        view = self._view
        if view is None:
            return False
        ending = not self.harvesting and session.last_visit >= self.settings.learning_pages
        again = self._trained_again(view, session) if self._is_time(session, ending) else False
        if not self.harvesting and (ending or self._rounds.enough(view, self._topics)):
            self._harvest(view, session.last_visit)
            again = True
        return self._watch_fill(view, session) or again

    def _counts(self, after: int = 0) -> dict[int, int]:
        """Pages of each topic since a visit."""
        return self._paths.counts(self._topics.taught, after)

    def _is_time(self, session: Session, ending: bool) -> bool:
        new, counts = self._counts(self._trained_at), self._counts()
        return self._rounds.due(new, counts, session.last_visit - self._trained_at, ending or self._due)

    def _trained_again(self, view: View, session: Session) -> bool:
        """Link analysis, archetypes and training for all topics; whether scores changed."""
        self._trained_at, self._due = session.last_visit, False
        pages = view.pages()
        found = self._rounds.rank(view, pages, self._topics, session.number)
        hubs, self._hubs = self._hubs, frozenset(hub for one in found.values() for hub in one.hubs)
        self._ask_about(view, found)
        if not self._rounds.train(view, pages, self._topics, found):
            return hubs != self._hubs
        self._take_up(view.pages())
        return True

    def _take_up(self, pages: Pages) -> None:
        """Classes as the new judge sees them."""
        classes = self._paths.classes.copy()
        classes[pages.numbers] = self._topics.classes(pages.topics)
        self._paths.again(classes)

    def _harvest(self, view: View, visit: int) -> None:
        self.harvesting = True
        self._paths.again(sharp=self._sharp)
        view.actions.decide(Decision("bingo harvests", {"after visit": visit, "retrainings": self._rounds.adopted}))

    def _watch_fill(self, view: View, session: Session) -> bool:
        """Log how full the topics are; whether other ones lag behind now."""
        counts, before = self._counts(), self._poor
        lag = (topic for topic, count in counts.items() if count < self.settings.min_positives)
        self._poor = frozenset(lag) if self._counts_fill else frozenset()
        named = {f"pages of {view.topics[topic]}": count for topic, count in counts.items()}
        phase = "harvesting" if self.harvesting else "learning"
        view.actions.decide(Decision("bingo fill", {"session": session.number, "phase": phase, **named}))
        return before != self._poor

    # -- asking -------------------------------------------------------------------------------------------

    def _ask_about(self, view: View, found: dict[int, Ranked]) -> None:
        if self.settings.ask_backlinks:
            read = [[number for number in one.authorities if number] for one in found.values()]
            best = [number for numbers in read for number in numbers[: self.settings.authorities]]
            self._asking = list(view.urls(dict.fromkeys(best)).values())

    def wants_to_consult(self) -> bool:
        return bool(self._asking)

    async def consult(self) -> bool:
        """Ask who links to authorities; without a link left, harvest, then tunnel deeper."""
        view = self._view
        if view is None:
            return False
        if self._asking:
            asking, self._asking = self._asking, []
            for url in asking:
                view.actions.enqueue(await view.lookups.backlinks(url, self.settings.ask_backlinks), url)
            return True
        if not self.harvesting:
            self._due = True
            self._harvest(view, self._paths.count - 1)
            return True
        if not self.settings.widen or self._paths.most_steps <= self._tunnelling:
            return False
        self._tunnelling += 1
        view.actions.decide(Decision("bingo tunnels deeper", {"rejected pages in a row": self._tunnelling}))
        return True

    # -- for people ---------------------------------------------------------------------------------------

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        source = links.source
        if self.tier(links):
            return ["bingo: a seed, or a page that links to an authority: fetched before all others"]
        steps, held, hub = self._standing(source)
        phase = "harvesting" if self.harvesting else "learning"
        parts = [f"bingo, {phase}: it stands on {source.url}, confidence {self._confidence(source):.3f}"]
        if steps:
            decay = self.settings.decay**steps
            parts.append(f"{steps} pages in a row were rejected ({self._tunnelling} may be): times {decay:g}")
        if hub:
            parts.append(f"that page is one of the best hubs: plus {self.settings.hub_boost:g}")
        if held in self._poor:
            parts.append(f"the page's topic has too few pages yet: plus {self.settings.fill_boost:g}")
        if self._depth_first:
            parts.append(f"depth-first: plus {int(links.depths[index])} links from the seeds")
        if np.isnan(self.score(links)[index]):
            tunnelled = steps > self._tunnelling and not hub
            parts.append("not followed: too many were rejected" if tunnelled else "it waits for the harvest")
        return parts

    # -- state --------------------------------------------------------------------------------------------

    def queues(self) -> list[Queue]:
        """The phase, its focus, and the topics that have few archetypes yet."""
        names = self._view.topics if self._view is not None else ()
        hubs = [Queue("hubs", "whose links are followed further", len(self._hubs))] if self._hubs else []
        return [
            Queue("phase", "harvesting" if self.harvesting else "learning"),
            Queue("focus", "sharp" if self._sharp else "soft"),
            Queue("tunnelling", "pages off the topic in a row that are followed", self._tunnelling),
            *(Queue("needs archetypes", names[topic]) for topic in sorted(self._poor) if 0 <= topic < len(names)),
            *hubs,
        ]

    def state(self) -> bytes:
        """8 bytes a visit, and a little more."""
        parents, classes = self._paths.pack()
        found = _State(
            parents=parents,
            classes=classes,
            harvesting=self.harvesting,
            due=self._due,
            tunnelling=self._tunnelling,
            trained_at=self._trained_at,
            retrainings=self._rounds.adopted,
            hosts=sorted(self._hosts),
            hubs=sorted(self._hubs),
            poor=sorted(self._poor),
            asking=self._asking,
        )
        return msgspec.msgpack.encode(found)

    def restore(self, state: bytes) -> None:
        found = msgspec.msgpack.decode(state, type=_State)
        self.harvesting, self._due = found.harvesting, found.due
        self._tunnelling = max(found.tunnelling, self.settings.tunnelling)
        self._trained_at, self._rounds.adopted = found.trained_at, found.retrainings
        self._hosts, self._hubs, self._poor = set(found.hosts), frozenset(found.hubs), frozenset(found.poor)
        self._asking = found.asking
        self._paths = Paths.unpacked(found.parents, found.classes, self._sharp)
