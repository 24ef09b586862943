"""Parts of a crawl by name: those that come with Clew, those of installed packages, and ``package.module:Class``.

A registry knows the names of its built-in parts and a line about each; a class is imported when somebody asks for it,
since a crawl uses one strategy and one judge and pays for the start of no other. Installed packages add parts by an
entry point in the registry's group. They are looked up when a name is not built in, or when all names are wanted.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from clew.errors import ConfigError
from clew.section import Section, checked, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

OWN = "package.module:Class"
"""How users name a class of their own."""

NOTHING: Mapping[str, Any] = {}

PRESET = "preset"
"""The key of a part's table that names settings to begin with: one of the ``presets`` of its class."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A built-in part: where its class is, ``package.module:Class``; a line about it; how it is written, if not by its
    name alone."""

    where: str
    summary: str
    form: str = ""


class Registry(Generic[T]):
    """The parts of one kind. ``group``: the group of their entry points; ``contract``: the class they all fulfil;
    ``table``: their table of clew.toml, ``page``: the page of docs/ about a built-in one, both with {name} in them."""

    def __init__(
        self,
        kind: str,
        group: str,
        contract: type[T],
        builtin: Mapping[str, Entry],
        *,
        table: str = "",
        page: str = "",
    ) -> None:
        self.kind = kind
        self.group = group
        self.contract = contract
        self.builtin = dict(builtin)
        self.table = table or f"{kind} {{name}}"
        self.page = page
        self.added: dict[str, Callable[..., T]] = {}

    # -- names --------------------------------------------------------------------------------------------

    def names(self) -> tuple[str, ...]:
        """All names: the built-in ones in their order, then those that were added, then those of installed packages."""
        return tuple(dict.fromkeys([*self.builtin, *self.added, *self._installed()]))

    def summaries(self) -> dict[str, str]:
        """A line about each part. Nothing is imported for it."""
        lines = {name: entry.summary for name, entry in self.builtin.items()}
        for name in self.added:
            lines.setdefault(name, "added by this program")
        for name, point in self._installed().items():
            lines.setdefault(name, f"of the package {point.dist.name if point.dist is not None else point.value}")
        return lines

    def forms(self) -> tuple[str, ...]:
        """How each part is written, as in archive:FILE."""
        return tuple(self.builtin[name].form or name if name in self.builtin else name for name in self.names())

    def __contains__(self, name: object) -> bool:
        """Whether there is a part of that name. A class of the user's own counts by how it is written."""
        return isinstance(name, str) and (self._is_quick(name) or ":" in name or name in self._installed())

    def _is_quick(self, name: str) -> bool:
        """Whether a name is known without looking at installed packages."""
        return name in self.added or name in self.builtin

    def _installed(self) -> dict[str, EntryPoint]:
        """Entry points by name; of two with one name the first counts."""
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            found.setdefault(point.name, point)
        return found

    def require(self, name: str) -> None:
        """Raise ConfigError for a name that there is not. Nothing is imported."""
        if name not in self:
            raise ConfigError(
                f"there is no {self.kind} {name!r}{did_you_mean(name, self.names())}; "
                f"choose one of: {', '.join(sorted(self.forms()))}, or {OWN}"
            )

    # -- classes ------------------------------------------------------------------------------------------

    def add(self, name: str, part: Callable[..., T]) -> None:
        """Enter a class (or what makes a part) under a name, in this process: for scripts and notebooks."""
        self.added[name] = part

    def get(self, name: str) -> Callable[..., T]:
        """The class of a part. Raises ConfigError when there is none, or it cannot be imported or used."""
        if name in self.added:
            return self.added[name]
        if name in self.builtin:
            return self._checked(name, self._imported(name, self.builtin[name].where))
        self.require(name)
        if ":" in name:
            _make_current_folder_importable()
            return self._checked(name, self._imported(name, name))
        point = self._installed()[name]
        return self._checked(name, self._imported(name, point.value.partition("[")[0].strip()))

    def _imported(self, name: str, where: str) -> Any:
        module, _, wanted = where.partition(":")
        try:
            found = import_module(module)
        except Exception as error:
            why = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
            raise ConfigError(
                f"{self.kind} {name}: the module {module} cannot be imported ({why})"
                f"{did_you_mean(module, self.names())}; it must lie in the current folder or be installed, and be "
                f"written {OWN}"
            ) from error
        if not hasattr(found, wanted):
            classes = [
                one for one, value in vars(found).items() if isinstance(value, type) and value.__module__ == module
            ]
            raise ConfigError(
                f"{self.kind} {name}: the module {module} has no class {wanted!r}{did_you_mean(wanted, classes)}; "
                f"it has: {', '.join(sorted(classes)) or 'none'}"
            )
        return getattr(found, wanted)

    def _checked(self, name: str, found: Any) -> Callable[..., T]:
        """A class that fulfils the contract. Raises ConfigError saying what is missing."""
        wanted = f"{self.contract.__module__}.{self.contract.__name__}"
        if not isinstance(found, type):
            raise ConfigError(f"{self.kind} {name}: {found!r} is no class; give a subclass of {wanted}")
        if not issubclass(found, self.contract):
            methods = ", ".join(_abstract(self.contract))
            raise ConfigError(
                f"{self.kind} {name}: the class {found.__name__} is no subclass of {wanted}; derive it from that"
                + (f" and give it {methods}" if methods else "")
            )
        if missing := _abstract(found):
            raise ConfigError(f"{self.kind} {name}: the class {found.__name__} lacks {', '.join(missing)}; add that")
        return found

    def classes(self) -> dict[str, type[T]]:
        """The built-in classes by the names of the classes, all imported."""
        found = (self.get(name) for name in self.builtin)
        return {one.__name__: one for one in found if isinstance(one, type)}

    def class_called(self, module: str, name: str) -> Callable[..., T]:
        """The built-in class of that name, for ``__getattr__`` of ``module``. Raises AttributeError."""
        for entry, one in self.builtin.items():
            if one.where.endswith(f":{name}"):
                return self.get(entry)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    # -- settings -----------------------------------------------------------------------------------------

    def settings_of(self, name: str) -> type[Section] | None:
        """The settings that a part has, its nested class ``Settings``; None when it has none."""
        return settings_of(self.get(name))

    def settings(self, name: str, given: Mapping[str, Any]) -> Section | None:
        """The part's settings as its table of clew.toml gives them. Raises ConfigError naming the setting."""
        return self._settings(name, self.get(name), given)

    def _settings(self, name: str, part: Callable[..., T], given: Mapping[str, Any]) -> Section | None:
        table, form = self.table.format(name=name), settings_of(part)
        page = self.page.format(name=name) if name in self.builtin else ""
        presets = presets_of(part)
        given = _with_preset(presets, given, table, page)
        if form is not None:
            return checked(form, given, table, page, also=[PRESET] if presets else ())
        if given:
            raise ConfigError(f"{table} has no settings, but {', '.join(sorted(given))} is set: remove that")
        return None

    # -- parts --------------------------------------------------------------------------------------------

    def make(self, part: str | Callable[..., T] | T, settings: Mapping[str, Any] = NOTHING, *context: Any) -> T:
        """A part: by name, as a class, or as an object, which is taken as it is. ``settings``: its table of clew.toml.

        The class is called with ``context`` and then, if it has any, with its settings. Raises ConfigError.
        """
        if not isinstance(part, str | type):
            return self._taken(part, settings)
        kind = self.get(part) if isinstance(part, str) else self._checked(part.__name__, part)
        name = part if isinstance(part, str) else part.__name__
        found = self._settings(name, kind, settings)
        arguments = (*context, found) if found is not None else context
        self._check_call(name, kind, arguments)
        return kind(*arguments)

    def _taken(self, part: Any, settings: Mapping[str, Any]) -> T:
        self._checked(type(part).__name__, type(part))
        if settings:
            raise ConfigError(
                f"settings of the {self.kind} {type(part).__name__} belong to where it is made: it is an object"
            )
        found: T = part
        return found

    def _check_call(self, name: str, kind: Callable[..., T], arguments: tuple[Any, ...]) -> None:
        if name in self.builtin:
            return
        from inspect import signature

        try:
            signature(kind).bind(*arguments)
        except TypeError as error:
            given = ", ".join(type(one).__name__ for one in arguments) or "nothing"
            raise ConfigError(
                f"{self.kind} {name}: it is made from {given}, and takes something else ({error})"
            ) from None
        except ValueError:  # it has no signature that can be read
            return

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())


