"""The archive: records that other tools read, pages that come back as they were, and kills that lose nothing."""

import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import tracemalloc
import uuid
import zlib
from base64 import b32encode
from dataclasses import replace
from pathlib import Path

import brotli
import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from clew.errors import ArchiveError, StoreError
from clew.model import Outcome, Response
from clew.store.warc import (
    Original,
    WarcWriter,
    archive_files,
    encode,
    encode_revisit,
    iterate,
    payload_digest,
    read,
    warc_date,
)
from clew.text.httpmessage import parse_response

ROOT = Path(__file__).parents[2]
PAGE = b"<html><title>A page</title>" + b"<p>some text of a page that is long enough. " * 50
RESPONSE = Response(
    url="http://h.example/d/p?x=1",
    outcome=Outcome.OK,
    status=200,
    headers=(
        ("Content-Type", "text/html; charset=utf-8"),
        ("X-Name", "naïve"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    ),
    body=PAGE,
    fetched_at=1_700_000_000.123456,
    elapsed_s=0.25,
    ip="192.0.2.1",
    request_headers=(("User-Agent", "clew"), ("Accept", "text/html")),
)
MOVED = "http://h.example/x"
FACTS = {"via": "http://h.example/", "hopsFromSeed": "1", "score": "0.5"}


def gzipped(data: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, 31)
    return stream.compress(data) + stream.flush()


def encoded(name: str, raw: bytes, body: bytes = PAGE) -> Response:
    headers = (*RESPONSE.headers, ("Content-Encoding", name), ("Content-Length", str(len(raw))))
    return replace(RESPONSE, headers=headers, body=body, encoded_body=raw)


def writer(folder: Path, max_bytes: int = 10_000_000, prefix: str = "crawl1") -> WarcWriter:
    return WarcWriter(folder, prefix, max_bytes, 6, "clew/test", now=lambda: 1_700_000_000.0)


@pytest.fixture
def archive(tmp_path):
    made = writer(tmp_path / "archive")
    made.open()
    yield made
    made.close()


def stored(tmp_path: Path, archive: WarcWriter, *responses: Response) -> list[tuple[str, int]]:
    return [archive.append(encode(response, FACTS, 6)) for response in responses]


def warcio_records(path: Path) -> list[tuple[str, object, bytes]]:
    """Every record as warcio reads it, its digests checked."""
    found = []
    with path.open("rb") as file:
        for record in WarcioIterator(file, check_digests="raise"):
            body = record.content_stream().read()
            assert record.digest_checker.passed is not False
            found.append((record.rec_type, record, body))
    return found


# -- other tools ------------------------------------------------------------------------------------------


def test_warcio_reads_it_and_agrees_on_the_digests(tmp_path, archive):
    stored(tmp_path, archive, RESPONSE, encoded("gzip", gzipped(PAGE)), encoded("deflate", zlib.compress(PAGE)))
    records = warcio_records(tmp_path / "archive" / "crawl1-00001.warc.gz")
    assert [kind for kind, _, _ in records] == ["warcinfo", *["response", "request", "metadata"] * 3]
    for _, response, body in (records[1], records[4], records[7]):
        assert body == PAGE  # warcio decodes
        assert response.http_headers.get_statuscode() == "200"
        assert response.http_headers.get_header("Content-Type") == "text/html; charset=utf-8"
        assert response.digest_checker.passed is True
    response = records[1][1]
    fields = response.rec_headers
    assert fields.get_header("WARC-Target-URI") == RESPONSE.url
    assert fields.get_header("WARC-Date") == "2023-11-14T22:13:20.123456Z"
    assert fields.get_header("WARC-IP-Address") == "192.0.2.1"
    assert fields.get_header("WARC-Payload-Digest") == payload_digest(RESPONSE)
    request, metadata = records[2][1], records[3]
    assert (
        request.http_headers.to_str()
        == "GET /d/p?x=1 HTTP/1.1\r\nHost: h.example\r\nUser-Agent: clew\r\nAccept: text/html\r\n"
    )
    assert metadata[2] == b"fetchTimeMs: 250\r\nvia: http://h.example/\r\nhopsFromSeed: 1\r\nscore: 0.5\r\n"
    for other in (request, metadata[1]):
        assert other.rec_headers.get_header("WARC-Concurrent-To") == fields.get_header("WARC-Record-ID")
    assert b"software: clew/test" in records[0][2]


def test_fastwarc_reads_it_and_agrees_on_the_digests(tmp_path, archive):
    stored(tmp_path, archive, RESPONSE, encoded("gzip", gzipped(PAGE)))
    path = str(tmp_path / "archive" / "crawl1-00001.warc.gz")
    assert sum(1 for _ in FastIterator(path, parse_http=False, verify_digests=True)) == 7
    bodies = [r.reader.read() for r in FastIterator(path, auto_decode="all") if r.headers["WARC-Type"] == "response"]
    assert bodies == [PAGE, PAGE]


def test_plain_gzip_reads_it(tmp_path, archive):
    stored(tmp_path, archive, RESPONSE)
    path = tmp_path / "archive" / "crawl1-00001.warc.gz"
    subprocess.run(["gzip", "-t", str(path)], check=True)


def test_warcio_resolves_a_chunked_and_a_wrongly_sized_answer(tmp_path, archive):
    chunked = replace(
        RESPONSE, headers=(("Transfer-Encoding", "chunked"), ("Content-Length", "7"), ("Content-Encoding", "gzip"))
    )
    place = stored(tmp_path, archive, chunked)[0]
    _, record, body = warcio_records(tmp_path / "archive" / place[0])[1]
    assert body == PAGE
    assert record.http_headers.get_header("Content-Length") == str(len(PAGE))
    assert record.http_headers.get_header("Transfer-Encoding") is None
    assert record.http_headers.get_header("X-Archive-Orig-Transfer-Encoding") == "chunked"
    assert record.http_headers.get_header("X-Archive-Orig-Content-Encoding") == "gzip"
    found = read(tmp_path / "archive", *place)
    assert (found.body, sorted(found.headers)) == (PAGE, sorted(chunked.headers))


# -- true to the byte -------------------------------------------------------------------------------------------

AS_SENT = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 57\r\n\r\n",
    b"HTTP/1.1 200\r\nx-a: caf\xe9\r\nX-A:  two  \r\nContent-Length: 57\r\n\r\n",
    b"ICY  200 \xfc\x00\nA : b\n: x\nno colon\nn\xe4me: v\nfolded: a\n b\n\n",
    b"HTTP/1.1 200 OK\r\nContent-Encoding: utf-8\r\nTransfer-Encoding: identity\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX: \r\r\n\r\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 57\r\nContent-Length: 57\r\n\r\n",
]
SHORT = b'<title>t</title><p>sailing yacht</p><a href="/next">n</a>'


