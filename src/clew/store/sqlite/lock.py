"""One writer a project: an exclusive lock on a file beside the database, freed when its process ends, however."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from clew.errors import ProjectError, StoreError


class Lock:
    """The lock beside ``database``. The file holds the owner's process id and is left behind, unlocked."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.path = Path(f"{database}.lock")
        self._handle = -1

    def take(self) -> None:
        """Raises ProjectError naming the process that has it, StoreError when there can be no lock file."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be made: {error.strerror}; check the folder and its rights"
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.read(handle, 32).decode("ascii", "replace").strip()
            os.close(handle)
            raise ProjectError(self._in_use(owner)) from error
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        self._handle = handle

    @property
    def is_taken(self) -> bool:
        """Whether a process has it."""
        try:
            handle = os.open(self.path, os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(handle)
        return False

    def _in_use(self, owner: str) -> str:
        process = f"process {owner}" if owner else "another process"
        return f"{self.database} is in use by {process}; wait until it ends, or stop it with Ctrl-C or kill {owner}"

    def free(self) -> None:
        """Safe to call twice."""
        if self._handle >= 0:
            os.close(self._handle)  # closing the file frees its lock
            self._handle = -1
