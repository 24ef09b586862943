"""Writes the pages of docs/ that are made from the code (``make docs``): settings.md, commands.md, parts of worlds.md
and of the pages of strategies.

The code is the one source: a setting's description stands in ``clew.config`` or in the ``Settings`` of the strategy or
judge whose it is, an option's in its command, and the registries know all names.
``tests/unit/test_docs.py`` fails when a page differs from what this script makes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Any

import click
import msgspec
from msgspec import inspect

from clew.cli.main import main
from clew.config import Settings
from clew.crawl.running import CrawlResult
from clew.export.collection import ALL_FIELDS
from clew.export.summary import Summary
from clew.judges.registry import JUDGES
from clew.registry import OWN, PRESET, Registry, presets_of
from clew.strategies.registry import STRATEGIES
from clew.web.simulated import describe

DOCS = Path(__file__).parent

SETTINGS_INTRO = """\
# Settings

*Made from `src/clew/config.py` by `make docs`; edit the descriptions there.*

A project's `clew.toml` holds these tables. Every setting may be left out. Units stand in the names: `_s` seconds,
`_bytes` bytes. An unknown setting or a value out of range is refused with file, line and the nearest name. Options of
[`clew crawl`](commands.md#clew-crawl) win over the file for one run.

## The twelve that matter

Most crawls need no others. All settings, table by table, stand [behind them](#project).

"""

MATTER = {
    "crawl.contact": "Always in a live crawl: it does not start without.",
    "project.web": "To crawl an archive, a folder or a made web instead of the live one.",
    "interest.formula": "With topics: which of them you want, and which you do not. "
    "`clew topics PROJECT --interest` writes it.",
    "judge.threshold": "Higher for fewer and surer pages, lower for more; `clew label` often helps more.",
    "strategy.name": "To compare: `clew lab` tells which one suits your topic.",
    "crawl.max_pages": "How long the crawl may go on, in pages.",
    "stop.relevant_pages": "How long it may go on, in pages that you want.",
    "crawl.host_budget": "When single hosts give too much of the collection.",
    "scope.hosts": "To stay on sites that you know.",
    "scope.exclude_hosts": "To leave out sites that you do not want.",
    "politeness.delay_s": "Longer for small hosts; shorter only for hosts of your own.",
    "crawl.hosts_at_once": "Fewer on a small machine or line, more for a wide crawl.",
}
"""The settings that most people change, and when."""

PRESETS_INTRO = """
A strategy's own settings can all be set at once: `preset` in its table names those to begin with.

| strategy | presets | its settings |
|---|---|---|
"""

STRATEGY_SECTION = """\
## [strategy]

Where to go next. The table `[strategy.NAME]` is for settings of one strategy; its page under
[strategies/](strategies/README.md) lists them. Its key `preset` names settings to begin with: `"paper"` those of the
paper that the strategy comes from. Single settings beside it win.

| setting | type | default | meaning |
|---|---|---|---|
"""

COMMANDS_INTRO = """\
# Commands

*Made from the command line itself by `make docs`; edit the help texts in `src/clew/cli/`.*

Exit codes: 0 done, 1 the job failed, 2 the input is wrong (an option, a file, a line, a URL; the message names it).
Results go to standard output, progress and notes to standard error. With `--json` the last line of standard output
is one JSON object. A span of time is a number with a unit: `90s`, `30m`, `2h`, `30d`, `1w`; a bare number counts
seconds. A web is one of `live`, `archive:FILE.warc.gz`, `folder:DIR` and `sim:pages=100000,seed=7`; see
[worlds.md](worlds.md). What `clew crawl --log` writes stands in [logs.md](logs.md).
"""

MEANINGS = {
    "fetched": "requests for pages, in the whole project: pages, redirects, failures, tries that were repeated",
    "relevant": "pages in the whole project that were judged relevant",
    "harvest_rate": "relevant / fetched: how much is *judged relevant*, which is the judge's opinion",
    "window_rate": "the same over the last 200 visits",
    "frontier": "URLs found and not fetched yet",
    "stopped_by": "what ended the run: `frontier` (no link left), `outage` (nothing answers), `max_pages`, `for`, "
    "`interrupted`, or the name of a [stop setting](settings.md#stop)",
    "seconds": "wall-clock seconds of this run",
    "cpu_ms_per_page": "CPU milliseconds of all of Clew's processes in this run, divided by `fetched_now`",
    "fetched_now": "the part of `fetched` that this run added",
    "failed": "visits that brought no page: HTTP errors, time-outs, broken connections, limits",
    "redirects": "visits that were answered with another URL",
    "refused": "links never asked for: robots.txt, the address guard, the scope; they cost nothing",
    "absent": "links whose page an archive or folder lacks; they cost nothing",
    "robots_requests": "requests for robots.txt; counted apart",
    "best_waited": "how often, in this run, a better link than the one taken had to wait for its host",
    "strategy": "the strategy of this run",
    "judge": "the judge of this run",
    "web": "where pages came from",
    "silent_hosts": "hosts that did not answer as they should, or have no address, and were not waited for any longer",
    "silent_links": "the part of `frontier` that waits on them; the next run asks for it again",
    "why_nothing": "why nothing was fetched at all, a line a seed; empty when anything was",
    "hosts": "hosts visited",
    "sessions": "sessions that ended",
    "bytes": "bytes of page bodies, decoded",
    "estimated_precision": "of the relevant pages, the share that the judge expects to be so; null where it tells none",
    "estimated_low": "the same, where its interval of 90 % begins",
    "estimated_high": "the same, where its interval of 90 % ends",
    "labelled_precision": "the same by labels on pages drawn at random (`clew label --uncertain`); null without any",
    "labelled_low": "the same, where its interval of 90 % begins (Wilson's)",
    "labelled_high": "the same, where its interval of 90 % ends",
    "labelled_pages": "so many labels tell it; from 10 on they are believed rather than the judge",
    "judges": "how often the judge was replaced in this run, and all pages judged again",
    "turned": "how many verdicts that changed, relevant to not or back",
    "outages": "how often nothing answered in this run",
    "outage_s": "for how many seconds, in all",
    "hosts_rested": "hosts that did not answer as they should in this run, and were left alone for a while",
    "hosts_back": "those of them that answered again",
    "seeds_lost": "seeds of the project that gave no page, and why, a line each",
    "documents": "documents in the collection that inherit from relevant pages; not among the relevant",
    "last_fetch": "when the last page was fetched, ISO 8601 in UTC",
}
"""What the fields of --json mean."""

EXPORTED = {
    "url": "canonical URL",
    "status": "HTTP status; 0 where nothing was received",
    "relevance": "0 to 1, with nine decimals; empty where no page was judged",
    "relevant": "whether the page is one that was wanted",
    "depth": "links from the seeds",
    "fetched_at": "ISO 8601 in UTC",
    "title": "title of the page",
    "language": "language of the page, as declared or guessed",
    "content_type": "content type of the answer",
    "outcome": "`ok`, `redirect`, `failed`, or `listed`: a document that was not fetched (`crawl.documents`)",
    "reason": "why there is no page, or why it is not relevant, in words",
    "score": "score of the link when it was taken",
    "source": "URL of the page the link stood on; empty for seeds",
    "tunnel": "irrelevant pages since the last relevant one on the way there",
    "bytes": "bytes of the body, decoded",
    "digest": "SHA-1 of the decoded body, base 32",
    "number": "number of the visit, in the order of fetching",
    "warc_file": "file under `archive/` that holds the page; empty if none",
    "warc_offset": "where its response record begins in that file, in bytes",
    "duplicate_of": "URL of the page that this one repeats, empty for none",
    "topic": "the topic that it is most about, `other` for none of them; empty where nothing was judged",
    "inherited_from": "URL of the page from which a document that was not read has relevance and topic, else empty",
    "host": "host of the URL; only where it is named in `--fields`",
    "date": "ISO 8601 day on which the page says it was published, or else changed; with `--text main`",
    "author": "who the page says wrote it; with `--text main`",
    "text": "the text, a paragraph a line; empty where none is kept; with `--text main` or `full`",
    "text_kind": "`main`, `full` (asked for, or no main text was found) or `none`; likewise",
}
"""What the fields of an export mean."""

SEARCHED = {
    "query": "what was searched for",
    "hits": "the pages found, best first",
    "pages": "pages that were searched",
    "textless": "those of them whose text is not kept: title and URL were searched",
    "behind": "visits that came after the last update of the index",
    "ms": "milliseconds of the search alone",
    "notes": "what a user should know of the answer",
}
"""What the fields of `clew search --json` mean."""

HITS = {
    **{name: EXPORTED[name] for name in ("url", "title", "relevance", "relevant", "topic", "language")},
    "date": "ISO 8601 day that the page says, empty where it says none",
    "author": "who the page says wrote it",
    "fetched_at": EXPORTED["fetched_at"],
    "number": EXPORTED["number"],
    "score": "BM25 × (1 + relevance)",
    "snippet": "the piece of the text that has most of the words",
    "marks": "[start, end] of each of them in the snippet, in characters",
}
"""What the fields of a hit mean."""

RESULTS: dict[str, type] = {"crawl": CrawlResult, "status": Summary}
"""Commands whose --json prints the fields of a dataclass."""

# -- settings ---------------------------------------------------------------------------------------------


def settings_page() -> str:
    """docs/settings.md."""
    return "\n".join([SETTINGS_INTRO + _twelve(), *_sections("", inspect.type_info(Settings))])


def _twelve() -> str:
    """The settings that matter, in a table of their own, and the presets of strategies."""
    rows = "".join(_row(*_at_a_glance(name), when) for name, when in MATTER.items())
    presets = "".join(_row(*_presets_at_a_glance(name)) for name in STRATEGIES.builtin)
    return f"| setting | default | what it says | change it |\n|---|---|---|---|\n{rows}{PRESETS_INTRO}{presets}"


def _at_a_glance(name: str) -> tuple[str, str, str]:
    """A setting as a link to its table, its default and its description."""
    table, _, setting = name.rpartition(".")
    link = f"[`[{table}]`](#{table}) `{setting}`"
    if name == "strategy.name":
        return link, f"`{_toml(Settings().strategy_name)}`", "Which link comes next."
    kind = inspect.type_info(type(getattr(Settings(), table)))
    assert isinstance(kind, inspect.StructType)
    field = next(one for one in kind.fields if one.name == setting)
    return link, f"`{_toml(_default(field))}`", described(field.type)[1]


def _presets_at_a_glance(name: str) -> tuple[str, str, str]:
    presets = ", ".join(f"`{preset}`" for preset in presets_of(STRATEGIES.get(name)))
    has = STRATEGIES.settings_of(name) is not None or presets
    return f"[{name}](strategies/{name}.md)", presets or "–", f"[below](#strategy{name})" if has else "–"


def _sections(path: str, table: inspect.Type) -> Iterator[str]:
    """A section for each table of clew.toml, in the order of ``Settings``."""
    assert isinstance(table, inspect.StructType)
    for field in table.fields:
        name = f"{path}.{field.name}" if path else field.name
        if name == "strategy":
            yield _strategy_section()
            yield from _sections_of(STRATEGIES, "strategy", "strategies/{name}.md")
        elif isinstance(field.type, inspect.StructType):
            if rows := [_judge_row(), *list(_rows(field.type))[1:]] if name == "judge" else list(_rows(field.type)):
                yield _section(name, field.type, rows)
            yield from _sections(name, field.type)
        if name == "judge":
            yield from _sections_of(JUDGES, "judge", "judges.md#{name}")


def _section(name: str, table: inspect.StructType, rows: Iterable[str]) -> str:
    _, _, about = (table.cls.__doc__ or "").partition("]")
    intro = f"{_sentence(about.strip(' :,'))}\n\n" if about.strip(" :,") else ""
    head = "| setting | type | default | meaning |\n|---|---|---|---|\n"
    return f"## [{name}]\n\n{intro}{head}" + "".join(rows)


def _rows(table: inspect.StructType) -> Iterator[str]:
    for field in table.fields:
        if not isinstance(field.type, inspect.StructType):
            kind, description = described(field.type)
            if not description:  # what is no setting, such as the tables of judges
                continue
            yield _row(f"`{field.name}`", _kind(kind), f"`{_toml(_default(field))}`", description)


def _judge_row() -> str:
    lines = JUDGES.summaries()
    named = "; ".join(f"[{name}](judges.md#{name}): {lines[name]}" for name in JUDGES.builtin)
    return _row("`name`", "text", f"`{_toml(Settings().judge.name)}`", f"{named}; or `{OWN}` for one of your own.")


def _strategy_section() -> str:
    default = Settings().strategy["name"]
    lines = STRATEGIES.summaries()
    named = "; ".join(f"[{name}](strategies/{name}.md): {lines[name]}" for name in STRATEGIES.builtin)
    meaning = f"{named}; or `{OWN}` for one of your own."
    return STRATEGY_SECTION + _row("`name`", "text", f"`{_toml(default)}`", meaning)


def _sections_of(registry: Registry[Any], table: str, page: str) -> Iterator[str]:
    """A section for each strategy or judge that has settings."""
    for name in registry.builtin:
        rows = list(_preset_rows(registry, name, page.format(name=name)))
        if (form := registry.settings_of(name)) is not None:
            found = inspect.type_info(form)
            assert isinstance(found, inspect.StructType)
            rows += _rows(found)
        if rows:
            head = f"## [{table}.{name}]\n\nSee [{name}]({page.format(name=name)}).\n\n"
            columns = "| setting | type | default | meaning |\n|---|---|---|---|\n"
            yield head + columns + "".join(rows)


def _preset_rows(registry: Registry[Any], name: str, page: str) -> Iterator[str]:
    """The row of ``preset``: what each preset sets other than the default."""
    if presets := presets_of(registry.get(name)):
        lists = (f"`{preset}`: {_differences(registry, name, preset)}" for preset in presets)
        meaning = f"Settings to begin with; what is set beside it wins. {'; '.join(lists)}."
        yield _row(f"`{PRESET}`", f"one of {', '.join(f'`{preset}`' for preset in presets)}", "–", meaning)


def _differences(registry: Registry[Any], name: str, preset: str) -> str:
    rows = _of_preset(registry, name, preset)
    changed = [f"`{setting} = {_toml(new)}`" for setting, old, new in rows if old != new]
    return ", ".join(changed) or "the defaults"


def _of_preset(registry: Registry[Any], name: str, preset: str) -> list[tuple[str, Any, Any]]:
    """What a preset sets, in the order of the settings: (setting, its default, its value)."""
    form = registry.settings(name, {PRESET: preset})
    given = presets_of(registry.get(name))[preset]
    if form is None:
        return []
    usual = type(form)()
    own = [one for one in form.__struct_fields__ if one in given]
    return [(one, getattr(usual, one), getattr(form, one)) for one in own]


def described(kind: inspect.Type) -> tuple[inspect.Type, str]:
    """A setting's type and its description ("" if it has none)."""
    if isinstance(kind, inspect.Metadata):
        return kind.type, str((kind.extra_json_schema or {}).get("description", ""))
    return kind, ""


def _kind(kind: inspect.Type) -> str:  # noqa: PLR0911  # one return a type
    """A type and its bounds in words."""
    match kind:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType() | inspect.FloatType():
            return ("whole number" if isinstance(kind, inspect.IntType) else "number") + _bounds(kind)
        case inspect.StrType():
            return "text"
        case inspect.LiteralType():
            return f"one of {', '.join(f'`{value}`' for value in kind.values)}"
        case inspect.VarTupleType(inspect.LiteralType() as item):
            return f"list of {', '.join(f'`{value}`' for value in item.values)}"
        case inspect.VarTupleType():
            return f"list of {_kind(kind.item_type)}s"
        case inspect.DictType() if isinstance(kind.value_type, inspect.AnyType):
            return "table"
        case inspect.DictType():
            return f"table of {_kind(kind.value_type)}s"
    raise TypeError(f"docs/generate.py has no words for {kind}")


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is not None and kind.le is not None:
        return f", {kind.ge:g} to {kind.le:g}"
    if kind.gt is not None:
        return f", more than {kind.gt:g}"
    return f", {kind.ge:g} or more" if kind.ge is not None else ""


def _default(field: inspect.Field) -> Any:
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else field.default


def _toml(value: Any) -> str:
    """A value as clew.toml writes it."""
    if value == math.inf:
        return "inf"
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(item)}' for key, item in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)


# -- commands ---------------------------------------------------------------------------------------------


def commands_page() -> str:
    """docs/commands.md."""
    return "\n".join([COMMANDS_INTRO, *(_command(context) for context in commands())])


def commands() -> Iterator[click.Context]:
    """A context of ``clew`` and one of each of its commands."""
    root = click.Context(main, info_name="clew", **main.context_settings)
    yield root
    for name in main.list_commands(root):
        command = main.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root, **command.context_settings)
        yield context
        if isinstance(command, click.Group):
            for inner, part in command.commands.items():
                yield click.Context(part, info_name=inner, parent=context, **part.context_settings)


