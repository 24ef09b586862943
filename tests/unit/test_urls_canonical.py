"""Canonical URLs: values worked by hand, the quick way against the slow one, keys, what is read off URLs."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

import ada_url
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.errors import UrlError
from clew.urls import canonical as module
from clew.urls.canonical import (
    LONGEST,
    Canonicaliser,
    canonical,
    file_level,
    host,
    key,
    keys,
    origin,
    parted,
    scheme,
    url_words,
)

DROPPED = ("utm_*", "fbclid", "phpsessid", "jsessionid", "aspsessionid*")

# -- values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "right"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTP://EXAMPLE.Org/Path", "http://example.org/Path"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://example.org:0080/", "http://example.org/"),
        ("http://example.org:/", "http://example.org/"),
        ("http://example.org/a/../b/./c/%2e%2E/d", "http://example.org/b/d"),
        ("http://example.org/../..", "http://example.org/"),
        ("http://example.org/a//b/", "http://example.org/a//b/"),
        ("http://example.org\\a\\b", "http://example.org/a/b"),
        ("  http://example.org/a b\n", "http://example.org/a%20b"),
        ("ht\ntp://exa\tmple.org/a\r\nb", "http://example.org/ab"),
        ("http://münchen.example/straße", "http://xn--mnchen-3ya.example/stra%C3%9Fe"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://ex%41mple.org/", "http://example.org/"),
        ("http://example。org/", "http://example.org/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[0:0::1]:80/", "http://[::1]/"),
        # dots at the end of the host
        ("http://www.example.com./x", "http://www.example.com/x"),
        ("http://www.example.com.../x", "http://www.example.com/x"),
        ("http://www.example.com.:8080/x", "http://www.example.com:8080/x"),
        ("http://www.example.com.:80/x", "http://www.example.com/x"),
        ("http://0x7f.1../", "http://127.0.0.1/"),
        # credentials
        ("http://user:secret@example.org/x", "http://example.org/x"),
        ("http://user@example.org.:81/x", "http://example.org:81/x"),
        ("http://a@b@[::1]:81/", "http://[::1]:81/"),
        ("http://good.example@evil.example/", "http://evil.example/"),
        # fragment and empty query
        ("http://example.org/a#b?c#d", "http://example.org/a"),
        ("http://example.org/a?#b", "http://example.org/a"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://example.org?", "http://example.org/"),
        ("http://example.org/a??", "http://example.org/a??"),
        ("http://example.org/a?b?", "http://example.org/a?b?"),
        # parameters stay as they are
        ("http://example.org/?b=2&a=1&b=2&&", "http://example.org/?b=2&a=1&b=2&&"),
        ("http://example.org/?q=a+b&r='", "http://example.org/?q=a+b&r=%27"),
        ("http://example.org/?utm_source=x", "http://example.org/?utm_source=x"),
        # escapes
        ("http://example.org/%41%7E%2D%5f%2e%30", "http://example.org/A~-_.0"),
        ("http://example.org/%2f%3f%23%25?%26%3d%2b", "http://example.org/%2F%3F%23%25?%26%3D%2B"),
        ("http://example.org/%c3%a9?%C3%a9", "http://example.org/%C3%A9?%C3%A9"),
        ("http://example.org/?key=%252fx", "http://example.org/?key=%252fx"),
        ("http://example.org/%2541", "http://example.org/%2541"),
        ("http://example.org/%25%34%31", "http://example.org/%2541"),
        ("http://example.org/100%", "http://example.org/100%"),
        ("http://example.org/%zz%4", "http://example.org/%zz%4"),
        ("http://example.org/%%34%31", "http://example.org/%%34%31"),  # decoded it would read %41
        ("http://example.org/%a%62", "http://example.org/%a%62"),  # decoded it would read %ab
        ("http://example.org/%%c3%a9", "http://example.org/%%C3%A9"),
        ("http://example.org/a/%2e%2e%2e/b", "http://example.org/a/.../b"),
        ("http://example.org/\ud800", "http://example.org/%EF%BF%BD"),
        ("http://example.org/a\x00b", "http://example.org/a%00b"),
    ],
)
def test_canonical(url: str, right: str):
    assert canonical(url) == right
    assert canonical(right) == right
    assert Canonicaliser()(url, "http://other.example/") == right


@pytest.mark.parametrize(
    ("href", "right"),
    [
        ("", "http://h.example/a/b.html?q=1"),
        ("#part", "http://h.example/a/b.html?q=1"),
        ("?p=2", "http://h.example/a/b.html?p=2"),
        ("?", "http://h.example/a/b.html"),
        ("c.html", "http://h.example/a/c.html"),
        ("./c.html#x", "http://h.example/a/c.html"),
        ("../c.html", "http://h.example/c.html"),
        ("../../../c.html", "http://h.example/c.html"),
        ("..", "http://h.example/"),
        (".", "http://h.example/a/"),
        ("..//c", "http://h.example//c"),
        ("/c", "http://h.example/c"),
        ("/", "http://h.example/"),
        ("//g.example/c", "http://g.example/c"),
        ("///g.example/c", "http://g.example/c"),
        ("/\\g.example/c", "http://g.example/c"),
        ("/\t/g.example/c", "http://g.example/c"),
        ("\\c", "http://h.example/c"),
        (" c.html\n", "http://h.example/a/c.html"),
        ("http:c", "http://h.example/a/c"),
        ("HTTP:c", "http://h.example/a/c"),
        ("https:c", "https://c/"),  # another scheme: nothing to be relative to
        ("wiki/Talk:X", "http://h.example/a/wiki/Talk:X"),
        ("./Talk:X", "http://h.example/a/Talk:X"),
        ("?t=a:b", "http://h.example/a/b.html?t=a:b"),
        ("é:x", "http://h.example/a/%C3%A9:x"),
        ("c;p=1", "http://h.example/a/c;p=1"),
    ],
)
def test_relative(href: str, right: str):
    base = "http://h.example/a/b.html?q=1#r"
    assert canonical(href, base) == right
    assert Canonicaliser()(href, base) == right


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://[", "'[' is no host name"),
        ("http://", "no host"),
        ("http://?q", "no host"),
        ("http://./", "no host"),
        ("http://user@/", "no host"),
        ("http://a b/", "'a b' is no host name"),
        ("http://256.1.1.1/", "'256.1.1.1' is no host name"),
        ("http://a:99999/", "'99999' is no port"),
        ("http://a:x/", "'x' is no port"),
        ("javascript:alert(1)", "the scheme is javascript"),
        (" java\nscript:alert(1)", "the scheme is javascript"),
        ("JavaScript:void(0)", "the scheme is javascript"),
        ("data:text/html,x", "the scheme is data"),
        ("mailto:x@example.org", "the scheme is mailto"),
        ("tel:+49", "the scheme is tel"),
        ("ftp://example.org/", "the scheme is ftp"),
        ("file:///etc/passwd", "the scheme is file"),
        ("blob:http://example.org/1", "the scheme is blob"),
        ("http://example.org/" + "a" * 100_000, "longer than 65,536"),
        ("http://example.org/" + "é" * 20_000, "longer than 65,536 characters when written in full"),
    ],
)
@pytest.mark.parametrize("base", [None, "http://h.example/"])
def test_refused(url: str, reason: str, base: str | None):
    with pytest.raises(UrlError) as caught:
        canonical(url, base)
    assert reason in caught.value.reason and caught.value.url == url
    call = Canonicaliser()
    assert call(url, base or "") is None and call(url, "http://h.example/") is None
    assert call.why_not(url, base or "")


@pytest.mark.parametrize(
    ("url", "base", "reason"),
    [
        ("example.org", None, "does not begin with http:// or https://"),
        ("//example.org", "", "does not begin with http:// or https://"),
        ("", None, "does not begin with http:// or https://"),
        ("x", "nonsense", "relative to 'nonsense'"),
        ("http://example.org/", "nonsense", "relative to 'nonsense'"),
        ("x", "about:blank", "relative to 'about:blank'"),
        ("x", "file:///a/b", "the scheme is file"),
        ("//[", "http://example.org/", "'[' is no host name"),
    ],
)
def test_refused_with_its_base(url: str, base: str | None, reason: str):
    with pytest.raises(UrlError) as caught:
        canonical(url, base)
    assert reason in caught.value.reason
    call = Canonicaliser()
    assert call(url, base or "") is None and reason in call.why_not(url, base or "")


# -- what users of other crawlers reported (cases.md) -------------------------------------------------------


def test_case_1_letters_of_the_path_count():
    upper, lower = canonical("http://s.example/Product/ABC"), canonical("http://s.example/product/abc")
    assert upper != lower and key(upper) != key(lower)


@pytest.mark.parametrize("path", ["100%25", "a%23b", "%25%23", "%2525", "%2523x", "%25", "x%2Fy"])
def test_case_2_escapes_that_mean_something_stay(path: str):
    url = f"http://s.example/{path}"
    assert canonical(url) == url and Canonicaliser()(f"/{path}", "http://s.example/") == url


def test_case_3_doubly_escaped_values_never_change():
    url = first = "http://s.example/?key=%252fx"
    for _ in range(5):
        url = canonical(url)
        assert url == first


def test_case_4_dot_behind_the_host_in_a_redirect():
    target = Canonicaliser()("http://www.example.com./x", "http://example.com/")
    assert target == "http://www.example.com/x" and host(target) == "www.example.com"


def test_case_5_base_href():
    call = Canonicaliser()
    page = "http://s.example/dir/page.html"
    forum = call("/forum/", page)
    assert forum == "http://s.example/forum/" and call("t.html", forum) == "http://s.example/forum/t.html"
    myself = call("myself.html", forum)
    assert myself and call("?p=v", myself) == "http://s.example/forum/myself.html?p=v"


def test_case_6_links_are_relative_to_where_a_redirect_led():
    call = Canonicaliser()
    reached = call("/dir/b", "http://s.example/a")
    assert reached and call("c", reached) == "http://s.example/dir/c"


def test_case_7_bad_hrefs_lose_only_themselves():
    bad = [
        "http://[",
        "javascript:x",
        "data:,x",
        "mailto:a@b",
        "tel:1",
        "a" * 100_000,
        "http://s.example/" + "é" * 100_000,
    ]
    call, mixed = Canonicaliser(), [href for i, one in enumerate(bad) for href in (f"good{i}.html", one)]
    found = [call(href, "http://s.example/") for href in mixed]
    assert found[::2] == [f"http://s.example/good{i}.html" for i in range(len(bad))]
    assert found[1::2] == [None] * len(bad)
    assert all(call.why_not(href, "http://s.example/") for href in bad)


def test_case_34_longer_than_a_file_name():
    url = "http://s.example/" + "a" * 300 + "?" + "b" * 600
    call = Canonicaliser()
    assert call(url, "http://s.example/") == canonical(url) == url
    assert key(url) != key(url + "b") and file_level(url) == 1


# -- properties ---------------------------------------------------------------------------------------------

PIECES = [
    *("http://", "https://", "HTTP://", "http:", "//", "/", "\\", ".", "..", "./", "../", "%2e", "/%2E%2e/", "/.", "?"),
    *("??", "#", "&", "=", ";", ":", "@", "%25", "%2525", "%41", "%7e", "%2f", "%2F", "%zz", "%", "%4", "%a", "%34%31"),
    *("%C3%A9", "%c3", "é", "世", "ß", "\u00ad", "\u3000", "user:pw@", "a", "b", "Z", "0", "1", "x.org", "www.h.com"),
    *(
        "h.org.",
        "a..b",
        "1.2.3.4",
        "0x7f.1",
        "256",
        "[::1]",
        "[",
        "]",
        ":80",
        ":443",
        ":8080",
        "xn--mnchen-3ya",
        "xn--a",
    ),
    *("\t", "\n", "\r", " ", "\x00", "\x1f", "\x7f", "\ud800", "'", '"', "<", ">", "^", "`", "{", "}", "|", "~", "-"),
    *("_", "+", ",", "!", "$", "*", "(", ")", "utm_source=1", "utm_x", "UTM_y=", "jsessionid=2", ";jsessionid=3"),
    *(";JSESSIONID=4;x", "fbclid=", "mailto:", "javascript:", "data:,", "file:", "Talk:", "index.html", "a/b/c/"),
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=8).map("".join)
hrefs = texts | texts.map("http://h.org".__add__) | texts.map("https://www.h.com/".__add__) | texts.map("/".__add__)
BASES = [
    *("http://h.org/", "http://H.org", "https://h.org/a/b/c.html?x=1", "http://u:p@h.org.:80/a;jsessionid=1/b%7e/?"),
    *(
        "http://1.2.3.4/a//b/",
        "http://[::1]:81/x?",
        "https://h.org:8443/x%2e%2e/y/%41",
        "http://h.org/..;jsessionid=1/x/y",
    ),
    *("file:///a/b", "about:blank", "nonsense", ""),
]
bases = st.sampled_from(BASES) | texts.map("http://h.org/".__add__)
thorough = settings(max_examples=500, deadline=None, derandomize=True)


def attempt(url: str, base: str | None = None) -> str | None:
    try:
        return canonical(url, base)
    except UrlError:
        return None


@thorough
@given(hrefs, bases)
@example("http://h.org/%%34%31", "")
@example("http://0x7f.1../", "")
def test_the_canonical_form_is_stable(url: str, base: str):
    found = attempt(url, base)
    if found is not None:
        assert canonical(found) == found
        assert (
            found.isascii() and "#" not in found and "@" not in host(found) and not parted(host(found))[0].endswith(".")
        )
        assert found == f"{scheme(found)}://{host(found)}{found[len(origin(found)) :]}" and file_level(found) >= 0


@thorough
@given(hrefs)
def test_the_meaning_of_escapes_is_kept(url: str):
    """What a server decodes from path and query is what it would decode from the browser's URL."""
    found = attempt(url)
    if found is not None:
        browser = ada_url.URL(url.replace("\ud800", "\ufffd"))
        wanted = browser.pathname + browser.search
        assert unquote_to_bytes(found[len(origin(found)) :]) == unquote_to_bytes(wanted)


