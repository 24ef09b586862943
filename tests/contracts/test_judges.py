"""One suite over every judge (``clew.testing.JudgeContract``), and what Clew's own judges promise besides."""

from __future__ import annotations

import pytest

from clew.errors import ConfigError, TrainingError
from clew.judges.base import Judge, JudgeContext
from clew.judges.registry import JUDGES, make
from clew.model import OTHER, Example
from clew.testing import JudgeContract
from clew.testing.judges import UNWANTED
from support import text_page


class TestJudge(JudgeContract):
    @pytest.fixture(autouse=True, params=JUDGES.builtin)
    def named(self, request: pytest.FixtureRequest) -> None:
        self.name = request.param

    def make(self) -> Judge:
        return make(self.name, self.context)

    def test_explains_with_terms_of_the_page(self) -> None:
        terms = self.trained().explain(self.page(self.like))
        assert terms
        assert any(term.startswith(("sail", "island")) for term, weight in terms[:6] if weight > 0)

    def test_positive_examples_are_enough(self) -> None:
        like, unlike = self.trained(unwanted=[]).judge([self.page(self.like), self.page(self.unlike)])
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
    def test_other_languages(self, language: str, good: list[str], bad: list[str], like: str, unlike: str) -> None:
        if self.name == "keywords":
            pytest.skip("keywords are words of one language")
        judge = self.trained(good, bad, language)
        wanted, unwanted = judge.judge([self.page(like, language), self.page(unlike, language)])
        assert wanted.scores[0] > unwanted.scores[0]


@pytest.mark.parametrize("name", [name for name in JUDGES.builtin if name != "keywords"])
def test_no_positive_example_is_refused_clearly(name: str) -> None:
    with pytest.raises(TrainingError, match="no example page with text for topic 'relevant'"):
        make(name, JudgeContext()).fit([Example("http://b.test/", OTHER, text_page(text)) for text in UNWANTED])


def test_keywords_need_a_positive_word() -> None:
    with pytest.raises(TrainingError, match="no keyword with a positive weight"):
        make("keywords", JudgeContext(keywords={"spam": -1.0}))


def test_an_unknown_judge_is_refused_with_the_names() -> None:
    with pytest.raises(ConfigError, match=r"there is no judge .oracle.; choose one of: auto, centroid, embedding, ens"):
        make("oracle")
