"""The tree of topics: names, examples and seeds, for anything from two bookmarks to the whole Open Directory.

Topics are numbered from 0, parents before their children; -1 is the root ANY, which is no topic and has no column
in a judge's scores, but may hold links that belong to no topic.
"""

from __future__ import annotations

import difflib
import heapq
import operator
import random
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clew.errors import InputError
from clew.text.characters import nfc
from clew.topics.entry import Entry

__all__ = ["OTHER_NAME", "ROOT", "TopicTree", "clean_name"]

ROOT = -1
OTHER_NAME = "Other"
_SEED, _EXAMPLE = 1, 2
_LISTED = 8
_SPELLINGS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "∕": "/"})


def clean_name(name: str) -> str:
    """A name fit for a path: composed, one space between words, no control characters, "∕" for "/"."""
    text = nfc(name).replace("/", "∕")
    text = "".join(" " if char.isspace() else char for char in text if char.isspace() or char.isprintable())
    return " ".join(text.split()) or "unnamed"


@dataclass(frozen=True, slots=True)
class _About:
    description: str = ""
    keywords: tuple[str, ...] = ()


class TopicTree:
    """A tree of topics. ``paths[i]`` is the path of topic i, such as Home/Finance/Stocks.

    ``of`` numbers depth-first, siblings by first appearance. ``add`` gives a new topic the next number, so that
    those given before stay valid; ``ordered`` numbers afresh. The methods that transform return a new tree.
    """

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._index: dict[str, int] = {}
        self._parents = array("i")
        self._children: dict[int, list[int]] = {}
        self._about: dict[int, _About] = {}
        self._links: dict[int, dict[str, int]] = {}  # URL -> _SEED | _EXAMPLE, in order of appearance
        self._last: tuple[tuple[str, ...], int] = ((), ROOT)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> TopicTree:
        """The tree of what an importer yields; an entry without URL describes its folder (description, tags)."""
        tree = cls()
        for entry in entries:
            if entry.url:
                tree.add(entry.path, url=entry.url, seed=entry.seed, example=entry.example)
            else:
                tree.add(entry.path, description=entry.description, keywords=entry.tags)
        return tree._rebuilt(tree._links, lambda topic: True, copy=False)

    def add(
        self,
        path: str | Sequence[str],
        *,
        description: str = "",
        keywords: Sequence[str] = (),
        url: str = "",
        seed: bool = True,
        example: bool = True,
    ) -> int:
        """Add a topic, its missing parents, and a link if given; the topic's number, ROOT for the empty path."""
        topic = self._place(path.split("/") if isinstance(path, str) and path else path)
        if topic != ROOT and (description or keywords):
            old = self._about.get(topic, _About())
            words = dict.fromkeys((*old.keywords, *keywords))
            self._about[topic] = _About(description or old.description, tuple(words))
        if url and (flags := _SEED * seed | _EXAMPLE * example):
            links = self._links.setdefault(topic, {})
            links[url] = links.get(url, 0) | flags
        return topic

    def _place(self, parts: Sequence[str]) -> int:
        key = tuple(parts)
        if key != self._last[0]:  # links come folder by folder
            self._last = key, self._descend([clean_name(part) for part in key])
        return self._last[1]

    def _descend(self, names: Sequence[str]) -> int:
        parent, path = ROOT, ""
        for name in names:
            path = f"{path}/{name}" if path else name
            topic = self._index.setdefault(path, len(self._paths))
            if topic == len(self._paths):
                self._paths.append(path)
                self._parents.append(parent)
                self._children.setdefault(parent, []).append(topic)
            parent = topic
        return parent

    def __len__(self) -> int:
        return len(self._paths)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of all topics by number: what judges call ``topics``."""
        return tuple(self._paths)

    def path(self, topic: int) -> str:
        """Path of a topic; "" for the root."""
        return self._paths[topic] if topic >= 0 else ""

    def name(self, topic: int) -> str:
        """Last part of the path; ANY for the root."""
        return self._paths[topic].rpartition("/")[2] if topic >= 0 else "ANY"

    def parent(self, topic: int) -> int:
        """Number of the parent; ROOT for topics of the first level."""
        return self._parents[topic]

    def children(self, topic: int = ROOT) -> tuple[int, ...]:
        """Numbers of the children, in order of appearance."""
        return tuple(self._children.get(topic, ()))

    def description(self, topic: int) -> str:
        """The topic in a sentence or two; "" if nobody wrote one."""
        return self._about.get(topic, _About()).description

    def keywords(self, topic: int) -> tuple[str, ...]:
        """Words given for the topic."""
        return self._about.get(topic, _About()).keywords

    def own(self, topic: int) -> tuple[str, ...]:
        """Example URLs filed under this very topic: exd."""
        return tuple(url for url, flags in self._links.get(topic, {}).items() if flags & _EXAMPLE)

    def seeds(self, topic: int) -> tuple[str, ...]:
        """Seed URLs filed under this very topic."""
        return tuple(url for url, flags in self._links.get(topic, {}).items() if flags & _SEED)

    def inherited(self, topic: int) -> tuple[str, ...]:
        """Example URLs of the topic and of all below it, each once: exi."""
        return tuple(dict.fromkeys(url for place in (topic, *self.below(topic)) for url in self.own(place)))

    def counts(self) -> list[int]:
        """Number of examples filed at or below each topic, by number: a first guess of how frequent topics are."""
        totals = [len(self.own(topic)) for topic in range(len(self))]
        for topic in reversed(range(len(self))):
            if (parent := self._parents[topic]) != ROOT:
                totals[parent] += totals[topic]
        return totals

    def leaves(self) -> tuple[int, ...]:
        """Topics without children."""
        return tuple(topic for topic in range(len(self)) if topic not in self._children)

    def below(self, topic: int) -> tuple[int, ...]:
        """All topics below, without itself, depth-first."""
        return tuple(self._walk(topic))

    def _walk(self, topic: int) -> Iterator[int]:
        left = list(reversed(self._children.get(topic, ())))
        while left:
            topic = left.pop()
            yield topic
            left.extend(reversed(self._children.get(topic, ())))

    def is_below(self, topic: int, other: int) -> bool:
        """Whether ``topic`` lies below ``other``; no topic lies below itself, each lies below the root."""
        while topic != ROOT:
            topic = self._parents[topic]
            if topic == other:
                return True
        return False

    # Names that people type.

    def find(self, text: str) -> int:
        """The topic meant by a path, the end of one, or an unambiguous beginning of a path or name.

        Whatever its case, and with ae, oe, ue for umlauts. Of several with the same beginning, one above all others
        is meant. Raises InputError, listing the candidates or names that look alike.
        """
        wanted = "/".join(" ".join(part.split()) for part in nfc(text).strip("/ ").split("/"))
        if not wanted:
            raise InputError("the name of a topic is empty; name one of " + self._listed(self.children()))
        if wanted in self._index:
            return self._index[wanted]
        for stage in _STAGES:
            found = self._matching(stage, wanted)
            if found:
                return self._only(found, wanted)
        alike = self._alike(wanted)
        there = f"; the topics are {self._listed(self.children())}" if len(self) else "; there are no topics yet"
        hint = f"; did you mean {self._listed(alike)}?" if alike else there
        raise InputError(f"no topic is called {wanted!r}{hint}")

    def _matching(self, stage: tuple[bool, str], wanted: str) -> list[int]:
        folds, pattern = stage
        regex = re.compile(pattern.format(re.escape(_fold(wanted) if folds else wanted)))
        paths: Iterable[str] = map(_fold, self._paths) if folds else self._paths
        return [topic for topic, path in enumerate(paths) if regex.search(path)]

    def _only(self, found: list[int], wanted: str) -> int:
        first = min(found, key=lambda topic: self._paths[topic].count("/"))
        if all(topic == first or self.is_below(topic, first) for topic in found):
            return first
        raise InputError(f"{wanted!r} may be any of {self._listed(found)}; give more of the path")

    def _listed(self, topics: Sequence[int]) -> str:
        names = [self._paths[topic] for topic in topics[:_LISTED]]
        more = f" and {len(topics) - _LISTED:,} more" if len(topics) > _LISTED else ""
        return (", ".join(names) or "the topics (there are none yet)") + more

    def _alike(self, wanted: str) -> list[int]:
        """Topics that hold the words, then those spelt alike: difflib, on the names sharing most pairs of letters."""
        name = _fold(wanted).rpartition("/")[2]
        pairs = {name[at : at + 2] for at in range(len(name) - 1)}
        shared = (
            (len(pairs.intersection(map(operator.add, fold, fold[1:]))), -topic, fold)
            for topic, fold in self._folded_names()
        )
        near = {fold: -topic for score, topic, fold in heapq.nlargest(200, shared) if score or not pairs}
        close = [near[fold] for fold in difflib.get_close_matches(name, near, n=5, cutoff=0.6)]
        return list(dict.fromkeys([*close, *self.search(wanted, 3)]))

    def _folded_names(self) -> Iterator[tuple[int, str]]:
        return ((topic, _fold(self.name(topic))) for topic in range(len(self)))

    def search(self, text: str, limit: int = 20) -> list[int]:
        """Topics whose path holds all words of ``text``: the same name first, then its beginning, then the rest."""
        whole = _fold(" ".join(text.split()))
        words = whole.split()

        def rank(topic: int, path: str) -> tuple[int, int, int]:
            name = path.rpartition("/")[2]
            misses = 0 if name == whole else 1 if name.startswith(whole) else 2 if whole in name else 3
            return misses, path.count("/"), topic

        folded = ((topic, _fold(path)) for topic, path in enumerate(self._paths))
        ranks = (rank(topic, path) for topic, path in folded if words and all(word in path for word in words))
        return [topic for _, _, topic in heapq.nsmallest(limit, ranks)]

    # Preparing a tree for training.

    def check_disjoint(self) -> None:
        """Raise InputError if an example is filed under two topics of which neither is above the other."""
        deepest: dict[str, int] = {}
        for topic in range(len(self)):
            for url in self.own(topic):
                other = deepest.get(url, ROOT)
                if other == ROOT or self.is_below(topic, other):
                    deepest[url] = topic
                elif not self.is_below(other, topic):
                    raise InputError(
                        f"{url} is an example of both {self._paths[other]} and {self._paths[topic]}; "
                        "remove it from one, or else the two cannot be told apart"
                    )

    def ordered(self) -> TopicTree:
        """The same tree, numbered depth-first."""
        return self._rebuilt(self._links, lambda topic: True)

    def with_other(self) -> TopicTree:
        """Move the own examples of each inner topic to a leaf "Other" below it; the root keeps its own."""
        tree = self.ordered()
        for topic in [topic for topic in tree._children if topic != ROOT]:
            links = tree._links.pop(topic, {})
            if kept := {url: flags for url, flags in links.items() if not flags & _EXAMPLE}:
                tree._links[topic] = kept
            for url, flags in links.items():
                if flags & _EXAMPLE:
                    tree.add(f"{tree._paths[topic]}/{_other_name(tree, topic)}", url=url, seed=bool(flags & _SEED))
        return tree.ordered()

    def with_root_as(self, name: str) -> TopicTree:
        """Links of the root go to a topic of the first level, a new one unless there is one of that name."""
        tree = self.ordered()
        for url, flags in tree._links.pop(ROOT, {}).items():
            tree.add((name,), url=url, seed=bool(flags & _SEED), example=bool(flags & _EXAMPLE))
        return tree.ordered()

    def pruned(self, minimum: int) -> TopicTree:
        """Without leaves of fewer than ``minimum`` examples: their links go to the parent, again and again.

        Topics of the first level are no exception: their links end up at the root. Topics with keywords stay: they can
        be judged without examples.
        """
        moved: dict[int, dict[str, int]] = {}  # of the topics that took links in, all their links
        sons = {topic: len(children) for topic, children in self._children.items()}
        gone: set[int] = set()
        for topic in reversed(range(len(self))):
            own = moved.get(topic, self._links.get(topic, {}))
            if (
                sons.get(topic)
                or self.keywords(topic)
                or sum(flags & _EXAMPLE > 0 for flags in own.values()) >= minimum
            ):
                continue
            parent = self._parents[topic]
            above = moved.get(parent) or dict(self._links.get(parent, {}))
            for url, flags in own.items():
                above[url] = above.get(url, 0) | flags
            moved[parent] = above
            moved.pop(topic, None)
            sons[parent] -= 1
            gone.add(topic)
        return self._rebuilt({**self._links, **moved}, lambda topic: topic not in gone)

    def capped(self, maximum: int, seed: int = 1) -> TopicTree:
        """At most ``maximum`` own examples a topic, a sample drawn from ``seed``; seeds stay seeds."""
        links = dict(self._links)
        for topic in self._links:
            own = self.own(topic)
            if len(own) > maximum:
                kept = set(random.Random(f"{seed} {self.path(topic)}").sample(own, maximum))
                flags = {url: flag if url in kept else flag & _SEED for url, flag in links[topic].items()}
                links[topic] = {url: flag for url, flag in flags.items() if flag}
        return self._rebuilt(links, lambda topic: True)

    def subtree(self, focus: int | str) -> TopicTree:
        """The topic ``focus`` and all below, under their full paths; topics above it stay, without their links."""
        top = self.find(focus) if isinstance(focus, str) else focus
        keep = {top, *self.below(top)}
        return self._rebuilt(
            {topic: links for topic, links in self._links.items() if topic in keep},
            lambda topic: topic in keep or self.is_below(top, topic),
        )

    def _rebuilt(
        self, links: Mapping[int, dict[str, int]], keep: Callable[[int], bool], *, copy: bool = True
    ) -> TopicTree:
        """A new tree of the topics to keep, with these links (copied, unless no other tree holds them)."""
        tree = TopicTree()
        new = {ROOT: ROOT}
        for topic in self._walk(ROOT):
            if keep(topic):
                parent = new[self._parents[topic]]
                number = new[topic] = tree._index[self._paths[topic]] = len(tree._paths)
                tree._paths.append(self._paths[topic])
                tree._parents.append(parent)
                tree._children.setdefault(parent, []).append(number)
        tree._about = {new[topic]: about for topic, about in self._about.items() if topic in new}
        tree._links = {new[topic]: dict(own) if copy else own for topic, own in links.items() if topic in new and own}
        return tree


# Tried in turn by ``find``: whether case is ignored, and the pattern a path must match.
_STAGES = (
    (False, r"(?:^|/){}$"),
    (True, r"^{}$"),
    (True, r"(?:^|/){}$"),
    (True, r"^{}"),
    (True, r"(?:^|/){}"),
)


def _fold(text: str) -> str:
    return text.casefold().translate(_SPELLINGS)


def _other_name(tree: TopicTree, topic: int) -> str:
    """ "Other", or "Other (2)" ... where an inner topic bears that name already."""
    names = (OTHER_NAME, *(f"{OTHER_NAME} ({number})" for number in range(2, 100)))
    below = {tree.name(child) for child in tree.children(topic) if tree.children(child)}
    return next(name for name in names if name not in below)