def look_alikes(href: str, base: str) -> list[str]:
    """An href, and absolute ones that must not be taken for it."""
    here = attempt(base) or base
    return [href, here.rpartition("/")[0] + "/" + href, here[: here.find("/", 8)] + href, f"/{href}", f"//{href}"]


@thorough
@given(hrefs, st.lists(bases, min_size=1, max_size=3))
@example("http:c", ["http://h.org/a/", "http://g.org/b/"])
@example("é:x", ["http://h.org/a/", "http://g.org/b/"])
@example("mail\tto:x", ["http://h.org/a/", "http://g.org/b/"])
@example("?mailto:x", ["http://h.org/a/", "http://g.org/b/"])
@example("/\t/x", ["http://h.org/a/", "https://h.org/a/"])
def test_the_quick_way_gives_what_the_slow_one_gives(href: str, places: list[str]):
    call = Canonicaliser((), LONGEST)
    for base in places + places:  # the second time from memory
        for one in look_alikes(href, base):
            assert call(one, base) == attempt(one, base)


@pytest.mark.parametrize("way", [str, str.lower])
def test_every_escape_the_quick_way(way: Callable[[str], str]):
    call, base = Canonicaliser(), "http://h.example/"
    escapes = [way(f"%{n:02X}") for n in range(256)]
    for where in ("{}", "x{}y", "x?{}", "{}{}"):
        links = [where.format(escape, escape) for escape in escapes]
        assert [call(href, base) for href in links] == [canonical(href, base) for href in links]


