"""Rations, cache and ledger; providers from settings."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ConfigError, InputError, StoreError
from clew.web.providers.base import Hit, ProviderError, SearchProvider
from clew.web.providers.ration import Call, Rationed, RationError
from clew.web.providers.registry import make


class Fake(SearchProvider):
    """Knows seven hits; ``fail`` makes it fail."""

    name = "fake"

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.fail = False

    async def search(self, query: str, limit: int) -> list[Hit]:
        self.asked.append((query, limit))
        await asyncio.sleep(0)
        if self.fail:
            raise ProviderError(self.name, query, "broken", "mend it")
        return [Hit(f"http://{n}.test/", "t", "s", n + 1) for n in range(7)][:limit]

    async def close(self) -> None: ...


class Times:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.time = 1_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


def rationed(fake: Fake, folder: Path, times: Times, **settings: Any) -> Rationed:
    return Rationed(fake, folder / "r.sqlite", now=times.now, sleep=times.sleep, **settings)


async def test_answers_are_kept_beyond_the_session(tmp_path: Path) -> None:
    fake, times = Fake(), Times()
    first = rationed(fake, tmp_path, times)
    hits = await first.search("q", 5)
    assert await first.search("q", 2) == hits[:2]  # fewer: known
    await first.close()
    again = rationed(fake, tmp_path, times)
    assert await again.search("q", 5) == hits
    assert fake.asked == [("q", 5)]
    assert len(await again.search("q", 9)) == 7  # more: must be asked
    assert len(await again.search("q", 500)) == 7  # there were no more than 7
    assert fake.asked == [("q", 5), ("q", 9)]
    await again.close()


async def test_ledger_has_a_row_a_call(tmp_path: Path) -> None:
    fake, times = Fake(), Times()
    made = rationed(fake, tmp_path, times)
    await made.search("a", 2)
    times.time = 1_005.0
    await made.search("a", 2)
    fake.fail = True
    with pytest.raises(ProviderError):
        await made.search("b", 2)
    assert made.ledger() == [
        Call(1_000.0, "fake", "search", "a", 2, False),
        Call(1_005.0, "fake", "search", "a", 2, True),
        Call(1_005.0, "fake", "search", "b", 0, False, "fake: broken (b); mend it"),
    ]
    fake.fail = False
    assert len(await made.search("b", 2)) == 2  # failures are not kept
    await made.close()


async def test_the_ration_ends(tmp_path: Path) -> None:
    fake, times = Fake(), Times()
    made = rationed(fake, tmp_path, times, calls=2)
    for query in ("a", "b", "a", "a"):
        await made.search(query, 3)
    assert made.left == 0
    await made.close()
    made = rationed(fake, tmp_path, times, calls=2)
    with pytest.raises(RationError, match="its ration of 2 calls is used up"):
        await made.search("c", 3)
    assert len(await made.search("a", 3)) == 3 and len(fake.asked) == 2
    await made.close()
    made = rationed(fake, tmp_path, times, calls=3)
    assert made.left == 1 and await made.search("c", 1)
    await made.close()


async def test_spacing_is_kept_between_calls_but_not_for_kept_answers(tmp_path: Path) -> None:
    fake, times = Fake(), Times()
    made = rationed(fake, tmp_path, times, spacing=3.0)
    await made.search("a", 1)
    await made.search("a", 1)
    assert times.slept == []
    times.time += 1.0
    await made.search("b", 1)
    await made.close()
    made = rationed(fake, tmp_path, times, spacing=3.0)
    await made.search("c", 1)
    assert times.slept == [2.0, 3.0]
    times.time -= 10_000  # the clock was set back: never more than the spacing
    await made.search("d", 1)
    assert times.slept == [2.0, 3.0, 3.0]
    await made.close()


async def test_the_same_question_twice_at_once_is_one_call(tmp_path: Path) -> None:
    fake = Fake()
    made = rationed(fake, tmp_path, Times())
    first, second = await asyncio.gather(made.search("q", 3), made.search("q", 3))
    assert first == second and fake.asked == [("q", 3)]
    await made.close()


async def test_what_a_provider_cannot_do_and_files_that_are_no_ledger(tmp_path: Path) -> None:
    made = rationed(Fake(), tmp_path, Times())
    with pytest.raises(ProviderError, match="fake: knows no back-links"):
        await made.backlinks("http://a.test/", 3)
    assert made.ledger() == []
    await made.close()
    (tmp_path / "r.sqlite").write_bytes(b"rubbish" * 1_000)
    with pytest.raises(StoreError, match="is no ledger of providers"):
        rationed(Fake(), tmp_path, Times())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "a provider has no kind; the kinds are searxng, mediawiki, json, edgelist"),
        ({"kind": "google"}, "there is no provider 'google'; choose one of: edgelist, json, mediawiki, searxng"),
        ({"kind": 3}, "a provider has no kind"),
        ({"kind": "searxng"}, "provider searxng needs the setting 'url'; see docs/worlds.md"),
        ({"kind": "searxng", "url": 3}, "Expected `str`, got `int`"),
        ({"kind": "searxng", "url": "localhost:8888"}, "must begin with http:// or https://"),
        ({"kind": "searxng", "url": "http://"}, "name a server"),
        (
            {"kind": "searxng", "url": "http://a.test", "lang": "en"},
            "no setting 'lang' .did you mean language.*; it has",
        ),
        ({"kind": "searxng", "url": "http://a.test", "calls": -1}, "provider searxng calls: Expected `int` >= 0"),
        ({"kind": "searxng", "url": "http://a.test", "timeout": 0}, "provider searxng timeout: Expected `float` > 0"),
    ],
)
def test_wrong_settings_are_told_in_words(settings: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=words):
        make(settings, tmp_path)
    assert list(tmp_path.iterdir()) == []


async def test_make(tmp_path: Path) -> None:
    made = make({"kind": "searxng", "url": "http://localhost:8888/", "calls": 5}, tmp_path)
    assert made.name == "searxng http://localhost:8888" and made.left == 5
    await made.close()
    with pytest.raises(InputError, match="there is no edge list"):
        make({"kind": "edgelist", "path": "missing.gz"}, tmp_path)
