"""Archetypes: pages of the crawl that train the judge besides the user's examples (Sizov and others 2002).

When a strategy names some, the judge is trained again with the examples, the labels and these pages. If it is adopted,
every page the crawl remembers is judged again, so that relevance, what links are known by, and the history of
hosts are those of one judge. Pages whose terms were not kept (links not to be followed) stay as they were judged.

The same happens when a judge learned from the crawl's pages (``learn_from_crawl``), under every strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from clew.crawl.documents import Documents
from clew.crawl.events import decide, tell
from clew.crawl.interests import Change, record, recorded, standing_of
from clew.crawl.parts import Parts
from clew.crawl.verdicts import FINAL, verdict
from clew.errors import StoreError, TrainingError
from clew.examples.training import Adoption
from clew.examples.visited import examples, visited_page, without_refused
from clew.model import Decision, Judgement, Outcome, Source
from clew.store.records import Rejudged, VisitRow
from clew.strategies.base import Retraining
from clew.topics.formula import unparse
from clew.words import form, many

AT_ONCE = 64
"""Pages judged at a time."""

FIRST_LOOK = 25
"""Visits after which a judge learns from the crawl for the first time. It does so again whenever they have doubled: so
little of the crawl is guided by a judge that does not know its web, and all pages are judged again twice in the mean.
"""


def retrain(parts: Parts, archetypes: Mapping[int, Sequence[int]]) -> Retraining:
    """Train with these archetypes instead of those before; adopt the judge unless labels speak against it."""
    before = parts.progress.relevant
    if parts.trainer is None:
        return Retraining("this crawl's judge cannot be trained again")
    archetypes = without_refused(parts.store, archetypes, parts.trainer.refused)
    pages = examples(parts.store, archetypes, parts.reading.worker.reader, parts.archive_folder)
    try:
        adoption = parts.trainer.with_archetypes(pages, parts.reading.worker.judge)
    except TrainingError as error:
        return Retraining(str(error))
    decide(parts.store, adoption.decision())
    if not adoption.adopted:
        return Retraining("labels that were held back are judged worse by the new judge")
    parts.store.journal.archetypes = {topic: tuple(numbers) for topic, numbers in archetypes.items()}
    again = _adopt(parts, adoption)
    return Retraining("", len(pages), again, parts.progress.relevant, before)


def learns_now(parts: Parts) -> bool:
    """Whether the judge should look at the crawl's pages: after ``FIRST_LOOK`` visits, twice as many, and so on."""
    rounds, rest = divmod(parts.progress.visits, FIRST_LOOK)
    if rest or not rounds or rounds & (rounds - 1) or parts.trainer is None:
        return False
    return parts.reading.worker.judge.learns_from_crawl and parts.trainer.looked_at < parts.progress.visits


def learn_from_crawl(parts: Parts) -> bool:
    """Let the judge learn from the pages crawled so far. True when it did: then all stored pages were judged again, and
    links are to be scored again."""
    judge = parts.reading.worker.judge
    assert parts.trainer is not None
    parts.commit()  # what a resumed crawl would learn from
    try:
        adoption = parts.trainer.with_crawled(parts.progress.visits, judge)
    except TrainingError as error:
        decide(parts.store, Decision("judge did not learn from the crawl", {"reason": str(error)}))
        return False
    if adoption is None:
        return False
    decide(parts.store, adoption.decision())
    if adoption.adopted:
        _adopt(parts, adoption)
        parts.strategy.rejudged()
    return adoption.adopted


def bring_up_to_date(parts: Parts) -> bool:
    """Before a run goes on: where the interest is not what the stored pages were judged by, give them the verdicts of
    this one, and remember what they rest on. Whether there was anything to do."""
    store, interest = parts.store, parts.interest
    found = parts.change is not Change.NOTHING
    if found:
        turned, _ = _judge_all(parts, _Again(parts, stored=True, read=parts.change is Change.TOPICS))
        facts: dict[str, str | int | float | bool] = {
            "what": "topics" if parts.change is Change.TOPICS else "formula or threshold",
            "interest": unparse(interest.formula, interest.topics),
            "threshold": round(interest.threshold, 6),
            "turned": turned,
        }
        decide(store, Decision("interest changed", facts))
    if recorded(store) != standing_of(interest):
        record(store, standing_of(interest))
    return found


