"""Judges over a tree of topics, votes, and keywords of several topics."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew.errors import ConfigError, TrainingError
from clew.judges import ensemble
from clew.judges.base import JudgeContext
from clew.judges.hierarchy import Hierarchy
from clew.judges.keywords import KeywordsJudge
from clew.judges.linear import LinearJudge, folds
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.judges.registry import make
from clew.judges.svm import SvmJudge
from clew.judges.trained import TrainedJudge
from clew.model import OTHER, Example
from support import text_page

TOPICS = ("Home", "Home/Sailing", "Home/Finance", "Home/Finance/Stocks", "Sport")
NAMES = ["naive-bayes", "svm", "logistic", "centroid", "ensemble"]
TEXTS = {
    1: ["sails harbour island yacht wind anchor", "yacht regatta wind sails mast", "harbour anchor yacht mast island"],
    2: ["budget tax pension bank account", "bank loan pension interest budget", "tax account loan interest bank"],
    3: ["shares dividend exchange broker bank", "broker shares index exchange", "dividend index shares broker"],
    4: ["football goal penalty striker match", "match goal league striker", "league penalty football goal"],
    OTHER: ["bread oven flour knife butter", "soup onion carrot knife oven", "flour sugar butter cake oven"],
}
PROBES = {
    1: "the yacht lay at anchor in the harbour until the wind filled its sails",
    2: "the bank asked for the account and the loan, then for the tax and the pension",
    3: "the broker sold shares at the exchange before the dividend",
    4: "a goal and a penalty in the football match",
    OTHER: "put butter, flour and sugar into the oven",
}


def examples(*topics: int) -> list[Example]:
    chosen = topics or tuple(TEXTS)
    return [Example(f"http://e.test/{k}/{i}", k, text_page(t)) for k in chosen for i, t in enumerate(TEXTS[k])]


def tree_judge(name: str, **settings: object) -> object:
    judge = make(name, JudgeContext(TOPICS), **settings)
    judge.fit(examples())
    return judge


def test_hierarchy_reads_paths() -> None:
    tree = Hierarchy.of(TOPICS)
    assert tree.parents == (-1, 0, 0, 2, -1)
    assert tree.children == ((1, 2), (), (3,), (), (), (0, 4))
    assert tree.below[0].tolist() == [True, True, True, True, False, False]
    assert not tree.flat
    assert Hierarchy.of(("relevant",)).flat


def test_hierarchy_skips_levels_that_are_no_topics() -> None:
    assert Hierarchy.of(("A", "A/B/C")).parents == (-1, 0)


def test_a_child_before_its_parent_is_refused() -> None:
    with pytest.raises(ValueError, match="'A/B' stands before its parent"):
        Hierarchy.of(("A/B", "A"))


def test_rivals_are_siblings_the_parents_own_and_other() -> None:
    tree, labels = Hierarchy.of(TOPICS), [0, 1, 2, 3, 4, OTHER]
    assert tree.members(labels)[2].tolist() == [False, False, True, True, False, False]
    assert tree.rivals(labels)[2].tolist() == [True, True, False, False, False, True]  # not Sport: not below Home
    assert tree.rivals(labels)[0].tolist() == [False, False, False, False, True, True]
    assert tree.rivals(labels)[3].tolist() == [False, False, True, False, False, True]


def test_topics_that_a_page_may_be_about_at_once_do_not_speak_against_each_other() -> None:
    """Sailing with Sport: neither it nor Home speaks against Sport, nor Sport against them, nor against the rest of
    Home as far as Sport goes; Finance keeps Sport as an outsider."""
    plain, tree = Hierarchy.of(TOPICS), Hierarchy.of(TOPICS, [(1, 4)])
    assert plain.outside[1].tolist() == [True, False, True, True, True, True]
    assert [plain.outside[0].tolist(), plain.outside[4].tolist()] == [
        [False] * 4 + [True] * 2,
        [True] * 4 + [False, True],
    ]
    assert tree.outside[1].tolist() == [True, False, True, True, False, True]
    assert tree.outside[0].tolist() == [False] * 5 + [True]
    assert tree.outside[4].tolist() == [False] * 5 + [True]
    assert tree.outside[2].tolist() == plain.outside[2].tolist()
    assert tree.outsiders([4, OTHER])[:, 0].tolist() == [False, False, True, True, False]


@pytest.mark.parametrize("name", ["naive-bayes", "svm", "logistic", "centroid"])
def test_what_features_add_is_the_raw_score(name: str) -> None:
    """But for a separator's shift; of naive Bayes the best class at or below the topic, against the best outside."""
    judge = tree_judge(name)
    assert isinstance(judge, TrainedJudge)
    for text in PROBES.values():
        bag = judge.features.bag(text_page(text))
        raw = judge._raw(bag)
        assert raw is not None
        for topic in range(len(TOPICS)):
            ids, parts = judge.explain_bag(bag, topic)
            shift = judge.shifts[topic] if isinstance(judge, LinearJudge) else 0.0
            assert len(ids) == len(parts) > 0
            assert parts.sum() + shift == pytest.approx(raw[topic], abs=1e-5)


