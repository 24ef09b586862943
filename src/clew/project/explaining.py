"""Why a URL was visited and judged as it was, or why it waits, was refused, or is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from clew.crawl.lastrun import last_run
from clew.crawl.sessions import recall
from clew.crawl.tiers import opened_rows, row_tiers, tier_of
from clew.crawl.view import CrawlView
from clew.errors import ArchiveError
from clew.examples.training import OBSERVED, Trained
from clew.judges.base import Judge
from clew.model import LinkKind, Outcome, without
from clew.project.assembly import strategy_of, trainer_as_crawled
from clew.project.project import Project
from clew.store.base import Store
from clew.store.inherited import document_row
from clew.store.records import VisitRow
from clew.store.warc import read
from clew.strategies.base import Strategy
from clew.text.reader import Unreadable
from clew.urls.canonical import key
from clew.words import digits

TERMS = 12


@dataclass(frozen=True, slots=True)
class Step:
    """One visit on the path from a seed: its link's score when it was taken, the parts of it in words, its anchor."""

    number: int
    url: str
    score: float
    relevance: float | None
    parts: tuple[str, ...]
    anchor: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """``state``: visited, listed, refused, absent, waiting, parked, out-of-scope or unknown; ``verdict`` says it
    in words."""

    url: str
    state: str
    verdict: str
    path: tuple[Step, ...] = ()
    terms: tuple[tuple[str, float], ...] = ()


def explain(project: Project, store: Store, url: str) -> Explanation:
    """Explain a canonical URL, by the judge and the strategy that the crawl used last."""
    return Explainer(project, store).explain(url)


class Explainer:
    """Explains URLs by the judge and the strategy that the crawl used last, under the threshold that it used.

    Making one trains the judge, which takes seconds; each explanation takes little then. It is as the crawl was when it
    was made: ``stamp`` changes when another one is needed. ``earlier``: one whose judge is taken over where nothing of
    what it learned from has changed. Not for several threads at once.
    """

    def __init__(self, project: Project, store: Store, earlier: Explainer | None = None) -> None:
        settings = msgspec.structs.replace(project.settings.judge, name=last_run(store, project.settings).judge)
        self.project = project.with_settings(msgspec.structs.replace(project.settings, judge=settings))
        self.judge_stamp, self.stamp = stamps(project, store)
        last = last_run(store, self.project.settings)
        if earlier is not None and earlier.judge_stamp == self.judge_stamp:
            self._trained: Trained = earlier._trained
        else:
            self._trained = trainer_as_crawled(self.project, store).as_crawled(last.threshold)
        self.judge, self._store = self._trained.judge, store
        self._view = self._view_of(store)
        self.strategy = self._strategy(last.strategy)

    def look_at(self, store: Store) -> None:
        """From now on read this store: the same one, opened again."""
        self._store = self._view.store = store

    def explain(self, url: str) -> Explanation:
        """Explain a canonical URL."""
        project, store = self.project, self._store
        row = store.visits.by_key(key(url))
        if row is not None:
            path = tuple(_step(store, self.strategy, one) for one in store.visits.path_to(row.number))
            return Explanation(url, "visited", _visited(project, store, row), path, self.terms(row))
        if (listed := _document(project, store, url)) and not listed[0].number:
            path = tuple(_step(store, self.strategy, one) for one in store.visits.path_to(listed[0].inherited_from))
            return Explanation(url, "listed", f"a document, listed without being fetched: {listed[1]}", path)
        refusal = store.links.refusal(key(url))
        if refusal is not None:
            source = _found_on(store, refusal.row)
            return Explanation(url, str(refusal.outcome), f"not fetched: {refusal.reason}{source}")
        return _waiting(project, store, self.strategy, url)

    def terms(self, row: VisitRow) -> tuple[tuple[str, float], ...]:
        """The terms of a visited page that weighed most, from the archive; none where there is no page."""
        return _terms(self.project, self.judge, row)

    def _view_of(self, store: Store) -> CrawlView:
        trained, judge, seed = self._trained, self.judge, self.project.settings.crawl.seed
        examples, interest, tree = trained.examples, trained.interest, self.project.tree
        return CrawlView(examples, interest, tree, seed, store, lambda: judge, others=self.project.visits_of)

    def _strategy(self, name: str) -> Strategy:
        """The strategy as it is after the last session."""
        strategy = strategy_of(self.project, name)
        strategy.begin(self._view)
        later = recall(strategy, name, self._store)
        if type(strategy).state is Strategy.state:  # it keeps no state: what it knows is in the visits
            for visit in later:
                strategy.learn(visit)
        return strategy


def stamps(project: Project, store: Store) -> tuple[object, object]:
    """What tells that the judge of an ``Explainer`` is out of date, and that it is itself."""
    journal, last = store.journal, last_run(store, project.settings)
    seen = journal.saved(OBSERVED)
    taught = sum(row.decision.kind.startswith("judge ") for row in journal.decisions())  # labels it took in, too
    archetypes = tuple(sorted(journal.archetypes.items()))
    judge = (last.judge, last.threshold, taught, archetypes, seen.visit if seen else 0, project.crawl_number())
    return judge, (judge, last.strategy, journal.last_session)


