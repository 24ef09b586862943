"""Where log lines go: a file or standard error, as text or JSON lines; warnings to the user in any case."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from clew.errors import InputError
from clew.text.shown import json_text, shown

LEVELS = ("debug", "info", "warning", "error")


class Text(logging.Formatter):
    """2026-11-28T20:01:02.123Z INFO session 3: 40 of 200 pages relevant ..."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{_time(record)} {record.levelname} {record.getMessage()}"
        return shown(line)


class Json(logging.Formatter):
    """One JSON object a line: at, level, logger, event, text, and the event's own facts."""

    def format(self, record: logging.LogRecord) -> str:
        facts = getattr(record, "facts", {})
        line = {
            **facts,
            "at": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": getattr(record, "event", ""),
            "text": record.getMessage(),
        }
        return json_text(line)


class ToUser(logging.Handler):
    """Passes warnings to ``say``, one line each."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self.say = say

    def emit(self, record: logging.LogRecord) -> None:
        self.say(shown(record.getMessage()))


@contextmanager
def logging_to(file: Path | None, as_json: bool, level: str, say: Callable[[str], None]) -> Iterator[None]:
    """Log what Clew does to ``file`` (added to, if it is there), or to standard error where only ``as_json`` is given;
    pass warnings to ``say`` unless standard error has them already. Raises InputError for a file that cannot be
    written."""
    handlers: list[logging.Handler] = []
    if file is not None:
        handlers.append(_to_file(file))
    elif as_json:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(Json() if as_json else Text())
        handler.setLevel(level.upper())
    if file is not None or not as_json:
        handlers.append(ToUser(say))
    logger = logging.getLogger("clew")
    before = logger.level, logger.propagate
    logger.setLevel(level.upper() if file is not None or as_json else logging.WARNING)
    logger.propagate = False
    for handler in handlers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.setLevel(before[0])
        logger.propagate = before[1]
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()


class _File(logging.FileHandler):
    """A log that cannot be written, on a full disk, loses lines; it does not disturb the crawl."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # the library calls it so
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)


def _to_file(file: Path) -> logging.Handler:
    try:
        return _File(file, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}; give --log another file") from error


def _time(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
