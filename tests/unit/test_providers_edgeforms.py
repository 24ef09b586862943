"""Edge lists in Parquet and in Common Crawl's numeric form: the same answers as from FROM<TAB>TO lines."""

from __future__ import annotations

import gzip
import importlib
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.errors import ConfigError, InputError
from clew.urls.canonical import Canonicaliser
from clew.web.providers import edgelines, edgenumbers, edgeread
from clew.web.providers.base import ProviderError
from clew.web.providers.edgecolumn import Column
from clew.web.providers.edgelist import EdgeList
from clew.web.providers.registry import make

HOSTS = "0\tcom.a\t3\n1\tcom.a.www\t1\n2\torg.b\n4\tde.c\t9\n"  # no 3
LINKS = "1\t0\n2\t0\n2\t2\n4\t0\n0\t4\n3\t0\n"


def packed(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode(), 1))
    return path


def numbered(folder: Path, vertices: str = HOSTS, edges: str = LINKS, **settings: Any) -> EdgeList:
    names = packed(folder / "vertices.txt.gz", vertices)
    return EdgeList(packed(folder / "edges.txt.gz", edges), folder / "p", vertices=names, **settings)


async def asked(edges: EdgeList, url: str, limit: int = 9) -> list[str]:
    try:
        return await edges.backlinks(url, limit)
    finally:
        await edges.close()


# -- numbers ------------------------------------------------------------------------------------------------


async def test_reversed_hosts_by_number(tmp_path: Path) -> None:
    """To 0, com.a: from 1, 2 and 4, and from 3, which has no name; the loop 2 to 2 is no link, so 5 of 6 stay."""
    edges = numbered(tmp_path)
    assert edges.prepare() == 5
    expected = ["https://www.a.com/", "https://b.org/", "https://c.de/"]
    assert await edges.backlinks("http://a.com/some/page?x=1", 9) == expected
    assert await edges.backlinks("https://a.com/", 2) == expected[:2]
    assert await edges.backlinks("https://c.de/", 9) == ["https://a.com/"]
    assert await edges.backlinks("https://b.org/", 9) == await edges.backlinks("https://d.test/", 9) == []
    assert edges.name == "edgelist edges.txt.gz vertices.txt.gz host reversed"
    await edges.close()
    index = next((tmp_path / "p").iterdir())
    names = ["about.json", "blocks", "ids", "key_ids", "keys", "lines", "places", "sources", "targets"]
    assert sorted(path.name for path in index.iterdir()) == names


@pytest.mark.parametrize(
    ("names", "settings", "expected"),
    [
        ("7\thttp://a.test/\n3\thttp://b.test:80/#part\n", {}, ["http://b.test/"]),  # the first line tells: URLs
        ("7\ta.test\n3\thttp://b.test/\n8\thttp://a.test/\n", {"level": "url"}, []),  # 7 is no URL
        ("7\ta.test\n3\twww.b.test\n", {"level": "host", "reversed_hosts": False}, ["https://www.b.test/"]),
        ("7\ttest.a\n3\ttest.b.www\n", {"level": "host"}, ["https://www.b.test/"]),
        ("7\ttest.a\n3\ttest.b.www\n", {}, ["https://www.b.test/"]),
        ("7\ta.test\n3\twww.b.test\n", {"reversed_hosts": False}, ["https://www.b.test/"]),
    ],
)
async def test_names_of_vertices(names: str, settings: dict[str, Any], expected: list[str], tmp_path: Path) -> None:
    assert await asked(numbered(tmp_path, names, "3\t7\n", **settings), "http://a.test/") == expected


