"""The tree of topics: numbering, names, examples, and what is done to it before training."""

from __future__ import annotations

import tracemalloc

import pytest

from clew.errors import InputError
from clew.topics.entry import Entry
from clew.topics.tree import ROOT, TopicTree, clean_name

# The ontology of BINGO's figure (papers/2; BNG-6), with one link a leaf and one at Home.
BINGO = [
    Entry(("Home", "Finance", "Home Banking"), "http://bank.test/"),
    Entry(("Job", "Java"), "http://java.test/"),
    Entry(("Home",), "http://home.test/"),
    Entry(("Home", "Finance", "Stocks"), "http://stocks.test/"),
    Entry(("Home", "Finance", "Insurances"), "http://insurance.test/"),
    Entry(("Home", "Cooking"), "http://cooking.test/"),
    Entry(("Job", "Perl"), "http://perl.test/"),
    Entry(("Job", "XML"), "http://xml.test/"),
    Entry(("Job",), description="What I work with", tags=("code", "languages")),
]


@pytest.fixture
def bingo() -> TopicTree:
    return TopicTree.of(BINGO)


def tree_of(*paths: str) -> TopicTree:
    tree = TopicTree()
    for path in paths:
        tree.add(path)
    return tree.ordered()


def filed(links: dict[str, int | str]) -> TopicTree:
    """A tree of topics with so many examples each, or the one named."""
    tree = TopicTree()
    for path, given in links.items():
        tree.add(path)
        for url in [given] if isinstance(given, str) else [f"http://{path}.test/{n}" for n in range(given)]:
            tree.add(path, url=url)
    return tree.ordered()


def counted(tree: TopicTree) -> dict[str, int]:
    return {path: len(tree.own(topic)) for topic, path in enumerate(tree.paths)}


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("  Water \t sports\n", "Water sports"),
        ("TCP/IP", "TCP∕IP"),
        ("R\u0075\u0308gen", "Rügen"),
        ("a\x00\u200bb", "ab"),
        (" \x07 ", "unnamed"),
    ],
)
def test_names_are_cleaned(given: str, clean: str) -> None:
    assert clean_name(given) == clean


def test_topics_are_numbered_depth_first_by_first_appearance(bingo: TopicTree) -> None:
    assert bingo.paths == (
        "Home",
        "Home/Finance",
        "Home/Finance/Home Banking",
        "Home/Finance/Stocks",
        "Home/Finance/Insurances",
        "Home/Cooking",
        "Job",
        "Job/Java",
        "Job/Perl",
        "Job/XML",
    )
    assert [bingo.parent(topic) for topic in range(len(bingo))] == [-1, 0, 1, 1, 1, 0, -1, 6, 6, 6]
    assert bingo.children() == (0, 6)
    assert bingo.children(1) == (2, 3, 4)
    assert bingo.leaves() == (2, 3, 4, 5, 7, 8, 9)
    assert bingo.below(0) == (1, 2, 3, 4, 5)
    assert (bingo.name(2), bingo.name(ROOT), bingo.path(ROOT)) == ("Home Banking", "ANY", "")


def test_below_is_strict(bingo: TopicTree) -> None:
    assert bingo.is_below(3, 1)
    assert bingo.is_below(3, 0)
    assert bingo.is_below(0, ROOT)
    assert not bingo.is_below(1, 3)
    assert not bingo.is_below(3, 3)
    assert not bingo.is_below(3, 6)
    assert not bingo.is_below(ROOT, ROOT)


def test_examples_of_a_topic_include_those_below_it(bingo: TopicTree) -> None:
    assert bingo.own(0) == ("http://home.test/",)
    assert bingo.own(1) == ()
    assert bingo.inherited(0) == (
        "http://home.test/",
        "http://bank.test/",
        "http://stocks.test/",
        "http://insurance.test/",
        "http://cooking.test/",
    )
    assert bingo.counts() == [5, 3, 1, 1, 1, 1, 3, 1, 1, 1]


def test_links_are_seeds_examples_or_both_and_kept_once() -> None:
    tree = TopicTree.of(
        [
            Entry(("A",), "http://1.test/", example=False),
            Entry(("A",), "http://2.test/", seed=False),
            Entry(("A",), "http://2.test/", seed=False),
            Entry(("A",), "http://1.test/", seed=False),
            Entry((), "http://nowhere.test/"),
        ]
    )
    assert tree.own(0) == ("http://1.test/", "http://2.test/")
    assert tree.seeds(0) == ("http://1.test/",)
    assert tree.seeds(ROOT) == ("http://nowhere.test/",)


