"""Edge lists: thousands of links against a dict, sorting in small chunks, damaged files."""

from __future__ import annotations

import gzip
import os
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError
from clew.urls.canonical import Canonicaliser
from clew.web.providers import edgelines
from clew.web.providers.base import ProviderError
from clew.web.providers.edgelist import EdgeList
from clew.web.providers.edgesort import PairSorter


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode(), 1))
    return path


async def test_thousands_of_links_against_a_dict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edgelines, "BLOCK", 1_000)
    dice = random.Random(5)
    pages = [f"http://h{n % 7}.test/p{n}" for n in range(400)]
    expected: dict[str, list[str]] = defaultdict(list)
    lines = []
    for source in dice.sample(pages, 400) + dice.sample(pages, 100):
        for target in [*dice.choices(pages, k=20), pages[0]]:
            lines.append(f"{source}\t{target}\n")
            if source != target and source not in expected[target]:
                expected[target].append(source)
    path = written(tmp_path / "e.gz", "".join(lines))
    project = tmp_path / "project"
    edges = EdgeList(path, project, chunk=256)  # 41 runs; more links than a chunk to pages[0]
    assert edges.prepare() == sum(line.split("\t")[0] != line.split("\t")[1].strip() for line in lines)
    for page in pages:
        assert await edges.backlinks(page, 10_000) == expected[page]
    assert await edges.backlinks(pages[0], 3) == expected[pages[0]][:3]
    await edges.close()
    index = next(project.iterdir())
    assert sorted(file.name for file in index.iterdir()) == ["about.json", "blocks", "lines", "sources", "targets"]
    assert sorted(os.listdir(tmp_path)) == ["e.gz", "project"]


def test_sorter_agrees_with_a_stable_sort(tmp_path: Path) -> None:
    dice = np.random.default_rng(3)
    values = dice.integers(0, 1 << 63, 50, np.uint64) * np.uint64(2) + np.uint64(1)
    chosen = np.concatenate([dice.choice(values, 3_000), np.full(500, (1 << 64) - 1, np.uint64)])
    offsets = np.arange(len(chosen), dtype=np.uint64)
    sorter = PairSorter(tmp_path, chunk=100)
    for start in range(0, len(chosen), 33):
        sorter.add(chosen[start : start + 33], offsets[start : start + 33])
    sorter.finish(tmp_path / "k", tmp_path / "o")
    order = np.argsort(chosen, kind="stable")
    assert np.array_equal(np.fromfile(tmp_path / "k", np.uint64), chosen[order])
    assert np.array_equal(np.fromfile(tmp_path / "o", np.uint64), offsets[order])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k", "o"]


@pytest.mark.parametrize(
    ("reverse", "lines"),
    [
        (False, "www.a.test\tb.test\nc.test:8080\tb.test\nno host\tb.test\n"),
        (True, "test.a.www\ttest.b\n"),
    ],
)
async def test_hosts(reverse: bool, lines: str, tmp_path: Path) -> None:
    path = written(tmp_path / "e.gz", lines)
    edges = EdgeList(path, tmp_path, level="host", reversed_hosts=reverse)
    expected = ["https://www.a.test/"] if reverse else ["https://www.a.test/", "https://c.test:8080/"]
    assert await edges.backlinks("http://b.test/some/page", 9) == expected
    await edges.close()


async def test_lines_of_all_kinds(tmp_path: Path) -> None:
    """Plain text, CRLF, no end, a third column, other spellings, rubbish, many gzip members."""
    text = "http://a.test\thttp://T.test:80/#x\tanchor\r\nrubbish\n\nhttp://b.test/?sid=3\thttp://t.test/"
    (tmp_path / "plain.tsv").write_bytes(text.encode())
    (tmp_path / "members.gz").write_bytes(gzip.compress(text[:30].encode()) + gzip.compress(text[30:].encode()))
    for name in ("plain.tsv", "members.gz"):
        edges = EdgeList(tmp_path / name, tmp_path / "p", canonicalise=Canonicaliser(("sid",)))
        assert await edges.backlinks("http://t.test/", 9) == ["http://a.test/", "http://b.test/"]
        await edges.close()


async def test_an_index_is_made_once_and_anew_when_the_file_changes(tmp_path: Path) -> None:
    path = written(tmp_path / "e.gz", "http://a.test/\thttp://t.test/\n")
    project = tmp_path / "p"
    for _ in range(2):
        edges = EdgeList(path, project)
        assert await edges.backlinks("http://t.test/", 9) == ["http://a.test/"]
        await edges.close()
    assert len(list(project.iterdir())) == 1
    written(path, "http://other.test/\thttp://t.test/\n")
    edges = EdgeList(path, project)
    assert await edges.backlinks("http://t.test/", 9) == ["http://other.test/"]
    await edges.close()


async def test_an_empty_file_has_no_links(tmp_path: Path) -> None:
    edges = EdgeList(written(tmp_path / "e.gz", ""), tmp_path)
    assert await edges.backlinks("http://t.test/", 9) == []
    await edges.close()


def test_files_that_are_no_edge_lists(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no edge list"):
        EdgeList(tmp_path / "missing.gz", tmp_path)
    path = written(tmp_path / "e.gz", "a.test\tb.test\n")
    with pytest.raises(InputError, match="say url or host"):
        EdgeList(path, tmp_path, level="domain")
    with pytest.raises(InputError, match=r'none of 1 lines is a link.*level = "host"'):
        EdgeList(path, tmp_path / "p").prepare()
    whole = gzip.compress("".join(f"http://{n}.test/\thttp://t.test/\n" for n in range(9_999)).encode())
    half = len(whole) // 2
    for damaged in (whole[:half], whole[:half] + b"\0" * 99 + whole[half + 99 :], whole[:-6] + b"\1" + whole[-5:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="damaged or cut off after line"):
            EdgeList(path, tmp_path / "p").prepare()
    assert list((tmp_path / "p").iterdir()) == []
    path.write_bytes(whole)
    (tmp_path / "zeros").write_bytes(bytes(30 << 20))
    with pytest.raises(InputError, match="a line of more than 16 MB"):
        EdgeList(tmp_path / "zeros", tmp_path / "p").prepare()
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"cannot be indexed in .*file"):
        EdgeList(path, tmp_path / "file").prepare()


async def test_a_damaged_index_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "e.gz", "http://a.test/\thttp://t.test/\n")
    edges = EdgeList(path, tmp_path / "p")
    edges.prepare()
    index = next((tmp_path / "p").iterdir())
    (index / "lines").write_bytes(b"rubbish")
    with pytest.raises(ProviderError, match=r"the index is damaged.*delete this folder"):
        await edges.backlinks("http://t.test/", 9)
    await edges.close()
    (index / "blocks").unlink()
    with pytest.raises(ProviderError, match="the index is damaged"):
        await edges.backlinks("http://t.test/", 9)
