"""The evidence of all links to a URL, weighed by experts of which one learns while it crawls.

A page is foreseen from all pages known to link to it. Of a waiting URL are kept the number N of links to it, the sum S
of the relevances of the pages they stand on, the sum H of how well the links of these pages have paid off so far, and
the best value A that the words of a link gave it (``values``). From these and from what its host gave so far, v
(``hosts``), come four numbers (``gate.evidence``):

    logit((S + 2m) / (N + 2)),   log(S + .05),   A + v,   logit(H / N)

    h(u) = (worth of the pages fetched by links of u + 2m) / (number of these pages + 2)

Experts weigh them; a gate weighs the experts by how well they foresaw what was fetched (``gate``). A link's score is
the relevance that the gate expects of its page.

=========  =====================================================================
symbol     name
=========  =====================================================================
m          mean relevance of all pages so far: ``Credit.mean``
h(u)       ``Credit.rates``
A          ``LinkValues.of`` + 0.4 · ``LinkValues.odds`` − 0.6 · (log(depth of the link's page) − 1)
v          ``Hosts.values``
N, S, H    ``Clew.fields`` and the number of links that every frontier counts
=========  =====================================================================

Sources. That the links of a page share a fate: C. Aggarwal, F. Al-Garawi, P. Yu, "Intelligent Crawling on the World
Wide Web with Arbitrary Predicates", WWW 2001 (siblings). Words of links: M. Hersovici and others, "The Shark-Search
Algorithm", WWW 1998. The gate: M. Herbster, M. K. Warmuth 1998. What was measured, what helped and what did not:
docs/strategies/clew.md.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from clew.frontier.base import Sums
from clew.model import Decision, Doubles, Floats, Ints, LinkBatch, Session, Visit
from clew.strategies.base import UNCHANGED, Queue, Strategy, View
from clew.strategies.clew.credit import NONE, ONE, Credit, whole
from clew.strategies.clew.facts import Facts
from clew.strategies.clew.gate import NAMES, Gate, evidence
from clew.strategies.clew.hosts import HostIds, Hosts
from clew.strategies.clew.settings import ClewSettings
from clew.strategies.clew.values import LinkValues
from clew.strategies.clew.wanted import Topic
from clew.words import form, many

EXPLORED = 100
"""After so many pages half as many links are taken for their age as at first."""

NEAR = 1.0
"""The logarithm of a page's depth at which being near counts for nothing."""

SELDOM = 40
"""All links are scored again after a fortieth more pages, if that is more than ``refresh``: with a million links it
takes half a second."""

FAR = 0.5
"""Nothing relevant is near when the best link promises less than so much of the mean relevance so far."""


