"""The do-not-crawl list: what an entry takes in, what is no entry, and how entries are added."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.config import parse
from clew.crawl.reading import canonicaliser_of, scope_of
from clew.errors import ConfigError, InputError, UrlError
from clew.urls.never import SPARED, Never, entries_of, entry_of, erase_never, read_never, write_never
from clew.urls.scope import Scope

ENTRIES = {
    "example.org": (
        ["http://example.org/", "https://example.org:8443/x?y"],
        ["http://www.example.org/", "http://badexample.org/", "http://example.org.evil.test/"],
    ),
    ".example.org": (
        ["http://example.org/", "https://a.b.example.org/x"],
        ["http://badexample.org/", "http://org/"],
    ),
    "EXAMPLE.org.": (["http://example.org/"], ["http://example.com/"]),
    ".münchen.example": (["http://www.xn--mnchen-3ya.example/"], ["http://munchen.example/"]),
    "example.org:8080": (["http://example.org:8080/x"], ["http://example.org/x", "https://example.org/x"]),
    "example.org:80": (["http://example.org/"], ["https://example.org/"]),
    "192.0.2.1": (["http://192.0.2.1/"], ["http://192.0.2.10/"]),
    "[2001:db8::1]": (["http://[2001:db8::1]:81/"], ["http://[2001:db8::2]/"]),
    "https://example.org": (["http://example.org/x", "https://example.org/"], ["http://example.org:81/"]),
    "http://example.org/private/": (
        ["http://example.org/private/", "https://example.org/private/x?y"],
        ["http://example.org/private", "http://example.org/x/private/", "http://www.example.org/private/"],
    ),
    "example.org/a": (["http://example.org/a", "http://example.org/ab", "http://example.org/a?b"], ["http://example.org/A"]),
    "//example.org/a/": (["http://example.org/a/b"], ["http://example.org/"]),
    "example.org/?id=": (["http://example.org/?id=7"], ["http://example.org/?a=1&id=7"]),
    "http://example.org/a?u=http://b.test/": (["http://example.org/a?u=http://b.test/x"], ["http://b.test/x"]),
    "http://example.org/%7Eme/%c3%a9": (["http://example.org/~me/%C3%A9t"], ["http://example.org/~you/"]),
    "http://user:secret@example.org/a": (["http://example.org/a"], ["http://example.org/b"]),
    "http://example.org:8080/a": (["http://example.org:8080/a"], ["http://example.org/a"]),
    "http://example.org/$": (["http://example.org/", "https://example.org/"], ["http://example.org/a"]),
    "http://example.org/a?b=1$": (["http://example.org/a?b=1"], ["http://example.org/a?b=12", "http://example.org/a"]),
    "http://example.org/a$$": (["http://example.org/a$"], ["http://example.org/a", "http://example.org/a$b"]),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "urls"), ENTRIES.items())
def test_what_an_entry_takes_in(entry: str, urls: tuple[list[str], list[str]]) -> None:
    never = pickle.loads(pickle.dumps(Never([(entry, "never.txt line 3")])))  # worker processes get a copy
    inside, outside = urls
    assert {never.why_not(url) for url in inside} == {f"{SPARED}: {entry} (never.txt line 3)"}
    assert {never.why_not(url) for url in outside} == {None}


@pytest.mark.parametrize(
    "entry",
    ["*.example.org", "example.org example.com", "ftp://example.org/", "mailto:me@example.org", "http://", "/private/",
     "me@example.org", "example.org:port", "http://[/", "example.org:123456", "..", "?x"],
)  # fmt: skip
def test_what_is_no_entry_is_told_with_file_and_line(entry: str, tmp_path: Path) -> None:
    path = tmp_path / "never.txt"
    path.write_text(f"# by mail\n\n{entry}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"never\.txt line 3: .* cannot be kept from the crawl .*: write a host"):
        read_never(path)


def test_a_file_with_all_that_files_come_with(tmp_path: Path) -> None:
    path = tmp_path / "never.txt"
    path.write_bytes(b"\xef\xbb\xbf# owners\r\n  a.test   # asked on 3 May\r\n\r\nb.test/x#y\r\n.c.test\t#")
    never = read_never(path)
    urls = ["http://a.test/", "http://b.test/x", "http://www.c.test/", "http://d.test/"]
    assert [bool(never.why_not(url)) for url in urls] == [True, True, True, False]
    path.write_bytes("a.test\n".encode("utf-16"))
    with pytest.raises(InputError, match="save it as UTF-8"):
        read_never(path)


def test_entries_are_written_as_the_project_writes_urls(tmp_path: Path) -> None:
    (tmp_path / "never.txt").write_text("http://a.test/x?utm_source=mail&b=1$\n", encoding="utf-8")
    settings = parse("")
    url = canonicaliser_of(settings)("http://a.test/x?utm_source=web&b=1", "")
    assert url is not None
    assert scope_of(settings, tmp_path).why_not(url)


def test_the_list_goes_before_the_other_rules_of_the_scope() -> None:
    scope = Scope(hosts=["b.test"], never=Never([("a.test", "line 1")]), url_length=50)
    assert scope.why_not("http://a.test/") == f"{SPARED}: a.test (line 1)"
    assert scope.why_not("http://a.test/" + 90 * "x") == f"{SPARED}: a.test (line 1)"
    assert scope.accepts(["http://b.test/", "http://a.test/"]) == [True, False]


def test_the_setting_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "never.txt").write_text("a.test\n", encoding="utf-8")
    (tmp_path / "other.txt").write_text("b.test\n", encoding="utf-8")

    def spared(settings: str, folder: Path | None = tmp_path) -> list[bool]:
        scope = scope_of(parse(settings), folder)
        return [not ok for ok in scope.accepts(["http://a.test/", "http://b.test/"])]

    assert spared("") == [True, False]
    assert spared("[scope]\nnever = 'other.txt'") == [False, True]
    assert spared("[scope]\nnever = ''") == [False, False]
    assert spared("", tmp_path / "nowhere") == [False, False]
    with pytest.raises(ConfigError, match=r"scope\.never = 'nevre\.txt': there is no file .*; make it"):
        spared("[scope]\nnever = 'nevre.txt'")
    monkeypatch.chdir(tmp_path)
    assert spared("", None) == [False, False]  # a crawl without a folder has the list that it names, and no other
    assert spared("[scope]\nnever = 'other.txt'", None) == [False, True]


def test_entries_are_added_once_and_with_their_reason(tmp_path: Path) -> None:
    path = tmp_path / "never.txt"
    assert write_never(path, ["a.test", "http://b.test/x$"], "clew forget\n2026") == ["a.test", "http://b.test/x$"]
    assert path.read_text(encoding="utf-8") == "a.test  # clew forget 2026\nhttp://b.test/x$  # clew forget 2026\n"
    path.write_text("# mine\na.test   # by phone", encoding="utf-8")
    assert write_never(path, ["a.test", ".c.test", ".c.test"]) == [".c.test"]
    assert path.read_text(encoding="utf-8") == "# mine\na.test   # by phone\n.c.test\n"
    assert read_never(path).why_not("http://www.c.test/")
    with pytest.raises(InputError, match="the new entry: '\\*' cannot be kept"):
        write_never(path, ["*"])
    with pytest.raises(InputError, match="cannot be written"):
        write_never(tmp_path / "no" / "never.txt", ["a.test"])
    assert [file.name for file in tmp_path.iterdir()] == ["never.txt"]


def test_the_entry_of_a_page_takes_in_that_page_alone() -> None:
    assert entry_of("http://a.test/") == "http://a.test/$"
    assert entry_of("a.test/x y") == "http://a.test/x%20y$"
    assert entry_of("a.test") == "a.test"
    with pytest.raises(UrlError):
        entry_of("ftp://a.test/")


def test_entries_with_their_comments(tmp_path: Path) -> None:
    path = tmp_path / "never.txt"
    assert entries_of(path) == []
    path.write_text(
        "\N{ZERO WIDTH NO-BREAK SPACE}# my list\na.test  # asked by mail #3\r\n\n  .b.test\nc.test/a?b=1$ #\n"
        "a.test # twice\nd.test/part\n", encoding="utf-8",
    )  # fmt: skip
    assert entries_of(path) == [
        ("a.test", "asked by mail #3"), (".b.test", ""), ("c.test/a?b=1$", ""), ("d.test/part", ""),
    ]  # fmt: skip
    path.write_text("a b\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        entries_of(path)


def test_many_at_once_lose_no_entry(tmp_path: Path) -> None:
    path, names = tmp_path / "never.txt", [f"h{number}.example" for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        added = list(threads.map(lambda name: write_never(path, [name]), names))
    assert added == [[name] for name in names]
    assert sorted(entry for entry, _ in entries_of(path)) == sorted(names)
    with ThreadPoolExecutor(8) as threads:
        erased = list(threads.map(lambda name: erase_never(path, [name]), names[1:]))
    assert erased == [[name] for name in names[1:]]
    assert [entry for entry, _ in entries_of(path)] == names[:1]
    assert [one.name for one in tmp_path.iterdir()] == ["never.txt"]
