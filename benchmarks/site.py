"""A site of real-sized pages on loopback, served by a bare protocol so that the server costs little.

Pages are generated from a seed: 30 to 80 kB of HTML, 60 links each, over several loopback hosts. As on real pages,
about a third of the bytes is text, the rest markup, styles and scripts (a documentation page of 43 kB has some
12.5 kB of text and 1,800 words). Nothing is stored:
a page is rendered when it is asked for and kept.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from wordfreq import top_n_list

LINKS = 60
COMMON = top_n_list("en", 60)
"""English function words: a page of made-up words alone is in no language."""
MENU = 20
HOSTS = 16
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstv" for vowel in "aeio"]


@dataclass
class Site:
    """``pages`` pages over HOSTS addresses 127.0.1.1 ...; page 0 is the seed."""

    pages: int
    port: int
    seed: int = 7
    _made: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        self.words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(20_000)]
        self.words[: len(COMMON)] = COMMON
        self.weights = [1.0 / (rank + 3) for rank in range(len(self.words))]

    def url(self, page: int) -> str:
        """Absolute URL of a page."""
        return f"http://127.0.1.{page % HOSTS + 1}:{self.port}/section-{page % 97}/page-{page}.html"

    def body(self, page: int) -> bytes:
        """The HTML of a page; every page links to its two children in a binary tree, so that all are reachable."""
        if page not in self._made:
            self._made[page] = self._render(page)
        return self._made[page]

    def _render(self, page: int) -> bytes:
        rng = random.Random(self.seed * 1_000_003 + page)
        children = [child for child in (2 * page + 1, 2 * page + 2) if child < self.pages]
        targets = children + rng.sample(range(self.pages), LINKS - len(children))
        rng.shuffle(targets)
        words = rng.choices(self.words, self.weights, k=int(rng.triangular(1_100, 3_000, 1_300)))
        menu, inline = targets[:MENU], targets[MENU:]
        title, body = " ".join(words[:5]), self._sections(rng, words, inline)
        return (
            f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>"
            f"{self._furniture(rng)}</head><body class='page layout-wide'><header>"
            f"<nav class='menu' role='navigation'><ul>{self._menu(rng, menu)}</ul></nav></header>"
            f"<main id='content'><h1>{title}</h1>{body}</main>"
            f"<footer><p class='small muted'>{' '.join(words[-12:])}</p></footer></body></html>"
        ).encode()

    def _furniture(self, rng: random.Random) -> str:
        """Styles and scripts, a quarter of the bytes of a page."""
        rules = "".join(
            f".{name}-{i}{{margin:{i}px;padding:0 {i}em;color:#{rng.randrange(16**6):06x}}}\n"
            for i, name in enumerate(rng.choices(self.words, k=int(rng.triangular(60, 700, 90))))
        )
        calls = "".join(
            f"window.{name}=window.{name}||[];{name}.push({rng.random()});\n" for name in rng.choices(self.words, k=60)
        )
        return f"<style>{rules}</style><script>{calls}</script>"

    def _menu(self, rng: random.Random, targets: list[int]) -> str:
        return "".join(
            f"<li class='menu-item level-{rng.randint(1, 3)}' data-item='{target}'>"
            f"<a class='menu-link' href='{self.url(target)}'><span class='icon'></span>"
            f"{' '.join(rng.choices(self.words, self.weights, k=2))}</a></li>\n"
            for target in targets
        )

    def _sections(self, rng: random.Random, words: list[str], targets: list[int]) -> str:
        """Paragraphs, list items and table cells with one link each, in the usual wrappings."""
        share = len(words) // len(targets)
        return "".join(self._block(rng, words[i * share : (i + 1) * share], target) for i, target in enumerate(targets))

    def _block(self, rng: random.Random, words: list[str], target: int) -> str:
        cut = rng.randint(1, max(len(words) - 4, 1))
        anchor = " ".join(words[cut : cut + 3])
        link = f"<a href='{self.url(target)}' class='reference internal' title='{words[0]}'>{anchor}</a>"
        before, after = " ".join(words[:cut]), " ".join(words[cut + 3 :])
        name = rng.choice(("note", "warning", "plain", "example"))
        if rng.random() < 0.3:
            cells = "".join(f"<td class='cell align-{i % 3}'>{word}</td>" for i, word in enumerate(words[:cut][:6]))
            rest = " ".join(words[:cut][6:])
            table = f"<table class='data'><tr class='row'>{cells}<td></td></tr></table>"
            return f"<div class='table-wrap'>{table}<p>{rest} {link} {after}</p></div>\n"
        return (
            f"<section class='section {name}' id='s{target}' data-index='{target % 97}'><div class='inner'>"
            f"<h3 class='title'>{' '.join(words[:3])}</h3>"
            f"<p class='text'>{before} {link} <em>{' '.join(words[-2:])}</em> {after}.<br></p>"
            f"<ul class='tags'><li class='tag'>{words[-1]}</li><li class='tag'>{words[0]}</li></ul></div></section>\n"
        )


class Protocol(asyncio.Protocol):
    """HTTP/1.1 GET with keep-alive, nothing else."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            request, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            assert isinstance(self.transport, asyncio.Transport)
            self.transport.write(self._answer(request.split(b" ", 2)[1].decode()))

    def _answer(self, path: str) -> bytes:
        name = path.rsplit("page-", 1)[-1].removesuffix(".html")
        if path == "/robots.txt" or not name.isdigit() or int(name) >= self.site.pages:
            return b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nnone"
        body = self.site.body(int(name))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


async def serve(pages: int) -> None:
    """Serve until the parent closes standard input; prints the port when ready, all pages rendered."""
    loop = asyncio.get_running_loop()
    site = Site(pages, 0)
    servers = [await loop.create_server(lambda: Protocol(site), "127.0.1.1", 0)]
    site.port = servers[0].sockets[0].getsockname()[1]
    others = [f"127.0.1.{host}" for host in range(2, HOSTS + 1)]
    servers += [await loop.create_server(lambda: Protocol(site), host, site.port) for host in others]
    for page in range(pages):
        site.body(page)
    print(site.port, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def running(pages: int) -> Iterator[Site]:
    """The site served by a process of its own."""
    command = [sys.executable, "-m", "benchmarks.site", "--pages", str(pages)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdin is not None
    try:
        yield Site(pages, int(process.stdout.readline()))
    finally:
        process.stdin.close()
        process.wait(timeout=20)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000)
    asyncio.run(serve(parser.parse_args().pages))