def _found_on(store: Store, row: int) -> str:
    source = store.visits.get(row)
    if source is not None:
        return f" (found on {source.url})"
    batch = store.links.batch(row)
    named = len(batch) and batch.links.kinds[0] is LinkKind.SITEMAP
    return f" (named by robots.txt of {batch.source.host})" if named else " (a seed)"


def _document(project: Project, store: Store, url: str) -> tuple[VisitRow, str] | None:
    """A document that inherits, and what it does in words; None for what does not."""
    found = store.documents.get(key(url))
    row = document_row(store, found) if found is not None else None
    if row is None:
        return None
    parent = next(iter(store.visits.urls([row.inherited_from]).values()), "")
    topics = project.interest.topics
    topic = f", topic {topics[row.topic]}" if row.topic is not None and 0 <= row.topic < len(topics) else ""
    verdict = "relevant" if row.relevant else "not relevant"
    return row, f"{verdict}: relevance {digits(row.relevance)}{topic}, inherited from {parent}"


def _visited(project: Project, store: Store, row: VisitRow) -> str:
    when = f"visit {row.number}"
    if row.outcome is not Outcome.OK or not row.judged:
        found = _document(project, store, row.url)
        inherits = f"; a document, {found[1]}" if found is not None else ""
        return f"{when}, {row.outcome}{f' (status {row.status})' if row.status else ''}: {row.reason}{inherits}"
    verdict = "relevant" if row.relevant else "not relevant"
    last = last_run(store, project.settings)
    reason = f"; {row.reason}" if row.reason else ""
    judged = f"relevance {digits(row.relevance)}, threshold {last.threshold:.3g}, judged by {last.judge}"
    return f"{when}, {verdict}: {judged}{reason}"


def _step(store: Store, strategy: Strategy, row: VisitRow) -> Step:
    batch = store.links.batch(row.row)
    return Step(
        number=row.number,
        url=row.url,
        score=row.score,
        relevance=row.relevance if row.judged else None,
        parts=tuple(strategy.explain(batch, row.link_index)),
        anchor=batch.anchor_text(row.link_index),
    )


def _terms(project: Project, judge: Judge, row: VisitRow) -> tuple[tuple[str, float], ...]:
    """The terms that weighed most, from the archived page and a judge trained on the stored examples."""
    if not row.judged or not row.warc_file:
        return ()
    try:
        page = project.reader.read(read(project.archive, row.warc_file, row.warc_offset))
    except (Unreadable, ArchiveError):  # an archive file may have been taken away
        return ()
    return tuple(judge.explain(page, TERMS, project.interest.wanted))


def _waiting(project: Project, store: Store, strategy: Strategy, url: str) -> Explanation:
    """A URL that was never taken: it waits, it must not be followed, it is out of scope, or no page links to it."""
    out = project.scope.why_not(url)
    if out:
        return Explanation(url, "out-of-scope", f"not fetched: {out}")
    places = list(store.links.find(key(url)))
    if not places:
        if url in project.seeds():
            return Explanation(url, "waiting", "a seed that was put down since the last run: the next one fetches it")
        return Explanation(url, "unknown", "no page visited so far links to it, and it is no seed")
    opened = opened_rows(store, strategy)
    tiers = row_tiers(store, strategy, opened)
    row, index, score = max(places, key=lambda place: _priority(tiers.get(place[0], 0), place[2]))
    batch, tier = store.links.batch(row), tiers.get(row, 0)
    source = _found_on(store, row)
    if np.isnan(score):
        return Explanation(url, "parked", f"not to be followed (rel=nofollow, depth, or the strategy says so){source}")
    parts = "; ".join(strategy.explain(batch, index))
    if row in opened and not tier_of(strategy, batch):
        parts = f"a link of its page was taken, so the page's others come next; {parts}"
    first = f" in tier {tier}, before all links of lower tiers" if tier else ""
    ahead = _ahead(store, tiers, row, score)
    waits = f"waits with score {digits(score, rounded=False)}{first}, about {ahead} links before it{source}: {parts}"
    return Explanation(url, "waiting", waits)


def _priority(tier: int, score: float) -> tuple[float, float]:
    """As in the frontier: links of a tier above 0 go by first sight; those not to be followed come last."""
    if np.isnan(score):
        return -1.0, 0.0
    return float(tier), 0.0 if tier else score


def _ahead(store: Store, tiers: Mapping[int, int], row: int, score: float) -> int:
    """How many waiting URLs come before a link of a row."""
    if not tiers:
        return store.links.waiting(above=score)
    before, met, tier = [np.empty(0, np.uint64)], False, tiers.get(row, 0)
    for number, keys, _, scores in store.links.rows():
        other, met = tiers.get(number, 0), met or number == row
        if other > tier or (other == tier > 0 and not met):
            before.append(keys[~np.isnan(scores)])
        elif other == tier == 0:
            before.append(keys[scores > score])
    return len(without(np.concatenate(before), store.links.done_keys()))