def _command(context: click.Context) -> str:
    usage = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    parts = [f"## {context.command_path}\n", f"```\n{usage}\n```\n", _help(context.command)]
    options = (one for one in context.command.get_params(context) if isinstance(one, click.Option))
    records = filter(None, (option.get_help_record(context) for option in options))
    rows = [_row(f"`{names}`", re.sub(r"\s+", " ", meaning)) for names, meaning in records]
    return "\n".join([*parts, _table("option", rows), *_extras(context)])


def _extras(context: click.Context) -> Iterator[str]:
    """What a section adds: the commands of ``clew``; the fields of what a command prints or writes."""
    name = context.info_name or ""
    if context.parent is None:
        commands_of = [one for one in commands() if one.parent is not None]
        links = [f"[{one.command_path}](#{one.command_path.replace(' ', '-')})" for one in commands_of]
        shorts = [one.command.get_short_help_str(200) for one in commands_of]
        yield _table("command", map(_row, links, shorts))
    if name in RESULTS and context.parent is not None and context.parent.parent is None:
        yield _table("field of `--json`", (_row(f"`{one.name}`", MEANINGS[one.name]) for one in fields(RESULTS[name])))
    if name == "search":
        yield _table("field of `--json`", (_row(f"`{one}`", meaning) for one, meaning in SEARCHED.items()))
        yield _table("field of a hit", (_row(f"`{one}`", meaning) for one, meaning in HITS.items()))
    if name == "export":
        yield _table("field", (_row(f"`{one}`", EXPORTED[one]) for one in ALL_FIELDS))


