"""A new project, from what a user has: lists, pages, words, bookmarks, taxonomies, another project."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from clew.config import JUDGE, parse
from clew.errors import InputError
from clew.examples.keywords import keywords_of
from clew.judges.keywords import KeywordsJudge, is_pattern
from clew.project.folder import SETTINGS
from clew.project.searching import Hits, add_query
from clew.project.template import settings_text
from clew.project.wishes import (
    Understood,
    Wish,
    add_bookmarks,
    add_pages,
    add_project,
    add_taxonomy,
    is_url,
    seeds_of,
    specs,
)
from clew.topics.entry import Entry
from clew.topics.interest import Interest
from clew.topics.topicsfile import write_topics
from clew.topics.tree import TopicTree, clean_name
from clew.web.registry import absolute
from clew.web.registry import make as make_world

TOPICS = "topics.yaml"
QUERY = "query.txt"
LISTS = ("seeds.txt", "relevant.txt", "irrelevant.txt", TOPICS, QUERY)


@dataclass(frozen=True, slots=True)
class Given:
    """What a user says about a new project: the options of ``clew init``. ``seeds``: list files and URLs; ``relevant``,
    ``irrelevant``: list files, folders, pages and URLs; ``web``: relative to the current folder."""

    seeds: tuple[str, ...] = ()
    relevant: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    keywords: str = ""
    bookmarks: Path | None = None
    tags: str = ""
    taxonomy: Path | None = None
    structure: Path | None = None
    focus: str = ""
    min_examples: int = 0
    query: str = ""
    search: str = ""
    hits: int = 7
    least_hits: int = 4
    previous: Path | None = None
    interest: str = ""
    web: str = "live"
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A project that was made: lines of its lists, keywords, topics and their examples, and the formula of what is
    wanted of these (empty: any). ``understood``: what was made
    of a file of bookmarks or topics; ``notes``: what a user should know; ``missing``: what a crawl still needs, in
    words, and the option of ``clew crawl`` that gives it."""

    project: str
    seeds: int
    relevant: int
    irrelevant: int
    keywords: int
    topics: int
    filed: int
    interest: str
    understood: Understood | None
    notes: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]


def make_project(folder: Path, given: Given) -> Made:
    """Write a new project: clew.toml, the lists of seeds and examples, and the topic tree.

    Raises InputError or ConfigError for what is wrong or missing, ProviderError when a search engine does not answer.
    """
    if (folder / SETTINGS).exists():
        raise InputError(f"{folder} is a Clew project already; edit {folder / SETTINGS}, or choose another folder")
    _keep_others(folder, given)
    web = absolute(given.web, Path.cwd())
    words = _keywords(given.keywords)
    if words:  # what is said in words adds up
        words = {**keywords_of(given.query), **words}
    wish = _wish(given, folder)
    if web.startswith("sim") and not wish.seeds:
        _simulated(wish, web, told=_tells(wish) or bool(words or wish.irrelevant))
    _check(wish, words, web)
    text = settings_text(folder.resolve().name, web, given.contact, words, _judge(wish, words), wish.formula)
    make_world(web, parse(text))
    _write(folder, text, wish)
    lines = wish.lists()
    tree = wish.tree if wish.tree is not None else TopicTree()
    return Made(
        project=str(folder),
        seeds=len(lines["seeds.txt"]),
        relevant=len(lines["relevant.txt"]),
        irrelevant=len(lines["irrelevant.txt"]),
        keywords=len(words),
        topics=len(tree),
        filed=sum(len(tree.own(topic)) for topic in range(len(tree))),
        interest=wish.formula,
        understood=wish.understood,
        notes=tuple(wish.notes),
        missing=_missing(web, given.contact),
    )


def _missing(web: str, contact: str) -> tuple[tuple[str, str], ...]:
    if web != "live" or contact.strip():
        return ()
    return (("a live crawl tells site owners whom to write to: a mail address or URL of yours", "--contact"),)


def _wish(given: Given, folder: Path) -> Wish:
    """What all that is given together asks for. Raises InputError."""
    wish = Wish(clean_name(folder.resolve().name), formula=given.interest)
    wish.seeds += seeds_of(given.seeds)
    if given.bookmarks is not None and given.taxonomy is not None:
        raise InputError("--bookmarks and --taxonomy both give a topic tree: choose one")
    if (given.structure or given.focus) and given.taxonomy is None:
        raise InputError("--structure and --focus belong to --taxonomy")
    if given.tags and given.bookmarks is None:
        raise InputError("--tags chooses among the tags of --bookmarks: give that too")
    if given.bookmarks is not None:
        tags = [tag.strip() for tag in given.tags.split(",") if tag.strip()]
        add_bookmarks(wish, given.bookmarks, given.min_examples, tags)
    if given.taxonomy is not None:
        add_taxonomy(wish, given.taxonomy, given.structure, given.focus, _least(given))
    own = Wish()
    add_pages(own, given.relevant, given.irrelevant)
    wish.relevant, wish.irrelevant = own.relevant, wish.irrelevant + own.irrelevant
    wish.seeds += own.seeds if not given.seeds else []
    if given.previous is not None:
        add_project(wish, given.previous)
    add_query(wish, given.query, given.search, folder, _hits(given))
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


