"""What tests call, kept from one run to the next: good as long as the sources, the test file and its helpers are."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from benchmarks.mutants.rooms import ROOT, SOURCE

KEPT = ROOT / ".mutants"


class Traces:
    """Traces of test files, one JSON file each in ``folder``, named by a digest of all that they depend on."""

    def __init__(self, folder: Path = KEPT) -> None:
        self.folder = folder
        helpers = (path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_"))
        shared = [*SOURCE.rglob("*.py"), *helpers, Path(__file__).with_name("tracing.py")]
        self._shared = _digest(shared)

    def get(self, path: Path) -> dict[str, Any] | None:
        """What the tests of a file call, as ``Tracing`` writes it; None where that is not known."""
        kept = self._kept(path)
        return json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else None

    def put(self, path: Path, found: dict[str, Any]) -> None:
        """Keep the part of a trace that is about a file, and what was called while modules were imported."""
        name = str(path.relative_to(ROOT))
        own = {test: one for test, one in found.items() if not test or test.partition("::")[0] == name}
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.glob(f"{path.stem}-*.json"):
            old.unlink()
        self._kept(path).write_text(json.dumps(own), encoding="utf-8")

    def _kept(self, path: Path) -> Path:
        digest = hashlib.sha256(self._shared + path.read_bytes()).hexdigest()
        return self.folder / f"{path.stem}-{digest[:20]}.json"


def _digest(paths: list[Path]) -> bytes:
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(f"{path}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.digest()