def test_folders_are_described_by_entries_without_url(bingo: TopicTree) -> None:
    assert bingo.description(6) == "What I work with"
    assert bingo.keywords(6) == ("code", "languages")
    assert (bingo.description(0), bingo.keywords(0)) == ("", ())


def test_adding_keeps_the_numbers_given_before(bingo: TopicTree) -> None:
    assert bingo.add("Home/Garden/Roses") == 11
    assert bingo.add(("Home", "TCP/IP")) == 12
    assert bingo.paths[10:] == ("Home/Garden", "Home/Garden/Roses", "Home/TCP∕IP")
    assert bingo.paths[6] == "Job"
    assert bingo.ordered().paths[6:9] == ("Home/Garden", "Home/Garden/Roses", "Home/TCP∕IP")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Home/Finance", "Home/Finance"),
        ("home/FINANCE", "Home/Finance"),
        ("Stocks", "Home/Finance/Stocks"),
        ("finance/stocks", "Home/Finance/Stocks"),
        ("Home", "Home"),  # not Home Banking
        ("  home   banking ", "Home/Finance/Home Banking"),
        ("Home/Fin", "Home/Finance"),  # above all others that begin so
        ("insur", "Home/Finance/Insurances"),
        ("xml", "Job/XML"),
    ],
)
def test_names_find_topics(bingo: TopicTree, text: str, path: str) -> None:
    assert bingo.paths[bingo.find(text)] == path


def test_umlauts_may_be_spelt_out_and_case_decides_between_namesakes() -> None:
    tree = tree_of("Inseln/Rügen", "Java", "Inseln/java")
    tree.add(("Net", "TCP/IP"))
    assert tree.paths[tree.find("net/tcp/ip")] == "Net/TCP∕IP"
    assert tree.paths[tree.find("Ruegen")] == "Inseln/Rügen"
    assert tree.paths[tree.find("R\u0075\u0308gen")] == "Inseln/Rügen"
    assert tree.paths[tree.find("Java")] == "Java"
    assert tree.paths[tree.find("inseln/JAVA")] == "Inseln/java"


def test_several_candidates_are_listed() -> None:
    tree = tree_of("Home/Java", "Job/Java", "Job/JavaScript")
    with pytest.raises(InputError, match=r"'Java' may be any of Home/Java, Job/Java; give more of the path"):
        tree.find("Java")


def test_names_that_look_alike_are_suggested(bingo: TopicTree) -> None:
    with pytest.raises(InputError, match=r"'Stokcs'; did you mean Home/Finance/Stocks\?"):
        bingo.find("Stokcs")
    with pytest.raises(InputError, match=r"'Banking'; did you mean Home/Finance/Home Banking\?"):
        bingo.find("Banking")
    with pytest.raises(InputError, match=r"'Zebra fish'; the topics are Home, Job"):
        bingo.find("Zebra fish")
    with pytest.raises(InputError, match="is empty; name one of Home, Job"):
        bingo.find(" / ")
    with pytest.raises(InputError, match="there are none yet"):
        TopicTree().find("")


def test_search_puts_the_name_itself_first(bingo: TopicTree) -> None:
    assert [bingo.paths[topic] for topic in bingo.search("home", 3)] == [
        "Home",
        "Home/Finance/Home Banking",
        "Home/Finance",
    ]
    assert [bingo.paths[topic] for topic in bingo.search("fin ins")] == ["Home/Finance/Insurances"]
    assert bingo.search("  ") == []


def test_an_example_may_stand_under_a_topic_and_one_above_it_only() -> None:
    same = "http://same.test/"
    filed({"A": same, "A/B": same, "C": 2}).check_disjoint()
    for tree in (filed({"A": 1, "A/B": same, "A/C": same}), filed({"A": same, "A/B": same, "A/C": same})):
        with pytest.raises(InputError, match=r"http://same\.test/ is an example of both A/B and A/C"):
            tree.check_disjoint()


def test_other_takes_the_own_examples_of_inner_topics(bingo: TopicTree) -> None:
    tree = bingo.with_other()
    assert tree.paths[:7] == (*bingo.paths[:6], "Home/Other")
    assert tree.own(6) == ("http://home.test/",)
    assert tree.seeds(6) == ("http://home.test/",)
    assert tree.own(0) == ()
    assert len(tree) == len(bingo) + 1
    assert bingo.own(0) == ("http://home.test/",)
    assert tree.with_other().paths == tree.paths


