"""Traps: URLs without end on some hosts, beside the numbered pages of the web.

A host with traps has a calendar (``/calendar/month-N.html``: N from 0 to 10^12, each month leads to the months before
and after it and to the same month of other years), a print version of each page (``/print/N.html``, the page without
its last words), and tickets: any page under ``?ticket=N`` is the same page, but its links within the host carry new
tickets. All are functions of their URL. Months are about nothing; print versions and ticketed pages are duplicates.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.web.simulated.hashing import draw, key, unit
from clew.web.simulated.layout import Layout

MONTHS = 10**12
_TICKETS = 1 << 40
_YEAR = 12
_PATH = re.compile(r"/(calendar/month|print/page)-(0|[1-9]\d{0,11})\.html")
_TICKET = re.compile(r"ticket=(0|[1-9]\d{0,12})")
_STARTS = 1_200  # months to which the pages of a host lead


_HREF = re.compile(r'href="(/|/(?!calendar/|print/)[a-z]+/[a-z]+-\d+\.html)"')


class Trap(NamedTuple):
    """A page in a trap. ``month`` >= 0: of a calendar; else a copy of page ``local``: with a ``ticket`` (>= 0), or in
    print."""

    host: int
    month: int = -1
    local: int = -1
    ticket: int = -1


class Link(NamedTuple):
    """A link into a trap: its path and its text."""

    path: str
    text: str


class Traps:
    """The traps of one web."""

    def __init__(self, layout: Layout, seed: int) -> None:
        self._layout = layout
        self._share = layout.parameters.traps
        self._keys = {name: key(seed, f"trap {name}") for name in ("host", "month", "ticket")}

    def on(self, host: int) -> bool:
        """Whether a host has traps."""
        return self._share > 0 and unit(draw(self._keys["host"], host)) < self._share

    def read(self, host: int, path: str) -> Trap | None:
        """The trap at a path without a query; None if it is none."""
        match = _PATH.fullmatch(path) if self.on(host) else None
        if match is None:
            return None
        number = int(match[2])
        if match[1] == "calendar/month":
            return Trap(host, month=number)
        return Trap(host, local=number) if number < self._layout.size(host) else None

    def ticket(self, host: int, query: str) -> int | None:
        """The number of a ticket in a URL's query; None if there is none or the host sells none."""
        match = _TICKET.fullmatch(query) if self.on(host) else None
        return int(match[1]) if match else None

    def entrances(self, host: int, local: int, path: str) -> list[Link]:
        """The links into traps on a numbered page with this path, none where its host has none."""
        if not self.on(host):
            return []
        start = draw(self._keys["month"], host, local) % _STARTS
        return [
            Link(f"/calendar/month-{start}.html", "calendar"),
            Link(f"/print/page-{local}.html", "print version"),
            Link(f"{path}?ticket={self._next(host, local, -1)}", "log in"),
        ]

    def months(self, month: int) -> list[Link]:
        """The links of a month: to its neighbours and to the home page."""
        near = ((1, "next month"), (-1, "previous month"), (_YEAR, "next year"), (-_YEAR, "previous year"))
        there = ((month + step, text) for step, text in near if 0 <= month + step < MONTHS)
        return [Link("/", "home"), *(Link(f"/calendar/month-{other}.html", text) for other, text in there)]

    def sold(self, html: str, trap: Trap) -> str:
        """A page as it looks under a ticket: links to numbered pages of its host carry the next one."""
        number = self._next(trap.host, trap.local, trap.ticket)
        return _HREF.sub(lambda match: f'href="{match[1]}?ticket={number}"', html)

    def _next(self, host: int, local: int, ticket: int) -> int:
        return draw(self._keys["ticket"], host, local, ticket + 1) % _TICKETS
