"""Closed and open ledgers: whether a link to a page that a collected web lacks costs a fetch, as in a live crawl."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.errors import InputError
from clew.lab.tasks import Task

AS_WRITTEN, CLOSED, OPENED, BOTH = LEDGERS = ("task", "closed", "open", "both")
"""As the task says; links to absent pages are free; they cost a fetch; each task twice."""

OPEN = "-open"
"""Ends the name of a task with an open ledger, where each is run with both."""


def with_ledgers(tasks: Sequence[Task], which: str) -> list[Task]:
    """The tasks with the ledger that one of LEDGERS says. Simulated webs lack no page, so they stay as they are.

    Raises InputError for another word.
    """
    if which not in LEDGERS:
        raise InputError(f"there is no ledger {which!r}; choose one of: {', '.join(LEDGERS)}")
    return [one for task in tasks for one in _with(task, which)]


def _with(task: Task, which: str) -> list[Task]:
    if which == AS_WRITTEN or task.web.startswith("sim:"):
        return [task]
    closed, opened = replace(task, closed=True), replace(task, closed=False)
    if which == BOTH:
        return [closed, replace(opened, name=task.name + OPEN)]
    return [closed if which == CLOSED else opened]