@pytest.mark.parametrize("where", ["{}", "x{}y", "x?a{}b", "x/{}/y", "../{}", "/{}", "?{}"])
def test_every_character_the_quick_way(where: str):
    call, base = Canonicaliser(), "http://h.example/a/b/c"
    links = [where.format(chr(n)) for n in (*range(0x180), 0x3000, 0xFEFF, 0x10FFFF)]
    assert [call(href, base) for href in links] == [attempt(href, base) for href in links]


@thorough
@given(st.lists(st.tuples(hrefs, bases), min_size=1, max_size=4), st.sampled_from([32, 60, 2_000]))
def test_the_quick_way_and_the_reason_agree(links: list[tuple[str, str]], longest: int):
    call = Canonicaliser((*DROPPED, "f*c*d"), longest)
    for href, base in links + links:
        found = call(href, base)
        assert found == Canonicaliser((*DROPPED, "f*c*d"), longest)(href, base)
        assert (found is None) == bool(call.why_not(href, base))
        if found is not None:
            assert len(found) <= longest and call(found, "") == call(found, "http://h.org/") == found
            assert canonical(found) == found


# -- the Canonicaliser --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("href", "right"),
    [
        ("/a?utm_source=x", "/a"),
        ("/a?id=7&utm_source=x", "/a?id=7"),
        ("/a?utm_source=x&id=7&UTM_Medium=y&fbclid", "/a?id=7"),
        ("/a?utm_=1&b", "/a?b"),
        ("/a?%75tm_source=x", "/a"),
        ("/a?PHPSESSID=1&b=2", "/a?b=2"),
        ("/a?ASPSESSIONIDABC=1&b=2", "/a?b=2"),
        ("/a;jsessionid=1F.w2?b=2", "/a?b=2"),
        ("/a;JSESSIONID=1;v=2/b;jsessionid=3/c", "/a;v=2/b/c"),
        ("/x/..;jsessionid=1/b", "/b"),
        ("/a?x=1&jsessionid=2", "/a?x=1"),
        ("/a?b&&utm_x=1&c=", "/a?b&&c="),
        # nothing else is dropped
        ("/a?utm=1&xutm_source=2&fbclid2=3&b=utm_source", "/a?utm=1&xutm_source=2&fbclid2=3&b=utm_source"),
        ("/utm_source=x/fbclid", "/utm_source=x/fbclid"),
        ("/a&utm_source=1", "/a&utm_source=1"),
        ("/a;utm_source=1", "/a;utm_source=1"),
        ("/a;jsessionid", "/a;jsessionid"),
        ("/a?b=;jsessionid=1", "/a?b=;jsessionid=1"),
        ("/a?sid=1&session=2&sort=asc&ref=x", "/a?sid=1&session=2&sort=asc&ref=x"),
        ("/a?b=1?utm_source=2", "/a?b=1?utm_source=2"),
    ],
)
def test_dropped_parameters(href: str, right: str):
    call = Canonicaliser(DROPPED, 2_000)
    assert call(href, "http://s.example/") == f"http://s.example{right}"
    assert call(f"http://s.example{href}#x", "http://o.example/") == f"http://s.example{right}"