def _adopt(parts: Parts, adoption: Adoption) -> int:
    """Judge by another judge from now on, and all stored pages again: how many."""
    parts.reading.adopt(adoption.judge)
    turned, pages = _judge_all(parts, _Again(parts))
    parts.happened.judges += 1
    parts.happened.turned += turned
    return pages


def _judge_all(parts: Parts, again: _Again) -> tuple[int, int]:
    """Give the stored pages new verdicts: how many turned, and how many pages were judged."""
    store = parts.store
    before = store.visits.relevant()
    store.visits.update(again.all())
    Documents(parts).rebuild()
    tell(
        "judged again",
        f"{many(again.pages, 'page')} {form(again.pages, 'was', 'were')} judged again",
        pages=again.pages,
    )
    after = store.visits.relevant()
    parts.progress.recall(after.tolist())
    return int((before != after).sum()), again.pages


class _Again:
    """Judges the stored pages again, in the order of their visits, each after the page that led to it. ``read``: by
    their terms; ``stored``: by their stored scores, where they are not read."""

    def __init__(self, parts: Parts, *, stored: bool = False, read: bool = True) -> None:
        self.parts = parts
        self.pages = 0
        self._stored, self._read = stored, read
        self._sources: dict[int, Source] = {}

    def all(self) -> Iterator[Rejudged]:
        rows = self.parts.store.visits.rows()
        while some := list(islice(rows, AT_ONCE)):
            judgements = self._judgements(some)
            for row in some:
                yield self._again(row, judgements.get(row.number))

    def _judgements(self, rows: Sequence[VisitRow]) -> dict[int, Judgement]:
        worker, store = self.parts.reading.worker, self.parts.store
        rows = [row for row in rows if not row.reason.startswith(FINAL)]
        found = self._kept(rows) if self._stored else {}
        pages = {}
        for row in rows if self._read else ():
            page = visited_page(store, row, worker.reader, self.parts.archive_folder)
            if page is not None:
                pages[row.number] = page
        found |= zip(pages, worker.judge.judge(list(pages.values())), strict=True)
        self.pages += len(found)
        return found

    def _kept(self, rows: Sequence[VisitRow]) -> dict[int, Judgement]:
        """The judgements of pages as they are stored."""
        numbers = [row.number for row in rows if row.judged]
        if not numbers:
            return {}
        found, _, _, topics, confidence, _, scores, _ = self.parts.store.visits.judged(
            numbers[0] - 1, rows[-1].number - numbers[0] + 1
        )
        wanted = set(numbers)
        columns = zip(found.tolist(), scores, topics.tolist(), confidence.tolist(), strict=True)
        return {number: Judgement(row, topic, sure) for number, row, topic, sure in columns if number in wanted}

    def _again(self, row: VisitRow, judgement: Judgement | None) -> Rejudged:
        """The visit anew; ``row.row`` names the links among which its own stands."""
        led = self._sources.get(row.row)
        tunnel = led.tunnel if led is not None else 0
        if row.outcome is Outcome.REDIRECT:
            return self._redirect(row, led, tunnel)
        relevance, relevant, reason = row.relevance, row.relevant, row.reason
        if judgement is not None:
            honour = self.parts.settings.crawl.nofollow
            relevance, relevant, reason = verdict(self.parts.interest, judgement, barred=honour and row.noindex)
        source = self._source(row.number)
        tunnel = 0 if relevant else tunnel + 1
        if source is not None:
            if row.judged:  # else it is a sitemap or feed, of which its links' words tell
                source = replace(source, relevance=relevance)
            source = replace(source, tunnel=tunnel)
            if judgement is not None:
                source = replace(source, scores=judgement.scores, topic=judgement.topic)
            self._sources[row.number] = source
        return Rejudged(row.number, judgement, relevance, relevant, tunnel, reason, source)

    def _redirect(self, row: VisitRow, led: Source | None, tunnel: int) -> Rejudged:
        """What is known of a redirect is what is known of the page that links to it."""
        source = self._source(row.number)
        if source is not None and led is not None:
            source = replace(source, relevance=led.relevance, scores=led.scores, topic=led.topic, tunnel=led.tunnel)
            self._sources[row.number] = source
        return Rejudged(row.number, None, row.relevance, row.relevant, tunnel, row.reason, source)

    def _source(self, number: int) -> Source | None:
        try:
            return self.parts.store.links.batch(number).source
        except StoreError:
            return None
