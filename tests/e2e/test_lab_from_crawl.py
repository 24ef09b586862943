"""A task made of a crawl whose interest is an inner topic of a tree: Sport, under which Sailing and Chess lie."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest

from clew.examples.labels import LABELS, add_label
from support import clew_json, init_plain

WORDS = {
    "sailing": "sailing regatta harbour yacht wind mast skipper boat sea keel rudder jib spinnaker crew",
    "chess": "chess opening gambit knight bishop rook checkmate endgame board castling pawn queen tournament",
    "travel": "travel island chalk cliffs hotel beach lighthouse ferry ticket luggage museum guide coast village",
    "tax": "tax budget pension ministry parliament deficit revenue levy treasury audit fiscal deduction",
}
EACH = 9
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
<DT><H3>Sport</H3><DL><p>
  <DT><H3>Sailing</H3><DL><p>{sailing}</DL><p>
  <DT><H3>Chess</H3><DL><p>{chess}</DL><p>
</DL><p>
<DT><H3>Travel</H3><DL><p>{travel}</DL><p>
</DL><p>
"""


def url(kind: str, number: int) -> str:
    return f"http://a.test/{kind}-{number}.html"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl of nine pages each of four kinds, which all link to the next of every kind; two pages of each
    bookmarked kind are examples, and two about taxes are bad ones."""
    root = tmp_path_factory.mktemp("nested")
    mirror = root / "mirror" / "a.test"
    mirror.mkdir(parents=True)
    for kind, text in WORDS.items():
        for number in range(EACH):
            words = text.split()
            turned = " ".join((words[number:] + words[:number]) * 4)
            links = "".join(f"<a href='{url(other, (number + 1) % EACH)}'>on</a> " for other in WORDS)
            (mirror / f"{kind}-{number}.html").write_text(
                f"<html lang=en><title>{kind} {number}</title><p>the and of {turned}<p>{links}", encoding="utf-8"
            )
    filed = {kind: "".join(f"<DT><A HREF='{url(kind, n)}'>{n}</A>" for n in (0, 1)) for kind in WORDS}
    (root / "bookmarks.html").write_text(BOOKMARKS.format(**filed), encoding="utf-8")
    (root / "bad.txt").write_text(f"{url('tax', 0)}\n{url('tax', 1)}\n")
    lists = "--bookmarks", root / "bookmarks.html", "--irrelevant", root / "bad.txt", "--interest", "sport"
    init_plain(root / "p", *lists, "--web", f"folder:{root / 'mirror'}")
    assert clew_json("crawl", root / "p", "--quiet")["fetched"] == EACH * len(WORDS)
    return root / "p"


def test_labels_of_topics_below_the_wanted_one_are_the_truth(project: Path, tmp_path: Path) -> None:
    """Pages labelled Sailing, Chess, or just relevant, but none labelled Travel; examples of both topics below Sport
    are good ones, those of Travel bad ones."""
    labels = {
        **{url("sailing", n): "Sailing" for n in range(2, 7)},
        **{url("chess", n): "Chess" for n in range(2, 7)},
        **{url("travel", n): "Travel" for n in range(2, 6)},
        url("chess", 7): "relevant",
        url("tax", 5): "irrelevant",
    }
    wanted = {page for page, verdict in labels.items() if verdict in ("Sailing", "Chess", "relevant")}
    for page, verdict in labels.items():
        add_label(project / LABELS, page, verdict)
    made = Path(clew_json("lab", "task", project, "--from-crawl", "--out", tmp_path / "t")["task"])
    with (made.parent / "labels.tsv").open(encoding="utf-8") as file:
        assert {row["url"] for row in csv.DictReader(file, delimiter="\t")} == wanted
    examples = tomllib.loads(made.read_text(encoding="utf-8"))["examples"]
    assert set(examples["positive"]) == {url(kind, n) for kind in ("sailing", "chess") for n in (0, 1)}
    assert set(examples["negative"]) == {url(kind, n) for kind in ("travel", "tax") for n in (0, 1)}
    rows = clew_json("lab", "run", made, "--strategies", "best-first,context-graph", "--backlinks", "free")
    assert len(rows) == 2
    for row in rows:
        assert 0 < row["found"] <= row["fetched"] <= EACH * len(WORDS) // 2
        assert row["recall"] == pytest.approx(row["found"] / len(wanted), abs=1e-6), "all of them can be reached"
