"""A search provider over a file of JSON lines."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated

from clew import SearchProvider
from clew.errors import InputError
from clew.section import doc
from clew.web.providers.base import Collector, Hit, ProviderContext, ProviderError, ProviderSettings
from clew_sample.pages import Line, read


class PagesIndex(SearchProvider):
    """Finds the pages with the most words of the query, of equal ones the first in the file."""

    class Settings(ProviderSettings, frozen=True, kw_only=True):
        """[providers.search] with kind = "pages-index" """

        path: Annotated[str, doc("A file of JSON lines, relative to the project.")]

    def __init__(self, context: ProviderContext, settings: Settings) -> None:
        self.canonicalise = context.canonicalise
        self.path = context.folder / settings.path
        self.lines: list[tuple[Line, Counter[str]]] | None = None

    async def search(self, query: str, limit: int) -> list[Hit]:
        wanted = set(words(query))
        scored = [(sum(counts[word] for word in wanted), line) for line, counts in self.indexed()]
        found = Collector(limit, self.canonicalise)
        for score, line in sorted(scored, key=lambda pair: -pair[0]):
            if score == 0 or found.full:
                break
            found.add(line.url, line.title)
        return found.hits

    def indexed(self) -> list[tuple[Line, Counter[str]]]:
        """Every page with its words, read at the first question."""
        if self.lines is None:
            try:
                lines = [line for line in read(self.path) if not line.location]
            except InputError as error:
                raise ProviderError(self.name, str(self.path), str(error)) from error
            self.lines = [(line, Counter(words(f"{line.title} {line.html}"))) for line in lines]
        return self.lines


def words(text: str) -> list[str]:
    """The words of a text, without markup."""
    return re.findall(r"\w+", re.sub(r"<[^>]*>", " ", text).lower())