def settings_of(part: object) -> type[Section] | None:
    """The nested class ``Settings`` of a class; None when it has none."""
    found = getattr(part, "Settings", None)
    return found if isinstance(found, type) and issubclass(found, Section) else None


def presets_of(part: object) -> Mapping[str, Mapping[str, Any]]:
    """The presets of a class by name, its attribute ``presets``; none when it has no such attribute."""
    found = getattr(part, "presets", None)
    return found if isinstance(found, Mapping) else NOTHING


def _with_preset(
    presets: Mapping[str, Mapping[str, Any]], given: Mapping[str, Any], table: str, page: str
) -> Mapping[str, Any]:
    """A table with the settings of the preset that it names; those given beside it win. Raises ConfigError."""
    if not presets or PRESET not in given:
        return given
    wanted, rest = given[PRESET], {name: value for name, value in given.items() if name != PRESET}
    if not isinstance(wanted, str) or wanted not in presets:
        raise ConfigError(
            f"{table} has no preset {wanted!r}{did_you_mean(str(wanted), presets)}; it has: {', '.join(presets)}"
            + (f"; see {page}" if page else "")
        )
    return {**presets[wanted], **rest}


def name_of(part: type) -> str:
    """The name of a class as users write names: MyOwnJudge is my-own-judge."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", "-", part.__name__).strip("-").lower()


def _abstract(part: type) -> list[str]:
    """The methods that a class still has to give."""
    return sorted(getattr(part, "__abstractmethods__", ()))


def _make_current_folder_importable() -> None:
    """As ``python -m`` does. Worker processes are started with our path, so they find the module too."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
