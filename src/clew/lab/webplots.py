"""Webs of tasks side by side, as one self-contained HTML page: how real is a simulated one?"""

from __future__ import annotations

import asyncio
import csv
import tomllib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from clew.config import Settings
from clew.errors import InputError
from clew.lab.figures import COLOURS, EDGED, LINES, MARKERS, legend, new_figure, styled
from clew.lab.report import STYLE
from clew.lab.results import Graph
from clew.lab.statistics import Degrees, Statistics, Text, Web, statistics
from clew.lab.tasks import Task
from clew.model import Bools, Outcome, Page, Request, Response
from clew.text.reader import Reader, Unreadable
from clew.text.shown import plot_label
from clew.text.terms import tokeniser
from clew.urls.canonical import Canonicaliser, host, keys, url_words
from clew.version import __version__
from clew.web.base import World
from clew.web.registry import make as make_world
from clew.web.simulated import parse_spec
from clew.web.simulated.truegraph import link_graph

MOST = 100_000
"""Pages of a web that are looked at, at most."""

NOTHING = np.zeros(0, np.uint32)
SILENT = Text(NOTHING, np.zeros(0, np.float32), NOTHING, {})


# a task's web, ready to be measured


def task_web(task: Task) -> Web:
    """All pages of the web of a task: of a simulated one by number, of another the pages that its labels name and all
    that links lead to from there. Raises InputError for a simulated web of more than MOST pages.
    """
    return _simulated(task) if task.web.startswith("sim:") else asyncio.run(_read(task))


def _reader() -> Reader:
    return Reader(Canonicaliser((), 2_000), keys, host, url_words, keep_text=False)


def _simulated(task: Task) -> Web:
    web = parse_spec(task.web)
    if web.pages > MOST:
        raise InputError(f"{task.name}: a web of {web.pages} pages; statistics are made of {MOST} at most: take fewer")
    hosts, targets, starts = link_graph(web)
    numbers = {url: number for number, url in enumerate(web.urls())}
    nowhere = np.zeros(0, np.int32)
    relevant = _relevant(task, numbers)
    graph = Graph(tuple(numbers), targets.astype(np.int32), starts.astype(np.int32), relevant, nowhere)
    reader = _reader()

    def read(number: int) -> Text:
        page = web.page(graph.urls[number])
        if page is None or page.status != 200:
            return SILENT
        headers = (("content-type", "text/html; charset=utf-8"),)
        found = reader.read(Response(page.url, Outcome.OK, 200, headers, page.html.encode()))
        return _text(found, lambda url: numbers.get(url, -1))

    return Web(task.name, graph, hosts.astype(np.int32), read)


async def _read(task: Task) -> Web:
    """A page of the graph for everything that could be read; a redirect is no page, its links lead to its target."""
    world, _ = make_world(task.web, Settings())
    await world.open()
    try:
        pages, moved = await _followed(world, _named(task))
    finally:
        await world.close()
    return _web(task, pages, moved)


