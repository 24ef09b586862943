"""Tunnelling with a threshold and an adaptive cutoff: D. Bergmark, C. Lagoze, A. Sbityakov, "Focused Crawls, Tunneling,
and Digital Libraries", ECDL 2002.

A crawl fills many collections at once. A page is a nugget when it is near enough to one of them, else a dud, and has a
distance from the last nugget before it. A path that is far from its last nugget is ended: its links are not followed.

    correlation(p) = max_k s_k(p),  collection(p) = argmax_k s_k(p),  k over the collections       equation (1)
    s_{A∧B}(p)     = min(s_A(p), s_B(p)), where an interest joins topics, or by its semantics
    nugget(p)      = correlation(p) ≥ threshold
    distance(p)    = 0 for nuggets and seeds, else by ``metric`` of graph/paths.py
    links of p     are followed if p is a nugget or a seed, or distance(p) < C
    score of links = correlation(p) by default; see ``order``

==================  ===============================================================
symbol              name
==================  ===============================================================
collections         ``Interest.alternatives``: the topics of "A or B", the one collection of "A and B"
s_k(p)              ``Interest.values`` of ``Judgement.scores``, kept as ``Source.scores``
c                   ``correlation``
d_p                 the distance of the page from which p was fetched, ``parent``
threshold, C        ``Settings.threshold``, ``Settings.cutoff``
pseudo-nugget       ``SEED``, the distance of the seeds' row
==================  ===============================================================

Departures. (1) The paper's threshold is on the raw cosine with a centroid. Here it is on the judge's score, which is
calibrated and so means the same for every judge; the paper's judge is ``centroid`` with the settings that
docs/judges.md gives. (2) The paper takes links as they come; by default those of the best page come first, and are
pruned as in the paper. (3) Equation (3) contradicts the paper's text and figures as printed; the default is a reading
that does not. (4) A page's distance is fixed when it is fetched: neither another parent nor a judge trained anew
changes it.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
import numpy as np

from clew.graph.paths import CUMULATIVE_MAX, Metric, expanded, step
from clew.model import LISTS, Bools, Decision, Doubles, Floats, LinkBatch, Outcome, Session, Visit
from clew.section import Section, doc
from clew.strategies.base import Queue, Strategy, View
from clew.topics.formula import unparse
from clew.topics.interest import Interest
from clew.urls.aspects import has_ending

Order: TypeAlias = Literal["correlation", "breadth-first", "distance"]
SEED = -1.0
"""The distance of what leads to a seed: the page it leads to has distance 0 whatever its correlation."""
PAPER = {
    "threshold": 0.5,
    "cutoff": 20.0,
    "metric": CUMULATIVE_MAX,
    "order": "breadth-first",
    "demote_hosts_after": 0,
    "documents": ("pdf", "ps"),
}
"""The study of tunnelling (section 6); the reading of equation (3) is ours, as departure (3) says."""
LEAST = 1e-30
"""The least distance of a dud, so that a distance of 0 says nugget or seed."""


class _State(msgspec.Struct, array_like=True):
    """What was learned: ``distances`` the bytes of float32[visits + 1]; the counts are of the session under way."""

    distances: bytes
    nuggets: list[int]
    duds: int
    ended: int


class Tunnelling(Strategy):
    """Follows paths from nugget to nugget, and ends those that lead nowhere."""

    name = "tunnelling"
    presets = {"paper": PAPER}  # noqa: RUF012  # nobody changes it

    class Settings(Section, frozen=True):
        """[strategy.tunnelling]"""

        threshold: Annotated[float, doc("A page of this correlation with a collection is a nugget.", ge=0, le=1)] = 0.5
        cutoff: Annotated[float, doc("A path ends at this distance from its last nugget (0: at any dud).", ge=0)] = 20.0
        metric: Annotated[Metric, doc("How distance grows.")] = CUMULATIVE_MAX
        order: Annotated[Order, doc("What goes first among links that are followed.")] = "correlation"
        demote_hosts_after: Annotated[
            int, doc("Hosts of which so many pages were seen and none was relevant go later (0: never).", ge=0)
        ] = 0
        demotion: Annotated[float, doc("By what the scores of such hosts are multiplied.", gt=0, le=1)] = 0.5
        documents: Annotated[
            tuple[str, ...],
            doc("Files with these endings are not followed. To have documents in the collection: crawl.documents."),
        ] = ()

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or self.Settings()
        self.documents = tuple(f".{ending.lower().lstrip('.')}" for ending in self.settings.documents)
        self._interest = Interest()
        self._distances = np.zeros(1024, np.float32)
        self._distances[0] = SEED
        self._count = 1
        self._nuggets = [0]
        self._duds = self._ended = 0
        self._view: View | None = None

    def begin(self, view: View) -> None:
        """Take the alternatives of the interest as collections."""
        self._view, self._interest = view, view.interest
        self._nuggets = [0] * len(self._interest.alternatives)

    # -- scoring ------------------------------------------------------------------------------------------

    def score(self, links: LinkBatch) -> Doubles:
        distance = self.distance(links.source.visit)
        if not self._followed(distance):
            return np.full(len(links), np.nan)
        scores = self._priorities(links, distance)
        if self.settings.demote_hosts_after:
            scores[self._barren(links)] *= self.settings.demotion
        if self.settings.order == "breadth-first":
            scores = scores - links.depths - 1.0  # what is demoted goes last among links of its depth
        if self.documents:
            scores[[has_ending(url, self.documents) for url in links.links.urls]] = np.nan
        return scores

    def distance(self, number: int) -> float:
        """The distance of a visit; that of a nugget for one that was not learned yet."""
        return float(self._distances[number]) if number < self._count else 0.0

    def _followed(self, distance: float) -> bool:
        return expanded(distance, distance <= 0, self.settings.cutoff)

    def _priorities(self, links: LinkBatch, distance: float) -> Doubles:
        """float64[n] in [0, 1], higher first."""
        if self.settings.order == "correlation":
            return np.full(len(links), self._nearest(links.source.scores)[1], np.float64)
        if self.settings.order == "distance":
            return np.full(len(links), 1.0 / (1.0 + max(distance, 0.0)))
        return np.ones(len(links))

    def _barren(self, links: LinkBatch) -> Bools:
        """bool[n]: links to hosts that brought nothing."""
        seen = links.host_visits >= self.settings.demote_hosts_after
        return np.asarray(seen & (links.host_relevant == 0), np.bool_)

    def _nearest(self, scores: Floats) -> tuple[int, float]:
        """The place of the nearest collection among the collections, and the correlation with it."""
        own = self._interest.values(scores[None, :])[0]
        place = int(own.argmax())
        return place, float(own[place])

    # -- learning -----------------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        """Note the distance of the visit from the page that led to it; a redirect passes on its parent's."""
        parent = self.distance(visit.link.batch.source.visit)
        if visit.response.outcome is Outcome.REDIRECT or visit.link.kind in LISTS:
            self._note(visit.number, parent)
            return
        place, correlation = self._nearest(visit.judgement.scores) if visit.judgement is not None else (0, 0.0)
        distance = self._after(parent, correlation)
        self._note(visit.number, distance)
        if visit.judgement is None:
            return
        if correlation >= self.settings.threshold:
            self._nuggets[place] += 1
        else:
            self._duds += 1
            self._ended += not self._followed(distance)

    def _after(self, parent: float, correlation: float) -> float:
        """The distance of a page after one of distance ``parent``."""
        settings = self.settings
        if parent < 0 or correlation >= settings.threshold:
            return 0.0
        distance = step(
            correlation, parent, metric=settings.metric, threshold=settings.threshold, cutoff=settings.cutoff
        )
        return max(distance, LEAST)

    def _note(self, number: int, distance: float) -> None:
        if number >= len(self._distances):
            grown = np.zeros(max(2 * len(self._distances), number + 1), np.float32)
            grown[: self._count] = self._distances[: self._count]
            self._distances = grown
        self._distances[number] = distance
        self._count = max(self._count, number + 1)

    def adapt(self, session: Session) -> bool:
        """Write the session's counts to the decision log; the scores stay."""
        if self._view is not None:
            self._view.actions.decide(Decision(self.name, self._facts(self._view, session)))
        self._nuggets = [0] * len(self._nuggets)
        self._duds = self._ended = 0
        return False

    def _facts(self, view: View, session: Session) -> dict[str, str | int | float | bool]:
        named = zip(view.interest.alternatives, self._nuggets, strict=True)
        return {
            "session": session.number,
            "nuggets": sum(self._nuggets),
            "duds": self._duds,
            "paths ended at the cutoff": self._ended,
            **{f"nuggets of {unparse(one, view.topics)}": count for one, count in named},
        }

    # -- for people ---------------------------------------------------------------------------------------

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        source, url = links.source, links.links.urls[index]
        distance = self.distance(source.visit)
        if not source.url:
            return ["tunnelling: a seed, which counts as a nugget"]
        parts = [f"tunnelling: it stands on {source.url}, {self._named(source.scores)}", self._fate(distance)]
        if self.documents and has_ending(url, self.documents):
            return [*parts, "not followed for its file ending (strategy.tunnelling.documents)"]
        if self._followed(distance):
            parts.append(self._ordered(links, distance, index))
        if self.settings.demote_hosts_after and self._barren(links)[index]:
            parts.append(
                f"demoted by {self.settings.demotion:g}: {links.host_visits[index]:.0f} pages of its host were seen, "
                "none relevant"
            )
        return parts

    def queues(self) -> list[Queue]:
        """The collections with their nuggets, and the duds, of the session under way."""
        topics = self._interest.topics
        named = zip(self._interest.alternatives, self._nuggets, strict=True)
        return [
            *(Queue(f"collection {unparse(one, topics)}", "nuggets of this session", count) for one, count in named),
            Queue("duds", "of this session", self._duds),
            Queue("paths ended", f"of this session, at the cutoff {self.settings.cutoff:g}", self._ended),
        ]

    def _named(self, scores: Floats) -> str:
        place, correlation = self._nearest(scores)
        name = unparse(self._interest.alternatives[place], self._interest.topics)
        return f"whose nearest collection is {name}, correlation {correlation:.3f}"

    def _fate(self, distance: float) -> str:
        if distance <= 0:
            return "a nugget (or seed): its links are always followed"
        side = "below" if self._followed(distance) else "not below"
        fate = "followed" if self._followed(distance) else "not followed, the path ends"
        return (
            f"a dud at distance {distance:.2f} from the last nugget ({self.settings.metric}), {side} the cutoff "
            f"{self.settings.cutoff:g}: its links are {fate}"
        )

    def _ordered(self, links: LinkBatch, distance: float, index: int) -> str:
        if self.settings.order == "breadth-first":
            return f"order breadth-first: {int(links.depths[index])} links from the seeds"
        return f"order {self.settings.order}: {self._priorities(links, distance)[index]:.3f}"

    # -- state --------------------------------------------------------------------------------------------

    def state(self) -> bytes:
        """4 bytes a visit, and the counts of the session under way."""
        kept = self._distances[: self._count].astype("<f4").tobytes()
        return msgspec.msgpack.encode(_State(kept, self._nuggets, self._duds, self._ended))

    def restore(self, state: bytes) -> None:
        found = msgspec.msgpack.decode(state, type=_State)
        self._distances = np.frombuffer(found.distances, "<f4").astype(np.float32)
        self._count = len(self._distances)
        self._duds, self._ended = found.duds, found.ended
        if len(found.nuggets) == len(self._nuggets):  # else the interest is another one now
            self._nuggets = found.nuggets
