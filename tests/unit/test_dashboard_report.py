"""The report through the dashboard: the same as ``clew report`` writes, in a sandbox of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from starlette.testclient import TestClient

from clew.dashboard.api import report
from clew.dashboard.api.report import made_apart
from clew.dashboard.app import make_app
from clew.dashboard.guard import Access
from clew.dashboard.projects import Shelf
from clew.errors import ProjectError
from clew.export.choosing import Choice
from clew.export.reporting import report_html
from clew.project.project import Project
from support import clew, init_plain, write_project

ACCESS = Access(8711, "t" * 32, "c" * 32)
BEARER = {"authorization": f"Bearer {ACCESS.token}"}
ODD = 'Küche "a"; b'
"""A folder's name that no header field could hold as it is."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("report")
    init_plain(base / "p", "--web", "sim:pages=2000,seed=3")
    clew("crawl", base / "p", "--max-pages", 120)
    write_project(base / "new", ["http://w.test/"])
    init_plain(base / ODD, "--web", "sim:pages=2000,seed=4")
    clew("crawl", base / ODD, "--max-pages", 20)
    return base


@pytest.fixture(scope="module")
def client(base: Path) -> Iterator[TestClient]:
    app = make_app(Shelf([base / "p", base / "new", base / ODD]), ACCESS)
    with TestClient(app, base_url="http://127.0.0.1:8711", raise_server_exceptions=False, headers=BEARER) as found:
        yield found


@pytest.mark.parametrize("choice", [Choice(), Choice(per_host=2, diverse=True)])
def test_a_large_crawl_has_the_same_report(
    client: TestClient, base: Path, monkeypatch: pytest.MonkeyPatch, choice: Choice
) -> None:
    """It is made by a process of its own."""
    asked: list[bool] = []

    def noted(project: Project, choice: Choice, *, pdf: bool) -> bytes:
        asked.append(pdf)
        return made_apart(project, choice, pdf=pdf)

    monkeypatch.setattr(report, "LARGE", 1)
    monkeypatch.setattr(report, "made_apart", noted)
    query = f"per_host={choice.per_host}&diverse={choice.diverse}"
    folder = quote(ODD)
    page = client.get(f"/report/{folder}?{query}")
    assert page.status_code == 200 and undated(page.text) == undated(report_html(Project(base / ODD), choice))
    assert client.get(f"/report/{folder}.pdf?{query}").content.startswith(b"%PDF-")
    assert asked == [False, True]


def test_what_goes_wrong_apart_is_told(base: Path) -> None:
    with pytest.raises(ProjectError, match="nothing was crawled"):
        made_apart(Project(base / "new"), Choice(), pdf=False)


def undated(html: str) -> str:
    return re.sub(r"Written by Clew on [^<]*", "", html)


def hosts(html: str) -> list[str]:
    """The hosts of the best pages, in their order."""
    table = html[html.index("Best pages") :].split("</table>", 1)[0]
    return [urlsplit(url).netloc for url in re.findall(r'<a href="([^"]+)"', table)]


