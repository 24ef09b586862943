"""Ariadne's criteria that need only a link's evidence, and how they make a score (Ester and others 2001 section 3.2).

Each gives float64[n] in (0, 1], or float64[1] where all links of a page have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from clew.model import Doubles, LinkBatch
from clew.strategies.ariadne.settings import AriadneSettings

BITS = 24
"""A frontier keeps scores as float32: so many bits of a lexicographic score count."""


def host(links: LinkBatch, settings: AriadneSettings) -> Doubles:
    """(d) by the host alone: after 15 bad pages the 16th is probably bad, too."""
    m, p = settings.host_strength, settings.host_prior
    return np.asarray((links.host_relevant.astype(np.float64) + m * p) / (links.host_visits + m), np.float64)


def distance(links: LinkBatch, settings: AriadneSettings) -> Doubles:
    """(e): falls with every link, and never to the floor, below which all distances would be the same."""
    return np.asarray(settings.floor + (1.0 - settings.floor) / (1.0 + links.depths), np.float64)


def level(links: LinkBatch, settings: AriadneSettings) -> Doubles:
    """(f)."""
    return np.asarray(1.0 / (1.0 + links.file_level), np.float64)


def transversal(links: LinkBatch, settings: AriadneSettings) -> Doubles:
    """(g)."""
    return np.where(links.same_host, settings.intrinsic, 1.0)


def hub(links: LinkBatch, settings: AriadneSettings) -> Doubles:
    """(h)."""
    return np.array([links.out_degree / (links.out_degree + settings.hub_links)])


LOCAL: dict[str, Callable[[LinkBatch, AriadneSettings], Doubles]] = {
    "distance": distance,
    "level": level,
    "transversal": transversal,
    "hub": hub,
}


def geometric(parts: Iterable[tuple[float, Doubles]], count: int, floor: float) -> Doubles:
    """The weighted geometric mean of (weight, criterion), float64[count], each at least ``floor``."""
    total, weights = np.zeros(count, np.float64), 0.0
    for weight, values in parts:
        total += weight * np.log(np.maximum(values, floor))
        weights += weight
    return np.asarray(np.exp(total / weights), np.float64)


def lexicographic(parts: Sequence[Doubles], count: int) -> Doubles:
    """A number in [0, 1) whose digits are the criteria, the first one first, float64[count].

    Each is rounded down to one of 2^(BITS / k) steps, so that float32 tells all vectors of steps apart.
    """
    steps = 2 ** (BITS // len(parts))
    code = np.zeros(count, np.float64)
    for values in parts:
        code = code * steps + np.minimum(np.floor(values * steps), steps - 1)
    return code / float(steps) ** len(parts)
