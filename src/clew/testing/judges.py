"""What every judge promises."""

from __future__ import annotations

import pickle
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from clew.errors import TrainingError
from clew.judges.base import Judge, JudgeContext
from clew.model import OTHER, Example, Page
from clew.testing.contract import Contract
from clew.testing.pages import html_page, text_page

WANTED = (
    "Sailing around the island takes a day when the wind is fair and the harbour is near.",
    "The island has a small harbour where sailing boats anchor; sailing lessons start in May.",
    "A regatta brings sailing crews to the island every summer, with boats from every harbour.",
)
UNWANTED = (
    "The parliament passed a budget after a long debate about taxes and pensions.",
    "Bake the bread for forty minutes and let it cool before you cut it with a knife.",
    "The football club lost the final after extra time and a missed penalty.",
)
LIKE = "Our sailing boat reached the island harbour before the storm."
UNLIKE = "The minister defended the pension budget in parliament."


class JudgeContract(Contract):
    """A judge: ``make`` gives one that is not trained, made from ``self.context``.

    ``wanted`` and ``unwanted`` are texts of the example pages, ``like`` and ``unlike`` of two others; ``page`` makes
    pages of them. Give others when these say nothing to your judge.
    """

    context = JudgeContext(keywords={"sailing": 1.0, "island": 1.0})
    wanted: Sequence[str] = WANTED
    unwanted: Sequence[str] = UNWANTED
    like: str = LIKE
    unlike: str = UNLIKE

    @abstractmethod
    def make(self) -> Judge:
        """A judge that is not trained."""

    def page(self, text: str, language: str = "en") -> Page:
        """A page of a text."""
        return text_page(text, language)

    def trained(
        self, wanted: Sequence[str] | None = None, unwanted: Sequence[str] | None = None, language: str = "en"
    ) -> Judge:
        """A judge trained on pages of these texts."""
        judge = self.make()
        lists = (
            (0, self.wanted if wanted is None else wanted),
            (OTHER, self.unwanted if unwanted is None else unwanted),
        )
        judge.fit(
            [
                Example(f"http://e{topic}.test/{number}", topic, self.page(text, language))
                for topic, texts in lists
                for number, text in enumerate(texts)
            ]
        )
        return judge

    def scores(self, judge: Judge, *pages: Page) -> list[list[float]]:
        """The scores of pages, judged together."""
        return [judgement.scores.tolist() for judgement in judge.judge(pages)]

    def test_it_has_a_name(self) -> None:
        """Users call it by that."""
        assert self.make().name

    def test_tells_wanted_from_unwanted(self) -> None:
        """That is what it is for."""
        like, unlike = self.trained().judge([self.page(self.like), self.page(self.unlike)])
        assert like.scores[0] >= 0.5 > unlike.scores[0]
        assert (like.topic, unlike.topic) == (0, OTHER)

    def test_scores_lie_between_0_and_1(self) -> None:
        """One score a topic, of short pages, long ones and empty ones."""
        judge = self.trained()
        for judgement in judge.judge(
            [self.page(text) for text in (self.like, self.unlike, "", "zzyzx", " ".join([self.like] * 300))]
        ):
            assert judgement.scores.dtype == np.float32, "scores are float32"
            assert judgement.scores.shape == (len(judge.topics),), "one score a topic"
            assert 0.0 <= judgement.scores[0] <= 1.0
            assert 0.0 <= judgement.confidence <= 1.0

    def test_batching_changes_nothing(self) -> None:
        """Pages are judged as they come, one or many at a time."""
        judge, texts = self.trained(), (*self.wanted, *self.unwanted, self.like, self.unlike)
        pages = [self.page(text) for text in texts]
        assert self.scores(judge, *pages) == [self.scores(judge, page)[0] for page in pages]
        assert judge.judge([]) == []

    def test_a_pickled_copy_judges_alike(self) -> None:
        """Worker processes get copies."""
        judge, page = self.trained(), self.page(self.like)
        assert self.scores(pickle.loads(pickle.dumps(judge)), page) == self.scores(judge, page)

    def test_training_repeats_exactly(self) -> None:
        """Nothing is random but what the seed decides."""
        page = self.page(self.like)
        assert self.scores(self.trained(), page) == self.scores(self.trained(), page)

    def test_a_page_with_nothing_known_is_other(self) -> None:
        """Empty pages are not wanted."""
        (judgement,) = self.trained().judge([html_page("<p></p>")])
        assert judgement.topic == OTHER
        assert judgement.scores[0] < 0.5

    def test_examples_that_make_no_judge_are_refused_as_such(self) -> None:
        """By a TrainingError, which says what is missing."""
        try:
            self.trained((), ())
        except TrainingError as error:
            assert str(error)

    def test_explains_by_terms_that_weigh_something(self) -> None:
        """For ``clew explain``; a judge need not explain itself."""
        explained = self.trained().explain(self.page(self.like), limit=5)
        assert len(explained) <= 5
        assert all(term and weight for term, weight in explained)
