"""Asking a crawl that runs: what is told when it answers oddly, and where it listens."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from starlette.testclient import TestClient

from clew.crawl.steering import Steering
from clew.dashboard.app import make_app
from clew.dashboard.guard import Access
from clew.dashboard.projects import Shelf
from clew.errors import InputError, ProjectError
from clew.project.channel import RUNNING, listening
from clew.project.project import Project
from clew.project.running import BusyError, OddCrawlError, Running
from support import init_plain

ACCESS = Access(8711, "t" * 32, "c" * 32)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return init_plain(tmp_path / "p", "--web", "sim:pages=2000,seed=3")


@contextmanager
def answering(project: Path, answer: bytes) -> Iterator[None]:
    """Somebody listens in place of the crawl, and says the same to all."""
    folder = Path(tempfile.mkdtemp(prefix="clew-"))
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(folder / "crawl"))
        line.listen()

        def serve() -> None:
            while True:
                try:
                    client, _ = line.accept()
                except OSError:
                    return
                with client:
                    if client.recv(1000):
                        client.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        record = {"pid": os.getpid(), "socket": str(folder / "crawl")}
        (project / RUNNING).write_text(json.dumps(record), encoding="utf-8")
        (project / RUNNING).chmod(0o600)
        yield
        line.shutdown(socket.SHUT_RDWR)
    (project / RUNNING).unlink()
    (folder / "crawl").unlink()
    folder.rmdir()


@pytest.mark.parametrize(
    ("answer", "error", "status"),
    [
        (b'{"ok": {"fetched": 1}}\n', OddCrawlError, 503),
        (b'{"ok": {"fet', ProjectError, 409),
        (b"[]\n", OddCrawlError, 503),
        (b'{"error": "16 others ask", "kind": "busy"}\n', BusyError, 503),
        (b'{"error": "no such thing", "kind": "input"}\n', InputError, 400),
    ],
)
def test_odd_answers_are_told(project: Path, answer: bytes, error: type[Exception], status: int) -> None:
    with answering(project, answer):
        running = Running.find(Project(project))
        assert running is not None
        with pytest.raises(error):
            running.snapshot()
        app = make_app(Shelf([project]), ACCESS)
        with TestClient(app, base_url="http://127.0.0.1:8711", raise_server_exceptions=False) as client:
            answered = client.post(
                "/api/projects/p/frontier/block",
                json={"entry": "a.example"},
                headers={"authorization": f"Bearer {ACCESS.token}"},
            )
    if b'"ok"' not in answer or not answer.endswith(b"\n"):
        assert (answered.status_code, list(answered.json())) == (status, ["error"])


async def test_a_crawl_listens_where_the_folder_for_sockets_has_a_long_name(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("x" * 110)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    reread: list[bool] = []
    steering = cast(Steering, SimpleNamespace(reread=lambda: reread.append(True)))
    async with listening(project, steering):
        path = Path(json.loads((project / RUNNING).read_text(encoding="utf-8"))["socket"])
        assert os.path.exists(path) and reread == [True]  # noqa: ASYNC240  # nothing else runs in this loop
    assert not path.parent.exists() and not list(folder.iterdir())
