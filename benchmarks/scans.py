"""How the time of every scan of text from outside grows with the text: python -m benchmarks.scans [--json] [SCAN ...]

Each scan (a parser, a regular expression, a loop) is given inputs that make careless ones look back: pieces repeated
without end, tags, comments and quotes that are never closed. An input is made longer until it takes ``LEAST_S`` of CPU
time, or is as long as inputs get; then twice as long. Twice the input may take ``MOST`` times the time. The table shows
the input with the worst growth for each scan, and the slowest; ``-`` stands for inputs that never take long enough.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from benchmarks.scanned import SCANS, Scan

MOST = 2.5
"""Times the time that twice the input may take."""

LEAST_S = 0.02
PATIENCE_S = 30.0
"""A run that takes longer is ended: its time grows beyond all bounds."""

TRIES = 6
SHORTEST = 256

PIECES = (
    "<", ">", "</", "<x", "<x ", "<x>", "</x>", "<x a=b ", "<a href=", "<a href=/x>", "<a href=/x>y</a> ", "<p>",
    "<div>", "<b>", "<b><p>", "</b>", "<font>x", "<table><td>", "<li><ul>", "<svg>", "<svg><a href=/x>",
    "<math><mi href=/x>", "<a href=/x><object>", "<object>", "<select><option>", "<template shadowrootmode=open>",
    "<iframe srcdoc='", "<iframe srcdoc=x>", "<frameset>", "<title>", "<title/>", "<textarea>", "<style>",
    "<script>", "</script ", "<script/>", "<noscript>", "<meta charset=", "<meta name=robots content=x>",
    "<base href=/x>", "<link rel=next href=/x>", "<img alt='x'>", "<area href=/x>", "<br>", "<!-- ", "<!---->",
    "<!-->", "-->", "<![CDATA[", "]]>", "<?", "<?xml ", "?>", "<!doctype [", "<!doctype ", "<x:y>", "&", "&#",
    "&#1", "&#x1", "&amp", "&amp;", "&lt;", "&x", '"', "'", '"\'', '<a " ="', "<a ' ='", '<a b="', '<a b=\'"',
    "<dl><dt><a href=", "<dt><a href='http://a'>", '<DT><A " ="', " ", "\t", "\n", "\r", "\r\n", "\n\t \n", " \n",
    "\n\n", "\xa0", "\x00", "\x1b$B", "\x1b", "\x85", "(", ")", "[", "]", "{", "}", "()", "[]", "{{", "\\", "|",
    ";", ",", ":", ";\t", "a:", "a=", "=", '="', "= ", 'a;b="', "a, ", "/", "//", "/.", "/..", "../", "./", "a/",
    "a/../", "%", "%2", "%25", "%2e%2e/", "?", "?a=b&", "&a=b", "#", "@", ":@", ".", "a.", "..", "-", "--",
    "xn--", "xn--a.", "*", "a*", "+", "~", "_", "http://", "http://a/ ", "https://a:1@", "jsessionid=",
    ";jsessionid=1", "utm_", "&utm_x=", "di", "dil", "allow", "user-agent: x\n", "Disallow: /*a",
    "Disallow: /a\n", "sitemap: ", "crawl-delay: 1\n", "charset", "charset= ", "charset =", "encoding=", "url=",
    "0;", "0;url=", "noindex, ", "unavailable_after: ", "unavailable_after: mon, 1 ", "x: y, ",
    "<http://a>; rel=next, ", '<a>;b="', ';rel="', "HTTP/1.1 200 ", "WARC/1.0\r\n", "Content-Length: 1\r\n",
    "a: b\r\n ", "1\r\nx\r\n", "0\r\n", "1;", '<Topic r:id="', "<ExternalPage about=", "<link r:resource=",
    "<d:Title>", 'about="', "<outline text='", "<loc>", "<url><loc>x", "<item><link>x</link>", "a", "A", "aA",
    "0", "9", "a1", "ab ", "The ", "a-b ", "AND ", "NOT (", "a AND ", "\\'", "word, word\n", "- a\n", "a:\n ",
    "é", "я", "я ", "中", "中 ", "ก", "̖̀", "à̖", "\u200b", "\ufeff", "😀", "ß", "İ", "→", "α→β ",
)  # fmt: skip
"""What inputs are made of by repetition."""

INPUTS: dict[str, tuple[str, str, str]] = {  # name -> what comes first, what is repeated, what comes last
    **{repr(piece)[1:-1]: ("", piece, "") for piece in PIECES},
    "a tag with many attributes": ("<a ", "x=1 ", ">"),
    "a tag with many names": ("<a ", "xyz", ">"),
    "a long value": ("<a href='", "x/", "'>y</a>"),
    "a quote in a tag": ("<a href='", "<a ", ""),
    "a comment of dashes": ("<!--", "-", "x"),
    "a script of ends": ("<script>", "</script ", ""),
    "a style of ends": ("<style>", "</style ", ""),
    "spaces before a tag": ("", " ", "<p>"),
    "line ends before text": ("", "\r", "x"),
    "lines before text": ("", "\r\n", "x"),
    "comments before text": ("", "<!---->", "x"),
    "instructions before text": ("", "<?x?>", "x"),
    "spaces after charset=": ("text/html; charset=", " ", ";"),
    "a status line of spaces": ("HTTP/1.1 200", " ", "\rx"),
    "a status line of CR": ("HTTP/1.1 200 OK", "\r", "x"),
    "a head of CR": ("HTTP/1.1 200 OK\r\n", "\r", "x"),
    "a head of folds": ("HTTP/1.1 200 OK\r\nA: b", "\r\n ", "\r\n\r\n"),
    "a WARC header of CR": ("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 9\r\n", "\r", "x"),
    "a host of many labels": ("http://", "a.", "/"),
    "a host of ideographs": ("http://", "漢字", "/"),
    "a host in Punycode": ("http://xn--", "a9b", "/"),
    "a path up and down": ("http://a/", "b/../", "c"),
    "a query of dropped names": ("http://a/?", "utm_x=1&", ""),
    "a formula of brackets": ("", "(", "a"),
    "a reference of digits": ("&#", "1", ";"),
    "a bookmark file of unclosed tags": ("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><DT>", '<A " ="', ""),
    "one topic of unclosed links": ('<Topic r:id="Top/A">', "<link r:resource=", ""),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Growth:
    """The time of a scan for an input of ``size`` characters and of twice as many. ``ratio`` is 0 for an input that
    never took long enough to tell, infinite for one that had to be ended."""

    scan: str
    input: str
    size: int
    once_s: float
    twice_s: float

    @property
    def ratio(self) -> float:
        if self.once_s < LEAST_S:
            return 0.0
        return self.twice_s / self.once_s if self.twice_s < PATIENCE_S else float("inf")


class TookTooLong(Exception):  # noqa: N818  # a finding, not a fault
    """A scan took longer than PATIENCE_S."""


def growth(scan: Scan, name: str, longest: int | None = None) -> Growth:
    """How the time of a scan grows with this input."""
    longest = min(scan.longest, longest or scan.longest)
    size = SHORTEST
    with _limited():
        try:
            once = _twice(scan, made(name, size))
            while once < LEAST_S and 4 * size <= longest:
                size *= 4
                once = _twice(scan, made(name, size))
            if once < LEAST_S:
                return Growth(scan.name, name, size, once, 0.0)
            twice = _time(scan, made(name, 2 * size))
            for _ in range(TRIES):
                if twice <= MOST * once:
                    break
                once = min(once, _time(scan, made(name, size)))
                twice = min(twice, _time(scan, made(name, 2 * size)))
        except TookTooLong:
            return Growth(scan.name, name, size, PATIENCE_S, float("inf"))
    return Growth(scan.name, name, size, once, twice)


def made(name: str, size: int) -> str:
    """The input of this name, of about ``size`` characters."""
    first, piece, last = INPUTS[name]
    return first + piece * max((size - len(first) - len(last)) // len(piece), 1) + last


def _twice(scan: Scan, text: str) -> float:
    """The time of a run; a second one counts where the first was long, as that may have loaded something."""
    once = _time(scan, text)
    return min(once, _time(scan, text)) if once >= LEAST_S else once


def _time(scan: Scan, text: str) -> float:
    given = scan.prepare(text)
    began = time.process_time()
    scan.run(given)
    return time.process_time() - began


@contextmanager
def _limited() -> Iterator[None]:
    """End what takes longer than PATIENCE_S; a regular expression lets itself be ended, too."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How the time of scans grows with their input.")
    parser.add_argument("--json", action="store_true", help="one JSON line last")
    parser.add_argument("scans", nargs="*", metavar="SCAN", help="these only")
    given = parser.parse_args(arguments)
    found: list[Growth] = []
    print(f"{'scan':28} {'input':34} {'characters':>10} {'once ms':>9} {'twice ms':>9} {'ratio':>6}")
    for scan in SCANS:
        if given.scans and scan.name not in given.scans:
            continue
        rows = [growth(scan, name) for name in INPUTS]
        found += rows
        worst, slowest = max(rows, key=lambda row: row.ratio), max(rows, key=lambda row: row.once_s / row.size)
        for row in dict.fromkeys((worst, slowest)):
            _print(row)
    bad = [row for row in found if row.ratio > MOST]
    print(f"{len(SCANS)} scans, {len(INPUTS)} inputs: {len(bad)} grow faster than {MOST} times when the input doubles")
    if given.json:
        print(
            json.dumps([{"scan": row.scan, "input": row.input, "size": row.size, "ratio": row.ratio} for row in found])
        )
    return 1 if bad else 0


def _print(row: Growth) -> None:
    ratio = f"{row.ratio:6.2f}" if row.ratio else f"{'-':>6}"
    twice = f"{1000 * row.twice_s:9.2f}" if row.twice_s else f"{'-':>9}"
    print(f"{row.scan:28} {row.input:34} {row.size:10,} {1000 * row.once_s:9.2f} {twice} {ratio}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
