"""Interest formulas: reading and writing them, their worth on a page, and the paper's chain of generalisations."""

from __future__ import annotations

import numpy as np
import pytest

from clew.errors import InputError
from clew.topics.formula import (
    And,
    Any,
    Exclusions,
    Focus,
    Formula,
    Not,
    Or,
    Topic,
    check_taught,
    conjunction,
    disjunction,
    exclusions,
    generalise,
    may_draw_seeds,
    parse,
    relaxed,
    topics_of,
    unparse,
)
from clew.topics.semantics import POSSIBILISTIC, FaginWimmers, Product, Semantics, steps, value
from clew.topics.tree import TopicTree

# Like figure 1 of papers/3, and in how many pages each topic may be met.
FIGURE = {
    "tourism": 900,
    "tourism/sports": 40,
    "tourism/sports/water sports": 20,
    "tourism/sports/water sports/sailing": 5,
    "tourism/hotels": 300,
    "Mecklenburg-Vorpommern": 500,
    "Mecklenburg-Vorpommern/Rügen": 60,
    "jobs": 700,
    'Research & Development/"Big" not so big': 3,
}
TOURISM, SPORTS, WATER, SAILING, HOTELS, LAND, ISLAND, JOBS, _, BIG = range(10)
FREQUENCY = [900, 40, 20, 5, 300, 500, 60, 700, 3, 3]


@pytest.fixture(scope="module")
def tree() -> TopicTree:
    tree = TopicTree()
    for path in FIGURE:
        tree.add(path)
    return tree


SAIL, HOTEL, JOB = Topic(SAILING), Topic(HOTELS), Topic(JOBS)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("sailing", SAIL),
        ("sailing and Ruegen", And((SAIL, Topic(ISLAND)))),
        ("sailing and tourism/sports/Water sports", And((SAIL, Topic(WATER)))),
        ("water   sports or mecklenburg-vorpommern", Or((Topic(WATER), Topic(LAND)))),
        ("sailing or hotels and jobs", Or((SAIL, And((HOTEL, JOB))))),
        ("(sailing or hotels) and jobs", And((Or((SAIL, HOTEL)), JOB))),
        ("not sailing and jobs", And((Not(SAIL), JOB))),
        ("not not sailing", Not(Not(SAIL))),
        ("sailing and hotels and jobs", And((SAIL, HOTEL, JOB))),
        ("sailing AND NOT hotels OR jobs", Or((And((SAIL, Not(HOTEL))), JOB))),
        ("sailing∧¬hotels∨jobs", Or((And((SAIL, Not(HOTEL))), JOB))),
        ("sailing&!hotels|jobs", Or((And((SAIL, Not(HOTEL))), JOB))),
        ("sailing && hotels || jobs", Or((And((SAIL, HOTEL)), JOB))),
        ('sailing and "Rügen" and not (hotels or jobs)', And((SAIL, Topic(ISLAND), Not(Or((HOTEL, JOB)))))),
        ("'water sports'and(“jobs”)", And((Topic(WATER), JOB))),
        ("„jobs“ or «hotels»", Or((JOB, HOTEL))),
        (r'"Research & Development/\"Big\" not so big"', Topic(BIG)),
        ("ANY and not jobs", And((Any(), Not(JOB)))),
    ],
)
def test_formulas_are_read(tree: TopicTree, text: str, formula: Formula) -> None:
    assert parse(text, tree) == formula
    assert parse(unparse(formula, tree.paths), tree) == formula


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("", 1, "a topic is missing here"),
        ("sailing and", 12, "a topic is missing here"),
        ("sailing and () or jobs", 14, "a topic is missing before ')'"),
        ("sailing or and jobs", 12, "a topic is missing before 'and'"),
        ("not", 4, "a topic is missing here"),
        ('sailing and ""', 13, "the name of a topic is empty"),
        ("sailing and (hotels or jobs", 13, 'the "(" opened here is not closed'),
        ("sailing and hotels) or jobs", 19, 'this ")" closes no "("'),
        (
            "sailing and salling or jobs",
            13,
            "no topic is called 'salling'; did you mean tourism/sports/water sports/sailing",
        ),
        ('sailing "jobs"', 9, '"and" or "or" is missing before this'),
        ("sailing (jobs)", 9, '"and" or "or" is missing before this'),
        ("(sailing (jobs))", 10, '"and", "or" or ")" is missing before this'),
        ('sailing and "jobs', 13, "the quote opened here is not closed"),
        ("sailing and jobs”", 17, "this sign has no meaning here"),
        ("(" * 2_000 + "jobs", 101, "more than 100 parentheses"),
        ("not " * 2_000 + "jobs", 401, "more than 100 parentheses or nots"),
    ],
)
def test_errors_point_at_the_column(tree: TopicTree, text: str, column: int, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, tree)
    first, shown, caret = str(caught.value).split("\n")
    assert first.startswith(f"formula, column {column}: ")
    assert reason in first
    assert shown == f"  {text}"
    assert caret.index("^") == column + 1  # both lines are set in by two


