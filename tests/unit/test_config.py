"""clew.toml: defaults, errors that name file and setting, and a description for everything."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from clew.config import Settings, line_of, load, parse
from clew.errors import ConfigError


def settings_of(table: inspect.Type, path: str = "") -> list[tuple[str, inspect.Type]]:
    """(dotted name, type) of every setting in a table and the tables below it."""
    assert isinstance(table, inspect.StructType)
    found = []
    for field in table.fields:
        name = f"{path}{field.name}"
        if isinstance(field.type, inspect.StructType):
            found += settings_of(field.type, f"{name}.")
        else:
            found.append((name, field.type))
    return found


APART = ("strategy", "judge.tables", "judge.moved")

ALL = [pair for pair in settings_of(inspect.type_info(Settings)) if pair[0] not in APART]
"""Every setting but the tables of strategies and judges, which each of them checks itself."""


def numbers() -> list[tuple[str, inspect.IntType | inspect.FloatType]]:
    kinds = [(name, kind.type if isinstance(kind, inspect.Metadata) else kind) for name, kind in ALL]
    return [(name, kind) for name, kind in kinds if isinstance(kind, inspect.IntType | inspect.FloatType)]


def toml(name: str, value: str) -> str:
    table, _, setting = name.rpartition(".")
    return f"[{table}]\n{setting} = {value}\n"


# -- defaults ---------------------------------------------------------------------------------------------


def test_nothing_need_be_set() -> None:
    assert parse("") == Settings()


def test_the_defaults_people_rely_on() -> None:
    settings = Settings()
    assert settings.project.web == "live"
    assert settings.strategy == {"name": "clew"}
    assert (settings.judge.name, settings.judge.threshold) == ("auto", 0.5)
    assert (settings.crawl.max_pages, settings.crawl.session_pages, settings.crawl.duplicates) == (0, 200, "best")
    assert settings.politeness.delay_s >= 1.0
    assert settings.crawl.nofollow and not settings.web.live.allow_private
    assert settings.web.archive.closed
    assert settings.scope.schemes == ("http", "https")


def test_defaults_keep_their_own_bounds() -> None:
    plain = msgspec.to_builtins(Settings())
    assert msgspec.convert(plain, Settings) == Settings()


def test_what_is_set_is_what_is_read() -> None:
    settings = parse(
        "[crawl]\nmax_pages = 500\n[politeness]\ndelay_s = 2\n[interest.keywords]\nsailing = 1\n"
        '"Baltic Sea" = 0.5\n[web.live.resolve]\n"*.test" = "127.0.0.1"\n[strategy]\nname = "breadth-first"\n'
        '[scope]\nhosts = [".example.org"]\n'
    )
    assert settings.crawl.max_pages == 500
    assert settings.politeness.delay_s == 2.0
    assert settings.interest.keywords == {"sailing": 1.0, "Baltic Sea": 0.5}
    assert settings.web.live.resolve == {"*.test": "127.0.0.1"}
    assert settings.strategy == {"name": "breadth-first"}
    assert settings.scope.hosts == (".example.org",)
    assert settings.judge == Settings().judge


@given(st.integers(0, 10**9), st.floats(0, 1), st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])))
def test_values_come_through_unchanged(pages: int, threshold: float, name: str) -> None:
    quoted = msgspec.json.encode(name).decode()
    text = f"[project]\nname = {quoted}\n[judge]\nthreshold = {threshold!r}\n[crawl]\nmax_pages = {pages}\n"
    settings = parse(text)
    assert (settings.project.name, settings.judge.threshold, settings.crawl.max_pages) == (name, threshold, pages)


def test_settings_cannot_be_changed_by_accident() -> None:
    with pytest.raises(AttributeError):
        Settings().crawl.max_pages = 1  # type: ignore[misc]


# -- descriptions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), ALL, ids=[name for name, _ in ALL])
def test_every_setting_has_a_description(name: str, kind: inspect.Type) -> None:
    assert isinstance(kind, inspect.Metadata), f"{name} has no description"
    description = (kind.extra_json_schema or {}).get("description", "")
    assert description[:1].strip() and description.endswith("."), f"{name}: {description!r}"


def test_every_table_says_what_it_is() -> None:
    tables = [field.type for field in inspect.type_info(Settings).fields if isinstance(field.type, inspect.StructType)]
    assert len(tables) > 8
    for table in tables:
        assert (table.cls.__doc__ or "").startswith("[")


# -- errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[crawl]\nmax_pages = -1\n", ["[crawl] max_pages", ">= 0"]),
        ('[crawl]\nmax_pages = "many"\n', ["[crawl] max_pages", "int"]),
        ("[crawl]\npages = 5\n", ["[crawl] has no setting 'pages' (did you mean max_pages?); it has: contact"]),
        ("[crawler]\n", ["no setting 'crawler' (did you mean crawl?)"]),
        ("crawl = 3\n", ["[crawl] Expected a table"]),
        ('[crawl]\nduplicates = "beast"\n', ["[crawl] duplicates: 'beast' is none of: best, first, mean"]),
        ("[judge]\nthreshold = 1.5\n", ["[judge] threshold", "<= 1"]),
        ("[judge]\nthreshhold = 0.5\n", ["[judge] has no setting 'threshhold' (did you mean threshold?)"]),
        ("[judge]\nmoved = 1\n", ["[judge] has no setting 'moved'"]),
        ("[web.live.resolve]\nhost = 7\n", ["[web.live] resolve", "str"]),
        ('[interest.keywords]\nsailing = "much"\n', ["[interest] keywords", "float"]),
        ('[interest]\nsemantics = "fuzzy"\n', ["[interest] semantics: 'fuzzy' is none of: possibilistic, product"]),
        ("[scope]\nhosts = [1]\n", ["[scope] hosts[0]", "str"]),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(text: str, said: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "mytopic/clew.toml")
    message = str(caught.value)
    assert message.startswith("mytopic/clew.toml") and "docs/settings.md" in message
    assert all(part in message for part in said), message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("name", "kind"), numbers(), ids=[name for name, _ in numbers()])
def test_every_number_has_a_lower_bound_that_holds(name: str, kind: inspect.IntType | inspect.FloatType) -> None:
    bound = kind.ge if kind.ge is not None else kind.gt
    assert bound is not None, f"{name} accepts any number"
    with pytest.raises(ConfigError, match=name.rpartition(".")[2]):
        parse(toml(name, str(int(bound) - 1)))


def test_broken_toml_is_named_with_its_line() -> None:
    with pytest.raises(ConfigError, match=r"^clew\.toml is not valid TOML: .*line 2"):
        parse("[crawl]\nmax_pages = = 3\n")


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="clew init") as caught:
        load(tmp_path / "clew.toml")
    assert str(tmp_path / "clew.toml") in str(caught.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "clew.toml"
    path.write_bytes(b'[project]\nname = "R\xfcgen"\n')
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)


def test_a_file_is_read_as_its_text(tmp_path: Path) -> None:
    path = tmp_path / "clew.toml"
    path.write_text('[project]\nname = "Rügen"\n', encoding="utf-8")
    assert load(path) == parse('[project]\nname = "Rügen"\n')


LINES = """\
project.name = "p"
crawl = {max_pages = 3}

