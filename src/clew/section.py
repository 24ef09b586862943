"""A table of settings: its base class, the description of each setting, and the one function that checks them.

Apart from ``clew.config``, since worker processes need the settings of a judge and not all of clew.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from clew.errors import ConfigError


def doc(text: str, **bounds: Any) -> Meta:
    """A setting's description and bounds."""
    return Meta(description=text, **bounds)


class Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of clew.toml: unknown settings are refused by name."""


S = TypeVar("S", bound=Section)


def checked(
    form: type[S], given: Mapping[str, Any], table: str, page: str = "", origin: str = "", also: Sequence[str] = ()
) -> S:
    """Settings of one table, or of tables within tables. ``table``: as users write it, [strategy.ariadne]; ``page``:
    where its settings are described; ``also``: what users may set in it besides. Raises ConfigError naming table and
    setting, and the choices there are."""
    see = f"; see {page}" if page else ""
    try:
        return msgspec.convert(dict(given), form)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `")
        names = _names(path.rstrip("`"))
        where, setting, kind = _placed(form, names, table)
        if found := re.search(r"unknown field `(.*)`", text):
            unknown, known = found[1], [one.encode_name for one in msgspec.structs.fields(kind)]
            known = [*also, *(one for one in known if one not in ("tables", "moved"))]
            text = f"has no setting {unknown!r}{did_you_mean(unknown, known)}; it has: {', '.join(known)}"
            raise ConfigError(f"{origin}{where or 'it'} {text}{see}", where, unknown) from None
        if found := re.search(r"missing required field `(.*)`", text):
            raise ConfigError(f"{origin}{where or 'it'} needs the setting {found[1]!r}{see}", where) from None
        text = text.replace("Expected `object`", "Expected a table")
        if found := re.search(r"Invalid enum value '(.*)'", text):
            text = f"{found[1]!r} is none of: {', '.join(_choices(kind, setting))}"
        raise ConfigError(
            f"{origin}{where}{' ' if where else ''}{setting}{': ' if setting else ''}{text}{see}", where, setting
        ) from None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The names that are like one that is wrong, for error messages; "" when none is."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 2)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def _names(path: str) -> list[str]:
    """$.crawl.max_pages -> crawl, max_pages; places in lists and keys of tables stay with their setting."""
    return [name for name in path.removeprefix("$").replace("[...]", "").split(".") if name]


def _placed(form: type[Section], names: list[str], table: str) -> tuple[str, str, type[Section]]:
    """Where a path leads: the table as users write it, the setting in it, and the form of that table."""
    inner: list[str] = []
    while names:
        kind = _kind(form, names[0])
        if not (isinstance(kind, type) and issubclass(kind, Section)):
            break
        form = kind
        inner.append(names.pop(0))
    if inner:
        table = f"[{'.'.join([*([table.strip('[]')] if table else []), *inner])}]"
    return table, ".".join(names), form


def _kind(form: type[Section], setting: str) -> Any:
    """The type of a setting, without its description."""
    return _plain(next((one.type for one in msgspec.structs.fields(form) if one.encode_name == setting), None))


def _plain(kind: Any) -> Any:
    return kind.__origin__ if hasattr(kind, "__metadata__") else kind


def _choices(form: type[Section], setting: str) -> tuple[str, ...]:
    """The values that a setting of names may have."""
    kind = _kind(form, re.sub(r"\[.*", "", setting))
    while kind is not None and get_origin(kind) is not Literal:
        kind = _plain(next(iter(get_args(kind)), None))
    return get_args(kind)
