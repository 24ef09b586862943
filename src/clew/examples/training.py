"""From examples, labels and archetypes to a judge with its measured interest: one way for all who need one.

A crawl trains its judge here, before its first page and again when labels come in or a strategy names archetypes; so
do the commands that judge, explain or describe, and so they all have the judge and the threshold of the crawl.

Labels: a fixed quarter of them is held back from training, chosen by URL. A judge trained with the others is adopted
unless the judge without them gives the held-back ones a smaller loss, −log of the score of the right answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field, replace
from math import isnan

import numpy as np

from clew.examples.gathering import Gatherer
from clew.examples.sources import START, ExampleSource, Wanted
from clew.examples.visited import examples as archetype_examples
from clew.examples.visited import sample, without_refused
from clew.judges.base import Judge
from clew.model import OTHER, Decision, Example, Keys, Outcome, Page, Response
from clew.topics.interest import Interest
from clew.words import form, many

HELD_BACK = 4
"""One label in so many is held back."""

EVEN = 0.5
"""The relevance that calibrated judges give a page that may as well be wanted as not."""

NO_WORD = "qzxnobodywritesthisxzq"
"""Stands for a topic of which nothing is known."""

OBSERVED = "[judge]"
"""Under what the journal keeps up to which visit the judge learned from the crawl's pages, and as its state, up to
which it was shown them last (it may have learned nothing then). No strategy is called so."""

ESTIMATE = ("estimated_precision", "estimated_low", "estimated_high", "estimated_base_rate")
"""Facts of a decision that adopts a judge: the fields of its ``Estimate``."""

Make = Callable[[], Judge]


def held_back(line: str) -> bool:
    """Whether the label of a page is for checking only."""
    return hashlib.blake2b(line.encode(), digest_size=2).digest()[0] % HELD_BACK == 0


@dataclass(frozen=True, slots=True)
class Adoption:
    """A judge and why it was chosen. Losses are NaN where nothing was held back. ``archetypes`` pages of the crawl were
    added to the examples; ``taught`` are all pages that the judge was trained on. ``observed`` pages of the crawl
    taught it how words are used there, and what pages are like that nobody wants."""

    judge: Judge
    adopted: bool
    labels: int
    held_back: int
    loss_without: float
    loss_with: float
    archetypes: int = 0
    taught: tuple[Example, ...] = ()
    observed: int = 0

    def decision(self) -> Decision:
        """For the decision log."""
        kind = "judge adopted" if self.adopted else "judge refused"
        facts: dict[str, str | int | float | bool] = {"labels": self.labels, "held_back": self.held_back}
        if self.archetypes:
            facts["archetypes"] = self.archetypes
        if self.observed:
            facts["learned_from"] = f"{self.observed} pages of the crawl"
            told = self.judge.estimate()
            if told is not None and not isnan(told.precision):
                facts |= {name: round(float(value), 4) for name, value in zip(ESTIMATE, astuple(told), strict=True)}
        if self.held_back:
            facts |= {"loss_without": round(self.loss_without, 6), "loss_with": round(self.loss_with, 6)}
        return Decision(kind, facts)


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained judge, the interest with its threshold, the examples of the lists, and how the judge was chosen."""

    judge: Judge
    interest: Interest
    examples: tuple[Example, ...]
    adoption: Adoption


