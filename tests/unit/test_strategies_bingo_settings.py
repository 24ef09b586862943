"""Every setting of BINGO! reaches what it does: a crawl is played through with and without it, and must differ."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import numpy as np
import pytest

from clew.crawl.evidence import NO_LEAVES, Evidence
from clew.judges.base import Judge, JudgeContext
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.model import OTHER, Example, Judgement, Link, LinkBatch, LinkKind, Outcome, Response, Session, Source, Visit
from clew.strategies.bingo import Bingo
from clew.strategies.bingo.settings import BingoSettings
from clew.text.reader import seed_links
from clew.topics.formula import Or, Topic
from clew.topics.interest import Interest
from clew.urls.canonical import host, keys, url_words
from support import NoHistory, StubView, html_page, text_page

VISITS, SEEDS, SESSION = 80, 4, 10
INTEREST = Interest(("boats", "soup"), Or((Topic(0), Topic(1))))
WORDS = {
    0: ["sail", "boat", "harbour", "mast", "wind", "anchor", "regatta", "keel", "hull", "deck", "rope", "tide"],
    1: ["soup", "onion", "bread", "broth", "spoon", "pepper", "carrot", "kettle", "garlic", "salt", "leek", "stock"],
    OTHER: ["prime", "theorem", "algebra", "ring", "field", "proof", "lemma", "group", "integer", "matrix", "graph"],
}
"""The vocabulary of each topic."""

PARENTS = {f"http://h{number}.test/p{number}": [f"http://back.test/{number}"] for number in range(10)}

BASE: dict[str, Any] = {
    "learning_pages": 40, "retrain_new": 12, "min_positives": 3, "retrain_pages": 30, "authorities": 3, "confident": 3,
    "hubs": 4, "hub_share": 1.0, "learning_retrainings": 2, "learning_archetypes": 0.0, "learning_depth": 3,
}  # fmt: skip
"""Small enough for 80 pages. Below: for each setting another value, and what else makes the difference visible."""

CHANGED: dict[str, tuple[Any, dict[str, Any]]] = {
    "learning_pages": (20, {"learning_retrainings": 9}),
    "learning_retrainings": (1, {"learning_pages": 70}),
    "learning_archetypes": (0.5, {"learning_pages": 70, "learning_retrainings": 9}),
    "learning_focus": ("soft", {}),
    "learning_order": ("depth-first", {}),
    "learning_depth": (1, {}),
    "learning_hosts": (False, {}),
    "harvesting_focus": ("sharp", {}),
    "harvesting_order": ("depth-first", {}),
    "decay": (0.25, {}),
    "tunnelling": (1, {}),
    "widen": (False, {"tunnelling": 0}),
    "hub_boost": (0.5, {}),
    "fill_boost": (0.5, {"min_positives": 9}),
    "retrain_new": (7, {"retrain_pages": 0}),
    "min_positives": (2, {"retrain_pages": 9}),
    "retrain_anyway": (1.0, {"learning_pages": 0, "min_positives": 30, "retrain_pages": 0}),
    "retrain_pages": (60, {"retrain_new": 99}),
    "authorities": (1, {}),
    "confident": (1, {}),
    "authority_share": (1.0, {}),
    "archetypes": ("replace", {}),
    "drift_guard": ("off", {}),
    "guard_by": ("trained", {}),
    "hubs": (1, {}),
    "hub_share": (0.02, {}),
    "predecessors": (0, {}),
    "iterations": (1, {}),
    "across_hosts": (False, {}),
    "host_weights": (False, {}),
    "ask_backlinks": (1, {}),
}


def test_every_setting_is_played() -> None:
    assert set(CHANGED) == set(BingoSettings.__struct_fields__)


@pytest.mark.parametrize("name", CHANGED)
def test_a_setting_changes_the_crawl(name: str) -> None:
    value, beside = CHANGED[name]
    settings = BASE | beside
    assert value != getattr(BingoSettings(**settings), name)
    same = played(**settings) == played(**settings | {name: value})
    assert not same, f"{name} makes no difference"


def test_a_crawl_that_is_played_again_is_the_same() -> None:
    assert played(**BASE) == played.__wrapped__(**BASE)


@cache
def played(**settings: Any) -> list[str]:
    """What a strategy did in a crawl of 80 pages that are always the same: scores of all links after each session, what
    it decided, what it trained the judge with, what it asked for."""
    view = StubView(examples(), INTEREST, judge=judge(), parents=PARENTS)
    strategy = Bingo(BingoSettings(**settings))
    strategy.begin(view)
    found = []
    for visit in visits():
        view.seen.append(visit)
        strategy.learn(visit)
        if visit.number % SESSION == 0:
            first = visit.number - SESSION + 1
            strategy.adapt(Session(visit.number // SESSION, first, visit.number, SESSION, 0, visit.number, 0))
            found.append(str(scores(strategy, view)))
    while asyncio.run(strategy.consult()):
        found.append(str(scores(strategy, view)))
    return [*found, *map(str, view.decisions), str(view.retrained), str(view.enqueued)]


def scores(strategy: Bingo, view: StubView) -> list[list[float]]:
    return [np.round(strategy.score(visit.links), 6).tolist() for visit in view.seen if visit.links is not None]


@cache
def examples() -> tuple[Example, ...]:
    rng = np.random.default_rng(1)
    topics = [0, 0, 0, 1, 1, 1, OTHER, OTHER, OTHER]
    return tuple(Example(f"http://e.test/{n}", topic, text_page(text(rng, topic))) for n, topic in enumerate(topics))


@cache
def judge() -> Judge:
    made = NaiveBayesJudge(JudgeContext(INTEREST.topics))
    made.fit(examples())
    return made


def text(rng: np.random.Generator, topic: int) -> str:
    """Words of a topic, among them more or fewer of all topics."""
    mixed = [word for words in WORDS.values() for word in words]
    return " ".join([*rng.choice(WORDS[topic], 6), *rng.choice(mixed, int(rng.integers(4, 16)))])


@cache
def visits() -> tuple[Visit, ...]:
    """80 pages on ten hosts: four seeds, then links that earlier pages have."""
    rng = np.random.default_rng(3)
    urls = [f"http://h{number % 10}.test/p{number}" for number in range(VISITS)]
    named = urls[:SEEDS]
    links = seed_links(named, keys(named), [host(url) for url in named], url_words, LinkKind.SEED)
    root = Evidence(NoHistory()).batch(Source(0, "", "", 1.0, np.ones(2, np.float32), 0, 0, 0), links, NO_LEAVES)
    found: list[Visit] = []
    for place, url in enumerate(urls):
        link = Link(root, place, 1.0) if place < SEEDS else _leading(found, url)
        topic = int(rng.choice([0, 0, 1, OTHER, OTHER]))
        ahead = {(place + step) % VISITS for step in rng.integers(1, 20, 4).tolist()} | {3 * place + 4, 3 * place + 5}
        targets = [urls[one] for one in sorted(ahead | {3 * place + 6}) if one < VISITS]
        targets += [urls[one] for one in rng.choice(12, 2).tolist()] + [f"http://out.test/{place % 5}"]
        found.append(_visit(place + 1, url, link, text(rng, topic), targets))
    return tuple(found)


def _leading(found: list[Visit], url: str) -> Link:
    """The first link to a page."""
    batches = [visit.links for visit in found if visit.links is not None and url in visit.links.links.urls]
    return Link(batches[0], batches[0].links.urls.index(url), 0.5)


def _visit(number: int, url: str, link: Link, words: str, targets: list[str]) -> Visit:
    anchors = " ".join(f"<a href='{target}'>x</a>" for target in targets)
    page = html_page(f"<html lang=en><p>{words}</p> {anchors}", url)
    (said,) = judge().judge([page])
    relevance = float(said.scores.max())
    source = Source(number, url, host(url), relevance, said.scores, said.topic, link.depth, 0)
    own: LinkBatch = Evidence(NoHistory()).of_page(page, source)
    judged = Judgement(said.scores, said.topic, said.confidence)
    return Visit(number, link, Response(url, Outcome.OK, 200), None, judged, relevance, relevance >= 0.5, 0, "", own)
