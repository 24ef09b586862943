"""What a running crawl tells its operator: one line an event worth knowing, through the logger ``clew.crawl``.

Each record carries ``event``, a short name, and ``facts``, the figures of its text, for handlers that write JSON.
"""

from __future__ import annotations

from logging import DEBUG, INFO, getLogger

from clew.model import Decision, Outcome, Session, Visit
from clew.store.base import Store
from clew.words import digits, many

LOGGER = getLogger("clew.crawl")

Fact = str | int | float | bool


def tell(event: str, text: str, level: int = INFO, /, **facts: Fact) -> None:
    """Log an event."""
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, "%s", text, extra={"event": event, "facts": facts})


def decide(store: Store, decision: Decision) -> None:
    """The strategy, or the crawl, decided something: for the decision log, and for the operator."""
    store.journal.add_decision(decision)
    tell("decision", in_words(decision), **{**decision.facts, "kind": decision.kind})


def in_words(decision: Decision) -> str:
    """A decision as logs tell it."""
    facts = ", ".join(f"{name} {value}" for name, value in decision.facts.items())
    return f"{decision.kind}{': ' if facts else ''}{facts}"


def session_ended(session: Session, waiting: int, rescored: bool) -> None:
    """A session ended."""
    tell(
        "session",
        f"session {session.number}: {session.relevant} of {session.fetched} pages relevant, "
        f"{session.relevant_total} of {session.fetched_total} in all, {many(waiting, 'link')} waiting"
        f"{', all links scored again' if rescored else ''}",
        number=session.number,
        fetched=session.fetched,
        relevant=session.relevant,
        fetched_total=session.fetched_total,
        relevant_total=session.relevant_total,
        waiting=waiting,
        rescored=rescored,
    )


def visited(visit: Visit) -> None:
    """A page was fetched and applied; every one of them, so at the level for debugging."""
    if not LOGGER.isEnabledFor(DEBUG):
        return
    outcome, link = visit.response.outcome, visit.link
    said = f"relevance {digits(visit.relevance)}{', relevant' if visit.relevant else ''}"
    reason = visit.reason or visit.response.reason
    if outcome is not Outcome.OK or visit.page is None:
        said = reason or str(outcome)
    elif visit.response.reason:
        said += f", {visit.response.reason}"
    tell(
        "visit",
        f"visit {visit.number}: {link.url}: {said}",
        DEBUG,
        number=visit.number,
        url=link.url,
        outcome=str(outcome),
        status=visit.response.status,
        relevance=round(visit.relevance, 6),
        relevant=visit.relevant,
        score=round(link.score, 6),
        depth=link.depth,
        reason=reason,
    )


def set_aside(url: str, reason: str) -> None:
    """A link was not fetched and will not be."""
    tell("set aside", f"not fetched: {url}: {reason}", DEBUG, url=url, reason=reason)
