"""The changes that make mutants of a module: read off its syntax tree, made in its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.tracing import first_line

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"), ast.Pow: ("**", "*"), ast.MatMult: ("@", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"), ast.BitXor: ("^", "|"),
}  # fmt: skip
"""An operator as it is written, and what takes its place."""

UNARY: dict[type[ast.unaryop], str] = {ast.Not: "not", ast.USub: "-", ast.Invert: "~"}


@dataclass(frozen=True, slots=True, order=True)
class Mutant:
    """A change of ``old`` to ``new`` at an offset of a file's bytes. ``function``: the first line of the function it
    lies in, 0 for none."""

    path: Path
    line: int
    offset: int
    old: str
    new: str
    function: int = 0

    @property
    def text(self) -> str:
        """The source of the mutant."""
        source = self.path.read_bytes()
        end = self.offset + len(self.old.encode())
        return (source[: self.offset] + self.new.encode() + source[end:]).decode()

    @property
    def valid(self) -> bool:
        """Whether it can be compiled."""
        try:
            ast.parse(self.text)
        except SyntaxError:
            return False
        return True

    @property
    def change(self) -> str:
        """The change on one line."""
        return " ".join(f"{self.old} -> {self.new or '(left out)'}".split())


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a module, in the order of its text."""
    return sorted(set(_Finder(path).found()))


class _Finder:
    """Walks a module. Left alone are annotations, decorators, what is raised and its text, docstrings, the settings of
    settings classes, and module-level names of types: no test of behaviour could tell."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source = path.read_bytes()
        starts = [0]
        for row in self.source.splitlines(keepends=True):
            starts.append(starts[-1] + len(row))
        self.starts = starts

    def found(self) -> Iterator[Mutant]:
        yield from self._walk(ast.parse(self.source), 0)

    def _walk(self, node: ast.AST, function: int) -> Iterator[Mutant]:
        if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Match):
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = first_line(node)
            for part in [*node.args.defaults, *(one for one in node.args.kw_defaults if one), *node.body]:
                yield from self._walk(part, first)
            return
        yield from self._here(node, function)
        for child in _children(node):
            yield from self._walk(child, function)

    def _here(self, node: ast.AST, function: int) -> Iterator[Mutant]:
        for start, end, new in self._changes(node):
            old = self.source[start:end].decode()
            line = self.source.count(b"\n", 0, start) + 1
            yield Mutant(self.path, line, start, old, new, function)

    def _changes(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:  # noqa: PLR0912  # one branch a kind of change
        """Where a node changes, and what to."""
        match node:
            case ast.Compare():
                yield from self._compared(node)
            case ast.BinOp() | ast.AugAssign():
                yield from self._operator(node)
            case ast.BoolOp():
                old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield from self._between(left, right, old, new)
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
                start = self._start(node)
                yield start, start + len(UNARY[type(node.op)]), ""
            case ast.Constant(value=bool()):
                yield self._start(node), self._end(node), str(not node.value)
            case ast.Constant(value=int() | float() as value):
                yield self._start(node), self._end(node), _number(value)
            case ast.If() | ast.While() | ast.IfExp():
                yield from self._turned(node.test)
            case ast.comprehension():
                for test in node.ifs:
                    yield self._start(test), self._end(test), "True"
            case ast.Call():
                yield from self._without_arguments(node)
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield self._start(node), self._end(node), "pass"
            case ast.Break():
                yield self._start(node), self._end(node), "continue"
            case ast.Continue():
                yield self._start(node), self._end(node), "break"

    def _compared(self, node: ast.Compare) -> Iterator[tuple[int, int, str]]:
        sides = [node.left, *node.comparators]
        for left, right, operator in zip(sides, sides[1:], node.ops, strict=False):
            start, end = self._end(left), self._start(right)
            gap = self.source[start:end].decode()
            old = gap.strip("() \n")
            at = start + gap.index(old)
            yield at, at + len(old), COMPARISONS[type(operator)]
        for side in sides:
            if isinstance(side, ast.Constant) and isinstance(side.value, str):
                yield self._start(side), self._end(side), repr(f"not {side.value}")

    def _operator(self, node: ast.BinOp | ast.AugAssign) -> Iterator[tuple[int, int, str]]:
        old, new = OPERATORS[type(node.op)]
        if isinstance(node, ast.AugAssign):
            yield from self._between(node.target, node.value, f"{old}=", f"{new}=")
        else:
            yield from self._between(node.left, node.right, old, new)

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[tuple[int, int, str]]:
        start, end = self._end(left), self._start(right)
        place = self.source.find(old.encode(), start, end)
        if place >= 0:
            yield place, place + len(old), new

    def _turned(self, test: ast.expr) -> Iterator[tuple[int, int, str]]:
        if not isinstance(test, ast.Compare | ast.UnaryOp):  # these have changes that do the same
            start, end = self._start(test), self._end(test)
            yield start, end, f"not ({self.source[start:end].decode()})"

    def _without_arguments(self, node: ast.Call) -> Iterator[tuple[int, int, str]]:
        """Named arguments that are left out: the kind of fault by which a setting does not reach what it is for."""
        for keyword in node.keywords:
            if keyword.arg and keyword.arg not in ("dtype", "strict"):
                start, end = self._start(keyword), self._end(keyword)
                while self.source[end : end + 1] in (b",", b" "):
                    end += 1
                yield start, end, ""

    def _start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.end_lineno - 1] + node.end_col_offset


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node is walked: no annotations, no types, no checks, no settings with their descriptions."""
    match node:
        case ast.AnnAssign():
            if node.value is not None and not ("Annotated" in ast.dump(node.annotation) or _is_alias(node)):
                yield node.value
        case ast.ClassDef():
            yield from node.body
        case ast.keyword(arg="strict"):  # a check, as assertions are
            return
        case ast.Subscript(value=ast.Name(id="Literal" | "Callable" | "Annotated")):
            return
        case _:
            yield from ast.iter_child_nodes(node)


def _is_alias(node: ast.AnnAssign) -> bool:
    return isinstance(node.annotation, ast.Name) and node.annotation.id == "TypeAlias"


def _number(value: float) -> str:
    """Another number: the next whole one; the half of another."""
    if isinstance(value, int):
        return str(value + 1)
    return repr(value / 2 if value else 1.0)
