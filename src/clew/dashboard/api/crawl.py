"""The crawl: how far it is, what it decided, and starting, pausing and stopping it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import Field

from clew.crawl.standing import Band, HostState
from clew.dashboard.api.common import BASE, Done, ShownOf
from clew.dashboard.projects import Shown
from clew.dashboard.watching import events, launcher_of, state_of
from clew.errors import ProjectError
from clew.export.crawlhosts import HostPage, hosts_live, hosts_stored
from clew.export.crawlstate import CrawlState, stamp_of
from clew.export.curve import Curve, Points
from clew.export.marks import KINDS, mark_of
from clew.export.refused import Refusals, RefusedGroup
from clew.export.telling import sentence
from clew.judges.registry import JUDGES
from clew.project.assembly import CrawlOptions
from clew.project.running import Running
from clew.strategies.registry import STRATEGIES

router = APIRouter(tags=["crawl"])

Limit = Annotated[int, Query(ge=1, le=500, description="How many, at most")]
Offset = Annotated[int, Query(ge=0, le=10_000_000, description="How many to leave out at the beginning")]
Name = Annotated[str, Field(max_length=200, pattern=r"^[\w.:-]+$")]


@dataclass(frozen=True, slots=True)
class Start:
    """What to say for this run. ``max_pages``: stop when the project has fetched so many in all; ``for_s``: stop after
    so many seconds; ``strategy`` and ``judge`` instead of those of clew.toml."""

    max_pages: Annotated[int, Field(ge=1, le=10**12)] | None = None
    for_s: Annotated[float, Field(gt=0, le=10**9)] | None = None
    strategy: Name | None = None
    judge: Name | None = None


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """An entry of the decision log: its number, from 1; when, by the crawl's clock; in which session and after which
    visit; of which kind of mark it is, "" where it is none; its words."""

    number: int
    at: float
    session: int
    visit: int
    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """Entries of the decision log, newest first, and how many there are in all."""

    total: int
    decisions: tuple[DecisionLine, ...]


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session that ended: its visits, how many of them were relevant, shares of relevant ones in it and in the whole
    crawl up to its end; the score of the best link that waited then, None where none did; whether all links were scored
    again."""

    number: int
    fetched: int
    relevant: int
    precision: float
    precision_total: float
    best_waiting: float | None
    rescored: bool
    at: float


@dataclass(frozen=True, slots=True)
class SessionLines:
    """Sessions, newest first, and how many there are in all."""

    total: int
    sessions: tuple[SessionLine, ...]


@dataclass(frozen=True, slots=True)
class RefusedGroups:
    """What was not fetched, by reason and host, the commonest reason first; ``total`` URLs in ``groups_total`` groups,
    of which these are the first."""

    total: int
    groups_total: int
    groups: tuple[RefusedGroup, ...]


@dataclass(frozen=True, slots=True)
class FrontierBands:
    """Waiting links by score; ``first`` of them come before all others, whatever they score. None waits: no bands."""

    bands: tuple[Band, ...]
    first: int


@router.get(f"{BASE}/crawl")
def crawl(shown: ShownOf) -> CrawlState:
    """How the crawl stands: whether it runs, what it waits for, why it ended, its figures, the stopping rules and how
    near each is, the queues of the strategy. The same as server-sent events, once a second: ``live`` beside this."""
    return state_of(shown)


@router.get(f"{BASE}/live", include_in_schema=False)  # it never ends, which descriptions of APIs cannot say
async def live(shown: ShownOf) -> StreamingResponse:
    """Server-sent events: ``state`` with what ``crawl`` tells, whenever it changed."""
    return StreamingResponse(events(shown), media_type="text/event-stream")


@router.get(f"{BASE}/curve")
def curve(shown: ShownOf, points: Annotated[int, Query(ge=2, le=5000)] = 400) -> Points:
    """The harvest curve at some visits, and marks where something happened: the focus was widened, the judge learned,
    nothing answered, a user paused the crawl."""
    project = shown.project()
    with shown.store() as store:
        idle = () if Running.find(project) is not None else stamp_of(project.database)
        return shown.kept(_curve).points(store, points, (project.crawl_number(), idle))


def _curve(shown: Shown) -> Curve:
    return Curve()


@router.get("/api/marks")
def kinds_of_marks() -> dict[str, str]:
    """The kinds of marks of a harvest curve, and what they mean."""
    return dict(KINDS)


