"""Tables that are kept in the user's cache folder: made once, whole or not at all, and never in the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clew.judges import background, kept

PACKAGES = ("numpy",)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "clew"


class Maker:
    """Makes a table and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> kept.Arrays:
        self.times += 1
        return {"ids": np.arange(3, dtype=np.uint32), "shares": np.array([1 / 3, 1 / 7, 0.1])}


def table(make: Maker, path: Path | None, *, sound: bool = True) -> kept.Arrays:
    found = kept.table(path, make, lambda arrays: sound, ("ids", "shares"))
    assert found is not None
    assert {name: one.dtype for name, one in found.items()} == {"ids": np.uint32, "shares": np.float64}
    assert found["ids"].tolist() == [0, 1, 2] and found["shares"].tolist() == [1 / 3, 1 / 7, 0.1]
    return found


def test_a_table_is_made_once_and_read_as_it_was(cache: Path) -> None:
    make, path = Maker(), kept.place("table", PACKAGES, 1)
    for _ in range(3):
        table(make, path)
    assert make.times == 1
    assert path is not None and path.parent == cache and list(cache.iterdir()) == [path]


def test_a_damaged_or_unsound_table_is_made_again() -> None:
    make, path = Maker(), kept.place("table", PACKAGES, 1)
    table(make, path)
    assert path is not None
    whole = path.read_bytes()
    for damaged in (b"", b"no table", whole[: len(whole) // 2], whole.replace(np.float64(0.1).tobytes(), bytes(8))):
        path.write_bytes(damaged)
        before = make.times
        table(make, path)
        assert make.times == before + 1 and path.read_bytes() == whole
    table(make, path, sound=False)
    assert make.times == before + 2


def test_tables_of_other_facts_and_packages_are_kept_apart() -> None:
    places = {kept.place(name, packages, *facts) for name, packages, facts in (
        ("table", PACKAGES, (1,)), ("table", PACKAGES, (2,)), ("table", PACKAGES, (1, "en")),
        ("table", ("numpy", "pytest"), (1,)), ("other", PACKAGES, (1,)),
    )}  # fmt: skip
    assert len(places) == 5 and None not in places


def test_without_a_place_each_process_makes_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept.place("table", ("no-such-package",), 1) is None
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    for path in (None, kept.place("table", PACKAGES, 1)):
        make = Maker()
        table(make, path)
        table(make, path)
        assert make.times == 2


def test_what_cannot_be_made_is_not_kept(cache: Path) -> None:
    assert kept.table(kept.place("table", PACKAGES, 1), lambda: None, lambda arrays: True, ("ids",)) is None
    assert not cache.exists()


def test_general_text_is_counted_once_a_language(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {code: background.frequencies.__wrapped__(code) for code in ("sv", "nl")}
    assert counted["sv"][0].tolist() != counted["nl"][0].tolist()
    monkeypatch.setattr(background, "_counted", lambda language: pytest.fail(f"{language} is counted again"))
    for code, (ids, shares) in counted.items():
        again = background.frequencies.__wrapped__(code)
        assert again[0].tobytes() == ids.tobytes() and again[1].tobytes() == shares.tobytes()


def test_a_table_that_cannot_be_moved_into_place_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken" / "full").mkdir(parents=True)
    kept._keep({"ids": np.arange(3)}, tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    kept._keep({"ids": np.arange(3)}, tmp_path / "free.npz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["free.npz", "taken"]


def test_what_is_no_archive_of_arrays_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    assert kept._read(path, ["ids"]) is None
