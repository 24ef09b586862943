"""Topics made of tags."""

from __future__ import annotations

from collections import Counter

import pytest

from clew.errors import InputError
from clew.topics.entry import Entry
from clew.topics.tags import MOST, by_tags


def link(number: int, *tags: str, path: tuple[str, ...] = ()) -> Entry:
    return Entry(path, f"http://a.test/{number}", tags=tags)


def filed(entries: tuple[Entry, ...]) -> dict[str, list[int]]:
    """The numbers of the links under each path."""
    found: dict[str, list[int]] = {}
    for entry in entries:
        if entry.url:
            found.setdefault("/".join(entry.path), []).append(int(entry.url.rpartition("/")[2]))
    return found


def test_tags_that_enough_links_have_are_topics() -> None:
    links = [link(1, "bread"), link(2, "bread", "toread"), link(3, "boats"), link(4, "boats"), link(5, "rare"), link(6)]
    found = by_tags(links)
    assert filed(found.entries) == {"bread": [1, 2], "boats": [3, 4], "": [5, 6]}
    assert (dict(found.links), found.tags, found.without) == ({"bread": 2, "boats": 2}, 4, 2)
    with_rare = filed(by_tags(links, least=1).entries)
    assert with_rare == {"bread": [1], "bread/toread": [2], "boats": [3, 4], "rare": [5], "": [6]}
    assert filed(by_tags(links, least=3).entries) == {"": [1, 2, 3, 4, 5, 6]}


def test_case_and_spaces_make_no_other_tag_and_the_usual_spelling_counts() -> None:
    found = by_tags([link(1, "PHP"), link(2, "php"), link(3, " php "), link(4, "open  source"), link(5, "Open Source")])
    assert filed(found.entries) == {"php": [1, 2, 3], "open source": [4, 5]}


def test_a_link_is_filed_under_the_rarest_of_its_topics() -> None:
    """Each tag counts it, but topics side by side must not share examples."""
    links = [link(n, "web") for n in range(6)] + [link(n, "web", "art") for n in (6, 7)] + [link(8, "art")]
    found = by_tags(links)
    assert filed(found.entries) == {"web": [0, 1, 2, 3, 4, 5], "art": [6, 7, 8]}
    assert dict(found.links) == {"web": 8, "art": 3}


def test_a_tag_whose_links_nearly_all_have_another_one_lies_below_it() -> None:
    python = [link(n, "python", "dev") for n in range(4)] + [link(4, "python")]  # 4 of 5: just enough
    lua = [link(n, "lua", "dev") for n in range(5, 8)] + [link(8, "lua"), link(9, "lua")]  # 3 of 5
    tests = [link(n, "dev", "python", "test") for n in (10, 11)]
    found = by_tags([*python, *lua, *tests, link(12, "dev")])
    assert filed(found.entries) == {
        "dev/python": [0, 1, 2, 3, 4],
        "lua": [5, 6, 7, 8, 9],
        "dev/python/test": [10, 11],
        "dev": [12],
    }


def test_a_tag_that_is_left_with_too_few_is_no_topic() -> None:
    """All links of *web* but one have a rarer tag; those of twins that come second are all taken."""
    links = [link(1, "web", "art"), link(2, "web", "art"), link(3, "web", "law"), link(4, "law", "web"), link(5, "web")]
    links += [link(n, "art") for n in (6, 7)] + [link(n, "law") for n in (8, 9)]
    assert filed(by_tags(links).entries) == {"art": [1, 2, 6, 7], "law": [3, 4, 8, 9], "": [5]}
    twins = by_tags([link(1, "one", "two"), link(2, "one", "two")])
    assert filed(twins.entries) == {"one": [1, 2]} and dict(twins.links) == {"one": 2}


def test_only_the_most_used_tags_are_topics() -> None:
    links = [link(100 * n + i, f"tag{n}") for n in range(MOST + 5) for i in range(3 if n >= 5 else 2)]
    topics = set(filed(by_tags(links).entries)) - {""}
    assert topics == {f"tag{n}" for n in range(5, MOST + 5)}


def test_links_in_folders_stay_there_and_do_not_count() -> None:
    folder = Entry(("Cooking",), description="what to eat")
    links = [folder, link(1, "bread", path=("Cooking",)), link(2, "bread"), link(3, "boats"), link(4, "boats")]
    found = by_tags(links)
    assert filed(found.entries) == {"Cooking": [1], "": [2], "boats": [3, 4]}
    assert folder in found.entries


def test_tags_that_are_chosen_are_the_only_topics() -> None:
    folder = Entry(("Cooking",))
    links = [folder, link(1, "bread", "food", path=("Cooking",)), link(2, "Bread"), link(3, "boats"), link(4, "food")]
    found = by_tags(links, chosen=["bread"])
    assert filed(found.entries) == {"bread": [1, 2]} or filed(found.entries) == {"Bread": [1, 2]}
    assert len(found.entries) == 2 and found.without == 2
    both = by_tags(links, chosen=["food", "BREAD", "bread"])
    assert Counter({path: len(urls) for path, urls in filed(both.entries).items()}).total() == 3
    assert both.without == 1


def test_a_chosen_tag_that_there_is_not_gets_suggestions() -> None:
    links = [link(1, "recipes"), link(2, "recipes"), link(3, "boats")]
    with pytest.raises(InputError, match=r"tagged 'recipies' \(did you mean recipes\?\); .*recipes \(2\), boats \(1\)"):
        by_tags(links, chosen=["recipies"])
    with pytest.raises(InputError, match="used most are: none"):
        by_tags([link(1)], chosen=["recipes"])


def test_many_links_with_many_tags_take_no_long() -> None:
    """Every tag of 20,000 links is looked at a few times only: this ends."""
    links = [link(n, *(f"t{(n * k) % 997}" for k in range(1, 9))) for n in range(20_000)]
    found = by_tags(links)
    assert len(found.entries) == 20_000 and len(found.links) <= MOST