@router.get(f"{BASE}/decisions")
def decisions(
    shown: ShownOf,
    limit: Limit = 50,
    before: Annotated[int | None, Query(ge=1, le=10**12, description="Only entries with lower numbers")] = None,
) -> Decisions:
    """The decision log, newest first: what the strategy, the judge and users decided."""
    with shown.store() as store:
        rows = list(enumerate(store.journal.decisions(), 1))
    some = rows[: before - 1 if before is not None else None][-limit:]
    lines = (
        DecisionLine(number, row.at, row.session, row.visit, mark_of(row.decision.kind), sentence(row.decision))
        for number, row in reversed(some)
    )
    return Decisions(len(rows), tuple(lines))


@router.get(f"{BASE}/sessions")
def sessions(shown: ShownOf, limit: Limit = 50) -> SessionLines:
    """The sessions that ended, newest first."""
    with shown.store() as store:
        rows = store.journal.sessions()
    lines = (
        SessionLine(
            number=row.session.number,
            fetched=row.session.fetched,
            relevant=row.session.relevant,
            precision=row.session.precision,
            precision_total=row.session.precision_total,
            best_waiting=row.session.best_waiting if row.session.best_waiting == row.session.best_waiting else None,
            rescored=row.rescored,
            at=row.at,
        )
        for row in reversed(rows[-limit:])
    )
    return SessionLines(len(rows), tuple(lines))


@router.get(f"{BASE}/hosts")
def hosts(
    shown: ShownOf,
    state: Literal["active", "waiting", "resting", "refused", "visited"] = "visited",
    limit: Limit = 50,
    offset: Offset = 0,
) -> HostPage:
    """Hosts in a state, those with most links or pages first. Which are active or waiting is known while a crawl
    runs."""
    running = Running.find(shown.project()) if state != "visited" else None
    if running is not None:
        known: HostState = state  # type: ignore[assignment]  # "visited" was taken out above
        return hosts_live(running, known, limit, offset)
    with shown.store() as store:
        return hosts_stored(store, state, limit, offset)


@router.get(f"{BASE}/refusals")
def refusals(shown: ShownOf, limit: Limit = 100) -> RefusedGroups:
    """What was not fetched and will not be, by reason and host. With many refusals it may be a little behind."""
    with shown.store() as store:
        found = shown.kept(_refusals).groups(store)
    return RefusedGroups(sum(group.count for group in found), len(found), tuple(found[:limit]))


def _refusals(shown: Shown) -> Refusals:
    return Refusals()


@router.get(f"{BASE}/bands")
def bands(shown: ShownOf, n: Annotated[int, Query(ge=1, le=100)] = 20) -> FrontierBands:
    """Waiting links by score, in bands of equal width; known while a crawl runs (409 else)."""
    found = _running(shown).bands(n)
    return FrontierBands(tuple(found.bands), found.first)


# -- what changes something -------------------------------------------------------------------------------


@router.post(f"{BASE}/crawl/start")
def start(shown: ShownOf, said: Start | None = None) -> Done:
    """Start the crawl, or resume it where it stopped, as ``clew crawl`` does. It is a process of its own: it goes on
    when the dashboard ends."""
    said = said or Start()
    if said.strategy:
        STRATEGIES.require(said.strategy)
    if said.judge:
        JUDGES.require(said.judge)
    project = shown.project()
    options = CrawlOptions(strategy=said.strategy, judge=said.judge, max_pages=said.max_pages, run_s=said.for_s or 0.0)
    if (writer := project.writer()) and not launcher_of(shown).pid:
        raise ProjectError(f"{project.database} is in use by process {writer}: a crawl runs already, or gets ready")
    goes_on = launcher_of(shown).start(options, lambda: Running.find(project) is not None)
    return Done("the crawl runs" if goes_on else f"the crawl ended at once: {state_of(shown).says}")


@router.post(f"{BASE}/crawl/pause")
def pause(shown: ShownOf) -> Done:
    """Take no new link until it is resumed; what is under way is finished."""
    return Done(_running(shown).pause())


@router.post(f"{BASE}/crawl/resume")
def resume(shown: ShownOf) -> Done:
    """Go on after a pause."""
    return Done(_running(shown).resume())


@router.post(f"{BASE}/crawl/stop")
def stop(shown: ShownOf) -> Done:
    """Stop as Ctrl-C does: what is under way is finished, all is kept. A second time gives up what is not answered."""
    return Done(_running(shown).stop())


def _running(shown: Shown) -> Running:
    running = Running.find(shown.project())
    if running is None:
        raise ProjectError(f"no crawl of {shown.name} runs: start one first")
    return running
