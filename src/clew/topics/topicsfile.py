"""topics.yaml: a tree of topics written by hand, with descriptions, weighted keywords, examples and seeds.

    Science:
      description: What researchers find out
      keywords: {experiment: 1, hypothesis: 0.5}     # or a list of words, each of weight 1
      topics:
        Astronomy:
          examples: ["https://www.example.org/stars"]
          seeds: ["https://www.example.org/"]

Every part of a topic may be missing. The file is read strictly: what is misspelt or given twice is an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

import yaml

from clew.errors import InputError, UrlError
from clew.topics.entry import Entry
from clew.urls.canonical import canonical

_PARTS: Final = ("description", "keywords", "examples", "seeds", "topics")


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic as described by the user; ``path`` names the topics from the root, ``keywords`` word -> weight."""

    path: tuple[str, ...]
    description: str = ""
    keywords: dict[str, float] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()


def read_topics(path: Path) -> list[TopicSpec]:
    """The topics of a file in its order, parents before children. Raises InputError, naming file, line and column."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return parse_topics(data, path)


def parse_topics(data: bytes, path: Path) -> list[TopicSpec]:
    """The topics of what stands, or is to stand, in a file. Raises InputError as ``read_topics``."""
    try:
        root = yaml.compose(data, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise InputError(f"{path}{where}: {error.problem}; see the format of topics.yaml in the manual") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}; save the file as UTF-8 text") from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply; a tree of topics needs a few levels") from error
    if root is None:
        raise InputError(f"{path}: the file is empty; write at least one topic, such as “Astronomy: {{}}”")
    specs = list(_File(path).topics(root, ()))
    if not specs:
        raise InputError(f"{path}: there is no topic in the file; write at least one, such as “Astronomy: {{}}”")
    return specs


def entries(specs: Iterable[TopicSpec]) -> Iterator[Entry]:
    """Every topic, followed by its links; a URL that is both example and seed comes once."""
    for spec in specs:
        yield Entry(spec.path, description=spec.description, tags=tuple(spec.keywords))
        for url in dict.fromkeys((*spec.examples, *spec.seeds)):
            yield Entry(spec.path, url, seed=url in spec.seeds, example=url in spec.examples)


def specs_of(found: Iterable[Entry]) -> list[TopicSpec]:
    """Topics from what another importer found, so that they can be written, edited and read again.

    Links outside any folder are left out, as the root is no topic; titles and tags have no place in the format.
    """
    topics: dict[tuple[str, ...], tuple[list[str], list[str], list[str]]] = {}
    for entry in found:
        for depth in range(1, len(entry.path) + 1):
            topics.setdefault(entry.path[:depth], ([], [], []))
        if not entry.path:
            continue
        descriptions, examples, seeds = topics[entry.path]
        if not entry.url:
            descriptions.append(entry.description)
        if entry.url and entry.example:
            examples.append(entry.url)
        if entry.url and entry.seed:
            seeds.append(entry.url)
    return [
        TopicSpec(path, next(filter(None, texts), ""), {}, tuple(dict.fromkeys(some)), tuple(dict.fromkeys(others)))
        for path, (texts, some, others) in topics.items()
    ]


def write_topics(specs: Iterable[TopicSpec], path: Path) -> None:
    """Write topics so that ``read_topics`` gives them back; parents that are missing are added."""
    path.write_text(topics_text(specs), encoding="utf-8", newline="\n")


def topics_text(specs: Iterable[TopicSpec], head: str = "") -> str:
    """Topics as the text of topics.yaml, after ``head``: comments, or nothing."""
    root: dict[str, Any] = {}
    for spec in specs:
        topic: dict[str, Any] = {"topics": root}
        for name in spec.path:
            topic = topic.setdefault("topics", {}).setdefault(name, {})
        values = (spec.description, dict(spec.keywords), list(spec.examples), list(spec.seeds))
        topic.update({part: value for part, value in zip(_PARTS, values, strict=False) if value})
    return head + yaml.safe_dump(root, sort_keys=False, allow_unicode=True, width=120)


class _Loader(yaml.SafeLoader):
    """Refuses aliases: a few lines of them could stand for more topics than memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """As the base class does, unless an alias comes next."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not used here; write it out", mark)
        node: yaml.Node | None = super().compose_node(parent, index)
        return node


@dataclass(frozen=True, slots=True)
class _File:
    """Turns nodes into topics; each method raises InputError for what does not fit."""

    path: Path

    def topics(self, node: yaml.Node, above: tuple[str, ...]) -> Iterator[TopicSpec]:
        for name, value in self._mapping(node, "topics, each a name followed by “:”").items():
            path = (*above, name)
            parts = self._mapping(value, f"parts of the topic {name!r}: {', '.join(_PARTS)}")
            for part, found in parts.items():
                if part not in _PARTS:
                    self._fail(found, f"{part!r} is no part of a topic ({name!r}); parts are {', '.join(_PARTS)}")
            yield TopicSpec(
                path,
                self._word(parts["description"], "a text") if "description" in parts else "",
                self._keywords(parts["keywords"]) if "keywords" in parts else {},
                self._urls(parts["examples"]) if "examples" in parts else (),
                self._urls(parts["seeds"]) if "seeds" in parts else (),
            )
            if "topics" in parts:
                yield from self.topics(parts["topics"], path)

    def _mapping(self, node: yaml.Node, what: str) -> dict[str, yaml.Node]:
        if _empty(node):
            return {}
        if not isinstance(node, yaml.MappingNode):
            self._fail(node, f"here must be {what}")
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = self._word(key, "a name")
            if not name:
                self._fail(key, "a name is empty")
            if name in found:
                self._fail(key, f"{name!r} is there already (line {found[name].start_mark.line + 1}); keep one of them")
            found[name] = value
        return found

    def _keywords(self, node: yaml.Node) -> dict[str, float]:
        if isinstance(node, yaml.SequenceNode):
            words = {self._word(word, "a word"): word for word in node.value}
            if "" in words:
                self._fail(words[""], "a word is empty")
            return dict.fromkeys(words, 1.0)
        weights = self._mapping(node, "keywords: “word: weight” or a list of words")
        return {word: self._number(weight, word) for word, weight in weights.items()}

    def _number(self, node: yaml.Node, word: str) -> float:
        try:
            number = float(self._word(node, "a number"))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self._fail(node, f"the weight of {word!r} must be a number, such as 1 or 0.5")
        return number

    def _urls(self, node: yaml.Node) -> tuple[str, ...]:
        if _empty(node):
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self._fail(node, "here must be a list of URLs, each after “- ”")
        return tuple(dict.fromkeys(self._url(item) for item in node.value))

    def _url(self, node: yaml.Node) -> str:
        url = self._word(node, "a URL")
        try:
            canonical(url)
        except UrlError as error:
            self._fail(node, f"{error}; give it in full, such as https://www.example.org/")
        return url

    def _word(self, node: yaml.Node, what: str) -> str:
        """Text as it is written: ``No`` and ``2024`` are names like any other."""
        if not isinstance(node, yaml.ScalarNode):
            self._fail(node, f"here must be {what}")
        return "" if _empty(node) else str(node.value).strip()

    def _fail(self, node: yaml.Node, why: str) -> NoReturn:
        mark = node.start_mark
        raise InputError(f"{self.path}:{mark.line + 1}:{mark.column + 1}: {why}")


def _empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"
