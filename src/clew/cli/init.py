"""clew init: make a project from seeds and from pages that are, or are not, what is wanted; or from keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from clew.cli.common import NamedOption, json_option, print_json, say
from clew.cli.searching import Hits, add_query
from clew.cli.template import settings_text
from clew.cli.wishes import Wish, add_bookmarks, add_pages, add_project, add_taxonomy, seeds_of, specs
from clew.config import JUDGE, parse
from clew.errors import InputError
from clew.examples.keywords import keywords_of
from clew.judges.keywords import KeywordsJudge, is_pattern
from clew.project.folder import SETTINGS
from clew.text.shown import shown
from clew.topics.entry import Entry
from clew.topics.interest import Interest
from clew.topics.topicsfile import write_topics
from clew.topics.tree import TopicTree
from clew.web.registry import WORLDS, absolute
from clew.web.registry import make as make_world

TOPICS = "topics.yaml"
QUERY = "query.txt"
LISTS = ("seeds.txt", "relevant.txt", "irrelevant.txt", TOPICS, QUERY)

FILE = click.Path(path_type=Path, dir_okay=False)
PLACE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Given:
    """The options of ``clew init`` that say what is wanted."""

    seeds: Path | None
    relevant: Path | None
    irrelevant: Path | None
    keywords: str | None
    bookmarks: Path | None
    taxonomy: Path | None
    structure: Path | None
    focus: str
    min_examples: int
    query: str
    search: str
    hits: int
    least_hits: int
    previous: Path | None
    interest: str


@click.command()
@click.argument("project", type=click.Path(path_type=Path, file_okay=False))
@click.option("--seeds", type=FILE, help="File of URLs to start from, one a line. Default: the relevant URLs.")
@click.option("--relevant", type=PLACE, help="Pages you want: a file of URLs or paths, or a folder of pages.")
@click.option("--irrelevant", type=PLACE, help="Pages you do not want, likewise.")
@click.option("--keywords", help='Words and "quoted phrases" that say what you want; -word speaks against.')
@click.option("--bookmarks", type=FILE, help="Bookmarks as a browser exports them: folders become topics.")
@click.option("--taxonomy", type=FILE, help="A topic tree: Open Directory RDF, topics.yaml or OPML.")
@click.option("--structure", type=FILE, help="The structure file that belongs to Open Directory RDF.")
@click.option("--focus", default="", help="The topic of the taxonomy that you want, such as Science/Astronomy.")
@click.option("--min-examples", type=click.IntRange(min=0), default=0, help="Fold topics with fewer into their parent.")
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
def command(project: Path, web: str, contact: str, as_json: bool, **options: Any) -> None:
    """Make a project: say what is wanted.

    The folder PROJECT gets a clew.toml that you may edit, the lists of seeds and examples, and the topic tree.
    """
    given = Given(**options)
    if (project / SETTINGS).exists():
        raise InputError(f"{project} is a Clew project already; edit {project / SETTINGS}, or choose another folder")
    _keep_others(project, (given.seeds, given.relevant, given.irrelevant, given.taxonomy))
    web = absolute(web, Path.cwd())
    words = _keywords(given.keywords or "")
    if words:  # what is said in words adds up
        words = {**keywords_of(given.query), **words}
    wish = _wish(given, project)
    if web.startswith("sim") and not any(wish.lists().values()) and not words and wish.tree is None:
        _simulated(wish, web)
    _check(wish, words)
    text = settings_text(project.resolve().name, web, contact, words, _judge(wish, words), wish.formula)
    make_world(web, parse(text))
    _write(project, text, wish)
    _tell(project, wish, words, as_json)


def _wish(given: Given, project: Path) -> Wish:
    """What all options together ask for. Raises InputError."""
    wish = Wish(formula=given.interest)
    wish.seeds += seeds_of(given.seeds)
    trees = [file for file in (given.bookmarks, given.taxonomy) if file is not None]
    if len(trees) > 1:
        raise InputError("--bookmarks and --taxonomy both give a topic tree: choose one")
    if (given.structure or given.focus) and given.taxonomy is None:
        raise InputError("--structure and --focus belong to --taxonomy")
    if given.bookmarks is not None:
        add_bookmarks(wish, given.bookmarks)
    if given.taxonomy is not None:
        add_taxonomy(wish, given.taxonomy, given.structure, given.focus, _least(given))
    own = Wish()
    add_pages(own, given.relevant, given.irrelevant)
    wish.relevant, wish.irrelevant = own.relevant, wish.irrelevant + own.irrelevant
    wish.seeds += own.seeds if given.seeds is None else []
    if given.previous is not None:
        add_project(wish, given.previous)
    add_query(wish, given.query, given.search, project, _hits(given))
    if wish.tree is not None:
        Interest.of(wish.tree, wish.formula, 0.5)
    elif wish.formula:
        raise InputError("--interest combines topics: give them with --bookmarks or --taxonomy")
    return wish


def _hits(given: Given) -> Hits:
    if given.least_hits > given.hits:
        raise InputError(f"--least-hits {given.least_hits} are more than --hits {given.hits}: no topic would stay")
    return Hits(given.least_hits, given.hits)


def _least(given: Given) -> int:
    """Examples that a topic needs to stay; a search engine may find some for those that have none."""
    return given.min_examples if given.search and not given.query else max(given.min_examples, 1)


def _keep_others(project: Path, given: Iterable[Path | None]) -> None:
    """Lists that lie in the folder already are somebody's work, unless they are the ones given."""
    own = {path.resolve() for path in given if path is not None}
    for name in LISTS:
        path = project / name
        if path.exists() and path.resolve() not in own:
            raise InputError(
                f"{path} exists and would be replaced: give it as an option, move it, or choose another folder"
            )


