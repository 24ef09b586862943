"""The notebook in examples/ runs as its reader runs it: in a kernel of its own, where an event loop runs already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "crawl.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The cells of the notebook after it ran, each with its outputs."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}})
    client.execute()
    assert list(folder.iterdir()) == []  # a crawl in memory leaves nothing behind
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any) -> str:
    """What a cell printed and displayed, as text."""
    parts = []
    for output in cell.outputs:
        parts.append(output.get("text", ""))
        parts.append(output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


def test_the_result_and_the_progress_are_shown(cells: list[Any]) -> None:
    text = shown(cells[0])
    assert "CrawlResult(fetched=150" in text
    assert "150 fetched" in text and "links waiting" in text
    displays = [output for output in cells[0].outputs if output.output_type == "display_data"]
    assert len(displays) == 1  # one line that is written anew, not one a second


def test_pages_become_a_table(cells: list[Any]) -> None:
    html = cells[1].outputs[0]["data"]["text/html"]
    assert html.count("<tr>") == 10 + 1 and "sim.test" in html


def test_pages_come_one_by_one_and_the_loop_may_be_left(cells: list[Any]) -> None:
    titles = [output["text"] for output in cells[3].outputs if output.get("name") == "stdout"]
    assert 1 <= len("".join(titles).splitlines()) <= 10  # pages 151 to 160, those that are relevant


def test_a_strategy_of_ones_own_beats_breadth_first(cells: list[Any]) -> None:
    found = eval(shown(cells[4]))  # a dict that the notebook shows
    assert set(found) == {"host-rate", "breadth-first"}
    assert found["host-rate"] > found["breadth-first"]