[interest.keywords]
"a.b" = 1.0
'c d' = 2.0
[ strategy . ariadne ]
text = '''
[crawl]
max_pages = 3
'''
focus = 1
[web.live]
resolve."x.test" = "127.0.0.1"
[[list]]
name = "x"
"""


@pytest.mark.parametrize(
    ("table", "setting", "line"),
    [
        ("[project]", "name", 1),
        ("[crawl]", "max_pages", 2),
        ("[crawl]", "", 2),
        ("[interest]", "keywords", 4),
        ("[strategy.ariadne]", "focus", 12),
        ("[strategy.ariadne]", "", 7),
        ("[strategy.ariadne]", "missing", 7),
        ("[web.live]", "resolve", 14),
        ("", "web", 13),
        ("[list]", "name", 16),
        ("[nowhere]", "name", 0),
        ("", "", 0),
    ],
)
def test_the_line_where_a_setting_stands(table: str, setting: str, line: int) -> None:
    assert line_of(LINES, table, setting) == line


@given(st.text(max_size=200), st.text(max_size=20), st.text(max_size=20))
def test_any_text_has_lines_for_what_is_in_it_only(text: str, table: str, setting: str) -> None:
    assert 0 <= line_of(text, table, setting) <= max(len(text.splitlines()), 0)