def test_the_caret_stands_below_wide_signs_too(tree: TopicTree) -> None:
    with pytest.raises(InputError, match=r"column 6: no topic is called '海'") as caught:
        parse("jobs&海 or 帆", tree)
    assert str(caught.value).splitlines()[2] == "  " + " " * 5 + "^"
    with pytest.raises(InputError, match=r"column 6: the quote") as caught:
        parse('海 or "jobs', tree)
    assert str(caught.value).splitlines()[2] == "  " + " " * 6 + "^"


def test_topics_that_nothing_describes_are_named(tree: TopicTree) -> None:
    taught = TopicTree()
    taught.add("sports/sailing", url="http://sail.test/")
    taught.add("islands", keywords=("Rügen",))
    taught.add("inland", description="Lakes and rivers")
    check_taught(parse("sports and islands and not inland", taught), taught)
    taught.add("hotels", url="http://hotel.test/", example=False)
    with pytest.raises(InputError, match=r"the topic hotels is empty: give it example pages, keywords or a descr"):
        check_taught(parse("sports and not hotels", taught), taught)


def test_topics_of_a_formula_are_listed_once(tree: TopicTree) -> None:
    formula = parse("sailing and jobs or sailing and not hotels", tree)
    assert topics_of(formula) == (SAILING, JOBS, HOTELS)
    assert topics_of(formula, negated=False) == (SAILING, JOBS)
    assert topics_of(Any()) == ()


def test_building_removes_what_says_nothing() -> None:
    a, b, c = Topic(0), Topic(1), Topic(2)
    assert conjunction([And((a, b)), Any(), a, c]) == And((a, b, c))
    assert conjunction([a, a]) == a
    assert conjunction([]) == Any()
    assert disjunction([Or((a, b)), b]) == Or((a, b))
    assert disjunction([a, Any()]) == Any()


def test_the_focus_widens_along_the_chain_of_the_paper(tree: TopicTree) -> None:
    """Section 5: sailing on Rügen, water sports, sports, tourism on Rügen, tourism in Mecklenburg-Vorpommern."""
    focus: Focus | None = Focus((parse("sailing and Ruegen", tree),))
    last = None
    names = []
    while focus is not None:
        names.append([tree.name(topic) for topic in topics_of(focus.now)])
        last, focus = focus, focus.generalised(tree, FREQUENCY)
    assert names == [
        ["sailing", "Rügen"],
        ["water sports", "Rügen"],
        ["sports", "Rügen"],
        ["tourism", "Rügen"],
        ["tourism", "Mecklenburg-Vorpommern"],
    ]
    backwards = []
    while last is not None:
        backwards.append([tree.name(topic) for topic in topics_of(last.now)])
        last = last.specialised()
    assert backwards == names[::-1]


def test_generalising_never_narrows_and_merges_what_becomes_equal(tree: TopicTree) -> None:
    paths = tree.paths
    wider = generalise(parse("sailing and not Ruegen", tree), tree, FREQUENCY)
    assert wider == And((Topic(WATER), Not(Topic(ISLAND))))
    assert generalise(parse("jobs and not Ruegen", tree), tree, FREQUENCY) is None
    assert generalise(Any(), tree, FREQUENCY) is None
    assert generalise(And((Topic(WATER), SAIL)), tree, FREQUENCY) == Topic(WATER)
    wider = generalise(parse("sailing or hotels and sailing", tree), tree, FREQUENCY)
    assert wider is not None
    assert unparse(wider, paths) == ("tourism/sports/water sports or (tourism/hotels and tourism/sports/water sports)")
    tie = [1.0] * len(tree)
    assert generalise(parse("Ruegen and sailing", tree), tree, tie) == And((Topic(LAND), SAIL))


@pytest.mark.parametrize(
    ("text", "rarer", "either"),
    [
        ("jobs and sailing", SAIL, Or((JOB, SAIL))),
        ("jobs and not sailing", JOB, JOB),
        ("not jobs", Any(), Any()),
        ("(sailing or hotels) and jobs", Or((SAIL, HOTEL)), Or((SAIL, HOTEL, JOB))),  # 5 + 300 < 700
        ("jobs or sailing and hotels", Or((JOB, SAIL)), Or((JOB, SAIL, HOTEL))),
        ("sailing", SAIL, SAIL),
    ],
)
def test_short_texts_need_only_the_rarer_part_or_any(
    tree: TopicTree, text: str, rarer: Formula, either: Formula
) -> None:
    formula = parse(text, tree)
    assert relaxed(formula, FREQUENCY) == rarer
    assert relaxed(formula, FREQUENCY, either=True) == either


@pytest.mark.parametrize(
    ("text", "crawl", "excluded"),
    [
        ("sailing", SAIL, None),
        ("sailing and not hotels", SAIL, HOTEL),
        ("sailing and not (hotels or jobs)", SAIL, Or((HOTEL, JOB))),
        ("sailing and not (hotels and jobs)", SAIL, And((HOTEL, JOB))),
        ("not hotels", Any(), HOTEL),
        ("not not sailing", SAIL, None),
        ("not (not sailing or hotels)", SAIL, HOTEL),
        ("sailing and not hotels or jobs", Or((SAIL, JOB)), And((HOTEL, Not(JOB)))),
    ],
)
def test_what_a_not_excludes_is_excluded_afterwards(
    tree: TopicTree, text: str, crawl: Formula, excluded: Formula | None
) -> None:
    assert exclusions(parse(text, tree)) == Exclusions(crawl, excluded)


