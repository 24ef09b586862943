"""Judges by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from clew.judges.base import Judge, JudgeContext
from clew.registry import Entry, Registry, settings_of
from clew.section import Section

JUDGES: Registry[Judge] = Registry(
    "judge",
    "clew.judges",
    Judge,  # type: ignore[type-abstract]  # it is what classes are checked against
    {
        "auto": Entry("clew.judges.auto.judge:AutoJudge", "words and meaning, and learns from its crawl"),
        "naive-bayes": Entry("clew.judges.naive_bayes:NaiveBayesJudge", "words of the examples"),
        "svm": Entry("clew.judges.svm:SvmJudge", "support vector machines, for topics that are alike"),
        "logistic": Entry("clew.judges.logistic:LogisticJudge", "logistic regression: as svm, with softer borders"),
        "centroid": Entry("clew.judges.centroid:CentroidJudge", "likeness to the mean of the examples"),
        "embedding": Entry("clew.judges.embedding:EmbeddingJudge", "similarity in meaning, by word vectors"),
        "ensemble": Entry("clew.judges.ensemble:EnsembleJudge", "a vote of several judges"),
        "keywords": Entry("clew.judges.keywords:KeywordsJudge", "weighted words and phrases, without examples"),
    },
    table="[judge.{name}]",
    page="docs/judges.md",
)
"""Every judge."""


def make(judge: str | Callable[..., Judge] | Judge, context: JudgeContext | None = None, **settings: Any) -> Judge:
    """A judge by its name, its class, or itself (which is taken as it is), untrained.

    Its settings are those of ``context.settings`` with ``settings`` on top. Raises ConfigError for a name, a table or a
    setting that there is not.
    """
    context = context or JudgeContext()
    for table in context.settings.tables:
        JUDGES.require(table)
    return JUDGES.make(judge, _given(judge, context, settings), context)


def settings_for(name: str, context: JudgeContext) -> Section | None:
    """The settings that ``make`` gives a judge; None when it has none. Raises ConfigError."""
    return JUDGES.settings(name, _given(name, context, {}))


def reads_text(name: str, context: JudgeContext) -> bool:
    """Whether a judge needs the visible text of pages. Raises ConfigError for a wrong name."""
    kind = JUDGES.get(name)
    return isinstance(kind, type) and issubclass(kind, Judge) and kind.reads_text(context)


def _given(
    judge: str | Callable[..., Judge] | Judge, context: JudgeContext, settings: dict[str, Any]
) -> dict[str, Any]:
    if not isinstance(judge, str):
        return settings
    form = settings_of(JUDGES.get(judge))
    known = {field.encode_name for field in msgspec.structs.fields(form)} if form is not None else set()
    return context.settings.table(judge, known) | settings
