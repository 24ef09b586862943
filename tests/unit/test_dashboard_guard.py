"""Who is let in to the dashboard, and what every answer tells the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from clew.dashboard.app import make_app
from clew.dashboard.guard import POLICY, Access, secret
from clew.dashboard.projects import Shelf
from support import init_plain

ACCESS = Access(8711, "t" * 32, "c" * 32)
HOST = "127.0.0.1:8711"
COOKIE = {"cookie": f"clew-8711={ACCESS.cookie}"}
BEARER = {"authorization": f"Bearer {ACCESS.token}"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    project = tmp_path_factory.mktemp("dashboard") / "p"
    init_plain(project, "--web", "sim:pages=2000,seed=3")
    app = make_app(Shelf([Path(project)]), ACCESS)
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as found:
        yield found


@pytest.mark.parametrize("path", ["/", "/api/projects", "/api/openapi.json", "/static/js/app.js", "/metrics", "/no"])
def test_without_a_token_nothing_is_answered(client: TestClient, path: str) -> None:
    client.cookies.clear()
    answer = client.get(path)
    assert answer.status_code == 401
    assert "clew serve" in answer.json()["error"]


@pytest.mark.parametrize("given", ["", "x", ACCESS.token[:-1], ACCESS.token + "x", "é" * 32, "%00", ACCESS.cookie])
def test_a_wrong_token_opens_nothing(client: TestClient, given: str) -> None:
    client.cookies.clear()
    assert client.get("/", params={"token": given}).status_code == 401
    assert client.get("/api/projects", headers={"authorization": f"Bearer {given}".encode()}).status_code == 401
    assert client.get("/api/projects", headers={"cookie": f"clew-8711={given}".encode()}).status_code == (
        200 if given == ACCESS.cookie else 401
    )


def test_the_token_in_the_address_is_changed_for_a_cookie(client: TestClient) -> None:
    client.cookies.clear()
    answer = client.get("/", params={"token": ACCESS.token})
    assert answer.status_code == 200
    told = answer.headers["set-cookie"]
    assert told == f"clew-8711={ACCESS.cookie}; HttpOnly; SameSite=Strict; Path=/"
    assert ACCESS.token not in told
    client.cookies.clear()
    assert client.get("/api/projects", headers=COOKIE).status_code == 200


def test_the_api_takes_no_token_in_the_address(client: TestClient) -> None:
    client.cookies.clear()
    assert client.get("/api/projects", params={"token": ACCESS.token}).status_code == 401


def test_scripts_use_a_bearer_token(client: TestClient) -> None:
    client.cookies.clear()
    assert [one["name"] for one in client.get("/api/projects", headers=BEARER).json()] == ["p"]


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8711", "127.0.0.1:80", "127.0.0.1", "", "localhost.evil.test:80"]
)
def test_a_name_that_is_not_its_own_is_refused(client: TestClient, host: str) -> None:
    """Whoever makes a name of his own lead to 127.0.0.1 (DNS rebinding) gets nothing, whatever he knows."""
    for headers in (COOKIE, BEARER):
        answer = client.get("/api/projects", headers={**headers, "host": host})
        assert answer.status_code == 403
        assert "p" not in [one for one in answer.json() if one != "error"]


@pytest.mark.parametrize("name", ["localhost:8711", "LOCALHOST:8711", "[::1]:8711"])
def test_its_own_names_are_let_in(client: TestClient, name: str) -> None:
    assert client.get("/api/projects", headers={**COOKIE, "host": name}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "http://127.0.0.1:8712", "https://127.0.0.1:8711"])
def test_pages_of_other_origins_are_refused(client: TestClient, origin: str) -> None:
    assert client.get("/api/projects", headers={**COOKIE, "origin": origin}).status_code == 403
    assert client.post("/api/projects", headers={**COOKIE, "origin": origin, "x-clew": "1"}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_foreign_page_embeds_is_refused_but_it_may_lead_here(client: TestClient, site: str) -> None:
    """To a browser all ports of a host are one site, whose pages' requests carry the cookie."""
    foreign = {**COOKIE, "sec-fetch-site": site}
    assert client.get("/api/projects", headers={**foreign, "sec-fetch-mode": "no-cors"}).status_code == 403
    assert client.get("/", headers={**foreign, "sec-fetch-mode": "navigate"}).status_code == 200


def test_changes_need_a_header_that_no_form_can_send(client: TestClient) -> None:
    """With the header the request gets as far as the route, which knows no such method."""
    answer = client.post("/api/projects", headers=COOKIE)
    assert answer.status_code == 403
    assert "x-clew" in answer.json()["error"]
    assert client.post("/api/projects", headers={**COOKIE, "x-clew": "1"}).status_code == 405
    assert client.post("/api/projects", headers=BEARER).status_code == 405


@pytest.mark.parametrize("path", ["/", "/api/projects", "/api/projects/none", "/static/js/app.js"])
def test_every_answer_carries_the_policy(client: TestClient, path: str) -> None:
    headers = client.get(path, headers=COOKIE).headers
    assert headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_refusals_carry_it_too(client: TestClient) -> None:
    client.cookies.clear()
    assert client.get("/").headers["content-security-policy"] == POLICY


def test_a_query_of_many_fields_is_no_fault(client: TestClient) -> None:
    client.cookies.clear()
    assert client.get("/?" + "a=1&" * 5_000).status_code == 401


def test_secrets_differ_and_are_not_shown() -> None:
    assert len({secret() for _ in range(50)}) == 50
    assert len(secret()) >= 43
    assert ACCESS.token not in repr(ACCESS)
    assert ACCESS.cookie not in repr(ACCESS)


def test_an_unknown_project_is_named(client: TestClient) -> None:
    answer = client.get("/api/projects/none", headers=COOKIE)
    assert answer.status_code == 404
    assert answer.json() == {"error": "no project 'none' is shown here; there are: p"}


def test_paths_and_methods_that_there_are_not_are_told_like_all_errors(client: TestClient) -> None:
    assert client.get("/api/none", headers=COOKIE).json() == {"error": "Not Found"}
    answer = client.delete("/api/projects", headers={**COOKIE, "x-clew": "1"})
    assert (answer.status_code, answer.json()) == (405, {"error": "Method Not Allowed"})
    assert answer.headers["allow"] == "GET"


@pytest.mark.parametrize("other", ['a={"x":1}', "a=b c", "x[y]=1", 'a="q" z', "é=ü"])
def test_cookies_of_other_programs_on_this_host_shut_nobody_out(client: TestClient, other: str) -> None:
    """Browsers send those of all ports of a host."""
    client.cookies.clear()
    for cookie in (f"{other}; {COOKIE['cookie']}", f"{COOKIE['cookie']}; {other}"):
        assert client.get("/api/projects", headers={"cookie": cookie.encode()}).status_code == 200
