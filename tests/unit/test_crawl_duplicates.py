"""Pages that repeat another one: counted once, followed once, stored once; and pages that only look like it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from traps_web import Answers, MadeUp, crawl_of, stored

from clew.crawl.printtable import PrintTable
from clew.model import Fingerprint
from clew.store.records import PrintRow, VisitRow

SEED = "http://a.test/"


def words(number: int, count: int = 120) -> str:
    """A text of so many words, of its own for each number."""
    rng = random.Random(number)
    return " ".join("".join(rng.choices("abcdefghijklmnoprstuvw", k=6)) for _ in range(count))


def html(text: str, *links: str, title: str = "Boats", head: str = "") -> str:
    anchors = "".join(f"<a href='{link}'>more</a> " for link in links)
    return f"<html lang=en><head>{head}<title>{title}</title></head><body><p>sailing {text}</p>{anchors}</body></html>"


def visits(pages: dict[str, str] | Answers, folder: Path, **given: Any) -> dict[str, VisitRow]:
    """The visits of a crawl from the seed, by URL."""
    answers = pages.get if isinstance(pages, dict) else pages
    crawl_of(answers, [SEED], folder=folder, **given).run_sync(200)
    store = stored(folder)
    try:
        return {row.url: row for row in store.visits.rows()}
    finally:
        store.close()


def test_the_same_page_counts_once_and_says_what_it_repeats(tmp_path: Path) -> None:
    pages = {SEED: html(words(0), "/one", "/two"), "http://a.test/one": html("harbour", "/x")}
    pages |= {"http://a.test/two": html("harbour", "/x"), "http://a.test/x": html("regatta")}
    rows = visits(pages, tmp_path)
    one, two = rows["http://a.test/one"], rows["http://a.test/two"]
    assert (one.relevant, one.duplicate_of, one.reason) == (True, 0, "")
    assert (two.relevant, two.duplicate_of) == (False, one.number)
    assert two.reason == "same page as http://a.test/one (same text and links)"
    assert two.relevance == one.relevance, "it is still about the topic"


def test_tokens_of_a_request_make_no_other_page(tmp_path: Path) -> None:
    token = "<meta name=csrf-token content={}><script>var t = '{}'</script>"
    pages = {SEED: html(words(0), "/one", "/two")}
    for name, value in (("one", "9f3a"), ("two", "77b1")):
        pages[f"http://a.test/{name}"] = html("harbour", "/x", head=token.format(value, value))
    rows = visits(pages, tmp_path)
    assert rows["http://a.test/two"].duplicate_of == rows["http://a.test/one"].number


def test_the_same_short_text_with_other_links_is_another_page(tmp_path: Path) -> None:
    pages = {SEED: html(words(0), "/1", "/2")}
    pages |= {"http://a.test/1": html("photo", "/p1"), "http://a.test/2": html("photo", "/p2")}
    pages |= {"http://a.test/p1": html("left"), "http://a.test/p2": html("right")}
    rows = visits(pages, tmp_path)
    assert not any(row.duplicate_of for row in rows.values())
    assert len(rows) == 5 and all(row.relevant for row in rows.values())


def test_nearly_the_same_text_counts_once(tmp_path: Path) -> None:
    text = words(1)
    pages = {SEED: html(words(0), "/one", "/two", "/three"), "http://a.test/one": html(text, "/a")}
    pages |= {"http://a.test/two": html(f"{text} advertisement", "/b"), "http://a.test/three": html(words(2))}
    rows = visits(pages, tmp_path)
    two = rows["http://a.test/two"]
    assert two.duplicate_of == rows["http://a.test/one"].number and not two.relevant
    assert two.reason == "same page as http://a.test/one (nearly the same text)"
    assert rows["http://a.test/three"].duplicate_of == 0


def test_items_of_a_shop_that_share_all_but_their_names_are_pages_of_their_own(tmp_path: Path) -> None:
    frame = words(3, 150)
    items = [f"http://a.test/item?id={n}" for n in range(30)]
    pages = {SEED: html(words(0), *items)}
    for n, url in enumerate(items):
        pages[url] = html(f"{frame} item {n}", SEED, title=f"Item {n} at the shop")
    rows = visits(pages, tmp_path)
    assert len(rows) == 31 and not any(row.duplicate_of for row in rows.values())


def test_links_of_a_copy_with_other_links_are_followed_once_only(tmp_path: Path) -> None:
    """Every page sells a new ticket; the pages are the same under each."""

    def answers(url: str) -> str | None:
        path, _, ticket = url.partition("//a.test/")[2].partition("?t=")
        number = int(path or 0)
        if number > 4:
            return None
        new = int(ticket or 0) * 7 + number + 1
        return html(words(number), *(f"/{other}?t={new}" for other in range(1, 5)), title=f"Page {number}")

    world = MadeUp(answers)
    crawl_of(world, [SEED], folder=tmp_path).run_sync(2000)
    assert len(world.asked) < 100
    store = stored(tmp_path)
    assert sum(row.relevant for row in store.visits.rows()) == 5


def test_new_links_of_a_copy_are_not_lost(tmp_path: Path) -> None:
    text = words(5)
    pages = {SEED: html(words(0), "/v1/", "/v2/"), "http://a.test/v1/": html(text, "intro")}
    pages |= {"http://a.test/v2/": html(text, "intro"), "http://a.test/v1/intro": html(words(6))}
    pages |= {"http://a.test/v2/intro": html(words(7))}
    rows = visits(pages, tmp_path)
    assert rows["http://a.test/v2/"].duplicate_of == rows["http://a.test/v1/"].number
    assert rows["http://a.test/v2/intro"].relevant


def test_a_mirror_is_found_page_by_page(tmp_path: Path) -> None:
    pages = {SEED: html(words(0), "http://www.b.test/", "https://b.test/")}
    for start in ("http://www.b.test/", "https://b.test/"):
        pages[start] = html(words(1), f"{start}x", "/y")
        pages[f"{start}x"] = html(words(2))
    rows = visits(pages, tmp_path)
    assert rows["https://b.test/"].duplicate_of == rows["http://www.b.test/"].number
    assert "https://b.test/x" not in rows


def test_a_canonical_url_is_named_as_the_page_that_is_repeated(tmp_path: Path) -> None:
    canonical = "<link rel=canonical href='/page'>"
    pages = {SEED: html(words(0), "/page", "/page?sort=asc")}
    pages |= {"http://a.test/page": html("one"), "http://a.test/page?sort=asc": html("two", head=canonical)}
    rows = visits(pages, tmp_path)
    twin = rows["http://a.test/page?sort=asc"]
    assert twin.duplicate_of == rows["http://a.test/page"].number and "rel=canonical" in twin.reason


def test_empty_pages_repeat_nothing(tmp_path: Path) -> None:
    pages = {SEED: html(words(0), "/1", "/2"), "http://a.test/1": "<p>", "http://a.test/2": "<div>"}
    assert not any(row.duplicate_of for row in visits(pages, tmp_path).values())


def copies() -> Answers:
    """A hub of 60 pages, of which every second repeats the one before."""

    def answers(url: str) -> str | None:
        path = url.partition("//a.test/")[2]
        if not path:
            return html(words(0), *(f"/{n}" for n in range(1, 61)))
        if not path.isdecimal():
            return None
        return html(words(int(path) // 2 + 1), f"/{int(path) + 1}", title=str(int(path) // 2))

    return answers


def test_a_crawl_that_was_stopped_finds_the_same_copies(tmp_path: Path) -> None:
    crawl_of(copies(), [SEED], folder=tmp_path / "whole").run_sync(50)
    for pages in (1, 7, 8, 23, 50):
        crawl_of(copies(), [SEED], folder=tmp_path / "parts").run_sync(pages)
    whole, parts = (stored(tmp_path / name) for name in ("whole", "parts"))
    found = [(row.url, row.relevant, row.duplicate_of) for row in whole.visits.rows()]
    assert found == [(row.url, row.relevant, row.duplicate_of) for row in parts.visits.rows()]
    assert sum(original > 0 for _, _, original in found) > 10


# -- settings -----------------------------------------------------------------------------------------------


def test_finding_copies_can_be_switched_off(tmp_path: Path) -> None:
    rows = visits(copies(), tmp_path, settings={"duplicates": {"find": False}})
    assert not any(row.duplicate_of for row in rows.values())


def test_bits_say_how_near_is_near(tmp_path: Path) -> None:
    text = words(1)
    pages = {SEED: html(words(0), "/one", "/two"), "http://a.test/one": html(text, "/a")}
    pages["http://a.test/two"] = html(f"{text} harbour rules", "/b")
    rows = visits(pages, tmp_path, settings={"duplicates": {"bits": 0}})
    assert rows["http://a.test/two"].duplicate_of == 0


def test_terms_say_how_long_a_page_must_be(tmp_path: Path) -> None:
    text = words(1)
    pages = {SEED: html(words(0), "/one", "/two"), "http://a.test/one": html(text, "/a")}
    pages["http://a.test/two"] = html(f"{text} advertisement", "/b")
    rows = visits(pages, tmp_path, settings={"duplicates": {"terms": 1000}})
    assert rows["http://a.test/two"].duplicate_of == 0


def test_only_so_many_pages_are_remembered(tmp_path: Path) -> None:
    pages = {SEED: html(words(0), *(f"/{n}" for n in range(1, 12)))}
    pages |= {f"http://a.test/{n}": html(words(n % 10 + 1), title=str(n % 10)) for n in range(1, 12)}
    rows = visits(pages, tmp_path, settings={"duplicates": {"remember": 5}})
    assert not any(row.duplicate_of for row in rows.values())


# -- the table ----------------------------------------------------------------------------------------------


def print_of(number: int, rng: random.Random) -> PrintRow:
    hashes = [rng.getrandbits(64) for _ in range(4)]
    return PrintRow(number, Fingerprint(*hashes, 0, 100), 0, False)


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_all_fingerprints_within_three_bits_are_found(bits: int) -> None:
    rng = random.Random(bits)
    table = PrintTable(10_000)
    rows = [print_of(number, rng) for number in range(1, 3001)]
    for row in rows:
        table.add(row)
    for row in rng.sample(rows, 200):
        flipped = row.fingerprint.near
        for place in rng.sample(range(64), bits):
            flipped ^= 1 << place
        assert table.near(row.fingerprint._replace(near=flipped), bits, 50) == row.number
        assert table.near(row.fingerprint._replace(near=flipped), bits - 1, 50) == 0
        assert table.near(row.fingerprint._replace(near=flipped), bits, 101) == 0
        assert table.near(row.fingerprint._replace(near=flipped, title=7), bits, 50) == row.number


def test_a_full_table_knows_the_last_rows_and_those_that_a_new_one_would_know() -> None:
    rng = random.Random(1)
    rows = [print_of(number, rng) for number in range(1, 500)]
    old, new = PrintTable(100), PrintTable(100)
    for row in rows:
        old.add(row)
    for row in rows[-150:]:
        new.add(row)
    for row in rows:
        known = row.number if row.number >= 400 else 0
        for table in (old, new):
            assert table.same(row.fingerprint.content) == table.same_text(row.fingerprint.text) == known
            assert table.near(row.fingerprint, 3, 1) == known
            assert (table.get(row.number) == row) == bool(known)


def test_titles_that_differ_tell_near_pages_apart() -> None:
    table = PrintTable(10)
    table.add(PrintRow(1, Fingerprint(1, 2, 3, near=77, title=5, terms=100), 0, False))
    assert table.near(Fingerprint(near=77, title=6, terms=100), 3, 50) == 0
    assert table.near(Fingerprint(near=77, title=5, terms=100), 3, 50) == 1
    assert table.near(Fingerprint(near=77, title=0, terms=100), 3, 50) == 1
