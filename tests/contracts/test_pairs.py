"""Any judge runs with any strategy; every request a crawl makes is a visit; two crawls are alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Project
from clew.judges.registry import JUDGES
from clew.model import Request, Response
from clew.strategies.registry import STRATEGIES
from clew.web.folder import FolderWorld
from support import write_project

BOATS = "sailing boats with sails and masts leave the harbour for a regatta on the sea"
TAXES = "taxes and budgets are debated by ministers in parliament before the vote"
PAGES = 30


def project(folder: Path, strategy: str, judge: str) -> Path:
    """Page n links to 2n + 1 and 2n + 2; every third is about boats. Page 4's parents are known to an edge list."""
    mirror = folder / "mirror" / "a.test"
    mirror.mkdir(parents=True)
    for number in range(PAGES):
        links = " ".join(f"<a href={child}.html>page {child}</a>" for child in (2 * number + 1, 2 * number + 2))
        text = BOATS if number % 3 == 1 else TAXES
        (mirror / f"{number}.html").write_text(f"<html lang=en><p>{text} {number}. {links}", encoding="utf-8")
    edges = folder / "edges.tsv"
    edges.write_text("".join(f"http://a.test/{n // 2}.html\thttp://a.test/{n + 1}.html\n" for n in range(12)))
    settings = (
        f'[project]\nweb = "folder:{mirror.parent}"\n[strategy]\nname = "{strategy}"\n[judge]\nname = "{judge}"\n'
        '[crawl]\ncontact = "me@example.org"\nworkers = 0\nsession_pages = 6\nmax_pages = 25\n'
        "[interest.keywords]\nsailing = 1.0\nharbour = 1.0\n"
        f'[providers.backlinks]\nkind = "edgelist"\npath = "{edges}"\n'
    )
    good = {f"good{n}.html": f"<html lang=en><p>{BOATS} {n}" for n in range(3)}
    bad = {f"bad{n}.html": f"<html lang=en><p>{TAXES} {n}" for n in range(3)}
    found = write_project(folder / "p", ["http://a.test/0.html"], good, bad, settings)
    with (found / "relevant.txt").open("a") as stream:
        stream.write("http://a.test/4.html\n")
    return found


def order(folder: Path) -> list[tuple[str, float]]:
    store = Project(folder).open_store(read_only=True)
    rows = [(row.url, row.score) for row in store.visits.rows()]
    store.close()
    return rows


JUDGE_NAMES = sorted(set(JUDGES.builtin) - {"embedding"})
STRATEGY_NAMES = sorted(STRATEGIES.builtin)


@pytest.mark.parametrize("judge", JUDGE_NAMES)
@pytest.mark.parametrize("strategy", STRATEGY_NAMES)
def test_any_judge_runs_with_any_strategy(
    strategy: str, judge: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    fetch = FolderWorld.fetch

    async def counted(world: FolderWorld, request: Request) -> Response:
        asked.append(request.url)
        return await fetch(world, request)

    folder = project(tmp_path, strategy, judge)
    monkeypatch.setattr(FolderWorld, "fetch", counted)
    result = Project(folder).crawl()
    visits = [url for url, _ in order(folder)]
    assert result.fetched == len(visits) == len(set(visits)) > 10
    example = "http://a.test/4.html"  # fetched once more, to learn from
    assert sorted(asked) == sorted([*visits, example, *_absent(asked)])


ALIKE = sorted({(name, "auto") for name in STRATEGY_NAMES} | {("clew", name) for name in JUDGE_NAMES})
"""Each strategy with the judge that learns most while it crawls, and each judge with the strategy that does."""


@pytest.mark.parametrize(("strategy", "judge"), ALIKE)
def test_two_crawls_are_alike(strategy: str, judge: str, tmp_path: Path) -> None:
    first, second = (project(tmp_path / name, strategy, judge) for name in ("1", "2"))
    for folder in (first, second):
        Project(folder).crawl()
    assert order(first) == order(second)


def _absent(asked: list[str]) -> list[str]:
    """Links to pages that the folder lacks were asked for and cost nothing."""
    return [url for url in asked if int(url.rpartition("/")[2].removesuffix(".html")) >= PAGES]