def test_the_say_of_a_member_is_its_precision_on_pages_held_out() -> None:
    """With one right and one wrong answer added. Members that know the same features look pages up once."""
    judge = make("ensemble", JudgeContext(TOPICS), members=("svm", "logistic", "centroid"))
    assert isinstance(judge, ensemble.EnsembleJudge)
    given = examples()
    judge.fit(given)
    truth = Hierarchy.of(TOPICS).members([one.topic for one in given]).T
    for row, name in zip(judge.weights, ("svm", "logistic", "centroid"), strict=True):
        alone = make(name, JudgeContext(TOPICS))
        assert isinstance(alone, TrainedJudge)
        bags = [alone.features.bag(one.page) for one in given]
        said = alone.fit_bags(bags, [one.topic for one in given], {"en"}) >= 0.5
        assert row == pytest.approx(((said & truth).sum(axis=0) + 1) / (said.sum(axis=0) + 2))
    assert len({id(member.vocabulary) for member in judge.members}) == 1


def test_an_ensemble_explains_by_its_members_say() -> None:
    """The largest weight of each member counts as much as the member does."""
    judge = tree_judge("ensemble", members=("svm", "centroid"))
    assert isinstance(judge, ensemble.EnsembleJudge)
    page, total = text_page(PROBES[3]), {}
    for member, say in zip(judge.members, judge.weights[:, 3], strict=True):
        ids, parts = member.explain_bag(member.features.bag(page), 3)
        for feature, part in zip(ids.tolist(), parts.tolist(), strict=True):
            total[feature] = total.get(feature, 0.0) + part / np.abs(parts).max() * say / judge.weights[:, 3].sum()
    best = sorted(total.items(), key=lambda pair: -abs(pair[1]))
    found = judge.explain(page, 5, topic=3)
    assert [weight for _, weight in found] == pytest.approx([weight for _, weight in best[:5]])
    assert [name for name, _ in found] == [judge.members[0].features.name(page, feature) for feature, _ in best[:5]]


def test_of_a_page_that_says_nothing_nothing_is_explained() -> None:
    for name in NAMES:
        assert tree_judge(name).explain(text_page("")) == []  # type: ignore[attr-defined]


def test_scores_lifted_capped_and_the_winner_top_down() -> None:
    tree = Hierarchy.of(TOPICS)
    scores = np.array([0.2, 0.1, 0.3, 0.9, 0.6])
    assert tree.lifted(scores).tolist() == [0.9, 0.1, 0.9, 0.9, 0.6]
    assert tree.capped(scores).tolist() == [0.2, 0.1, 0.2, 0.2, 0.6]
    assert tree.winner(scores) == 4  # Stocks is out of reach: Home says no
    assert tree.winner(tree.lifted(scores)) == 3
    assert tree.winner(np.array([0.8, 0.4, 0.45, 0.9, 0.6])) == 0  # no child says yes: the page stays with Home
    assert tree.winner(np.array([0.4, 0.9, 0.4, 0.9, 0.3])) == OTHER


@pytest.mark.parametrize("name", NAMES)
class TestTree:
    def test_pages_go_to_their_topics(self, name: str) -> None:
        judge = tree_judge(name)
        found = [judgement.topic for judgement in judge.judge([text_page(text) for text in PROBES.values()])]  # type: ignore[attr-defined]
        assert found == list(PROBES)

    def test_no_topic_scores_higher_than_its_parent(self, name: str) -> None:
        judge = tree_judge(name)
        for judgement in judge.judge([text_page(text) for text in PROBES.values()]):  # type: ignore[attr-defined]
            home, sailing, finance, stocks, _ = judgement.scores.tolist()
            assert home >= max(sailing, finance) and finance >= stocks

    def test_explains_any_topic(self, name: str) -> None:
        judge = tree_judge(name)
        words = [word for word, weight in judge.explain(text_page(PROBES[3]), 4, topic=3) if weight > 0]  # type: ignore[attr-defined]
        assert {"broker", "shares", "exchange", "dividend"} & {part for word in words for part in word.split()}

    def test_a_leaf_without_examples_is_named(self, name: str) -> None:
        judge = make(name, JudgeContext(TOPICS))
        with pytest.raises(TrainingError, match="topic 'Sport'"):
            judge.fit(examples(1, 2, 3, OTHER))

    def test_a_topic_without_siblings_learns_from_background_text(self, name: str) -> None:
        judge = make(name, JudgeContext(("Boats", "Boats/Sailing")))
        judge.fit([Example(e.url, 1, e.page) for e in examples(1)])
        like, unlike = judge.judge([text_page(PROBES[1]), text_page("the minister said people should know more")])
        assert like.scores.min() > unlike.scores.max()


