"""Overview and reports are kept until what they rest on changes: crawl, labels, settings."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from dashboard_site import BASE, client_of, crawled_site
from starlette.testclient import TestClient

from clew.dashboard.api import projects as overview
from clew.dashboard.api import report as reports
from clew.dashboard.keeping import Reports, Summaries
from clew.dashboard.projects import Shown
from clew.errors import InputError
from clew.export.reporting import report_pdf
from clew.project.project import Project
from clew.project.sampling import DRAWN
from support import PATIENCE_S, clew


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return crawled_site(tmp_path)


def counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> list[str]:
    made, make = [], getattr(where, name)

    def counting(*given: Any) -> Any:
        made.append(name)
        return make(*given)

    monkeypatch.setattr(where, name, counting)
    return made


def summary(client: TestClient) -> dict[str, Any]:
    answer = client.get(BASE)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["summary"]
    return found


def test_the_overview_is_kept_until_the_crawl_goes_on_or_labels_change(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, client = counted(monkeypatch, overview, "summarise"), client_of(project)
    first = summary(client)
    assert [summary(client) for _ in range(3)] == [first] * 3 and len(made) == 1
    (project / DRAWN).write_text("0" * 16 + "\n", encoding="ascii")
    summary(client)
    assert len(made) == 2
    said = {"url": "http://h.test/off.html", "verdict": "relevant"}
    assert client.put(f"{BASE}/labels", json=said).status_code == 200
    summary(client)
    assert len(made) == 3
    with (project / "clew.toml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    summary(client)
    assert len(made) == 4
    clew("crawl", project, "--quiet")
    summary(client)
    assert len(made) == 5
    summary(client)
    assert len(made) == 5


def test_reports_are_kept_each_choice_and_form_for_itself(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, client = counted(monkeypatch, reports, "report_html"), client_of(project)
    paths = ["/report/p", "/report/p?diverse=true", "/report/p.pdf", "/report/p.pdf?per_host=1"]
    first = [client.get(path).content for path in paths]
    assert len(made) == 2 and len(set(first)) == 4
    assert [client.get(path).content for path in paths] == first and len(made) == 2
    assert first[2].startswith(b"%PDF") and len(first[2]) == pytest.approx(len(report_pdf(Project(project))), rel=0.1)
    said = {"url": "http://h.test/off.html", "verdict": "relevant"}
    assert client.put(f"{BASE}/labels", json=said).status_code == 200
    client.get("/report/p")
    assert len(made) == 3


def test_the_oldest_are_given_up(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, made = Reports(Shown("p", project)), []

    def get(what: str, size: int = 40) -> int:
        def make() -> bytes:
            made.append(what)
            return b"." * size

        return len(kept.get(what, make))

    monkeypatch.setattr(kept, "most", 100)
    assert [get(what) for what in "abab"] == [40] * 4 and made == ["a", "b"]
    get("c")
    get("b")
    assert made == ["a", "b", "c"]
    get("a")
    assert made == ["a", "b", "c", "a"]
    assert [get("large", 101), get("large", 101)] == [101, 101] and made.count("large") == 2, "it is never kept"


def test_what_fails_is_tried_again_and_others_wait(project: Path) -> None:
    kept, begun, may, made = Summaries(Shown("p", project)), threading.Event(), threading.Event(), []

    def fails() -> Any:
        raise InputError("a bad label")

    def slow() -> Any:
        begun.set()
        assert may.wait(PATIENCE_S)
        made.append(1)
        return len(made)

    with pytest.raises(InputError, match="a bad label"):
        kept.get("it", fails)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(kept.get("it", slow))) for _ in range(3)]
    for one in threads:
        one.start()
    assert begun.wait(PATIENCE_S)
    may.set()
    for one in threads:
        one.join(PATIENCE_S)
    assert found == [1, 1, 1]
