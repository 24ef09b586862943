"""Columns of many links at once are those of each link."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.model import LinkKind
from clew.store.columns import file_levels, same_host
from clew.text.reader import seed_links
from clew.urls.canonical import file_level, host, keys, url_words

paths = st.text("a/.?", max_size=12)


@given(st.lists(paths, max_size=5))
def test_file_levels(found):
    urls = [f"http://h.test/{path}" for path in found]
    levels = file_levels(tuple(urls))
    assert levels.dtype == np.int32
    assert levels.tolist() == [file_level(url) for url in urls]


def test_same_host():
    urls = ["http://a.test/x", "http://b.test/", "http://a.test/y"]
    links = seed_links(urls, keys(urls), [host(url) for url in urls], url_words, LinkKind.SEED)
    assert same_host(links, "a.test").tolist() == [True, False, True]
    assert same_host(links, "c.test").tolist() == [False, False, False]
    none = seed_links([], keys([]), [], url_words, LinkKind.SEED)
    assert same_host(none, "a.test").dtype == np.bool_
    assert len(same_host(none, "a.test")) == 0