@dataclass(slots=True)
class Trainer:
    """Trains the judge of a crawl. ``make`` gives an untrained one; ``interest`` is what the user asked for, with a
    threshold of 0 where the start pages are to set it: ``starts``, canonical URLs.

    A crawl asks for ``trained`` when it begins, ``after_labels`` between sessions and ``with_archetypes`` when its
    strategy names some. Who explains a crawl asks for ``as_crawled``. ``taught`` are the pages that the last judge it
    gave was trained on: examples, labels, archetypes. ``looked_at``: the visit up to which the judge was last shown the
    crawl's pages. ``refused``: the pages, as keys, that may not be archetypes, as the user's list said last.
    """

    source: ExampleSource
    gatherer: Gatherer
    make: Make
    interest: Interest
    starts: Sequence[str] = ()
    _archetypes: list[Example] = field(default_factory=list)
    _pages_seen: list[Page] = field(default_factory=list)
    _learned_at: int = 0
    _labelled: bool = False
    _seen: object = None
    looked_at: int = field(default=0, init=False)
    taught: tuple[Example, ...] = field(default=(), init=False)
    refused: Keys = field(default_factory=lambda: np.empty(0, np.uint64), init=False)

    async def trained(self) -> Trained:
        """The judge trained on all examples, labels and archetypes; pages that are not at hand are fetched.

        Raises TrainingError when they cannot make a judge.
        """
        self._seen = self.source.version()
        labels = self.source.labels()
        return self._trained(await self.gatherer.examples(self._named(labels)), labels)

    def as_crawled(self, threshold: float) -> Trained:
        """The judge as the crawl trained it last: from the examples that it kept, under the ``threshold`` that it used.
        Fetches and writes nothing."""
        labels = self.source.labels()
        return self._trained(self.gatherer.kept(self._named(labels)), labels, threshold)

    def _named(self, labels: Sequence[Wanted]) -> list[Wanted]:
        """Examples, labels, and the start pages where these set the threshold."""
        named = [*self.source.wanted(), *labels]
        if self.interest.threshold > 0:
            return named
        known = {one.line for one in named}
        return named + [Wanted(url, START, "start page") for url in dict.fromkeys(self.starts) if url not in known]

    def after_labels(self) -> Adoption | None:
        """A judge that takes into account the labels that came, or were taken back, since the last look, without the
        archetypes that were refused meanwhile; None when there are none, and were none."""
        now = self.source.version()
        if now == self._seen:
            return None
        self._seen = now
        examples, labelled = self._at_hand()
        had, self._labelled = self._labelled, bool(labelled)
        before, self._archetypes = self._archetypes, self._learned()
        same = [one.url for one in before] == [one.url for one in self._archetypes]
        if not labelled and not had and same:
            return None
        found = train(self.make, examples, labelled, self.interest, self._archetypes, self._pages_seen)
        if found.adopted:
            self.taught = found.taught
        return found

    def with_archetypes(self, archetypes: list[Example], current: Judge) -> Adoption:
        """A judge trained with these archetypes, as a crawl that is resumed would train it; adopted unless ``current``
        gives the labels that are held back a smaller loss. Raises TrainingError."""
        examples, labelled = self._at_hand()
        found = train(self.make, examples, labelled, self.interest, archetypes, self._pages_seen)
        found = self._compared(found, labelled, current)
        if found.adopted:
            self._archetypes, self.taught = archetypes, found.taught
        return found

    def with_crawled(self, last: int, current: Judge) -> Adoption | None:
        """A judge that learned from the pages crawled up to visit ``last``, as a crawl that is resumed would train it;
        None when it learns nothing from them. Adopted unless ``current`` gives the labels that are held back a smaller
        loss."""
        pages = self._sample(last)
        examples, labelled = self._at_hand()
        found = train(self.make, examples, labelled, self.interest, self._archetypes, pages)
        compared = self._compared(found, labelled, current) if found.observed else None
        self.looked_at = last
        if compared is not None and compared.adopted:
            self._pages_seen, self.taught, self._learned_at = pages, found.taught, last
        self.gatherer.store.journal.save(OBSERVED, self._learned_at, str(last).encode())
        return compared

    def _compared(self, found: Adoption, labelled: Sequence[Example], current: Judge) -> Adoption:
        """Whether the labels that are held back speak for it."""
        check = [one for one in labelled if held_back(one.url)]
        now, then = (loss(judge, check, self.interest) if check else float("nan") for judge in (current, found.judge))
        adopted = not check or then <= now + 1e-9
        return replace(found, adopted=adopted, held_back=len(check), loss_without=now, loss_with=then)

    def _sample(self, last: int) -> list[Page]:
        """What the judge is shown of the crawl up to visit ``last``."""
        gatherer = self.gatherer
        return sample(gatherer.store, last, gatherer.reader, gatherer.archive)

    def _trained(self, found: Sequence[Example], labels: Sequence[Wanted], threshold: float = 0.0) -> Trained:
        examples, labelled = apart([one for one in found if one.topic != START], labels)
        self._labelled = bool(labelled)
        self._archetypes = self._learned()
        saved = self.gatherer.store.journal.saved(OBSERVED)
        if saved is not None and self.make().learns_from_crawl:
            self._learned_at, self.looked_at = saved.visit, int(saved.state)
            self._pages_seen = self._sample(saved.visit)
        told = [*examples, *self._by_name([*examples, *labelled])]
        adoption = train(self.make, told, labelled, self.interest, self._archetypes, self._pages_seen)
        self.taught = adoption.taught
        pages = [*examples, *labelled, *(one for one in found if one.topic == START)]
        interest = replace(self.interest, threshold=threshold) if threshold else self._measured(adoption.judge, pages)
        return Trained(adoption.judge, interest, tuple(examples), adoption)

    def _at_hand(self) -> tuple[list[Example], list[Example]]:
        labels = self.source.labels()
        examples, labelled = apart(self.gatherer.at_hand(self.source.wanted() + labels), labels)
        return [*examples, *self._by_name([*examples, *labelled])], labelled

    def _by_name(self, found: Sequence[Example]) -> list[Example]:
        """A page of its own name for each topic whose examples are all gone, so that a dead bookmark ends no crawl.
        None where no topic has an example left."""
        names, left = self.interest.topics, {one.topic for one in found if one.topic >= 0}
        named = {one.topic for one in self.source.wanted() if one.topic >= 0}
        covered = {names[topic] for topic in left}
        lost = [
            topic for topic in sorted(named) if not any(f"{one}/".startswith(f"{names[topic]}/") for one in covered)
        ]
        if not left or not lost:
            return []
        self.gatherer.warn(
            f"{many(len(lost), 'topic')} of which no example could be read, known by {form(len(lost), 'its', 'their')} "
            f"name alone: {', '.join(names[topic] for topic in lost)}; give other examples in topics.yaml"
        )
        return [Example(f"topic:{names[topic]}", topic, self._page_of(names[topic])) for topic in lost]

    def _page_of(self, name: str) -> Page:
        """The words of a path as a page; of a name that says nothing, a word that no page holds."""
        kind = (("Content-Type", "text/plain; charset=utf-8"),)

        def page_of(text: str) -> Page:
            return self.gatherer.reader.read(
                Response("file:///topic", Outcome.OK, 200, kind, text.encode(), requests=0)
            )

        page = page_of(name.replace("/", " "))
        return page if len(page.term_counts()[0]) else page_of(NO_WORD)

    def _learned(self) -> list[Example]:
        """The archetypes with which the crawl trained its judge last, but for those that were refused since."""
        store, reader = self.gatherer.store, self.gatherer.reader
        self.refused = self.source.refused()
        left = without_refused(store, store.journal.archetypes, self.refused)
        return archetype_examples(store, left, reader, self.gatherer.archive)

    def _measured(self, judge: Judge, pages: Sequence[Example]) -> Interest:
        """The interest with its threshold: the user's; else one that the start pages set (Ester and others 2001,
        section 3.2), which stays as the crawl began with it while its judge is the same."""
        if self.interest.threshold > 0:
            return self.interest
        journal = self.gatherer.store.journal
        before = journal.last_run()
        if before is not None and not isnan(before.threshold) and (journal.archetypes or before.judge == judge.name):
            return replace(self.interest, threshold=before.threshold)
        starts = self._start_pages(judge, pages)
        judged = judge.judge([one.page for one in starts])
        interest = self.interest.measured_by(judged)
        if interest.threshold < EVEN:
            urls = (
                one.url
                for one, said in zip(starts, judged, strict=True)
                if not interest.is_excluded(said) and interest.relevance(said) == interest.threshold
            )
            self.gatherer.warn(
                f"pages are relevant from {interest.threshold:.3g} on, for the start page {next(urls)} is no more: "
                "start from pages that are wanted, or give [judge] threshold a number"
            )
        return interest

    def _start_pages(self, judge: Judge, pages: Sequence[Example]) -> list[Example]:
        """The start pages that may set the threshold: not those that are known to be about something else. An example
        of one of several topics that are wanted together counts if it seems to be about all of them."""
        starts = set(self.starts)
        named = [one for one in pages if one.topic != START and one.url in starts]
        wanted = replace(self.interest, threshold=EVEN).targets(named, judge.judge)
        return [*wanted, *(one for one in pages if one.topic == START)]


