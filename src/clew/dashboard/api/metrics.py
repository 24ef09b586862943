"""Figures for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from clew.dashboard.api.common import ShelfOf
from clew.dashboard.projects import Shown
from clew.dashboard.watching import state_of
from clew.errors import ClewError
from clew.export.crawlstate import CrawlState

router = APIRouter(tags=["metrics"])

COUNTERS: Final = {
    "fetched": ("clew_fetched", "Requests for pages, whatever came of them."),
    "relevant": ("clew_relevant", "Visited pages that the judge calls relevant."),
    "failed": ("clew_failed", "Visits that ended in a failure."),
    "redirects": ("clew_redirects", "Visits that ended in a redirect."),
    "refused": ("clew_refused", "URLs that were not fetched and will not be."),
    "robots": ("clew_robots_requests", "Requests for robots.txt."),
    "bytes": ("clew_received_bytes", "Bytes of pages, decoded."),
}
"""Field of the figures -> name without _total, and what it counts. They sink when pages are judged again or a crawl is
begun anew, which Prometheus takes for a counter that was reset."""

GAUGES: Final = {
    "harvest_rate": ("clew_harvest_rate", "Relevant pages per fetch in the whole crawl, 0 to 1."),
    "window_rate": ("clew_recent_harvest_rate", "Relevant pages per fetch in the last 200, 0 to 1."),
    "waiting": ("clew_frontier_links", "Links that wait to be fetched."),
}

LIVE: Final = {
    "recent_pages_per_s": ("clew_pages_per_second", "Fetches a second in the last 30 seconds of a running crawl."),
    "requests": ("clew_requests_in_flight", "Requests that wait for their answers."),
}
"""Of crawls that run."""

HOSTS: Final = {"busy": "hosts_active", "waiting": "hosts_waiting", "resting": "hosts_resting"}

STATES: Final = {
    "clew_running": ("Whether a crawl of the project runs, paused or not.", ("running", "paused", "stopping")),
    "clew_paused": ("Whether a user paused it.", ("paused",)),
}


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(shelf: ShelfOf) -> Response:
    """The figures of all projects in the text format of Prometheus, each with a label ``project``. A scrape gives the
    token as a bearer token; where CLEW_TOKEN names it, it stays the same from one clew serve to the next."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Scrape({shown.name: _state(shown) for shown in shelf}))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _state(shown: Shown) -> CrawlState | None:
    """How a crawl stands; None where that cannot be read."""
    try:
        return state_of(shown)
    except ClewError:
        return None


class _Scrape(Collector):
    """The metrics of one scrape."""

    def __init__(self, states: Mapping[str, CrawlState | None]) -> None:
        self._states = states

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("clew_up", "Whether the project and its database can be read.", labels=["project"])
        for project, state in self._states.items():
            up.add_metric([project], float(state is not None))
        yield up
        known = {project: state for project, state in self._states.items() if state is not None}
        for name, (says, states) in STATES.items():
            gauge = GaugeMetricFamily(name, says, labels=["project"])
            for project, state in known.items():
                gauge.add_metric([project], float(state.state in states))
            yield gauge
        stored = {project: state.figures for project, state in known.items() if state.figures is not None}
        running = {project: state.live for project, state in known.items() if state.live is not None}
        for field, (name, says) in COUNTERS.items():
            yield _filled(CounterMetricFamily(name, says, labels=["project"]), field, stored)
        for field, (name, says) in GAUGES.items():
            yield _filled(GaugeMetricFamily(name, says, labels=["project"]), field, stored)
        for field, (name, says) in LIVE.items():
            yield _filled(GaugeMetricFamily(name, says, labels=["project"]), field, running)
        hosts = GaugeMetricFamily("clew_hosts", "Hosts of a running crawl, by state.", labels=["project", "state"])
        for project, live in running.items():
            for state_name, field in HOSTS.items():
                hosts.add_metric([project, state_name], float(getattr(live, field)))
        yield hosts


def _filled(
    family: CounterMetricFamily | GaugeMetricFamily, field: str, of: Mapping[str, object]
) -> CounterMetricFamily | GaugeMetricFamily:
    """A sample for every project of which the figure is known."""
    for project, figures in of.items():
        value = getattr(figures, field)
        if value is not None:
            family.add_metric([project], float(value))
    return family
