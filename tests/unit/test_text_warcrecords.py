"""WARC files by anyone: every sound record comes out, every damage is named, nothing raises."""

import re
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clew.errors import ArchiveError
from clew.model import Outcome
from clew.text.warcrecords import Entry, Place, StoredRecord, WarcFile, response_of, warc_time

HOSTILE = Path(__file__).parents[2].parent / "shared" / "hostile" / "warc"


def record(number: int, lie: int = 0, kind: str = "response", body: bytes = b"") -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + (body or b"page %d of many " % number * 40)
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://h.example/{number}\r\n"
        f"WARC-Date: 2020-01-01T00:00:{number:02}Z\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(block) + lie}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def member(data: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, 31)
    return stream.compress(data) + stream.flush()


def plain(data: bytes) -> bytes:
    return data


def numbers(path: Path) -> tuple[list[int], list[str]]:
    """Which records come out, each checked to be readable at its place, and the problems."""
    found = []
    with WarcFile(path) as file, WarcFile(path) as reader:
        for entry in file.scan():
            stored = reader.read(entry.place, 1 << 20)
            assert stored.url == entry.url
            assert stored.kind == entry.kind
            found.append(int(entry.url.rpartition("/")[2]))
    return found, file.problems


def entries(path: Path) -> list[Entry]:
    with WarcFile(path) as file:
        return list(file.scan())


def written(tmp_path: Path, parts: list[bytes]) -> Path:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(parts))
    return path


@pytest.mark.parametrize("form", [member, plain, zstandard.ZstdCompressor().compress])
def test_every_record_and_its_facts(tmp_path, form):
    path = written(tmp_path, [form(record(n)) for n in range(5)])
    assert numbers(path) == ([0, 1, 2, 3, 4], [])
    entry = entries(path)[3]
    assert (entry.kind, entry.status, entry.content_type) == ("response", 200, "application/http")
    assert entry.date == 1577836803.0
    assert entry.record_id == "<urn:uuid:3>"


@pytest.mark.parametrize("form", [member, zstandard.ZstdCompressor().compress])
def test_records_that_share_a_member(tmp_path, form):
    path = written(tmp_path, [form(b"".join(map(record, range(3)))), form(record(3)), form(record(4) + record(5))])
    assert numbers(path) == ([0, 1, 2, 3, 4, 5], [])


def test_a_zstd_dictionary_in_front(tmp_path):
    dictionary = zstandard.ZstdCompressionDict(b"".join(record(n, body=b"%d" % n * 90) for n in range(50)))
    compress = zstandard.ZstdCompressor(dict_data=dictionary).compress
    for data in (dictionary.as_bytes(), zstandard.compress(dictionary.as_bytes())):
        frame = b"\x5d\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data
        path = written(tmp_path, [frame, *(compress(record(n)) for n in range(3))])
        assert numbers(path) == ([0, 1, 2], [])


@pytest.mark.parametrize("form", [member, plain])
@pytest.mark.parametrize("lie", [5, 100, 800, 100_000])
def test_a_content_length_that_is_too_large_costs_only_its_record(tmp_path, form, lie):
    parts = [form(record(0)), form(record(1, lie)), form(record(2)), form(record(3))]
    found, problems = numbers(written(tmp_path, parts))
    assert found == [0, 2, 3]
    assert len(problems) == 1
    assert f"offset {len(parts[0])}: damaged" in problems[0]
    assert problems[0].endswith(f"went on at {len(parts[0] + parts[1])}")


@pytest.mark.parametrize("form", [member, plain])
def test_a_content_length_that_is_too_small_hides_no_other_record(tmp_path, form):
    parts = [form(record(0)), form(record(1, -100)), form(record(2))]
    found, problems = numbers(written(tmp_path, parts))
    assert found == [0, 1, 2]
    assert len(problems) == 1


@pytest.mark.parametrize("form", [member, plain])
@pytest.mark.parametrize("cut", [1, 3, 30, 200])
def test_a_torn_tail_is_named(tmp_path, form, cut):
    parts = [form(record(n)) for n in range(3)]
    parts[2] = parts[2][: min(cut, len(parts[2]) - 12)]
    found, problems = numbers(written(tmp_path, parts))
    assert found == [0, 1]
    if form is member or cut > 9:  # a plain file may end in part of a version line unnoticed
        assert len(problems) == 1
        assert f"offset {len(parts[0] + parts[1])}: damaged" in problems[0]


def test_a_missing_checksum_is_named(tmp_path):
    parts = [member(record(0)), member(record(1))[:-3]]
    found, problems = numbers(written(tmp_path, parts))
    assert found == [0, 1]
    assert len(problems) == 1


