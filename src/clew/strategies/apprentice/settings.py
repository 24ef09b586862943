"""The settings of the apprentice."""

from __future__ import annotations

from typing import Annotated, Literal

from clew.section import Section, doc


class ApprenticeSettings(Section, frozen=True):
    """[strategy.apprentice]"""

    warmup: Annotated[
        int, doc("Instances before the first training; links score as with best-first till then.", ge=1)
    ] = 100
    retrain_every: Annotated[int, doc("Sessions between two trainings, at least.", ge=1)] = 1
    growth: Annotated[float, doc("It trains again when there are this share more instances.", ge=0)] = 0.2
    d_max: Annotated[int, doc("Terms up to this many DOM leaves from a link are its features.", ge=0, le=20)] = 5
    offsets: Annotated[
        bool, doc("A term's DOM offset is part of its feature; false: the same window as a bag of words.")
    ] = True
    window: Annotated[
        Literal["fixed", "chosen"],
        doc("Offsets that count: d_max; or chosen at each training by cross-validation, at most d_max."),
    ] = "fixed"
    held_out: Annotated[int, doc("Instances, the first, by which the window is chosen.", ge=1)] = 400
    tolerance: Annotated[
        float, doc("The widest window is chosen whose share of pairs in order is so near the best.", ge=0, le=1)
    ] = 0.02
    anchors: Annotated[
        Literal["all", "first"], doc("Where a page has several links to a URL: all of them, or the first.")
    ] = "all"
    instances: Annotated[
        Literal["followed", "before", "all"],
        doc(
            "What is learned from: followed links; or (slower) also other links to a page, of pages fetched before it, "
            "or of any."
        ),
    ] = "followed"
    buckets: Annotated[
        Literal["cut", "equal"],
        doc("What is high: from cut on, or (equal) from the median of the first training on."),
    ] = "cut"
    cut: Annotated[float, doc("A page of this relevance or more is high.", ge=0, le=1)] = 0.5
    failures: Annotated[bool, doc("A failed or unreadable fetch is an instance of low; false: of nothing.")] = True
    smoothing: Annotated[float, doc("Pseudo-count of every feature in each class (Laplace: 1).", gt=0)] = 1.0
    proportional: Annotated[
        bool, doc("Pseudo-counts are in proportion to the sizes of the classes; false: the same, as the paper has it.")
    ] = True
    length: Annotated[
        float,
        doc("p: the weight of the text at an offset is divided by its number of terms to this power.", ge=0, le=1),
    ] = 1.0
    max_features: Annotated[int, doc("Features kept at a training, the most frequent.", ge=1)] = 2_000_000
    prior: Annotated[
        float, doc("Score of every link before the first training; 0: the relevance of its page.", ge=0, le=1)
    ] = 0.0
    topics: Annotated[int, doc("The page's topics of the highest scores that are features (0: none).", ge=0)] = 0
    prefixes: Annotated[bool, doc("With topics: the topics above them as well.")] = True
    source_ranges: Annotated[
        int, doc("The prior depends on in which of so many ranges the page's relevance lies (0: it does not).", ge=0)
    ] = 10
    source_weight: Annotated[
        float, doc("Instances that the baseline's belief counts for in each range: relevance leads to the like.", gt=0)
    ] = 10.0
    siblings: Annotated[
        bool, doc("Relevance of fetched pages that are linked within d_max is a feature (co-citation).")
    ] = False
    url_words: Annotated[bool, doc("Words of the link's URL are features.")] = False
    learn_from: Annotated[str, doc("Folder of another project: train with its crawl before this one.")] = ""
    only_from: Annotated[str, doc("Folder of another project: follow only links to what its crawl fetched.")] = ""

    def __post_init__(self) -> None:
        if self.window == "chosen" and not self.offsets:
            raise ValueError(
                'window = "chosen" compares offsets, which offsets = false leaves out; set one of them only'
            )


PAPER = {
    "warmup": 300,
    "retrain_every": 1,
    "growth": 0.0,
    "d_max": 5,
    "offsets": True,
    "window": "fixed",
    "anchors": "all",
    "instances": "before",
    "buckets": "equal",
    "failures": False,
    "smoothing": 1.0,
    "proportional": False,
    "length": 0.0,
    "prior": 0.0,
    "topics": 0,
    "source_ranges": 0,
    "siblings": False,
    "url_words": False,
}
"""Batches of a few hundred pages (section 2.2), ⟨t, d⟩ alone (2.2.3), equally probable classes and Laplace's
pseudo-counts (2.3), d_max = 5 (3.4), the baseline before the first training (3.7)."""

PRESETS = {"paper": PAPER}
