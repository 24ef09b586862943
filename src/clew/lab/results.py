"""What one run of the lab recorded: a strategy and a judge on a task, fetch by fetch, against the task's truth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from clew.model import Bools, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One crawl of a task. Columns have one entry a fetch of the ledger, in the order of fetching.

    found bool[n]: whether the fetch brought a relevant page (by the truth) that was not brought before ·
    judged float32[n]: the judge's relevance, NaN where nothing was judged · predicted float32[n]: the score that the
    link had when it was taken · depth int32[n]: link distance from the seeds · tunnel int32[n]: pages judged irrelevant
    between the page that the link stands on and the last relevant one before it · sources int32[n]: the place of the
    fetch on whose page the link stood (or that redirected here), counted from 1, always an earlier one; 0 for seeds ·
    urls n canonical URLs.
    ``reachable``: relevant pages that can be reached from the seeds; ``budget``: fetches allowed.
    ``frontier``: links that waited at the end; ``robots``, ``absent``: counted apart from the ledger.
    ``strategy`` and ``judge``: variants as they were written; their settings as JSON, with the name of the part and
    those by default too. ``repeat`` 0 is the task as written, ``drawn``: this one is not; ``seed``: of the crawl, and
    of what was drawn; ``web``: that of this repeat. ``starts``, ``positive``, ``negative``, ``keywords``: how many
    start pages, examples and keywords there were; ``closed``: links to pages that the web lacks cost nothing.
    ``asked``: who links to a page, so often; ``backlinks``: what that costs. Where it costs fetches, questions have
    entries in the columns: an empty URL, NaN, and 0. ``precision``: of the pages that the judge called relevant in the
    end, the share that is so by the truth; ``recall_of_called``: of the relevant pages that were fetched, the share it
    called so; examples and start pages count in neither. ``estimated_precision``, with the interval from ``_low`` to
    ``_high``: what the judge expected. NaN where nothing can be told.
    """

    task: str
    strategy: str
    judge: str
    repeat: int
    budget: int
    reachable: int
    urls: tuple[str, ...]
    found: Bools
    judged: Floats
    predicted: Floats
    depth: Ints
    tunnel: Ints
    sources: Ints
    seconds: float
    cpu_ms_per_page: float
    frontier: int
    robots: int
    absent: int
    stopped_by: str
    seed: int = 0
    web: str = ""
    strategy_settings: str = "{}"
    judge_settings: str = "{}"
    version: str = ""
    drawn: bool = False
    starts: int = 0
    positive: int = 0
    negative: int = 0
    closed: bool = True
    asked: int = 0
    backlinks: str = ""
    keywords: int = 0
    precision: float = float("nan")
    recall_of_called: float = float("nan")
    estimated_precision: float = float("nan")
    estimated_low: float = float("nan")
    estimated_high: float = float("nan")

    @property
    def fetched(self) -> int:
        """Fetches of the ledger."""
        return len(self.found)

    @property
    def curve(self) -> Ints:
        """The found-curve: int32[n + 1], relevant pages found after 0, 1, ... n fetches."""
        return np.concatenate([[0], np.cumsum(self.found)]).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The true link graph of a task's web, of what a crawl can fetch. Pages are numbered 0 .. n − 1.

    urls n canonical URLs · targets int32[m] and starts int32[n + 1]: the pages that page i links to are
    ``targets[starts[i]:starts[i + 1]]``, in page order, each once, pages of the web only · redirects are pages with one
    link, their target · relevant bool[n]: the truth · seeds int32[k] · redirects int32[r]: which pages are such.
    """

    urls: tuple[str, ...]
    targets: Ints
    starts: Ints
    relevant: Bools
    seeds: Ints
    redirects: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
