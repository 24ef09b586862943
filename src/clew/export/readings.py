"""What a report says in words, plain text: about the whole crawl, each of its plots, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.export import plots
from clew.export.choosing import Choice
from clew.export.plots import WINDOW
from clew.export.reportdata import ReportCollection, ReportData, ReportPage

DIGITS = "Near 1 a score has as many digits as tell it from better ones."
COLLECTIONS = "The best of each wanted topic; a page belongs to the nearest."
NOTHING = "Nothing was fetched yet."


@dataclass(frozen=True, slots=True)
class Section:
    """A plot (SVG) with its title and what it says."""

    title: str
    says: str
    svg: str


def sections(data: ReportData) -> tuple[Section, ...]:
    """The plots of a crawl; none where nothing was fetched."""
    if not len(data.relevant):
        return ()
    return (
        Section("Pages found", _harvest(data), plots.harvest(data.relevant)),
        Section("Sliding window", _window(data), plots.window(data.relevant, data.relevance)),
        Section("Link distance", _distance(data), plots.distances(data.depth, data.relevant)),
        Section("Top hosts", _hosts(data), plots.hosts(data.hosts)),
    )


def verdict(data: ReportData) -> str:
    """How the crawl went, in some sentences."""
    n, found = len(data.relevant), int(data.relevant.sum())
    if not n:
        return "This crawl has not fetched anything yet."
    share = found / n
    late = float(data.relevant[-WINDOW:].mean())
    trend = "It still finds them at that rate" if late >= 0.8 * share else "It finds fewer now"
    return (
        f"{found:,} of {n:,} fetches brought a page that was judged relevant ({share:.3f}). "
        f"{trend}: {late:.3f} over the last {min(n, WINDOW)}.{_precision(data)}"
    )


def best(pages: Sequence[ReportPage], choice: Choice) -> str:
    """What the table of the best pages holds."""
    if not pages:
        return "None yet."
    return f"The {len(pages)} pages the judge is surest of.{_choice(choice)}{_inherited(pages)} {DIGITS}"


def collection(one: ReportCollection) -> str:
    """The name of a collection and how much is in it."""
    documents = f", {one.documents:,} of them documents" if one.documents else ""
    return f"{one.name}: {len(one.pages):,}{documents}"


def _precision(data: ReportData) -> str:
    return f" How many of those are so: {data.precision}, in an interval of 90 %." if data.precision else ""


def _harvest(data: ReportData) -> str:
    found = np.flatnonzero(data.relevant)
    if not len(found):
        return "No relevant page was found; look at the judge's examples or the seeds."
    half = int(found[(len(found) - 1) // 2]) + 1
    return f"Half of the relevant pages were found within the first {half:,} of {len(data.relevant):,} fetches."


def _window(data: ReportData) -> str:
    late = float(data.relevant[-WINDOW:].mean())
    if late < 0.02:
        return "The last stretch found next to nothing: more budget will hardly help with these seeds and this focus."
    return f"In the last {min(len(data.relevant), WINDOW)} fetches one page in {1 / late:.1f} was relevant."


def _distance(data: ReportData) -> str:
    near = data.depth[data.relevant]
    if not len(near):
        return "No relevant page was found."
    return f"Relevant pages lie {int(np.median(near))} links from the seeds in the median, {int(near.max())} at most."


def _hosts(data: ReportData) -> str:
    if not data.hosts:
        return "No host was visited."
    name, relevant, _ = data.hosts[0]
    share = relevant / max(int(data.relevant.sum()), 1)
    return f"{name} alone gave {relevant:,} relevant pages, {share:.0%} of all."


def _choice(choice: Choice) -> str:
    found = f" Of a host {choice.per_host} at most." if choice.per_host else ""
    return (
        f"{found} Hosts take turns: a page counts less for each one of its host before it." if choice.diverse else found
    )


def _inherited(pages: Sequence[ReportPage]) -> str:
    count = sum(page.inherited for page in pages)
    return f" {count:,} are documents with the relevance of a page that links to them." if count else ""
