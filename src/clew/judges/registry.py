"""Judges by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from clew.config import JudgeSettings
from clew.errors import ConfigError
from clew.judges import background
from clew.judges.base import Judge
from clew.judges.centroid import CentroidJudge
from clew.judges.embedding import Embedded, EmbeddingJudge
from clew.judges.ensemble import VOTES, EnsembleJudge
from clew.judges.features import Features
from clew.judges.keywords import KeywordsJudge
from clew.judges.logistic import LogisticJudge
from clew.judges.naive_bayes import NaiveBayesJudge
from clew.judges.reference import Reference, shipped_shares
from clew.judges.selection import MEASURES
from clew.judges.svm import SvmJudge
from clew.judges.trained import TrainedJudge
from clew.judges.vectors import Shares
from clew.judges.wordvectors import word_vectors

CRAWL = "crawl"
REFERENCES: dict[str, Shares] = {"words": background.document_shares, "table": shipped_shares}
"""Reference corpora by name: word frequencies, the table that ships with Clew; CRAWL is what a crawl learned."""

Topics = tuple[str, ...]
Maker = Callable[[Topics, JudgeSettings, Mapping[str, float], int], Judge]


def _features(settings: JudgeSettings) -> Features:
    return Features(pairs=settings.pairs, lead=settings.lead, damped=settings.damped, heaviest=settings.heaviest)


def _naive_bayes(topics: Topics, settings: JudgeSettings, seed: int) -> TrainedJudge:
    return NaiveBayesJudge(
        topics,
        smoothing=settings.smoothing,
        background=settings.background,
        seed=seed,
        features=_features(settings),
    )


def _centroid(topics: Topics, settings: JudgeSettings, seed: int) -> TrainedJudge:
    return CentroidJudge(topics, background=settings.background, seed=seed, features=_features(settings))


def _svm(topics: Topics, settings: JudgeSettings, seed: int) -> TrainedJudge:
    return _linear(SvmJudge, topics, settings, seed)


def _logistic(topics: Topics, settings: JudgeSettings, seed: int) -> TrainedJudge:
    return _linear(LogisticJudge, topics, settings, seed)


def _linear(
    kind: type[SvmJudge] | type[LogisticJudge], topics: Topics, settings: JudgeSettings, seed: int
) -> TrainedJudge:
    _one_of("judge.selection", settings.selection, MEASURES)
    return kind(
        topics,
        background=settings.background,
        seed=seed,
        features=_features(settings),
        kept=settings.features,
        selected_by=settings.selection,
        cost=settings.cost,
    )


TRAINED: dict[str, Callable[[Topics, JudgeSettings, int], TrainedJudge]] = {
    NaiveBayesJudge.name: _naive_bayes,
    SvmJudge.name: _svm,
    LogisticJudge.name: _logistic,
    CentroidJudge.name: _centroid,
}
"""Judges that learn from examples, and may be members of an ensemble."""


def _ensemble(topics: Topics, settings: JudgeSettings, seed: int) -> Judge:
    _one_of("judge.vote", settings.vote, VOTES)
    if not settings.members:
        raise ConfigError(f"judge.members is empty: name some of {', '.join(sorted(TRAINED))}")
    for name in settings.members:
        _one_of("judge.members", name, TRAINED)
    return EnsembleJudge([TRAINED[name](topics, settings, seed) for name in settings.members], settings.vote)


def _embedding(topics: Topics, settings: JudgeSettings, seed: int) -> Judge:
    features = Embedded(lead=settings.lead, folder=settings.model)
    word_vectors(settings.model)  # a missing library or model is found before anything is fetched
    return EmbeddingJudge(topics, background=settings.background, seed=seed, features=features)


def _one_of(setting: str, value: str, choices: Iterable[str]) -> None:
    if value not in (known := sorted(choices)):
        raise ConfigError(f"{setting}: there is no {value!r}; choose from: {', '.join(known)}")


def _trained(name: str) -> Maker:
    return lambda topics, settings, _keywords, seed: TRAINED[name](topics, settings, seed)


JUDGES: dict[str, Maker] = {
    **{name: _trained(name) for name in TRAINED},
    EmbeddingJudge.name: lambda topics, settings, _keywords, seed: _embedding(topics, settings, seed),
    EnsembleJudge.name: lambda topics, settings, _keywords, seed: _ensemble(topics, settings, seed),
    KeywordsJudge.name: lambda topics, _settings, keywords, _seed: KeywordsJudge(topics, keywords),
}
"""Every judge: the name that users write, and what makes it."""


def make(
    settings: JudgeSettings,
    topics: tuple[str, ...],
    keywords: Mapping[str, float],
    seed: int,
    together: Sequence[tuple[int, int]] = (),
    by_topic: Mapping[str, Mapping[str, float]] | None = None,
    corpus: Reference | None = None,
) -> Judge:
    """The judge that ``settings`` names, untrained. ``corpus``: how rare words are in the crawl's own pages.

    ``keywords`` are those of the first topic, ``by_topic`` those of others by path; ``together``: pairs of topics
    (indices) that a page may be about at once. Raises ConfigError for a wrong name.
    """
    if settings.name not in JUDGES:
        raise ConfigError(f"there is no judge {settings.name!r}; choose one of: {', '.join(sorted(JUDGES))}")
    if settings.name == KeywordsJudge.name and by_topic:
        return KeywordsJudge(topics, keywords, by_topic)
    judge = JUDGES[settings.name](topics, settings, keywords, seed)
    if isinstance(judge, TrainedJudge | EnsembleJudge):
        judge.refer_to(_shares(settings, corpus))
        if together:
            judge.combine(together)
    return judge


def _shares(settings: JudgeSettings, corpus: Reference | None) -> Shares:
    """Where the rarity of features comes from."""
    _one_of("judge.reference", settings.reference, {*REFERENCES, CRAWL})
    if settings.reference == CRAWL:
        if corpus is None:
            raise ConfigError(
                'judge.reference is "crawl", but nothing was learned yet: '
                "crawl with another one first, then clew topics --learn-reference"
            )
        return corpus.shares
    return REFERENCES[settings.reference]
