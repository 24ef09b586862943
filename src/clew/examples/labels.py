"""A user's verdicts on pages (``clew label``): lines of labels.tsv, the last one on a page counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.errors import InputError
from clew.examples.sources import Wanted
from clew.model import OTHER

LABELS = "labels.tsv"
RELEVANT, IRRELEVANT = "relevant", "irrelevant"
"""Verdicts; any other one names a topic."""

NO_LABEL = "none"
"""In place of a verdict: the one before is taken back."""


@dataclass(frozen=True, slots=True)
class Label:
    """A canonical URL (or the path of a local page) and the verdict on it, and where that stands."""

    line: str
    verdict: str
    origin: str


def read_labels(path: Path) -> list[Label]:
    """All verdicts, one a page, in the order of their last lines; none when there is no file, nor for a page whose
    label was taken back. Raises InputError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    found: dict[str, Label] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        url, tab, verdict = line.partition("\t")
        if not tab or not verdict.strip():
            raise InputError(
                f"{path} line {number}: {line[:200]!r} is no label; write URL, tab, relevant or irrelevant"
            )
        found.pop(url.strip(), None)
        if verdict.strip() != NO_LABEL:
            found[url.strip()] = Label(url.strip(), verdict.strip(), f"{path} line {number}")
    return list(found.values())


def add_label(path: Path, line: str, verdict: str) -> None:
    """Append a verdict. Raises InputError."""
    try:
        with path.open("ab+") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # as some editors leave a file
                    file.write(b"\n")
            file.write(f"{line}\t{verdict}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def as_examples(labels: Sequence[Label], topic: Callable[[str], int]) -> list[Wanted]:
    """Labels as examples; ``topic`` gives the index of a topic, and that of the interest for RELEVANT."""
    return [
        Wanted(label.line, OTHER if label.verdict == IRRELEVANT else topic(label.verdict), label.origin, label=True)
        for label in labels
    ]
