"""What the fuzzers feed bytes to. Each function raises only where Clew has a fault.

``run.py`` drives them with atheris, ``tests/unit/test_fuzz.py`` with hypothesis and with the seeds that are kept.
"""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from clew.config import PolitenessSettings, parse
from clew.errors import ArchiveError, ConfigError, InputError, UrlError
from clew.model import Outcome, Page, Request, Response
from clew.testing.pages import READER
from clew.text.codings import BodyError
from clew.text.httpmessage import MessageError, decode_content, parse_response, without_chunks
from clew.text.reader import Reader, Unreadable
from clew.text.warcrecords import WarcFile, response_of
from clew.topics import formula
from clew.topics.bookmarks import read_bookmarks
from clew.topics.dmoz import read_dmoz
from clew.topics.entry import Entry
from clew.topics.opml import read_opml
from clew.topics.topicsfile import read_topics
from clew.topics.tree import TopicTree
from clew.urls.canonical import Canonicaliser, canonical, host, keys, url_words
from clew.web.live.robots import Robots, RobotsRules, packed
from clew.web.live.robotsfile import rules_text

LIMIT = 1_000_000
"""Bytes of a decoded body: small, so that bombs are met often."""

TYPES = (
    "text/html; charset=utf-8", "text/html", "", "application/xhtml+xml", "text/plain", "text/html; charset=utf-16",
    "text/html; charset=shift_jis", "text/html; charset=windows-1251", "application/octet-stream", "text/xml",
    "application/rss+xml", "application/atom+xml", "application/xml", "application/pdf", "image/svg+xml",
    "application/epub+zip",
)  # fmt: skip

_SECOND = Reader(Canonicaliser((), 2_000), keys, host, url_words, keep_text=False)


# -- pages --------------------------------------------------------------------------------------------------


def reader(data: bytes) -> None:
    """A page of any bytes is read, or is Unreadable; the first byte chooses its content type."""
    kind = TYPES[data[0] % len(TYPES)] if data else ""
    headers = (("Content-Type", kind), ("X-Robots-Tag", data[1:60].decode("latin-1")))
    response = Response("http://a.test/dir/page?x=1", Outcome.OK, 200, headers, data[1:])
    try:
        page = READER.read(response)
    except Unreadable as verdict:
        assert verdict.reason and well_formed(verdict.reason)
        return
    sound(page)
    _same(page, _SECOND.read(response))


def sound(page: Page) -> None:
    """What everybody may rely on in a page: well-formed text, canonical links, evidence that fits together."""
    links = page.links
    texts = (page.title, page.text, page.charset, page.language, page.canonical, *links.anchors, *links.urls)
    assert all(map(well_formed, texts)), "text that is no Unicode"
    assert len(links.urls) == len(set(links.urls)) == len(links.keys) == len(links.kinds) == len(links.nofollow)
    for url in links.urls:
        assert canonical(url) == url, url
    starts = page.leaves.starts
    assert starts[0] == 0 and starts[-1] == len(page.leaves.ids) and (starts[1:] >= starts[:-1]).all()
    spans = links.spans
    assert len(links.anchors) == len(spans)
    places = spans[:, 1:]  # -1: an anchor outside the text
    assert sorted(set(spans[:, 0].tolist())) == list(range(len(links.urls)))
    assert not len(spans) or (places.min() >= -1 and places.max() < len(starts) - 1)


def _same(page: Page, other: Page) -> None:
    """Without its text a page is read another way, which finds the same."""
    assert page.links.urls == other.links.urls
    assert page.links.anchors == other.links.anchors
    assert page.title == other.title
    assert page.leaves.ids.tolist() == other.leaves.ids.tolist()


