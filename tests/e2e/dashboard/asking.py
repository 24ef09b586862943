"""Requests to the dashboard as no browser would send them, and what there is to ask for."""

from __future__ import annotations

import hashlib
import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from projects_served import Served

from support import PATIENCE_S

Operation = tuple[str, str]
"""Method and path."""


def ask(
    served: Served, path: str, method: str = "GET", headers: Mapping[str, str] | None = None, body: str | None = None
) -> tuple[int, str]:
    """Status and text. Only the headers given are sent; the Host too may be anything."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
    try:
        named = {"Host": f"127.0.0.1:{served.port}", **(headers or {})}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = (body or "").encode()
        for name, value in {**named, "Content-Length": str(len(data))}.items():
            connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")
    finally:
        connection.close()


def bearer(served: Served) -> dict[str, str]:
    return {"Authorization": f"Bearer {served.token}"}


def cookie_of(served: Served) -> dict[str, str]:
    """The cookie as the opened page gets it."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
    try:
        connection.request("GET", f"/?token={served.token}")
        answer = connection.getresponse()
        answer.read()
        return {"Cookie": (answer.getheader("set-cookie") or "").partition(";")[0]}
    finally:
        connection.close()


def described(served: Served) -> dict[str, Any]:
    """The description of the API."""
    found: dict[str, Any] = json.loads(ask(served, "/api/openapi.json", headers=bearer(served))[1])
    return found


def operations(served: Served, project: str) -> list[Operation]:
    """Everything the API can be asked, with a path that means something."""
    found = []
    for path, methods in described(served)["paths"].items():
        filled = path.replace("{name}", project)
        while "{" in filled:
            before, _, rest = filled.partition("{")
            filled = f"{before}1{rest.partition('}')[2]}"
        found += [(method.upper(), filled) for method in methods]
    return found


def fingerprint(project: Path) -> dict[str, str]:
    """What a project's files hold; apart from what merely reading a database touches, and the index of the search."""
    passed = ("-shm", "-wal", ".lock")
    files = [path for path in sorted(project.rglob("*")) if path.is_file() and not path.name.endswith(passed)]
    kept = [path for path in files if "search" not in path.relative_to(project).parts]
    return {str(path.relative_to(project)): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}
