"""clew topics: what is wanted, and how well a judge can tell it from the rest."""

from __future__ import annotations

import math
from pathlib import Path

import click
import msgspec

from clew.cli.common import json_option, print_json, project_argument, say
from clew.project.interestediting import save_interest
from clew.project.project import Project
from clew.project.reference import judge_settings
from clew.project.reference import learn_reference as learn
from clew.project.understood import About, Told, about
from clew.text.shown import shown

FOUND = 40
"""Topics that a search shows."""

SHOWN = 200
"""Topics of which more than their numbers is told."""


@click.command()
@project_argument
@click.option("--interest", help="Set what you want: sailing and Rügen and not (hotels or jobs).")
@click.option("--search", help="Only list topics whose path holds these words.")
@click.option(
    "--quick", is_flag=True, help="Only the tree: no terms, no estimate of the judge (needs no example page)."
)
@click.option(
    "--learn-reference",
    is_flag=True,
    help='Learn from the crawled pages how rare words are, for reference = "crawl" of [judge.NAME].',
)
@json_option
def command(
    project: Path, interest: str | None, search: str | None, quick: bool, learn_reference: bool, as_json: bool
) -> None:
    """What is wanted: topics, their examples and terms, and how well a judge can tell them apart."""
    opened = Project(project)
    if learn_reference:
        _learn(opened, as_json)
        return
    if interest is not None:
        save_interest(opened, interest)
        opened = Project(project)
    if search is not None:
        _search(opened, search, as_json)
        return
    found = about(opened, quick=quick or interest is not None)
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        say(_words(found))


def _learn(project: Project, as_json: bool) -> None:
    found = learn(project)
    if as_json:
        print_json({"pages": int(found.documents), "features": len(found)})
    else:
        say(f"learned from {found.documents:,.0f} pages how rare {len(found):,} features are")
        if getattr(judge_settings(project), "reference", "") != "crawl":
            say('judges that compare vectors use it with reference = "crawl", as in [judge.svm]')


def _search(project: Project, words: str, as_json: bool) -> None:
    tree = project.tree
    paths = [tree.path(topic) for topic in tree.search(words, FOUND)] if tree is not None else []
    if as_json:
        print_json(paths)
    else:
        say("\n".join(map(shown, paths)) or f"no topic holds the words {words!r}")


def _words(found: About) -> str:
    lines = [f"interest: {shown(found.interest)}   (relevant from {found.threshold:g} on)"]
    if found.excluded:
        lines.append(f"excluded afterwards: {shown(found.excluded)}")
    for topic in found.topics[:SHOWN]:
        lines += _topic(topic)
    if len(found.topics) > SHOWN:
        lines.append(f"... and {len(found.topics) - SHOWN} more topics; clew topics PROJECT --search WORDS finds them")
    lines += [f"warning: {shown(text)}" for text in found.warnings]
    return "\n".join(lines)


def _topic(topic: Told) -> list[str]:
    indent = "  " * topic.path.count("/")
    name = topic.path.rpartition("/")[2]
    below = f", {topic.inherited} with those below" if topic.inherited != topic.own else ""
    wanted = "* " if topic.wanted else "  "
    lines = [f"{wanted}{indent}{shown(name)}: {topic.own} examples{below}"]
    if topic.description:
        lines.append(f"  {indent}  {shown(topic.description)}")
    if topic.quality is not None:
        rated = topic.quality
        named = {"precision": rated.precision, "recall": rated.recall, "average precision": rated.average_precision}
        lines.append(f"  {indent}  estimated {', '.join(f'{name} {_share(value)}' for name, value in named.items())}")
    if topic.typical:
        lines.append(f"  {indent}  typical: {', '.join(map(shown, topic.typical))}")
    if topic.distinct:
        lines.append(f"  {indent}  sets it apart: {', '.join(map(shown, topic.distinct))}")
    return lines


def _share(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:.2f}"