def train(
    make: Make,
    examples: Sequence[Example],
    labelled: Sequence[Example],
    interest: Interest,
    archetypes: Sequence[Example] = (),
    crawled: Sequence[Page] = (),
) -> Adoption:
    """The better of two judges: trained on the examples alone, and on examples and labels. Archetypes join the
    examples, but for those that are examples or labelled themselves; both judges are shown the ``crawled`` pages.

    Raises TrainingError when the examples (and labels) cannot make a judge.
    """
    check = [one for one in labelled if held_back(one.url)]
    heard = [one for one in labelled if not held_back(one.url)]
    named, known = ({one.url for one in some} for some in (heard, [*examples, *labelled]))
    added = [one for one in archetypes if one.url not in known]
    taught = [*examples, *added]
    corrected = [one for one in taught if one.url not in named] + heard
    candidate, learned = _fitted(make, corrected, crawled)
    if not check or not examples:
        nothing = float("nan")
        return Adoption(candidate, True, len(labelled), 0, nothing, nothing, len(added), tuple(corrected), learned)
    plain, learned_plain = _fitted(make, taught, crawled)
    without, with_ = loss(plain, check, interest), loss(candidate, check, interest)
    adopted = with_ <= without + 1e-9
    judge, pages, learned = (candidate, corrected, learned) if adopted else (plain, taught, learned_plain)
    return Adoption(judge, adopted, len(labelled), len(check), without, with_, len(added), tuple(pages), learned)


def _fitted(make: Make, examples: Sequence[Example], crawled: Sequence[Page]) -> tuple[Judge, int]:
    """A judge, and how many crawled pages it learned from."""
    judge = make()
    judge.fit(examples)
    return judge, len(crawled) if crawled and judge.observe(crawled) else 0


def loss(judge: Judge, labelled: Sequence[Example], interest: Interest) -> float:
    """Mean of −log(score of the right answer), scores kept away from 0."""
    right = []
    for example, judgement in zip(labelled, judge.judge([one.page for one in labelled]), strict=True):
        if example.topic == OTHER:
            right.append(1.0 - interest.relevance(judgement))
        else:
            right.append(float(judgement.scores[example.topic]))
    return float(-np.log(np.clip(right, 1e-3, 1.0)).mean())


def apart(found: Sequence[Example], labels: Sequence[Wanted]) -> tuple[list[Example], list[Example]]:
    """Examples of the lists, and labels; a label on a page of the lists counts instead."""
    verdicts = {(one.line, one.topic) for one in labels}
    pages = {one.line for one in labels}
    lists = [one for one in found if one.url not in pages]
    return lists, [one for one in found if (one.url, one.topic) in verdicts]
