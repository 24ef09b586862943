"""The strategy clew: what pages are worth, what links say, what experts expect, and that the gate does no harm."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import log, log1p, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.frontier.columns import ColumnFrontier
from clew.judges.base import JudgeContext
from clew.judges.keywords import KeywordsJudge
from clew.model import OTHER, Doubles, Example, Judgement, Leaves, LinkBatch, LinkKind, Session, Visit
from clew.strategies.clew import Clew, values
from clew.strategies.clew import hosts as hosts_module
from clew.strategies.clew.credit import FIRST_MEAN, NONE, ONE, Credit, whole
from clew.strategies.clew.facts import Facts
from clew.strategies.clew.gate import SHARE, Gate, evidence, sigmoid
from clew.strategies.clew.hosts import Hosts
from clew.strategies.clew.settings import ClewSettings
from clew.strategies.clew.values import LinkValues
from clew.strategies.clew.wanted import Topic
from clew.strategies.registry import make
from clew.testing.pages import visit_of
from clew.text.reader import seed_links
from support import StubView, batch_of, html_page, text_page

SAILING = [text_page(f"<h1>Sailing</h1> boats sails harbour regatta wind {word}") for word in ("keel", "mast")]
COOKING = [text_page("cake oven flour sugar butter kitchen recipe")]
WORDY = (
    "<html lang=en><p>boats boats quux <a href=/regatta-wind>sailing boats quux</a> zork</p><p>cake zork</p><p>wind</p>"
    "<p>oven</p><p>mast</p><p><a href=/cake>cake</a> and flour</p><p>mast <a href=/regatta-wind>zork zork</a></p>"
)
LINKS = "<html lang=en><p><a href=/one>sailing boats</a></p><p>cake and flour</p><p><a href=/two>oven</a></p>"


Fact = tuple[int, int, int, bool]
"""A visit's host, the row of its link, what its page is worth, and whether it is relevant."""


def columns(facts: list[Fact]) -> Facts:
    hosts, rows, worth, relevant = zip(*facts, strict=True)
    return Facts(np.array(hosts), np.array(rows), np.array(worth), np.array(relevant))


