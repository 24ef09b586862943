"""Paths of a crawl under a sharp or a soft focus: which pages are accepted, how many were rejected in a row.

After Sizov and others 2002.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.model import OTHER, Ints

ANY, MOVED, ROOT = -2, -3, -4
"""In place of a class: a seed of no class, whose links may lead to any; a redirect, which passes on what came before
it; what leads to the seeds."""
MOST = 255


class Paths:
    """The visits so far, by number: ``parents``, the visit whose link was followed (0 for seeds); ``classes``, the
    topic of interest that a page was classified into, OTHER, or MOVED. From these follow, under the focus as it is:

    ``steps``: pages rejected in a row up to and including this one, 0 when it is accepted. ``held``: the class of the
    last page accepted on the path. A page is accepted when it has a class; under a sharp focus only when it is ``held``
    of its parent. Seeds are always accepted.
    """

    def __init__(self, sharp: bool) -> None:
        self.sharp = sharp
        self.count = 1
        self._parents = np.zeros(1024, np.int32)
        self._classes = np.full(1024, OTHER, np.int32)
        self._steps = np.zeros(1024, np.uint8)
        self._held = np.full(1024, ROOT, np.int32)

    @property
    def parents(self) -> Ints:
        return self._parents[: self.count]

    @property
    def classes(self) -> Ints:
        return self._classes[: self.count]

    @property
    def most_steps(self) -> int:
        return int(self._steps[: self.count].max())

    def known(self, number: int) -> bool:
        return 0 <= number < self.count

    def steps(self, number: int) -> int:
        return int(self._steps[number])

    def held(self, number: int) -> int:
        return int(self._held[number])

    def counts(self, topics: Sequence[int], after: int = 0) -> dict[int, int]:
        """How many pages of each topic came after a visit."""
        classes = self.classes[after + 1 :]
        found = np.bincount(classes[classes >= 0], minlength=max(topics, default=0) + 1)
        return {topic: int(found[topic]) for topic in topics}

    def page(self, number: int) -> int:
        """The page from which redirects led to ``number``; the number itself where none did."""
        while self.known(number) and self._classes[number] == MOVED:
            number = int(self._parents[number])
        return number

    def note(self, number: int, parent: int, class_: int) -> None:
        """A visit; they come in order."""
        if number >= len(self._parents):
            self._grow(2 * number)
        self._parents[number] = parent if parent < self.count else 0
        self._classes[number] = class_
        self.count = max(self.count, number + 1)
        self._walk(number)

    def _grow(self, size: int) -> None:
        for name, empty in (("_parents", 0), ("_classes", OTHER), ("_steps", 0), ("_held", ROOT)):
            old = getattr(self, name)
            grown = np.full(size, empty, old.dtype)
            grown[: len(old)] = old
            setattr(self, name, grown)

    def _walk(self, number: int) -> None:
        parent, own = self._parents[number], int(self._classes[number])
        steps, held = int(self._steps[parent]), int(self._held[parent])
        if own == MOVED:
            after = steps, held
        elif held == ROOT:
            after = 0, own if own >= 0 else ANY
        elif own >= 0 and (not self.sharp or held in (ANY, own)):
            after = 0, own
        else:
            after = min(steps + 1, MOST), held
        self._steps[number], self._held[number] = after

    def again(self, classes: Ints | None = None, sharp: bool | None = None) -> None:
        """All paths anew, with other classes (as ``classes``), under another focus, or both."""
        if classes is not None:
            self._classes[: self.count] = classes
        if sharp is not None:
            self.sharp = sharp
        for number in range(1, self.count):
            self._walk(number)

    def pack(self) -> tuple[bytes, bytes]:
        """8 bytes a visit."""
        return self.parents.astype("<i4").tobytes(), self.classes.astype("<i4").tobytes()

    @classmethod
    def unpacked(cls, parents: bytes, classes: bytes, sharp: bool) -> Paths:
        found = cls(sharp)
        rows = np.frombuffer(parents, "<i4")
        found.count = len(rows)
        if found.count > len(found._parents):
            found._grow(2 * found.count)
        found._parents[: found.count] = rows
        found.again(np.frombuffer(classes, "<i4").astype(np.int32))
        return found
