"""The judge auto: its figures worked by hand, what it learns from, and what it refuses to learn."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from clew.errors import TrainingError
from clew.judges.auto import judge as module
from clew.judges.auto import termvectors
from clew.judges.auto.blending import KINDS, Views, blended, choose, of_crawl, ranking, weights_of
from clew.judges.auto.chances import estimate, mixture, threshold
from clew.judges.auto.judge import AutoJudge
from clew.judges.auto.kinds import KindWork, marks, names
from clew.judges.auto.rows import Columns, DenseRows, centroid, unit
from clew.judges.bags import Vocabulary
from clew.judges.base import Estimate, JudgeContext
from clew.model import OTHER, Example, Page
from support import html_page, text_page

SAILING = (
    "Sailing around the island takes a day when the wind is fair and the harbour is near.",
    "The island has a small harbour where sailing boats anchor; sailing lessons start in May.",
    "A regatta brings sailing crews to the island every summer, with boats from every harbour.",
    "The skipper trims the sails of the yacht while the crew looks after the anchor.",
    "Yachts and dinghies race around the buoys; the wind decides the regatta.",
)
OTHERS = (
    "The parliament passed a budget after a long debate about taxes and pensions.",
    "Bake the bread for forty minutes and let it cool before you cut it with a knife.",
    "The football club lost the final after extra time and a missed penalty.",
    "The court held that the defendant was liable for breach of contract and costs.",
    "Add to basket, free delivery, gift cards, newsletter, privacy policy and cookies.",
    "The theatre opens its season with a comedy, and tickets are sold at the door.",
)
PENSIONS = (
    "The minister raised the state pension and the retirement age after the budget.",
    "Pension funds and insurers pay retirement benefits; the state adds a basic pension.",
    "Retirement at sixty-five: how the pension is taxed, and what the insurers pay.",
    "Parliament debated the pension budget and the retirement age of civil servants.",
    "Contributions to the pension fund rise with wages, and so do retirement benefits.",
)
LIKE, UNLIKE = "Our sailing boat reached the harbour before the storm.", "The minister defended the pension budget."


def examples(relevant: Sequence[str] = SAILING, irrelevant: Sequence[str] = ()) -> list[Example]:
    pairs = [*((0, text) for text in relevant), *((OTHER, text) for text in irrelevant)]
    return [Example(f"http://e.test/{n}", topic, text_page(text)) for n, (topic, text) in enumerate(pairs)]


def trained(given: list[Example], context: JudgeContext | None = None, **settings: float) -> AutoJudge:
    judge = AutoJudge(context or JudgeContext(), AutoJudge.Settings(**settings))  # type: ignore[arg-type]
    judge.fit(given)
    return judge


def crawled(relevant: int = 10) -> list[Page]:
    """Sixty pages with the words that every page of a site has; some are about sailing."""
    frame = "home contact imprint search login"
    rng = np.random.default_rng(4)
    pages = []
    for number in range(60):
        texts = SAILING if number % (60 // relevant) == 0 else OTHERS
        pages.append(text_page(f"{frame} {texts[rng.integers(len(texts))]} {texts[rng.integers(len(texts))]}"))
    return pages


def scores(judge: AutoJudge, *texts: str) -> list[float]:
    return [float(one.scores[0]) for one in judge.judge([text_page(text) for text in texts])]


# -- figures ------------------------------------------------------------------------------------------------


def test_the_base_rate_is_that_of_the_crawl() -> None:
    """90 pages score about 0, and 10 score 10. They lie far apart, so every chance is 0 or 1, and by hand:
    π = (10 + 2) / (100 + 20), μ₁ = (20·8 + 10·10) / (20 + 10), σ₁² = (40·1² + 10·(10 − μ₁)²) / (40 + 10)."""
    found = mixture(np.concatenate([np.tile([-1.0, 0.0, 1.0], 30), np.full(10, 10.0)]), mean=8.0, spread=1.0)
    assert found.base_rate == pytest.approx(12 / 120, abs=1e-3)
    assert found.mean == pytest.approx(260 / 30, abs=1e-3)
    assert found.spread == pytest.approx(np.sqrt((40 + 10 * (40 / 30) ** 2) / 50), abs=1e-3)
    assert found.mean_other == pytest.approx(0.0, abs=0.02)
    assert found.spread_other == pytest.approx(np.sqrt(2 / 3), abs=0.02)
    assert found.chances[-10:].min() > 0.99 and found.chances[:90].max() < 0.01


def test_chances_do_not_fall_above_the_relevant_pages() -> None:
    """A wide distribution of other pages would overtake there."""
    values = np.sort(np.concatenate([np.linspace(-4, 4, 200), np.full(20, 3.0), [9.0]]))
    chances = mixture(values, mean=3.0, spread=0.5).chances
    above = chances[values > 3.2]
    assert (np.diff(above) >= 0).all()
    assert above[-1] > 0.5


def test_the_threshold_is_where_expected_precision_and_recall_are_best() -> None:
    """Expected hits of the first 1, 2, 3, 4 pages: .9, 1.4, 1.6, 1.6 of 1.6. F₂ = 5·hits / (called + 4·1.6): .608,
    .833, .851, .769: three pages. F½ = 1.25·hits / (called + .25·1.6): .804, .729, .588, .455: one."""
    values, chances = np.array([1.0, 4.0, 2.0, 3.0]), np.array([0.0, 0.9, 0.2, 0.5])
    assert threshold(values, chances, beta=2.0) == 1.5
    assert threshold(values, chances, beta=0.5) == 3.5


def test_pages_of_one_score_are_not_parted() -> None:
    """The first of the pages that score 2 alone would be best."""
    assert threshold(np.array([2.0, 2.0, 1.0]), np.array([1.0, 0.0, 0.0]), beta=1.0) == 1.5


def test_a_held_out_example_is_scored_as_if_it_had_not_been_one() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(6, 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    own, other = np.array([1.0, 1, 1, 0, 0, 0]), np.array([0.0, 0, 0, 1, 1, 1])
    found = centroid(DenseRows(vectors), own, other, 0.5, None)
    for left_out in range(6):
        kept = np.arange(6) != left_out
        without = unit((own * kept) @ vectors) - 0.5 * unit((other * kept) @ vectors)
        assert found.examples[left_out] == pytest.approx(float(vectors[left_out] @ without))


def test_a_held_out_example_is_as_long_as_pages_of_the_crawl_are() -> None:
    """Each example has four words of its own. A page that is the third one but for these scores as it did: they are not
    in the vocabulary of a judge that has only the others."""
    shared, counts = np.array([1, 2, 3], np.uint32), np.ones(3, np.float32)
    bags = [
        (np.concatenate([shared, np.arange(4, dtype=np.uint32) + 10 * n]), np.ones(7, np.float32)) for n in (1, 2, 3)
    ]
    vocabulary = Vocabulary(np.unique(np.concatenate([ids for ids, _ in bags])))
    rows = Columns.of(bags, vocabulary, np.empty(0, np.uint32)).scaled(np.ones(len(vocabulary)))
    found = centroid(rows, np.ones(3), np.zeros(3), 0.5, None)
    without = Vocabulary(np.unique(np.concatenate([ids for ids, _ in bags[:2]])))
    idf = np.ones(len(without))
    direction = unit(Columns.of(bags[:2], without).scaled(idf).total(np.ones(2)))
    page = Columns.of([bags[2], (shared, counts)], without).scaled(idf).dot(direction)
    assert found.examples == pytest.approx(np.full(3, page[0]))
    assert page[0] == pytest.approx(page[1])


def test_the_estimate_of_precision_is_near_the_truth_and_its_interval_wider_with_few_examples() -> None:
    rng = np.random.default_rng(8)
    values = np.concatenate([rng.normal(0.0, 1.0, 400), rng.normal(2.5, 0.8, 100)])
    held, nothing = rng.normal(2.5, 0.8, 20), np.zeros(0)
    truth = float((values[400:] >= 1.5).sum() / (values >= 1.5).sum())

    def told(at: float, held: np.ndarray, expected: float) -> Estimate:
        return estimate(mixture(values, expected, 0.8, nothing, len(held)), values, at, held, nothing, expected, 0.8)

    many, few = told(1.5, held, float(held.mean())), told(1.5, held[:1], 2.5)
    assert many.low < many.precision < truth < many.high  # here are no near misses, of which it is wary
    said = float(mixture(values, float(held.mean()), 0.8, nothing, len(held)).chances[values >= 1.5].mean())
    assert said == pytest.approx(truth, abs=0.1)
    assert many.precision == pytest.approx(said - 0.8 * (said * (1 - said)) ** 0.5)
    assert many.base_rate == pytest.approx(0.2, abs=0.05)
    assert few.low < many.low - 0.01
    assert np.isnan(told(99.0, held, 2.5).precision)


def test_examples_against_a_topic_tell_where_other_pages_lie() -> None:
    """Four pages of five are relevant: without a word about the others, they would be taken for these."""
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.normal(3.0, 0.6, 80), rng.normal(0.0, 0.6, 20)])
    found = mixture(values, 3.0, 0.8, rng.normal(0.0, 0.6, 10))
    assert found.base_rate == pytest.approx(82 / 120, abs=0.03)
    assert found.mean_other == pytest.approx(0.0, abs=0.3)
    assert mixture(values, 3.0, 0.8).mean_other > 0.5


def test_an_only_example_cannot_be_held_out() -> None:
    found = centroid(DenseRows(np.eye(2)), np.array([1.0, 0.0]), np.zeros(2), 0.5, None)
    assert np.isnan(found.examples[0])


def test_meaning_counts_more_the_fewer_examples_there_are() -> None:
    assert blended(1) == (0.5, 0.6, 0.25)
    assert blended(32) == (0.5, pytest.approx(0.15), 0.25)


def test_the_blend_is_that_by_which_held_out_examples_rank_highest() -> None:
    """One view ranks the examples above all pages, the others cannot tell them from pages."""
    rng = np.random.default_rng(1)
    pages, own, every = rng.normal(size=(4, 200)), np.ones(8, np.bool_), np.ones(200)
    for view in range(4):
        held = rng.normal(size=(4, 8))
        held[view] = 5.0
        weights, gain = choose(Views(held, pages, held), own, every, 8)
        usual = weights_of(*blended(8))
        assert weights[view] > usual[view] or weights[view] == 0.5
        assert gain > 0.05 or view == 0


def test_kinds_count_only_if_examples_rank_far_higher_by_them() -> None:
    """Where words put all examples above all pages, kinds that do so too add nothing; where words cannot tell, they do.
    A little higher is not enough."""
    rng = np.random.default_rng(1)
    pages, own, every = rng.normal(size=(4, 200)), np.ones(8, np.bool_), np.ones(200)

    def weight(words: float, kind: float) -> float:
        held = np.full((4, 8), words)
        held[KINDS] = kind
        return float(choose(Views(held, pages, held), own, every, 8)[0][KINDS])

    assert weight(4.0, 4.0) == 0.0
    assert weight(0.0, 4.0) >= 1.0
    assert weight(0.5, 0.6) == 0.0


def test_marks_of_a_page() -> None:
    page = text_page(
        " ".join(f"word{letter}" for letter in "abcdefghijklmnop"), url="http://e.test/~ann/Courses/index.html?a=1"
    )
    told = set(names(page).values())
    assert {"URL 3 deep", "URL of a folder", "URL of a user", "URL with a query", "URL: ann", "URL: courses"} <= told
    assert "words: 16 to 31" in told and "links: 0" in told and "URL of a file" not in told and "URL: index" not in told
    assert sum(one.startswith("begins with") for one in told) == 12
    found = marks(page)
    assert set(found.tolist()) == set(names(page)) and (np.diff(found.astype(np.int64)) > 0).all()


def test_links_are_marks_by_where_they_lead() -> None:
    links = "".join(f'<a href="{to}">x</a>' for to in ("/a/b.html", "/a/c.html", "/d.html", "http://o.test/"))
    page = html_page(f"<html lang='en'><title>Home of Ann</title>{links}", "http://e.test/a/index.html")
    told = set(names(page).values())
    assert {"links: 4 to 7", "links to other hosts: 1", "links within its folder: 2 to 3"} <= told
    assert "title: home ann" in told and "title: home" in told


def test_kinds_by_hand() -> None:
    """Two examples have mark 1, one of them mark 2; of three pages two have mark 1 and none mark 2: shares 2.5/4 and
    .5/4. Log ratios log((2 + .625)/(3·.625)) = .336 and log((1 + .125)/(3·.125)) = 1.099, of others −1.099."""
    work = KindWork([ids(1, 2), ids(1, 7), None], [ids(1, 3), ids(1), ids(4, 5)], 1)
    found = work.scores(np.array([1.0, 1.0, 1.0]))
    assert found.pages == pytest.approx([(0.336 - 1.099) / 2, 0.336, -1.099], abs=1e-3)
    # left out: the other has mark 1 alone of these, log((1 + .625)/(2·.625)) = .262; others log(1/2) = −.693
    assert found.examples[:2] == pytest.approx([(0.262 - 0.693) / 2, (0.262 - 0.693) / 2], abs=1e-3)
    assert np.isnan(found.examples[2])
    learned = work.learned(np.array([[1.0, 1.0, 1.0]]))
    assert learned.scores(ids(1, 3))[0] == pytest.approx(found.pages[0])
    assert sum(learned.parts(ids(1, 2), 0).values()) + learned.unknown[0] == pytest.approx(learned.scores(ids(1, 2))[0])


def test_an_only_example_has_no_kind_to_be_left_out_of_and_keywords_have_none() -> None:
    work = KindWork([ids(1), None], [ids(1), ids(2)], 1)
    assert np.isnan(work.scores(np.array([1.0, 0.0])).examples).all()
    assert np.isnan(work.scores(np.array([0.0, 1.0])).pages).all()


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint32)


def test_few_examples_prove_nothing() -> None:
    rng = np.random.default_rng(1)
    held = rng.normal(size=(4, 4)) + np.array([[0.0], [9.0], [0.0], [0.0]])
    views = Views(held, rng.normal(size=(4, 50)), held)
    weights, gain = choose(views, np.ones(4, np.bool_), np.ones(50), 4)
    assert weights.tolist() == weights_of(*blended(4)).tolist()
    assert np.isnan(gain)


def test_ranking_by_hand() -> None:
    """Of three pages one lies above the first example, none above the second: −log(1.5/4) and −log(.5/4), halved."""
    found = ranking(np.array([2.5, 9.0]), np.array([1.0, 2.0, 3.0]), np.ones(3))
    assert found == pytest.approx(-(np.log(1.5 / 4) + np.log(0.5 / 4)) / 2)


def test_log_odds_are_0_at_the_threshold_and_minus_the_steepness_at_the_mean_of_other_pages() -> None:
    rng = np.random.default_rng(2)
    pages = np.concatenate([rng.normal(size=(4, 90)), rng.normal(size=(4, 10)) + 6.0], axis=1)
    held = rng.normal(size=(4, 6)) + 6.0
    views, own = Views(held, pages, held), np.ones(6, np.bool_)
    blend = of_crawl(views, own, ~own, 6, np.zeros(100), steepness=3.0)
    odds = blend.scale @ (pages - blend.missing[:, None]) + blend.shift
    assert (odds[90:] > 0).all() and (odds[:90] < 0).all()
    assert odds[:90].mean() == pytest.approx(-3.0, abs=0.3)


# -- what it learns from ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("against", [0, 1, 3])
def test_few_examples_tell_a_topic(count: int, against: int) -> None:
    judge = trained(examples(SAILING[:count], OTHERS[:against]))
    like, unlike = scores(judge, LIKE, UNLIKE)
    assert like > unlike


def test_keywords_alone_tell_a_topic() -> None:
    judge = trained([], JudgeContext(keywords={"sailing": 1.0, "harbour": 1.0, "pension": -1.0}))
    like, neither, unlike = scores(judge, LIKE, "Bread and butter for breakfast.", UNLIKE)
    assert like >= 0.5 > neither > unlike
    assert judge.observe(crawled())
    assert scores(judge, LIKE)[0] > scores(judge, UNLIKE)[0]


def test_keywords_help_examples() -> None:
    given = examples(SAILING[:1])
    with_word = trained(given, JudgeContext(keywords={"dinghies": 1.0}))
    assert scores(with_word, "Dinghies for hire.")[0] > scores(trained(given), "Dinghies for hire.")[0]


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(TrainingError, match="no example page with text for topic 'relevant', and no keyword"):
        trained([], JudgeContext(keywords={"/sail(ing)?/": 1.0, "bread": -1.0}))


def test_topics_of_a_tree() -> None:
    """A page of a topic is one of the topic above it; keywords may stand for the examples of one."""
    context = JudgeContext(("Sport", "Sport/Sailing", "Food"), keywords_by_topic={"Food": {"bread": 1.0, "bake": 1.0}})
    given = [Example(f"http://e.test/{n}", 1, text_page(text)) for n, text in enumerate(SAILING)]
    sailing, food = trained(given, context).judge([text_page(LIKE), text_page(OTHERS[1])])
    assert sailing.topic == 1
    assert sailing.scores[0] >= sailing.scores[1] > sailing.scores[2]
    assert food.scores[2] > max(food.scores[0], food.scores[1])


# -- learning from the crawl --------------------------------------------------------------------------------------


def test_words_of_every_page_count_less_once_the_crawl_is_known() -> None:
    judge = trained(examples([f"home contact imprint search login {text}" for text in SAILING]))
    frame = f"home contact imprint search login {OTHERS[5]}"
    like = "Sailing boats and yachts leave the harbour of the island with skipper and crew for the regatta."
    before = scores(judge, like, frame)
    assert judge.observe(crawled())
    after = scores(judge, like, frame)
    assert before[1] > before[0]
    assert after[0] > after[1]


def test_most_pages_that_are_called_relevant_are() -> None:
    judge, pages = trained(examples()), crawled()
    judge.observe(pages)
    said = np.array([float(one.scores[0]) >= 0.5 for one in judge.judge(pages)])
    truth = np.arange(60) % 6 == 0
    assert (said & truth).sum() >= 9
    assert (said & ~truth).sum() <= 3


def test_examples_among_the_pages_of_the_crawl_teach_nothing() -> None:
    """They score as no other page does."""
    one, other = trained(examples(SAILING, OTHERS)), trained(examples(SAILING, OTHERS))
    mine = [text_page(text, url=f"http://e.test/{n}") for n, text in enumerate((*SAILING, *OTHERS))]
    assert one.observe([*mine[:3], *crawled(), *mine[3:]])
    assert other.observe(crawled())
    assert scores(one, LIKE, UNLIKE, *SAILING) == scores(other, LIKE, UNLIKE, *SAILING)
    assert not trained(examples(SAILING, OTHERS)).observe([*mine, *crawled()[: module.LEAST_PAGES - 1]])


def test_a_page_about_two_topics_is_about_both() -> None:
    """Before the crawl taught anything; half of its words are those of another topic."""
    given = [Example(f"http://e.test/{n}", 0, text_page(text)) for n, text in enumerate(SAILING)]
    given += [Example(f"http://f.test/{n}", 1, text_page(text)) for n, text in enumerate(PENSIONS)]
    both = [text_page(f"{one} {other}") for one, other in zip(SAILING, PENSIONS, strict=True)]
    topics = ("sailing", "pensions")
    found = trained(given, JudgeContext(topics, together=[(0, 1)])).judge(both)
    assert min(float(one.scores.min()) for one in found) >= 0.5
    apart = trained(given, JudgeContext(topics, together=[(0, 1)])).judge([text_page(text) for text in OTHERS[1:]])
    assert max(float(one.scores.max()) for one in apart) < 0.5


def test_it_estimates_its_precision_once_the_crawl_taught_it() -> None:
    judge = trained(examples())
    assert judge.estimate() is None
    assert judge.observe(crawled())
    told = judge.estimate()
    assert told is not None
    assert 0.0 <= told.low <= told.precision <= told.high <= 1.0
    assert told.precision > 0.3 and told.high > 0.8
    assert told.base_rate == pytest.approx(1 / 6, abs=0.1)
    assert pickle.loads(pickle.dumps(judge)).estimate() == told


def test_pages_of_which_it_knows_nothing_teach_nothing() -> None:
    """In another language: whatever is not like them would stand out, and be relevant."""
    judge = trained(examples())
    before = scores(judge, LIKE, *OTHERS)
    words = [
        [f"{a}{b}ung{c}" for c in ("en", "er", "es")] for a in ("verl", "fahr", "kauf", "dreh") for b in "abcdeghk"
    ]
    pages = [text_page(" ".join(some) * 3, url=f"http://g.test/{n}") for n, some in enumerate(words)]
    assert not judge.observe(pages)
    assert scores(judge, LIKE, *OTHERS) == before


def test_any_number_of_keywords() -> None:
    words = {word: 1.0 for text in (*SAILING, *OTHERS, *PENSIONS) for word in text.split()}
    found = trained(
        [], JudgeContext(keywords={**words, **{f"{word} {word}": 1.0 for word in words}, "boat " * 1_200: 1.0})
    )
    assert 0.0 < scores(found, LIKE)[0] <= 1.0


def test_a_few_pages_teach_nothing() -> None:
    judge = trained(examples())
    before = scores(judge, LIKE, UNLIKE)
    assert not judge.observe(crawled()[: module.LEAST_PAGES - 1])
    assert scores(judge, LIKE, UNLIKE) == before
    assert judge.observe(crawled()[: module.LEAST_PAGES])


def test_what_makes_held_out_examples_rank_lower_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each crawl moves examples up or down; where the limit lies above what this one does, it is refused."""
    judge = trained(examples())
    before = scores(judge, LIKE, UNLIKE)
    monkeypatch.setattr(module, "REFUSED", 99.0)
    assert not judge.observe(crawled())
    assert scores(judge, LIKE, UNLIKE) == before
    monkeypatch.setattr(module, "REFUSED", -99.0)
    assert judge.observe(crawled())
    assert scores(judge, LIKE, UNLIKE) != before


