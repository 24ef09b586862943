"""What a resumed crawl looks at again: refusals and failures that were passing, or that settings made which changed.

A link whose refusal is taken back waits again. When its turn comes the same question is asked anew, which costs nothing
but a look-up at most. A page that failed by a setting (the reason names it) is asked for once more: the first visit
stays, and the second is one of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from clew.crawl.events import tell
from clew.crawl.parts import Parts
from clew.crawl.verdicts import NO_PAGE
from clew.model import LISTS, Outcome
from clew.store.records import Refusal, VisitRow
from clew.text.mediatypes import wanted_types
from clew.urls.never import SPARED
from clew.web.base import GIVEN_UP
from clew.words import form, many

PASSING = (GIVEN_UP, "there is no host ", "the address of ", "no address for ", "robots.txt unreachable ")
"""How the reasons of refusals begin that held for their run only (runs of today do not refuse for the like)."""

ADDRESS = "(web.live.allow_private)"
"""What the reasons of the address guard end with. A name may have got another address since."""

SCOPE = "scope."
"""What the reasons of the scope name: the setting."""

LIMITS = "[limits]"
"""Under this name the limits of the last run are kept, beside the states of strategies."""

_LIMIT = re.compile(r"\(limits\.([a-z_]+)\)")
"""How the reason of a failure names the limit that it met."""


def readmit(parts: Parts) -> None:
    """Take back the refusals that may not hold any more, and ask again for pages whose failures may not."""
    links, last = parts.store.links, parts.store.journal.last_run()
    moved = last is not None and last.web != parts.run.web
    for refusal in [one for one in links.refusals() if _may_have_passed(parts, one, moved)]:
        links.readmit(refusal.key)
    _ask_again(parts)


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


# -- visits -----------------------------------------------------------------------------------------------


def _ask_again(parts: Parts) -> None:
    """Pages that failed by a limit that was raised since the last run, and redirects that were not followed."""
    journal, now = parts.store.journal, _limits(parts)
    saved = journal.saved(LIMITS)
    before: Mapping[str, Any] = msgspec.json.decode(saved.state) if saved is not None else now
    wanted = frozenset(name.lower() for name in wanted_types(parts.settings))
    rows = [row for row in parts.store.visits.unjudged() if _may_do_better(parts, row, before, now, wanted)]
    if rows:
        parts.store.visits.ask_again(row.number for row in rows)
        count = len(rows)
        text = f"{many(count, 'page')} {form(count, 'is', 'are')} asked for again: the settings that kept "
        tell("asked again", f"{text}{form(count, 'it', 'them')} out were changed", pages=count)
    if before != now or saved is None:
        journal.save(LIMITS, 0, msgspec.json.encode(now))


def _limits(parts: Parts) -> dict[str, float]:
    """The limits that are numbers or switches; what is larger lets more in."""
    limits: dict[str, Any] = msgspec.to_builtins(parts.settings.limits)
    return {name: value for name, value in limits.items() if isinstance(value, int | float)}


def _may_do_better(
    parts: Parts, row: VisitRow, before: Mapping[str, Any], now: Mapping[str, Any], wanted: frozenset[str]
) -> bool:
    """Whether a visit that gave no page may give one by the settings of ``now``. ``wanted``: content types that are
    downloaded, none for all."""
    if row.outcome is Outcome.REDIRECT:
        return _may_be_followed(parts, row)
    names: list[str] = _LIMIT.findall(row.reason)
    if "content_types" in names:
        return not wanted or row.content_type in wanted
    return any(now[name] > before.get(name, now[name]) for name in names if name in now)


def _may_be_followed(parts: Parts, row: VisitRow) -> bool:
    """Whether a redirect that led nowhere, by the scope or by the length of the URL, leads somewhere now."""
    if not (SCOPE in row.reason or f": {SPARED}" in row.reason or row.reason.endswith(NO_PAGE)):
        return False
    target = parts.canonicalise(row.location, row.url)
    if target is None:
        return False
    why_not = parts.scope.why_not_list(target) if row.kind in LISTS else parts.scope.why_not(target, row.depth)
    return why_not is None
