"""A page that repeats an archived one to the byte is stored once: a revisit record points at the first."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

from traps_web import crawl_of, stored
from warcio.archiveiterator import ArchiveIterator

from clew.export.base import Collection
from clew.export.warc import write_warc
from clew.model import Outcome, Response
from clew.store.records import VisitRow
from clew.store.warc import iterate, read

SEED = "http://a.test/"
SAME = "<html lang=en><title>Boats</title><p>sailing boats in the harbour <a href='/x'>x</a>" + " regatta" * 500
TOKEN = SAME.replace("<p>", "<p class=t1>")
PAGES = {
    SEED: "<p>sailing <a href='/1'>1</a> <a href='/2'>2</a> <a href='/3'>3</a> <a href='/4'>4</a>",
    "http://a.test/1": SAME,
    "http://a.test/2": SAME,
    "http://a.test/3": TOKEN,
    "http://a.test/x": "<p>sailing far",
}


def answers(url: str) -> str | Response | None:
    """Page 4 is the same, but came compressed."""
    if url != "http://a.test/4":
        return PAGES.get(url)
    headers = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
    sent = gzip.compress(SAME.encode(), mtime=0)
    return Response(url, Outcome.OK, 200, headers, SAME.encode(), sent, fetched_at=1e9)


def crawled(folder: Path) -> tuple[dict[str, VisitRow], dict[str, str]]:
    """The visits of a crawl by URL, and the kind of each one's record."""
    crawl_of(answers, [SEED], folder=folder).run_sync(20)
    store = stored(folder)
    rows = {row.url: row for row in store.visits.rows()}
    store.close()
    kinds = {}
    for path in sorted((folder / "archive").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type in ("response", "revisit"):
                    kinds[record.rec_headers.get_header("WARC-Target-URI")] = record.rec_type
    return rows, kinds


def test_the_same_bytes_are_stored_once(tmp_path: Path) -> None:
    rows, kinds = crawled(tmp_path)
    assert kinds == {
        SEED: "response",
        "http://a.test/1": "response",
        "http://a.test/2": "revisit",
        "http://a.test/3": "response",  # the same page by its text, but not to the byte
        "http://a.test/4": "response",  # nor this: it came compressed
        "http://a.test/x": "response",
    }
    one = rows["http://a.test/1"].number
    assert {url[-1] for url, row in rows.items() if row.duplicate_of == one} == {"2", "3", "4"}


def test_what_is_stored_once_is_read_twice(tmp_path: Path) -> None:
    rows, _ = crawled(tmp_path)
    for name in "124":
        row = rows[f"http://a.test/{name}"]
        found = read(tmp_path / "archive", row.warc_file, row.warc_offset)
        assert (found.url, found.body.decode()) == (row.url, SAME)
    assert {one.response.url for one in iterate(tmp_path / "archive")} == set(rows)
    out = io.BytesIO()
    store = stored(tmp_path)
    assert write_warc(Collection(store, tmp_path / "archive", ()), [rows["http://a.test/2"]], out) == 1
    store.close()
    out.seek(0)
    bodies = [one.content_stream().read() for one in ArchiveIterator(out) if one.rec_type == "response"]
    assert bodies == [SAME.encode()], "an export has the page itself"


def test_without_the_first_record_the_page_is_stored_whole(tmp_path: Path) -> None:
    crawl_of(answers, [SEED], folder=tmp_path).run_sync(2)
    (path,) = (tmp_path / "archive").glob("*.warc.gz")
    path.rename(tmp_path / path.name)
    rows, kinds = crawled(tmp_path)
    assert rows["http://a.test/2"].duplicate_of == rows["http://a.test/1"].number
    assert kinds["http://a.test/2"] == "response"
