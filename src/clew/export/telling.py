"""The decision log in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from clew.crawl.events import Fact, in_words
from clew.crawl.patience import OUTAGE, OUTAGE_OVER
from clew.model import Decision
from clew.words import interval, many

Facts = Mapping[str, Fact]


def sentence(decision: Decision) -> str:
    """A decision in words; one of a kind that is not known here as the log has it."""
    tell = _SENTENCES.get(decision.kind)
    try:
        return tell(decision.facts) if tell is not None else _plain(decision)
    except (KeyError, TypeError, ValueError):  # written by another version
        return _plain(decision)


def _plain(decision: Decision) -> str:
    facts = {name.replace("_", " "): _short(value) for name, value in decision.facts.items()}
    return in_words(Decision(decision.kind, facts))


def _short(value: Fact) -> Fact:
    """Four digits of a number behind the point are enough."""
    return round(value, 4) if isinstance(value, float) else value


def _learned(facts: Facts) -> str:
    sources = [many(int(facts["labels"]), "label")] if facts["labels"] else []
    sources += [many(int(facts["archetypes"]), "archetype")] if facts.get("archetypes") else []
    sources += [str(facts["learned_from"])] if facts.get("learned_from") else []
    said = f"the judge learned from {' and '.join(sources) or 'its examples'}{_losses(facts)}"
    if "estimated_precision" not in facts:
        return said
    share, low, high = (float(facts[f"estimated_{name}"]) for name in ("precision", "low", "high"))
    return f"{said}; of what it calls relevant, it expects {interval(share, low, high)} to be so"


def _refused(facts: Facts) -> str:
    sources = many(int(facts["labels"]), "label") if facts["labels"] else "what is new"
    return f"the judge stays as it is: with {sources} it did worse{_losses(facts)}"


def _losses(facts: Facts) -> str:
    if "loss_with" not in facts:
        return ""
    losses = f"loss {float(facts['loss_with']):.3f}, {float(facts['loss_without']):.3f} before"
    return f" ({losses}, on {many(int(facts['held_back']), 'page')} held back)"


def _focus(done: str) -> Callable[[Facts], str]:
    def tell(facts: Facts) -> str:
        now, so_far = float(facts["precision"]), float(facts["precision_total"])
        why = f"{now:.3f} of session {facts['session']} was relevant, {so_far:.3f} of all so far"
        change = f" from {facts['from']} to {facts['to']}" if facts["from"] != facts["to"] else f": {facts['to']}"
        return f"{done}{change} ({why})"

    return tell


def _stopped(facts: Facts) -> str:
    return f"{facts['by']} stopped the crawl{', and gave up what was under way' if int(facts['times']) > 1 else ''}"


def _blocked(facts: Facts) -> str:
    return f"{facts['by']} blocked {facts['entry']}: {many(int(facts['links']), 'waiting link')} left the frontier"


def _unblocked(facts: Facts) -> str:
    return f"{facts['by']} allowed {facts['entry']} again: {many(int(facts['links']), 'link')} came back"


_SENTENCES: Final[Mapping[str, Callable[[Facts], str]]] = {
    "judge adopted": _learned,
    "judge refused": _refused,
    "labels not taken into account": lambda facts: f"labels were not taken into account: {facts['reason']}",
    "judge did not learn from the crawl": lambda facts: f"the judge did not learn from the crawl: {facts['reason']}",
    "focus generalised": _focus("the focus was widened"),
    "focus specialised": _focus("the focus was narrowed"),
    "focus at the top": _focus("the focus cannot be widened any more"),
    "bingo trained": lambda facts: f"the judge was not trained again: {facts['refused']}" if "refused" in facts
    else _plain(Decision("the judge was trained again", facts)),
    "paused": lambda facts: f"{facts['by']} paused the crawl",
    "resumed": lambda facts: f"{facts['by']} resumed the crawl",
    "stopped": _stopped,
    "pushed": lambda facts: f"{facts['by']} asked for {facts['url']} next",
    "dropped": lambda facts: f"{facts['by']} set {facts['url']} aside",
    "blocked": _blocked,
    "unblocked": _unblocked,
    OUTAGE: lambda facts: f"nothing answered: {facts['reason']}",
    OUTAGE_OVER: lambda facts: f"the web answers again, after {facts['after']}",
}  # fmt: skip