def chunked(data: bytes, cuts: list[int]) -> bytes:
    """A gzip file whose members begin at ``cuts``, wherever records begin."""
    return b"".join(member(data[start:end]) for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True))


@pytest.mark.parametrize("step", [1, 97])
def test_members_that_do_not_begin_at_records_are_refused_with_advice_or_read(tmp_path, step):
    """Report 21: gzip is a stream of members. Never a false count, never a place where no record is."""
    data = b"".join(record(number, body=b"x" * 90) for number in (1, 2))
    refused = 0
    for cut in range(1, len(data), 5 if step == 1 else 31):
        cuts = [cut] if step == 1 else list(range(cut, len(data), step))
        path = written(tmp_path, [chunked(data, cuts)])
        try:
            found, problems = numbers(path)
        except ArchiveError as error:
            assert "warcio recompress" in str(error)
            assert str(path) in str(error)
            refused += 1
        else:
            assert found == [1, 2]
            assert problems == []
    assert refused > 10


def test_one_member_for_the_whole_file(tmp_path):
    assert numbers(written(tmp_path, [member(b"".join(map(record, range(1, 6))))])) == ([1, 2, 3, 4, 5], [])


def test_a_record_may_go_on_in_the_next_member(tmp_path):
    one, two = record(1), record(2)
    path = written(tmp_path, [member(one[:300]), member(one[300:]), member(two[:300]), member(two[300:])])
    assert numbers(path) == ([1, 2], [])


@pytest.mark.parametrize("name", ["split", "block"])
def test_the_files_of_report_21(name):
    path = HOSTILE.parent / "reports" / "21-warc-members-not-records" / f"{name}.warc.gz"
    if not path.is_file():
        pytest.skip("shared/hostile is not here")
    with pytest.raises(ArchiveError, match="warcio recompress"):
        entries(path)


def test_a_torn_member_in_the_middle(tmp_path):
    parts = [member(record(0)), member(record(1))[:70], member(record(2)), b"garbage " * 9, member(record(3))]
    found, problems = numbers(written(tmp_path, parts))
    assert found == [0, 2, 3]
    assert [int(re.search(r"offset (\d+)", text)[1]) for text in problems] == [
        len(parts[0]),
        sum(map(len, parts[:3])),
    ]


COMPRESSIONS = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18", b"\x04\x22\x4d\x18")
"""A file that begins with one of these is read as zstd or lz4: what began otherwise before is lost as a whole."""


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 5), st.floats(0, 1), st.binary(min_size=1, max_size=40), st.sampled_from([member, plain]))
def test_damage_costs_no_other_record(tmp_path_factory, victim, where, damage, form):
    parts = [form(record(n)) for n in range(6)]
    hurt = bytearray(parts[victim])
    at = int(where * (len(hurt) - 1))
    hurt[at : at + len(damage)] = damage[: len(hurt) - at]
    assume(victim or not any(hurt.startswith(magic) != parts[0].startswith(magic) for magic in COMPRESSIONS))
    path = written(tmp_path_factory.mktemp("w"), [*parts[:victim], bytes(hurt), *parts[victim + 1 :]])
    try:
        with WarcFile(path) as file:
            found = {entry.url for entry in file.scan()}
    except ArchiveError:  # nothing that begins so is a WARC file
        assert victim == 0
        return
    intact = {f"http://h.example/{n}" for n in range(6)} - {f"http://h.example/{victim}"}
    assert intact <= found
    if form is member and f"http://h.example/{victim}" not in found:
        assert file.problems


def test_starts_that_are_no_records_are_not_read_one_by_one(tmp_path):
    """A head may hold any lines. Each that looked like a start was read to the end of the file: 200 kB took 9 s."""
    path = written(tmp_path, [record(0), b"WARC/1.1\r\nA:" * 5_000, b"\r\n\r\n", record(1)])
    with WarcFile(path) as file:
        assert [entry.url for entry in file.scan()] == ["http://h.example/0", "http://h.example/1"]
    assert len(file.problems) < 10


@pytest.mark.parametrize("name", ["example.arc", "example.arc.gz", "bad.arc"])
def test_arc_files_are_refused_with_advice(name):
    if not (HOSTILE / name).is_file():
        pytest.skip("no hostile WARC files here")
    with pytest.raises(ArchiveError, match=r"is an ARC file.*warcio recompress"):
        WarcFile(HOSTILE / name)