def test_naive_bayes_inner_topic_takes_its_best_leaf() -> None:
    # vocabulary a b c, α = 1; classes A/x: a a (3 1 1 of 5), A/y: b (1 2 1 of 4), OTHER: c (1 1 2 of 4)
    judge = NaiveBayesJudge(
        JudgeContext(("A", "A/x", "A/y")),
        NaiveBayesJudge.Settings(smoothing=1.0, pairs=False, lead=0.0, damped=False),
    )
    judge.fit(
        [
            Example("x", 1, text_page("apple apple")),
            Example("y", 2, text_page("pear")),
            Example("o", OTHER, text_page("plum")),
        ]
    )
    raw = judge._raw(text_page("apple").term_counts())
    assert raw is not None
    # A is not a class of its own: it has no examples
    assert raw == pytest.approx([math.log(3 / 5 * 4), math.log(3 / 5 * 4), math.log(1 / 4 / (3 / 5))], rel=1e-5)


def test_svm_margin_is_the_distance_to_a_plane_of_normal_length_one() -> None:
    judge = tree_judge("svm")
    assert isinstance(judge, SvmJudge)
    assert np.linalg.norm(judge.planes, axis=0) == pytest.approx(np.ones(5), rel=1e-5)
    margins = judge.margins(text_page(PROBES[4]))
    assert margins[4] > 0 > margins[0]
    assert judge.margins(text_page("")).tolist() == [0.0] * 5


@pytest.mark.parametrize("measure", ["mutual-information", "chi-squared"])
def test_svm_with_few_features_still_tells_topics_apart(measure: str) -> None:
    judge = tree_judge("svm", features=12, selection=measure, pairs=False)
    assert isinstance(judge, SvmJudge)
    assert (judge.planes != 0).sum(axis=0).max() <= 12
    found = [judgement.topic for judgement in judge.judge([text_page(PROBES[k]) for k in (1, 4, OTHER)])]
    assert found == [1, 4, OTHER]


def test_held_out_values_are_those_of_planes_of_the_other_folds() -> None:
    """Node by node; NaN for pages that are neither of it nor its rivals."""
    judge = tree_judge("svm")
    assert isinstance(judge, SvmJudge)
    given = examples()
    bags, labels = [judge.features.bag(one.page) for one in given], [one.topic for one in given]
    found = judge._all_held_out(bags, labels)
    matrix, unseen = judge._matrix(bags), judge._rows([judge._project_held_out(bag) for bag in bags])
    for topic, (members, rivals) in enumerate(judge._nodes(labels)):
        fold = folds(members, rivals, 5, judge.seed)
        assert np.isnan(found[:, topic]).tolist() == (~(members | rivals)).tolist()
        for number in range(5):
            held = fold == number
            weights, shift = judge._plane(matrix, members & ~held, rivals & ~held)
            assert found[held, topic] == pytest.approx(unseen[held] @ weights + shift)
    assert found[0, 1] != pytest.approx(judge._raw(bags[0])[1])  # type: ignore[index]


def test_too_few_to_hold_any_back_are_judged_by_all() -> None:
    """One page of a side: without it there is no plane."""
    judge = make("svm", JudgeContext(("Boats",)))
    assert isinstance(judge, SvmJudge)
    bags = [judge.features.bag(text_page(text)) for text in ("yacht wind", "yacht tax", "tax budget")]
    judge.fit_bags(bags, [0, OTHER, OTHER], {"en"})
    found = judge._all_held_out(bags, [0, OTHER, OTHER])
    unseen = judge._rows([judge._project_held_out(bag) for bag in bags])
    assert found[0, 0] == pytest.approx((unseen[[0]] @ judge.planes[:, 0] + judge.shifts[0])[0], abs=1e-6)
    assert not np.isnan(found).any()