def _keywords(text: str) -> dict[str, float]:
    """Weights of words and quoted phrases: 1, or -1 with a leading minus."""
    found = re.findall(r'(-?)(?:"([^"]*)"|(\S+))', text)
    signed = [((phrase or word).strip('"'), minus) for minus, phrase, word in found]
    return {words: -1.0 if minus else 1.0 for words, minus in signed if any(map(str.isalnum, words))}


def _simulated(wish: Wish, web: str) -> None:
    """Seeds and examples of a topic of a simulated web, so that there is something to try."""
    from clew.web.simulated import parse_spec, starting_points

    simulated = parse_spec(web)
    points = starting_points(simulated)
    wish.seeds += points.seeds
    if simulated.parameters.language == "english":  # the topic has a name that says something: keep it
        path = tuple(points.topic.split("/"))
        wish.tree = TopicTree.of(Entry(path, url, seed=False) for url in points.relevant)
    else:
        wish.relevant += points.relevant
    wish.irrelevant += points.irrelevant


def _check(wish: Wish, words: dict[str, float]) -> None:
    learns = bool(wish.relevant or wish.query) or wish.tree is not None
    if not learns and not words:
        raise InputError(
            'say what is wanted: --relevant FILE with pages you like, --bookmarks FILE, --query "..." or '
            '--keywords "..."'
        )
    if words and not learns and not any(weight > 0 and _says(word) for word, weight in words.items()):
        raise InputError(
            "--keywords has no word that speaks for a page: give at least one without a minus that is no stop word, "
            "such as the or of"
        )
    if not wish.seeds:
        raise InputError(
            "say where to start: --seeds FILE with URLs, one a line, or --search with --query, whose hits are seeds"
        )
    both = set(wish.relevant) & set(wish.irrelevant)
    if both:
        raise InputError(f"{sorted(both)[0]} stands in both --relevant and --irrelevant: take it out of one")


def _says(word: str) -> bool:
    """Whether a keyword can be found on a page."""
    return is_pattern(word) or bool(keywords_of(word))


def _judge(wish: Wish, words: dict[str, float]) -> str:
    """The judge of a new project: the default one, unless it is told in regular expressions, which only the keywords
    judge reads. Where there are example pages too, these tell more, and the user is told."""
    told = [words, *wish.keywords.values()]
    if not any(is_pattern(word) for one in told for word in one):
        return JUDGE
    if not wish.has_pages:
        return KeywordsJudge.name
    wish.notes.append(f"the judge {JUDGE} cannot use regular expressions among keywords; the judge keywords can")
    return JUDGE


def _write(project: Path, text: str, wish: Wish) -> None:
    try:
        project.mkdir(parents=True, exist_ok=True)
        if wish.query:
            (project / QUERY).write_text(f"{wish.query}\n", encoding="utf-8")
            wish.relevant.insert(0, QUERY)
        for name, lines in wish.lists().items():
            (project / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        if wish.tree is not None:
            write_topics(specs(wish), project / TOPICS)
        (project / SETTINGS).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{project} cannot be written: {error.strerror}; choose another folder") from error


def _tell(project: Path, wish: Wish, words: dict[str, float], as_json: bool) -> None:
    counts = {name.removesuffix(".txt"): len(lines) for name, lines in wish.lists().items()}
    topics = len(wish.tree) if wish.tree is not None else 0
    if as_json:
        print_json({"project": str(project), **counts, "keywords": len(words), "topics": topics, "notes": wish.notes})
        return
    filed = sum(len(wish.tree.own(topic)) for topic in range(topics)) if wish.tree is not None else 0
    tree = f"{topics} topics with {filed} examples, " if topics else ""
    for note in wish.notes:
        say(f"note: {shown(note)}")
    say(
        f"made {project}: {counts['seeds']} seeds, {tree}{counts['relevant']} relevant and {counts['irrelevant']} "
        f"irrelevant examples, {len(words)} keywords\nnext: clew crawl {project} --max-pages 1000"
    )
