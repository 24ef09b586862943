"""How full the topics of an interest are."""

from __future__ import annotations

import numpy as np
import pytest

from clew.crawl.filling import fewest_pages
from clew.model import OTHER, Example, Judgement, Link, Outcome, Response, Visit
from clew.topics.interest import Interest
from clew.topics.tree import TopicTree
from support import StubView, batch_of, html_page, text_page


def view_of(wanted: str, filed: list[tuple[int, bool]]) -> StubView:
    """Topics 0 Science, 1 Science/Physics, 2 Science/Chemistry, 3 Sports; examples of all but Science. Pages: the topic
    of each, and whether it is relevant."""
    tree = TopicTree()
    for path in ("Science", "Science/Physics", "Science/Chemistry", "Sports"):
        tree.add(path, url="" if path == "Science" else f"http://{path[-3:].lower()}.test/", seed=False)
    topics = (1, 2, 3, OTHER)
    view = StubView(
        [Example(f"http://e.test/{topic}", topic, text_page("words")) for topic in topics],
        Interest.of(tree, wanted, 0.5),
        tree,
    )
    for number, (topic, relevant) in enumerate(filed, 1):
        judgement = Judgement(np.zeros(4, np.float32), topic, 0.5)
        links = batch_of(html_page("<p>words</p> <a href='/x'>x</a>"))
        response = Response(f"http://a.test/{number}", Outcome.OK, 200)
        link = Link(links, 0, 0.5)
        view.seen.append(Visit(number, link, response, None, judgement, 0.5, relevant, 0, "", links))
    return view


@pytest.mark.parametrize(
    ("wanted", "filed", "fewest"),
    [
        ("Science", [(1, True), (1, True), (2, True)], 1),  # the topics below it that have examples
        ("Science", [(1, True), (1, True), (2, False)], 0),  # only relevant pages count
        ("Science", [(1, True), (2, True), (0, True), (OTHER, True), (2, True), (1, True)], 2),
        ("Science", [(1, True), (OTHER, True), (2, True), (2, True)], 1),
        ("Sports", [(1, True), (3, True), (3, True)], 2),  # other topics need not be full
        ("Physics and not Sports", [(1, True), (1, True)], 2),
        ("", [(1, True), (2, True)], 0),  # any topic: Sports has none
    ],
)
def test_the_topic_with_the_fewest_pages_counts(wanted: str, filed: list[tuple[int, bool]], fewest: int) -> None:
    assert fewest_pages(view_of(wanted, filed)) == fewest


def test_without_examples_the_wanted_topic_counts() -> None:
    view = view_of("Sports", [(3, True), (3, True), (1, True)])
    view.examples = ()
    assert fewest_pages(view) == 2
