"""clew init: make a project from seeds and from pages that are, or are not, what is wanted; or from keywords."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from clew.cli.common import NamedOption, json_option, next_command, print_json, say
from clew.project.making import Given, Made, make_project
from clew.project.wishes import Understood, left_out
from clew.text.shown import shown
from clew.web.registry import WORLDS
from clew.words import many

FILE = click.Path(path_type=Path, dir_okay=False)
PLACE = click.Path(path_type=Path)

SHOWN = 12
"""Topics that are named, at most."""

ADDRESS = "you@example.org"
"""Stands in a command where a user's own address belongs."""


@click.command()
@click.argument("project", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--seeds",
    multiple=True,
    metavar="FILE|URL",
    help="Where to start: a URL, or a file of URLs, one a line; may be given again. Default: the relevant URLs.",
)
@click.option(
    "--relevant",
    multiple=True,
    metavar="PATH|URL",
    help="Pages you want: a URL, an HTML page, a file of URLs or paths, or a folder of pages; may be given again.",
)
@click.option("--irrelevant", multiple=True, metavar="PATH|URL", help="Pages you do not want, likewise.")
@click.option("--keywords", default="", help='Words and "quoted phrases" that say what you want; -word speaks against.')
@click.option(
    "--bookmarks", type=FILE, help="Bookmarks as a browser or bookmark service exports them: folders become topics."
)
@click.option(
    "--tags",
    default="",
    help="Tags of the bookmarks that become topics, parted by commas, or none. Default: the most used ones of links in "
    "no folder.",
)
@click.option("--taxonomy", type=FILE, help="A topic tree: Open Directory RDF, topics.yaml or OPML.")
@click.option("--structure", type=FILE, help="The structure file that belongs to Open Directory RDF.")
@click.option("--focus", default="", help="The topic of the taxonomy that you want, such as Science/Astronomy.")
@click.option(
    "--min-examples",
    type=click.IntRange(min=0),
    default=0,
    help="Fold topics with fewer into their parent; tags with fewer are no topics.",
)
@click.option("--query", default="", help="What you look for, in words: an example made of them; --keywords add to it.")
@click.option("--search", default="", help="Ask for seeds and examples: searxng:URL, mediawiki:URL or FILE.toml.")
@click.option(
    "--hits", type=click.IntRange(min=1), default=7, show_default=True, help="So many make the examples of a topic."
)
@click.option(
    "--least-hits", type=click.IntRange(min=1), default=4, show_default=True, help="A topic with fewer is dropped."
)
@click.option("--from", "previous", type=PLACE, help="Another project: its best pages become seeds and examples.")
@click.option("--interest", default="", help="What you want of the topics: sailing and Rügen and not (hotels or jobs).")
@click.option(
    "--web", cls=NamedOption, registry=WORLDS, default="live", show_default=True, help="Where pages come from"
)
@click.option("--contact", default="", help="Mail address or URL where site owners reach you; live crawls need one.")
@json_option
def command(project: Path, as_json: bool, **options: Any) -> None:
    """Make a project: say what is wanted.

    The folder PROJECT gets a clew.toml that you may edit, the lists of seeds and examples, and the topic tree.
    """
    made = make_project(project, Given(**options))
    if as_json:
        print_json({**msgspec.to_builtins(made), "next": _next(made)})
    else:
        say("\n".join(_told(made)))


def _next(made: Made) -> str:
    """The command that comes next, ready to be pasted."""
    asked = [word for _, option in made.missing for word in (option, ADDRESS)]
    return next_command("crawl", Path(made.project), "--max-pages", "1000", *asked)


def _told(made: Made) -> Iterator[str]:
    """What was made, in words."""
    if made.understood is not None:
        yield from _understood(made.understood)
        if made.topics > 1 and not made.interest:
            ask = next_command("topics", Path(made.project), "--interest")
            yield f"  pages of any of them are wanted; to want some of them only: {ask} 'ONE or OTHER'"
    yield from (f"note: {shown(note)}" for note in made.notes)
    tree = f"{many(made.topics, 'topic')} with {many(made.filed, 'example')}, " if made.topics else ""
    yield (
        f"made {shown(made.project)}: {many(made.seeds, 'seed')}, {tree}{made.relevant} relevant and "
        f"{made.irrelevant} irrelevant {'pages' if made.topics else 'examples'}, {many(made.keywords, 'keyword')}"
    )
    for what, option in made.missing:
        yield f"missing: {what}; put it in place of {ADDRESS} ({option})"
    yield f"next: {_next(made)}"


def _understood(found: Understood) -> Iterator[str]:
    yield f"read {shown(found.file)}: {many(found.links, 'link')}, {many(len(found.topics), 'topic')}"
    width = max(min(len(shown(path)), 40) for path in found.topics)
    for path, examples in list(found.topics.items())[:SHOWN]:
        below = sum(count for other, count in found.topics.items() if other.startswith(f"{path}/"))
        more = f", {examples + below:,} with those below" if below else ""
        yield f"  {shown(path):<{width}}  {many(examples, 'example')}{more}"
    if len(found.topics) > SHOWN:
        yield f"  ... and {len(found.topics) - SHOWN:,} more"
    yield from (f"  {shown(note)}" for note in found.notes)
    if found.skipped:
        yield f"  left out: {shown(left_out(found.skipped))}"