def _help(command: click.Command) -> str:
    """The help text with each paragraph on a line."""
    paragraphs = (command.help or "").split("\n\n")
    return "\n".join(f"{' '.join(paragraph.split())}\n" for paragraph in paragraphs)


# -- worlds -----------------------------------------------------------------------------------------------

BEGIN, END = "<!-- made by `make docs` -->\n", "<!-- end -->\n"


def worlds_page() -> str:
    """docs/worlds.md as it is, with the table of a simulated web's parameters made anew."""
    rows = "".join(_row(f"`{name}`", default, meaning) for name, default, meaning in describe())
    return _refilled("worlds.md", f"| parameter | default | meaning |\n|---|---|---|\n{rows}")


def _refilled(page: str, text: str) -> str:
    """A page as it is, with ``text`` in its place for what is made from the code."""
    before, _, rest = (DOCS / page).read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


# -- strategies -------------------------------------------------------------------------------------------


def strategy_page(name: str) -> str:
    """docs/strategies/NAME.md as it is, with what its preset sets made anew."""
    return _refilled(f"strategies/{name}.md", _paper(name))


def _paper(name: str) -> str:
    """What `preset = "paper"` sets."""
    rows = _of_preset(STRATEGIES, name, "paper")
    changed = [(setting, old, new) for setting, old, new in rows if old != new]
    same = [f"`{setting}`" for setting, old, new in rows if old == new]
    text = f'`{PRESET} = "paper"` in `[strategy.{name}]` '
    if not rows:
        return f"{text}changes nothing.\n"
    text += "begins with the settings of the paper; what is set beside it wins.\n"
    if changed:
        text += "\n| setting | default | paper |\n|---|---|---|\n"
        text += "".join(_row(f"`{setting}`", f"`{_toml(old)}`", f"`{_toml(new)}`") for setting, old, new in changed)
    if same:
        text += "\n" + fill(f"The paper's values that are also the defaults: {', '.join(same)}.", 120) + "\n"
    return text


# -- Markdown ---------------------------------------------------------------------------------------------


def _table(first: str, rows: Iterable[str]) -> str:
    return f"| {first} | meaning |\n|---|---|\n" + "".join(rows)


def _row(*cells: str) -> str:
    safe = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(safe)} |\n"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "commands.md": commands_page,
    "worlds.md": worlds_page,
    **{f"strategies/{name}.md": partial(strategy_page, name) for name in STRATEGIES.builtin},
}
"""Every page of docs/ that is generated, wholly or in part, and what makes it."""

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
