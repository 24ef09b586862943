"""Tasks: a web, where to start, examples, a budget, and a truth that does not guide the crawl."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from clew.config import quoted
from clew.errors import ConfigError, InputError, UrlError
from clew.examples.keywords import keywords_of
from clew.text.shown import shown
from clew.urls.canonical import canonical
from clew.web.registry import absolute


class _Truth(Struct, frozen=True, forbid_unknown_fields=True):
    """[truth]: a page is relevant when one of its labels begins with one of these, in one of the groups (none: any)."""

    labels: tuple[str, ...]
    groups: tuple[str, ...] = ()


class _Examples(Struct, frozen=True, forbid_unknown_fields=True):
    """[examples]: pages that are wanted, or words that say what is: a list, a table of weights, a query."""

    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    keywords: tuple[str, ...] | dict[str, float] = ()
    query: str = ""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """A task file."""

    name: str
    web: str
    labels: str
    budget: Annotated[int, Meta(ge=1)]
    seeds: Annotated[tuple[str, ...], Meta(min_length=1)]
    truth: _Truth
    examples: _Examples
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """A task. URLs are canonical; ``relevant``: what counts as found (examples and seeds do not); ``web`` is written
    as users write it, with absolute paths.

    ``keywords``: words and phrases that say what is wanted, with their weights; those of the query are among them. A
    task may have no ``positive`` pages, but keywords alone.

    What repeats are drawn from: ``truth``, all relevant pages, examples and seeds among them; ``labelled``, for every
    page of the label file whether it has one of the wanted labels, and its group; ``wanted``, these labels.
    """

    name: str
    path: Path
    web: str
    closed: bool
    budget: int
    seeds: tuple[str, ...]
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    relevant: frozenset[str]
    truth: frozenset[str] = frozenset()
    labelled: Mapping[str, tuple[bool, str]] = field(default_factory=dict, compare=False, repr=False)
    wanted: tuple[str, ...] = ()
    keywords: Mapping[str, float] = field(default_factory=dict, hash=False)


def load(path: Path) -> Task:
    """A task from its TOML file. Raises InputError or ConfigError naming the file and what is wrong."""
    try:
        file = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} is no TOML file: {error}") from error
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}; docs/lab.md describes task files") from error
    seeds = _urls(file.seeds, path, "seeds")
    positive = _urls(file.examples.positive, path, "examples.positive")
    negative = _urls(file.examples.negative, path, "examples.negative")
    keywords = _keywords(file.examples, path)
    labelled = _labelled(path.parent / file.labels, file.truth)
    groups = file.truth.groups
    truth = frozenset(url for url, (counts, group) in labelled.items() if counts and (not groups or group in groups))
    relevant = truth - {*seeds, *positive, *negative}
    if not relevant:
        raise InputError(f"{path}: no page has a label that begins with one of {', '.join(file.truth.labels)}")
    web = file.web if ":" in file.web else f"archive:{file.web}"
    return Task(
        name=shown(file.name),
        path=path.resolve(),
        web=absolute(web, path.parent.resolve()),
        closed=file.closed,
        budget=file.budget,
        seeds=seeds,
        positive=positive,
        negative=negative,
        relevant=relevant,
        truth=truth,
        labelled=labelled,
        wanted=file.truth.labels,
        keywords=keywords,
    )


def write(
    path: Path,
    comment: str,
    *,
    name: str,
    web: str,
    labels: str,
    budget: int,
    seeds: Iterable[str],
    truth: str,
    positive: Iterable[str],
    negative: Iterable[str],
) -> None:
    """Write a task file that ``load`` reads; ``truth``: the label of relevant pages."""
    path.write_text(
        f"# {shown(comment)}\nname = {quoted(name)}\nweb = {quoted(web)}\nlabels = {quoted(labels)}\nclosed = true\n"
        f"budget = {budget}\nseeds = {_list(seeds)}\n\n[truth]\nlabels = [{quoted(truth)}]\n\n"
        f"[examples]\npositive = {_list(positive)}\nnegative = {_list(negative)}\n",
        encoding="utf-8",
    )


def write_labels(path: Path, label: str, urls: Iterable[str]) -> None:
    """Write a label file in which ``urls`` have one label."""
    rows = "".join(f"{url}\t{label}\t-\n" for url in urls)
    path.write_text(f"url\tlabel\tgroup\n{rows}", encoding="utf-8")


def _list(urls: Iterable[str]) -> str:
    lines = "".join(f"  {quoted(url)},\n" for url in urls)
    return f"[\n{lines}]"


def _urls(given: tuple[str, ...], path: Path, where: str) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(canonical(url) for url in given))
    except UrlError as error:
        raise InputError(f"{path}: {where}: {error}") from error


def _keywords(given: _Examples, path: Path) -> dict[str, float]:
    """The keywords that a task lists, and those of its query. Raises InputError where nothing says what is wanted."""
    listed = given.keywords if isinstance(given.keywords, dict) else dict.fromkeys(given.keywords, 1.0)
    for word in listed:
        if not any(map(str.isalnum, word)):
            raise InputError(f"{path}: examples.keywords: {shown(word)!r} is no word: take it out")
    asked = keywords_of(given.query)
    if given.query and not asked:
        raise InputError(
            f"{path}: examples.query: {shown(given.query)!r} has no word that says what is wanted: stop words, such as "
            "the and of, do not count"
        )
    found = {**asked, **listed}
    if not given.positive and not any(weight > 0 for weight in found.values()):
        lacks = (
            "examples.keywords has no word of positive weight" if found else "[examples] does not say what is wanted"
        )
        raise InputError(f"{path}: {lacks}: give positive pages, keywords or a query, see docs/lab.md")
    return found


def _labelled(labels: Path, truth: _Truth) -> dict[str, tuple[bool, str]]:
    """By canonical URL: whether the page has one of the labels, and its group. Of rows of one page a relevant one."""
    try:
        with labels.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except OSError as error:
        raise InputError(f"{labels} cannot be read: {error.strerror}") from error
    if rows and not {"url", "label", "group"} <= set(rows[0]):
        raise InputError(f"{labels} needs the columns url, label and group, parted by tabs")
    found: dict[str, tuple[bool, str]] = {}
    for row in sorted(rows, key=lambda row: not _counts(row, truth)):
        found.setdefault(_canonical(row["url"]), (_has(row, truth), row["group"]))
    return found


def _counts(row: dict[str, str], truth: _Truth) -> bool:
    return _has(row, truth) and (not truth.groups or row["group"] in truth.groups)


def _has(row: dict[str, str], truth: _Truth) -> bool:
    return any(label.startswith(start) for label in row["label"].split(";") for start in truth.labels)


def _canonical(url: str) -> str:
    try:
        return canonical(url)
    except UrlError:
        return url