def received(head: bytes, body: bytes = SHORT, **more: object) -> Response:
    """A response as the live world gives it."""
    message = parse_response(head)
    found = replace(RESPONSE, status=message.status, headers=message.headers, http_version=message.version, body=body)
    return replace(found, head=head, **more)


def block(response: Response) -> bytes:
    """The block of the response record."""
    data = zlib.decompressobj(31).decompress(encode(response, {}, 6))
    return data.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n\r\n")


def reread(tmp_path: Path, archive: WarcWriter, response: Response) -> Response:
    """The response as the archive gives it back, which gives the same block again."""
    found = read(tmp_path / "archive", *archive.append(encode(response, FACTS, 6)))
    assert block(found) == block(response)
    assert (found.head, found.headers) == (response.head, response.headers)
    return found


@pytest.mark.parametrize("head", AS_SENT)
def test_the_record_holds_what_was_sent(tmp_path, archive, head):
    response = received(head)
    assert block(response) == head + SHORT
    found = reread(tmp_path, archive, response)
    assert (found.outcome, found.body, found.encoded_body) == (Outcome.OK, SHORT, None)


@pytest.mark.parametrize(
    ("head", "stored_head"),
    [
        (
            b"HTTP/1.1 200 Fine\r\nX: \xe9\r\ntransfer-encoding: chunked\r\nContent-Length: 20\r\nY : z\r\n\r\n",
            b"HTTP/1.1 200 Fine\r\nX: \xe9\r\nX-Archive-Orig-transfer-encoding: chunked\r\n"
            b"X-Archive-Orig-Content-Length: 20\r\nY : z\r\nContent-Length: 57\r\n\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 57, 57\r\nContent-Length: 57\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Content-Length: 57, 57\r\nX-Archive-Orig-Content-Length: 57\r\n"
            b"Content-Length: 57\r\n\r\n",
        ),
        (b"HTTP/1.1 200 OK\nX: y\n", b"HTTP/1.1 200 OK\nX: y\r\n\r\n"),
    ],
)
def test_what_would_be_wrong_of_the_stored_message_gets_another_name(tmp_path, archive, head, stored_head):
    assert block(received(head)) == stored_head + SHORT
    found = read(tmp_path / "archive", *archive.append(encode(received(head), FACTS, 6)))
    assert (found.body, found.headers) == (SHORT, received(head).headers)
    assert found.head.strip() == head.strip()
    assert block(found) == stored_head + SHORT


