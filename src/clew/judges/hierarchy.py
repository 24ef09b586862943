"""Topics as a tree, read off their paths: who lies below whom, and who competes with whom.

A path is names joined by "/"; "Home/Finance" lies below "Home". Parents come before their children. Topics whose
parent is not among the topics hang from the root, which has no score: with one topic, or topics without "/", the
tree is flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.model import OTHER, Bools, Doubles


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """The tree of k topics.

    ``parents``: the index of each topic's parent, −1 for the root. ``children``: indices by parent, the root's last.
    ``below`` bool[k, k + 1]: whether a topic (column) is that of the row or lies below it; the last column is OTHER.
    ``outside`` bool[k, k + 1]: whether examples of a topic (column) speak against that of the row: neither below it nor
    one that a page may be about at the same time.
    """

    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    below: Bools
    outside: Bools

    @classmethod
    def of(cls, topics: Sequence[str], together: Sequence[tuple[int, int]] = ()) -> Hierarchy:
        """The tree of paths. ``together``: pairs of topics that a page may be about at once, and so may be those above
        one of the pair only. Raises ValueError when a child stands before its parent."""
        places = {path: index for index, path in enumerate(topics)}
        parents = tuple(_parent(path, places) for path in topics)
        below = np.zeros((len(topics), len(topics) + 1), np.bool_)
        children: list[list[int]] = [[] for _ in range(len(topics) + 1)]
        for index, parent in enumerate(parents):
            if parent >= index:
                raise ValueError(f"topic {topics[index]!r} stands before its parent")
            children[parent].append(index)
        for index in range(len(topics)):
            above = index
            while above >= 0:
                below[above, index] = True
                above = parents[above]
        return cls(parents, tuple(tuple(row) for row in children), below, ~(below | _mates(below, together)))

    @property
    def flat(self) -> bool:
        """Whether no topic lies below another."""
        return max(self.parents, default=-1) < 0

    @property
    def mates(self) -> Bools:
        """bool[k, k]: which topics a page may be about beside that of the row: neither above the other, and yet their
        examples do not speak against it."""
        below, outside = self.below[:, :-1], self.outside[:, :-1]
        return np.asarray(~(below | below.T | outside), np.bool_)

    def members(self, labels: Sequence[int]) -> Bools:
        """bool[k, n]: whether example n, of topic ``labels[n]`` or OTHER, belongs to topic k (exi)."""
        return np.asarray(self.below[:, np.asarray(labels, np.intp)], np.bool_)

    def rivals(self, labels: Sequence[int]) -> Bools:
        """bool[k, n]: what topic k is told from: its siblings' examples, its parent's own, OTHER's."""
        members = self.members(labels)
        other = np.asarray(labels) == OTHER
        above = [members[parent] if parent >= 0 else np.ones_like(other) for parent in self.parents]
        rivals = (np.array(above).reshape(members.shape) & ~members) | other
        return np.asarray(rivals & self.outsiders(labels), np.bool_)

    def outsiders(self, labels: Sequence[int]) -> Bools:
        """bool[k, n]: whether example n speaks against topic k."""
        return np.asarray(self.outside[:, np.asarray(labels, np.intp)], np.bool_)

    def lifted(self, scores: Doubles) -> Doubles:
        """A page of a topic is one of all topics above it: the highest score at or below each topic."""
        if self.flat:
            return scores
        return np.asarray(np.where(self.below[:, :-1], scores, 0.0).max(axis=1), np.float64)

    def capped(self, scores: Doubles) -> Doubles:
        """Top down: no topic scores higher than its parent."""
        result = scores.copy()
        for index, parent in enumerate(self.parents):
            if parent >= 0:
                result[index] = min(result[index], result[parent])
        return result

    def winner(self, scores: Doubles | Sequence[float], least: float = 0.5) -> int:
        """From the root down to the best child with at least ``least``, as far as there is one; else OTHER."""
        here = -1
        while self.children[here]:
            best = max(self.children[here], key=scores.__getitem__)  # the first of the best
            if scores[best] < least:
                break
            here = best
        return here


def _parent(path: str, places: dict[str, int]) -> int:
    """The nearest path above that is a topic, −1 if there is none."""
    while "/" in path:
        path = path.rpartition("/")[0]
        if path in places:
            return places[path]
    return -1


def _mates(below: Bools, together: Sequence[tuple[int, int]]) -> Bools:
    """bool[k, k + 1]: topics that share pages with that of the row though neither is above the other."""
    mates = np.zeros_like(below)
    for pair in together:
        for one, other in (pair, pair[::-1]):
            above, beside = below[:, one] & ~below[:, other], below[:, other] & ~below[:, one]
            for topic in np.flatnonzero(above):
                for mate in np.flatnonzero(beside):
                    mates[topic] |= below[mate] & ~below[topic]
    return mates
