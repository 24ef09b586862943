"""Refusals that a resumed crawl looks at again: those that were passing, and those whose settings changed.

A link whose refusal is taken back waits again. When its turn comes the same question is asked anew, which costs nothing
but a look-up at most.
"""

from __future__ import annotations

from clew.crawl.parts import Parts
from clew.model import Outcome
from clew.store.records import Refusal
from clew.urls.never import SPARED
from clew.web.base import GIVEN_UP

PASSING = (GIVEN_UP, "there is no host ", "the address of ", "no address for ", "robots.txt unreachable ")
"""How the reasons of refusals begin that held for their run only (runs of today do not refuse for the like)."""

ADDRESS = "(web.live.allow_private)"
"""What the reasons of the address guard end with. A name may have got another address since."""

SCOPE = "scope."
"""What the reasons of the scope name: the setting."""


def readmit(parts: Parts) -> None:
    """Take back the refusals that may not hold any more."""
    links, last = parts.store.links, parts.store.journal.last_run()
    moved = last is not None and last.web != parts.run.web
    for refusal in [one for one in links.refusals() if _may_have_passed(parts, one, moved)]:
        links.readmit(refusal.key)


def _may_have_passed(parts: Parts, refusal: Refusal, moved: bool) -> bool:
    """``moved``: this run asks another web than the last one."""
    reason = refusal.reason
    if refusal.outcome is Outcome.ABSENT:
        return moved
    if reason.startswith(PASSING):
        return True
    if ADDRESS in reason:
        return parts.world.live
    if SCOPE in reason or reason.startswith(SPARED):
        return parts.scope.why_not(refusal.url) is None
    return False