@pytest.mark.parametrize("truncated", ["disconnect", "time"])
def test_a_page_that_broke_off_comes_back_as_far_as_it_came(tmp_path, archive, truncated):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 59\r\n\r\n"
    response = received(head, truncated=truncated)
    assert block(response) == head + SHORT
    found = reread(tmp_path, archive, response)
    assert (found.outcome, found.body, found.truncated) == (Outcome.OK, SHORT, truncated)
    records = warcio_records(next((tmp_path / "archive").glob("*.gz")))
    assert records[1][1].rec_headers.get_header("WARC-Truncated") == truncated
    nothing = reread(tmp_path, archive, received(head, b"", truncated=truncated, outcome=Outcome.FAILED))
    assert (nothing.outcome, nothing.truncated) == (Outcome.FAILED, truncated)
    missing = received(head.replace(b"200", b"404"), truncated=truncated, outcome=Outcome.FAILED)
    assert reread(tmp_path, archive, missing).reason == "HTTP 404"


def test_the_beginning_of_what_was_too_large_is_kept_and_never_decoded(tmp_path, archive):
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 900000\r\n\r\n"
    packer = zlib.compressobj(9, wbits=31)
    sent = b"".join(packer.compress(bytes(1_000_000)) for _ in range(100))
    response = received(head, b"", encoded_body=sent, truncated="length", outcome=Outcome.FAILED)
    assert block(response) == head + sent
    tracemalloc.start()
    found = reread(tmp_path, archive, response)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.outcome, found.body, found.encoded_body) == (Outcome.FAILED, b"", sent)
    assert (found.truncated, found.reason) == ("length", "broke off when it was fetched")
    assert peak < 20_000_000


def test_what_cannot_be_decoded_is_kept_whole(tmp_path, archive):
    sent = b"\x1f\x8b\x08" + b"\xff" * 60
    response = encoded("gzip", sent, b"")
    place = archive.append(encode(replace(response, outcome=Outcome.FAILED), FACTS, 6))
    _, record, _ = warcio_records(tmp_path / "archive" / place[0])[1]
    assert record.rec_headers.get_header("WARC-Truncated") is None
    assert block(replace(response, outcome=Outcome.FAILED)).endswith(b"\r\n\r\n" + sent)
    found = read(tmp_path / "archive", *place)
    assert (found.outcome, found.body) == (Outcome.FAILED, b"")


def test_answers_without_a_body_keep_their_length(tmp_path, archive):
    response = received(b"HTTP/1.1 204 No Content\r\nContent-Length: 57\r\n\r\n", b"")
    assert block(response) == response.head
    assert reread(tmp_path, archive, response).status == 204


# -- reading back -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "response",
    [
        RESPONSE,
        replace(RESPONSE, body=b""),
        encoded("gzip", gzipped(PAGE)),
        encoded("br", brotli.compress(PAGE)),
        encoded("deflate", zlib.compress(PAGE)),
        replace(RESPONSE, outcome=Outcome.REDIRECT, status=301, headers=(("Location", "/x"),), location=MOVED),
        replace(RESPONSE, outcome=Outcome.FAILED, status=404, reason="HTTP 404"),
        replace(RESPONSE, outcome=Outcome.FAILED, status=599, reason="HTTP 599", http_version="HTTP/1.0", ip=""),
        replace(RESPONSE, outcome=Outcome.FAILED, reason="broke off when it was fetched"),
    ],
)  # fmt: skip
def test_a_response_comes_back_as_it_was(tmp_path, archive, response):
    stored(tmp_path, archive, RESPONSE)
    place = stored(tmp_path, archive, response)[0]
    stored(tmp_path, archive, RESPONSE)
    found = read(tmp_path / "archive", *place)
    assert found == replace(response, request_headers=(), elapsed_s=0.0)


TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\0", exclude_categories=("Cc", "Zl", "Zp", "Zs")), max_size=20
)


@settings(max_examples=80, deadline=None)
@given(
    st.binary(max_size=400), st.lists(st.tuples(st.sampled_from(["A", "b-c", "X-Y"]), TEXT), max_size=4), st.booleans()
)
def test_any_page_comes_back_and_checks(tmp_path_factory, body, headers, compressed):
    folder = tmp_path_factory.mktemp("a")
    response = replace(RESPONSE, headers=tuple(headers), body=body)
    if compressed and body:
        raw = gzipped(body)
        response = replace(response, headers=(*headers, ("Content-Encoding", "gzip")), encoded_body=raw)
    made = writer(folder)
    made.open()
    place = made.append(encode(response, {}, 1))
    made.close()
    found = read(folder, *place)
    assert (found.body, found.encoded_body, found.headers) == (response.body, response.encoded_body, response.headers)
    assert warcio_records(folder / place[0])[1][1].digest_checker.passed is True


def test_a_server_cannot_write_headers_of_its_own(tmp_path, archive):
    evil = replace(
        RESPONSE,
        url="http://h.example/\r\nWARC-Type: warcinfo",
        headers=(("X\r\nContent-Encoding", "gzip\r\n\r\nbody"), ("Y: z", "v")),
        ip="1\r\nX: y",
        request_headers=(("A\r\nB", "c\r\n\r\nd"),),
    )
    place = archive.append(encode(evil, {"via\r\nx": "a\r\nscore: 9"}, 6))
    records = warcio_records(tmp_path / "archive" / place[0])
    assert [kind for kind, _, _ in records] == ["warcinfo", "response", "request", "metadata"]
    assert records[1][2] == PAGE
    assert len(records[1][1].http_headers.headers) == 2
    assert len(records[3][2].splitlines()) == 2


def test_reading_where_no_response_is(tmp_path, archive):
    name, offset = stored(tmp_path, archive, RESPONSE)[0]
    folder = tmp_path / "archive"
    for bad in (0, offset + 1, 10_000_000):
        with pytest.raises(ArchiveError, match=f"{name} offset {bad}"):
            read(folder, name, bad)
    with pytest.raises(ArchiveError, match="cannot be read"):
        read(folder, "crawl1-00009.warc.gz", 0)
    for name in ("../secret-00001.warc.gz", "/etc/passwd", ""):
        with pytest.raises(ArchiveError, match="is no file of an archive"):
            read(folder, name, 0)


def test_nothing_received_is_refused():
    with pytest.raises(ValueError, match="nothing was received"):
        encode(replace(RESPONSE, status=0), {}, 6)


def test_the_same_visit_gives_the_same_bytes_in_every_process():
    code = "from tests.unit.test_store_warc import *; sys.stdout.buffer.write(encode(RESPONSE, FACTS, 6))"
    other = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True).stdout
    assert other == encode(RESPONSE, FACTS, 6) == encode(RESPONSE, FACTS, 6)


def test_what_was_not_sent_has_no_request_record(tmp_path, archive):
    place = stored(tmp_path, archive, replace(RESPONSE, request_headers=()))[0]
    assert [kind for kind, _, _ in warcio_records(tmp_path / "archive" / place[0])] == [
        "warcinfo",
        "response",
        "metadata",
    ]


@pytest.mark.parametrize(
    ("when", "date"),
    [
        (0.0, "1970-01-01T00:00:00Z"),
        (946_684_800.5, "2000-01-01T00:00:00.500000Z"),
        (1_700_000_000.0, "2023-11-14T22:13:20Z"),
    ],
)
def test_dates(when, date):
    assert warc_date(when) == date


# -- revisits -------------------------------------------------------------------------------------------------