def test_wildcards_and_odd_names():
    call = Canonicaliser(("", "a*b*c", "x.y", "[z]", "sé"))
    found = call("/?abc&a1b2c=1&acb=2&ab=3&xAy&x.y=4&[z]&z=5&S%C3%A9=6&=7", "http://s.example/")
    assert found == "http://s.example/?acb=2&ab=3&xAy&z=5&=7"
    assert Canonicaliser(("*",))("/p?a=1&b&=3", "http://s.example/") == "http://s.example/p"


def test_without_jsessionid_in_the_list_paths_keep_it():
    url = "http://s.example/a;jsessionid=1"
    assert Canonicaliser(("utm_*",))(url, "") == url and Canonicaliser(("jsess*",))(url, "") == "http://s.example/a"


def test_awkward_names_cost_no_backtracking():
    call = Canonicaliser(("a*a*a*a*a*b",), 100_000)
    url = "http://s.example/?" + "a" * 60_000
    assert call(url, "http://s.example/") == url


def test_hosts_that_no_name_server_knows_are_not_parsed():
    """Punycode takes time in the square of the length of a host."""
    canonicalise = Canonicaliser()
    for start in ("http://", "//", "http:\\\\", " \thttps://user@"):
        assert canonicalise(start + "漢字" * 600 + "/", "http://a.test/") is None
        assert "its host is longer than 1,000" in canonicalise.why_not(start + "漢字" * 600 + "/", "http://a.test/")
    for path in ("http://a.test/" + "x/" * 900, "//a.test/?" + "x/" * 900, "/" + "漢字" * 90):
        assert canonicalise(path, "http://a.test/") is not None


