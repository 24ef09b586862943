"""The apprentice: instances, counts and weights worked out by hand; when it trains; what it says; what it keeps."""

from __future__ import annotations

from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from clew import Project
from clew.crawl.evidence import Evidence
from clew.errors import ConfigError, ProjectError
from clew.model import Decision, Link, LinkBatch, LinkKind, Outcome, Response, Session, Visit
from clew.strategies.apprentice import Apprentice
from clew.strategies.apprentice.links import Extras, features_of, text_features
from clew.strategies.apprentice.model import Model, Recipe, Smoothing, Table, range_of
from clew.strategies.apprentice.packing import PAGE, RANGE, SIBLING, TEXT, URL, Packed, pack, unpack
from clew.strategies.apprentice.settings import ApprenticeSettings
from clew.strategies.apprentice.window import gains, held_out_order
from clew.strategies.registry import make
from clew.text.terms import term_id
from clew.topics.interest import Interest
from clew.web.simulated import parse_spec
from support import NoHistory, StubView, batch_of, html_page

A, B, C = (pack(TEXT, np.array([number], np.uint64), 5) for number in (1, 2, 3))


def feats(batch: LinkBatch, index: int, d_max: int = 5, first_only: bool = False) -> list[tuple[int, int]]:
    found = (unpack(int(one), d_max) for one in text_features(batch, index, d_max, first_only))
    return sorted((offset, term) for _, term, offset in found)


def page(body: str, relevance: float = 0.5, visit: int = 1) -> LinkBatch:
    """The links of a page at http://a.test/."""
    return batch_of(html_page(f"<html lang=en>{body}"), relevance=relevance, visit=visit)


def fetched(batch: LinkBatch, number: int, relevance: float, index: int = 0, outcome: Outcome = Outcome.OK) -> Visit:
    link = Link(batch, index, 0.5)
    return Visit(number, link, Response(link.url, outcome, 200), None, None, relevance, relevance >= 0.5, 0)


def session(number: int = 1) -> Session:
    return Session(number, 1, 10, 10, 5, 10, 5)


def apprentice(view: StubView | None = None, **settings: Any) -> Apprentice:
    """One that keeps to the paper's formulas."""
    paper = {
        "warmup": 10,
        "length": 0.0,
        "source_ranges": 0,
        "proportional": False,
        "smoothing": 1.0,
        "instances": "followed",
    }
    made = Apprentice(ApprenticeSettings(**{**paper, **settings}))
    made.begin(view or StubView())
    return made


def taught(strategy: Apprentice, high: str = "papers", low: str = "cups", times: int = 5) -> Apprentice:
    """Five links with one anchor text led to relevant pages, five with another did not."""
    for i in range(times):
        strategy.learn(fetched(page(f"<p><a href=/h{i}>{high}</a>"), 2 * i + 2, 0.9))
        strategy.learn(fetched(page(f"<p><a href=/l{i}>{low}</a>"), 2 * i + 3, 0.1))
    return strategy


