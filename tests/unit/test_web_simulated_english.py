"""Simulated webs in English, and those with made-up words, which are what they were before there was a choice."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from clew.errors import InputError
from clew.web.simulated import SimParameters, SimulatedWeb, demo_web, describe, parse_spec
from clew.web.simulated import wordlists as lists
from clew.web.simulated.english import LINES, English
from clew.web.simulated.lexicon import FUNCTION_WORDS
from clew.web.simulated.sites import LAYERS

SPEC = "sim:pages=3000,seed=6,branching=3,depth=2,pages_per_host=25,tunnels=0.5,language=english"
MADE_UP = (
    "sim:pages=50000,seed=11",
    "sim:pages=3000,seed=1,branching=3,depth=2,tunnels=0.8,port=8080",
    "sim:pages=2000,seed=5,branching=2,depth=4,locality=0,domain=toy.test",
    "sim:pages=3000,seed=4,branching=3,depth=2,pages_per_host=60,layers=0.5,tunnels=0",
    "sim:pages=1500,seed=3,branching=3,depth=2,pages_per_host=25,tunnels=0,traps=0.5",
    "sim:pages=900,seed=2,branching=5,depth=1",
)


@pytest.fixture(scope="module")
def web() -> SimulatedWeb:
    return parse_spec(SPEC)


def html(web: SimulatedWeb, url: str) -> str:
    page = web.page(url)
    assert page is not None and page.status == 200, url
    return page.html


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<ul>.*?</ul>|<head>.*?</head>", " ", html)))


# made-up words


def test_webs_with_made_up_words_are_what_they_were() -> None:
    """The digest was made by the version before there were English words."""
    whole = hashlib.sha256()
    for spec in MADE_UP:
        web = parse_spec(spec)
        for url in web.sample(12) + list(web.links(web.url_of(0))):
            whole.update(repr((web.page(url), web.links(url), web.truth(url))).encode())
        topic = web.topics()[0]
        chosen = web.seeds(1, topic), web.examples(5, topic), web.examples(5, topic, relevant=False)
        whole.update(repr((web.spec, web.hosts, web.topics(), *chosen)).encode())
    assert whole.hexdigest() == "608c892d9a6c30dc687c1e8bf9236050a76a04b537441cc7870ece1296b797b3"


def test_made_up_words_are_the_default() -> None:
    url = SimulatedWeb(2_000, 3).url_of(70)
    spec = "sim:pages=2000,seed=3,language=made-up"
    assert parse_spec(spec).spec == "sim:pages=2000,seed=3"
    assert parse_spec(spec).page(url) == SimulatedWeb(2_000, 3).page(url)
    assert ("language", "made-up", "words of topics, texts and hosts: made-up or english") in describe()


# word lists


def test_the_lists_are_as_the_lexicon_needs_them() -> None:
    assert len(lists.TOPICS) == 20 and set(lists.HOSTS) == set(lists.TOPICS)
    assert len(lists.LAYERS) == LAYERS + 1  # calendars have words too
    for words in lists.TOPICS.values():
        assert [len(line.split()) for line in words.strip().splitlines()] == [6] * LINES


def test_no_word_belongs_to_two_topics_or_to_any_text() -> None:
    of_topics = [*lists.TOPICS, *(word for words in lists.TOPICS.values() for word in words.split())]
    of_layers = [word for words in lists.LAYERS for word in words]
    words = [*of_topics, *of_layers, *lists.GENERAL, *FUNCTION_WORDS]
    assert sorted(words) == sorted(set(words))
    assert not set(lists.TITLES) & set(of_topics)
    assert all(re.fullmatch("[a-z]+", word) for word in words)


# topics


def test_topics_have_names_from_the_lists_and_the_seed_chooses_them(web: SimulatedWeb) -> None:
    for topic in web.topics():
        first, second = topic.split("/")
        assert second in lists.TOPICS[first].split()
    assert len(set(web.topics())) == 9
    tops = {parse_spec(f"sim:pages=3000,seed={seed},language=english").topics(1) for seed in range(5)}
    assert len(tops) == 5


@pytest.mark.parametrize(("branching", "depth"), [(16, 1), (16, 2), (4, 3), (3, 3), (2, 4)])
def test_names_tell_siblings_apart_and_come_once_on_a_path(branching: int, depth: int) -> None:
    web = SimulatedWeb(10_000, 2, SimParameters(branching=branching, depth=depth, language="english"))
    assert len(set(web.topics())) == branching**depth
    assert all(len(set(topic.split("/"))) == depth for topic in web.topics())
    last = web.topics()[-1]
    assert web.truth(web.examples(1, last)[0]).relevant_to(last)


def test_more_topics_than_the_lists_can_tell_apart_are_refused() -> None:
    with pytest.raises(InputError, match=r"at most 16 topics apart .* lower branching or depth"):
        SimulatedWeb(100_000, 1, SimParameters(branching=3, depth=4, language="english"))


# hosts


@pytest.mark.parametrize(
    "spec", [SPEC, SPEC + ",url_informative=1", SPEC + ",url_informative=0", SPEC + ",host_skew=0"]
)
def test_every_page_is_found_under_its_url(spec: str) -> None:
    web = parse_spec(spec)
    urls = list(web.urls())
    assert len(set(urls)) == web.pages
    assert [web.truth(url).number for url in urls] == list(range(web.pages))
    assert len({web.host_name(host) for host in range(web.hosts)}) == web.hosts


def test_host_names_tell_the_topic_as_often_as_asked(web: SimulatedWeb) -> None:
    def telling(web: SimulatedWeb) -> float:
        names = [web.host_name(host).partition("-")[0] for host in range(web.hosts)]
        return float(np.mean([name in lists.TOPICS for name in names]))

    assert 0.2 < telling(web) < 0.6
    assert (telling(parse_spec(SPEC + ",url_informative=1")), telling(parse_spec(SPEC + ",url_informative=0"))) == (
        1,
        0,
    )
    told = parse_spec(SPEC + ",url_informative=1,host_locality=1")
    for url in told.sample(30):
        assert told.truth(url).host.startswith("-".join(told.truth(url).topic) + "-")


def test_host_names_never_tell_the_topic_of_layered_sites() -> None:
    web = parse_spec("sim:pages=3000,seed=6,branching=3,depth=2,tunnels=0,layers=1,url_informative=1,language=english")
    assert all(web.host_name(host).partition("-")[0] not in lists.TOPICS for host in range(web.hosts))
    title = re.search("<title>(.*)</title>", html(web, web.url_of(0)))
    assert title is not None and set(re.findall("[a-z]+", title[1].lower())) <= {*lists.LAYERS[0], "and"}


def test_other_host_names_are_no_hosts(web: SimulatedWeb) -> None:
    host = web.host_name(0)
    label = host.partition(".")[0]
    for wrong in ("h0", "sailing", "unheard-of", label + "-2", label + "-1", label + "-99999999999", "bluebird-77777"):
        assert web.page(f"http://{wrong}.sim.test/") is None, wrong
    assert web.page(f"http://{host}/") is not None


def test_links_lead_to_pages_or_to_what_is_gone(web: SimulatedWeb) -> None:
    answers = [web.page(link) for url in web.sample(10) for link in web.links(url)]
    assert all(answer is not None for answer in answers)
    found = [answer.status for answer in answers if answer is not None]
    assert found.count(200) > 0.9 * len(found) - found.count(301) and found.count(0) > 0


# texts


def test_titles_name_the_topic(web: SimulatedWeb) -> None:
    for url in web.sample(40):
        title = re.search("<title>(.*)</title>", html(web, url))
        assert title is not None
        topic = web.truth(url).topic[0]
        assert re.fullmatch(rf"{topic.capitalize()}(: [a-z]+(, [a-z]+)*( and [a-z]+)?)?", title[1]), title[1]


def test_texts_are_sentences(web: SimulatedWeb) -> None:
    for url in web.sample(20):
        page = html(web, url)
        body = re.search(r"(?s)</h1>(.*?)</main>", page)
        assert body is not None
        without_links = re.sub("(?s)<a .*?</a>", " ", body[1])
        sentences = [s.strip() for s in re.split(r"\.(?= |$)", text(without_links).strip()) if s.strip()]
        assert len(sentences) > 5
        for sentence in sentences:
            assert sentence[0].isupper(), sentence
        assert not [s for s in sentences[:-1] if s.split()[-1] in FUNCTION_WORDS]


def test_pages_use_words_of_their_topic(web: SimulatedWeb) -> None:
    for url in web.examples(8, web.topics()[0]):
        topic = web.truth(url).topic[0]
        words = re.findall("[a-z]+", text(html(web, url)).lower())
        shares = {name: sum(word in own for word in words) for name, own in _vocabularies().items()}
        assert max(shares, key=lambda name: shares[name]) == topic


def _vocabularies() -> dict[str, set[str]]:
    return {name: {name, *words.split()} for name, words in lists.TOPICS.items()}


def test_a_sentence_ends_with_no_function_word() -> None:
    lexicon = English(1, SimParameters(branching=2, depth=1, language="english"))
    words = ["boats", "in", "the", "harbour", "of", "a", "town", "moor", "there", "with", "the"]
    bits = np.ones(len(words), np.uint64)
    bits[2] = 13  # a full stop after "the": the word after it takes it
    assert lexicon.punctuate(words, bits) == {3: ".", 10: "."}
    assert words == ["Boats", "in", "the", "harbour", "Of", "a", "town", "moor", "there", "with", "the"]
    words = ["boats", "in", "the", "harbour", "of", "a", "town", "the"]
    bits = np.ones(len(words), np.uint64)
    bits[4] = 13
    marks = lexicon.punctuate(words, bits)
    assert words == ["Boats", "in", "the", "harbour", "of", "a", "town", "the"]
    assert marks == {7: "."}


# the same everywhere


def _digest(spec: str) -> str:
    web = parse_spec(spec)
    parts = [repr((web.page(url), web.links(url), web.truth(url))) for url in web.sample(20)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def test_pages_are_the_same_in_another_process() -> None:
    code = f"from test_web_simulated_english import _digest\nprint(_digest({SPEC!r}))"
    path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONHASHSEED": "77", "PYTHONPATH": path}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == _digest(SPEC)


def test_the_spec_opens_the_web_again(web: SimulatedWeb) -> None:
    again = parse_spec(web.spec)
    assert "language=english" in web.spec and again.spec == web.spec
    assert again.page(again.url_of(5)) == web.page(web.url_of(5))
    assert demo_web(1, 8080).web.parameters.language == "english"
