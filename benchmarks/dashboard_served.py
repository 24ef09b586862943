"""A dashboard served by a process of its own, and what that process costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import psutil

SAID = "dashboard: "
ANSWER_S = 600.0


class NotReadyError(RuntimeError):
    """What is asked for needs something that the project lacks, such as a running crawl."""


class Served:
    """A running ``clew serve``; ``entrance`` gives the cookie to a browser, and reads nothing of a project."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process = psutil.Process(process.pid)
        self.base, _, token = address.rpartition("/?token=")
        self.entrance = f"{self.base}/static/icon.svg?token={token}"
        self._headers = {"authorization": f"Bearer {token}", "host": urlsplit(self.base).netloc}
        self.name = str(self.get("/api/projects")[0]["name"])

    def get(self, path: str) -> Any:
        """What the API answers. Raises RuntimeError when it does not; NotReadyError for 409."""
        try:
            with urlopen(Request(self.base + path, headers=self._headers), timeout=ANSWER_S) as answer:
                return json.load(answer)
        except HTTPError as error:
            kind = NotReadyError if error.code == 409 else RuntimeError
            raise kind(f"{path}: {error.code} {error.read()[:300].decode('utf-8', 'replace')}") from error

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the process so far."""
        spent = self._process.cpu_times()
        return float(spent.user + spent.system)

    @property
    def peak_mb(self) -> float:
        """The most memory that the process had (where the system tells it, else what it has now), in MB."""
        try:
            lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        except OSError:
            return float(self._process.memory_info().rss) / 1e6
        return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM"))


@contextmanager
def serve(project: Path) -> Iterator[Served]:
    """A dashboard of a project on a free port, until the end of the block."""
    command = [sys.executable, "-m", "clew.cli", "serve", str(project), "--port", "0", "--no-open"]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    try:
        line = process.stdout.readline().strip()
        if not line.startswith(SAID):
            raise RuntimeError(f"clew serve said {line!r}")
        yield Served(process, line.removeprefix(SAID))
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()