def _named(task: Task) -> list[str]:
    """The URLs that a task names: seeds, examples, and all of its label file."""
    labels = task.path.parent / str(tomllib.loads(task.path.read_text(encoding="utf-8"))["labels"])
    with labels.open(encoding="utf-8", newline="") as file:
        rows = [row["url"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    resolve = Canonicaliser((), 2_000)
    named = (resolve(url, "") for url in rows)
    return [*task.seeds, *task.positive, *task.negative, *(url for url in named if url)]


async def _followed(world: World, urls: Sequence[str]) -> tuple[dict[str, Page], dict[str, str]]:
    """(pages by URL, targets of redirects) of what can be reached from ``urls``, breadth-first."""
    reader, resolve = _reader(), Canonicaliser((), 2_000)
    pages, moved = dict[str, Page](), dict[str, str]()
    waiting = deque(dict.fromkeys(urls))
    seen = set(waiting)
    while waiting and len(pages) < MOST:
        url = waiting.popleft()
        response = await world.fetch(Request(url))
        if response.outcome is Outcome.REDIRECT:
            moved[url] = resolve(response.location, url) or ""
            found: Sequence[str] = (moved[url],) if moved[url] else ()
        else:
            page = _page(reader, response)
            found = page.links.urls if page is not None else ()
            pages |= {url: page} if page is not None else {}
        new = [link for link in found if link not in seen]
        seen.update(new)
        waiting.extend(new)
    return pages, moved


def _page(reader: Reader, response: Response) -> Page | None:
    if response.outcome is not Outcome.OK:
        return None
    try:
        return reader.read(response)
    except Unreadable:
        return None


def _web(task: Task, pages: dict[str, Page], moved: dict[str, str]) -> Web:
    numbers = {url: number for number, url in enumerate(pages)}
    resolved = {url: number for url in moved if (number := _arrived(url, moved, numbers)) is not None} | numbers
    rows = [
        np.unique([resolved[url] for url in page.links.urls if resolved.get(url, place) != place]).astype(np.int32)
        for place, page in enumerate(pages.values())
    ]
    graph = Graph(
        tuple(pages),
        np.concatenate([*rows, np.zeros(0, np.int32)]),
        np.cumsum([0, *map(len, rows)]).astype(np.int32),
        _relevant(task, pages),
        np.zeros(0, np.int32),
    )
    names = {name: place for place, name in enumerate(dict.fromkeys(host(url) for url in pages))}
    hosts = np.array([names[host(url)] for url in pages], np.int32)
    listed = list(pages.values())
    return Web(task.name, graph, hosts, lambda number: _text(listed[number], lambda url: resolved.get(url, -1)))


def _relevant(task: Task, urls: Iterable[str]) -> Bools:
    """Examples and seeds are pages of the web like others, but the truth does not say what they are."""
    known = task.relevant | set(task.positive)
    return np.array([url in known for url in urls], np.bool_)


def _arrived(url: str, moved: dict[str, str], numbers: dict[str, int]) -> int | None:
    """The page at the end of a chain of redirects of ten at most."""
    for _ in range(10):
        url = moved.get(url, url)
    return numbers.get(url)


def _text(page: Page, number_of: Callable[[str], int]) -> Text:
    ids, counts = page.term_counts()
    first: dict[int, str] = {}
    for place, text in zip(page.links.spans[:, 0].tolist(), page.links.anchors, strict=True):
        if text:
            first.setdefault(place, text)
    words = tokeniser(page.language)
    anchors = {number_of(page.links.urls[place]): words.rows([text])[0] for place, text in first.items()}
    return Text(ids, counts, page.title_ids, anchors)


# how alike two webs are


@dataclass(frozen=True, slots=True)
class Measure:
    """A statistic by which webs are compared: what it is called, how it is read off, and how far two webs may lie
    apart to be called alike: ``share`` of the first one's value, or ``within`` in its own unit."""

    name: str
    read: Callable[[Statistics], float]
    share: float = 0.0
    within: float = 0.0

    def alike(self, first: Statistics, other: Statistics) -> bool:
        """Whether the statistic of ``other`` lies within bounds around that of ``first``; not if one is unknown."""
        one, two = self.read(first), self.read(other)
        return abs(two - one) <= self.within + self.share * abs(one)

    @property
    def bound(self) -> str:
        """The bound in words."""
        return f"±{self.share:.0%}" if self.share else f"±{self.within:g}"


MEASURES = (
    Measure("similarity of linked pages, over random pairs", lambda s: s.linked / s.random, share=0.3),
    Measure("similarity of siblings, over random pairs", lambda s: s.siblings / s.random, share=0.3),
    Measure("similarity of pages two links apart, over random pairs", lambda s: s.by_distance[2] / s.random, share=0.3),
    Measure("slope of the in-degree's tail", lambda s: s.indegree.slope, within=0.4),
    Measure("slope of the out-degree's tail", lambda s: s.outdegree.slope, within=0.4),
    Measure("chance that a relevant page's link leads to a relevant page", lambda s: s.onward[0], within=0.15),
    Measure("cosine of a link's text and its target's title", lambda s: s.anchor_title, within=0.2),
    Measure("share of links within a host", lambda s: s.same_host, within=0.15),
)

FACTS: tuple[tuple[str, Callable[[Statistics], str]], ...] = (
    ("pages", lambda s: f"{s.pages:,}"),
    ("hosts", lambda s: f"{s.hosts:,}"),
    ("links on a page, mean", lambda s: f"{s.outdegree.mean:.1f}"),
    ("pages without links", lambda s: f"{s.outdegree.none:.1%}"),
    ("pages that no page links to", lambda s: f"{s.indegree.none:.1%}"),
    ("links that are answered", lambda s: f"{s.answered:.1%}"),
    ("relevant pages", lambda s: f"{s.relevant:.1%}"),
    ("similarity of random pairs", lambda s: f"{s.random:.3f}"),
    ("decay with distance: rate, shape", lambda s: f"{s.rate:.2f}, {s.shape:.2f}"),
)


def conclusion(webs: Sequence[Statistics]) -> str:
    """What to conclude of webs beside the first one."""
    parts = []
    for other in webs[1:]:
        apart = [measure.name for measure in MEASURES if not measure.alike(webs[0], other)]
        head = f"{other.name} is like {webs[0].name} in {len(MEASURES) - len(apart)} of {len(MEASURES)} statistics"
        parts.append(f"{head}; they differ in: {', '.join(apart)}." if apart else f"{head}.")
    return " ".join(parts) or f"{webs[0].name} stands alone: give a second web to judge how real it is."


# the page


def web_report(tasks: Sequence[Task], out: Path, seed: int = 1) -> list[Statistics]:
    """Measure the webs of tasks and write one HTML page about them; others are compared with the first."""
    webs = [statistics(task_web(task), seed) for task in tasks]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(_html(webs), encoding="utf-8")
    return webs


def _html(webs: Sequence[Statistics]) -> str:
    plots = "".join(
        f"<section><h3>{title}</h3><p class=soft>{says}</p>"
        f'<figure role="img" aria-label="{title}">{plot(webs).inline}</figure></section>'
        for title, says, plot in (
            (
                "Similarity by link distance",
                "Where a line meets its dotted one (random pairs), links tell no more.",
                near,
            ),
            (
                "Relevance after a relevant page",
                "Far above the dotted line (any page), links from relevant pages pay.",
                onward,
            ),
            ("In-degree", "Straight lines are power laws; the slope is in the table.", indegree),
            ("Out-degree", "Lists and hubs lie far to the right.", outdegree),
        )
    )
    heads = "".join(f"<th>{escape(web.name).replace('-', '-<wbr>')}</th>" for web in webs)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>How real is this web?</title><style>{STYLE}</style></head><body>\n<h1>How real is this web?</h1>"
        f"<p><strong>{escape(conclusion(webs))}</strong></p>\n<p class=soft>Similarity is the cosine of TF-IDF "
        "vectors; bounds are around the values of the first web, and ✗ marks what lies outside.</p>\n"
        f'<div class="scroll"><table><thead><tr><th>statistic</th><th>bound</th>{heads}</tr></thead><tbody>'
        f"{''.join(_row(measure, webs) for measure in MEASURES)}"
        f"{''.join(_fact(name, read, webs) for name, read in FACTS)}</tbody></table></div>\n"
        f'<div class="plots">{plots}</div>\n<footer>Written by Clew {escape(__version__)}.</footer></body></html>\n'
    )


def _row(measure: Measure, webs: Sequence[Statistics]) -> str:
    cells = "".join(f"<td>{measure.read(web):.2f}{'' if measure.alike(webs[0], web) else ' ✗'}</td>" for web in webs)
    return f"<tr><th>{measure.name}</th><td>{measure.bound}</td>{cells}</tr>"


def _fact(name: str, read: Callable[[Statistics], str], webs: Sequence[Statistics]) -> str:
    return f"<tr><th>{name}</th><td></td>{''.join(f'<td>{read(web)}</td>' for web in webs)}</tr>"


# plots: a colour, a line and a marker for each web


def _line(axes: Any, place: int, x: Any, y: Any, label: str, **style: Any) -> None:
    colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
    drawn = {"linestyle": LINES[place % len(LINES)], "marker": marker, "linewidth": 1.6, **EDGED, **style}
    axes.plot(x, y, color=colour, label=plot_label(label), **drawn)


@styled
def near(salt: str, webs: Sequence[Statistics]) -> Any:
    """Mean similarity by link distance; dotted: random pairs."""
    figure, axes = new_figure()
    for place, web in enumerate(webs):
        _line(axes, place, np.arange(1, len(web.by_distance)), web.by_distance[1:], web.name)
        axes.axhline(web.random, color=COLOURS[place % len(COLOURS)], linestyle=":", linewidth=1.2)
    axes.set(xlabel="links from a page", ylabel="mean cosine with it", ylim=(0, None))
    axes.xaxis.get_major_locator().set_params(integer=True)
    legend(axes)
    return figure


@styled
def onward(salt: str, webs: Sequence[Statistics]) -> Any:
    """The chance that a page some links after a relevant one is relevant; dotted: that of any page."""
    figure, axes = new_figure()
    for place, web in enumerate(webs):
        _line(axes, place, [1, 2, 3], web.onward, web.name)
        axes.axhline(web.relevant, color=COLOURS[place % len(COLOURS)], linestyle=":", linewidth=1.2)
    axes.set(xlabel="links from a relevant page", ylabel="share of relevant pages", ylim=(0, 1.02), xticks=[1, 2, 3])
    legend(axes)
    return figure


@styled
def indegree(salt: str, webs: Sequence[Statistics]) -> Any:
    """Share of pages by in-degree."""
    return _degrees(webs, "links to a page", lambda web: web.indegree)


@styled
def outdegree(salt: str, webs: Sequence[Statistics]) -> Any:
    """Share of pages by out-degree."""
    return _degrees(webs, "links on a page", lambda web: web.outdegree)


def _degrees(webs: Sequence[Statistics], label: str, read: Callable[[Statistics], Degrees]) -> Any:
    figure, axes = new_figure()
    for place, web in enumerate(webs):
        _line(axes, place, read(web).centres, read(web).density, web.name)
    axes.set(xlabel=label, ylabel="share of pages, for each degree", xscale="log", yscale="log")
    legend(axes)
    return figure
