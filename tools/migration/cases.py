"""The projects to make: one for each strategy, with judges and settings as various as those of users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A project and how it is crawled.

    ``tables``: settings by table of clew.toml, each a TOML value. ``web``: parameters of the simulated web beside those
    of ``SMALL``. ``topics``: how many topics of the web's lowest level stand in a topic tree; 0: none, the project
    wants what its example pages show. ``formula``: the interest, in which {0}, {1} ... stand for those topics.

    ``stops``: the budgets of the runs up to the project that is kept; ``end``: that of the run that is recorded.
    ``options``: what the command line says at every run. ``labels``: pages labelled after the first run. ``restart``:
    the first run is put aside. ``keywords``: so many words that tell the topic are [interest.keywords].

    ``learned`` and ``later``: kinds of entries that the decision log must have in the kept project, and of the recorded
    run.
    """

    strategy: str
    tables: Mapping[str, Mapping[str, str]]
    web: str = ""
    topics: int = 0
    formula: str = ""
    stops: tuple[int, ...] = (47, 120)
    end: int = 260
    options: tuple[str, ...] = ()
    labels: int = 0
    restart: bool = False
    keywords: int = 0
    learned: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


SMALL = "pages=1500,words=90,out_degree=9,branching=3,depth=2,pages_per_host=40"
"""Every web: small, with pages of few words, so that a project takes little room."""

CRAWL = {"session_pages": "25", "commit_pages": "7"}
"""[crawl] of every project: a few sessions have ended at a stop, and one is half way."""

NO_ARCHIVE = {"archive": "false"}

CASES = (
    Case(
        "breadth-first",
        {
            "judge": {"name": '"keywords"', "threshold": "0.3"},
            "crawl": {**CRAWL, "fresh_s": "1e9", "max_attempts": "2"},
            "scope": {"max_depth": "4", "exclude_hosts": '["h3.sim.test"]'},
            "politeness": {"delay_s": "2.5"},
        },
        web="seed=31",
        stops=(30, 70, 120),
        restart=True,
        keywords=6,
    ),
    Case(
        "best-first",
        {
            "judge": {"smoothing": "0.2", "pairs": "false", "lead": "50.0"},
            "crawl": {**CRAWL, "duplicates": '"mean"'},
            "store": NO_ARCHIVE,
        },
        web="seed=32",
        labels=30,
        learned=("judge adopted",),
    ),
    Case(
        "random",
        {
            "judge": {"cost": "3.0", "features": "300", "selection": '"chi-squared"', "threshold": "0"},
            "crawl": {**CRAWL, "seed": "7", "duplicates": '"first"'},
            "store": NO_ARCHIVE,
        },
        web="seed=33",
        options=("--strategy", "random", "--judge", "svm"),
    ),
    Case(
        "context-graph",
        {
            "judge": {"name": '"logistic"', "cost": "5.0", "heaviest": "60"},
            "strategy.context-graph": {
                "depth": "3",
                "merged_cap": "8",
                "expand_graphs": "false",
                "update": '"rebuild"',
                "rebuild_sessions": "2",
                "rebuild_targets": "2",
                "quantile": "0.1",
                "pairs": "true",
                "targets": '"layer 0"',
                "thresholds": "{ 2 = -7.5 }",
            },
            "crawl": CRAWL,
            "store": NO_ARCHIVE,
        },
        web="seed=34",
        learned=("context graph", "layer model"),
        later=("context graph", "layer model"),
    ),
    Case(
        "bingo",
        {
            "judge": {"name": '"naive-bayes"', "smoothing": "0.3", "heaviest": "80", "threshold": "0"},
            "strategy.bingo": {
                "learning_pages": "60",
                "learning_archetypes": "0.5",
                "retrain_new": "12",
                "retrain_pages": "50",
                "min_positives": "3",
                "authorities": "6",
                "confident": "6",
                "hubs": "5",
                "tunnelling": "1",
                "ask_backlinks": "2",
                "drift_guard": '"least"',
            },
            "crawl": CRAWL,
            "store": {"gzip_level": "9"},
        },
        web="seed=35",
        topics=2,
        formula="{0} or {1}",
        learned=("bingo archetypes", "bingo trained", "bingo harvests"),
        later=("bingo archetypes", "bingo trained"),
    ),
    Case(
        "ariadne",
        {
            "judge": {"name": '"centroid"', "reference": '"table"', "damped": "false", "threshold": "0.4"},
            "strategy.ariadne": {
                "generalise_at": "0.95",
                "specialise_at": "0.98",
                "widen": "2",
                "host": "2.0",
                "distance": "0.5",
                "hub": "0.25",
                "close": "1",
                "texts": '"either"',
                "texts_about": '"focus"',
                "rare_first": '["{1}"]',
            },
            "interest": {"semantics": '"product"', "exclude_from": "0.9"},
            "crawl": CRAWL,
            "store": NO_ARCHIVE,
        },
        web="seed=36",
        topics=4,
        formula="(({0} and {1}) or {2}) and not {3}",
        stops=(47, 185),  # two steps up
        learned=("focus generalised", "focus specialised"),
        later=("focus generalised",),
    ),
    Case(
        "apprentice",
        {
            "judge": {"smoothing": "0.5"},
            "strategy.apprentice": {
                "warmup": "30",
                "growth": "0.1",
                "window": '"chosen"',
                "d_max": "4",
                "instances": '"all"',
                "buckets": '"equal"',
                "source_weight": "4.0",
                "source_ranges": "5",
                "siblings": "true",
                "url_words": "true",
                "max_features": "5000",
            },
            "crawl": CRAWL,
            "store": NO_ARCHIVE,
        },
        web="seed=37",
        learned=("apprentice trained",),
        later=("apprentice trained",),
    ),
    Case(
        "tunnelling",
        {
            "judge": {"name": '"ensemble"', "members": '["naive-bayes", "logistic", "centroid"]', "vote": '"majority"'},
            "strategy.tunnelling": {
                "threshold": "0.99",
                "cutoff": "2.0",
                "order": '"distance"',
                "metric": '"fixed"',
                "demote_hosts_after": "3",
                "demotion": "0.25",
            },
            "crawl": CRAWL,
            "store": NO_ARCHIVE,
        },
        web="seed=38,locality=0.15,host_locality=0.5,same_host=0.2",
        end=300,  # by then links count that lie behind pages of before the stop
        topics=2,
        formula="{0} or {1}",
        learned=("tunnelling",),
    ),
)
