"""What all contract suites share."""

from __future__ import annotations

import tempfile
from abc import ABC
from pathlib import Path
from unittest import SkipTest

__all__ = ["Contract", "SkipTest"]


class Contract(ABC):
    """A suite of tests over one part. A subclass whose name begins with Test gives ``make``; pytest does the rest.

    ``folder`` is an empty folder, anew for every test, for what the part reads or writes.
    """

    folder: Path

    def setup_method(self) -> None:
        """Called by pytest before every test."""
        self._temporary = tempfile.TemporaryDirectory(prefix="clew-testing-")
        self.folder = Path(self._temporary.name)

    def teardown_method(self) -> None:
        """Called by pytest after every test."""
        self._temporary.cleanup()