def test_hosts_take_a_quick_way_with_the_same_result(tmp_path: Path) -> None:
    """Hosts of pieces that matter to the URL standard: numbers, Punycode, capitals, empty labels."""
    packed(tmp_path / "e.gz", "")
    edges = EdgeList(tmp_path / "e.gz", tmp_path, level="host")
    dice = random.Random(4)
    pieces = ["a", "b-c", "7", "0x1f", "xn--nxasmq6b", "xn--", "-", "_x", "A", "é", "", "1a", "com", "%61", "a--b"]
    plain = 0
    for _ in range(3_000):
        name = ".".join(dice.choices(pieces, k=dice.randint(1, 4)))
        right = Canonicaliser()(f"https://{name}/", "") if name else None
        assert edges._url(name) == right, name
        plain += right == f"https://{name}/"
    assert plain > 500


async def test_thousands_of_numbers_against_a_dict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of 256 links, blocks of 1,000 bytes read and written, numbers with gaps, more links than a run to one."""
    monkeypatch.setattr(edgelines, "BLOCK", 1_000)
    monkeypatch.setattr(edgeread, "_READ", 1_000)
    dice = random.Random(7)
    ids = dice.sample(range(10_000), 300)
    links = [(dice.choice(ids), dice.choice(ids[:50])) for _ in range(4_000)] + [(one, ids[0]) for one in ids]
    expected: dict[int, list[str]] = defaultdict(list)
    for source, target in links:
        url = f"https://h{source}.test/"
        if source != target and url not in expected[target]:
            expected[target].append(url)
    names = "".join(f"{one}\ttest.h{one}\n" for one in ids)
    edges = numbered(tmp_path, names, "".join(f"{a}\t{b}\n" for a, b in links), chunk=256)
    assert edges.prepare() == sum(a != b for a, b in links)
    for one in ids:
        assert await edges.backlinks(f"https://h{one}.test/", 10_000) == expected[one]
    await edges.close()


async def test_numbers_that_are_not_of_the_plainest(tmp_path: Path) -> None:
    """Plain text, CRLF, empty lines, further columns, no last line end."""
    (tmp_path / "v").write_bytes(b"0\tcom.a\r\n\r\n1\tcom.b\r\n2\tnot a host\r\n5\tcom.c")
    (tmp_path / "e").write_bytes(b"1\t0\r\n\r\n2\t0\r\n5\t0\tanchor\t3\r\n1\t5")
    edges = EdgeList(tmp_path / "e", tmp_path / "p", vertices=tmp_path / "v")
    assert await edges.backlinks("https://a.com/", 9) == ["https://b.com/", "https://c.com/"]
    assert await asked(edges, "https://c.com/") == ["https://b.com/"]


def test_both_ways_of_reading_numbers_agree() -> None:
    dice = np.random.default_rng(2)
    pairs = dice.integers(0, 1 << 40, (500, 2), np.uint64)
    block = "".join(f"{a}\t{b}\n" for a, b in pairs.tolist()).encode()
    for read in (edgenumbers._numbers, edgenumbers._slowly):
        assert np.array_equal(read(Path("e"), block, 1), pairs)
    assert edgenumbers._numbers(Path("e"), b"", 1).shape == (0, 2)


@pytest.mark.parametrize(
    ("vertices", "edges", "words"),
    [
        ("0\tcom.a\ncom.b\n", "", r"vertices file .*vertices\.txt\.gz: line 2 is 'com\.b', not a number, a tab"),
        ("0\tcom.a\n-1\tcom.b\n", "", "line 2 is "),
        ("0\tcom.a\n" + "1" * 5_000 + "\tcom.b\n", "", "line 2 is "),
        ("0\tcom.a\n0\tcom.b\n", "", "the number 0 stands on two lines"),
        ("0\tno host\n", "", r"none of 1 lines is ID<TAB>NAME \(URLs"),
        (HOSTS, "0\t1\n1\n2\t4\n", r"edge list .*edges\.txt\.gz: line 2 is '1', not two numbers"),
        (HOSTS, "0\t1\n2\t-4\n", "line 2 is "),
        (HOSTS, "0\t1\n\t2\n3\t1\n", "line 2 is "),
        (HOSTS, f"0\t1\n1\t{'9' * 30} \n", "line 2 is "),
        (HOSTS, "com.a\tcom.b\n", "line 1 is "),
        (HOSTS, "0\t1\n0\t5\n", r"0 and 5 are linked, but the last vertex is 4; is .*vertices\.txt\.gz the vertices"),
        (HOSTS, f"0\t1\n1\t{'9' * 30}\n", "are linked, but the last vertex is 4"),
        ("", "0\t1\n", "the last vertex is -1"),
    ],
)
def test_files_that_are_no_web_graph(vertices: str, edges: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        numbered(tmp_path, vertices, edges).prepare()
    assert list((tmp_path / "p").iterdir()) == []


def test_lines_are_counted_over_all_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edgeread, "_READ", 10)
    with pytest.raises(InputError, match="line 31 is '1'"):
        numbered(tmp_path, HOSTS, "0\t1\n" * 30 + "1\n").prepare()
    with pytest.raises(InputError, match="line 31 is 'x'"):
        numbered(tmp_path, "".join(f"{n}\tcom.h{n}\n" for n in range(30)) + "x\n").prepare()


async def test_a_damaged_index_of_numbers_is_named(tmp_path: Path) -> None:
    edges = numbered(tmp_path)
    edges.prepare()
    (next((tmp_path / "p").iterdir()) / "places").unlink()
    with pytest.raises(ProviderError, match=r"the index is damaged.*delete this folder"):
        await asked(edges, "https://a.com/")


async def test_other_vertices_are_another_index(tmp_path: Path) -> None:
    assert await asked(numbered(tmp_path), "https://c.de/") == ["https://a.com/"]
    assert await asked(numbered(tmp_path, HOSTS.replace("com.a\t3", "com.other")), "https://c.de/") == [
        "https://other.com/"
    ]


def test_places_in_columns_on_disk_are_those_of_numpy(tmp_path: Path) -> None:
    """Long enough to be halved on disk, with values that stand often, at both ends too."""
    dice = np.random.default_rng(6)
    values = np.sort(
        np.concatenate([dice.integers(0, 900, 5_000, np.uint64), np.full(1_500, (1 << 64) - 1, np.uint64)])
    )
    values.tofile(tmp_path / "c")
    column = Column(tmp_path / "c")
    assert len(column) == 6_500 and column[6_499] == (1 << 64) - 1
    for value in [*range(0, 905, 7), (1 << 64) - 2, (1 << 64) - 1]:
        expected = tuple(int(np.searchsorted(values, np.uint64(value), side)) for side in ("left", "right"))
        assert column.range(value) == expected
    column.close()


# -- Parquet ------------------------------------------------------------------------------------------------


def parquet(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: clew[parquet]")
    table = arrow.table(columns)
    importlib.import_module("pyarrow.parquet").write_table(table, path, **options)
    return path


FROM = ["http://a.test/", "http://b.test/", None, "rubbish", "http://t.test/", "http://c.test:80/#x"]
TO = ["http://t.test/", "http://T.test", "http://t.test/", "http://t.test/", "http://t.test/", "http://t.test/"]
FOUND = ["http://a.test/", "http://b.test/", "http://c.test/"]


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        ({"n": [1] * 6, "x": FROM, "y": TO, "z": FROM}, ()),  # the first two that hold text
        ({"target": TO, "other": TO, "source": FROM}, ()),  # by name
        ({"source": TO, "target": TO, "from": FROM, "to": TO}, ("from", "to")),  # as said
    ],
)
async def test_columns_of_parquet(columns: dict[str, Any], wanted: tuple[str, ...], tmp_path: Path) -> None:
    path = parquet(tmp_path / "e.parquet", columns)
    assert await asked(EdgeList(path, tmp_path / "p", columns=wanted), "http://t.test/") == FOUND


async def test_parquet_of_all_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dictionaries, large strings, many row groups, batches that end within them; hosts."""
    monkeypatch.setattr(edgeread, "_ROWS", 4)
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: clew[parquet]")
    columns = {"a": arrow.array(FROM).dictionary_encode(), "b": arrow.array(TO, arrow.large_string())}
    path = parquet(tmp_path / "e.parquet", columns, row_group_size=5)
    assert await asked(EdgeList(path, tmp_path / "p"), "http://t.test/") == FOUND
    hosts = parquet(tmp_path / "h.parquet", {"a": ["test.b.www", "test.c"], "b": ["test.a", "test.a"]})
    edges = EdgeList(hosts, tmp_path / "p", level="host", reversed_hosts=True)
    assert await asked(edges, "http://a.test/x") == ["https://www.b.test/", "https://c.test/"]


