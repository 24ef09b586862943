"""The settings of ACHE, [strategy.ache] in clew.toml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from clew.section import Section, doc


class AcheSettings(Section, frozen=True):
    """[strategy.ache]"""

    learning: Annotated[
        Literal["binary", "levels"],
        doc(
            "What the link classifier tells apart: links to relevant pages from others, or links one, two and three "
            "steps before a relevant page."
        ),
    ] = "binary"
    learn_every: Annotated[int, doc("It is trained after every so many pages (0: not in the crawl).", ge=0)] = 500
    classifier: Annotated[
        Literal["naive-bayes", "svm"], doc("Multinomial naive Bayes, or linear support vector machines.")
    ] = "naive-bayes"
    smoothing: Annotated[float, doc("Naive Bayes: pseudo-count of every feature in each class.", gt=0)] = 1.0
    cost: Annotated[float, doc("Support vector machines: C.", gt=0)] = 1.0
    samples: Annotated[
        int, doc("Fetched links that are remembered to learn from, the latest: of relevant pages, and of others.", ge=5)
    ] = 5000
    url_features: Annotated[int, doc("Words of URLs that are features, at most.", ge=0)] = 150
    anchor_features: Annotated[int, doc("Words of anchors that are features, at most.", ge=0)] = 150
    around_features: Annotated[int, doc("Words around anchors that are features, at most.", ge=0)] = 100
    around: Annotated[int, doc("Words on each side of an anchor that are around it.", ge=0, le=100)] = 10
    min_frequency: Annotated[
        int, doc("A feature occurs more often than this; than once where no word occurs more than ten times.", ge=0)
    ] = 5
    url_match: Annotated[
        Literal["substring", "word"], doc("A feature is in a URL as a part of one of its words, or as a whole word.")
    ] = "substring"
    anchors: Annotated[
        Literal["first", "all"], doc("Where a page has several links to a URL: the first of them, or all.")
    ] = "first"
    rejected: Annotated[
        Literal["nearest", "surest"],
        doc(
            "Binary: of links that seem to lead to no relevant page, those nearest to the other class come first; or "
            "the surest, as in ACHE's program."
        ),
    ] = "nearest"
    initial: Annotated[
        Literal["baseline", "breadth-first"],
        doc("Before the first training links go by the relevance of their page, or by distance from the seeds."),
    ] = "baseline"
    focus: Annotated[Literal["soft", "hard"], doc("hard: links of pages that are not relevant are not followed.")] = (
        "soft"
    )
    selector: Annotated[
        Literal["top-k", "websites"],
        doc("Links of the best scores first; or (slower) those of hosts of which the fewest pages were fetched."),
    ] = "top-k"
    learn_from: Annotated[str, doc("Folder of another project: train with its crawl before this one.")] = ""

    def __post_init__(self) -> None:
        if self.learning == "levels" and self.focus == "hard" and not self.learn_from:
            raise ValueError(
                'learning = "levels" learns from pages that are not relevant and lead to relevant ones, whose links '
                'focus = "hard" does not follow; set one of them only, or learn_from'
            )


PAPER: Mapping[str, Any] = {
    "learning": "levels",
    "classifier": "naive-bayes",
    "url_match": "substring",
    "initial": "baseline",
    "focus": "soft",
    "selector": "top-k",
}
"""WebDB 2005 and WWW 2007, as far as the program tells, and where the topic and what is looked for are one."""

PROGRAM: Mapping[str, Any] = {
    "learning": "binary",
    "learn_every": 1000,
    "classifier": "svm",
    "cost": 1.0,
    "samples": 5000,
    "url_features": 150,
    "anchor_features": 150,
    "around_features": 100,
    "around": 10,
    "min_frequency": 5,
    "url_match": "word",
    "anchors": "first",
    "rejected": "surest",
    "initial": "baseline",
    "focus": "hard",
    "selector": "top-k",
}
"""ACHE's program with its own example of a focused crawl."""

PRESETS: Mapping[str, Mapping[str, Any]] = {"paper": PAPER, "program": PROGRAM}
