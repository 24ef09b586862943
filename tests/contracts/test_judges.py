"""One suite over every judge."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from clew.errors import ConfigError, TrainingError
from clew.judges.base import Judge, JudgeContext
from clew.judges.registry import JUDGES, make
from clew.model import OTHER, Example
from support import html_page, text_page

KEYWORDS = {"sailing": 1.0, "island": 1.0}
GOOD = [
    "Sailing around the island takes a day when the wind is fair and the harbour is near.",
    "The island has a small harbour where sailing boats anchor; sailing lessons start in May.",
    "A regatta brings sailing crews to the island every summer, with boats from every harbour.",
]
BAD = [
    "The parliament passed a budget after a long debate about taxes and pensions.",
    "Bake the bread for forty minutes and let it cool before you cut it with a knife.",
    "The football club lost the final after extra time and a missed penalty.",
]
LIKE = "Our sailing boat reached the island harbour before the storm."
UNLIKE = "The minister defended the pension budget in parliament."


def trained(name: str, good: list[str] = GOOD, bad: list[str] = BAD, language: str = "en") -> Judge:
    judge = make(name, JudgeContext(keywords=KEYWORDS))
    examples = [Example(f"http://g{i}.test/", 0, text_page(text, language)) for i, text in enumerate(good)]
    examples += [Example(f"http://b{i}.test/", OTHER, text_page(text, language)) for i, text in enumerate(bad)]
    judge.fit(examples)
    return judge


@pytest.mark.parametrize("name", JUDGES.builtin)
class TestJudge:
    def test_tells_wanted_from_unwanted(self, name: str) -> None:
        like, unlike = trained(name).judge([text_page(LIKE), text_page(UNLIKE)])
        assert like.scores[0] >= 0.5 > unlike.scores[0]
        assert (like.topic, unlike.topic) == (0, OTHER)

    def test_scores_lie_between_0_and_1(self, name: str) -> None:
        pages = [text_page(text) for text in (LIKE, UNLIKE, "", "zzyzx", " ".join([LIKE] * 300))]
        for judgement in trained(name).judge(pages):
            assert judgement.scores.dtype == np.float32
            assert 0.0 <= judgement.scores[0] <= 1.0
            assert 0.0 <= judgement.confidence <= 1.0

    def test_batching_changes_nothing(self, name: str) -> None:
        judge, pages = trained(name), [text_page(text) for text in (*GOOD, *BAD, LIKE, UNLIKE)]
        together = [judgement.scores.tolist() for judgement in judge.judge(pages)]
        assert together == [judge.judge([page])[0].scores.tolist() for page in pages]

    def test_a_pickled_copy_judges_alike(self, name: str) -> None:
        judge, page = trained(name), text_page(LIKE)
        copy: Judge = pickle.loads(pickle.dumps(judge))
        assert copy.judge([page])[0].scores.tolist() == judge.judge([page])[0].scores.tolist()

    def test_training_repeats_exactly(self, name: str) -> None:
        page = text_page(LIKE)
        assert trained(name).judge([page])[0].scores.tolist() == trained(name).judge([page])[0].scores.tolist()

    def test_a_page_with_nothing_known_is_other(self, name: str) -> None:
        (judgement,) = trained(name).judge([html_page("<p></p>")])
        assert judgement.topic == OTHER
        assert judgement.scores[0] < 0.5

    def test_explains_with_terms_of_the_page(self, name: str) -> None:
        terms = trained(name).explain(text_page(LIKE))
        assert terms
        assert all(weight for _, weight in terms)
        assert any(term.startswith(("sail", "island")) for term, weight in terms[:6] if weight > 0)

    def test_positive_examples_are_enough(self, name: str) -> None:
        like, unlike = trained(name, bad=[]).judge([text_page(LIKE), text_page(UNLIKE)])
        assert like.scores[0] > unlike.scores[0]

    @pytest.mark.parametrize(
        ("language", "good", "bad", "like", "unlike"),
        [
            ("ru", ["Парусный спорт и яхты на острове", "Яхта и паруса: школа парусного спорта"],
             ["Бюджет и налоги обсудили в парламенте", "Рецепт хлеба с тмином"],
             "Школа парусного спорта: яхты и паруса", "Парламент принял бюджет и налоги"),
            ("zh", ["帆船运动在海岛上很受欢迎,帆船比赛每年举行", "帆船学校教授帆船运动"],
             ["议会通过了预算和税收法案", "面包的做法与烤箱温度"],
             "海岛上的帆船运动和帆船比赛", "议会讨论预算和税收"),
            ("ar", ["رياضة الإبحار بالقوارب الشراعية حول الجزيرة", "سباق القوارب الشراعية قرب الجزيرة"],
             ["ناقش البرلمان الميزانية والضرائب", "وصفة الخبز في الفرن"],
             "القوارب الشراعية تبحر حول الجزيرة", "البرلمان يناقش الميزانية"),
        ],
    )  # fmt: skip
    def test_other_languages(
        self, name: str, language: str, good: list[str], bad: list[str], like: str, unlike: str
    ) -> None:
        if name == "keywords":
            pytest.skip("keywords are words of one language")
        judge = trained(name, good, bad, language)
        wanted, unwanted = judge.judge([text_page(like, language), text_page(unlike, language)])
        assert wanted.scores[0] > unwanted.scores[0]


@pytest.mark.parametrize("name", [name for name in JUDGES.builtin if name != "keywords"])
def test_no_positive_example_is_refused_clearly(name: str) -> None:
    with pytest.raises(TrainingError, match="no example page with text for topic 'relevant'"):
        trained(name, good=[])


def test_keywords_need_a_positive_word() -> None:
    with pytest.raises(TrainingError, match="no keyword with a positive weight"):
        make("keywords", JudgeContext(keywords={"spam": -1.0}))


def test_an_unknown_judge_is_refused_with_the_names() -> None:
    with pytest.raises(ConfigError, match=r"there is no judge .oracle.; choose one of: centroid, embedding, ens"):
        make("oracle")
