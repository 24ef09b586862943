"""The documentation says what the code does: generated pages, links, layers, dependencies, strategies, judges."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

import click
import pytest

from clew.judges.registry import JUDGES
from clew.registry import PRESET, presets_of
from clew.strategies.registry import STRATEGIES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])

STRATEGY_PAGES = [f"strategies/{name}.md" for name in STRATEGIES.builtin]

MACHINE = re.compile(r"(?<![\w.:>)}*-])/(?:wo" + r"rk|ro" + r"ot|fa" + r"rm)/")
"""A path of the machine that Clew is developed on."""

REGISTRIES = re.compile("|".join(["py" + "pi", "python" + "hosted", "npm" + "js", "deb" + "ian"]) + r"\.(?:org|com)")


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def pyproject() -> dict[str, Any]:
    return tomllib.loads(text(ROOT / "pyproject.toml"))


@cache
def generator() -> ModuleType:
    """docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("clew_docs_generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prose(path: Path) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```", "", text(path), flags=re.M | re.S)


def sections(path: Path) -> list[str]:
    """The titles of a page's sections, of level 2."""
    return re.findall(r"^## (.+)$", prose(path), flags=re.M)


def anchors(path: Path) -> set[str]:
    """The fragments that a page's headings can be reached by."""
    titles = re.findall(r"^#+ (.+)$", prose(path), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


# -- generated pages --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["settings.md", "commands.md", "worlds.md", *STRATEGY_PAGES])
def test_a_generated_page_is_up_to_date(name: str) -> None:
    assert text(DOCS / name) == generator().PAGES[name](), f"docs/{name} is out of date: make docs"


def test_every_generated_page_is_checked() -> None:
    marks = test_a_generated_page_is_up_to_date.pytestmark  # type: ignore[attr-defined]
    assert set(marks[0].args[1]) == set(generator().PAGES)


def test_every_command_and_option_is_documented() -> None:
    page = text(DOCS / "commands.md")
    contexts = list(generator().commands())
    assert len(contexts) > 5
    for context in contexts:
        _, _, rest = page.partition(f"\n## {context.command_path}\n")
        assert rest, f"docs/commands.md has no section {context.command_path}"
        section = rest.partition("\n## ")[0]
        for parameter in context.command.get_params(context):
            names = parameter.opts if isinstance(parameter, click.Option) else [parameter.make_metavar(context)]
            missing = [name for name in names if name not in section]
            assert not missing, f"docs/commands.md, {context.command_path}: {missing}"


def command_lines(page: Path) -> Iterator[list[str]]:
    """The words of every ``clew`` command line in a page's code blocks and running text."""
    blocks = re.findall(r"^```\n(.*?)^```", text(page), flags=re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("clew ")]
    inline = re.findall(r"`(clew [^`]+)`", prose(page))
    return (shlex.split(line, comments=True) for line in [*lines, *(" ".join(one.split()) for one in inline)])


def test_command_lines_in_the_documentation_are_valid() -> None:
    options = {
        context.command_path.removeprefix("clew ") or "clew": {
            name for one in context.command.get_params(context) for name in one.opts
        }
        for context in generator().commands()
    }
    lines = [(page, words) for page in PAGES for words in command_lines(page)]
    assert sum(page.name == "README.md" for page, _ in lines) >= 6
    for page, words in lines:
        name = words[1] if not words[1].startswith(("-", "[")) else "clew"
        name = " ".join(words[1:3]) if " ".join(words[1:3]) in options else name
        assert name in options, f"{page.name}: {' '.join(words)}"
        unknown = {word for word in words[1:] if word.startswith("--")} - options[name]
        assert not unknown, f"{page.name}: {' '.join(words)}"


def test_settings_named_in_the_documentation_exist() -> None:
    known = {f"{table}.{name}" for table, names in tables(defaults()).items() for name in names}
    roots = "|".join(sorted({name.partition(".")[0] for name in known}))
    found = [(page, one) for page in PAGES for one in re.findall(rf"`((?:{roots})\.[a-z_.]+)[` ]", prose(page))]
    assert len(found) > 20
    assert not [(page.name, one) for page, one in found if one not in {*known, "crawl.db", "providers.sqlite"}]


def test_every_setting_has_a_row_in_its_table() -> None:
    page = text(DOCS / "settings.md")
    first, *rest = sections(DOCS / "settings.md")
    assert first == "The twelve that matter" and len(generator().MATTER) == 12
    assert set(rest) == {f"[{name}]" for name in tables(defaults())}
    for table, names in tables(defaults()).items():
        section = page.partition(f"\n## [{table}]\n")[2].partition("\n## ")[0]
        assert names == re.findall(r"^\| `(\w+)`", section, flags=re.M)


def defaults() -> dict[str, Any]:
    """All settings as plain nested values."""
    import msgspec

    from clew.config import Settings

    plain: dict[str, Any] = msgspec.to_builtins(Settings())
    del plain["judge"]["tables"], plain["judge"]["moved"]  # what stands in tables below
    for table, registry in (("strategy", STRATEGIES), ("judge", JUDGES)):
        for name in registry.builtin:
            own: dict[str, Any] = {PRESET: ""} if presets_of(registry.get(name)) else {}
            if (form := registry.settings_of(name)) is not None:
                own |= msgspec.to_builtins(form())
            if own:
                plain[table][name] = own
    return plain


def tables(values: dict[str, Any], path: str = "") -> dict[str, list[str]]:
    """Table names of clew.toml and their settings; a table-valued setting (which is empty) counts as a setting."""
    found = {name: value for name, value in values.items() if isinstance(value, dict) and value}
    own = [name for name in values if name not in found]
    result = {path: own} if own else {}
    for name, value in found.items():
        result |= tables(value, f"{path}.{name}" if path else name)
    return result


# -- strategies and judges --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(STRATEGIES.builtin))
def test_every_strategy_has_a_page(name: str) -> None:
    page = DOCS / "strategies" / f"{name}.md"
    assert page.is_file(), f"write {page.relative_to(ROOT)}"
    required = ["Citation", "Formulas", "Settings", "Departures", "Example"]
    assert sections(page) in (required, [*required, "Measured"])
    assert f"]({name}.md)" in text(DOCS / "strategies" / "README.md")


def test_every_page_of_a_strategy_has_a_strategy() -> None:
    assert {page.stem for page in (DOCS / "strategies").glob("*.md")} - {"README", "checklist"} == set(
        STRATEGIES.builtin
    )


@pytest.mark.parametrize("name", sorted(JUDGES.builtin))
def test_every_judge_has_a_section(name: str) -> None:
    assert name in sections(DOCS / "judges.md")


def test_every_strategy_is_kept_apart_from_the_others() -> None:
    (contract,) = (one for one in contracts() if one["type"] == "independence")
    modules = {f"clew.strategies.{name.replace('-', '_')}" for name in STRATEGIES.builtin}
    assert set(contract["modules"]) == modules


# -- architecture and decisions ---------------------------------------------------------------------------


def contracts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyproject()["tool"]["importlinter"]["contracts"]
    return found


def test_the_layers_of_the_documentation_are_those_that_are_enforced() -> None:
    (shown,) = re.findall(r"^```layers\n(.*?)\n```", text(DOCS / "architecture.md"), flags=re.M | re.S)
    (contract,) = (one for one in contracts() if one["type"] == "layers")
    assert shown == " > ".join(contract["layers"])


def test_every_room_is_described() -> None:
    page = text(DOCS / "architecture.md")
    rooms = {path.stem for path in (ROOT / "src" / "clew").iterdir() if not path.name.startswith(("_", "py.typed"))}
    table = page.partition("\n## Rooms\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]+)\|", table, flags=re.M)))) == rooms


