"""Documents that inherit (TUN-6): in every export, report, status and explain, and when their pages are forgotten."""

from __future__ import annotations

import csv
import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from clew.store.sqlite import SqliteStore
from support import clew, clew_json, exported, write_project

SAILING = "sailing regatta harbour yacht wind mast skipper boat sea keel rudder jib spinnaker crew"
CHESS = "chess opening gambit knight bishop rook checkmate endgame board castling pawn queen tournament"
SEED = "http://a.test/index.html"
REPORT, GAMES, TAX = "http://a.test/regatta.pdf", "http://a.test/games.ps", "http://a.test/tax.pdf"
BOATS, BOARD = "http://a.test/boats.html", "http://a.test/board.html"


def page(text: str, *links: str) -> str:
    anchors = "".join(f"<a href='{link}'>about {link}</a> " for link in links)
    return f"<html lang=en><title>{text.partition(' ')[0]}</title><p>{text}</p><p>{anchors}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("web")
    (root / "a.test").mkdir()
    pages = {
        "index": page("the and of tax budget pension", "boats.html", "board.html", "tax.pdf", "regatta.pdf"),
        "boats": page(SAILING, "regatta.pdf"),
        "board": page(CHESS, "games.ps"),
        "sailing": page(SAILING),
        "chess": page(CHESS),
    }
    for name, text in pages.items():
        (root / "a.test" / f"{name}.html").write_text(text, encoding="utf-8")
    (root / "a.test" / "regatta.pdf").write_bytes(b"%PDF-1.4 \x00 drawings only")
    return root


@pytest.fixture(scope="module", params=["listed", "fetched"])
def project(request: pytest.FixtureRequest, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp(request.param) / "p"
    settings = (
        f'[project]\nweb = "folder:{site}"\n[interest]\nformula = "sailing or chess"\n[strategy]\nname = "tunnelling"\n'
        f'[crawl]\ndocuments = "{request.param}"\nworkers = 0\n'
    )
    write_project(folder, [SEED], irrelevant={"tax.html": page("tax budget pension ministry")}, settings=settings)
    tree = "".join(f"{name}: {{examples: [http://a.test/{name.lower()}.html]}}\n" for name in ("Sailing", "Chess"))
    (folder / "topics.yaml").write_text(tree, encoding="utf-8")
    clew("crawl", folder, "--quiet")
    yield folder


def listed(project: Path) -> bool:
    return project.parent.name.startswith("listed")


def in_collection(project: Path) -> set[str]:
    """The web lacks the file of chess games: it can be listed, but not fetched."""
    return {BOATS, BOARD, REPORT} | ({GAMES} if listed(project) else set())


def test_json_lines_and_csv_have_topics_and_what_documents_inherit(project: Path, tmp_path: Path) -> None:
    rows = {row["url"]: row for row in exported(project)}
    assert set(rows) == in_collection(project)
    paper = rows[REPORT]
    assert (rows[BOATS]["topic"], rows[BOARD]["topic"], paper["topic"]) == ("Sailing", "Chess", "Sailing")
    assert (paper["relevance"], paper["relevant"]) == (rows[BOATS]["relevance"], True), "not that of the first page"
    assert (paper["inherited_from"], rows[BOATS]["inherited_from"]) == (BOATS, "")
    assert paper["title"] == "about regatta.pdf"
    unfetched = (paper["outcome"], paper["number"], paper["score"], paper["fetched_at"]) == ("listed", 0, None, None)
    assert unfetched is listed(project)
    clew("export", project, "--to", "csv", "--out", tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        table = {row["url"]: row for row in csv.DictReader(file)}
    assert {url: (row["topic"], row["inherited_from"]) for url, row in table.items()} == {
        url: (row["topic"], row["inherited_from"]) for url, row in rows.items()
    }


def test_all_has_what_is_not_relevant_too_and_each_url_once(project: Path) -> None:
    rows = exported(project, "--all")
    urls = [row["url"] for row in rows]
    assert len(urls) == len(set(urls))
    found = {row["url"]: row for row in rows}
    assert found[SEED]["topic"] == "other"
    assert found[REPORT]["topic"] == "Sailing"
    if listed(project):
        assert (found[TAX]["topic"], found[TAX]["relevant"], found[TAX]["inherited_from"]) == ("other", False, SEED)
        assert urls[:3] == [SEED, BOATS, BOARD]


def test_top_counts_documents(project: Path) -> None:
    best = exported(project, "--top", "1")
    assert [row["url"] for row in best if row["topic"] == "Sailing"] == [BOATS], "a page before its documents"


def test_bookmarks_and_yaml_file_documents_under_their_topics(project: Path) -> None:
    marks = clew("export", project, "--to", "bookmarks").stdout
    folder = marks[marks.index(">Sailing<") :].partition("</DL>")[0]
    assert REPORT in folder
    assert "of the page that links to it" in html.unescape(folder)
    tree = clew("export", project, "--to", "yaml").stdout
    assert REPORT in tree[tree.index("Sailing:") :].partition("Chess:")[0]


def test_warc_says_what_documents_inherit(project: Path, tmp_path: Path) -> None:
    clew("export", project, "--to", "warc", "--out", tmp_path / "x.warc.gz")
    said = {}
    with (tmp_path / "x.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "metadata":
                lines = record.content_stream().read().decode().splitlines()
                facts = dict(line.split(": ", 1) for line in lines if ": " in line)
                said[record.rec_headers["WARC-Target-URI"]] = facts
    assert set(said) == in_collection(project)
    assert (said[REPORT]["inheritedFrom"], said[REPORT]["topic"]) == (BOATS, "Sailing")
    assert said[REPORT]["relevance"] == said[BOATS]["relevance"]
    assert "inheritedFrom" not in said[BOATS]
    assert ("fetchedAt" in said[REPORT]) is not listed(project)


def test_report_status_and_explain_tell_of_documents(project: Path) -> None:
    clew("report", project)
    page = (project / "report.html").read_text(encoding="utf-8")
    best, collections = page.split("<h2>Collections</h2>")
    assert re.search(rf'<td[^>]*>Sailing</td><td[^>]*><a href="{REPORT}"[^>]*>about regatta.pdf</a> \(document\)', best)
    sailing, chess = re.findall(r"<details>(.*?)</details>", collections, re.S)
    assert "Sailing: 2, 1 of them documents" in sailing
    assert (REPORT in sailing, REPORT in chess, BOARD in chess) == (True, False, True)
    status = clew_json("status", project)
    assert (status["relevant"], status["documents"]) == (2, len(in_collection(project)) - 2)
    assert "with the relevance of pages that link to them" in clew("status", project).stdout
    found = clew_json("explain", project, REPORT)
    assert found["state"] == ("listed" if listed(project) else "visited")
    assert f"topic Sailing, inherited from {BOATS}" in found["verdict"]
    assert [step["url"] for step in found["path"]][:2] == [SEED, BOATS]


def test_a_forgotten_page_passes_on_nothing(project: Path, tmp_path: Path) -> None:
    project = shutil.copytree(project, tmp_path / "p")

    def kept() -> dict[str, int]:
        store = SqliteStore(project / "crawl.db")
        store.open(read_only=True)
        try:
            return {row.url: row.parent for row in store.documents.all()}
        finally:
            store.close()

    assert {REPORT, TAX} <= set(kept())
    clew("forget", project, BOATS)
    assert REPORT not in kept()
    assert not any(BOATS in row["inherited_from"] for row in exported(project, "--all"))
    clew("crawl", project, "--quiet")
    assert kept()[REPORT] == 1, "the seed links to it too"
    clew("forget", project, TAX)
    assert TAX not in kept()
