"""The judge auto: it blends four views of a page by what there is to learn from, and learns from its own crawl.

    s_m(d) = x_m(d) · c_m                      m: general words, the crawl's words, meaning
    score  = 1 / (1 + exp(−(Σ_m α_m · (s_m(d) − μ_m) − t)))

=========  =============================================================================================
symbol     name
=========  =============================================================================================
x, c       page and topic as vectors (rows.py): TF-IDF with the document frequencies of general text; with
           those of the crawl; the mean of word vectors less that of the crawl; and the kind of page, whose score is
           another one (kinds.py)
μ          the mean among pages that are not relevant: crawled ones, those that
           stand out counting less; before the crawl, pages of general text
α          the blend in standard deviations of these, chosen by leaving each example out (blending.py)
t          the threshold: where expected precision and recall are best (chances.py)
=========  =============================================================================================

The border is soft, for links are followed by it: ``Settings.steepness``. Keywords count as an example made of them. In
a tree a topic's examples include those below it, and it scores as high as the best of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np

from clew.errors import TrainingError
from clew.judges import background
from clew.judges.auto.blending import Blend
from clew.judges.auto.kinds import marks, names
from clew.judges.auto.learning import Lesson, learn
from clew.judges.auto.model import Model, Seen
from clew.judges.auto.termvectors import LANGUAGE, TermVectors, term_vectors
from clew.judges.base import Estimate, Judge, JudgeContext
from clew.judges.features import Features
from clew.judges.hierarchy import Hierarchy
from clew.judges.keywords import is_pattern
from clew.judges.trained import BACKGROUND_PAGES, UNKNOWN, judgement
from clew.model import OTHER, Doubles, Example, Floats, Judgement, Page, TermIds
from clew.section import Section, doc
from clew.text.terms import tokeniser

FEATURES = Features(pairs=True, lead=200.0, damped=True)
GENERAL_TERMS = 300
"""Terms of a page of general text."""

LEAST_PAGES = 20
"""Crawled pages, no examples among them, from which anything is learned."""

REFUSED = -0.05
"""Held-out examples may rank so much lower, in the logarithm, with what the crawl taught; else it teaches nothing."""


ANY = 0.25
"""What was learned is refused if so much of general text would be relevant by it."""

LEARNING = ("_examples", "_labels", "_known", "_general")
"""What copies of the judge do without: they judge, and learn nothing."""


class AutoJudge(Judge):
    """Blends words, the crawl's words, meaning and the kind of page."""

    name = "auto"
    learns_from_crawl: ClassVar[bool] = True

    class Settings(Section, frozen=True):
        """[judge.auto]"""

        meaning: Annotated[
            bool, doc("Word vectors count too (for English, where the library wordllama is installed).")
        ] = True
        learn: Annotated[bool, doc("It learns from the pages of its own crawl.")] = True
        kinds: Annotated[
            bool,
            doc("The kind of page counts too, by its URL, title, beginning and size, once the crawl taught it."),
        ] = True
        steepness: Annotated[
            float, doc("Log odds from the mean of the pages that are not relevant to the threshold.", gt=0)
        ] = 3.75

    def __init__(self, context: JudgeContext, settings: Settings | None = None) -> None:
        super().__init__(context)
        settings = settings or self.Settings()
        self.tree = Hierarchy.of(context.topics, context.together)
        self.seed, self.steepness = context.seed, settings.steepness
        self.meaning, self.kinds, self.learns = settings.meaning, settings.kinds, settings.learn
        self.languages: tuple[str, ...] = ()
        self.model: Model | None = None
        self._estimate: Estimate | None = None
        self._keywords = _keywords(context)
        self._examples: list[Seen] = []
        self._labels: list[int] = []
        self._general: list[Seen] = []
        self._known: frozenset[str] = frozenset()

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key not in LEARNING}

    # -- learning ------------------------------------------------------------------------------------------

    def fit(self, examples: Sequence[Example]) -> None:
        self.languages = tuple(sorted({one.page.language for one in examples if one.page.language}))
        self._labels = [one.topic for one in examples]
        self._examples = [self._seen(one.page) for one in examples]
        self._known = frozenset(one.url for one in examples)
        self._check()
        self._general = self._general_pages()
        self.model, _ = learn(self._lesson(self._general, crawled=False))

    def observe(self, pages: Sequence[Page]) -> bool:
        """Examples that the crawl came across are left out: they score as no other page does."""
        new = [page for page in pages if page.url not in self._known]
        if not self.learns or len(new) < LEAST_PAGES or self.model is None:
            return False
        model, blends = learn(self._lesson([self._seen(page) for page in new], crawled=True))
        if any(_worse(one) for one in blends) or self._takes_any(model):
            return False
        self.model = model
        self._estimate = blends[0].estimate if len(self.topics) == 1 else None
        return True

    def _takes_any(self, model: Model) -> bool:
        """Whether a model finds general text relevant: it learned from pages of which it knows next to nothing, such as
        those in another language."""
        found = [model.odds(*model.vocabulary.project(bag), mean) for bag, mean, _ in self._general]
        odds = np.array([one for one in found if one is not None]).reshape(-1, len(self.topics))
        return len(odds) > 0 and bool(((odds >= 0.0).mean(axis=0) > ANY).any())

    def estimate(self) -> Estimate | None:
        """That of its only topic; of several, what is wanted is not the judge's to know."""
        return self._estimate

    def _check(self) -> None:
        full = np.array([len(bag[0]) > 0 for bag, _, _ in self._examples], np.bool_)
        for place, members in enumerate(self.tree.members(self._labels)):
            below = self.tree.below[place, :-1]
            told = any(below[topic] for topic in self._keywords)
            if not (members & full).any() and not told:
                raise TrainingError(
                    f"no example page with text for topic {self.topics[place]!r}, and no keyword: give at least one "
                    "(clew init --relevant or --keywords)"
                )

    def _lesson(self, pages: Sequence[Seen], *, crawled: bool) -> Lesson:
        told = [(topic, self._told(words)) for topic, words in self._keywords.items()]
        vectors = self._vectors()
        return Lesson(
            self.tree,
            self.languages,
            [*self._examples, *(seen for _, seen in told)],
            [*self._labels, *(topic for topic, _ in told)],
            len(self._labels),
            pages,
            crawled,
            vectors.general if vectors is not None else None,
            self.steepness,
        )

    def _told(self, words: Mapping[str, float]) -> Seen:
        """Keywords as a page: each phrase's terms and pairs, weighing the same wherever it stands; what speaks against
        the topic weighs less than nothing."""
        terms = tokeniser(self.languages[0] if self.languages else LANGUAGE)
        found: dict[int, float] = {}
        order: list[TermIds] = []
        for word, weight in words.items():
            ids = terms.ids(word)
            if weight > 0:
                order.append(ids)
            for feature in FEATURES.of_terms(ids)[0].tolist() if len(ids) else ():
                found[feature] = found.get(feature, 0.0) + weight
        ids = np.array(sorted(found), np.uint32)
        vectors = self._vectors()
        mean = vectors.mean(np.concatenate(order)) if vectors is not None and order else None
        return (ids, np.array([found[int(one)] for one in ids], np.float32)), mean, None

    def _general_pages(self) -> list[Seen]:
        """Random pages of general text."""
        rng = np.random.default_rng([self.seed, 0xA070])
        vectors, found = self._vectors(), list[Seen]()
        for ids, counts in background.sample_pages(self.languages, [GENERAL_TERMS] * BACKGROUND_PAGES, rng):
            terms = rng.permutation(np.repeat(ids, counts.astype(np.intp)))
            found.append((FEATURES.of_terms(terms), vectors.mean(terms) if vectors is not None else None, None))
        return found

    # -- judging -------------------------------------------------------------------------------------------

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        assert self.model is not None, "train the judge first"
        columns = FEATURES.known(pages, self.model.vocabulary)
        return [self._judged(page, *known) for page, known in zip(pages, columns, strict=True)]

    def explain(self, page: Page, limit: int = 12, topic: int = 0) -> list[tuple[str, float]]:
        assert self.model is not None, "train the judge first"
        places, counts = self.model.vocabulary.project(FEATURES.bag(page))
        parts = self.model.word_parts(places, counts, topic)
        ids = self.model.vocabulary.ids[places]
        heaviest = [int(i) for i in np.argsort(-np.abs(parts), kind="stable")[:limit] if parts[i]]
        found = [(FEATURES.name(page, int(ids[i])), float(parts[i])) for i in heaviest]
        if self.model.kinds is not None:
            known = names(page)
            found += [(known[one], part) for one, part in self.model.kind_parts(marks(page), topic).items() if part]
        return sorted(found, key=lambda one: -abs(one[1]))[:limit]

    def _judged(self, page: Page, places: np.ndarray, counts: Floats) -> Judgement:
        assert self.model is not None
        found = marks(page) if self.model.kinds is not None else None
        odds = self.model.odds(places, counts, self._mean(page), found)
        if odds is None:
            return Judgement(np.full(len(self.topics), UNKNOWN, np.float32), OTHER, 0.0)
        scores = 1.0 / (1.0 + np.exp(-np.clip(odds, -60.0, 60.0)))
        return judgement(self.tree, self.tree.lifted(scores))

    def _seen(self, page: Page) -> Seen:
        return FEATURES.bag(page), self._mean(page), marks(page) if self.kinds else None

    def _mean(self, page: Page) -> Doubles | None:
        vectors = self._vectors()
        return vectors.of_page(page) if vectors is not None else None

    def _vectors(self) -> TermVectors | None:
        """The model of meaning, where it may count: it knows English."""
        return term_vectors() if self.meaning and (LANGUAGE in self.languages or not self.languages) else None


def _worse(blend: Blend) -> bool:
    return bool(np.isfinite(blend.gain) and blend.gain < REFUSED)


def _keywords(context: JudgeContext) -> dict[int, dict[str, float]]:
    """The keywords of each topic that has one for it; regular expressions say nothing to this judge."""
    given = dict(context.keywords_by_topic)
    if context.keywords:
        given[context.topics[0]] = {**given.get(context.topics[0], {}), **context.keywords}
    found = {}
    for place, topic in enumerate(context.topics):
        words = {word: weight for word, weight in given.get(topic, {}).items() if not is_pattern(word)}
        if any(weight > 0 for weight in words.values()):
            found[place] = words
    return found
