"""The settings of BINGO!, [strategy.bingo] in clew.toml."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from clew.section import Section, doc

Focus: TypeAlias = Literal["sharp", "soft"]
Order: TypeAlias = Literal["depth-first", "best-first"]


class BingoSettings(Section, frozen=True):
    """[strategy.bingo]"""

    learning_pages: Annotated[int, doc("The learning phase ends after so many pages (0: there is none).", ge=0)] = 200
    learning_retrainings: Annotated[int, doc("It ends after the judge was trained again so often.", ge=1)] = 1
    learning_archetypes: Annotated[
        float, doc("It ends when every topic has so many archetypes for each of its examples (0: never).", ge=0)
    ] = 1.0
    learning_focus: Annotated[Focus, doc("Pages accepted while learning.")] = "sharp"
    learning_order: Annotated[Order, doc("Order of links while learning.")] = "best-first"
    learning_depth: Annotated[int, doc("Links further from the seeds wait for the harvest (0: no limit).", ge=0)] = 4
    learning_hosts: Annotated[bool, doc("Links that leave the hosts of the seeds wait for the harvest.")] = True
    harvesting_focus: Annotated[Focus, doc("Pages accepted while harvesting.")] = "soft"
    harvesting_order: Annotated[Order, doc("Order of links while harvesting.")] = "best-first"
    decay: Annotated[float, doc("Each rejected page in a row multiplies the scores of links by this.", gt=0, le=1)] = (
        0.5
    )
    tunnelling: Annotated[int, doc("Rejected pages in a row whose links are followed, at most.", ge=0, le=250)] = 2
    widen: Annotated[bool, doc("When no link is left, one more rejected page in a row is allowed.")] = True
    hub_boost: Annotated[float, doc("Added to the scores of links of the best hubs.", ge=0)] = 0.25
    fill_boost: Annotated[
        float, doc("Added to scores of links that stand in for a topic with too few pages.", ge=0)
    ] = 1.0
    retrain_new: Annotated[int, doc("N_max: new pages of a topic that call for training the judge again.", ge=1)] = 200
    min_positives: Annotated[int, doc("N_min: pages that every topic must have by then.", ge=0)] = 10
    retrain_anyway: Annotated[
        float, doc("So many times N_max new pages of a topic call for it whatever the others have.", ge=1)
    ] = 2.0
    retrain_pages: Annotated[
        int, doc("So many pages of any kind call for it too, if N_min of a topic are new (0: never).", ge=0)
    ] = 400
    authorities: Annotated[int, doc("N_auth: authorities of a topic that may become archetypes.", ge=0)] = 50
    confident: Annotated[int, doc("N_conf: surest pages of a topic that may become archetypes.", ge=0)] = 50
    authority_share: Annotated[
        float, doc("Share of a round's archetypes that are authorities; the others are the surest pages.", ge=0, le=1)
    ] = 0.5
    archetypes: Annotated[Literal["add", "replace"], doc("New archetypes join those before, or take their place.")] = (
        "add"
    )
    drift_guard: Annotated[
        Literal["mean", "least", "off"],
        doc("An archetype must be surer than the mean, or the least, of the topic's training pages."),
    ] = "mean"
    guard_by: Annotated[
        Literal["held-out", "trained"],
        doc("How sure the judge is of them: as judged by one trained without them, or by the one trained on them."),
    ] = "held-out"
    hubs: Annotated[int, doc("N_hub: hubs of a topic whose links come sooner.", ge=0)] = 100
    hub_share: Annotated[
        float, doc("Pages read that are such hubs, at most: a share of all, for all topics together.", gt=0, le=1)
    ] = 0.1
    predecessors: Annotated[int, doc("Pages that link to a topic's pages in its base set, at most.", ge=0)] = 1000
    iterations: Annotated[int, doc("Iterations of the link analysis.", ge=1)] = 30
    across_hosts: Annotated[bool, doc("Links within a host do not count, unless there are no others.")] = True
    host_weights: Annotated[bool, doc("Links from one host to a page share one vote.")] = True
    ask_backlinks: Annotated[
        int, doc("Pages asked of the back-link provider for each of a topic's best authorities (0: not asked).", ge=0)
    ] = 0


PAPER = {
    "learning_archetypes": 1.0,
    "learning_focus": "sharp",
    "learning_order": "depth-first",
    "learning_hosts": True,
    "harvesting_focus": "soft",
    "harvesting_order": "best-first",
    "decay": 0.5,
    "tunnelling": 2,
    "widen": False,
    "hub_boost": 1.0,
    "retrain_new": 200,
    "min_positives": 10,
    "retrain_anyway": float("inf"),
    "retrain_pages": 0,
    "authorities": 50,
    "confident": 50,
    "archetypes": "add",
    "drift_guard": "mean",
    "guard_by": "trained",
    "hubs": 100,
    "hub_share": 1.0,
    "predecessors": 1000,
    "iterations": 30,
    "across_hosts": True,
    "host_weights": True,
}
"""Of ICDE 2002, CIDR 2003 and the project's pages; what they give no number for is as by default."""

PRESETS = {"paper": PAPER}
