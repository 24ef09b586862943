"""The settings of BINGO!, [strategy.bingo] in clew.toml."""

from __future__ import annotations

from typing import Annotated

from clew.config import Section, doc

SHARP, SOFT = "sharp", "soft"
DEPTH_FIRST, BEST_FIRST = "depth-first", "best-first"
ADD, REPLACE = "add", "replace"
MEAN, LEAST, OFF = "mean", "least", "off"
HELD_OUT, TRAINED = "held-out", "trained"

CHOICES = {
    "learning_focus": (SHARP, SOFT),
    "harvesting_focus": (SHARP, SOFT),
    "learning_order": (DEPTH_FIRST, BEST_FIRST),
    "harvesting_order": (DEPTH_FIRST, BEST_FIRST),
    "archetypes": (ADD, REPLACE),
    "drift_guard": (MEAN, LEAST, OFF),
    "guard_by": (HELD_OUT, TRAINED),
}
"""Settings that are names, and their choices."""


class BingoSettings(Section, frozen=True):
    """[strategy.bingo]"""

    learning_pages: Annotated[int, doc("The learning phase ends after so many pages (0: there is none).", ge=0)] = 200
    learning_retrainings: Annotated[int, doc("It ends after the judge was trained again so often.", ge=1)] = 1
    learning_archetypes: Annotated[
        float, doc("It ends when every topic has so many archetypes for each of its examples (0: never).", ge=0)
    ] = 1.0
    learning_focus: Annotated[str, doc("Pages accepted while learning: sharp or soft.")] = SHARP
    learning_order: Annotated[str, doc("Order of links while learning: depth-first or best-first.")] = BEST_FIRST
    learning_depth: Annotated[int, doc("Links further from the seeds wait for the harvest (0: no limit).", ge=0)] = 4
    learning_hosts: Annotated[bool, doc("Links that leave the hosts of the seeds wait for the harvest.")] = True
    harvesting_focus: Annotated[str, doc("Pages accepted while harvesting: sharp or soft.")] = SOFT
    harvesting_order: Annotated[str, doc("Order of links while harvesting: best-first or depth-first.")] = BEST_FIRST
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
    archetypes: Annotated[str, doc("New archetypes join those before, or take their place: add or replace.")] = ADD
    drift_guard: Annotated[
        str, doc("An archetype must be surer than the mean, or the least, of the topic's training pages; or off.")
    ] = MEAN
    guard_by: Annotated[
        str, doc("How sure the judge is of them: as judged when they were not trained on, or now: held-out or trained.")
    ] = HELD_OUT
    hubs: Annotated[int, doc("N_hub: hubs of a topic whose links come sooner.", ge=0)] = 100
    predecessors: Annotated[int, doc("Pages that link to a topic's pages in its base set, at most.", ge=0)] = 1000
    iterations: Annotated[int, doc("Iterations of the link analysis.", ge=1)] = 30
    across_hosts: Annotated[bool, doc("Links within a host do not count, unless there are no others.")] = True
    host_weights: Annotated[bool, doc("Links from one host to a page share one vote.")] = True
    ask_backlinks: Annotated[
        int, doc("Pages asked of the back-link provider for each of a topic's best authorities (0: not asked).", ge=0)
    ] = 0