class TestInstances:
    def test_terms_stand_at_their_offsets_from_the_link(self) -> None:
        batch = page("<p>red <a href=/x>blue</a> green</p>")
        assert feats(batch, 0) == sorted([(-1, term_id("red")), (0, term_id("blue")), (1, term_id("green"))])
        assert feats(batch, 0, d_max=0) == [(0, term_id("blue"))]

    def test_anchors_to_one_page_are_one_instance_with_all_their_features(self) -> None:
        # leaves: red 0, blue 1, green 2, pink 3. From the first anchor red is at -1, green at 1, pink at 2; from the
        # second green is at -1, blue at -2, red at -3.
        batch = page("<p>red <a href=/x>blue</a> green <a href=/x>pink</a></p>")
        red, blue, green, pink = (term_id(word) for word in ("red", "blue", "green", "pink"))
        first = [(-1, red), (0, blue), (1, green), (2, pink)]
        assert feats(batch, 0, first_only=True) == sorted(first)
        assert feats(batch, 0) == sorted([*first, (-3, red), (-2, blue), (-1, green), (0, pink)])

    def test_seeds_redirects_and_start_pages_teach_nothing(self) -> None:
        strategy = apprentice()
        strategy.learn(fetched(page("<p><a href=/x>blue</a>"), 2, 0.0, outcome=Outcome.REDIRECT))
        strategy.learn(fetched(page("<p><a href=/x>blue</a>", visit=0), 2, 0.9))
        assert strategy.teacher.seen == 0

    def test_the_page_behind_a_redirect_teaches_with_the_evidence_of_the_link(self) -> None:
        batch = page("<p>red <a href=/x>blue</a> green</p>")
        moved = Evidence(NoHistory()).of_redirect(Link(batch, 0, 0.5), "http://c.test/new", number=9)
        strategy = apprentice()
        strategy.learn(fetched(moved, 10, 0.9))
        assert strategy.teacher.seen == 1
        assert feats(moved, 0) == feats(batch, 0)

    @pytest.mark.parametrize(("failures", "low"), [(True, 1), (False, 0)])
    def test_failures_are_low_unless_told_otherwise(self, failures: bool, low: int) -> None:
        strategy = apprentice(failures=failures)
        strategy.learn(fetched(page("<p><a href=/x>blue</a>"), 2, 0.0, outcome=Outcome.FAILED))
        assert strategy.teacher.counted().instances.tolist() == [low, 0]

    def test_features_come_from_the_source_page_alone(self) -> None:
        """Whatever the fetched page holds, the instance is the same (APP-13)."""
        batch, other = page("<p><a href=/x>blue</a>"), page("<p>full of different words <a href=/y>secret</a>")
        plain, leaking = apprentice(), apprentice()
        visit = fetched(batch, 2, 0.9)
        plain.learn(visit)
        leaking.learn(replace(visit, page=html_page("<p>secret words"), links=other))
        assert plain.state() == leaking.state()

    def test_all_links_between_fetched_pages_are_instances_if_wanted(self) -> None:
        # Pages 1 and 2 both link to x and y; x is followed from page 1, y from page 2. That is two followed links, and
        # two more pairs (u, v): page 2 to x, page 1 to y.
        one, two = (page("<p><a href=/x>blue</a> <a href=/y>pink</a>", visit=number) for number in (1, 2))
        view = StubView()
        view.seen = [replace(fetched(one, 1, 0.9), links=one), replace(fetched(two, 2, 0.9), links=two)]
        for choice, pairs in (("followed", 2), ("all", 4)):
            strategy = apprentice(view, instances=choice)
            strategy.learn(fetched(one, 3, 0.9, index=0))
            strategy.learn(fetched(two, 4, 0.1, index=1))
            strategy.teacher.look_back(view.visits(), strategy.extras, every=True)
            assert strategy.teacher.counted().instances.sum() == pairs

    @pytest.mark.parametrize(("choice", "pairs"), [("before", 2), ("all", 3), ("followed", 1)])
    def test_pages_that_were_fetched_before_make_pairs(self, choice: str, pairs: int) -> None:
        # x is fetched third, from page 1. Page 2 links to x too, and was fetched before it; page 4 was not (APP-10).
        pages = [page("<p><a href=/x>blue</a>", visit=number) for number in (1, 2, 4)]
        view = StubView()
        view.seen = [
            replace(fetched(links, number, 0.9), links=links) for links, number in zip(pages, (1, 2, 4), strict=True)
        ]
        for kept in (False, True):  # also when the crawl stops in between
            strategy = apprentice(view, instances=choice, warmup=1)
            strategy.learn(fetched(pages[0], 3, 0.9))
            if kept:
                resumed = apprentice(view, instances=choice, warmup=1)
                resumed.restore(strategy.state())
                strategy = resumed
            strategy.adapt(session())
            assert strategy.teacher.since.instances.tolist() == [0, pairs]

    def test_of_a_finished_crawl_all_pairs_count(self) -> None:
        """Section 3.5, and so with both settings: page 4 was fetched after x."""
        pages = [page("<p><a href=/x>blue</a>", visit=number) for number in (1, 4)]
        visits = [fetched(pages[0], 3, 0.9), *(fetched(page("<p><a href=/y>red</a>", visit=1), 4, 0.1),) * 5]
        visits = [replace(visit, links=pages[1] if visit.number == 4 else None) for visit in visits]
        for choice, high in (("followed", 1), ("before", 6), ("all", 6)):
            view = StubView()
            view.others["../first"] = visits
            strategy = apprentice(view, instances=choice, learn_from="../first")
            assert strategy.teacher.since.instances[1] + strategy.table.instances[1] == high

    def test_a_state_that_does_not_say_when_a_page_was_fetched_counts_every_pair(self) -> None:
        batch, view = page("<p><a href=/x>blue</a>", visit=1), StubView()
        strategy = apprentice(view, instances="before")
        strategy.learn(fetched(batch, 3, 0.9))
        *form, parts = msgspec.msgpack.decode(strategy.state())
        parts[-1] = [row[:3] for row in parts[-1]]  # as the version before wrote it
        older = apprentice(view, instances="before")
        older.restore(msgspec.msgpack.encode([*form, parts]))
        late = page("<p><a href=/x>blue</a>", visit=4)
        older.teacher.look_back([replace(fetched(late, 4, 0.9), links=late)], older.extras, every=False)
        assert older.teacher.counted().instances.sum() == 2

    @pytest.mark.parametrize(("cut", "classes"), [(0.1, [0, 3]), (0.5, [1, 2]), (0.6, [2, 1]), (0.95, [3, 0])])
    def test_high_begins_at_the_cut(self, cut: float, classes: list[int]) -> None:
        """A page of just that relevance is high (APP-1, APP-25)."""
        strategy, other = apprentice(cut=cut), apprentice(cut=cut, siblings=True)
        for number, relevance in enumerate((0.1, 0.5, 0.9)):
            for each in (strategy, other):
                each.learn(fetched(page(f"<p><a href=/{number}>blue</a>"), number + 2, relevance))
        assert strategy.teacher.counted().instances.tolist() == classes
        assert sum(other.teacher.known.values()) == classes[1]  # siblings are told by the same cut

    def test_predictions_are_tested_against_the_cut(self) -> None:
        for cut, place in ((0.6, 0), (0.4, 1)):
            strategy = taught(apprentice(cut=cut))
            strategy.adapt(session())
            strategy.learn(fetched(page("<p><a href=/h9>papers</a>"), 20, 0.5))
            assert strategy.tests[:, 1].tolist() == [1 - place, place]

    def test_a_page_of_just_the_cut_is_foretold_to_be_high(self) -> None:
        strategy = taught(apprentice(cut=0.5))
        strategy.adapt(session())
        strategy.learn(fetched(page("<p><a href=/h9>papers</a>"), 20, 0.5))
        assert strategy.tests.tolist() == [[0, 0], [0, 1]]

    def test_a_page_that_links_to_itself_was_not_fetched_before_itself(self) -> None:
        itself = page("<p><a href=/x>blue</a>", visit=3)
        view = StubView()
        view.seen = [replace(fetched(itself, 3, 0.9), links=itself)]
        for choice, pairs in (("before", 1), ("all", 2)):
            strategy = apprentice(view, instances=choice, warmup=1)
            strategy.learn(fetched(page("<p><a href=/x>blue</a>"), 3, 0.9))
            strategy.adapt(session())
            assert strategy.teacher.since.instances.sum() == pairs

    def test_the_middle_of_the_first_training_stays_the_cut(self) -> None:
        strategy = apprentice(buckets="equal")
        for number, relevance in enumerate((0.1, 0.2, 0.3, 0.35, 0.9)):
            strategy.learn(fetched(page(f"<p><a href=/{number}>blue</a>"), number + 2, relevance))
        assert strategy.teacher.counted().instances.tolist() == [2, 3]
        for number in range(5, 9):
            strategy.learn(fetched(page(f"<p><a href=/{number}>blue</a>"), number + 2, 0.25))
        assert strategy.teacher.counted().instances.tolist() == [6, 3]


