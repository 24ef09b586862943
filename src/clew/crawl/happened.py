"""What happened in a run besides pages: judges that were replaced, outages, hosts that rested."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Happened:
    """``judges``: how often all pages were judged again, by a new judge; ``turned``: how many changed from relevant to
    not or back, all times together. ``outages``: how often nothing answered; those that are over took ``outage_s``
    seconds together. ``rested``: names of hosts that did not answer as they should; ``back``: those of them that did
    again."""

    judges: int = 0
    turned: int = 0
    outages: int = 0
    outage_s: float = 0.0
    rested: set[str] = field(default_factory=set)
    back: set[str] = field(default_factory=set)
