"""Judging pages outside a crawl: the judge a crawl would use, on URLs and files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from clew.errors import InputError
from clew.examples.gathering import Training, Wanted, local
from clew.judges.base import Judge
from clew.model import Example, Outcome, Request, Response
from clew.project.project import Project
from clew.project.run import CrawlOptions, chosen
from clew.project.teaching import make_training, measured, trained
from clew.text.reader import Unreadable
from clew.topics.interest import Interest
from clew.web.cached import AroundWorld
from clew.web.registry import absolute
from clew.web.registry import make as make_world

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

    opened = False

    async def open(self) -> None:
        """Not yet."""

    async def fetch(self, request: Request) -> Response:
        if not self.opened:
            await self.world.open()
            self.opened = True
        return await self.world.fetch(request)


class _Session:
    """A project's store and web, open for a while."""

    def __init__(self, project: Project, judge: str | None) -> None:
        settings = chosen(project.settings, CrawlOptions(judge=judge))
        self.project = project.with_settings(settings)
        self.notes: list[str] = []

    async def verdicts(self, pages: Sequence[Wanted]) -> list[Verdict]:
        async with self._training() as training:
            examples, adoption = await trained(self.project, training)
            judge, interest = adoption.judge, measured(self.project, adoption.judge, examples)
            return [self._verdict(judge, interest, page.line, await self._response(training, page)) for page in pages]

    async def trained(self) -> Trained:
        async with self._training() as training:
            examples, adoption = await trained(self.project, training)
            return Trained(self.project, adoption.judge, tuple(examples), tuple(self.notes))

    @asynccontextmanager
    async def _training(self) -> AsyncIterator[Training]:
        """What gathers examples and pages, over the project's store and web."""
        settings = self.project.settings
        store = self.project.open_store()
        try:
            web = absolute(settings.project.web, self.project.path)
            world, clock = make_world(web, settings, now=store.clock())
            try:
                yield make_training(self.project, store, _WhenNeeded(world), clock, self.notes.append)
            finally:
                await world.close()
        finally:
            store.close()

    async def _response(self, training: Training, page: Wanted) -> Response:
        if page.is_url:
            return training.visited(page.line) or await training.fetch(page.line)
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
