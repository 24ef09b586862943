"""What hostile hosts answer: one function a kind of hostility, all within HTTP over a raw socket.

A function gets the request (host, path, number of the request at this host) and writes to the connection what it
likes. Pages are of made-up words about nothing; all are functions of host and path, so that a web repeats itself.
"""

from __future__ import annotations

import asyncio
import gzip
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import cache

WORDS = (
    "notice", "of", "general", "terms", "about", "this", "service", "for", "members", "and", "visitors", "who", "want",
    "to", "know", "more", "here",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: ``count`` is how many this host got before; ``site`` its name with port."""

    host: str
    site: str
    path: str
    count: int
    writer: asyncio.StreamWriter

    def send(self, data: bytes) -> None:
        """Write bytes, without waiting."""
        self.writer.write(data)


Answer = Callable[[Ask], Awaitable[None]]
HOSTILE: dict[str, Answer] = {}


def kind(function: Answer) -> Answer:
    """Register a kind of host under its function's name."""
    HOSTILE[function.__name__.replace("_", "-")] = function
    return function


def head(status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
    """The head of an answer; names are written with underscores."""
    lines = {"Content-Type": "text/html; charset=utf-8"} | {k.replace("_", "-"): v for k, v in headers.items()}
    if length is not None:
        lines["Content-Length"] = str(length)
    return (f"HTTP/1.1 {status}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items() if v) + "\r\n").encode()


def page(seed: str, links: Iterable[str] = (), more: str = "") -> bytes:
    """A page of a few words with links."""
    rng = random.Random(seed)
    text = " ".join(rng.choices(WORDS, k=60))
    anchors = " ".join(f"<a href='{link}'>{' '.join(rng.choices(WORDS, k=2))}</a>" for link in links)
    title = f"<html lang=en><head><title>{text[:40]}</title></head>"
    return f"{title}<body><p>{text}</p>{anchors}{more}</body></html>".encode()


def whole(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """A well-formed answer."""
    return head(status, len(body), **headers) + body


def inner(count: int = 10) -> list[str]:
    """Links to pages of the host."""
    return [f"/p/{number}.html" for number in range(count)]


def plain(ask: Ask, **headers: str) -> None:
    """An ordinary page of the host."""
    ask.send(whole(page(ask.host + ask.path, inner()), **headers))


# -- HTTP that lies -----------------------------------------------------------------------------------------


@kind
async def short_length(ask: Ask) -> None:
    body = page(ask.path, inner())
    ask.send(head(length=len(body) - 2) + body)
    ask.writer.close()


@kind
async def long_length(ask: Ask) -> None:
    body = page(ask.path, inner())
    ask.send(head(length=len(body) + 20) + body)
    ask.writer.close()


@kind
async def both_lengths(ask: Ask) -> None:
    body = page(ask.path, inner())
    ask.send(head(length=9, Transfer_Encoding="chunked") + b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n")


@kind
async def bad_headers(ask: Ask) -> None:
    body = page(ask.path, inner())
    ask.send(
        head(length=len(body)).replace(b"\r\n", b"\r\nno colon\r\n: empty\r\nspace : x\r\n\xe9: \xff\r\n", 1) + body
    )


@kind
async def header_flood(ask: Ask) -> None:
    ask.send(b"HTTP/1.1 200 OK\r\n")
    for number in range(2_000):
        ask.send(b"X-%d: %s\r\n" % (number, b"f" * 500))
        if number % 100 == 0:
            await ask.writer.drain()


@kind
async def broken_chunks(ask: Ask) -> None:
    ask.send(head(Transfer_Encoding="chunked") + b"5\r\n<html\r\nzz\r\nbroken\r\n")
    ask.writer.close()


@kind
async def unknown_coding(ask: Ask) -> None:
    plain(ask, Content_Encoding="utf-8")


@kind
async def keepalive_closed(ask: Ask) -> None:
    if ask.count % 2:
        ask.writer.close()  # a reused connection closes unanswered
    else:
        plain(ask)


@kind
async def interim(ask: Ask) -> None:
    ask.send(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")
    plain(ask)


# -- bodies -------------------------------------------------------------------------------------------------


@cache
def bomb() -> bytes:
    """100 MB of zeros, packed."""
    return gzip.compress(bytes(100_000_000), 9)


@kind
async def gzip_bomb(ask: Ask) -> None:
    ask.send(whole(bomb(), Content_Encoding="gzip"))


@kind
async def endless(ask: Ask) -> None:
    ask.send(head())
    block = b"<p>on and on and on " * 500
    while not ask.writer.is_closing():
        ask.send(block)
        await ask.writer.drain()


@kind
async def drip(ask: Ask) -> None:
    ask.send(head())
    while not ask.writer.is_closing():
        ask.send(b".")
        await ask.writer.drain()
        await asyncio.sleep(0.5)


@kind
async def slow(ask: Ask) -> None:
    await asyncio.sleep(1.0)
    plain(ask)


@kind
async def unclosed_tags(ask: Ask) -> None:
    ask.send(whole(page(ask.path, inner(), "<x" * 50_000 + "<!-- " * 10_000)))


@kind
async def deep_tree(ask: Ask) -> None:
    ask.send(whole(page(ask.path, inner(), "<div>" * 100_000)))


@kind
async def giant_line(ask: Ask) -> None:
    ask.send(whole(page(ask.path, inner(), "line" * 200_000)))


@kind
async def many_links(ask: Ask) -> None:
    ask.send(whole(page(ask.path, [f"/p/{n}.html" for n in range(30_000)])))


@kind
async def binary(ask: Ask) -> None:
    ask.send(whole(random.Random(ask.path).randbytes(20_000)))


@kind
async def nul_bytes(ask: Ask) -> None:
    ask.send(whole(page(ask.path, inner()).replace(b" ", b"\0 ")))


# -- statuses and connections -------------------------------------------------------------------------------


@kind
async def errors(ask: Ask) -> None:
    good = ask.path == "/"
    ask.send(whole(page(ask.path, inner(40)), "200 OK" if good else "500 Sorry"))


@kind
async def too_many(ask: Ask) -> None:
    if ask.count % 9 in (4, 5, 6):
        ask.send(whole(b"slow down", "429 Too Many Requests", Retry_After="1"))
    else:
        plain(ask)


@kind
async def resets(ask: Ask) -> None:
    ask.writer.transport.abort()


@kind
async def silent(ask: Ask) -> None:
    await asyncio.sleep(3_600)


@kind
async def outages(ask: Ask) -> None:
    if time.time() % 20 < 5:  # away for five seconds of every twenty
        ask.writer.transport.abort()
    else:
        plain(ask)


@kind
async def loops(ask: Ask) -> None:
    target = "/a" if ask.path == "/b" else "/b"
    ask.send(whole(b"", "302 Found", Location=target))


@kind
async def chains(ask: Ask) -> None:
    number = int(ask.path.rpartition("/")[2] or 0) if ask.path.rpartition("/")[2].isdigit() else 0
    ask.send(whole(b"", "301 Moved", Location=f"/hop/{number + 1}"))


@kind
async def cookies(ask: Ask) -> None:
    ask.send(whole(b"", "302 Found", Location=ask.path, Set_Cookie=f"id={ask.count}; " + "x" * 3_000))


# -- traps --------------------------------------------------------------------------------------------------


@kind
async def calendar(ask: Ask) -> None:
    part = ask.path.rpartition("/")[2]
    month = int(part) if part.isdigit() else 24_000
    ask.send(whole(page(ask.path, [f"/calendar/{month + step}" for step in (1, -1, 12, -12)])))


@kind
async def growing_path(ask: Ask) -> None:
    ask.send(whole(page(ask.path, ["www.site.com/x/", "more/", "more/and/"])))


@kind
async def session_ids(ask: Ask) -> None:
    rng = random.Random(ask.path)
    ask.send(whole(page(ask.path, [f"/shop?item={n}&session={rng.randrange(10**9):x}" for n in range(8)])))


@kind
async def sort_orders(ask: Ask) -> None:
    links = [f"{ask.path.partition('?')[0]}?C={c};O={o}" for c in "NMSD" for o in "AD"] + [f"dir{n}/" for n in range(3)]
    ask.send(whole(page(ask.path.partition("?")[0], links)))


@kind
async def soft_404(ask: Ask) -> None:
    rng = random.Random(ask.path)
    links = [f"x{rng.randrange(10**6)}/" for _ in range(5)]
    ask.send(whole(page("not found", links, "<p>Sorry, this page was not found</p>")))


@kind
async def reflected(ask: Ask) -> None:
    asked = ask.path.partition("q=")[2][:200]
    ask.send(whole(page(ask.path, [f"/find?q={asked}+{word}" for word in WORDS[:6]])))


@kind
async def combinations(ask: Ask) -> None:
    query = ask.path.partition("?")[2]
    links = [f"/list?{query}&{name}={value}".replace("?&", "?") for name in "abcd" for value in (1, 2)]
    ask.send(whole(page(ask.path, links)))


@kind
async def link_farm(ask: Ask) -> None:
    rng = random.Random(ask.path)
    ask.send(whole(page(ask.path, [f"/exchange/{rng.randrange(10**7)}.html" for _ in range(40)])))


@kind
async def duplicates(ask: Ask) -> None:
    ask.send(whole(page("the same for all", [f"/copy/{ask.count}-{n}.html" for n in range(5)])))


# -- robots.txt of odd kinds; the rest of the host is well-behaved -------------------------------------------


ROBOTS: dict[str, Answer] = {}


def robots(function: Answer) -> Answer:
    """Register a kind of robots.txt; the host's pages are ordinary."""
    name = function.__name__.replace("_", "-")
    ROBOTS[name] = function
    HOSTILE[name] = ordinary
    return function


async def ordinary(ask: Ask) -> None:
    """A host without faults."""
    plain(ask)


@robots
async def robots_unwell(ask: Ask) -> None:
    ask.send(whole(b"", "503 Sorry"))


@robots
async def robots_html(ask: Ask) -> None:
    ask.send(whole(page("robots")))


@robots
async def robots_huge(ask: Ask) -> None:
    ask.send(whole(b"User-agent: *\n" + b"Disallow: /x*y*z$\n" * 100_000))


@robots
async def robots_bytes(ask: Ask) -> None:
    ask.send(whole(b"\xef\xbb\xbf\0User-agent: *\r\xff\xfeDisallow: /p/1\rCrawl-delay: 1e99\r", Content_Encoding="zip"))


@robots
async def robots_silent(ask: Ask) -> None:
    await asyncio.sleep(3_600)


@robots
async def robots_closed(ask: Ask) -> None:
    ask.send(whole(b"User-agent: *\nDisallow: /\n"))


DEAD = "dead-port"
"""Hosts at whose address nobody listens; ``unknown`` ones are names without an address."""