@st.composite
def crawls(draw: st.DrawFn) -> list[Fact]:
    """Visits whose links stand on earlier ones, a third of them without a page."""
    visits = draw(st.lists(st.tuples(st.integers(-1, 70), st.integers(0, 12), st.integers(-2_000, ONE)), max_size=150))
    found: list[Fact] = []
    for number, (host, back, value) in enumerate(visits, 1):
        row = max(number - 1 - back, -1) if back < 12 else 0
        found.append((host, row, max(value, NONE), value > ONE // 2))
    return found


def view() -> StubView:
    return StubView(
        [*(Example(page.url, 0, page) for page in SAILING), *(Example(page.url, OTHER, page) for page in COOKING)]
    )


def clew(**given: Any) -> Clew:
    made = Clew(ClewSettings(**given))
    made.begin(view())
    return made


def page_of(visit: Visit, links: LinkBatch | None = None, evidence: tuple[float, ...] = ()) -> Visit:
    """The visit as a crawl has it: judged, with what was known of its link."""
    judged = Judgement(np.array([visit.relevance], np.float32), 0, 0.5)
    return replace(visit, judgement=judged, links=links, link=replace(visit.link, evidence=evidence))


class TestCredit:
    def test_rates_by_hand(self) -> None:
        table = Credit()
        assert table.add(1, 0, whole(1.0)) == []
        mean = (20 * FIRST_MEAN + ONE) // 21
        assert table.mean == table.prior[1] == mean == 390
        before = table.rates(np.array([1]))[0]
        assert before == mean
        [(row, more)] = table.add(2, 1, whole(0.5))
        assert (row, before + more) == (1, (2048 + 2 * mean) // 3)
        assert table.rates(np.array([1]))[0] == (2048 + 2 * mean) // 3 == 942
        assert table.rates(np.array([0, -3])).tolist() == [ONE // 2] * 2
        assert table.relevances(np.array([1, 2, 0])).tolist() == [ONE, ONE // 2, ONE]

    def test_a_redirect_stands_for_the_page_it_was_linked_from(self) -> None:
        table = Credit.of([0, 1, 2], [whole(0.25), NONE, whole(1.0)])
        assert table.relevance[2] == whole(0.25)
        assert (table.fetched[1], table.fetched[2], table.paid[1], table.paid[2]) == (1, 1, ONE, ONE)

    def test_worth_is_passed_back_by_the_discount(self) -> None:
        """1 led to 2, 2 to 3, which is relevant: 2 is worth a half, and 1's link to 2 paid that."""
        assert Credit.of([0, 1, 2], [0, 0, ONE]).paid[1:3].tolist() == [0, ONE]
        table = Credit.of([0, 1, 2], [0, 0, ONE], discount=0.5)
        assert table.worth[1:4].tolist() == [ONE // 4, ONE // 2, ONE]
        assert (table.paid[1:3].tolist(), table.fetched[1:3].tolist()) == ([ONE // 2, ONE], [1, 1])

    @given(
        st.lists(st.tuples(st.integers(0, 9), st.integers(-1, ONE)), min_size=1, max_size=150),
        st.sampled_from([0, 0.5]),
    )
    @settings(max_examples=60, deadline=None)
    def test_what_is_told_as_changed_adds_up(self, visits: list[tuple[int, int]], discount: float) -> None:
        table, rates = Credit(discount), {}
        for number, (back, relevance) in enumerate(visits, 1):
            for row, more in table.add(number, max(number - 1 - back, 0), relevance):
                rates[row] += more
            rates[number] = int(table.rates(np.array([number]))[0])
        rows = np.array(list(rates))
        assert table.rates(rows).tolist() == list(rates.values())

    @given(crawls(), st.sampled_from([0, 0.5, 0.99]))
    @settings(max_examples=150, deadline=None)
    def test_all_visits_at_once_make_the_same_table(self, visits: list[Fact], discount: float) -> None:
        single = Credit(discount)
        for number, (_, row, worth, _) in enumerate(visits, 1):
            single.add(number, row, worth)
        table = Credit.of([one[1] for one in visits], [one[2] for one in visits], discount)
        for more in range(len(visits) + 1, len(visits) + 200):  # and it grows as that one does
            assert table.add(more, more - 1, 9) == single.add(more, more - 1, 9)
        every = slice(0, table.count + 1)
        assert (table.count, table.pages, table.total) == (single.count, single.pages, single.total)
        assert table._columns[:, every].tolist() == single._columns[:, every].tolist()
        assert table.judged[every].tolist() == single.judged[every].tolist()


class TestFacts:
    def test_what_pages_are_worth(self) -> None:
        """Rounded as each alone is, and nothing where relevance says that it counts and the verdict does not."""
        seen, strategy = view(), clew()
        relevances = [*np.random.default_rng(4).random(300, np.float32).tolist(), 0.5, 0.0, 1.0]
        batch = batch_of(html_page(LINKS), visit=1)
        for number, relevance in enumerate(relevances, 1):
            visit = replace(visit_of(batch, 0, number, relevance), relevant=relevance >= 0.5 and number % 3 > 0)
            seen.seen.append(visit if number % 7 == 0 else page_of(visit, batch))
        found, pages = Facts.of(seen), seen.pages()
        assert len(found) == len(relevances) > len(pages) > 200
        at, flags = pages.numbers - 1, pages.relevant.tolist()
        alone = [strategy._worth(*one) for one in zip(pages.relevance.tolist(), flags, strict=True)]
        assert found.worth[at].tolist() == alone and alone.count(0) > 40
        assert (found.hosts[at].tolist(), found.relevant[at].tolist()) == (pages.hosts.tolist(), flags)
        assert found.worth[6::7].tolist() == [NONE] * 43


class TestHosts:
    @given(crawls(), st.integers(0, 160), st.sampled_from([1, 7, 1000]))
    @settings(max_examples=150, deadline=None)
    def test_all_visits_at_once_make_the_same_record(self, visits: list[Fact], refresh_at: int, chunk: int) -> None:
        single, table = Hosts(2.0, 1.0), Hosts(2.0, 1.0)
        for number, fact in enumerate(visits, 1):
            single.add(number, *fact)
            if number == refresh_at:
                single.refresh()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hosts_module, "CHUNK", chunk)
            if visits:
                table.learn(columns(visits), refresh_at)
        assert table._moved == single._moved
        for one, other in ((table.used, single.used), (table.now, single.now)):
            assert one.found == other.found
            assert one.barren[:64].tolist() == other.barren[:64].tolist() and one.barren.sum() == other.barren.sum()
            assert np.flatnonzero(one.seeds).tolist() == np.flatnonzero(other.seeds).tolist()
        assert table.values(np.arange(-1, 99)).tolist() == single.values(np.arange(-1, 99)).tolist()

    def test_by_hand(self) -> None:
        """A seed on host 0 leads to a relevant page there and to three others on host 2, one of them relevant."""
        hosts = Hosts(3.0, 3.0)
        facts = [(0, 0, 0, False), (0, 1, ONE // 2, True), (2, 1, 0, False), (2, 1, 0, False)]
        for number, fact in enumerate(facts, 1):
            hosts.add(number, *fact)
        assert hosts.values(np.arange(3)).tolist() == [0.0, 0.0, 0.0]
        hosts.refresh()
        found = (1.0 * 0.99) * 0.99 + 0.5
        bonus, barren = 3 * found / (found + 1), -3 * log(1.2)
        assert hosts.values(np.array([0, 1, 2, 9_999, -1])).tolist() == pytest.approx([bonus, 0, barren, 0, 0])
        hosts.add(5, 2, 1, ONE, True)
        hosts.refresh()
        assert hosts.values(np.array([2])).tolist() == pytest.approx([-3 * log(1.1)])

    def test_any_number_of_hosts(self) -> None:
        hosts = Hosts(3.0, 3.0)
        hosts.learn(columns([(0, 0, 0, False), *((host, 1, 0, False) for host in (63, 64, 900, 901, 70_000))]), 0)
        hosts.refresh()
        assert hosts.values(np.array([63, 64, 900, 901, 70_000])).tolist() == pytest.approx([-3 * log(1.1)] * 5)

    def test_a_seed_that_redirects(self) -> None:
        hosts = Hosts(3.0, 3.0)
        hosts.learn(columns([(0, 0, NONE, False), (1, 1, 100, False), (2, 2, 100, False)]), 3)
        assert hosts.now.seeds[:3].tolist() == [False, True, False]

    def test_what_was_known_at_the_last_refresh(self) -> None:
        facts = [(0, 0, 100, False)] + [(1, 1, 0, False)] * 9
        one, other = Hosts(2.0, 1.0), Hosts(2.0, 1.0)
        for number, fact in enumerate(facts, 1):
            one.add(number, *fact)
            if number == 6:
                one.refresh()
        other.learn(columns(facts), 6)
        assert other.values(np.arange(3)).tolist() == one.values(np.arange(3)).tolist()
        assert other.now.barren.tolist() == one.now.barren.tolist()
        assert "about 5 pages of its host" in one.said(1) and "one of the seeds'" in one.said(0) and not one.said(2)


class TestEvidence:
    def test_by_hand(self) -> None:
        """Three links on pages of relevance 1, .5 and 0, whose links paid off .5, .25 and 0; m = .1."""
        x = evidence(*(np.array([value]) for value in (3.0, 1.5, 1.5, 0.75)), 0.1)[:, 0]
        share = (1.5 + 0.2) / 5
        assert x.tolist() == pytest.approx([log(share / (1 - share)), log(1.55), 1.5, log(0.25 / 0.75)])

    def test_a_frontier_adds_it_up(self) -> None:
        strategy = clew()
        strategy.credit = Credit.of([0, 0], [ONE, ONE // 2])
        frontier = ColumnFrontier(strategy.combination)
        for row, score in ((1, -1.0), (2, 2.0)):
            frontier.add(np.array([7], np.uint64), np.zeros(1, np.uint32), np.array([score]), row)
        [lease] = frontier.best(1)
        assert lease.evidence == (2, 2.0, ONE * 3 // 2, sum(strategy.credit.rates(np.array([1, 2])).tolist()))
        links, best, *sums = (np.array([number]) for number in lease.evidence)
        x = evidence(links, best, sums[0] / ONE, sums[1] / ONE, strategy.gate.used.mean)
        assert lease.score == pytest.approx(float(strategy.gate.used(x)[0]), rel=1e-6)


class TestGate:
    X = np.array([[0.5, -1.0, 2.0, 0.25], [-2.0, 0.5, -1.0, 1.0], [3.0, 1.0, 0.0, -2.0]])

    def test_the_first_opinion_by_hand(self) -> None:
        gate = Gate(ClewSettings())
        values = [0.35 - 0.25 + 0.8 + 0.15, 0.5 - 0.5 + 2.0, 0.5, 1.15, 1.05]
        assert gate.used(self.X[:1].T)[0] == pytest.approx(
            np.mean([1 / (1 + np.exp(1 - value / 2)) for value in values])
        )

    def test_shares_by_hand(self) -> None:
        """Each expert's share is multiplied by the chance it gave to what was found; then one percent is dealt out."""
        gate = Gate(ClewSettings())
        said = gate.used.experts(self.X[:1].T)[:, 0]
        gate.learn(self.X[0], 1.0)
        assert gate.learned.shares.tolist() == pytest.approx((0.99 * said / said.sum() + 0.002).tolist())
        assert gate.used.shares.tolist() == [0.2] * 5
        gate.refresh(0.3)
        assert (gate.used.shares.tolist(), gate.used.mean) == (gate.learned.shares.tolist(), 0.3)

    @given(st.lists(st.tuples(*[st.floats(-6, 6)] * 4, st.floats(0, 1)), min_size=1, max_size=120))
    @settings(max_examples=60, deadline=None)
    def test_it_does_no_harm(self, fetched: list[tuple[float, ...]]) -> None:
        """Whatever is fetched, its loss is hardly more than that of the expert that did best on all of it."""
        gate, mixed, apart = Gate(ClewSettings()), 0.0, np.zeros(5)
        for *x, relevance in fetched:
            row = np.array([x])
            experts = np.clip(gate.learned.experts(row.T), 1e-4, 1 - 1e-4)
            p = float(gate.learned(row.T)[0])
            mixed -= relevance * log(p) + (1 - relevance) * log(1 - p)
            apart -= (relevance * np.log(experts) + (1 - relevance) * np.log(1 - experts))[:, 0]
            gate.learn(row[0], relevance)
        assert mixed <= apart.min() + log(5) + len(fetched) * log(1 / (1 - SHARE)) + 1e-6

    def test_the_learning_expert_finds_what_pays(self) -> None:
        """Pages are relevant where the words are bad: the last expert turns its weight of words around."""
        gate, rng = Gate(ClewSettings()), np.random.default_rng(1)
        for _ in range(400):
            x = rng.normal(0, 1, 4)
            gate.learn(x, float(x[2] < 0))
        assert gate.learned.weights[-1][2] < 0 < gate.learned.weights[0][2]
        assert gate.learned.shares.argmax() == 4

    def test_settings(self) -> None:
        assert len(Gate(ClewSettings(learn=False)).weights) == 4
        even = Gate(ClewSettings(gate=False))
        even.learn(self.X[0], 1.0)
        assert even.learned.shares.tolist() == [0.2] * 5
        assert Gate(ClewSettings(priors=False)).weights[0].tolist() == [0.5] * 4
        assert (Gate(ClewSettings(rates=2)).weights[:, 3] == 2 * Gate(ClewSettings()).weights[:, 3]).all()


class TestWords:
    def test_links_on_the_topic_stand_out(self) -> None:
        values = LinkValues(Topic.of(SAILING, COOKING, {}))
        batch = batch_of(html_page(LINKS))
        values.seen(batch)
        boats, oven = values.of(batch).tolist()
        assert boats > 0 > oven

    def test_the_cosine_of_an_anchor_by_hand(self) -> None:
        topic = Topic.of(SAILING, (), {})
        batch = batch_of(html_page("<html lang=en><p><a href=/x>boats quux</a>"))
        parts = LinkValues(topic).parts(batch)[0]
        known, unknown = topic.places(batch.leaves.ids)
        assert unknown == len(topic.vocabulary) and topic.idf[unknown] == pytest.approx(log1p(1001))
        idf = topic.idf[[known, unknown]]
        assert parts[0] == pytest.approx(idf[0] * topic.terms[known] / sqrt(float((idf**2).sum())))

    @pytest.mark.parametrize("marked", [values.MARKED, 0])
    def test_all_parts_by_sets_of_terms(self, monkeypatch: pytest.MonkeyPatch, marked: int) -> None:
        """As they are defined: every term counts once in an anchor, and once around it, those in other leaves too."""
        monkeypatch.setattr(values, "MARKED", marked)
        topic = Topic.of(SAILING, COOKING, {})
        batch = batch_of(html_page(WORDY))
        for index, parts in enumerate(LinkValues(topic).parts(batch).tolist()):
            which, terms, offsets = (column.tolist() for column in batch.offsets(values.AROUND))
            around = {term for link, term in zip(which, terms, strict=True) if link == index}
            inside = {term for link, term, at in zip(which, terms, offsets, strict=True) if link == index and not at}
            starts = batch.links.url_term_starts
            url = batch.links.url_term_ids[starts[index] : starts[index + 1]].tolist()
            texts = [sorted(inside), url, sorted(inside), sorted(around), sorted(around)]
            for text, part, near in zip(texts, parts, (False, False, True, False, True), strict=True):
                places = topic.places(np.array(text, np.uint32))
                idf = topic.idf[places]
                if near:
                    weights = idf * topic.meant[places]
                    wanted = float(weights @ topic.meaning[places]) / max(float(weights.sum()), 1e-9)
                else:
                    wanted = float(idf @ topic.terms[places]) / max(sqrt(float(idf @ idf)), 1e-9)
                assert part == pytest.approx(wanted, abs=1e-12)

    def test_links_without_text_around(self) -> None:
        links = seed_links(("http://a.test/",), np.array([3], np.uint64), ["a.test"], lambda url: "", LinkKind.REDIRECT)
        nothing = replace(
            batch_of(html_page(LINKS)), links=links, leaves=Leaves(np.empty(0, np.uint32), np.zeros(1, np.int32))
        )
        assert LinkValues(Topic.of(SAILING, (), {})).parts(nothing).tolist() == [[0.0] * 5]

    def test_odds_by_hand(self) -> None:
        """``boats`` is in 10 of 10 wanted examples and in 0 of 10 others, ``oven`` the other way round; ``wind`` is in
        6 and 4, which says less than 0.9 of its deviation."""
        wanted = [text_page(f"boats {'wind' if n < 6 else 'calm'} w{n}") for n in range(10)]
        others = [text_page(f"oven {'wind' if n < 4 else 'calm'} o{n}") for n in range(10)]
        page = html_page(
            "<html lang=en><p><a href=/a>boats</a></p><p><a href=/b>oven oven</a> <a href=/c>wind boats oven</a></p>"
            "<p><a href=/d>wind</a></p><p>boats <a href=/boats>zork</a></p>"
        )
        found = LinkValues(Topic.of(wanted, others, {})).odds(batch_of(page))
        most = log(10.5 / 0.5) - log(0.5 / 10.5)
        assert most > 4, "each is cut to 4"
        assert found.tolist() == [4.0, -4.0, 0.0, 0.0, 0.0]
        few = LinkValues(Topic.of(wanted[:9], others, {})).odds(batch_of(page))
        assert few.tolist() == [0.0] * 5, "ten of either side are needed"
        some = [*wanted[:5], *(text_page(f"calm x{n}") for n in range(5))]
        mixed = LinkValues(Topic.of(some, others, {})).odds(batch_of(page))
        assert mixed[0] == pytest.approx(log(5.5 / 5.5) - log(0.5 / 10.5))

    def test_odds_of_many_terms_are_at_most_eight(self) -> None:
        wanted, others = [text_page(f"keel mast sail w{n}") for n in range(10)], [text_page("oven")] * 10
        page = html_page("<html lang=en><p><a href=/a>keel mast sail</a></p>")
        assert LinkValues(Topic.of(wanted, others, {})).odds(batch_of(page)).tolist() == [8.0]

    def test_parts_are_measured_once_while_there_is_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        batch, other = (batch_of(html_page(page), visit=3) for page in (LINKS, WORDY))
        full = LinkValues(Topic.of(SAILING, COOKING, {}))
        monkeypatch.setattr(values, "KEPT", 0)
        for made, once in ((full, True), (LinkValues(full.topic), False)):
            first, apart, again = (made.parts(links) for links in (batch, other, replace(batch)))
            assert (again.base is first.base) == once
            assert again.tolist() == first.tolist() and apart.tolist() != first.tolist()

    def test_keywords_do_where_there_are_no_examples(self) -> None:
        judge = KeywordsJudge(JudgeContext(keywords={"sailing boats": 1.0}))
        strategy = Clew()
        strategy.begin(StubView((), judge=judge))
        batch = batch_of(html_page(LINKS))
        assert strategy.score(batch)[0] > strategy.score(batch)[1]

    def test_what_is_asked_for_by_name_comes_first(self) -> None:
        links = seed_links(("http://a.test/",), np.array([3], np.uint64), ["a.test"], lambda url: "", LinkKind.SEED)
        batch = batch_of(html_page(LINKS))
        assert clew(near=0).score(replace(batch, links=links)).tolist() == [6.0]


def test_visits_are_read_once_when_a_crawl_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, reads = view(), []
    sources = seen.sources
    monkeypatch.setattr(seen, "sources", lambda: reads.append(1) or sources())
    before, after = clew(), Clew(ClewSettings())
    batch = batch_of(html_page(LINKS), visit=0)
    before.learn(page_of(visit_of(batch, 0, 1, 0.9)))
    after.begin(seen)
    after.restore(before.state())
    assert reads == [1] and after.state() == before.state()
    assert after._read is None


def test_a_page_of_links_that_paid_off_is_told_to_the_frontier() -> None:
    strategy = clew()
    batch = batch_of(html_page(LINKS), relevance=0.9, visit=1)
    strategy.learn(page_of(visit_of(batch_of(html_page(LINKS), visit=0), 0, 1, 0.9), links=batch))
    assert strategy.grown() == []
    strategy.learn(page_of(visit_of(batch, 0, 2, 1.0)))
    [(row, more)] = strategy.grown()
    assert (row, int(more["relevance"]), int(more["rates"]) > 0) == (1, 0, True)
    assert strategy.grown() == []


def test_links_are_scored_again_after_so_many_pages() -> None:
    strategy = clew(refresh=2)
    strategy.stale()
    batch = batch_of(html_page(LINKS), visit=0)
    said = []
    for number in range(1, 5):
        strategy.learn(page_of(visit_of(batch, 0, number, 0.9)))
        said.append(strategy.stale())
    assert said == [False, True, False, True]


def test_links_are_scored_again_less_often_in_a_long_crawl() -> None:
    strategy, batch = clew(refresh=2), batch_of(html_page(LINKS), visit=0)
    strategy.stale()
    again = []
    for number in range(1, 501):
        strategy.learn(page_of(visit_of(batch, 0, number, 0.9)))
        again += [number] * strategy.stale()
    assert again[:3] == [2, 4, 6]
    assert all(later - number == max(2, number // 40) for number, later in pairwise(again))


def test_a_page_that_is_not_to_be_relevant_is_worth_nothing() -> None:
    """A duplicate, or a page of a topic that is excluded, whatever the judge says of its text."""
    strategy = clew()
    strategy.learn(replace(page_of(visit_of(batch_of(html_page(LINKS), visit=0), 0, 1, 0.9)), relevant=False))
    assert strategy.credit.relevance[1] == 0


def test_it_explores_less_and_less() -> None:
    batch, explored = batch_of(html_page(LINKS), visit=0), []
    strategy = clew(explore=0.5)
    for number in range(1, 901):
        explored.append(strategy.explores())
        assert strategy.explores() == explored[-1]
        strategy.learn(page_of(visit_of(batch, 0, number, 0.2)))
    assert 30 <= sum(explored[:100]) <= 45 and 5 <= sum(explored[600:]) <= 35
    assert not any(clew().explores() for _ in range(50))


def test_links_near_the_seeds_count_more() -> None:
    deep, near = (batch_of(html_page(LINKS), depth=depth) for depth in (7, 1))
    assert (clew().score(near) - clew().score(deep)).tolist() == pytest.approx([0.6 * log(4)] * 2)
    assert (clew(near=0).score(near) == clew(near=0).score(deep)).all()


def test_words_count_as_much_as_is_said() -> None:
    links = batch_of(html_page(LINKS))
    full, half, none = (clew(words=words, near=0).score(links) for words in (1, 0.5, 0))
    assert half.tolist() == pytest.approx((full / 2).tolist()) and full[0] != full[1] and not none.any()


def test_odds_count_as_much_as_is_said() -> None:
    wanted = [Example(f"http://w{n}.test/", 0, text_page(f"boats regatta w{n}")) for n in range(10)]
    others = [Example(f"http://o{n}.test/", OTHER, text_page(f"oven cake o{n}")) for n in range(10)]
    links = batch_of(html_page("<html lang=en><p><a href=/a>boats</a> <a href=/b>oven</a> <a href=/c>zork</a></p>"))

    def scores(odds: float) -> Doubles:
        made = Clew(ClewSettings(odds=odds))
        made.begin(StubView([*wanted, *others]))
        return made.score(links)

    assert (scores(0.5) - scores(0.0)).tolist() == pytest.approx([2.0, -2.0, 0.0])


def test_hosts_count_as_much_as_is_said() -> None:
    """The same evidence on a seed's host, on one that gave nothing, and on a new one."""
    seed = batch_of(html_page(LINKS), visit=0)

    def scores(**given: float) -> list[float]:
        strategy = clew(refresh=1, **given)
        strategy.learn(on_host(page_of(visit_of(seed, 0, 1, 0.9)), 0))
        for number in range(2, 12):
            strategy.learn(on_host(page_of(visit_of(batch_of(html_page(LINKS), visit=1), 0, number, 0.0)), 1))
        same = (
            np.array([1] * 3, np.uint32),
            np.array([0.5] * 3, np.float32),
            np.array([(900, 900)] * 3, strategy.fields),
        )
        return strategy.combined(*same, np.array([0, 1, 2], np.uint32)).tolist()

    home, barren, new = scores()
    assert home > new > barren
    home, barren, new = scores(seed_hosts=0)
    assert home == new > barren
    home, barren, new = scores(barren_hosts=0)
    assert home > new == barren


def on_host(visit: Visit, number: int) -> Visit:
    return replace(visit, link=replace(visit.link, host_id=number))


def test_the_discount_reaches_the_table() -> None:
    assert clew(discount=0.5).credit.discount == ONE // 2


def test_state_is_small_and_exact() -> None:
    strategy, other = clew(), clew()
    batch = batch_of(html_page(LINKS), relevance=0.8, visit=0)
    for number in range(1, 30):
        seen = visit_of(batch, 0, number, number % 3 / 2)
        strategy.learn(page_of(seen, batch_of(html_page(LINKS), visit=number), (2, 0.5, 3000, 900)))
    state = strategy.state()
    assert len(state) < 2_000
    other.restore(state)
    assert other.state() == state
    np.testing.assert_array_equal(other.score(batch_of(html_page(LINKS))), strategy.score(batch_of(html_page(LINKS))))
    sums = np.array([(3000, 900)], strategy.fields)
    links, best = np.array([2], np.uint32), np.array([0.5], np.float32)
    hosts = np.array([3], np.uint32)
    assert other.combined(links, best, sums, hosts) == strategy.combined(links, best, sums, hosts)


def test_state_of_another_version_is_not_taken() -> None:
    strategy = clew()
    before = strategy.state()
    strategy.restore(np.arange(9.0).astype("<f8").tobytes())
    assert strategy.state() == before


def test_it_says_when_nothing_relevant_is_near() -> None:
    strategy = clew()
    seen = strategy._view
    assert isinstance(seen, StubView)
    for number, best in enumerate((0.9, 0.001, 0.001, 0.9), 1):
        assert not strategy.adapt(Session(number, 1, 2, 2, 1, 2, 1, best_waiting=best))
    assert [one.kind for one in seen.decisions] == [
        "nothing relevant is near: links are followed further",
        "relevant links are near again",
    ]


def test_explains_in_words() -> None:
    strategy = clew()
    batch = batch_of(html_page(LINKS), relevance=0.75, visit=1)
    strategy.learn(page_of(visit_of(batch_of(html_page(LINKS), visit=0), 0, 1, 0.75), batch))
    strategy.learn(page_of(visit_of(batch, 1, 2, 1.0)))
    told = "\n".join(strategy.explain(batch, 0))
    assert "a page of relevance 0.750 (http://a.test/)" in told
    assert "1 link of that page was followed; it led to 1.00 relevant pages" in told
    assert "sailing boats" in told
    assert "experts weigh: all 0.20" in told


def test_it_is_made_by_name_with_its_settings() -> None:
    made = make("clew", {"refresh": 7})
    assert isinstance(made, Clew) and made.settings.refresh == 7
    assert float(sigmoid(np.zeros(1))[0]) == 0.5