@pytest.mark.parametrize("data", [b"", b"<html>no archive</html>", b"\x1f\x8b\x08junk", member(b"not a record")])
def test_what_is_no_warc_file_is_refused(tmp_path, data):
    path = written(tmp_path, [data])
    with pytest.raises(ArchiveError, match=re.escape(str(path))):
        WarcFile(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(ArchiveError, match="cannot be read: No such file"):
        WarcFile(tmp_path / "none.warc.gz")


def test_reading_where_no_record_is(tmp_path):
    path = written(tmp_path, [member(record(0))])
    with WarcFile(path) as file:
        with pytest.raises(ArchiveError, match=f"{re.escape(str(path))} offset 7: the record cannot be read"):
            file.read(Place(7), 100)
        with pytest.raises(ArchiveError, match="the file ends here"):
            file.read(Place(0, 1), 100)


def test_a_block_is_read_up_to_the_limit(tmp_path):
    with WarcFile(written(tmp_path, [member(record(0, body=b"x" * 100_000))])) as file:
        stored = file.read(Place(0), 1_000)
    assert len(stored.block) == 1_000
    assert stored.length > 100_000


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2020-01-01T00:00:01Z", 1577836801.0),
        ("2020-01-01T00:00:01.250Z", 1577836801.25),
        ("2020-01-01T01:00:01+01:00", 1577836801.0),
        ("2020-01-01T00:00:01", 1577836801.0),
        ("yesterday", 0.0),
        ("", 0.0),
    ],
)
def test_warc_dates(text, when):
    assert warc_time(text) == when


# -- responses --------------------------------------------------------------------------------------------


def stored(block: bytes, kind: str = "response") -> StoredRecord:
    fields = (("WARC-Type", kind), ("WARC-Target-URI", "http://h.example/d/p"), ("WARC-Date", "2020-01-01T00:00:01Z"))
    return StoredRecord((*fields, ("Content-Type", "text/csv"), ("WARC-IP-Address", "192.0.2.1")), block, len(block))


def answer(block: bytes, limit: int = 10_000):
    return response_of("http://h.example/d/p", stored(block), limit)


def test_a_page():
    found = answer(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello")
    assert (found.outcome, found.status, found.body, found.encoded_body) == (Outcome.OK, 200, b"<p>hello", None)
    assert (found.fetched_at, found.ip, found.http_version) == (1577836801.0, "192.0.2.1", "HTTP/1.0")


def test_an_encoded_page_keeps_what_was_received():
    raw = member(b"<p>hello")
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(raw), raw)
    found = answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n" + chunked)
    assert (found.outcome, found.body, found.encoded_body) == (Outcome.OK, b"<p>hello", raw)


def test_redirects_have_absolute_targets():
    found = answer(b"HTTP/1.1 302 Found\r\nLocation: ../x?y\r\n\r\n")
    assert (found.outcome, found.status, found.location) == (Outcome.REDIRECT, 302, "http://h.example/x?y")
    assert answer(b"HTTP/1.1 302 Found\r\n\r\n").reason == "HTTP 302"
    found = answer(b"HTTP/1.1 301 Moved\r\nLocation: http://[bad\r\n\r\n")
    assert (found.outcome, found.reason) == (Outcome.FAILED, "redirects to what is no web address: 'http://[bad'")


@pytest.mark.parametrize("status", [304, 404, 410, 500, 503])
def test_errors_fail_with_the_status(status):
    found = answer(b"HTTP/1.1 %d Some Phrase\r\n\r\n<p>sorry" % status)
    assert (found.outcome, found.status, found.reason) == (Outcome.FAILED, status, f"HTTP {status}")


def test_limits():
    assert "larger than 10 bytes" in answer(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 11, 10).reason
    bomb = member(b"x" * 1_000_000)
    found = answer(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb)
    assert found.outcome is Outcome.FAILED
    assert found.reason == "larger than 10000 bytes after decompression (limits.page_bytes)"


def test_a_block_that_is_no_http():
    found = answer(b"HTTPX/1.1 200 OK\r\n\r\n")
    assert found.outcome is Outcome.FAILED
    assert "no HTTP status line" in found.reason


def test_a_resource():
    found = response_of("u", stored(b"a,b\n", "resource"), 100)
    assert (found.outcome, found.status, found.body, found.header("content-type")) == (
        Outcome.OK,
        200,
        b"a,b\n",
        "text/csv",
    )


def test_a_revisit_has_its_own_headers_and_the_old_body():
    old = stored(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nAge: 1\r\n\r\n" + member(b"old body"))
    found = response_of("u", stored(b"HTTP/1.1 200 OK\r\nAge: 2\r\n\r\n", "revisit"), 100, old)
    assert (found.body, found.header("age")) == (b"old body", "2")
    assert response_of("u", stored(b"", "revisit"), 100, old).header("age") == "1"