def test_a_revisit_repeats_no_payload_and_reads_like_the_page(tmp_path, archive):
    first = encoded("gzip", gzipped(PAGE))
    name, offset = stored(tmp_path, archive, first)[0]
    again = replace(
        first,
        url="http://h.example/copy",
        headers=(("Age", "9"), ("Content-Encoding", "gzip")),
        fetched_at=1_700_000_100.0,
    )
    assert payload_digest(again) == payload_digest(first)
    original = Original(first.url, first.fetched_at, name, offset)
    place = archive.append(encode_revisit(again, FACTS, original, 6))
    found = read(tmp_path / "archive", *place)
    assert found == replace(again, request_headers=(), elapsed_s=0.0)
    record = warcio_records(tmp_path / "archive" / name)[4][1]
    assert record.rec_type == "revisit"
    assert record.rec_headers.get_header("WARC-Refers-To-Target-URI") == first.url
    assert record.rec_headers.get_header("WARC-Refers-To-Date") == warc_date(first.fetched_at)
    assert [one.response.url for one in iterate(tmp_path / "archive")] == [first.url, again.url]
    archive.close()
    (tmp_path / "archive" / name).rename(tmp_path / "archive" / "crawl1-00002.warc.gz")
    with pytest.raises(ArchiveError, match="cannot be read"):
        read(tmp_path / "archive", "crawl1-00002.warc.gz", place[1])


# -- the writer -----------------------------------------------------------------------------------------------


def numbered(count: int, start: int = 0) -> list[Response]:
    return [replace(RESPONSE, url=f"http://h.example/{n}", body=os.urandom(500)) for n in range(start, start + count)]


def urls(folder: Path, committed: tuple[str, int] | None = None) -> list[str]:
    return [one.response.url for one in iterate(folder, committed)]


def test_files_are_rotated(tmp_path):
    archive = writer(tmp_path, 4_000)
    archive.open()
    places = [archive.append(encode(one, FACTS, 6)) for one in numbered(12)]
    archive.close()
    files = archive_files(tmp_path)
    assert [path.name for path in files] == [f"crawl1-{n:05}.warc.gz" for n in range(1, len(files) + 1)]
    assert len(files) > 2
    assert all(path.stat().st_size <= 4_000 for path in files)
    assert all(warcio_records(path)[0][0] == "warcinfo" for path in files)
    assert (
        [read(tmp_path, *place).url for place in places]
        == urls(tmp_path)
        == [f"http://h.example/{n}" for n in range(12)]
    )


def test_a_record_larger_than_a_file_gets_its_own(tmp_path):
    archive = writer(tmp_path, 1_000)
    archive.open()
    places = [archive.append(encode(replace(RESPONSE, body=os.urandom(3_000)), {}, 6)) for _ in range(3)]
    archive.close()
    assert [name for name, _ in places] == [f"crawl1-0000{n}.warc.gz" for n in (1, 2, 3)]


@pytest.mark.parametrize("max_bytes", [10_000_000, 4_000])
def test_what_was_not_committed_is_cut_off(tmp_path, max_bytes):
    archive = writer(tmp_path, max_bytes)
    archive.open()
    for one in numbered(5):
        archive.append(encode(one, FACTS, 6))
    committed = archive.flush()
    for one in numbered(9, 100):
        archive.append(encode(one, FACTS, 6))
    torn = encode(numbered(1)[0], FACTS, 6)[:200]
    archive.append(torn)  # as after a kill in the middle of a write
    archive.close()
    assert urls(tmp_path, committed) == [f"http://h.example/{n}" for n in range(5)]

    archive = writer(tmp_path, max_bytes)
    archive.open(committed)
    assert archive.flush() == committed
    assert any("never committed" in note for note in archive.notes)
    for one in numbered(6, 5):
        archive.append(encode(one, FACTS, 6))
    archive.close()
    assert urls(tmp_path) == [f"http://h.example/{n}" for n in range(11)]
    for path in archive_files(tmp_path):
        warcio_records(path)


def test_an_archive_that_no_database_knows_is_set_aside(tmp_path):
    for _ in range(2):
        archive = writer(tmp_path)
        archive.open(None)
        archive.append(encode(RESPONSE, FACTS, 6))
        archive.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "crawl1-00001.warc.gz",
        "crawl1-00001.warc.gz.uncommitted-1",
    ]
    assert "set aside" in archive.notes[0]
    assert len(urls(tmp_path)) == 1