def _keep_others(folder: Path, given: Given) -> None:
    """Lists that lie in the folder already are somebody's work, unless they are the ones given."""
    named = [one for one in (*given.seeds, *given.relevant, *given.irrelevant) if not is_url(one)]
    own = {Path(one).resolve() for one in (*named, given.taxonomy) if one is not None}
    for name in LISTS:
        path = folder / name
        if path.exists() and path.resolve() not in own:
            raise InputError(
                f"{path} exists and would be replaced: give it as an option, move it, or choose another folder"
            )


def _keywords(text: str) -> dict[str, float]:
    """Weights of words and quoted phrases: 1, or -1 with a leading minus."""
    found = re.findall(r'(-?)(?:"([^"]*)"|(\S+))', text)
    signed = [((phrase or word).strip('"'), minus) for minus, phrase, word in found]
    return {words: -1.0 if minus else 1.0 for words, minus in signed if any(map(str.isalnum, words))}


def _simulated(wish: Wish, web: str, told: bool) -> None:
    """Seeds of a simulated web, and examples of a topic of it unless something is ``told``, so that there is something
    to try."""
    from clew.web.simulated import parse_spec, starting_points

    simulated = parse_spec(web)
    points = starting_points(simulated)
    wish.seeds += points.seeds
    if told:
        wish.notes.append("the seeds are those of the simulated web")
        return
    if simulated.parameters.language == "english":  # the topic has a name that says something: keep it
        path = tuple(points.topic.split("/"))
        wish.tree = TopicTree.of(Entry(path, url, seed=False) for url in points.relevant)
    else:
        wish.relevant += points.relevant
    wish.irrelevant += points.irrelevant


def _tells(wish: Wish) -> bool:
    """Whether something says what is wanted, keywords apart."""
    return bool(wish.relevant or wish.query) or wish.tree is not None


def _check(wish: Wish, words: dict[str, float], web: str) -> None:
    """Raise InputError where something is missing without which no crawl can start."""
    learns = _tells(wish)
    if not learns and not words:
        raise InputError(
            "say what is wanted: --relevant with pages you like (a URL, a file of URLs, a folder), --bookmarks FILE, "
            '--query "..." or --keywords "..."'
        )
    if words and not learns and not any(weight > 0 and _says(word) for word, weight in words.items()):
        raise InputError(
            "--keywords has no word that speaks for a page: give at least one without a minus that is no stop word, "
            "such as the or of"
        )
    if not wish.seeds:
        raise InputError(_nowhere(wish, words, web))
    both = set(wish.relevant) & set(wish.irrelevant)
    if both:
        raise InputError(f"{sorted(both)[0]} stands in both --relevant and --irrelevant: take it out of one")


def _nowhere(wish: Wish, words: dict[str, float], web: str) -> str:
    """What to give where what is wanted is known and where to start is not."""
    known = "words" if wish.query or words else "files"
    said = "say where to start: --seeds FILE with URLs, one a line"
    if web != "live":
        return f"{said}, or --seeds URL; {known} tell what is wanted, and not where in {web} it may be"
    return (
        f"{said}, or --search searxng:URL with --query, whose hits are seeds; {known} tell what is wanted, and not "
        "where it may be"
    )


def _says(word: str) -> bool:
    """Whether a keyword can be found on a page."""
    return is_pattern(word) or bool(keywords_of(word))


def _judge(wish: Wish, words: dict[str, float]) -> str:
    """The judge of a new project: the default one, unless it is told in regular expressions, which only the keywords
    judge reads. Where there are example pages too, these tell more, and the user is told."""
    told: Iterable[dict[str, float]] = [words, *wish.keywords.values()]
    if not any(is_pattern(word) for one in told for word in one):
        return JUDGE
    if not wish.has_pages:
        return KeywordsJudge.name
    wish.notes.append(f"the judge {JUDGE} cannot use regular expressions among keywords; the judge keywords can")
    return JUDGE


def _write(folder: Path, text: str, wish: Wish) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if wish.query:
            (folder / QUERY).write_text(f"{wish.query}\n", encoding="utf-8")
            wish.relevant.insert(0, QUERY)
        for name, lines in wish.lists().items():
            (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        if wish.tree is not None:
            write_topics(specs(wish), folder / TOPICS)
        (folder / SETTINGS).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}; choose another folder") from error