def test_every_dependency_has_its_reason() -> None:
    project = pyproject()["project"]
    given = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.match(r"[\w.-]+", requirement)[0] for requirement in given}  # type: ignore[index]
    page = text(DOCS / "decisions" / "0004-dependencies.md")
    assert set(re.findall(r"^\| `([^`]+)` \| \w", page, flags=re.M)) == names


def test_every_decision_is_listed_and_complete() -> None:
    pages = [page for page in sorted((DOCS / "decisions").glob("*.md")) if page.name != "README.md"]
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        assert f"]({page.name})" in text(DOCS / "decisions" / "README.md")
        assert re.findall(r"^\*\*(\w+)\.\*\*", text(page), flags=re.M) == ["Context", "Decision", "Consequence"]


# -- constraints ------------------------------------------------------------------------------------------


def test_constraints_pin_every_dependency_exactly() -> None:
    lines = [line for line in text(ROOT / "constraints.txt").splitlines() if line and not line.startswith("#")]
    wrong = [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.+!]+", line)]
    assert not wrong
    pinned = {normal(line.partition("==")[0]) for line in lines}
    project = pyproject()["project"]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        assert normal(re.match(r"[\w.-]+", requirement)[0]) in pinned, requirement  # type: ignore[index]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# -- for readers who do not know our list of requirements -------------------------------------------------