def test_the_same_pages_teach_the_same_and_copies_know_it() -> None:
    one, other = trained(examples()), trained(examples())
    assert one.observe(crawled()) and other.observe(crawled())
    copy = pickle.loads(pickle.dumps(one))
    assert scores(one, LIKE, UNLIKE, *SAILING) == scores(other, LIKE, UNLIKE, *SAILING)
    assert scores(one, LIKE, UNLIKE, *SAILING) == scores(copy, LIKE, UNLIKE, *SAILING)


def test_explanations_add_up_to_what_words_and_kind_say() -> None:
    judge = trained(examples(), meaning=False)
    judge.observe(crawled())
    page = text_page(LIKE)
    bag = module.FEATURES.bag(page)
    assert judge.model is not None
    model = judge.model
    places, counts = model.vocabulary.project(bag)
    whole = model.odds(places, counts, None, marks(page))
    assert whole is not None and model.kinds is not None and model.scale[-1, 0] > 0
    nothing = np.append(np.zeros(len(model.missing) - 1), model.kinds.unknown[0])
    constant = float(model.shift[0] + (model.scale[:, 0] * (nothing - model.missing[:, 0])).sum())
    assert sum(weight for _, weight in judge.explain(page, limit=99)) == pytest.approx(whole[0] - constant, abs=1e-3)


