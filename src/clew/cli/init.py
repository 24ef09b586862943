"""clew init: make a project from seeds and from pages that are, or are not, what is wanted; or from keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import click

from clew.cli.common import json_option, print_json
from clew.cli.template import settings_text
from clew.config import parse
from clew.crawl.project import SETTINGS, example, read_list, seed_url
from clew.crawl.training import Wanted
from clew.errors import InputError
from clew.model import OTHER
from clew.web.registry import absolute
from clew.web.registry import make as make_world

SMALL_WEB = 20_000
"""Simulated webs of fewer pages have too few of a narrow topic."""

LISTS = ("seeds.txt", "relevant.txt", "irrelevant.txt")

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("project", type=click.Path(path_type=Path, file_okay=False))
@click.option("--seeds", type=FILE, help="File of URLs to start from, one a line. Default: the relevant URLs.")
@click.option("--relevant", type=FILE, help="File of URLs, or paths of local pages, that are what you want.")
@click.option("--irrelevant", type=FILE, help="File of URLs, or paths of local pages, that are not.")
@click.option("--keywords", help='Words and "quoted phrases" that say what you want; -word speaks against.')
@click.option("--web", default="live", show_default=True, help="live, archive:FILE, folder:DIR or sim:pages=N,seed=S.")
@click.option("--contact", default="", help="Mail address or URL where site owners reach you; live crawls need one.")
@json_option
def command(
    project: Path,
    seeds: Path | None,
    relevant: Path | None,
    irrelevant: Path | None,
    keywords: str | None,
    web: str,
    contact: str,
    as_json: bool,
) -> None:
    """Make a project: say what is wanted.

    The folder PROJECT gets a clew.toml that you may edit, and the lists of seeds and examples.
    """
    if (project / SETTINGS).exists():
        raise InputError(f"{project} is a Clew project already; edit {project / SETTINGS}, or choose another folder")
    _keep_others(project, (seeds, relevant, irrelevant))
    web = absolute(web, Path.cwd())
    lists = _lists(seeds, relevant, irrelevant)
    words = _keywords(keywords or "")
    if web.startswith("sim") and not any(lists.values()) and not words:
        lists = _simulated(web)
    _check(lists, words)
    text = settings_text(project.resolve().name, web, contact, words, bool(lists["relevant.txt"]))
    make_world(web, parse(text))
    _write(project, text, lists)
    _tell(project, lists, words, as_json)


def _keep_others(project: Path, given: Iterable[Path | None]) -> None:
    """Lists that lie in the folder already are somebody's work, unless they are the ones given."""
    own = {path.resolve() for path in given if path is not None}
    for name in LISTS:
        path = project / name
        if path.exists() and path.resolve() not in own:
            raise InputError(
                f"{path} exists and would be replaced: give it as an option, move it, or choose another folder"
            )


def _lists(seeds: Path | None, relevant: Path | None, irrelevant: Path | None) -> dict[str, list[str]]:
    """The project's lists, checked line by line; local paths become absolute."""
    good = _examples(relevant, 0)
    start = [seed_url(line) for line in read_list(seeds)] if seeds else [one.line for one in good if one.is_url]
    return {
        "seeds.txt": list(dict.fromkeys(start)),
        "relevant.txt": [one.line for one in good],
        "irrelevant.txt": [one.line for one in _examples(irrelevant, OTHER)],
    }


def _examples(path: Path | None, topic: int) -> list[Wanted]:
    return [example(line, topic, path.parent) for line in read_list(path)] if path else []


def _keywords(text: str) -> dict[str, float]:
    """Weights of words and quoted phrases: 1, or -1 with a leading minus."""
    found = re.findall(r'(-?)(?:"([^"]*)"|(\S+))', text)
    signed = [((phrase or word).strip('"'), minus) for minus, phrase, word in found]
    return {words: -1.0 if minus else 1.0 for words, minus in signed if any(map(str.isalnum, words))}


def _simulated(web: str) -> dict[str, list[str]]:
    """Seeds and examples of a topic of a simulated web, so that there is something to try."""
    from clew.web.simulated import parse_spec

    simulated = parse_spec(web)
    depth = min(simulated.parameters.depth, 2 if simulated.pages >= SMALL_WEB else 1)
    topic = simulated.topics(depth)[0]
    return {
        "seeds.txt": simulated.seeds(5, topic),
        "relevant.txt": simulated.examples(10, topic),
        "irrelevant.txt": simulated.examples(30, topic, relevant=False),
    }


def _check(lists: dict[str, list[str]], words: dict[str, float]) -> None:
    if not lists["relevant.txt"] and not words:
        raise InputError('say what is wanted: --relevant FILE with pages you like, or --keywords "..."')
    if words and not lists["relevant.txt"] and not any(weight > 0 for weight in words.values()):
        raise InputError("--keywords has no word that speaks for a page: give at least one without a minus")
    if not lists["seeds.txt"]:
        raise InputError("say where to start: --seeds FILE with URLs, one a line")
    both = set(lists["relevant.txt"]) & set(lists["irrelevant.txt"])
    if both:
        raise InputError(f"{sorted(both)[0]} stands in both --relevant and --irrelevant: take it out of one")


def _write(project: Path, text: str, lists: dict[str, list[str]]) -> None:
    try:
        project.mkdir(parents=True, exist_ok=True)
        for name, lines in lists.items():
            (project / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (project / SETTINGS).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{project} cannot be written: {error.strerror}; choose another folder") from error


def _tell(project: Path, lists: dict[str, list[str]], words: dict[str, float], as_json: bool) -> None:
    counts = {name.removesuffix(".txt"): len(lines) for name, lines in lists.items()}
    if as_json:
        print_json({"project": str(project), **counts, "keywords": len(words)})
        return
    click.echo(
        f"made {project}: {counts['seeds']} seeds, {counts['relevant']} relevant and {counts['irrelevant']} "
        f"irrelevant examples, {len(words)} keywords\nnext: clew crawl {project} --max-pages 1000"
    )
