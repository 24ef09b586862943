"""What importers of topics hand over, one link or folder at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A link filed under a topic, or only a topic (``url`` empty).

    ``path`` names folders from the root; ``added`` is Unix time in seconds, 0 when unknown. A link may serve as
    seed of the crawl, as example of its topic, or as both.
    """

    path: tuple[str, ...] = ()
    url: str = ""
    title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    added: float = 0.0
    seed: bool = True
    example: bool = True
