"""Settings of the strategy clew."""

from __future__ import annotations

from typing import Annotated

from clew.section import Section, doc


class ClewSettings(Section, frozen=True):
    """[strategy.clew]"""

    learn: Annotated[bool, doc("One expert learns from every fetch which evidence to trust.")] = True
    gate: Annotated[bool, doc("Experts are weighed by how well they foresaw what was fetched; false: all alike.")] = (
        True
    )
    priors: Annotated[
        bool, doc("Begin with weights that did well on other webs; false: all evidence counts alike at first.")
    ] = True
    words: Annotated[float, doc("What the words of a link say counts so much (0: not at all).", ge=0)] = 1.0
    odds: Annotated[
        float,
        doc(
            "The odds of anchors' terms in relevant examples count so much, where ten of either side are there.",
            ge=0,
        ),
    ] = 0.4
    rates: Annotated[float, doc("How well the links of a page have paid off so far counts so much.", ge=0)] = 1.0
    near: Annotated[
        float,
        doc(
            "Links near the seeds count more: a page at depth d loses so much times log d.",
            ge=0,
        ),
    ] = 0.6
    seed_hosts: Annotated[
        float, doc("Links on hosts of the seeds count so much more while relevant pages are found there.", ge=0)
    ] = 3.0
    barren_hosts: Annotated[
        float, doc("Links on other hosts count the less the more pages there were not relevant.", ge=0)
    ] = 3.0
    discount: Annotated[
        float, doc("A page is worth at least this share of the best page reached through it.", ge=0, lt=1)
    ] = 0.0
    explore: Annotated[
        float,
        doc("Share of the first pages that are the oldest links, not the best; it fades: e / (1 + n/100).", ge=0, le=1),
    ] = 0.0
    refresh: Annotated[int, doc("After so many pages, or a fortieth more, all links are scored again.", ge=1)] = 25
