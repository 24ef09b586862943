"""What the commands share: the project argument, spans of time, output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import msgspec

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


def print_json(value: Any) -> None:
    """One line of JSON on standard output."""
    click.echo(msgspec.json.encode(value).decode())
