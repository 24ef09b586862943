"""The settings of Ariadne, [strategy.ariadne] in clew.toml."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

from clew.section import Section, doc
from clew.strategies.ariadne.focus import Option

Criterion: TypeAlias = Literal[
    "source", "url", "anchor", "host", "distance", "level", "transversal", "hub", "hub_rank", "authority_rank"
]
"""(a) to (h); (i) and (j) are the paper's further work."""

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

LETTERS: dict[str, str] = dict(zip(CRITERIA, "abcdefghij", strict=True))
MEANINGS = {
    "source": "relevance of the page it stands on to the focus",
    "url": "what its URL says of it",
    "anchor": "what its anchor says of it",
    "host": "relevant pages of its host so far",
    "distance": "links from the seeds",
    "level": "depth of its URL's path",
    "transversal": "whether it leads to another host",
    "hub": "links on the page it stands on",
    "hub_rank": "hub rank of the page it stands on",
    "authority_rank": "authority rank of its page",
}


class AriadneSettings(Section, frozen=True):
    """[strategy.ariadne]"""

    source: Annotated[float, doc("Weight of (a): the source page's relevance to the focus.", ge=0)] = 4.0
    url: Annotated[float, doc("Weight of (b): the terms of the URL.", ge=0)] = 1.0
    anchor: Annotated[float, doc("Weight of (c): the terms of the anchors and the text close to them.", ge=0)] = 2.0
    host: Annotated[float, doc("Weight of (d): the history of the host.", ge=0)] = 1.0
    distance: Annotated[float, doc("Weight of (e): the distance from the seeds.", ge=0)] = 0.0
    level: Annotated[float, doc("Weight of (f): the depth of the URL's path.", ge=0)] = 0.0
    transversal: Annotated[float, doc("Weight of (g): whether the link leads to another host.", ge=0)] = 0.0
    hub: Annotated[float, doc("Weight of (h): the number of links on the source page.", ge=0)] = 0.0
    hub_rank: Annotated[float, doc("Weight of (i): how good a hub the source page is.", ge=0)] = 0.0
    authority_rank: Annotated[float, doc("Weight of (j): how good an authority the link's page is.", ge=0)] = 0.0
    combine: Annotated[
        Literal["mean", "lexicographic"], doc("How criteria become one score; mean: the weighted geometric mean.")
    ] = "mean"
    order: Annotated[tuple[Criterion, ...], doc("The criteria of a lexicographic score, the first decides first.")] = (
        "source",
        "anchor",
        "url",
        "host",
    )
    floor: Annotated[float, doc("No criterion counts as less.", gt=0, lt=1)] = 0.01
    neutral: Annotated[
        float, doc("Worth of a URL or anchor that says nothing, of a page not ranked yet.", gt=0, lt=1)
    ] = 0.3
    strong: Annotated[float, doc("Least weight of the terms of topics' names and keywords (log-odds).", ge=0)] = 3.0
    close: Annotated[int, doc("DOM leaves left and right of an anchor whose text counts too.", ge=0, le=5)] = 0
    texts: Annotated[Literal["rarer", "either"], doc("Of A and B, which topic anchors and URLs must speak of.")] = (
        "rarer"
    )
    texts_about: Annotated[Literal["interest", "focus"], doc("What they are valued by.")] = "interest"
    history: Annotated[
        Literal["host", "path", "name"],
        doc("(d): of its host; also of the folders of its path; also of file names that differ in digits alone."),
    ] = "host"
    host_prior: Annotated[float, doc("Share of relevant pages on a host without history.", gt=0, le=1)] = 0.5
    host_strength: Annotated[float, doc("Pages of history for which that share counts.", gt=0)] = 5.0
    intrinsic: Annotated[float, doc("(g) of links that stay on their host.", gt=0, le=1)] = 0.5
    hub_links: Annotated[float, doc("Links of a page for which (h) is a half.", gt=0)] = 20.0
    generalise_at: Annotated[
        float, doc("Generalise when a session has less than this times the crawl's precision (0: never).", ge=0, le=1)
    ] = 0.5
    specialise_at: Annotated[
        float, doc("Undo the last generalisation when a session has more than this times it.", gt=0, le=1)
    ] = 0.8
    generalise: Annotated[Option, doc("How the focus is generalised.")] = "taxonomy"
    specialise: Annotated[
        Literal["undo", "frequent"],
        doc("The last generalisation is undone; or (taxonomy only) that which put in the most frequent topic."),
    ] = "undo"
    boost: Annotated[float, doc("What weigh multiplies the weight of the rarest topic by.", gt=1)] = 2.0
    widen: Annotated[int, doc("How often the weight of (a) may be halved when the focus is at its top.", ge=0)] = 0
    barren: Annotated[bool, doc("Generalise also while nothing relevant was found at all.")] = False
    rarity: Annotated[
        Literal["relevant", "least"],
        doc("The rarer topic: of the fewest relevant pages, or the one most often the least of its formula."),
    ] = "relevant"
    rare_first: Annotated[tuple[str, ...], doc("Topics from the rarest on, where you know (empty: estimated).")] = ()
    rescore: Annotated[
        Literal["all", "new", "always"],
        doc("After a change of focus: all links or new ones; or always, after each session."),
    ] = "all"
    prune: Annotated[bool, doc("Do not follow the links of irrelevant pages.")] = False
    community_pages: Annotated[
        int, doc("Stop when the relevant pages contain a community of so many (0: do not look).", ge=0)
    ] = 0

    def __post_init__(self) -> None:
        if not 1 <= len(set(self.order)) == len(self.order):
            raise ValueError(f"order must name criteria, each once; criteria are: {', '.join(CRITERIA)}")
        if not any(getattr(self, name) for name in CRITERIA):
            raise ValueError("every criterion has weight 0; give one of them a weight, such as source")
        if self.generalise_at > self.specialise_at:
            raise ValueError("generalise_at must not be greater than specialise_at (a ≤ b)")
        if self.specialise == "frequent" and self.generalise != "taxonomy":
            raise ValueError('specialise = "frequent" needs generalise = "taxonomy": only that puts topics in')


PAPER = {
    "hub_rank": 0.0,
    "authority_rank": 0.0,
    "combine": "mean",
    "close": 0,
    "texts": "rarer",
    "history": "name",
    "generalise_at": 0.5,
    "specialise_at": 0.8,
    "generalise": "taxonomy",
    "specialise": "undo",
    "widen": 0,
    "barren": False,
    "rescore": "all",
    "prune": False,
    "community_pages": 0,
}
"""Sections 3.2, 3.3 and 4. The paper sets its weights by hand and does not print them."""

PRESETS = {"paper": PAPER}