def test_folds_deal_both_sides_evenly() -> None:
    members = np.arange(12) < 5
    rivals = (np.arange(12) >= 5) & (np.arange(12) < 11)
    found = folds(members, rivals, 5, seed=1)
    assert sorted(found[:5].tolist()) == [0, 1, 2, 3, 4]
    assert sorted(found[5:11].tolist()) == [0, 0, 1, 2, 3, 4]
    assert found[11] == -1


def test_votes_by_hand() -> None:
    scores = np.array([[0.9, 0.2], [0.6, 0.8], [0.3, 0.7]])
    even = np.ones((3, 2))
    assert ensemble.unanimous(scores, even).tolist() == [0.3, 0.2]
    assert ensemble.majority(scores, even).tolist() == [0.6, 0.7]
    assert ensemble.majority(scores[:2], even[:2]).tolist() == [0.6, 0.2]  # more than half of two is both
    # logits of 0.9 and 0.6 are ln 9 and ln 1.5, weighted 3 to 1
    odds = (3 * math.log(9) + math.log(1.5)) / 4
    weighted = ensemble.weighted(scores[:2, :1], np.array([[3.0], [1.0]]))
    assert weighted[0] == pytest.approx(1 / (1 + math.exp(-odds)))
    assert ensemble.weighted(np.array([[1.0], [0.0]]), np.ones((2, 1)))[0] == pytest.approx(0.5)


@pytest.mark.parametrize("vote", ["unanimous", "majority", "weighted"])
def test_every_vote_tells_topics_apart(vote: str) -> None:
    judge = tree_judge("ensemble", vote=vote)
    found = [judgement.topic for judgement in judge.judge([text_page(text) for text in PROBES.values()])]  # type: ignore[attr-defined]
    assert found == list(PROBES)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vote": "loudest"}, r"\[judge.ensemble\] vote: 'loudest' is none of: weighted, majority, unanimous"),
        (
            {"members": ("svm", "keywords")},
            r"\[judge.ensemble\] members: 'keywords' cannot vote; choose from: naive-b",
        ),
        ({"members": ()}, r"\[judge.ensemble\] members is empty"),
        ({"members": ("embedding",)}, r"\[judge.ensemble\] members: 'embedding' cannot vote"),
    ],
)
def test_wrong_ensembles_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make("ensemble", JudgeContext(TOPICS), **settings)


def test_a_wrong_selection_is_refused() -> None:
    with pytest.raises(
        ConfigError,
        match=r"\[judge.svm\] selection: 'luck' is none of: mutual-information, chi",
    ):
        make("svm", JudgeContext(TOPICS), selection="luck")


def test_a_copy_judges_without_the_library_that_trained_it(tmp_path: Path) -> None:
    judge = tree_judge("ensemble")
    file = tmp_path / "judge.pickle"
    file.write_bytes(pickle.dumps((judge, text_page(PROBES[1]))))
    code = (
        "import pickle, sys\n"
        f"judge, page = pickle.loads(open({str(file)!r}, 'rb').read())\n"
        "print(judge.judge([page])[0].topic, 'sklearn' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.split() == ["1", "False", "False"]


def test_keywords_of_several_topics() -> None:
    judge = KeywordsJudge(
        JudgeContext(TOPICS, keywords_by_topic={"Home/Sailing": {"sailing": 1.0}, "Sport": {"football": 1.0}})
    )
    (judgement,) = judge.judge([text_page("sailing")])
    once = pytest.approx(1 - math.exp(-1), rel=1e-6)
    assert judgement.scores.tolist() == [once, once, 0.0, 0.0, 0.0]  # Home by its child
    assert judgement.topic == 1
    assert judge.explain(text_page("football"), topic=4) == [("football", once)]
    assert judge.explain(text_page("football"), topic=1) == []


def test_a_keyword_between_slashes_is_a_regular_expression() -> None:
    judge = KeywordsJudge(JudgeContext(keywords={"/boats? for (sale|hire)/": 1.0}))
    assert judge.needs_text
    assert not KeywordsJudge(JudgeContext(keywords={"boat": 1.0})).needs_text
    page = text_page("Boat for sale, boats for hire", title="A BOAT FOR SALE")
    assert judge.judge([page])[0].scores[0] == pytest.approx(1 - math.exp(-3), rel=1e-6)
    assert judge.judge([text_page("boats of hire")])[0].scores[0] == 0.0


def test_a_wrong_regular_expression_is_refused_with_its_place() -> None:
    with pytest.raises(TrainingError, match=r"keyword /sail\(ing/ is no regular expression: .* at column 6"):
        KeywordsJudge(JudgeContext(keywords={"/sail(ing/": 1.0}))