def test_length_limit():
    call = Canonicaliser((), 40)
    base = "http://s.example/"
    assert call("a" * 23, base) == base + "a" * 23 and call("a" * 24, base) is None
    assert "longer than 40 characters (scope.url_length)" in call.why_not("a" * 24, base)
    assert call("é" * 4, base) is None  # 24 characters when escaped
    assert call("a#" + "b" * 10_000, base) == base + "a"  # a fragment does not count
    assert call("a#" + "b" * LONGEST, base) is None
    assert Canonicaliser((), 200_000)("a" * 150_000, base) == base + "a" * 150_000


def test_what_is_remembered_is_bounded_and_right():
    call = Canonicaliser(DROPPED)
    size = module._MEMO_SIZE
    for n in range(2 * size + size // 2):
        call(f"p{n}", "http://s.example/")
    assert len(call._memo) + len(call._older) <= 2 * size
    assert call("p1", "http://s.example/") == "http://s.example/p1"
    for n in range(module._ORIGINS + 10):
        call(f"http://h{n}.example/", "http://s.example/")
    assert len(call._origins) <= module._ORIGINS
    assert call(f"http://H1.example:80/{n}?utm_x", "http://s.example/") == f"http://h1.example/{n}"


def test_copies_for_workers():
    call = Canonicaliser(DROPPED, 100)
    call("/a?utm_x=1", "http://s.example/")
    copy = pickle.loads(pickle.dumps(call))
    assert (
        copy("/a?utm_x=1&b", "http://s.example/") == "http://s.example/a?b"
        and copy("x" * 100, "http://s.example/") is None
    )
    assert len(pickle.dumps(call)) < 1_000  # what is remembered stays behind


# -- keys ---------------------------------------------------------------------------------------------------


def test_key_is_the_same_for_ever():
    digest = bytes.fromhex("40996f077a4e5125")  # printf http://example.org/ | b2sum -l 64
    assert key("http://example.org/") == int.from_bytes(digest, "little")


def test_keys_are_the_column_of_key():
    urls = [f"http://s.example/{n}" for n in range(1_000)]
    found = keys(urls)
    assert (
        found.dtype == np.uint64 and found.tolist() == [key(url) for url in urls] and len(set(found.tolist())) == 1_000
    )
    found[0] = 7  # a column of one's own, to be written to
    assert keys([]).shape == (0,) and keys([]).dtype == np.uint64


def test_zero_is_no_key(monkeypatch: pytest.MonkeyPatch):
    class Zero:  # no URL is known whose hash is 0, and none can be found
        def __init__(self, data: bytes, digest_size: int) -> None:
            self.size = digest_size

        def digest(self) -> bytes:
            return bytes(self.size)

    monkeypatch.setattr(module, "blake2b", Zero)
    assert key("x") == 1 and keys(["x", "y"]).tolist() == [1, 1]


# -- what is read off URLs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "name", "level"),
    [
        ("http://a.example/", "a.example", 0),
        ("http://a.example/?q=/x/y", "a.example", 0),
        ("https://a.example:8443/x", "a.example:8443", 1),
        ("http://[::1]:81/x/y/", "[::1]:81", 2),
        ("http://a.example/x//y///z", "a.example", 3),
        ("http://www.myhost.edu/somestuff/someotherstuff/etc/info/sometypicalpage.html", "www.myhost.edu", 5),
    ],
)
def test_parts(url: str, name: str, level: int):
    assert (host(url), file_level(url)) == (name, level)
    assert scheme(url) == url.split(":", 1)[0] and origin(url) == f"{scheme(url)}://{name}"


