"""What a search found, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from clew.export.collection import iso, topic_name
from clew.project.finding import Answer
from clew.project.folder import ProjectFolder


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that was found. ``topic``: the path of the one that it is most about; ``date``: the day it says it is of;
    ``fetched_at``: ISO 8601 in UTC; ``number``: of its visit; ``score``: BM25 x (1 + relevance); ``marks``: (start,
    end) in the snippet, in characters."""

    url: str
    title: str
    relevance: float
    relevant: bool
    topic: str | None
    language: str
    date: str
    author: str
    fetched_at: str
    number: int
    score: float
    snippet: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class FoundPages:
    """The answer to ``query``, best first. ``pages``: how many were searched, of which ``textless`` have no text kept;
    ``behind``: so many more were visited and are not searched yet; ``ms``: the time of the search alone; ``notes``:
    what to know about the answer, in words."""

    query: str
    hits: tuple[FoundPage, ...]
    pages: int
    textless: int
    behind: int
    ms: float
    notes: tuple[str, ...]


def plain(project: ProjectFolder, query: str, answer: Answer) -> FoundPages:
    """The answer as ``clew search --json`` prints it and the dashboard gives it."""
    found, topics = answer.found, project.interest.topics
    hits = tuple(
        FoundPage(
            url=hit.row.url,
            title=hit.row.title,
            relevance=round(hit.row.relevance, 9),
            relevant=hit.row.relevant,
            topic=topic_name(hit.row, topics),
            language=hit.row.language,
            date=hit.text.date,
            author=hit.text.author,
            fetched_at=iso(hit.row.fetched_at),
            number=hit.row.number,
            score=round(hit.score, 4),
            snippet=hit.snippet.text,
            marks=hit.snippet.marks,
        )
        for hit in found.hits
    )
    ms = round(found.seconds * 1000, 1)
    return FoundPages(query, hits, found.pages, found.textless, found.behind, ms, answer.notes)
