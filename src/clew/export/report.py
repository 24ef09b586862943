"""A crawl's report: one self-contained HTML page with plots and the best pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from clew.export import readings
from clew.export.choosing import Choice
from clew.export.readings import Section
from clew.export.reportdata import ReportCollection, ReportData, ReportPage
from clew.text.shown import shown
from clew.words import digits

STYLE = """
:root { color-scheme: light dark; --ink: #1d2129; --paper: #ffffff; --soft: #5c6470; --line: #d8dce2; --card: #f6f7f9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ec; --paper: #16181d; --soft: #a3abb8; --line: #343a45; --card: #1e2128; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; color: var(--ink); background: var(--paper);
       font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.7rem; } h2 { margin: 2.2rem 0 .3rem; font-size: 1.15rem; }
p.says { margin: .2rem 0 .8rem; color: var(--soft); max-width: 46rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .7rem; margin: 1.2rem 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .55rem .8rem; }
dt { color: var(--soft); font-size: .8rem; } dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1rem 2rem; }
.plots svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td a { color: inherit; overflow-wrap: anywhere; } td small { color: var(--soft); overflow-wrap: anywhere; }
summary { overflow-wrap: anywhere; } h1 { overflow-wrap: anywhere; }
footer { margin-top: 2rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 40rem) {
  body { padding: .9rem; } dl { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  table, tbody, tr { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .55rem 0; border-bottom: 1px solid var(--line); }
  td, td.number { display: inline; border: 0; padding: 0 .7rem 0 0; text-align: left; white-space: normal; }
  td.page { display: block; padding: .1rem 0; }
  td[data-name]:not(:empty)::before { content: attr(data-name) " "; color: var(--soft); font-size: .8rem; }
}
"""


POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"
)
"""What the page holds of others' texts is escaped; should some get through, the browser runs and loads nothing."""


def html(data: ReportData) -> str:
    """The whole page."""
    sections = "".join(map(_section, readings.sections(data)))
    body = f'<div class="plots">{sections}</div>' if sections else f"<p class=says>{readings.NOTHING}</p>"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{POLICY}<title>{_safe(data.name)} – Clew report</title><style>{STYLE}</style></head><body>\n"
        f"<h1>{_safe(data.name)}</h1><p class=says>{_safe(readings.verdict(data))}</p>\n"
        f"<dl>{_facts(data.facts)}</dl>\n{body}\n{_best(data.best, data.choice)}\n{_collections(data.collections)}"
        f"<footer>Written by Clew on {_safe(data.written)}.</footer></body></html>\n"
    )


def _safe(text: str) -> str:
    return escape(shown(text))


def _link(page: ReportPage) -> str:
    """The page's title, leading there if it lies on the web."""
    title = _safe(page.title or page.url)
    if not page.url.startswith(("http://", "https://")):
        return title
    return f'<a href="{_safe(page.url)}" rel="noopener noreferrer" target="_blank">{title}</a>'


def _facts(facts: Mapping[str, str]) -> str:
    return "".join(f"<div><dt>{_safe(name)}</dt><dd>{_safe(value)}</dd></div>" for name, value in facts.items())


def _section(section: Section) -> str:
    return f"<section><h2>{_safe(section.title)}</h2><p class=says>{_safe(section.says)}</p>{section.svg}</section>\n"


def _best(pages: Sequence[ReportPage], choice: Choice) -> str:
    table = _table(pages, "relevance") if pages else ""
    return f"<h2>Best pages</h2><p class=says>{_safe(readings.best(pages, choice))}</p>{table}"


def _collections(found: Sequence[ReportCollection]) -> str:
    """A folded table a collection; nothing where there is one, which is the table of the best."""
    if len(found) < 2:
        return ""
    tables = "".join(
        f"<details><summary>{_safe(readings.collection(one))}</summary>{_table(one.pages, 'correlation')}</details>\n"
        for one in found
    )
    return f"<h2>Collections</h2><p class=says>{readings.COLLECTIONS}</p>\n{tables}"


def _table(pages: Sequence[ReportPage], measure: str) -> str:
    """A row a page; on narrow screens each becomes a block, in which cells carry the names of their columns."""
    rows = "".join(
        f'<tr role="row">{_cell(f"{place}", "#", "number")}{_cell(digits(page.relevance), measure, "number")}'
        f"{_cell(_safe(page.topic), 'topic')}"
        f'<td role="cell" class="page">{_link(page)}{" (document)" if page.inherited else ""}<br>'
        f"<small>{_safe(page.url)}</small></td>{_cell(f'{page.depth}', 'links from seeds', 'number')}</tr>\n"
        for place, page in enumerate(pages, 1)
    )
    return (
        '<div class="scroll"><table role="table"><thead role="rowgroup"><tr role="row">'
        f"{_head('#', 'number')}{_head(measure, 'number')}{_head('topic')}{_head('page')}"
        f'{_head("links from seeds", "number")}</tr></thead><tbody role="rowgroup">{rows}</tbody></table></div>'
    )


def _head(name: str, kind: str = "") -> str:
    return f'<th role="columnheader" scope="col" class="{kind}">{name}</th>'


def _cell(value: str, name: str, kind: str = "") -> str:
    return f'<td role="cell" class="{kind}" data-name="{name}">{value}</td>'
