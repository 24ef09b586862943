"""What the commands share: the project argument, spans of time, output."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from clew.registry import OWN, Registry
from clew.text.shown import json_text, shown_lines

UNITS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}

project_argument = click.argument("project", type=click.Path(path_type=Path, file_okay=False))
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object last, for scripts.")


class Span(click.ParamType[float]):
    """A span of time such as 90s, 30m, 2h, 1.5d; a bare number counts seconds."""

    name = "time"

    def __init__(self, positive: bool = False) -> None:
        self.positive = positive

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhdw]?)\s*", str(value).lower())
        if not found:
            self.fail(f"{value!r} is no span of time; write 90s, 30m, 2h or 30d", param, ctx)
        seconds = float(found[1]) * UNITS[found[2] or "s"]
        if self.positive and not seconds:
            self.fail("must be longer than nothing", param, ctx)
        return seconds


class NamedOption(click.Option):
    """An option that takes names of a registry, whose help names them all. They are looked up when the help is shown
    or a name is given, not when a command starts. ``several``: names parted by commas, or all."""

    def __init__(self, *args: Any, registry: Registry[Any], several: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, metavar=kwargs.pop("metavar", "NAMES" if several else "NAME"), **kwargs)
        self.registry, self.several = registry, several

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        about, self.help = self.help or "", f"{self.help}: {self.choices()}."
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = about

    def choices(self) -> str:
        """All names, and how a class of one's own is written."""
        names = [*(["all"] if self.several else []), *self.registry.forms()]
        return f"{', '.join(names)} or {OWN}"

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        found = super().process_value(ctx, value)
        if isinstance(found, str) and found:
            self.check(found)
        return found

    def check(self, value: str) -> None:
        """Raise ConfigError for a name that there is not. Nothing is imported."""
        if not self.several:
            self.registry.require(value)


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text, on standard error where asked. Whatever it quotes, nothing but line feeds reaches the terminal as a
    control character; texts from outside that must not begin a line go through ``shown`` first."""
    click.echo(shown_lines(text), err=err, nl=nl)


def say_over(text: str, *, last: bool) -> None:
    """Print a line over the one before, on standard error: how far something is; the ``last`` one stays."""
    click.echo(f"\r{shown_lines(text)}", err=True, nl=last)


def print_json(value: Any) -> None:
    """One line of JSON on standard output."""
    say(json_text(value))


def program() -> str:
    """How this program was called, ready to be typed again: clew, .venv/bin/clew, python -m clew.cli."""
    called = Path(sys.argv[0]) if sys.argv else Path("clew")
    if called.name == "__main__.py" and called.parent.name == "cli":
        return f"{shlex.quote(sys.executable)} -m clew.cli"
    if called.stem != "clew":  # a test, or a program that calls us
        return "clew"
    from shutil import which

    found = which("clew")
    on_path = found is not None and Path(found).resolve() == called.resolve()
    return "clew" if on_path else shlex.quote(str(called))


def next_command(*words: object) -> str:
    """A command line of Clew that works as it is printed: each word quoted where a shell needs it; a path that begins
    with a minus is no option."""
    safe = (f"./{word}" if isinstance(word, Path) and str(word).startswith("-") else str(word) for word in words)
    return " ".join((program(), *map(shlex.quote, safe)))
