"""The interest of a project, changed in clew.toml: the formula, and from which relevance on a page counts."""

from __future__ import annotations

import re

from clew.config import parse, quoted
from clew.errors import ConfigError, InputError
from clew.project.edits import editing, read, write
from clew.project.folder import SETTINGS, ProjectFolder
from clew.topics.interest import Interest, semantics_of


def interest_with(project: ProjectFolder, formula: str, threshold: float | None = None) -> Interest:
    """The interest of a project if its formula and threshold were these (None: as they are). Raises InputError."""
    settings = project.settings
    value = settings.judge.threshold if threshold is None else threshold
    if project.tree is None:
        if formula.strip():
            raise InputError(
                f"{project.path} has one topic only; a formula needs a tree: clew init --bookmarks, --taxonomy"
            )
        return Interest(threshold=value)
    semantics = semantics_of(settings.interest.semantics, settings.interest.weights)
    return Interest.of(project.tree, formula, value, settings.interest.exclude_from, semantics)


def save_interest(
    project: ProjectFolder, formula: str | None = None, threshold: float | None = None, known: str = ""
) -> None:
    """Write formula and threshold (None: as they are) into clew.toml, after a check. ``known``: the stamp of what the
    user saw. Raises InputError, ProjectError where the project was changed meanwhile."""
    with editing(project, known) as now:
        interest_with(now, now.settings.interest.formula if formula is None else formula, threshold)
        write({now.path / SETTINGS: with_interest(now, formula, threshold)})


def with_interest(project: ProjectFolder, formula: str | None, threshold: float | None = None) -> str:
    """The text of clew.toml with another formula and threshold. Raises InputError."""
    path = project.path / SETTINGS
    text = read(path) or ""
    if formula is not None:
        text = _with(text, "interest", "formula", quoted(formula))
    if threshold is not None:
        text = _with(text, "judge", "threshold", repr(float(threshold)))
    try:
        found = parse(text, str(path))
        same = formula in (None, found.interest.formula) and threshold in (None, found.judge.threshold)
    except ConfigError:
        same = False
    if not same:
        wanted = f"formula = {quoted(formula)} under [interest]" if formula is not None else "threshold under [judge]"
        raise InputError(f"{path} could not be changed safely: set {wanted} yourself")
    return text


def _with(text: str, table: str, name: str, value: str) -> str:
    """Settings with another value, in its table, which is added where it is missing."""
    entry = f"{name} = {value}"
    section = re.search(rf"(?m)^\[{table}\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)", text)
    if section is None:
        return f"{text.rstrip()}\n\n[{table}]\n{entry}\n"
    plain = "" if value.startswith('"') else r"(\s*#.*)?"  # a comment beside a formula tells of the old one
    pattern = rf"(?m)^{name}\s*=[^#\n]*?{plain}$" if plain else rf"(?m)^{name}\s*=.*$"
    body, found = re.subn(pattern, lambda line: entry + ((line[1] or "") if plain else ""), section[1])
    return text[: section.start(1)] + (body if found else f"{entry}\n{section[1]}") + text[section.end(1) :]
