"""Variants: strategies and judges with settings of their own, as users write them.

    best-first, apprentice(length=0), apprentice(preset=paper), my.module:Mine(share=0.5, words=["a", "b"])

Values are TOML; a word that stands bare is a string, and ``a.b=1`` sets b in the table a. A variant is called as it is
written. ``threshold`` of a judge is that of [judge], which all judges have; ``backlinks`` of a strategy says what the
lab takes for the answer who links to a page (``asking.BACKLINKS``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import msgspec

from clew.config import JudgeSettings
from clew.errors import ConfigError, InputError
from clew.judges.base import JudgeContext
from clew.judges.registry import JUDGES, settings_for
from clew.lab.asking import BACKLINKS, NONE
from clew.registry import Registry
from clew.section import checked
from clew.strategies.registry import STRATEGIES
from clew.strategies.registry import make as make_strategy
from clew.text.shown import json_text

ALL = "all"
_FORM = re.compile(r"([^()\s]+)\s*(?:\((.*)\))?", re.DOTALL)
_KEY = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_WORD = re.compile(r"(?!(?:true|false|inf|nan)\Z)[A-Za-z_][\w-]*")
_CLOSES = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Variant:
    """A strategy or judge with settings. ``name``: what rows call it; ``part``: its name in the registry;
    ``backlinks``: what the lab takes for back links, empty: as the plan says."""

    name: str
    part: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    backlinks: str = ""


def strategy_variants(text: str) -> tuple[Variant, ...]:
    """The strategies that ``text`` names, parted by commas. Raises InputError or ConfigError."""
    return _several(text, STRATEGIES)


def judge_variants(text: str) -> tuple[Variant, ...]:
    """The judges that ``text`` names. Raises InputError or ConfigError."""
    return _several(text, JUDGES)


def _several(text: str, registry: Registry[Any]) -> tuple[Variant, ...]:
    found: dict[str, Variant] = {}
    for written in split(text):
        for one in registry.names() if written == ALL else (written,):
            found.setdefault(one, variant(one, registry))
    if not found:
        raise InputError(f"name at least one {registry.kind}: all, or some of {', '.join(registry.names())}")
    return tuple(found.values())


def variant(text: str, registry: Registry[Any]) -> Variant:
    """One variant, checked: its class can be imported, and has such settings. Raises InputError or ConfigError."""
    matched = _FORM.fullmatch(text.strip())
    if not matched:
        raise InputError(f"{registry.kind} {text!r} is not understood; write NAME or NAME(setting=value, ...)")
    settings: dict[str, Any] = {}
    for item in split(matched[2] or ""):
        key, is_given, value = (part.strip() for part in item.partition("="))
        if not is_given or not _KEY.fullmatch(key):
            raise InputError(f"{text}: {item!r} is no setting; write {matched[1]}(setting=value, ...)")
        _put(settings, key.split("."), _value(value, text), text)
    return check(Variant(text.strip(), matched[1], settings), registry)


def check(one: Variant, registry: Registry[Any]) -> Variant:
    """The variant itself. Raises ConfigError for what is wrong with it, before anything is run."""
    registry.get(one.part)
    try:
        if registry is STRATEGIES:
            one = _asking(one)
            make_strategy(one.part, one.settings)
        else:
            judge_settings(one)
            full_settings(one, registry)
    except InputError as error:
        raise ConfigError(f"{one.name}: {error}") from error
    return one


def _asking(one: Variant) -> Variant:
    """The variant without the setting ``backlinks``, which is the lab's unless the strategy has one of its own."""
    if "backlinks" not in one.settings or _has(STRATEGIES, one.part, "backlinks"):
        return one
    how = one.settings["backlinks"]
    if how not in BACKLINKS:
        raise ConfigError(f"backlinks = {how!r} is none of {', '.join(BACKLINKS)}; see docs/lab.md")
    return replace(one, settings={k: v for k, v in one.settings.items() if k != "backlinks"}, backlinks=how)


def without_backlinks(one: Variant) -> Variant:
    """The same strategy where nobody answers who links to a page: NAME(backlinks=none)."""
    head, inside, settings = one.name, "", _FORM.fullmatch(one.name)
    if settings is not None and settings[2] is not None:
        head, inside = settings[1], settings[2].strip()
    return replace(one, name=f"{head}({', '.join([*([inside] if inside else []), 'backlinks=none'])})", backlinks=NONE)


def _has(registry: Registry[Any], part: str, setting: str) -> bool:
    form = registry.settings_of(part)
    return form is not None and setting in {each.encode_name for each in msgspec.structs.fields(form)}


def judge_settings(one: Variant) -> JudgeSettings:
    """The table [judge] for a variant of a judge. Raises ConfigError."""
    own = dict(one.settings)
    is_shared = "threshold" in own and not _has(JUDGES, one.part, "threshold")
    shared = {"threshold": own.pop("threshold")} if is_shared else {}
    return checked(
        JudgeSettings,
        {"name": one.part, **shared, "tables": {one.part: own} if own else {}},
        "[judge]",
        "docs/judges.md",
    )


def full_settings(one: Variant, registry: Registry[Any]) -> str:
    """All settings that count, those by default too, as JSON, with the name of the part. Raises ConfigError."""
    values: dict[str, Any] = {"name": one.part}
    if registry is JUDGES:
        table = judge_settings(one)
        values["threshold"] = table.threshold
        found = settings_for(one.part, JudgeContext(settings=table))
    else:
        found = registry.settings(one.part, one.settings)
    return json_text(values | (msgspec.to_builtins(found) if found is not None else {}))


def split(text: str) -> list[str]:
    """The parts of a list parted by commas, but for commas in brackets and strings. Raises InputError."""
    places = [-1, *_commas(text), len(text)]
    parts = (text[start + 1 : end].strip() for start, end in pairwise(places))
    return [part for part in parts if part]


def _commas(text: str) -> Iterator[int]:
    """Where commas stand outside all brackets and strings."""
    open_: list[str] = []
    quote, escaped = "", False
    for place, c in enumerate(text):
        if quote:
            quote = "" if c == quote and not escaped else quote
            escaped = c == "\\" and quote == '"' and not escaped
        elif c in "\"'":
            quote, escaped = c, False
        elif c in _CLOSES:
            open_.append(_CLOSES[c])
        elif c in _CLOSES.values():
            if not open_ or open_.pop() != c:
                raise InputError(f"{text}: there is a {c} too many at character {place + 1}")
        elif c == "," and not open_:
            yield place
    if quote or open_:
        raise InputError(f"{text}: {quote or open_[-1]} is missing at its end")


def _value(text: str, where: str) -> Any:
    if _WORD.fullmatch(text):
        return text
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where}: {text or 'nothing'} is no TOML value ({error}); put texts in quotes") from error
    if set(found) != {"value"}:
        raise InputError(f"{where}: {text!r} is more than a value")
    return found["value"]


def _put(settings: dict[str, Any], path: list[str], value: Any, where: str) -> None:
    """Set a value in a table of tables."""
    for name in path[:-1]:
        settings = settings.setdefault(name, {})
        if not isinstance(settings, dict):
            raise InputError(f"{where}: {name} is set twice")
    if path[-1] in settings:
        raise InputError(f"{where}: {path[-1]} is set twice")
    settings[path[-1]] = value