@pytest.mark.parametrize(
    ("query", "choice"),
    [
        ("", Choice()),
        ("?per_host=2", Choice(per_host=2)),
        ("?diverse=true", Choice(diverse=True)),
        ("?per_host=3&diverse=1", Choice(per_host=3, diverse=True)),
    ],
)
def test_it_is_the_report_of_the_command(client: TestClient, base: Path, query: str, choice: Choice) -> None:
    answer = client.get(f"/report/p{query}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert undated(answer.text) == undated(report_html(Project(base / "p"), choice))


def test_the_choices_choose(client: TestClient) -> None:
    plain = hosts(client.get("/report/p").text)
    assert max(Counter(plain).values()) > 1
    assert Counter(hosts(client.get("/report/p?per_host=1").text)) == dict.fromkeys(plain, 1)
    turns = hosts(client.get("/report/p?diverse=true").text)
    assert turns != plain
    assert Counter(turns) == Counter(plain)


def test_nothing_of_it_can_run_or_reach_the_dashboard(client: TestClient) -> None:
    headers = client.get("/report/p").headers
    policy = [one.strip() for one in headers["content-security-policy"].split(";")]
    assert "default-src 'none'" in policy
    assert "style-src 'unsafe-inline'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "sandbox allow-popups allow-popups-to-escape-sandbox" in policy
    assert not [one for one in policy if one.startswith(("script-src", "connect-src", "img-src", "frame-src"))]
    assert headers["cross-origin-opener-policy"] == "unsafe-none"
    assert headers["x-content-type-options"] == "nosniff"


def test_its_links_open_outside(client: TestClient) -> None:
    links = re.findall("<a [^>]*>", client.get("/report/p").text)
    assert links
    assert all('target="_blank"' in link and 'rel="noopener noreferrer"' in link for link in links)


def test_the_pdf_is_one_to_save(client: TestClient) -> None:
    answer = client.get("/report/p.pdf")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == 'attachment; filename="p-report.pdf"'
    assert answer.content.startswith(b"%PDF-")
    assert client.get("/report/p").headers["content-disposition"] == 'inline; filename="p-report.html"'
    fewer = client.get("/report/p.pdf?per_host=1")
    assert len(fewer.content) < len(answer.content)


@pytest.mark.parametrize("ending", ["", ".pdf"])
def test_any_name_of_a_folder_makes_a_safe_file_name(client: TestClient, ending: str) -> None:
    answer = client.get(f"/report/{quote(ODD)}{ending}")
    assert answer.status_code == 200
    name = re.fullmatch(r'(?:inline|attachment); filename="([^"]*)"', answer.headers["content-disposition"])
    assert name is not None
    assert re.fullmatch(r"K[\w.-]+-report\.(html|pdf)", name[1], re.ASCII)


@pytest.mark.parametrize("ending", ["", ".pdf"])
def test_before_the_first_crawl_there_is_none(client: TestClient, ending: str) -> None:
    answer = client.get(f"/report/new{ending}")
    assert answer.status_code == 409
    assert "clew crawl" in answer.json()["error"]


def test_a_browser_is_told_so_in_a_page(client: TestClient) -> None:
    answer = client.get("/report/new", headers={"accept": "text/html,*/*;q=0.8"})
    assert answer.status_code == 409
    assert answer.headers["content-type"].startswith("text/html")
    assert "There is no report: " in answer.text
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("ending", ["", ".pdf"])
def test_an_unknown_project_is_none(client: TestClient, ending: str) -> None:
    assert client.get(f"/report/none{ending}").status_code == 404
    assert client.get(f"/report/%00%ff{ending}").status_code == 404


@pytest.mark.parametrize("query", ["per_host=-1", "per_host=1000001", "per_host=x", "per_host=1e99", "diverse=perhaps"])
@pytest.mark.parametrize("ending", ["", ".pdf"])
def test_choices_that_make_no_sense_are_refused(client: TestClient, ending: str, query: str) -> None:
    assert client.get(f"/report/p{ending}?{query}").status_code == 422


def test_the_description_says_what_comes(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert list(paths["/report/{name}"]["get"]["responses"]["200"]["content"]) == ["text/html"]
    assert list(paths["/report/{name}.pdf"]["get"]["responses"]["200"]["content"]) == ["application/pdf"]


# -- the list of projects ---------------------------------------------------------------------------------------------


def test_the_list_says_which_were_crawled(client: TestClient, base: Path) -> None:
    listed = client.get("/api/projects").json()
    assert [(one["name"], one["crawled"], one["problem"]) for one in listed] == [
        ("p", True, ""), ("new", False, ""), (ODD, True, ""),
    ]  # fmt: skip
    assert listed[0]["folder"] == str((base / "p").resolve())


def test_a_project_whose_settings_were_spoilt_hides_no_other(tmp_path: Path) -> None:
    for name in ("good", "bad"):
        write_project(tmp_path / name, ["http://w.test/"])
    app = make_app(Shelf([tmp_path / "good", tmp_path / "bad"]), ACCESS)
    toml = tmp_path / "bad" / "clew.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + "\n[nonsense\n", encoding="utf-8")
    with TestClient(app, base_url="http://127.0.0.1:8711", headers=BEARER) as client:
        good, bad = client.get("/api/projects").json()
    assert (good["name"], good["problem"]) == ("good", "")
    assert bad["name"] == "bad"
    assert "clew.toml" in bad["problem"]
