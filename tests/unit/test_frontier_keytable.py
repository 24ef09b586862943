"""The key table against a dictionary: random keys, keys that collide, growth, one by one and together."""

from __future__ import annotations

import numpy as np
import pytest

from clew.frontier.keytable import MIX, KeyTable

INVERSE = pow(MIX, -1, 1 << 64)
"""Undoes the mixing: makes keys that begin at a chosen bucket with a chosen step."""


def colliding(n: int) -> np.ndarray:
    """Keys whose first bucket and step are all the same."""
    return np.array([(0xABCDE << 44 | i << 31 | 0x1234567) * INVERSE % (1 << 64) for i in range(n)], np.uint64)


def enter(table: KeyTable, keys: np.ndarray, column: np.ndarray, start: int) -> None:
    found, at = table.find(keys, column)
    assert (found == -1).all()
    slots = np.arange(start, start + len(keys))
    column[slots] = keys
    table.place(keys, slots, at, column)


@pytest.mark.parametrize("batch", [1, 7, 60, 5_000])
@pytest.mark.parametrize("kind", ["random", "in sequence", "colliding"])
def test_every_key_has_its_slot(batch: int, kind: str) -> None:
    rng = np.random.default_rng(batch)
    keys = {
        "random": np.unique(rng.integers(0, 1 << 63, 5_000).astype(np.uint64)),
        "in sequence": np.arange(5_000).astype(np.uint64),
        "colliding": colliding(400),
    }[kind]
    rng.shuffle(keys)
    table, column = KeyTable(), np.zeros(len(keys), np.uint64)
    for start in range(0, len(keys), batch):
        enter(table, keys[start : start + batch], column, start)
    assert table.find(keys, column)[0].tolist() == list(range(len(keys)))
    assert [table.find_one(key, column)[0] for key in keys.tolist()] == list(range(len(keys)))
    unknown = np.setdiff1d(np.arange(1 << 62, (1 << 62) + 500).astype(np.uint64), keys)
    assert (table.find(unknown, column)[0] == -1).all()


def test_one_by_one_is_as_together() -> None:
    keys = np.concatenate([colliding(50), np.arange(3_000).astype(np.uint64)])
    together, apart = KeyTable(), KeyTable()
    one, other = np.zeros(len(keys), np.uint64), np.zeros(len(keys), np.uint64)
    enter(together, keys, one, 0)
    for slot, key in enumerate(keys.tolist()):
        found, at = apart.find_one(key, other)
        assert found == -1
        other[slot] = key
        apart.place_one(key, slot, at, other)
    assert apart.find(keys, other)[0].tolist() == together.find(keys, one)[0].tolist() == list(range(len(keys)))
    assert apart.nbytes == together.nbytes


def test_the_table_is_between_three_eighths_and_three_quarters_full() -> None:
    keys = np.arange(100_000).astype(np.uint64)
    table, column = KeyTable(), np.zeros(100_000, np.uint64)
    for start in range(0, 100_000, 1_000):
        enter(table, keys[start : start + 1_000], column, start)
    assert 3 / 8 <= 100_000 / (table.nbytes / 4) <= 3 / 4


def test_a_new_table_takes_four_kilobytes_and_doubles_beyond_three_quarters() -> None:
    table, column = KeyTable(), np.zeros(800, np.uint64)
    assert table.nbytes == 4 * 1_024
    keys = np.arange(1, 770).astype(np.uint64)
    enter(table, keys[:767], column, 0)
    enter(table, keys[767:768], column, 767)
    assert table.nbytes == 4 * 1_024  # 768 of 1,024
    enter(table, keys[768:], column, 768)
    assert table.nbytes == 4 * 2_048
    one = KeyTable()
    for slot, key in enumerate(keys.tolist()):
        assert one.nbytes == 4 * 1_024
        one.place_one(key, slot, one.find_one(key, column[:slot])[1], column)
    assert one.nbytes == 4 * 2_048


def test_many_keys_at_once_make_the_table_as_large_as_they_need() -> None:
    table, column = KeyTable(), np.zeros(10_000, np.uint64)
    enter(table, np.arange(10_000).astype(np.uint64), column, 0)
    assert table.nbytes == 4 * 16_384
    assert table.find(column, column)[0].tolist() == list(range(10_000))