def well_formed(text: str) -> bool:
    """Whether a text holds no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# -- archives -----------------------------------------------------------------------------------------------


def warc(data: bytes) -> None:
    """A file of any bytes is refused, or its records are listed and read, or reported with file and offset."""
    with _file(data, ".warc.gz") as path:
        try:
            with WarcFile(path) as file:
                entries = [entry for _, entry in zip(range(200), file.scan(), strict=False)]
                assert all(str(path) in problem for problem in file.problems)
            with WarcFile(path) as file:
                for entry in entries[:20]:
                    _read_back(file, entry.place)
        except ArchiveError as error:
            assert str(path) in str(error)


def _read_back(file: WarcFile, place: object) -> None:
    try:
        record = file.read(place, LIMIT)  # type: ignore[arg-type]
    except ArchiveError as error:
        assert str(file.path) in str(error)
        return
    answered(response_of("http://a.test/", record, LIMIT), LIMIT)


def answered(response: Response, limit: int) -> None:
    """What everybody may rely on in an answer."""
    assert len(response.body) <= limit
    assert response.outcome in set(Outcome)
    assert response.outcome is Outcome.OK or response.reason or response.location or response.retry_at is not None
    assert math.isfinite(response.fetched_at) and math.isfinite(response.ready_at)
    for name, value in response.headers:
        assert well_formed(name) and well_formed(value)
    assert well_formed(response.reason) and well_formed(response.location)


# -- HTTP ---------------------------------------------------------------------------------------------------


def message(data: bytes) -> None:
    """A stored HTTP answer of any bytes is parsed and decoded, or refused."""
    try:
        found = parse_response(data)
    except MessageError:
        return
    assert all(well_formed(name) and well_formed(value) for name, value in found.headers)
    body = without_chunks(found.headers, found.body)
    assert len(body) <= len(found.body)
    try:
        assert len(decode_content(found.headers, body, LIMIT)) <= LIMIT
    except BodyError:
        return


class Answering:
    """A live world, and a server on loopback that answers each page with bytes of ours and closes."""

    def __init__(self) -> None:
        from clew.config import LimitSettings, LiveSettings
        from clew.web.clock import VirtualClock
        from clew.web.live import LiveWorld

        self.loop = asyncio.new_event_loop()
        self.clock = VirtualClock()
        self.asked = 0
        self._data = b""
        self._port = self.loop.run_until_complete(self._serve())
        limits = LimitSettings(page_bytes=LIMIT, page_s=2.0, connect_s=2.0)
        live = LiveSettings(allow_private=True, resolve={"*.test": "127.0.0.1"})
        self.world = LiveWorld(
            PolitenessSettings(delay_s=0.0, adaptive=0.0), limits, live, "clew", "a@b.test", self.clock
        )
        self.loop.run_until_complete(self.world.open())

    async def _serve(self) -> int:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _answer(self, stream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await stream.readuntil(b"\r\n\r\n")
            robots = b" /robots.txt " in head
            writer.write(
                b"HTTP/1.1 404 None\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" if robots else self._data
            )
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        writer.close()

    def fetch(self, data: bytes) -> Response:
        """What a page is that a server answers so. A new host each time: none has a past."""
        self._data = data
        self.asked += 1
        url = f"http://h{self.asked}.test:{self._port}/"
        return self.loop.run_until_complete(self._settled(url))

    async def _settled(self, url: str) -> Response:
        for _ in range(9):
            response = await self.world.fetch(Request(url))
            if response.outcome is not Outcome.DEFERRED:
                return response
            assert response.retry_at is not None and response.reason
            await self.clock.sleep_until(response.retry_at)
        return response  # a host that says 429 for ever is asked later, for ever

    def close(self) -> None:
        """End world and server."""
        self.loop.run_until_complete(self.world.close())
        self._server.close()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()


_ANSWERING: list[Answering] = []


def http(data: bytes) -> None:
    """A server may answer any bytes: the fetch ends with a response, and what it stored reads back the same."""
    message(data)
    if not _ANSWERING or _ANSWERING[0].asked > 2_000:  # what a world remembers of hosts stays small
        while _ANSWERING:
            _ANSWERING.pop().close()
        _ANSWERING.append(Answering())
    answered(_ANSWERING[0].fetch(data), LIMIT)


# -- importers and settings ---------------------------------------------------------------------------------


def _bookmarks(path: Path) -> Iterator[Entry]:
    yield from read_bookmarks(path)


def _dmoz(path: Path) -> Iterator[Entry]:
    yield from read_dmoz(path)


def _opml(path: Path) -> Iterator[Entry]:
    yield from read_opml(path)


def _topics(path: Path) -> Iterator[Entry]:
    for spec in read_topics(path):
        yield Entry(spec.path, description=spec.description, tags=tuple(spec.keywords))


IMPORTERS: tuple[Callable[[Path], Iterator[Entry]], ...] = (_bookmarks, _dmoz, _opml, _topics)


def importers(data: bytes) -> None:
    """A file of any bytes is imported, or refused with its name; the first byte chooses the importer."""
    which = data[0] % (len(IMPORTERS) + 3) if data else 0
    rest = data[1:]
    if which >= len(IMPORTERS):
        (settings, wanted, robots)[which - len(IMPORTERS)](rest)
        return
    with _file(rest, "") as path:
        try:
            for entry in IMPORTERS[which](path):
                assert all(map(well_formed, (entry.url, entry.title, entry.description, *entry.path, *entry.tags)))
                assert math.isfinite(entry.added)
        except InputError as error:
            assert str(path) in str(error) and well_formed(str(error))


def settings(data: bytes) -> None:
    """clew.toml of any text is read, or refused."""
    try:
        parse(data.decode("utf-8", "replace"))
    except ConfigError as error:
        assert "clew.toml" in str(error)


def _tree() -> TopicTree:
    tree = TopicTree()
    for path in ("Science/Astronomy", "Science/Physics", "Sport/Sailing", "Sport/Ball games"):
        tree.add(path)
    return tree


TREE = _tree()


def wanted(data: bytes) -> None:
    """A formula of any text is read, and what it is written as reads the same; or it is refused."""
    try:
        found = formula.parse(data.decode("utf-8", "replace"), TREE)
    except InputError:
        return
    assert formula.parse(formula.unparse(found, TREE.paths), TREE) == found


def robots(data: bytes) -> None:
    """robots.txt of any bytes gives a verdict on any URL, and a finite pause."""
    rules = RobotsRules(PolitenessSettings(), "clew")
    known = Robots("http://a.test", text=packed(rules_text(data, "clew")))
    assert rules.allows(known, "http://a.test/a/b%20c?d=%ff") in (True, False)
    assert 0 <= rules.delay(known) < math.inf


def url(data: bytes) -> None:
    """Any text is a URL whose canonical form is stable, or is refused."""
    text, _, base = data.decode("utf-8", "surrogateescape").partition("\n")
    try:
        found = canonical(text, base or None)
    except UrlError as error:
        assert error.reason
        return
    assert canonical(found) == found and found.isascii()


class _file:  # noqa: N801  # used as a function
    """The bytes as a file, in memory where the system has such a place."""

    def __init__(self, data: bytes, suffix: str) -> None:
        folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
        self._file = tempfile.NamedTemporaryFile(suffix=suffix, dir=folder)  # noqa: SIM115
        self._file.write(data)
        self._file.flush()

    def __enter__(self) -> Path:
        return Path(self._file.name)

    def __exit__(self, *_: object) -> None:
        self._file.close()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "reader": reader, "warc": warc, "http": http, "importers": importers,
}  # fmt: skip