def test_parquet_that_cannot_be_read(tmp_path: Path) -> None:
    path = parquet(tmp_path / "e.parquet", {"n": [1], "a": ["http://a.test/"]})
    with pytest.raises(InputError, match=r"it needs two text columns; it has n \(int64\), a \(string\): set columns"):
        EdgeList(path, tmp_path / "p").prepare()
    with pytest.raises(InputError, match="there is no text column 'n'"):
        EdgeList(path, tmp_path / "p", columns=("n", "a")).prepare()
    with pytest.raises(InputError, match="columns must be two names"):
        EdgeList(path, tmp_path / "p", columns=("a",))
    parquet(path, {"a": [["http://a.test/"]], "b": ["http://b.test/"]})
    with pytest.raises(InputError, match="it needs two text columns"):
        EdgeList(path, tmp_path / "p").prepare()
    parquet(path, {"a": ["no"], "b": ["link"]})
    with pytest.raises(InputError, match=r'none of 1 rows is a link.*level = "host"'):
        EdgeList(path, tmp_path / "p").prepare()
    whole = parquet(path, {"a": [f"http://{n}.test/" for n in range(999)], "b": ["http://t.test/"] * 999}).read_bytes()
    for damaged in (b"PAR1" + bytes(50) + b"PAR1", whole[:40] + b"\xff" * 200 + whole[240:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="the Parquet data are damaged or cut off after row 0"):
            EdgeList(path, tmp_path / "p").prepare()
    assert list((tmp_path / "p").iterdir()) == []


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "e.parquet"
    path.write_bytes(b"PAR1" + bytes(50) + b"PAR1")
    whole = importlib.import_module

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ModuleNotFoundError(name)
        return whole(name, *rest)

    monkeypatch.setattr(edgeread.importlib, "import_module", without)
    with pytest.raises(InputError, match=r"e\.parquet: Parquet files need .*pip install 'clew\[parquet\]'"):
        EdgeList(path, tmp_path / "p")


# -- settings -----------------------------------------------------------------------------------------------


async def test_settings_of_both_forms(tmp_path: Path) -> None:
    packed(tmp_path / "v.gz", HOSTS)
    packed(tmp_path / "e.gz", LINKS)
    made = make({"kind": "edgelist", "path": "e.gz", "vertices": "v.gz"}, tmp_path)
    assert await made.backlinks("https://c.de/", 9) == ["https://a.com/"]
    await made.close()
    parquet(tmp_path / "e.parquet", {"a": TO, "b": TO, "c": FROM})
    made = make({"kind": "edgelist", "path": "e.parquet", "columns": ["c", "a"]}, tmp_path)
    assert made.name == "edgelist e.parquet url c a"  # other columns are another provider to the cache of answers
    assert await made.backlinks("http://t.test/", 9) == FOUND
    await made.close()
    for settings, words in (
        ({"path": "e.gz", "vertices": "none.gz"}, r"there is no vertices file .*none\.gz; .* ID<TAB>NAME"),
        ({"path": "e.gz", "columns": ["a", "b"]}, "it is no Parquet file"),
        ({"path": "e.parquet", "vertices": "v.gz"}, "not Parquet"),
    ):
        with pytest.raises(InputError, match=words):
            make({"kind": "edgelist", **settings}, tmp_path)
    with pytest.raises(ConfigError, match="Expected `array`"):
        make({"kind": "edgelist", "path": "e.parquet", "columns": "a"}, tmp_path)
