"""What a user wants, as a formula over topics (Ester and others 2001 section 2.2), and how a crawl changes its focus.

    formula = part {"or" part}      or  OR  ∨  |
    part    = literal {"and" literal}   and AND ∧  &
    literal = "not" literal | "(" formula ")" | ANY | name      not NOT ¬  !

A name is what TopicTree.find takes. Without quotes it runs up to the next operator and may hold spaces and hyphens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from clew.errors import FormulaError, InputError
from clew.topics.tree import ROOT, TopicTree

__all__ = ["And", "Any", "Exclusions", "Focus", "Formula", "Not", "Or", "Topic", "check_taught", "conjunction"]
__all__ += [
    "disjunction",
    "exclusions",
    "generalise",
    "may_draw_seeds",
    "parse",
    "relaxed",
    "replaced",
    "topics_of",
    "unparse",
]


@dataclass(frozen=True, slots=True)
class Any:
    """The root ANY: every page."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Pages about a topic, by its number in the tree."""

    index: int


@dataclass(frozen=True, slots=True)
class Not:
    """Pages that ``part`` does not describe."""

    part: Formula


@dataclass(frozen=True, slots=True)
class And:
    """Pages that all parts describe."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Pages that one of the parts describes."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = Any | Topic | Not | And | Or
Frequency: TypeAlias = Sequence[float]
"""How frequent each topic is, by number, in any unit: pages met in the crawl, or TopicTree.counts()."""

_DEEPEST = 100
_SIGNS = r"""\s()∧∨¬&|!"“”„«»"""  # what ends a name
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
      | (?P<open>\() | (?P<close>\))
      | (?P<and>(?:and|AND)(?![^{_SIGNS}'])|∧|&&?)
      | (?P<or>(?:or|OR)(?![^{_SIGNS}'])|∨|\|\|?)
      | (?P<not>(?:not|NOT)(?![^{_SIGNS}'])|¬|!)
      | "(?P<quoted>(?:[^"\\]|\\.)*)" | '(?P<single>[^']*)' | «(?P<angle>[^»]*)»
      | “(?P<curly>[^”]*)” | „(?P<low>[^“”]*)[“”]
      | (?P<unclosed>["“„«'])
      | (?P<word>[^{_SIGNS}]+)
      | (?P<stray>.)""",
    re.VERBOSE,
)
_QUOTES = ("quoted", "curly", "low", "angle", "single")
_PLAIN = re.compile(rf"(?!')[^{_SIGNS}]+(?: [^{_SIGNS}']+)*")
_RESERVED = frozenset({"and", "or", "not", "AND", "OR", "NOT", "ANY"})


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # open, close, and, or, not, quoted, word, end
    text: str
    start: int


def parse(text: str, tree: TopicTree) -> Formula:
    """The formula written in ``text``. Raises FormulaError, pointing at the column that is wrong."""
    return _Parser(text, tree).parsed()


class _Parser:
    """Recursive descent, one token ahead."""

    def __init__(self, text: str, tree: TopicTree) -> None:
        self._text = text
        self._tree = tree
        self._tokens = list(self._names(list(self._scanned())))
        self._at = 0
        self._depth = 0

    def parsed(self) -> Formula:
        formula = self._or()
        token = self._tokens[self._at]
        if token.kind == "close":
            self._fail(token.start, 'this ")" closes no "("; remove it')
        if token.kind != "end":
            self._fail(token.start, '"and" or "or" is missing before this; put names that hold such signs in quotes')
        return formula

    def _scanned(self) -> Iterator[_Token]:
        for match in _TOKEN.finditer(self._text):
            kind = match.lastgroup or "stray"
            if kind == "unclosed":
                self._fail(match.start(), "the quote opened here is not closed")
            if kind == "stray":
                self._fail(match.start(), "this sign has no meaning here; put the name that holds it in quotes")
            if kind in _QUOTES:
                yield _Token("quoted", re.sub(r"\\(.)", r"\1", match[kind]), match.start())
            elif kind != "space":
                yield _Token(kind, match[0], match.start())
        yield _Token("end", "", len(self._text))

    @staticmethod
    def _names(tokens: Sequence[_Token]) -> Iterator[_Token]:
        """Join neighbouring words to one name."""
        words: list[_Token] = []
        for token in tokens:
            if token.kind == "word":
                words.append(token)
                continue
            if words:
                yield _Token("word", " ".join(word.text for word in words), words[0].start)
                words = []
            yield token

    def _accept(self, kind: str) -> _Token | None:
        token = self._tokens[self._at]
        if token.kind != kind:
            return None
        self._at += 1
        return token

    def _or(self) -> Formula:
        return self._chain("or", self._and, Or)

    def _and(self) -> Formula:
        return self._chain("and", self._literal, And)

    def _chain(self, kind: str, operand: Callable[[], Formula], build: type[And] | type[Or]) -> Formula:
        parts = [operand()]
        while self._accept(kind):
            parts.append(operand())
        return parts[0] if len(parts) == 1 else build(tuple(parts))

    def _literal(self) -> Formula:
        token = self._tokens[self._at]
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail(token.start, f"more than {_DEEPEST} parentheses or nots within each other")
        formula = self._inner(token)
        self._depth -= 1
        return formula

    def _inner(self, token: _Token) -> Formula:
        if self._accept("not"):
            return Not(self._literal())
        if self._accept("open"):
            formula = self._or()
            if self._tokens[self._at].kind == "end":
                self._fail(token.start, 'the "(" opened here is not closed; add ")"')
            if not self._accept("close"):
                self._fail(self._tokens[self._at].start, '"and", "or" or ")" is missing before this')
            return formula
        if self._accept("word"):
            return Any() if token.text == "ANY" else self._topic(token)
        if self._accept("quoted"):
            return self._topic(token)
        where = f"before {token.text!r}" if token.text else "here"
        self._fail(token.start, f"a topic is missing {where}; for example: sailing and not (hotels or jobs)")

    def _topic(self, token: _Token) -> Formula:
        try:
            return Topic(self._tree.find(token.text))
        except InputError as error:
            self._fail(token.start, str(error))

    def _fail(self, start: int, reason: str) -> NoReturn:
        shown = re.sub(r"\s", " ", self._text)
        width = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown[:start])
        said = f"formula, column {start + 1}: {reason}\n  {shown}\n  {' ' * width}^"
        raise FormulaError(said, reason, start) from None


def unparse(formula: Formula, paths: Sequence[str]) -> str:
    """The formula in words, with the topics' paths; ``parse`` reads it back."""
    match formula:
        case Any():
            return "ANY"
        case Topic(index):
            return _quoted(paths[index])
        case Not(part):
            text = unparse(part, paths)
            return f"not ({text})" if isinstance(part, And | Or) else f"not {text}"
        case And(parts) | Or(parts):
            texts = (f"({unparse(p, paths)})" if isinstance(p, And | Or) else unparse(p, paths) for p in parts)
            return (" and " if isinstance(formula, And) else " or ").join(texts)


def _quoted(path: str) -> str:
    if _PLAIN.fullmatch(path) and not _RESERVED.intersection(re.split(r"\W", path)):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def topics_of(formula: Formula, *, negated: bool = True) -> tuple[int, ...]:
    """Numbers of the topics in a formula, each once, in order; without those under a Not if not ``negated``."""
    match formula:
        case Topic(index):
            return (index,)
        case Not(part):
            return topics_of(part) if negated else ()
        case And(parts) | Or(parts):
            return tuple(dict.fromkeys(index for part in parts for index in topics_of(part, negated=negated)))
    return ()


def check_taught(formula: Formula, tree: TopicTree) -> None:
    """Raise InputError if nothing says what a topic of the formula is about."""
    for topic in topics_of(formula):
        family = (topic, *tree.below(topic))
        if not any(tree.own(one) or tree.keywords(one) or tree.description(one) for one in family):
            raise InputError(
                f"the topic {tree.path(topic)} is empty: give it example pages, keywords or a description, "
                "or leave it out of the formula"
            )


def conjunction(parts: Iterable[Formula]) -> Formula:
    """All of the parts: flat, each once, without ANY."""
    flat = _flat(parts, And)
    flat.pop(Any(), None)
    return And(tuple(flat)) if len(flat) > 1 else next(iter(flat), Any())


def disjunction(parts: Iterable[Formula]) -> Formula:
    """One of the parts: flat, each once; ANY if one of them is. There must be at least one."""
    flat = _flat(parts, Or)
    return Any() if Any() in flat else Or(tuple(flat)) if len(flat) > 1 else next(iter(flat))


def _flat(parts: Iterable[Formula], kind: type[And] | type[Or]) -> dict[Formula, None]:
    flat: dict[Formula, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, kind) else (part,)))
    return flat


# The focus of a crawl.


def generalise(formula: Formula, tree: TopicTree, frequency: Frequency) -> Formula | None:
    """The formula with its most infrequent topic replaced by the parent; None at the most general level.

    Topics of the first level stay, and so do topics under a Not, where the parent would narrow the focus. Of equally
    frequent topics, the first is taken.
    """
    movable = [topic for topic in topics_of(formula, negated=False) if tree.parent(topic) != ROOT]
    if not movable:
        return None
    rarest = min(movable, key=lambda topic: frequency[topic])
    return replaced(formula, rarest, Topic(tree.parent(rarest)))


def replaced(formula: Formula, topic: int, other: Formula) -> Formula:
    """The formula with ``other`` in place of a topic, but for what stands under a Not."""
    match formula:
        case Topic(index):
            return other if index == topic else formula
        case And(parts):
            return conjunction(replaced(part, topic, other) for part in parts)
        case Or(parts):
            return disjunction(replaced(part, topic, other) for part in parts)
    return formula


@dataclass(frozen=True, slots=True)
class Focus:
    """The formula a crawl was given and each step away from it; pages are judged by the first alone."""

    chain: tuple[Formula, ...]

    @property
    def now(self) -> Formula:
        """What the crawl looks for at present."""
        return self.chain[-1]

    def generalised(self, tree: TopicTree, frequency: Frequency) -> Focus | None:
        """One step further; None at the most general level."""
        wider = generalise(self.now, tree, frequency)
        return None if wider is None else Focus((*self.chain, wider))

    def specialised(self) -> Focus | None:
        """The last step undone; None if there was none."""
        return Focus(self.chain[:-1]) if len(self.chain) > 1 else None


def relaxed(formula: Formula, frequency: Frequency, *, either: bool = False) -> Formula:
    """A formula for texts too short to be about all that is wanted: anchors, URLs.

    Of A ∧ B only the part with the more infrequent topic, or A ∨ B if ``either``. What a Not excludes is dropped.
    """
    match formula:
        case Not():
            return Any()
        case Or(parts):
            return disjunction(relaxed(part, frequency, either=either) for part in parts)
        case And(parts):
            left = [part for part in (relaxed(part, frequency, either=either) for part in parts) if part != Any()]
            if not left:
                return Any()
            return disjunction(left) if either else min(left, key=lambda part: _rarity(part, frequency))
    return formula


def _rarity(formula: Formula, frequency: Frequency) -> float:
    """How frequent a formula without And and Not may be."""
    return sum(frequency[topic] for topic in topics_of(formula))


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Crawl for ``crawl``, and leave out pages with a considerable score for ``excluded`` afterwards."""

    crawl: Formula
    excluded: Formula | None


def exclusions(formula: Formula) -> Exclusions:
    """Split a formula: it holds for the pages of ``crawl`` that are not in ``excluded``, and ``crawl`` has no Not.

    Of a formula that only negates, ``crawl`` is ANY.
    """
    match formula:
        case Not(part):
            return _negated(part)
        case And(parts):
            split = [exclusions(part) for part in parts]
            excluded = [part.excluded for part in split if part.excluded is not None]
            return Exclusions(conjunction(part.crawl for part in split), disjunction(excluded) if excluded else None)
        case Or(parts):
            return _either([exclusions(part) for part in parts])
    return Exclusions(formula, None)


def _negated(part: Formula) -> Exclusions:
    match part:
        case Not(inner):
            return exclusions(inner)
        case Or(parts):
            return exclusions(And(tuple(Not(part) for part in parts)))
        case And(parts) if any(_negates(part) for part in parts):
            return exclusions(Or(tuple(Not(part) for part in parts)))
    return Exclusions(Any(), part)


def _negates(formula: Formula) -> bool:
    return isinstance(formula, Not) or (isinstance(formula, And | Or) and any(map(_negates, formula.parts)))


def _either(split: Sequence[Exclusions]) -> Exclusions:
    """A page that one branch excludes is left out unless it belongs to another."""
    excluded = []
    for branch in split:
        if branch.excluded is not None:
            others = (_outside(other) for other in split if other is not branch)
            excluded.append(conjunction((branch.excluded, *others)))
    return Exclusions(disjunction(branch.crawl for branch in split), disjunction(excluded) if excluded else None)


def _outside(branch: Exclusions) -> Formula:
    outside = Not(branch.crawl)
    return outside if branch.excluded is None else disjunction((outside, branch.excluded))


def may_draw_seeds(formula: Formula) -> bool:
    """Whether examples may serve as start pages: for one topic or a disjunction of topics."""
    return isinstance(formula, Topic) or (isinstance(formula, Or) and all(map(may_draw_seeds, formula.parts)))
