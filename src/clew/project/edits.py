"""What edits of a project's files share: a stamp by which changes of others are noticed, and writing files whole."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from clew.errors import InputError, ProjectError
from clew.examples.labels import LABELS
from clew.examples.refused import REFUSED
from clew.project.folder import SETTINGS, ProjectFolder
from clew.store.sqlite.lock import Lock

P = TypeVar("P", bound=ProjectFolder)

_ONE_AT_A_TIME = threading.RLock()


def stamp(project: ProjectFolder) -> str:
    """What changes when any of the files changes that say what is wanted: 16 hex digits."""
    interest, digest = project.settings.interest, hashlib.blake2b(digest_size=8)
    for name in (SETTINGS, interest.topics, interest.relevant, interest.irrelevant, LABELS, REFUSED):
        text = read(project.path / name)
        digest.update(b"\0" if text is None else b"\1" + hashlib.blake2b(text.encode("utf-8")).digest())
    return digest.hexdigest()


@contextmanager
def editing(project: P, known: str = "") -> Iterator[P]:
    """One edit at a time in this process; gives the project as its files are now. ``known``: the stamp of what the user
    saw. Raises ProjectError where the files are not what they were then."""
    with _ONE_AT_A_TIME:
        if known and known != stamp(project):
            raise ProjectError("the project was changed meanwhile: look at it again, then repeat the change")
        yield type(project)(project.path)


def running(project: ProjectFolder) -> bool:
    """Whether a crawl, or something else that writes, has the project's database."""
    return Lock(project.database).is_taken


def read(path: Path) -> str | None:
    """The text of a file; None where there is none. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def write(texts: Mapping[Path, str]) -> None:
    """Write files, each as a whole: all of them are on disk beside their places before the first is replaced. Raises
    InputError; then those that were not replaced are as they were."""
    parts = {path: path.with_name(f"{path.name}.part") for path in texts}
    try:
        for path, text in texts.items():
            parts[path].write_text(text, encoding="utf-8", newline="\n")
        for path, part in parts.items():
            part.replace(path)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be written: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise InputError("the text holds half a character (a lone surrogate): remove it") from error
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