class Clew(Strategy):
    """All evidence about a link, weighed by what proved right so far."""

    name = "clew"
    presets = UNCHANGED
    saves_often: ClassVar[bool] = True
    fields: np.dtype[Any] = np.dtype([("relevance", "i4"), ("rates", "i4")])

    Settings = ClewSettings

    def __init__(self, settings: ClewSettings | None = None) -> None:
        self.settings = settings or ClewSettings()
        self.credit = Credit(self.settings.discount)
        self.gate = Gate(self.settings)
        self.values: LinkValues | None = None
        self._view: View | None = None
        self._pages = self._seed = self._scored = 0
        self.hosts = Hosts(self.settings.seed_hosts, self.settings.barren_hosts)
        self._refresh_at = self.settings.refresh
        self._grown: list[tuple[int, int]] = []
        self._stale = self._far = False
        self._read: Facts | None = None  # from the beginning until the state is restored or something is learned

    @property
    def combination(self) -> Clew:
        return self

    # -- what is known ------------------------------------------------------------------------------------

    def begin(self, view: View) -> None:
        self.gate = Gate(self.settings)
        self._view, self._pages, self._far = view, 0, False
        self._refresh_at = self.settings.refresh
        self._seed = int(view.rng("clew explores").integers(2**32))
        examples = list(view.training)
        wanted = view.interest.targets(examples, view.judge.judge)
        chosen = {id(one) for one in wanted}
        others = [one.page for one in examples if id(one) not in chosen]
        self.values = LinkValues(Topic.of([one.page for one in wanted], others, view.judge.keywords))
        self._read = self._take_up(view)

    def rejudged(self) -> None:
        """Relevances are others now: what pages are worth follows from them."""
        if self._view is not None:
            self._take_up(self._view)

    def _take_up(self, view: View) -> Facts:
        """Learn from all visits what pages and hosts gave; returns what was read of them."""
        facts = Facts.of(view)
        self.credit = Credit.of(facts.rows, facts.worth, self.settings.discount)
        self._scored = len(facts)
        self.hosts = self._hosts_of(facts)
        self._stale = True
        return facts

    def _hosts_of(self, facts: Facts) -> Hosts:
        """What hosts gave, with links valued as they were after ``_scored`` visits."""
        hosts = Hosts(self.settings.seed_hosts, self.settings.barren_hosts)
        hosts.learn(facts, self._scored)
        return hosts

    def learn(self, visit: Visit) -> None:
        """From the page that a link led to, and of the links on it."""
        self._read = None
        link = visit.link
        judged, row = visit.judgement is not None, link.batch.source.visit
        relevance = self._worth(visit.relevance, visit.relevant) if judged else NONE
        if visit.number > self.credit.count:
            self._grown += self.credit.add(visit.number, row, relevance)
            self.hosts.add(visit.number, link.host_id, row, relevance, visit.relevant)
        if judged and link.evidence and row > 0:
            columns = [np.array([number]) for number in (*link.evidence, link.host_id)]
            self.gate.learn(self._x(*columns)[:, 0], relevance / ONE)
        if visit.links is not None and self.values is not None:
            self.values.seen(visit.links)
        self._pages += 1
        if self._pages >= self._refresh_at:
            self.gate.refresh(self.credit.mean / ONE)
            self.hosts.refresh()
            self._scored = visit.number
            self._refresh_at = self._pages + max(self.settings.refresh, self._pages // SELDOM)
            self._stale = True

    def _worth(self, relevance: float, relevant: bool) -> int:
        """What a page is worth: nothing where it is not to be relevant in spite of its text (it repeats another one, or
        its topic is excluded)."""
        left_out = self._view is not None and relevance >= self._view.interest.threshold and not relevant
        return 0 if left_out else whole(relevance)

    def explores(self) -> bool:
        share = self.settings.explore / (1.0 + self._pages / EXPLORED)
        return share > 0 and float(np.random.default_rng([self._seed, self._pages]).random()) < share

    def score(self, links: LinkBatch) -> Doubles:
        """The value of each link's own words; ``combination`` makes the score of its URL."""
        if self.values is None:
            return np.zeros(len(links))
        steps = np.log(np.maximum(links.depths, 1))
        words, odds = self.values.of(links), self.values.odds(links)
        return self.settings.words * words + self.settings.odds * odds - self.settings.near * (steps - NEAR)

    def adapt(self, session: Session) -> bool:
        """Say when nothing relevant is near, and when it is again; the scores then widen by themselves, since the mean
        sinks to which all evidence is compared."""
        far = session.best_waiting < FAR * self.credit.mean / ONE
        if far != self._far and self._view is not None:
            self._far = far
            kind = "nothing relevant is near: links are followed further" if far else "relevant links are near again"
            best = round(float(session.best_waiting), 4)
            self._view.actions.decide(Decision(kind, {"best_waiting": best, "mean": round(self.credit.mean / ONE, 4)}))
        return False

    # -- how the links to a URL make its score (frontier.base.Combination) -------------------------------------

    def added(self, rows: Ints, scores: Floats) -> Sums:
        more = np.empty(len(scores), self.fields)
        more["relevance"], more["rates"] = self.credit.relevances(rows), self.credit.rates(rows)
        return more

    def combined(self, links: npt.NDArray[np.uint32], best: Floats, sums: Sums, hosts: HostIds) -> Doubles:
        return self.gate.used(self._x(links.astype(np.float64), best, sums["relevance"], sums["rates"], hosts))

    def _x(self, links: Doubles, best: npt.NDArray[Any], sum_of: Ints, rates: Ints, hosts: HostIds) -> Doubles:
        """The evidence float64[4, n] of what was added up for n URLs on these hosts."""
        return evidence(links, best + self.hosts.values(hosts), sum_of / ONE, rates / ONE, self.gate.used.mean)

    def grown(self) -> list[tuple[int, Sums]]:
        found = [(row, np.array((0, more), self.fields)) for row, more in self._grown if more]
        self._grown = []
        return found

    def stale(self) -> bool:
        was, self._stale = self._stale, False
        return was

    # -- words and state ----------------------------------------------------------------------------------

    def explain(self, links: LinkBatch, index: int) -> list[str]:
        source, found = links.source, []
        if source.visit > 0:
            row = source.visit
            fetched, paid = self.credit.fetched.item(row), self.credit.paid.item(row) / ONE
            found.append(f"clew: it stands on a page of relevance {source.relevance:.3f} ({source.url})")
            if fetched:
                they = form(fetched, "it", "they")
                followed = f"{many(fetched, 'link')} of that page {form(fetched, 'was', 'were')} followed"
                found.append(f"clew: {followed}; {they} led to {paid:.2f} relevant pages")
        if self.values is not None:
            text = links.anchor_text(index)
            named = f" (“{text}”)" if text else ""
            found.append(f"clew: its words{named} say {float(self.score(links)[index]):+.2f} standard deviations")
        host = self._view.host_id(links.links.host_names[links.links.host_index[index]]) if self._view else None
        if host is not None and (told := self.hosts.said(host)):
            found.append(f"clew: {told}")
        shares = self.gate.used.shares.tolist()
        said = ", ".join(f"{name} {share:.2f}" for name, share in zip(NAMES, shares, strict=False))
        found.append(f"clew: all links to a URL count together; experts weigh: {said}")
        return found

    def queues(self) -> list[Queue]:
        """The experts and what each weighs; whether it looks further."""
        shares = zip(NAMES, self.gate.used.shares.tolist(), strict=True)
        experts = [Queue(f"expert {name}", "weight", round(share, 4)) for name, share in shares]
        explored = round(self.settings.explore / (1.0 + self._pages / EXPLORED), 4)
        far = [Queue("focus", "nothing relevant is near: links are followed further")] if self._far else []
        return [*experts, Queue("explores", "share of links that are taken for their age", explored), *far]

    def state(self) -> bytes:
        numbers = [float(self._pages), float(self._refresh_at), float(self._far), float(self._scored)]
        if self.values is None:
            return b""
        return np.concatenate([numbers, self.gate.numbers(), self.values.numbers()]).astype("<f8").tobytes()

    def restore(self, state: bytes) -> None:
        read, self._read = self._read, None  # as large as the crawl: not to be kept
        if not state:
            return
        numbers = np.frombuffer(state, "<f8")
        if len(state) != len(self.state()):
            return  # of another version of Clew: it learns anew
        self._pages, self._refresh_at, self._far = int(numbers[0]), int(numbers[1]), bool(numbers[2])
        self._scored = int(numbers[3])
        if read is None and self._view is not None:
            read = Facts.of(self._view)
        if read is not None:
            self.hosts = self._hosts_of(read)
        left = self.gate.take(numbers[4:])
        if self.values is not None:
            self.values.take(left)
