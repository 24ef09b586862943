"""The settings of context-graph, the checklist's numbers beside them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from clew.section import Section, doc


class Settings(Section, frozen=True):
    """[strategy.context-graph]"""

    depth: Annotated[int, doc("Layers of a context graph, N (the paper: 4).", ge=1, le=20)] = 4
    layer_cap: Annotated[int, doc("Nodes of one layer of one graph, at most (the paper: 300).", ge=1)] = 300
    merged_cap: Annotated[
        int, doc("Pages of one layer of all graphs together, at most; each is fetched (0: no limit, the paper).", ge=0)
    ] = 20
    parents_per_page: Annotated[int, doc("Back links that are asked for of one page.", ge=1)] = 300
    expand_graphs: Annotated[
        bool, doc("Whether the links of the graphs' pages are followed like others; else last (the paper).")
    ] = True
    top_features: Annotated[int, doc("Phrases that stay of a page (the paper: 40; 0: all).", ge=0)] = 40
    max_vocab: Annotated[int, doc("Phrases in the vocabulary (0: no limit, the paper).", ge=0)] = 0
    pairs: Annotated[bool, doc("Whether pairs of terms in a row are phrases too.")] = False
    vocabulary: Annotated[Literal["seeds", "layer 1", "all layers"], doc("Whose words it is made of.")] = "layer 1"
    prior: Annotated[Literal["equal", "sizes"], doc("Prior of a layer.")] = "equal"
    allow_conflict: Annotated[
        bool, doc("Whether a page counts in several layers when the graphs differ; else in the nearest.")
    ] = False
    targets: Annotated[
        Literal["keep", "layer 0", "drop"], doc("Pages of outer layers that are relevant themselves.")
    ] = "keep"
    occurrences: Annotated[bool, doc("Whether a phrase counts as often as it occurs on a page; else once.")] = True
    raw: Annotated[bool, doc("Whether thresholds and order use the likelihood of a page and not that a phrase.")] = (
        False
    )
    quantile: Annotated[
        float, doc("A layer's threshold: this quantile of its own pages' likelihoods (the paper: 0).", ge=0, le=1)
    ] = 0.25
    thresholds: Annotated[
        dict[str, float], doc("Thresholds by layer instead, as log-likelihoods: {0 = -6.5, 2 = -7.0}.")
    ] = msgspec.field(default_factory=dict)
    layer0: Annotated[Literal["judge", "model"], doc("Who says that a page is a target.")] = "judge"
    other: Annotated[Literal["relevance", "likelihood"], doc("What orders the pages of no layer.")] = "relevance"
    update: Annotated[Literal["none", "rebuild", "backlinks"], doc("What is learned while crawling.")] = "none"
    rebuild_sessions: Annotated[int, doc('With update = "rebuild": sessions between two times.', ge=1)] = 5
    rebuild_targets: Annotated[int, doc('With update = "rebuild": new graphs each time, at most.', ge=1)] = 10
    backlinks_per_target: Annotated[int, doc('With update = "backlinks": parents asked for.', ge=1)] = 10
    bootstrap: Annotated[
        Literal["none", "search", "breadth-first", "both"], doc("How to begin when no example has back links.")
    ] = "both"
    search_hits: Annotated[int, doc("Answers taken from a search of the bootstrap.", ge=1)] = 20
    min_targets: Annotated[int, doc("Targets that breadth-first order finds before graphs are built.", ge=1)] = 5

    def __post_init__(self) -> None:
        layers = {str(layer) for layer in range(self.depth + 1)}
        for layer in self.thresholds:
            if layer not in layers:
                raise ValueError(f"thresholds: there is no layer {layer!r}, they go to {self.depth}")


PAPER = {
    "depth": 4,
    "layer_cap": 300,
    "merged_cap": 0,
    "expand_graphs": False,
    "top_features": 40,
    "max_vocab": 0,
    "prior": "equal",
    "allow_conflict": True,
    "targets": "keep",
    "occurrences": True,
    "raw": True,
    "quantile": 0.0,
    "layer0": "model",
    "other": "likelihood",
    "update": "none",
}
"""Sections 3.1 to 3.3 as they stand, and 4: graphs of depth four, 300 documents a layer, never built again."""

PRESETS = {"paper": PAPER}