def test_files_of_other_crawls_are_left_alone(tmp_path):
    for prefix in ("crawl1", "crawl10", "crawl2"):
        archive = writer(tmp_path, prefix=prefix)
        archive.open()
        archive.append(encode(replace(RESPONSE, url=f"http://h.example/{prefix}"), FACTS, 6))
        archive.close()
    assert urls(tmp_path) == [f"http://h.example/{prefix}" for prefix in ("crawl1", "crawl2", "crawl10")]


@pytest.mark.parametrize("lost", ["missing", "shorter"])
def test_a_lost_file_does_not_stop_the_crawl(tmp_path, lost):
    archive = writer(tmp_path)
    archive.open()
    archive.append(encode(RESPONSE, FACTS, 6))
    name, length = archive.flush()
    archive.close()
    if lost == "missing":
        (tmp_path / name).unlink()
    else:
        os.truncate(tmp_path / name, length - 50)
    archive = writer(tmp_path)
    archive.open((name, length))
    place = archive.append(encode(RESPONSE, FACTS, 6))
    archive.close()
    assert place[0] == "crawl1-00002.warc.gz"
    assert len(archive.notes) == 1
    assert read(tmp_path, *place).body == PAGE


def test_a_writer_that_is_not_open():
    archive = writer(Path("nowhere"))
    for use in (lambda: archive.append(b"x"), archive.flush):
        with pytest.raises(StoreError, match="not open"):
            use()
    archive.close()
    with pytest.raises(ValueError, match="cannot begin a file name"):
        writer(Path("nowhere"), prefix="../x")


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_a_full_disk_leaves_whole_records_and_says_what_to_do(tmp_path):
    code = """
        import resource, sys
        from pathlib import Path
        from tests.unit.test_store_warc import *
        from clew.errors import DiskFullError
        archive = writer(Path(sys.argv[1]))
        archive.open()
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        for one in numbered(100):
            archive.append(encode(one, FACTS, 6))
        for _ in range(2):
            try:
                archive.flush()
            except DiskFullError as error:
                print(error)
        print(len(warcio_records(Path(sys.argv[1]) / "crawl1-00001.warc.gz")))
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000_000, 20_000_000))
        print(archive.flush()[1] == (Path(sys.argv[1]) / "crawl1-00001.warc.gz").stat().st_size)
    """
    *said, whole, all_written = run(code, str(tmp_path)).stdout.splitlines()
    assert len(said) == 2
    assert "crawl1-00001.warc.gz cannot be written: the file has reached the largest size" in said[0]
    assert 10 < int(whole) < 200
    assert all_written == "True"
    assert urls(tmp_path) == [f"http://h.example/{n}" for n in range(100)], "nothing was lost when there was room again"


def test_a_killed_writer_loses_nothing_that_was_committed(tmp_path):
    code = """
        import os, signal, sys
        from pathlib import Path
        from tests.unit.test_store_warc import *
        archive = writer(Path(sys.argv[1]), 9_000)
        archive.open()
        for number, one in enumerate(numbered(40)):
            archive.append(encode(one, FACTS, 6))
            if number % 10 == 9:
                print(*archive.flush(), flush=True)
            if number == 35:
                os.kill(os.getpid(), signal.SIGKILL)
    """
    done = run(code, str(tmp_path))
    assert done.returncode == -signal.SIGKILL
    name, length = done.stdout.splitlines()[-1].split()
    archive = writer(tmp_path, 9_000)
    archive.open((name, int(length)))
    archive.close()
    assert urls(tmp_path) == [f"http://h.example/{n}" for n in range(30)]


@given(st.binary(max_size=50))
def test_digests_are_in_base_32(body):
    digest = b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()
    assert payload_digest(replace(RESPONSE, body=body)) == f"sha1:{digest}"


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs"])))
def test_record_ids_are_uuids_of_version_5(path):
    response = replace(RESPONSE, url=f"http://h.example/{path}")
    name = f"response {response.url} {response.fetched_at!r} {response.status} {payload_digest(response)}"
    urn = uuid.uuid5(uuid.NAMESPACE_URL, name.encode().decode("latin-1")).urn
    assert f"WARC-Record-ID: <{urn}>\r\n".encode() in zlib.decompress(encode(response, {}, 1), 31)