def test_an_inner_topic_called_other_gets_no_strangers() -> None:
    tree = filed({"A": 1, "A/Other/B": 1}).with_other()
    assert counted(tree) == {"A": 0, "A/Other": 0, "A/Other/B": 1, "A/Other (2)": 1}


def test_sparse_leaves_are_pruned_until_none_is_left() -> None:
    tree = filed({"A": 0, "A/B": 1, "A/B/C": 1, "A/B/D": 1, "A/E": 2, "F": 1})
    pruned = tree.pruned(3)
    # C and D go to B, which then holds 3; E goes to A, which stays for B; F goes to the root.
    assert counted(pruned) == {"A": 2, "A/B": 3}
    assert len(pruned.own(ROOT)) == 1
    assert counted(tree.pruned(4)) == {"A": 5}
    assert counted(tree.pruned(0)) == counted(tree)


def test_new_trees_share_nothing_with_the_old() -> None:
    tree = filed({"A": 2, "A/B": 2})
    for new in (tree.ordered(), tree.with_other(), tree.pruned(1), tree.capped(2), tree.subtree("A")):
        new.add("A/B", url="http://new.test/")
        new.add("A/C")
    assert counted(tree) == {"A": 2, "A/B": 2}


def test_seeds_do_not_count_as_examples_when_pruning() -> None:
    tree = TopicTree.of([Entry(("A",), f"http://{n}.test/", example=False) for n in range(5)])
    pruned = tree.pruned(1)
    assert pruned.paths == ()
    assert len(pruned.seeds(ROOT)) == 5


def test_capping_draws_the_same_sample_from_the_same_seed() -> None:
    tree = filed({"A": 50, "B": 3})
    capped = tree.capped(10, seed=7)
    assert counted(capped) == {"A": 10, "B": 3}
    assert set(capped.own(0)) < set(tree.own(0))
    assert capped.seeds(0) == tree.seeds(0)
    assert capped.own(0) == tree.capped(10, seed=7).own(0)
    assert capped.own(0) != tree.capped(10, seed=8).own(0)


def test_a_subtree_keeps_its_paths_and_nothing_beside_it(bingo: TopicTree) -> None:
    tree = bingo.subtree("Finance")
    assert tree.paths == bingo.paths[:5]
    assert counted(tree) == {**dict.fromkeys(bingo.paths[:2], 0), **dict.fromkeys(bingo.paths[2:5], 1)}
    assert bingo.subtree(6).description(0) == "What I work with"


def test_deep_folders_are_no_trouble() -> None:
    tree = TopicTree.of([Entry(tuple(str(n) for n in range(2_000)), "http://deep.test/")])
    assert len(tree.below(0)) == 1_999
    assert tree.inherited(0) == ("http://deep.test/",)
    assert tree.pruned(2).own(ROOT) == ("http://deep.test/",)


def test_a_large_directory_is_cheap() -> None:
    """9,000 topics of 6 links, a thirtieth of the Open Directory, in 16 MB: the whole in less than 500 MB."""
    tracemalloc.start()
    tree = TopicTree.of(
        Entry(("Top", f"a{n % 15}", f"b{n % 450}", f"topic number {n}"), f"http://host{n}.test/folder/page-{k}.html")
        for n in range(9_000)
        for k in range(6)
    )
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(tree) == 1 + 15 + 450 + 9_000
    assert held < 16e6
    tree.check_disjoint()
    with pytest.raises(InputError, match=r"did you mean .*topic number 77"):
        tree.find("topik number 77")


def test_links_of_the_root_may_become_a_topic() -> None:
    """One that is there already takes them in; where the root has none, nothing changes."""
    tree = TopicTree()
    tree.add("Art", url="http://a.test/1")
    tree.add((), url="http://a.test/2", seed=False)
    named = tree.with_root_as("my links")
    assert named.paths == ("Art", "my links")
    assert named.own(1) == ("http://a.test/2",) and named.seeds(1) == () and not named.own(-1)
    joined = tree.with_root_as("Art")
    assert joined.paths == ("Art",) and joined.own(0) == ("http://a.test/1", "http://a.test/2")
    assert joined.with_root_as("more").paths == ("Art",)
    assert tree.own(-1) == ("http://a.test/2",)
