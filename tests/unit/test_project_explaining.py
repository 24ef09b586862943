"""What explains a crawl has the judge, the threshold and the interest of the crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Project
from clew.project.explaining import explain
from clew.strategies.base import View
from clew.strategies.registry import STRATEGIES
from support import init_plain

SIM = "sim:pages=1200,seed=5"


@pytest.mark.parametrize("strategy", [*STRATEGIES])
def test_a_strategy_is_explained_under_the_threshold_that_the_crawl_used(
    tmp_path: Path, strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a threshold of 0 the examples set it: the crawl's view and the explanation's must say the same number."""
    folder = tmp_path / "p"
    init_plain(folder, "--web", SIM)
    toml = folder / "clew.toml"
    text = toml.read_text(encoding="utf-8").replace("threshold = 0.5 ", "threshold = 0 ")
    toml.write_text(text.replace("[crawl]\n", "[crawl]\nsession_pages = 20\n"), encoding="utf-8")
    seen: list[float] = []
    kind = STRATEGIES.get(strategy)
    begin = kind.begin  # type: ignore[attr-defined]

    def watched(self: object, view: View) -> None:
        seen.append(view.interest.threshold)
        begin(self, view)

    monkeypatch.setattr(kind, "begin", watched)
    Project(folder).crawl(strategy=strategy, max_pages=50)
    project = Project(folder)
    store = project.open_store(read_only=True)
    try:
        row = next(row for row in store.visits.rows() if row.judged)
        found = explain(project, store, row.url)
    finally:
        store.close()
    used, explained = seen
    assert 0 < used != 0.5
    assert explained == used
    assert f"threshold {used:.3g}" in found.verdict
