"""Packed rows: whatever links and leaves go in come out, and damage is noticed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from clew.errors import StoreError
from clew.model import Leaves, LinkKind, Links, Source, ragged
from clew.store.packed import (
    pack_evidence,
    pack_floats,
    pack_heads,
    pack_source,
    unpack_evidence,
    unpack_floats,
    unpack_heads,
    unpack_source,
)
from clew.store.sqlite.schema import clean, signed, unsigned, unsigned_keys

any_text = st.text(st.characters(), max_size=12)  # control characters, newlines and lone surrogates too
uint32 = st.integers(0, 2**32 - 1)
int32 = st.integers(-(2**31), 2**31 - 1)


def rows_of_ids(size: int) -> st.SearchStrategy[list[np.ndarray]]:
    row = arrays.arrays(np.uint32, st.integers(0, 5), elements=uint32)
    return st.lists(row, min_size=size, max_size=size)


@st.composite
def evidence(draw: st.DrawFn) -> tuple[Links, Leaves]:
    n, anchors = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    hosts = draw(st.lists(any_text, min_size=1, max_size=3))
    term_ids, term_starts = ragged(draw(rows_of_ids(n)))
    leaf_ids, leaf_starts = ragged(draw(rows_of_ids(draw(st.integers(0, 5)))))
    links = Links(
        urls=tuple(draw(st.lists(any_text, min_size=n, max_size=n))),
        keys=draw(arrays.arrays(np.uint64, n, elements=st.integers(0, 2**64 - 1))),
        host_names=tuple(hosts),
        host_index=draw(arrays.arrays(np.int32, n, elements=st.integers(0, len(hosts) - 1))),
        nofollow=draw(arrays.arrays(np.bool_, n)),
        kinds=tuple(draw(st.lists(st.sampled_from(LinkKind), min_size=n, max_size=n))),
        url_term_ids=term_ids,
        url_term_starts=term_starts,
        anchors=tuple(draw(st.lists(any_text, min_size=anchors, max_size=anchors))),
        spans=draw(arrays.arrays(np.int32, (anchors, 3), elements=int32)),
        dates=draw(st.none() | arrays.arrays(np.float64, n, elements=st.floats())),
    )
    return links, Leaves(leaf_ids, leaf_starts)


def assert_same(one: object, other: object, columns: tuple[str, ...]) -> None:
    for name in columns:
        mine, its = getattr(one, name), getattr(other, name)
        assert mine.dtype == its.dtype and mine.shape == its.shape, name
        np.testing.assert_array_equal(mine, its)


@given(evidence())
@settings(max_examples=150, deadline=None)
def test_evidence_comes_back_exactly(packed: tuple[Links, Leaves]) -> None:
    links, leaves = packed
    found, found_leaves = unpack_evidence(pack_evidence(links, leaves), links.keys)
    for name in ("urls", "host_names", "kinds", "anchors"):
        assert getattr(found, name) == getattr(links, name)
    assert_same(found, links, ("keys", "host_index", "nofollow", "url_term_ids", "url_term_starts", "spans"))
    assert (found.dates is None) == (links.dates is None)
    assert links.dates is None or found.dates.tobytes() == links.dates.tobytes()
    assert_same(found_leaves, leaves, ("ids", "starts"))


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_heads_and_scores_come_back(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 9))
    keys = data.draw(arrays.arrays(np.uint64, n, elements=st.integers(0, 2**64 - 1)))
    hosts = data.draw(arrays.arrays(np.uint32, n, elements=uint32))
    scores = data.draw(arrays.arrays(np.float32, n, elements=st.floats(width=32)))
    packed = pack_heads(keys, hosts)
    assert len(packed) == 12 * n and len(pack_floats(scores)) == 4 * n
    found_keys, found_hosts = unpack_heads(packed)
    np.testing.assert_array_equal(found_keys, keys)
    np.testing.assert_array_equal(found_hosts, hosts)
    np.testing.assert_array_equal(unpack_floats(pack_floats(scores.astype(np.float64))), scores)
    assert (found_keys.dtype, found_hosts.dtype) == (np.uint64, np.uint32)


def test_heads_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 keys but 1 hosts"):
        pack_heads(np.zeros(2, np.uint64), np.zeros(1, np.uint32))


def test_a_source_comes_back_exactly() -> None:
    source = Source(2**40, "http://ü.example/", "h", 0.1, np.array([0.1, np.nan], np.float32), -1, 3, 2, 1)
    found = unpack_source(pack_source(source))
    for name in ("visit", "url", "host", "relevance", "topic", "depth", "tunnel", "hops"):
        assert getattr(found, name) == getattr(source, name)
    assert_same(found, source, ("scores",))
    with pytest.raises(StoreError, match="source of a row"):
        unpack_source(pack_source(source)[:-3])


def one_row() -> tuple[Links, Leaves]:
    rng = np.random.default_rng(3)
    ids, starts = ragged([rng.integers(0, 2**32, 30, np.uint32) for _ in range(40)])
    links = Links(
        urls=("http://a.example/x", "http://b.example/y"),
        keys=np.array([5, 2**64 - 1], np.uint64),
        host_names=("a.example", "b.example"),
        host_index=np.array([0, 1], np.int32),
        nofollow=np.array([False, True]),
        kinds=(LinkKind.ANCHOR, LinkKind.AREA),
        url_term_ids=np.array([1, 2, 3], np.uint32),
        url_term_starts=np.array([0, 2, 3], np.int32),
        anchors=("one", "two", "three"),
        spans=np.array([[0, 1, 1], [0, 3, 4], [1, 9, 9]], np.int32),
    )
    return links, Leaves(ids, starts)


def test_every_damaged_byte_is_noticed() -> None:
    links, leaves = one_row()
    data = pack_evidence(links, leaves)
    chance = np.random.default_rng(1)
    for at in chance.integers(0, len(data), 300).tolist():
        damaged = bytearray(data)
        damaged[at] ^= 1 << int(chance.integers(8))
        try:
            found, found_leaves = unpack_evidence(bytes(damaged), links.keys)
        except StoreError:
            continue
        # the few unused bits of a frame's header: nothing was lost
        assert found.urls == links.urls and found.anchors == links.anchors
        assert_same(found_leaves, leaves, ("ids", "starts"))


@pytest.mark.parametrize("cut", [0, 1, 5, 40, -1])
def test_cut_off_rows_are_noticed(cut: int) -> None:
    links, leaves = one_row()
    with pytest.raises(StoreError, match="link evidence"):
        unpack_evidence(pack_evidence(links, leaves)[:cut], links.keys)


def test_rows_of_another_format_or_with_other_keys_are_refused() -> None:
    links, leaves = one_row()
    data = pack_evidence(links, leaves)
    with pytest.raises(StoreError, match="newer Clew"):
        unpack_evidence(b"\x09" + data[1:], links.keys)
    with pytest.raises(StoreError, match="2 links but 1 keys"):
        unpack_evidence(data, links.keys[:1])


def test_packing_is_repeatable_and_small() -> None:
    links, leaves = one_row()
    assert pack_evidence(links, leaves) == pack_evidence(*one_row())
    repeated = Leaves(np.tile(leaves.ids[:60], 30), np.array([0, 1800], np.int32))
    assert len(pack_evidence(links, repeated)) < len(pack_evidence(links, leaves)) / 3


@given(st.integers(0, 2**64 - 1))
def test_keys_fit_signed_integers(key: int) -> None:
    assert -(2**63) <= signed(key) < 2**63
    assert unsigned(signed(key)) == key
    assert unsigned_keys([signed(key)]).tolist() == [key]
    assert signed(np.uint64(key)) == signed(key)


@given(any_text)
def test_clean_text_can_be_kept(text: str) -> None:
    kept = clean(text)
    assert kept.encode().decode() == kept and len(kept) == len(text)
    assert all(one == other for one, other in zip(kept, text, strict=True) if not 0xD800 <= ord(other) < 0xE000)
