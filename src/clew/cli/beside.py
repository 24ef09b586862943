"""A dashboard beside a crawl: a process of its own, for as long as the crawl runs."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Self

SAYS = "dashboard: "
"""How the line begins that tells its address."""

END_S = 5.0
"""A dashboard ends within two seconds of being told so."""


class Beside:
    """``clew serve`` for one project, from entering to leaving. It is told to end by the end of its standard input, so
    it ends with this process, however that ends. Whatever goes wrong is told by ``note``, and disturbs nothing."""

    def __init__(self, project: Path, port: int | None, note: Callable[[str], None]) -> None:
        self._command = [
            sys.executable, "-m", "clew.cli", "serve", "--no-open", "--until-eof",
            *([] if port is None else [f"--port={port}"]), "--", str(project),
        ]  # fmt: skip
        self._note = note
        self._child: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None

    def __enter__(self) -> Self:
        try:
            self._child = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                encoding="utf-8", errors="replace", start_new_session=True,  # Ctrl-C is for the crawl
            )  # fmt: skip
        except OSError as error:
            self._note(f"the dashboard did not start: {error}; the crawl goes on without")
            return self
        assert self._child.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._child.stdout,), name="dashboard", daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        child, self._child = self._child, None
        if child is None or child.stdin is None:
            return
        child.stdin.close()
        try:
            child.wait(END_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if self._reader is not None:
            self._reader.join()

    def _read(self, lines: IO[str]) -> None:
        """Tell the address, and what it says when it fails."""
        said, served = "", False
        with lines:
            for line in lines:
                said = line.strip() or said
                if line.startswith(SAYS):
                    served = True
                    self._serves(line.removeprefix(SAYS).strip())
        if self._child is not None:  # it ended before it was told to
            how = "ended" if served else "did not start"
            self._note(f"the dashboard {how}: {said.removeprefix('clew: ') or 'it said nothing'}; the crawl goes on")

    def _serves(self, url: str) -> None:
        from clew.dashboard.serving import open_browser

        self._note(f"{SAYS}{url}")
        open_browser(url)