class TestWithoutOffsets:
    """``offsets = false``: the terms of the same window, wherever in it they stand."""

    def test_terms_of_the_window_are_one_bag(self) -> None:
        batch = page("<p>red <a href=/x>blue</a> green <img> pink</p>")
        red, blue, green, pink = (term_id(word) for word in ("red", "blue", "green", "pink"))
        for d_max, terms in ((0, [blue]), (1, [red, blue, green]), (3, [red, blue, green, pink])):
            found = (unpack(int(one), d_max) for one in text_features(batch, 0, d_max, False, by_offset=False))
            assert sorted(found) == sorted((TEXT, term, 0) for term in terms)

    def test_a_word_counts_the_same_on_either_side(self) -> None:
        # |T| = 2: papers, cups. Five tokens a class, so x = ± log 6 wherever the word stands.
        strategy, offsets = (taught(apprentice(offsets=each)) for each in (False, True))
        x = log(6)
        for each, scores in ((strategy, [0.5 + 0.5 * x / (1 + x)] * 3), (offsets, [0.5, 0.5 + 0.5 * x / (1 + x), 0.5])):
            assert each.adapt(session())
            pages = ("<p>papers <a href=/x></a>", "<p><a href=/x>papers</a>", "<p><a href=/x></a> papers")
            np.testing.assert_allclose([each.score(page(body))[0] for body in pages], scores, rtol=1e-6)
        far = page(f"<p><a href=/x></a>{'<img>' * 5} papers")
        assert strategy.score(far).tolist() == [0.5]

    @pytest.mark.parametrize("length", [0.0, 0.5, 1.0])
    def test_quick_sums_are_those_of_the_features(self, length: float) -> None:
        body = "".join(f"<p>w{i % 7} x{i % 3} <img> <a href=/{i % 13}>t{i % 5} <b>u{i % 4}</b></a>" for i in range(40))
        batch = page(body)
        features = [text_features(batch, i, 3, False, by_offset=False) for i in range(len(batch))]
        table = Table.empty().plus(features, [i % 3 == 0 for i in range(len(batch))])
        model = Model.trained(table, Recipe(3, Smoothing(1.0), length=length, offsets=False))
        totals = model.text(batch, first_only=False)
        np.testing.assert_allclose(totals, [model.adds(one).sum() for one in features], rtol=1e-4, atol=1e-5)

    def test_it_is_told_and_kept(self) -> None:
        strategy = taught(apprentice(offsets=False))
        strategy.adapt(session())
        batch = page("<p>papers <a href=/x>x</a>", relevance=0.3)
        assert strategy.explain(batch, 0)[-1].endswith(" near it: +1.79")
        for offsets, taken in ((False, strategy.score(batch).tolist()), (True, [0.3])):
            resumed = apprentice(offsets=offsets)
            resumed.restore(strategy.state())
            assert resumed.score(batch).tolist() == taken

    def test_a_window_cannot_be_chosen_without_them(self) -> None:
        with pytest.raises(ConfigError, match=r"\[strategy.apprentice\] window = \"chosen\" compares offsets"):
            make("apprentice", {"window": "chosen", "offsets": False})


