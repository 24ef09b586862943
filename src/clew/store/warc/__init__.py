"""What was fetched, as WARC 1.1 files that every WARC tool reads; also the crawl's page cache.

Each visit becomes a ``response`` record, a ``request`` record when a request was sent, and a ``metadata`` record
that says how the page was found, each a gzip member of its own. ``encode`` makes the bytes and is pure, so worker
processes do the compression; ``WarcWriter`` only appends them.

**How archive and database agree.** Records are appended first. ``flush`` puts them on disk and says which file has
which length; the store writes that pair in the same transaction as the rows that point at the records. A process
that is killed leaves bytes after the committed length. At the next start ``open`` gets the committed pair, cuts
off what lies behind it and deletes later files: no row points there, and those pages will be fetched again.
Without a committed pair, files of the same prefix are set aside under another name rather than deleted.

Status line, header lines and bodies are stored as they were received where the response still has those bytes
(``head``, ``encoded_body``). Not stored are chunks (their data is), trailers and interim answers. Headers that would
make the stored message wrong (Transfer-Encoding of chunks; Content-Encoding of a body that is stored decoded; a
Content-Length that disagrees, unless the body is truncated) are kept under an ``X-Archive-Orig-`` name.
"""

from clew.store.warc.reader import Stored, iterate, read, stored_digest
from clew.store.warc.records import Original, encode, encode_about, encode_revisit, payload_digest, warc_date
from clew.store.warc.writer import WarcWriter, archive_files, sync_folder

__all__ = [
    "Original",
    "Stored",
    "WarcWriter",
    "archive_files",
    "encode",
    "encode_about",
    "encode_revisit",
    "iterate",
    "payload_digest",
    "read",
    "stored_digest",
    "sync_folder",
    "warc_date",
]
