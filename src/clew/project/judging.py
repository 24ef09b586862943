"""Judging pages outside a crawl: the judge a crawl would use, on URLs and files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from clew.errors import InputError
from clew.examples.sources import Wanted, local
from clew.examples.training import Trainer
from clew.judges.base import Judge
from clew.model import Example, Outcome, Request, Response
from clew.project.assembly import CrawlOptions, check_names, check_wanted, chosen, setup_of
from clew.project.project import Project
from clew.text.reader import Unreadable
from clew.topics.interest import Interest
from clew.web.base import World
from clew.web.cached import AroundWorld

TERMS = 12


@dataclass(frozen=True, slots=True)
class Verdict:
    """A page and what the judge says of it. ``scores`` are per topic, ``terms`` (term, signed weight), ``steps`` the
    interest's formula bottom-up with its values; ``reason`` says why there is no judgement."""

    page: str
    title: str = ""
    language: str = ""
    relevance: float = 0.0
    relevant: bool = False
    topic: str = ""
    confidence: float = 0.0
    scores: tuple[tuple[str, float], ...] = ()
    steps: tuple[tuple[str, float], ...] = ()
    terms: tuple[tuple[str, float], ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Trained:
    """A project's judge, and what it was trained on."""

    project: Project
    judge: Judge
    examples: tuple[Example, ...]
    notes: tuple[str, ...]


def judge_pages(project: Project, pages: Sequence[Wanted], judge: str | None = None) -> list[Verdict]:
    """Verdicts on URLs (fetched politely, through the project's web) and local files. Raises ClewError."""
    return asyncio.run(_Session(project, judge).verdicts(pages))


def train_judge(project: Project, judge: str | None = None) -> Trained:
    """Train the judge of a project, fetching examples that are not kept yet. Raises ClewError."""
    return asyncio.run(_Session(project, judge).trained())


class _WhenNeeded(AroundWorld):
    """A world that is opened by the first request: judging local files needs none."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._opening = asyncio.Lock()
        self._opened = False

    async def open(self) -> None:
        """Not yet."""

    async def fetch(self, request: Request) -> Response:
        async with self._opening:  # requests for several hosts begin at once
            if not self._opened:
                await self.world.open()
                self._opened = True
        return await self.world.fetch(request)


class _Session:
    """A project's store and web, open for a while."""

    def __init__(self, project: Project, judge: str | None) -> None:
        settings = chosen(project.settings, CrawlOptions(judge=judge))
        self.project = project.with_settings(settings)
        self.notes: list[str] = []

    async def verdicts(self, pages: Sequence[Wanted]) -> list[Verdict]:
        async with self._trainer() as trainer:
            found = await trainer.trained()
            responses = [await self._response(trainer, page) for page in pages]
            return [
                self._verdict(found.judge, found.interest, page.line, response)
                for page, response in zip(pages, responses, strict=True)
            ]

    async def trained(self) -> Trained:
        async with self._trainer() as trainer:
            found = await trainer.trained()
            return Trained(self.project, found.judge, found.examples, tuple(self.notes))

    @asynccontextmanager
    async def _trainer(self) -> AsyncIterator[Trainer]:
        """What trains the judge, over the project's store and web."""
        check_names(self.project)
        check_wanted(self.project)
        store = self.project.open_store()
        try:
            setup = setup_of(self.project, store)
            setup = replace(setup, world=_WhenNeeded(setup.world))
            try:
                yield setup.trainer(self.notes.append)
            finally:
                await setup.world.close()
        finally:
            store.close()

    async def _response(self, trainer: Trainer, page: Wanted) -> Response:
        if page.is_url:
            return trainer.gatherer.visited(page.line) or await trainer.gatherer.fetch(page.line)
        try:
            return local(page, Path())
        except OSError as error:
            raise InputError(f"{page.line} cannot be read: {error.strerror}") from error

    def _verdict(self, judge: Judge, interest: Interest, name: str, response: Response) -> Verdict:
        if response.outcome is not Outcome.OK:
            return Verdict(name, reason=response.reason or str(response.outcome))
        try:
            page = self.project.reader.read(response)
        except Unreadable as error:
            return Verdict(name, reason=str(error))
        (judgement,) = judge.judge([page])
        relevance = interest.relevance(judgement)
        return Verdict(
            page=name,
            title=page.title,
            language=page.language,
            relevance=relevance,
            relevant=interest.relevant(relevance, judgement),
            topic=interest.topics[judgement.topic] if judgement.topic >= 0 else "other",
            confidence=float(judgement.confidence),
            scores=tuple(zip(interest.topics, map(float, judgement.scores), strict=True)),
            steps=tuple(interest.steps(judgement)),
            terms=tuple(judge.explain(page, TERMS, interest.wanted)),
        )
