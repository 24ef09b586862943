"""Which modules are changed, and which tests are named for each."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE, UNIT, CONTRACTS = ROOT / "src" / "clew", ROOT / "tests" / "unit", ROOT / "tests" / "contracts"
ROOMS = {
    "strategies": "strategies/**/*.py",
    "judges": "judges/*.py",
    "graph": "graph/*.py",
    "lab": "lab/measures.py",
    "frontier": "frontier/*.py",
}
LEFT_OUT = {"__init__.py", "base.py", "registry.py", "settings.py"}
"""Directly in a room: lists and contracts. ``settings.py`` is what users may set, which docs/settings.md shows."""


def modules(room: str) -> list[Path]:
    """The modules of a room that decide something."""
    found = sorted(SOURCE.glob(ROOMS[room]))
    inner = {path for path in found if path.parent.name != room}
    return [path for path in found if path.name not in (LEFT_OUT - {"__init__.py"} if path in inner else LEFT_OUT)]


def named_for(path: Path) -> list[Path]:
    """The test files that are named for a module or its package; where there are none, those that import it."""
    room, name = path.relative_to(SOURCE).with_suffix("").parts[:2]
    found = sorted(UNIT.glob(f"test_{room}_{name}.py")) or sorted(UNIT.glob(f"test_{room}_{name}_*.py"))
    if path.parent.name != room:  # a package: all tests that begin with its name
        found = sorted(UNIT.glob(f"test_{room}_{name}*.py"))
    found = found or _importing(f"clew.{room}.{name}") or of_room(room)
    return [path for path in found if not path.name.startswith("test_settings_")]  # these take their time


def _importing(module: str) -> list[Path]:
    """The unit tests that import a module."""
    pattern = re.compile(rf"from {re.escape(module)}[. ]|from {re.escape(module.rpartition('.')[0])} import .*\b"
                         rf"{module.rpartition('.')[2]}\b")  # fmt: skip
    return [path for path in sorted(UNIT.glob("test_*.py")) if pattern.search(path.read_text(encoding="utf-8"))]


def of_room(room: str) -> list[Path]:
    """The test files of a room: its own, its contract's, those of settings and presets."""
    kinds = [f"test_{room}_*.py"] if room != "lab" else ["test_lab_measures.py"]
    if room in ("strategies", "judges"):
        kinds += ["test_settings_*.py"]
    own = [path for kind in kinds for path in sorted(UNIT.glob(kind))]
    return [*own, *(path for path in [CONTRACTS / f"test_{room}.py"] if path.exists())]