def test_parted():
    assert [parted(one) for one in ("a.b", "a.b:8", "[::1]", "[::1]:8")] == [
        ("a.b", ""),
        ("a.b", "8"),
        ("[::1]", ""),
        ("[::1]", "8"),
    ]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://www.sail-shop.example/", "sail shop example"),
        ("https://www.example.org:8080/regatta_2024/1999/index.html", "example org regatta index html"),
        (
            "http://a.example/waterSports/HTMLGuide?topicId=17&q=ice+boat",
            "a example water Sports HTML Guide topic Id q ice boat",
        ),
        ("http://a.example/K%C3%BCste/%D0%BC%D0%BE%D1%80%D0%B5", "a example Küste море"),
        ("http://a.example/caf%E9%2Fbar", "a example caf bar"),
        ("http://xn--mnchen-3ya.example/x", "münchen example x"),
        ("http://a.example/win95/3d_model", "a example win95 3d model"),
        ("http://127.0.0.1/", ""),
        ("http://a.example/100%25sure%20%26safe", "a example sure safe"),
        ("http://awww.example/www-data", "awww example www data"),
    ],
)
def test_url_words(url: str, words: str):
    assert url_words(url) == words


@thorough
@given(hrefs)
def test_url_words_of_anything(url: str):
    found = attempt(url)
    if found is not None:
        words = url_words(found).split(" ")
        assert words == [""] or all(word and word.isprintable() and not word.isdecimal() for word in words)
