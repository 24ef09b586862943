"""Importers of topics under load: an Open Directory dump of 1.7 million URLs, a bookmark file of 10,000 links.

    python -m benchmarks.importers [--urls 1700000] [--links 10000] [--seed 1] [--json]

The dump is made in a temporary folder from the seed: 10 links a topic, topics up to 6 deep, a title and 80 to 160
characters of description each, every 50th description with a control character and every 50th with a byte that is no
UTF-8. It is read three times, streaming, each time in a process of its own: plain, gzipped, and with a focus on one
of 16 parts. The bookmark file has folders of 25 links, each link with tags, a description and an icon of 1,500
characters. Peak is all the memory that the reading process ever took; making the files is not counted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import show
from clew.topics.bookmarks import read_bookmarks
from clew.topics.dmoz import read_dmoz
from clew.topics.entry import Entry

PER_TOPIC = 10
PARTS = 16
DEPTH = 6
PER_FOLDER = 25
ICON = 1_500
FOCUS = "Top/Part_3"
COLUMNS = {
    "name": ("read", ""),
    "mb": ("file\nMB", ",.0f"),
    "urls": ("URLs", ",.0f"),
    "seconds": ("seconds", ".2f"),
    "urls_per_s": ("URLs/s", ",.0f"),
    "peak_mb": ("peak\nMB", ",.0f"),
}
HEAD = b"""<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">
"""
WORDS = (
    "the",
    "of",
    "galaxy",
    "observatory",
    "guide",
    "history",
    "news",
    "société",
    "музыка",
    "archive",
    "photographs",
    "club",
    "&amp;",
    "shop",
    "index",
)


def write_dump(path: Path, urls: int, seed: int) -> None:
    """A file like content.rdf.u8 with ``urls`` links."""
    rng = random.Random(seed)
    with path.open("wb") as file:
        file.write(HEAD)
        for first in range(0, urls, PER_TOPIC):
            file.write(_topic(rng, range(first, min(first + PER_TOPIC, urls))))
        file.write(b"</RDF>\n")


def _topic(rng: random.Random, numbers: range) -> bytes:
    number = numbers.start // PER_TOPIC
    inner = "/".join(f"{rng.choice(WORDS)}_{number % 10**level}" for level in range(1, rng.randint(2, DEPTH)))
    topic = f"Top/Part_{number % PARTS}/{inner}"
    links = [f"http://www.site{index % 90_000}.example/page/{index}.html?a=1&amp;b=2" for index in numbers]
    lines = [f'  <Topic r:id="{topic}">', f"    <catid>{number}</catid>"]
    lines += [f'    <link r:resource="{link}"></link>' for link in links]
    lines.append("  </Topic>")
    for link in links:
        title, description = _words(rng, 30), _words(rng, rng.randint(80, 160))
        lines += [
            f'  <ExternalPage about="{link}">',
            f"    <d:Title>{title}</d:Title>",
            f"    <d:Description>{description}</d:Description>",
            f"    <topic>{topic}</topic>",
            "  </ExternalPage>",
        ]
    return ("\n".join(lines) + "\n").encode().replace(b"BELL", b"\x07").replace(b"BAD", b"\xe9")


def _words(rng: random.Random, length: int) -> str:
    text = " ".join(rng.choices(WORDS, k=length // 7))
    return text + {0: " BELL", 1: " BAD"}.get(rng.randrange(50), "")


def write_bookmark_file(path: Path, links: int, seed: int) -> None:
    """A bookmark file as a browser exports it."""
    rng = random.Random(seed)
    lines = ["<!DOCTYPE NETSCAPE-Bookmark-file-1>", "<H1>Bookmarks</H1>", "<DL><p>"]
    icon = "data:image/png;base64," + "iVBORw0KGgo" * (ICON // 11)
    for number in range(links):
        if number % PER_FOLDER == 0:
            lines += ["</DL><p>"] * (number > 0) + [f"<DT><H3>Folder {number // PER_FOLDER}</H3>", "<DL><p>"]
        attributes = f'ADD_DATE="{1_400_000_000 + number}" ICON="{icon}" TAGS="one,two,{number}"'
        lines.append(f'<DT><A HREF="http://www.example.org/{number}?a=1&b=2" {attributes}>{_words(rng, 40)}</A>')
        lines.append(f"<DD>{_words(rng, 120)}")
    path.write_text("\n".join([*lines, "</DL><p>", "</DL><p>"]), encoding="utf-8")


def measure(kind: str, path: Path) -> dict[str, float]:
    """Seconds and peak memory of this process after reading a file to its end."""
    started = time.perf_counter()
    urls = sum(1 for entry in _entries(kind, path) if entry.url)
    seconds = time.perf_counter() - started
    size = path.stat().st_size / 1e6
    return {"mb": size, "urls": urls, "seconds": seconds, "urls_per_s": urls / seconds, "peak_mb": _peak()}


def _peak() -> float:
    """MB. On Linux ru_maxrss would count the parent's memory, too: it outlives fork and exec."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _entries(kind: str, path: Path) -> Iterator[Entry]:
    if kind == "bookmarks":
        return read_bookmarks(path)
    return read_dmoz(path, focus=FOCUS if kind == "focus" else "")


def _rows(folder: Path, urls: int, links: int, seed: int) -> Iterator[dict[str, str | float]]:
    dump, packed, bookmarks = folder / "content.rdf.u8", folder / "content.rdf.u8.gz", folder / "bookmarks.html"
    write_dump(dump, urls, seed)
    with dump.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    write_bookmark_file(bookmarks, links, seed)
    for name, kind, path in (
        ("dump", "dmoz", dump),
        ("dump, gzipped", "dmoz", packed),
        ("dump, one part of 16", "focus", dump),
        ("bookmarks", "bookmarks", bookmarks),
    ):
        command = [sys.executable, "-m", "benchmarks.importers", "--one", kind, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        yield {"name": name, **json.loads(done.stdout.splitlines()[-1])}


def main() -> None:
    """Measure all and print the table; with --json one line of JSON last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=1_700_000, help="links of the Open Directory dump")
    parser.add_argument("--links", type=int, default=10_000, help="links of the bookmark file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one[0], Path(options.one[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_rows(Path(folder), options.urls, options.links, options.seed))
    show("Importers of topics", COLUMNS, rows, as_json=options.json)


if __name__ == "__main__":
    main()
