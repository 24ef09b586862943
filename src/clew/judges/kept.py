"""Tables of numbers that take long to make, kept in the user's cache folder for the next process.

Nothing goes wrong without them: where there is no such folder, or it cannot be written, each process makes its own.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from clew.version import __version__

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]


def place(name: str, packages: Sequence[str], *facts: object) -> Path | None:
    """Where a table is kept that was made by these installed packages from ``facts``: its name tells of both, and of
    Clew's version. None where there is no home, or a package is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clew"
        made_from = repr([__version__, [version(package) for package in packages], *facts])
    except (OSError, RuntimeError, PackageNotFoundError):
        return None
    return folder / f"{name}-{hashlib.blake2b(made_from.encode(), digest_size=8).hexdigest()}.npz"


def table(
    path: Path | None, make: Callable[[], Arrays | None], sound: Callable[[Arrays], bool], names: Sequence[str]
) -> Arrays | None:
    """The arrays ``names`` from ``path``, where they are kept and ``sound``; else what ``make`` gives, which is kept.
    None where it gives None."""
    found = _read(path, names) if path is not None else None
    if found is not None and sound(found):
        return found
    made = make()
    if made is not None and path is not None:
        _keep(made, path)
    return made


def _read(path: Path, names: Sequence[str]) -> Arrays | None:
    """What was kept; None where there is nothing, or it is damaged."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in names}
    except (OSError, ValueError, KeyError, EOFError, TypeError, RuntimeError, zipfile.BadZipFile):
        return None


def _keep(arrays: Arrays, path: Path) -> None:
    """Keep a table, whole or not at all."""
    made: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            made = Path(file.name)
            np.savez(file, **arrays)  # type: ignore[arg-type]  # not one of them is called allow_pickle
        made.replace(path)
    except OSError:
        with suppress(OSError):
            if made is not None:
                made.unlink(missing_ok=True)