# -- meaning ------------------------------------------------------------------------------------------------------


def test_meaning_finds_what_shares_no_word() -> None:
    pytest.importorskip("wordllama")
    given = examples(SAILING[:1])
    plain, whole = trained(given, meaning=False), trained(given)
    texts = ("Ships, captains and the sea.", "Taxes, judges and the law.")
    boats, law = scores(whole, *texts)
    assert boats > law
    assert boats - law > np.subtract(*scores(plain, *texts)) + 0.01


def test_without_word_vectors_it_goes_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "term_vectors", lambda: None)
    judge = trained(examples())
    assert judge.observe(crawled())
    like, unlike = scores(judge, LIKE, UNLIKE)
    assert like >= 0.5 > unlike


def test_a_model_that_is_not_installed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(termvectors.importlib.util, "find_spec", lambda name: None)
    assert termvectors.term_vectors.__wrapped__() is None


def test_vectors_of_terms_are_means_of_words_of_one_stem() -> None:
    pytest.importorskip("wordllama")
    vectors = termvectors.term_vectors()
    assert vectors is not None
    page = text_page("harbour")
    alone = vectors.of_page(page)
    assert alone is not None
    twice = vectors.of_page(text_page("harbour xyzzyq harbour"))
    assert twice == pytest.approx(alone, abs=1e-5)
    assert vectors.of_page(text_page("xyzzyq")) is None
    assert vectors.shares.sum() == pytest.approx(1.0)
