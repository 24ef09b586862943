"""One writer a project: an exclusive lock on a file beside the database, freed when its process ends, however."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from clew.errors import ProjectError, StoreError

TRIES, PAUSE_S = 3, 0.02
"""Whoever only looks whether a database is in use (``owner``) has its lock for an instant: it is tried again."""


def owner(database: Path) -> int:
    """The process that writes to a database now; 0 for none."""
    try:
        handle = os.open(f"{database}.lock", os.O_RDONLY)
    except OSError:
        return 0
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        said = os.read(handle, 32).decode("ascii", "replace").strip()
        return int(said) if said.isdecimal() else 0
    finally:
        os.close(handle)
    return 0


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
            _locked(handle)
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


def _locked(handle: int) -> None:
    """Take the lock, or raise OSError."""
    for last in (*[False] * (TRIES - 1), True):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if last:
                raise
            time.sleep(PAUSE_S)
