"""A crawl catches Ctrl-C and SIGTERM while it runs, and no longer."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from support import clew, init_plain

SIM = "sim:pages=800,seed=1"


def own(number: int, frame: FrameType | None) -> None:
    raise AssertionError("nobody sends a signal here")


@pytest.mark.parametrize("handler", [signal.SIG_IGN, own], ids=["ignored", "own"])
def test_what_the_program_had_for_signals_is_put_back(
    tmp_path: Path, handler: signal.Handlers | Callable[[int, FrameType | None], None]
) -> None:
    """Ignored, as in the background of a shell, or a handler of its own."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, handler) for number in numbers]
    try:
        init_plain(tmp_path / "p", "--web", SIM)
        clew("crawl", tmp_path / "p", "--max-pages", 5, "--quiet")
        assert [signal.getsignal(number) for number in numbers] == [handler, handler]
    finally:
        for number, usual in zip(numbers, before, strict=True):
            signal.signal(number, usual)
