"""Judges by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from clew.config import JudgeSettings
from clew.errors import ConfigError
from clew.judges.base import Judge
from clew.judges.centroid import CentroidJudge
from clew.judges.keywords import KeywordsJudge
from clew.judges.naive_bayes import NaiveBayesJudge

Maker = Callable[[tuple[str, ...], JudgeSettings, Mapping[str, float], int], Judge]

JUDGES: dict[str, Maker] = {
    NaiveBayesJudge.name: lambda topics, settings, _keywords, seed: NaiveBayesJudge(
        topics, smoothing=settings.smoothing, background=settings.background, seed=seed
    ),
    CentroidJudge.name: lambda topics, settings, _keywords, seed: CentroidJudge(
        topics, background=settings.background, seed=seed
    ),
    KeywordsJudge.name: lambda topics, _settings, keywords, _seed: KeywordsJudge(topics, keywords),
}
"""Every judge: the name that users write, and what makes it."""


def make(settings: JudgeSettings, topics: tuple[str, ...], keywords: Mapping[str, float], seed: int) -> Judge:
    """The judge that ``settings`` names, untrained. Raises ConfigError for a wrong name."""
    if settings.name not in JUDGES:
        raise ConfigError(f"there is no judge {settings.name!r}; choose one of: {', '.join(sorted(JUDGES))}")
    return JUDGES[settings.name](topics, settings, keywords, seed)
