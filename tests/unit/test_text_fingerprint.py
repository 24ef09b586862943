"""Fingerprints of pages: what changes them, what does not, and how near near pages come."""

from __future__ import annotations

import random

import numpy as np
import pytest

from clew.model import Fingerprint
from clew.text.fingerprint import simhash
from support import html_page, uints

TEXT = "<html lang=en><title>Boats</title><p>{} <a href='/x'>x</a> <a href='y'>y</a>"


def prints(body: str, url: str = "http://a.test/dir/page") -> Fingerprint:
    return html_page(body, url).fingerprint


def by_hand(ids: list[int]) -> int:
    """SimHash as it is defined: each bit by the majority of the terms."""
    hashes = [number * 0x9E3779B97F4A7C15 % 2**64 for number in ids]
    wanted = [sum(number >> (8 * (7 - at // 8)) >> (7 - at % 8) & 1 for number in hashes) for at in range(64)]
    swapped = [wanted[8 * (7 - at // 8) + at % 8] for at in range(64)]  # little-endian bytes, read from the first
    return int("".join("1" if 2 * votes > len(ids) else "0" for votes in swapped), 2)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 254, 255, 256, 511, 1000])
def test_a_simhash_is_the_majority_of_its_terms(count: int) -> None:
    rng = random.Random(count)
    ids = sorted(rng.sample(range(1, 2**32 - 1), count))
    assert simhash(uints(*ids)) == by_hand(ids)


def test_pages_that_share_their_terms_have_near_simhashes() -> None:
    rng = np.random.default_rng(3)
    near, far = [], []
    for _ in range(100):
        ids = rng.integers(1, 2**32 - 1, 400).astype(np.uint32)
        few, half = ids.copy(), ids.copy()
        few[:2], half[:200] = rng.integers(1, 2**32 - 1, 2), rng.integers(1, 2**32 - 1, 200)
        near.append((simhash(np.unique(ids)) ^ simhash(np.unique(few))).bit_count())
        far.append((simhash(np.unique(ids)) ^ simhash(np.unique(half))).bit_count())
    assert np.mean(np.array(near) <= 3) > 0.8
    assert min(far) > 3


def test_text_and_links_make_the_content() -> None:
    page = prints(TEXT.format("sailing"))
    assert page == prints(TEXT.format("sailing"))
    assert prints(TEXT.format("sailing").replace("y'>", "z'>")).content != page.content
    assert prints(TEXT.format("sailing").replace("y'>", "z'>")).text == page.text
    other = prints(TEXT.format("rowing"))
    assert other.content != page.content and other.text != page.text
    assert prints(TEXT.format("sailing 12345")).text != page.text, "numbers count, though they are no terms"


def test_markup_and_the_order_of_links_do_not() -> None:
    page = prints(TEXT.format("sailing"))
    script = TEXT.format("sailing").replace("<p>", "<script>var token = 17</script><p class='t17'>")
    assert prints(script).content == page.content
    assert prints(script).body != page.body
    one, two = "<p>a <a href='/x'>m</a> <a href='/y'>m</a>", "<p>a <a href='/y'>m</a> <a href='/x'>m</a>"
    assert prints(one).content == prints(two).content


@pytest.mark.parametrize("url", ["https://a.test/dir/page", "http://www.a.test/dir/page", "https://www.a.test/dir/p2"])
def test_a_mirror_has_the_content_of_its_page(url: str) -> None:
    own = TEXT.format("sailing") + f"<a href='http://{url.split('/')[2]}/z'>z</a>"
    assert prints(own, url).content == prints(TEXT.format("sailing") + "<a href='https://a.test/z'>z</a>").content


def test_a_home_page_under_both_its_names_has_one_content() -> None:
    menu = "<p>sailing <a href='/'>home</a> <a href='/about'>about</a>"
    assert prints(menu, "http://a.test/").content == prints(menu, "http://a.test/index.html").content


def test_links_to_other_directories_make_other_content() -> None:
    assert (
        prints(TEXT.format("a"), "http://a.test/2024/").content != prints(TEXT.format("a"), "http://a.test/1/").content
    )


def test_terms_are_those_of_title_and_body() -> None:
    page = html_page("<html lang=en><title>Boats</title><p>boats sail and boats race")
    assert page.fingerprint.terms == len(np.unique(np.concatenate([page.title_ids, page.leaves.ids]))) == 3
    assert page.fingerprint.title and not html_page("<p>boats").fingerprint.title
