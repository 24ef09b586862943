"""A full disk, a quota, a limit on the size of files or on how many are open: told in words, and waited out.

Room may come back while a crawl runs: somebody deletes something. So what could not be written is kept in memory and
tried again, until it is written or ``wait_s`` seconds have passed.
"""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile

from clew.errors import DiskFullError

WORDS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file has reached the largest size allowed here (ulimit -f)",
    errno.EMFILE: "this process may open no more files (ulimit -n)",
    errno.ENFILE: "this machine can open no more files (fs.file-max)",
}
"""What is wrong, by the system's error number; time may mend each."""

FILES = (errno.EMFILE, errno.ENFILE)
"""Those of which not the disk is short, but the process or the machine."""

PROBE = bytes(65_536)
POLL_S = 1.0


def full(path: Path, number: int | None) -> DiskFullError | None:
    """The error to raise where ``path`` could not be written; None when the reason is another one."""
    words = WORDS.get(number or 0)
    if words is None:
        return None
    mend = "Raise that limit" if number in FILES else "Make room"
    return DiskFullError(
        f"{path} cannot be written: {words}. {mend} and start again: nothing that was committed is lost, and the "
        "crawl goes on where it stopped"
    )


def reason(path: Path) -> int:
    """Which of ``WORDS`` keeps a file from growing, found by trying; 0 when none does. SQLite does not tell."""
    largest = max((file.stat().st_size for file in _files(path) if file.is_file()), default=0)
    if largest + len(PROBE) > _size_limit():
        return errno.EFBIG
    try:
        with TemporaryFile(dir=path.parent, buffering=0) as probe:
            for _ in range(16):
                if probe.write(PROBE) < len(PROBE):
                    return errno.ENOSPC
    except OSError as error:
        return error.errno if error.errno in WORDS else 0
    return 0


def _files(path: Path) -> tuple[Path, ...]:
    return path, Path(f"{path}-wal")


def _size_limit() -> float:
    """The largest size that this process may give a file."""
    try:
        import resource
    except ImportError:  # Windows
        return float("inf")
    soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return float("inf") if soft == resource.RLIM_INFINITY else soft


@dataclass(slots=True)
class Room:
    """Waits for room, at most ``wait_s`` seconds at a time. ``tell`` is told in words that it waits, and that there is
    room again; ``stop`` says whether the user has no more patience."""

    wait_s: float = 0.0
    tell: Callable[[str], None] = lambda text: None
    stop: Callable[[], bool] = lambda: False
    poll_s: float = POLL_S
    waited_s: float = field(default=0.0, init=False)

    def until(self, write: Callable[[], None]) -> None:
        """Call ``write`` until it raises DiskFullError no more; the last one is raised when time is up. Blocks."""
        for _ in self._tries(write):
            time.sleep(self.poll_s)

    async def until_written(self, write: Callable[[], None], meanwhile: Callable[[], None]) -> None:
        """The same without blocking; ``meanwhile`` is called between two tries."""
        for _ in self._tries(write):
            await asyncio.sleep(self.poll_s)
            meanwhile()

    def _tries(self, write: Callable[[], None]) -> Iterator[None]:
        started = time.monotonic()
        waits = False
        while True:
            try:
                write()
            except DiskFullError as error:
                if time.monotonic() - started >= self.wait_s or self.stop():
                    raise
                if not waits:
                    self.tell(f"the crawl waits up to {self.wait_s:g} s for room (store.wait_for_room_s): {error}")
                waits = True
                yield
                continue
            if waits:
                self.tell("there is room again: the crawl goes on")
                self.waited_s += time.monotonic() - started
            return