@pytest.mark.parametrize(
    "text",
    [
        "sailing and not hotels or jobs and not tourism",
        "not (sailing and not hotels) and (jobs or not tourism)",
        "sailing or not (hotels and not jobs)",
        "not (sailing and hotels or not jobs and tourism)",
        "(sailing or not hotels) and (not sailing or tourism) and not not jobs",
    ],
)
def test_exclusions_say_the_same_as_the_formula(tree: TopicTree, text: str) -> None:
    """On every page that is, or is not, about each of the topics."""
    formula = parse(text, tree)
    split = exclusions(formula)
    rows = np.array(np.meshgrid(*[[0.0, 1.0]] * len(tree), indexing="ij")).reshape(len(tree), -1).T
    wanted = value(split.crawl, rows)
    if split.excluded is not None:
        wanted = np.minimum(wanted, 1.0 - value(split.excluded, rows))
    np.testing.assert_array_equal(wanted, value(formula, rows))


def test_seeds_are_drawn_for_topics_and_disjunctions_only(tree: TopicTree) -> None:
    allowed = {"sailing": True, "sailing or (hotels or jobs)": True, "sailing and hotels": False}
    allowed |= {"not sailing": False, "sailing or not jobs": False, "sailing or hotels and jobs": False, "ANY": False}
    assert {text: may_draw_seeds(parse(text, tree)) for text in allowed} == allowed


@pytest.mark.parametrize(
    ("semantics", "both", "one", "none"),
    [
        (POSSIBILISTIC, [0.2, 0.5], [0.8, 0.5], [0.2, 0.5]),
        (Product(), [0.16, 0.25], [0.84, 0.75], [0.2, 0.5]),
        # weights 3/4 and 1/4: 1·(3/4 − 1/4)·x1 + 2·(1/4)·min(x1, x2), with x1 = .8: .4 + .1; with max: .4 + .4
        (FaginWimmers([3, 1]), [0.5, 0.5], [0.8, 0.5], [0.2, 0.5]),
        # the second weighs more: 1/2·.2 + 1/2·.2; with max: .1 + .4
        (FaginWimmers([1, 3]), [0.2, 0.5], [0.5, 0.5], [0.2, 0.5]),
        (FaginWimmers([2]), [0.2, 0.5], [0.8, 0.5], [0.2, 0.5]),
        # products, x1 = .8: 1/2·.8 + 1/2·.8·.2, and 1/2·.8 + 1/2·(1 − .2·.8); of .5 each 1/2·.5 + 1/2·.25, .25 + .375
        (FaginWimmers([3, 1], Product()), [0.48, 0.375], [0.82, 0.625], [0.2, 0.5]),
        (FaginWimmers([1, 1], Product()), [0.16, 0.25], [0.84, 0.75], [0.2, 0.5]),
    ],
)
def test_values_worked_out_by_hand(
    semantics: Semantics, both: list[float], one: list[float], none: list[float]
) -> None:
    scores = np.array([[0.8, 0.2], [0.5, 0.5]], np.float32)
    a, b = Topic(0), Topic(1)
    assert value(And((a, b)), scores, semantics) == pytest.approx(both, abs=1e-6)
    assert value(Or((a, b)), scores, semantics) == pytest.approx(one, abs=1e-6)
    assert value(Not(a), scores, semantics) == pytest.approx(none, abs=1e-6)
    assert value(Any(), scores, semantics).tolist() == [1.0, 1.0]
    assert value(And((a, b)), scores, semantics).dtype == np.float64
    assert value(And((a, b)), scores[:0], semantics).shape == (0,)


def test_three_weighted_parts() -> None:
    """θ = .5 .3 .2: .2·.9 + 2·.1·min(.9, .4) + 3·.2·min(.9, .4, .6) = .18 + .08 + .24."""
    formula = And((Topic(0), Topic(1), Topic(2)))
    assert value(formula, np.array([[0.9, 0.4, 0.6]]), FaginWimmers([5, 3, 2])) == pytest.approx([0.5])


@pytest.mark.parametrize("weights", [[], [0, 1], [1, -1], [1, float("nan")], [float("inf")]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(InputError, match="weights must be numbers from 0 on, the first above 0"):
        FaginWimmers(weights)


def test_steps_go_from_topics_to_the_whole() -> None:
    formula = And((Topic(0), Not(Or((Topic(1), Topic(0))))))
    assert steps(formula, [0.75, 0.5], ["sailing", "water sports"]) == [
        ("sailing", 0.75),
        ("water sports", 0.5),
        ("water sports or sailing", 0.75),
        ("not (water sports or sailing)", 0.25),
        ("sailing and not (water sports or sailing)", 0.25),
    ]