OURS = re.compile(r"\b(?:CFC|BNG|ARI|APP|TUN|UNI)-\d|\bpapers/\d")
"""A requirement's number or a paper's place in our list: users are told author and year."""


def ours(named: Iterable[tuple[str, str]]) -> list[str]:
    """Where texts, given with what to call them, speak of our list."""
    return [f"{name}: {line.strip()[:120]}" for name, one in named for line in one.splitlines() if OURS.search(line)]


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Every text of a module that stands by itself: docstrings, also of attributes."""
    for node in ast.walk(ast.parse(text(path))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield f"{path.relative_to(ROOT)} line {node.lineno}", node.value.value


def test_pages_cite_by_author_and_year() -> None:
    pages = [page for page in PAGES if page != DOCS / "strategies" / "checklist.md"]
    assert len(pages) == len(PAGES) - 1
    assert not ours((str(page.relative_to(ROOT)), text(page)) for page in pages)


def test_help_texts_cite_by_author_and_year() -> None:
    assert not ours((context.command_path, context.get_help()) for context in generator().commands())


def test_descriptions_of_settings_cite_by_author_and_year() -> None:
    assert not ours((name, generator().PAGES[name]()) for name in ("settings.md", "worlds.md"))


def test_docstrings_cite_by_author_and_year() -> None:
    found = [one for path in sorted((ROOT / "src").rglob("*.py")) for one in docstrings(path)]
    assert len(found) > 1000
    assert not ours(found)


@pytest.mark.parametrize("line", ["as in AR" + "I-23", "(BN" + "G-19 to 23)", "after pape" + "rs/4 section 2"])
def test_the_search_for_our_numbers_finds_them(line: str) -> None:
    assert ours([("here", line)]) == [f"here: {line}"]


# -- links and files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        path = (page.parent / unquote(name)).resolve() if name else page
        assert path.exists() and path.is_relative_to(ROOT), f"{page.name}: {target} leads nowhere"
        if fragment:
            assert fragment in anchors(path), f"{page.name}: {target} names no heading"


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        names = re.findall(r"\]\(([^)\s#:]+\.md)", prose(page))
        todo += [(page.parent / name).resolve() for name in names]
    assert set(PAGES) <= reached


def tracked() -> Iterator[Path]:
    """Every file of the project that git has or would take in."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout")
    return (ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file())


def test_no_file_names_this_machine_or_a_package_registry() -> None:
    found, read = [], 0
    for path in tracked():
        try:
            lines = text(path).splitlines()
        except UnicodeDecodeError:
            continue
        read += 1
        for number, line in enumerate(lines, 1):
            if MACHINE.search(line) or REGISTRIES.search(line):
                found.append(f"{path.relative_to(ROOT)} line {number}: {line.strip()[:120]}")
    assert read > 50 and not found, "\n".join(found)


@pytest.mark.parametrize("line", ["see /wo" + "rk/x", '"/ro' + 'ot/.cache"', "https://py" + "pi.org/simple"])
def test_the_search_for_machine_paths_finds_them(line: str) -> None:
    assert MACHINE.search(line) or REGISTRIES.search(line)


def test_the_changelog_has_an_unreleased_section() -> None:
    assert sections(ROOT / "CHANGELOG.md")[0] == "Unreleased"
