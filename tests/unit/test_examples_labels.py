"""Labels as lines of a file that people edit too."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.examples.labels import add_label, read_labels


@pytest.mark.parametrize("before", ["", "# mine\n", "http://a.test/\trelevant\n", "http://a.test/\trelevant"])
def test_a_label_gets_a_line_of_its_own(tmp_path: Path, before: str) -> None:
    """Also where an editor left none at the end."""
    path = tmp_path / "labels.tsv"
    path.write_text(before, encoding="utf-8")
    add_label(path, "http://b.test/ü", "irrelevant")
    add_label(path, "http://c.test/", "relevant")
    known = [("http://a.test/", "relevant")] if "a.test" in before else []
    found = [(one.line, one.verdict) for one in read_labels(path)]
    assert found == [*known, ("http://b.test/ü", "irrelevant"), ("http://c.test/", "relevant")]