class TestModel:
    def test_weights_are_those_of_the_paper(self) -> None:
        # High: {a, a, b}. Low: {b, c}, {c}. |T| = 3, three tokens in each class.
        # θ_high: a 3/6, b 2/6, c 1/6. θ_low: a 1/6, b 2/6, c 3/6. Pr(high) = 1/3.
        table = Table.empty().plus([np.concatenate([A, A, B]), np.concatenate([B, C]), C], [True, False, False])
        model = Model.trained(table, Recipe(5, Smoothing(1.0)))
        np.testing.assert_allclose(model.each(np.concatenate([A, B, C])), [log(3), 0.0, -log(3)])
        assert model.prior(0.9) == pytest.approx(log(1 / 2))
        assert model.sums(np.concatenate([A, A, C])) == pytest.approx(log(3))

    def test_pseudo_counts_may_follow_the_sizes_of_the_classes(self) -> None:
        # Six tokens high, two low, so of 2α = 4 pseudo-counts a feature 3 go to high and 1 to low. |T| = 2.
        # a: high 6, low 0: (6 + 3)/(6 + 6) = 9/12 against (0 + 1)/(2 + 2) = 1/4. b: 3/12 against 3/4.
        table = Table.empty().plus([np.concatenate([A] * 6), np.concatenate([B, B])], [True, False])
        model = Model.trained(table, Recipe(5, Smoothing(2.0, proportional=True)))
        np.testing.assert_allclose(model.each(np.concatenate([A, B])), [log(3), -log(3)])

    def test_counts_add_up_in_any_order(self) -> None:
        parts = [([A, B], [True, False]), ([C], [True]), ([np.concatenate([A, C])], [False])]
        whole = Table.empty().plus([one for features, _ in parts for one in features], [True, False, True, False])
        for order in (parts, parts[::-1]):
            table = Table.empty()
            for features, high in order:
                table = table.plus(features, high)
            assert table.packed() == whole.packed()

    def test_the_rarest_features_go_first(self) -> None:
        table = Table.empty().plus([np.concatenate([A, B, B, C])], [True]).plus([A], [False])
        assert table.pruned(2).features()[0].tolist() == [*A.tolist(), *B.tolist()]  # a twice, b twice, c once

    def test_text_counts_by_its_mean_at_each_offset(self) -> None:
        # The weights above, a +log 3 and c −log 3, and d at offset 1 in high alone: (0 + 1) against (0 + 0) of 4 and 3
        # tokens, |T| = 4. So θ_high: a 3/8, c 1/8, d 2/8; θ_low: a 1/7, c 3/7, d 1/7.
        d = pack(TEXT, np.array([4], np.uint64), 6)
        table = Table.empty().plus([np.concatenate([A, A, B, d]), np.concatenate([B, C]), C], [True, False, False])
        a, c, far = log(3 / 8 * 7), log(1 / 8 * 7 / 3), log(2 / 8 * 7)
        link = np.concatenate([A, A, A, C, d, d])
        for width, length, expected in (
            (5, 0.0, 3 * a + c + 2 * far),
            (5, 1.0, (3 * a + c) / 4 + far),
            (5, 0.5, (3 * a + c) / 2 + 2 * far / 2**0.5),
            (0, 1.0, (3 * a + c) / 4),
        ):
            model = Model.trained(table, Recipe(5, Smoothing(1.0), length=length), width)
            assert model.adds(link).sum() == pytest.approx(expected)
            assert model.odds(link) == pytest.approx(log(1 / 2) + expected)

    def test_gain_by_offset(self) -> None:
        # Two tokens at offset 0, one a class, each tells the class: 1 bit. At offset 1 one term, in either class: 0.
        near, far = (pack(TEXT, np.array([1, 2], np.uint64), 5), pack(TEXT, np.array([3], np.uint64), 6))
        bits = gains(Table.empty().plus([near[:1], near[1:]], [True, False]), 5)
        assert bits[5] == pytest.approx(1.0)
        bits = gains(Table.empty().plus([far, far], [True, False]), 5)
        assert bits[6] == pytest.approx(0.0)

    def test_gain_is_the_mean_of_the_features_of_an_offset(self) -> None:
        # Offset 0: term 1 once low, three times high, term 2 twice low; offset 1: term 3 twice high; in all 3 low and
        # 5 high, of H(3/8) = 0.954434 bits. What is left when one knows whether it is term 1: 4/8·H(1/4) + 4/8·H(2/4) =
        # 0.905639; term 2: 6/8·H(1/6) = 0.487517; term 3: 6/8·H(3/6) = 0.75. Words of URLs have no offset.
        one, two, three = (pack(TEXT, np.array([n], np.uint64), 5 + n // 3) for n in (1, 2, 3))
        url = pack(URL, np.array([4], np.uint64), 5)
        low, high = np.concatenate([one, two, two, url]), np.concatenate([one, one, one, three, three])
        bits = gains(Table.empty().plus([low, high], [False, True]), 5)
        expected = [(0.954434 - 0.905639 + 0.954434 - 0.487517) / 2, 0.954434 - 0.75]
        np.testing.assert_allclose(bits, [0.0] * 5 + expected + [0.0] * 4, atol=2e-6)

    def test_quick_sums_are_those_of_the_features(self) -> None:
        """The sums over leaves equal the sums over ⟨t, d⟩, whatever the anchors."""
        body = "".join(f"<p>w{i % 7} x{i % 3} <img> <a href=/{i % 13}>t{i % 5} <b>u{i % 4}</b></a>" for i in range(40))
        batch = page(body)
        features = [text_features(batch, i, 3, False) for i in range(len(batch))]
        table = Table.empty().plus(features, [i % 3 == 0 for i in range(len(batch))])
        for length, width in ((0.0, 3), (0.5, 2), (1.0, 0)):
            model = Model.trained(table, Recipe(3, Smoothing(1.0), length=length), width)
            totals = model.text(batch, first_only=False)
            np.testing.assert_allclose(totals, [model.adds(one).sum() for one in features], rtol=1e-4, atol=1e-5)
        model = Model.trained(table, Recipe(3, Smoothing(1.0)))
        first = [model.adds(text_features(batch, i, 3, True)).sum() for i in range(len(batch))]
        np.testing.assert_allclose(model.text(batch, first_only=True), first, rtol=1e-4, atol=1e-5)
        assert not np.allclose(first, model.text(batch, first_only=False))

    def test_links_without_text_or_on_an_empty_page_have_none(self) -> None:
        # An anchor that holds nothing has no leaf of its own, and neither has a page without text.
        table = Table.empty().plus([A], [True])
        model = Model.trained(table, Recipe(5, Smoothing(1.0)))
        for body in ("<a href=/x></a>", "<a href=/x></a><a href=/y></a>"):
            batch = page(body)
            assert model.text(batch, first_only=False).tolist() == [0.0] * len(batch)
        nothing = Model.trained(Table.empty(), Recipe(5, Smoothing(1.0)))
        assert nothing.text(page("<p>blue <a href=/x>red</a>"), first_only=False).tolist() == [0.0]
        assert nothing.each(A).tolist() == [0.0]

    def test_a_model_of_one_word_knows_no_other(self) -> None:
        # blue twice in high, a word of a URL in low: |T| = 2, so blue is 3/4 against 1/3. The id of an unknown
        # word may be beyond that of all known ones.
        blue, url = (pack(kind, np.array([word], np.uint64), 5) for kind, word in ((TEXT, term_id("blue")), (URL, 1)))
        table = Table.empty().plus([np.concatenate([blue, blue]), url], [True, False])
        model = Model.trained(table, Recipe(5, Smoothing(1.0)))
        assert term_id("red") > term_id("blue")
        for word, adds in (("blue", log(3 / 4 * 3)), ("red", 0.0)):
            found = model.text(page(f"<p><a href=/x>{word}</a>"), first_only=False)
            np.testing.assert_allclose(found, [adds], rtol=1e-6)

    def test_priors_are_those_of_the_counts_without_pseudo_instances(self) -> None:
        # Of the lower range one of four instances is high, of the upper one four of six.
        priors = Recipe(5, Smoothing(1.0), ranges=2).priors(np.array([[3, 2], [1, 4]]), np.array([5, 5]))
        np.testing.assert_allclose(priors, [log(1 / 3), log(4 / 2)])

    def test_ranges_are_of_equal_width(self) -> None:
        assert [range_of(relevance, 4) for relevance in (0.0, 0.24, 0.25, 0.6, 0.99, 1.0)] == [0, 0, 1, 2, 3, 3]

    def test_the_strongest_come_first_whatever_their_sign(self) -> None:
        # a adds +log 3 twice, c −log 3 once, b nothing.
        table = Table.empty().plus([np.concatenate([A, A, B]), np.concatenate([B, C]), C], [True, False, False])
        model = Model.trained(table, Recipe(5, Smoothing(1.0)))
        found = model.strongest(np.concatenate([C, B, A, A]), 6)
        assert [feature for feature, _ in found] == [int(A[0]), int(C[0])]
        assert [adds for _, adds in found] == pytest.approx([2 * log(3), -log(3)])
        assert model.strongest(np.concatenate([C, B, A, A]), 1) == found[:1]


def instance(rng: np.random.Generator, high: bool, ranges: int) -> tuple[bool, Packed]:
    """Forty occurrences of three terms at five offsets, more of term 3 where it is high, one of two words of its URL;
    of half of the high ones term 4, which no low one has; and the range of its page's relevance."""
    terms = rng.choice(3, 40, p=(0.3, 0.3, 0.4) if high else (0.35, 0.35, 0.3)) + 1
    parts = [pack(TEXT, terms, rng.integers(3, 8, 40)), pack(URL, rng.integers(1, 3, 1), 5)]
    if high and rng.random() < 0.5:
        parts.append(pack(TEXT, np.array([4, 4]), 6))
    return high, np.concatenate([*parts, pack(RANGE, rng.integers(0, ranges, 1), 5)] if ranges else parts)


def misled(i: int) -> tuple[bool, Packed]:
    """Instances 0, 2, ... are high with anchor text a, the others low with c. At offset 1, 2j and 2j + 1 have the same
    word nine times."""
    word = pack(TEXT, np.array([10 + i // 2], np.uint64), 6)
    return i % 2 == 0, np.concatenate([C if i % 2 else A, *[word] * 9])


class TestWindow:
    """Fold i mod 5 of ten instances holds i and i + 5, one high, one low; the rest has four of either class, 40 tokens
    each, |T| = 7, so denominators are equal. Of a held-out high one, a has (1 + 4)/(1 + 0) = 5; its word occurs nine
    times in low alone: (1 + 0)/(1 + 9) = 1/10. x = log 5 without the word, log 5 − 9 log 10 with it; the low ones have
    the same with the other sign."""

    def test_the_share_of_pairs_in_order(self) -> None:
        instances = [misled(i) for i in range(10)]
        table = Table.empty().plus([features for _, features in instances], [high for high, _ in instances])
        order = held_out_order(table, instances, Recipe(5, Smoothing(1.0)))
        np.testing.assert_array_equal(order, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    @pytest.mark.parametrize(
        ("length", "ranges", "proportional"), [(0.0, 0, False), (1.0, 3, True), (0.5, 3, False), (1.0, 0, True)]
    )
    def test_every_instance_is_foretold_by_a_model_of_the_others(
        self, length: float, ranges: int, proportional: bool
    ) -> None:
        """A model of the instances of the other folds, made anew, for each window; every feature is in all of them."""
        rng = np.random.default_rng(3)
        instances = [instance(rng, i % 3 == 0, ranges) for i in range(30)]
        recipe = Recipe(5, Smoothing(1.0, proportional), ranges, 2.0, length)

        def table(chosen: list[tuple[bool, Packed]]) -> Table:
            return Table.empty().plus([features for _, features in chosen], [high for high, _ in chosen])

        rest = [table([one for place, one in enumerate(instances) if place % 5 != fold]) for fold in range(5)]
        assert all(len(one.features()[0]) == len(table(instances).features()[0]) for one in rest)
        expected = []
        for width in range(6):
            models = [Model.trained(one, recipe, width) for one in rest]
            odds = [models[place % 5].odds(features) for place, (_, features) in enumerate(instances)]
            pairs = [(one, two) for one, (high, _) in zip(odds, instances, strict=True) if high
                     for two, (other, _) in zip(odds, instances, strict=True) if not other]  # fmt: skip
            expected.append(np.mean([(one > two) + (one == two) / 2 for one, two in pairs]))
        assert len({round(float(share), 2) for share in expected[:3]}) > 1
        np.testing.assert_allclose(held_out_order(table(instances), instances, recipe), expected, atol=0.003)

    def test_features_that_were_thrown_away_say_nothing(self) -> None:
        """Of a table that kept only a, c and what is unknown add nothing, whatever stands beside them in it."""
        instances = [misled(i) for i in range(10)]
        table = Table.empty().plus([features for _, features in instances], [high for high, _ in instances]).pruned(1)
        assert table.features()[0].tolist() != C.tolist()
        order = held_out_order(table, instances, Recipe(5, Smoothing(1.0)))
        known = table.features()[0]
        kept = [(high, features[np.isin(features, known)]) for high, features in instances]
        np.testing.assert_array_equal(order, held_out_order(table, kept, Recipe(5, Smoothing(1.0))))

    def test_a_word_seen_once_outside_its_fold_counts(self) -> None:
        # High: 0 and 2 share a word, 4 and 6 another, 8 has one of its own; low: 1 and 3, 5 and 7, 9. Each fold holds
        # one of either class, so x = ± log 2 with a word that is shared, else 0: of 25 pairs (8, 9) alone is a tie.
        words = (1, 4, 1, 4, 2, 5, 2, 5, 3, 6)
        instances = [(i % 2 == 0, pack(TEXT, np.array([word], np.uint64), 5)) for i, word in enumerate(words)]
        table = Table.empty().plus([features for _, features in instances], [high for high, _ in instances])
        order = held_out_order(table, instances, Recipe(5, Smoothing(1.0)))
        assert order == pytest.approx([24.5 / 25] * 6)

    def test_ties_count_half_and_nothing_is_said_of_one_class(self) -> None:
        # No feature was seen outside its fold, so all have x = 0.
        instances = [(i % 2 == 0, pack(TEXT, np.array([i], np.uint64), 5)) for i in range(10)]
        for some in (instances, instances[::2]):
            table = Table.empty().plus([features for _, features in some], [high for high, _ in some])
            order = held_out_order(table, some, Recipe(5, Smoothing(1.0)))
            assert order.tolist() == [0.5] * 6

    @pytest.mark.parametrize(
        ("window", "tolerance", "width"), [("chosen", 0.02, 0), ("chosen", 1.0, 5), ("fixed", 0.0, 5)]
    )
    def test_it_is_chosen_at_a_training(self, window: str, tolerance: float, width: int) -> None:
        view = StubView()
        strategy = apprentice(view, window=window, tolerance=tolerance)
        for i in range(5):
            for sort, relevance in (("papers", 0.9), ("cups", 0.1)):
                batch = page(f"<p><a href=/{sort}{i}>{sort}</a> {f'word{i} ' * 9}")
                strategy.learn(fetched(batch, strategy.teacher.seen + 2, relevance))
        assert strategy.adapt(session())
        assert strategy.width == width
        assert view.decisions[-1].facts.get("window") == (None if window == "fixed" else width)

    def test_by_the_first_instances_alone(self) -> None:
        strategy = taught(apprentice(window="chosen", held_out=4), times=5)
        strategy.teacher.counted()
        assert [high for high, _ in strategy.teacher.first] == [True, False, True, False]


class TestCourse:
    def test_it_is_best_first_until_it_has_seen_enough(self) -> None:
        strategy, batch = taught(apprentice(warmup=11)), page("<p><a href=/x>papers</a>", relevance=0.3)
        assert not strategy.adapt(session())
        assert strategy.score(batch).tolist() == [0.3]
        assert apprentice(prior=0.4).score(batch).tolist() == [0.4]

    def test_then_it_scores_by_what_it_learned(self) -> None:
        # |T| = 2, five tokens a class: θ_high,papers = 6/7, θ_low,papers = 1/7, so x = ± log 6, and the prior is 0.
        strategy = taught(apprentice())
        assert strategy.adapt(session())
        x = log(6)
        high, low = 0.5 + 0.5 * x / (1 + x), 0.5 - 0.5 * x / (1 + x)
        batch = page("<p><a href=/x>papers</a></p><p><img><img><img><img><img><a href=/y>cups</a><a href=/z></a>")
        np.testing.assert_allclose(strategy.score(batch)[:2], [high, low], rtol=1e-6)

    def test_scores_do_not_saturate_where_posteriors_do(self) -> None:
        strategy = taught(apprentice(), high="papers " * 40, low="cups " * 40)
        strategy.adapt(session())
        few, more = (strategy.score(page(f"<p><a href=/x>{'papers ' * n}</a>"))[0] for n in (60, 61))
        posterior = 1 / (1 + np.exp(-np.float32(60 * log(201 / 1))))
        assert posterior == 1.0  # (1 + 200)/(2 + 200) against 1/(2 + 200), sixty times
        assert np.float32(few) < np.float32(more) < 1

    def test_length_takes_away_what_length_gave(self) -> None:
        strategy = taught(apprentice(length=1.0))
        strategy.adapt(session())
        short, long = (strategy.score(page(f"<p><a href=/x>{'papers ' * n}</a>"))[0] for n in (1, 9))
        assert short == pytest.approx(long)

    def test_both_classes_are_needed(self) -> None:
        strategy = taught(apprentice(cut=0.95))
        assert not strategy.adapt(session())

    def test_equal_buckets_cut_at_the_median(self) -> None:
        strategy = taught(apprentice(buckets="equal", cut=0.0))
        assert strategy.adapt(session())  # relevances .1 five times, .9 five times: the median is .5
        assert strategy.teacher.cut == pytest.approx(0.5)

    def test_it_trains_again_when_there_is_enough_that_is_new(self) -> None:
        strategy = taught(apprentice(growth=0.5))
        assert strategy.adapt(session())
        assert not taught(strategy, times=2).adapt(session())  # 14 < 15
        assert taught(strategy, times=1).adapt(session())
        assert strategy.table.instances.tolist() == [8, 8]

    def test_instances_are_counted_at_every_session_with_a_fixed_cut(self) -> None:
        """So that their features are not held until there is a training; the median needs all of the first ones."""
        for buckets, waiting in (("cut", 0), ("equal", 10)):
            strategy = taught(apprentice(warmup=11, buckets=buckets))
            assert not strategy.adapt(session())
            assert len(strategy.teacher.waiting) == waiting

    def test_growth_does_not_delay_the_first_training(self) -> None:
        assert taught(apprentice(growth=50.0)).adapt(session())

    def test_pages_are_remembered_only_where_pairs_are_looked_for(self) -> None:
        for choice, remembered in (("followed", 0), ("before", 10), ("all", 10)):
            assert len(taught(apprentice(instances=choice)).teacher.fresh) == remembered

    def test_and_not_more_often_than_told(self) -> None:
        strategy = taught(apprentice(retrain_every=3))
        assert [strategy.adapt(session(number)) for number in (1, 2, 3)] == [False, False, True]

    def test_start_pages_come_first(self) -> None:
        strategy = taught(apprentice())
        strategy.adapt(session())
        batch = page("<p><a href=/x>cups</a>")
        for kind, tier in ((LinkKind.SEED, 0), (LinkKind.BACKLINK, 1)):
            start = replace(batch, links=replace(batch.links, kinds=(kind,)))
            assert (strategy.score(start).tolist(), strategy.tier(start)) == ([1.0], tier)


class TestOtherCrawls:
    def test_a_finished_crawl_trains_it_before_the_first_page(self) -> None:
        view = StubView()
        view.others["../first"] = [
            fetched(page(f"<p><a href=/{word}{i}>{word}</a>"), i + 2, relevance)
            for i in range(5)
            for word, relevance in (("papers", 0.9), ("cups", 0.1))
        ]
        strategy = apprentice(view, learn_from="../first")
        online = taught(apprentice())
        online.adapt(session())
        batch = page("<p><a href=/x>papers</a></p> <p><a href=/y>cups</a>")
        np.testing.assert_array_equal(strategy.score(batch), online.score(batch))
        assert view.decisions[0].facts["instances from"] == "the crawl of ../first"

    def test_the_recall_crawler_stays_where_another_crawl_was(self) -> None:
        view, batch = StubView(), page("<p><a href=/x>papers</a> <a href=/y>cups</a>", relevance=0.4)
        view.others["../first"] = [fetched(batch, 1, 0.9, index=1)]
        strategy = apprentice(view, only_from="../first")
        np.testing.assert_array_equal(strategy.score(batch), [np.nan, 0.4])
        assert "did not fetch it" in strategy.explain(batch, 0)[0]


SETTINGS = """\
[project]
web = "sim:pages=1000,seed=3"
[strategy]
name = "{strategy}"
[judge]
name = "naive-bayes"
[crawl]
contact = "lab@localhost"
workers = 0
max_pages = {pages}
[store]
archive = false
{more}
"""


def made(folder: Path, strategy: str, pages: int, more: str = "") -> Project:
    """A project on a simulated web."""
    web = parse_spec("sim:pages=1000,seed=3")
    topic = web.topics(2)[0]
    relevant, irrelevant = web.examples(5, topic), web.examples(10, topic, relevant=False)
    folder.mkdir()
    for name, urls in (("seeds", web.seeds(3, topic, 1)), ("relevant", relevant), ("irrelevant", irrelevant)):
        (folder / f"{name}.txt").write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
    (folder / "clew.toml").write_text(SETTINGS.format(strategy=strategy, pages=pages, more=more), encoding="utf-8")
    return Project(folder)


def fetched_by(project: Project) -> tuple[list[str], list[Decision]]:
    store = project.open_store(read_only=True)
    try:
        return [row.url for row in store.visits.rows()], [row.decision for row in store.journal.decisions()]
    finally:
        store.close()


class TestRealCrawls:
    def test_one_crawl_teaches_another_and_bounds_a_third(self, tmp_path: Path) -> None:
        """Other projects are read as they were stored: ``learn_from`` (APP-35), ``only_from`` (APP-38)."""
        first = made(tmp_path / "first", "best-first", 80)
        first.crawl()
        urls, _ = fetched_by(first)
        more = '[strategy.apprentice]\nlearn_from = "../first"\n'
        second = made(tmp_path / "second", "apprentice", 40, more)
        second.crawl()
        _, decisions = fetched_by(second)
        assert decisions[0].facts["instances from"] == "the crawl of ../first"
        assert int(decisions[0].facts["low"]) + int(decisions[0].facts["high"]) > 40
        third = made(tmp_path / "third", "apprentice", 40, more + 'only_from = "../first"\n')
        third.crawl()
        recalled, _ = fetched_by(third)
        assert len(recalled) == 40
        assert set(recalled) <= set(urls)
        assert recalled != urls[:40]

    def test_a_folder_without_a_crawl_is_named(self, tmp_path: Path) -> None:
        project = made(tmp_path / "second", "apprentice", 10, '[strategy.apprentice]\nlearn_from = "../none"\n')
        with pytest.raises(ProjectError, match="holds no crawl to learn from"):
            project.crawl()


class TestOtherFeatures:
    def test_topics_of_the_page_and_all_above_them(self) -> None:
        view = StubView(interest=Interest(topics=("arts/music", "arts/dance")))
        batch = page("<p><a href=/x>blue</a>")
        batch = replace(batch, source=replace(batch.source, scores=np.array([0.2, 0.8], np.float32), topic=1))
        for settings, expected in (
            ({"topics": 1, "prefixes": False}, ["/arts/dance"]),
            ({"topics": 1}, ["/", "/arts", "/arts/dance"]),
            ({"topics": 2}, ["/", "/arts", "/arts/dance", "/arts/music"]),
        ):
            extras = Extras(msgspec.convert(settings, ApprenticeSettings), view.topics)
            found = [extras.words[unpack(int(one), 5)[1]] for one in extras.of_page(batch.source)]
            assert sorted(found) == [f"its page is about {path}" for path in expected]

    def test_the_prior_follows_the_relevance_of_the_page(self) -> None:
        # Two ranges, of middles 1/4 and 3/4, two pseudo-instances each. Five links of pages of .9 led to relevant ones,
        # two did not: (5 + 1.5)/(2 + .5) = 2.6. Of pages of .2 none of three did: (0 + .5)/(3 + 1.5) = .5/4.5.
        strategy = apprentice(source_ranges=2, source_weight=2.0, d_max=0)
        for i, (source, found) in enumerate([(0.9, 0.9)] * 5 + [(0.9, 0.0)] * 2 + [(0.2, 0.0)] * 3):
            strategy.learn(fetched(page(f"<p><a href=/{i}></a>", relevance=source), i + 2, found))
        assert strategy.adapt(session())
        assert strategy.model is not None
        np.testing.assert_allclose(np.exp(strategy.model.priors), [0.5 / 4.5, 2.6])
        for relevance, x in ((0.9, log(2.6)), (0.1, log(0.5 / 4.5))):
            score = 0.5 + 0.5 * x / (1 + abs(x))
            np.testing.assert_allclose(strategy.score(page("<p><a href=/y></a>", relevance=relevance)), [score])

    def test_fetched_siblings(self) -> None:
        # leaves: x 0, y 1, z 2; x was fetched and is high, z was and is low. At y: high at -1, low at +1.
        batch = page("<p><a href=/x>blue</a><a href=/y>red</a><a href=/z>pink</a>")
        settings = ApprenticeSettings(siblings=True)
        known = {int(batch.links.keys[0]): True, int(batch.links.keys[2]): False}
        found = features_of(batch, 1, settings, Extras(settings, ()), known)
        assert [unpack(int(one), 5) for one in found if int(one) >> 40 == 2] == [(2, 1, -1), (2, 0, 1)]

    def test_siblings_stand_at_the_nearest_leaf_of_their_anchors(self) -> None:
        # Leaves: x 0 and 1, red 2, y 3, pink 4, z 5 and 6. From y's one leaf x is at −2 and z at +2; from x's last leaf
        # y is at +2 and z at +4; from z's first leaf y is at −2 and x at −4. A link is no sibling of itself.
        batch = page("<p><a href=/x>a<b>b</b></a> red <a href=/y>c</a> pink <a href=/z>d<b>e</b></a>")
        known = dict.fromkeys(batch.links.keys.tolist(), True)
        for d_max, offsets in ((4, [{2, 4}, {-2, 2}, {-4, -2}]), (3, [{2}, {-2, 2}, {-2}]), (1, [set()] * 3)):
            settings = ApprenticeSettings(siblings=True, d_max=d_max)
            for index, expected in enumerate(offsets):
                found = features_of(batch, index, settings, Extras(settings, ()), known)
                own = [unpack(int(one), d_max) for one in found]
                assert {offset for kind, _, offset in own if kind == SIBLING} == expected
                assert len([kind for kind, _, _ in own if kind == SIBLING]) == len(expected)

    def test_words_of_the_url(self) -> None:
        batch = page("<p><a href=http://b.test/papers/x>blue</a>")
        settings = ApprenticeSettings(url_words=True)
        found = {unpack(int(one), 5) for one in features_of(batch, 0, settings, Extras(settings, ()), {})}
        assert {(3, int(term), 0) for term in batch.links.url_term_ids} <= found

    @pytest.mark.parametrize(
        "settings",
        [
            {},
            {"siblings": True, "instances": "all"},
            {"buckets": "equal"},
            {"window": "chosen", "length": 1.0},
            {"window": "chosen", "held_out": 7, "proportional": True},
            {"url_words": True, "length": 0.5, "source_ranges": 4},
        ],
    )
    def test_every_setting_survives_a_stop(self, settings: dict[str, Any]) -> None:
        whole, before = taught(apprentice(**settings)), taught(apprentice(**settings), times=3)
        resumed = apprentice(**settings)
        resumed.restore(before.state())
        for i in range(3, 5):
            resumed.learn(fetched(page(f"<p><a href=/h{i}>papers</a>"), 2 * i + 2, 0.9))
            resumed.learn(fetched(page(f"<p><a href=/l{i}>cups</a>"), 2 * i + 3, 0.1))
        again = apprentice(**settings)
        for strategy in (whole, resumed):
            assert strategy.adapt(session())
        again.restore(resumed.state())
        batch = page("<p><a href=http://a.test/h1>papers</a> cups <a href=/y>cups</a>")
        np.testing.assert_array_equal(whole.score(batch), resumed.score(batch))
        np.testing.assert_array_equal(whole.score(batch), again.score(batch))
        assert whole.state() == resumed.state() == again.state()

    def test_features_of_another_form_are_not_taken_up(self) -> None:
        view = StubView()
        strategy, batch = apprentice(view, d_max=2), page("<p><a href=/x>papers</a>", relevance=0.3)
        strategy.restore(taught(apprentice(d_max=5)).state())
        assert strategy.score(batch).tolist() == [0.3]
        assert strategy.teacher.seen == 0
        assert view.decisions[-1].kind == "apprentice starts anew"


class TestWords:
    def test_decisions_say_how_right_it_was(self) -> None:
        view = StubView()
        strategy = taught(apprentice(view))
        strategy.adapt(session())
        strategy.learn(fetched(page("<p><a href=/h9>papers</a>"), 20, 0.9))  # right
        strategy.learn(fetched(page("<p><a href=/h8>cups</a>"), 21, 0.9))  # wrong
        strategy.learn(fetched(page("<p><a href=/l9>cups</a>"), 22, 0.1))  # right
        strategy.adapt(session())
        facts = view.decisions[-1].facts
        assert (facts["low"], facts["high"], facts["features"]) == (6, 7, 2)
        assert facts["right of 1 low"] == 1.0
        assert facts["right of 2 high"] == 0.5
        assert facts["right of 3 all"] == pytest.approx(0.6667)
        assert "+0:" in str(facts["bits by offset"])

    def test_it_explains_itself(self) -> None:
        strategy, batch = taught(apprentice()), page("<p>papers <a href=/x>papers</a>", relevance=0.3)
        assert strategy.explain(batch, 0) == [
            "apprentice: not trained yet (10 instances of 10), so it scores 0.300, the relevance of its page"
        ]
        strategy.adapt(session())
        found = [part.replace("“paper”", "“papers”") for part in strategy.explain(batch, 0)]  # the word seen first
        assert found == [
            "apprentice: log-odds +1.79 of leading to a relevant page; "
            "+0.00 for any link of a page of relevance 0.300 (http://a.test/)",
            "“papers” in its anchor text: +1.79",
        ]

    def test_decisions_say_what_was_trained(self) -> None:
        # Two features at d = 0, five times in one class each: a bit either.
        view = StubView()
        taught(apprentice(view)).adapt(session())
        zeros = dict.fromkeys(range(-5, 6), "0.00e+00")
        assert dict(view.decisions[-1].facts) == {
            "instances from": "this crawl", "low": 5, "high": 5, "features": 2, "high from relevance": 0.5,
            "bits by offset": " ".join(f"{d:+d}:{bits}" for d, bits in (zeros | {0: "1.00e+00"}).items()),
        }  # fmt: skip
        view = StubView()
        taught(apprentice(view, window="chosen", d_max=1)).adapt(session())
        facts = view.decisions[-1].facts
        assert (facts["window"], facts["order by window"]) == (1, "0:1.0000 1:1.0000")

    def test_features_in_words(self) -> None:
        strategy = apprentice(StubView(interest=Interest(topics=("arts/dance",))), topics=1, d_max=3)
        topic = int(strategy.extras.of_page(page("<p><a href=/x>x</a>").source)[-1])
        term = term_id("words")
        page("<p>words")
        for kind, number, column, said in (
            (SIBLING, 1, 2, "a link to a page of high relevance at offset -1: +0.50"),
            (SIBLING, 0, 5, "a link to a page of low relevance at offset +2: +0.50"),
            (URL, term, 3, "“words” in its URL: +0.50"),
            (TEXT, term, 4, "“words” at offset +1: +0.50"),
            (TEXT, term, 3, "“words” in its anchor text: +0.50"),
            (TEXT, 12345, 3, "“12345” in its anchor text: +0.50"),
            (PAGE, 12345, 3, "about its page: +0.50"),
        ):
            feature = int(pack(kind, np.array([number], np.uint64), column)[0])
            assert strategy._worded(feature, 0.5).replace("“word”", "“words”") == said
        assert strategy._worded(topic, -0.25) == "its page is about /arts/dance: -0.25"

    def test_it_explains_links_that_are_not_scored_by_what_it_learned(self) -> None:
        batch = page("<p>papers <a href=/x>papers</a>", relevance=0.3)
        (said,) = apprentice(prior=0.4).explain(batch, 0)
        assert said == "apprentice: not trained yet (0 instances of 10), so it scores 0.400"
        strategy = taught(apprentice())
        strategy.adapt(session())
        for kind in (LinkKind.SEED, LinkKind.BACKLINK):
            start = replace(batch, links=replace(batch.links, kinds=(kind,)))
            assert strategy.explain(start, 0) == ["apprentice: a start page, so it comes first"]

    def test_wrong_choices_are_named(self) -> None:
        with pytest.raises(ConfigError, match=r"\[strategy.apprentice\] buckets: 'three' is none of: cut, equal"):
            make("apprentice", {"buckets": "three"})
