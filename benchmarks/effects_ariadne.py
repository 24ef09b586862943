"""What a focus that widens gains: python -m benchmarks.effects_ariadne [--json] [--seeds 10] [--judges naive-bayes]

Crawls of made webs, one a seed, for a narrow interest, sailing ∧ Rügen, and a broad one, tourism ∧
Mecklenburg-Vorpommern, by breadth-first, best-first, Ariadne that never widens its focus (``simple``) and Ariadne
(``tunnelling``), also with the settings of the paper (``paper``), and Ariadne that follows no links of irrelevant pages
(``pruned``). The measure is relevant pages found by the truth of the web, and the median of it over the webs.
``--interests either,without`` crawls for sailing ∨ Rügen and for Rügen ∧ ¬sports.

The webs are those of tourism.py, in which pages of generalised topics lead to pages of the special topic more often
than other pages do; ``--alike`` is the control, in which they do not.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.crawling import finished, setup_in, with_table
from benchmarks.tourism import ALIKE, ENTRIES, NARROW, OUTSIDE, MadeWeb, ring
from clew.config import Settings, settings_from
from clew.examples.examples import Examples
from clew.lab.bench import Readers
from clew.lab.running import remembered
from clew.model import Decision
from clew.store.records import VisitRow

STRATEGIES: dict[str, dict[str, Any]] = {
    "breadth-first": {},
    "best-first": {},
    "simple": {"generalise_at": 0},
    "tunnelling": {},
    "paper": {"preset": "paper"},
    "pruned": {"generalise_at": 0, "prune": True},
}
"""What is compared; those that are no strategies' names are Ariadne with these settings."""


@dataclass(frozen=True, slots=True)
class Row:
    """One crawl: ``found`` of ``relevant`` pages; ``judged`` pages taken for relevant, and their ``precision``; how
    often the focus was widened and narrowed. ``curve``: pages found by the end of each session.

    Of the link distances of found pages, ``middle`` is the median, ``farthest`` the greatest, ``empty`` how many
    smaller ones have no find. ``gap``: the most irrelevant pages in a row that the path to a find led through;
    ``through``: of all irrelevant pages before finds, on the way from the last relevant one, the share that the
    broadest formula of CHAIN includes."""

    judge: str
    interest: str
    seed: int
    strategy: str
    found: int
    relevant: int
    judged: int
    precision: float
    widened: int
    narrowed: int
    middle: float
    farthest: int
    empty: int
    gap: int
    through: float
    curve: list[int]


@dataclass(frozen=True, slots=True)
class Interest:
    """A formula, whether it includes a pair of activity and place, and how many seeds there are (the paper's numbers
    for the first two)."""

    name: str
    formula: str
    includes: Callable[[str, str], bool]
    seeds: int

    def relevant(self, web: MadeWeb) -> set[int]:
        """The pages that the formula includes."""
        return {page for page, pair in enumerate(web.pairs) if self.includes(*pair)}

    def seed_pages(self, web: MadeWeb) -> list[int]:
        """Of the narrow interest, all on the first island; of others, from all of their pages but those of islands."""
        wide = [page for pages in web.by_ring[1:] for page in pages if self.includes(*web.pairs[page])]
        return random.Random(1).sample(wide, self.seeds) if wide else list(range(self.seeds))


INTERESTS = (
    Interest("narrow", "sailing and ruegen", lambda *pair: ring(*pair) == NARROW, 5),
    Interest("broad", "tourism and mecklenburg", lambda *pair: ring(*pair) < OUTSIDE, 19),
    Interest("either", "sailing or ruegen", lambda what, where: "sailing" in what or "ruegen" in where, 5),
    Interest("without", "ruegen and not sports", lambda what, where: "ruegen" in where and "sports" not in what, 5),
)


def crawled(
    settings: Settings, examples: Examples, seeds: Sequence[str], readers: Readers
) -> tuple[list[VisitRow], list[Decision]]:
    """The visits, and the decisions."""
    with remembered() as store:
        finished(setup_in(settings, examples, seeds, store, reader=readers.of(settings)))
        return list(store.visits.rows()), [one.decision for one in store.journal.decisions()]


def settings_of(strategy: str, judge: str, pages: Path, options: argparse.Namespace) -> Settings:
    """The settings of a crawl."""
    ours = strategy not in ("breadth-first", "best-first")
    tables = {
        "project": {"web": f"folder:{pages}"},
        "judge": {"name": judge, "threshold": options.threshold},
        "strategy": {"name": "ariadne" if ours else strategy},
        "crawl": {"session_pages": options.session, "max_pages": options.budget},
    }
    table = STRATEGIES[strategy] | (tomllib.loads("\n".join(options.set)) if ours else {})
    return with_table(settings_from(tables), table)


def measured(seed: int, judge: str, interests: Sequence[Interest], options: argparse.Namespace) -> Iterator[Row]:
    """All crawls of a web."""
    web, readers = MadeWeb(seed, options.pages, ALIKE if options.alike else ENTRIES), Readers()
    with tempfile.TemporaryDirectory(prefix="clew-effects-") as name:
        pages = Path(name)
        web.write(pages)
        topics = web.topics(options.examples)
        for interest in interests:
            examples = Examples(topics=topics, interest=interest.formula)
            seeds = [web.url(page) for page in interest.seed_pages(web)]
            for strategy in options.strategies.split(","):
                settings = settings_of(strategy, judge, pages, options)
                visits, decisions = crawled(settings, examples, seeds, readers)
                changes = [one for one in decisions if "focus" in one.kind]
                for one in changes if options.log else ():
                    print(one.kind, one.facts)
                kinds = [one.kind for one in changes]
                yield row_of((judge, interest, seed, strategy), visits, web, kinds, options.session)


def row_of(
    what: tuple[str, Interest, int, str], visits: Sequence[VisitRow], web: MadeWeb, kinds: Sequence[str], session: int
) -> Row:
    """What a crawl came to."""
    judge, interest, seed, strategy = what
    truth = {web.url(page) for page in interest.relevant(web)}
    wide = {web.url(page) for page, where in enumerate(web.rings) if where < OUTSIDE}
    hits = [row.url in truth for row in visits]
    judged = [hit for hit, row in zip(hits, visits, strict=True) if row.relevant]
    distances = [row.depth for hit, row in zip(hits, visits, strict=True) if hit and row.depth]
    sources = [row.source for row in visits]
    ways = [before(place, hits, sources) for place, hit in enumerate(hits) if hit]
    passed = [visits[place].url in wide for way in ways for place in way]
    return Row(
        judge=judge,
        interest=interest.name,
        seed=seed,
        strategy=strategy,
        found=sum(hits),
        relevant=len(truth),
        judged=len(judged),
        precision=round(sum(judged) / max(len(judged), 1), 3),
        widened=kinds.count("focus generalised"),
        narrowed=kinds.count("focus specialised"),
        middle=statistics.median(distances or [0]),
        farthest=max(distances, default=0),
        empty=len(set(range(1, max(distances, default=0))) - set(distances)),
        gap=max(map(len, ways), default=0),
        through=round(sum(passed) / max(len(passed), 1), 3),
        curve=[sum(hits[:end]) for end in range(session, len(hits) + 1, session)],
    )


def before(place: int, hits: Sequence[bool], sources: Sequence[int]) -> list[int]:
    """The places of the irrelevant pages on the way to a visit, from the last relevant one on, nearest first.
    ``sources``: the numbers, from 1, of the visits on whose pages the links stood; 0 for seeds."""
    way = []
    source = sources[place]
    while source and not hits[source - 1]:
        way.append(source - 1)
        source = sources[source - 1]
    return way


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a crawl and the medians, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", type=int, default=10, help="webs")
    parser.add_argument("--first", type=int, default=1, help="the first web's seed")
    parser.add_argument("--pages", type=int, default=4_000)
    parser.add_argument("--budget", type=int, default=600)
    parser.add_argument("--session", type=int, default=50)
    parser.add_argument("--examples", type=int, default=30, help="for each leaf of the trees")
    parser.add_argument("--judges", default="naive-bayes")
    parser.add_argument("--interests", default="narrow,broad")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="settings of ariadne (TOML)")
    parser.add_argument("--alike", action="store_true", help="links to islands stand on pages of all topics alike")
    parser.add_argument("--log", action="store_true", help="changes of the focus")
    parser.add_argument("--threshold", type=float, default=0.5, help="of the judge; 0: the paper's")
    options = parser.parse_args(arguments)
    interests = [interest for interest in INTERESTS if interest.name in options.interests.split(",")]
    for judge in options.judges.split(","):
        rows = []
        for seed in range(options.first, options.first + options.seeds):
            for row in measured(seed, judge, interests, options):
                rows.append(row)
                show(asdict(row), as_json=options.json)
        summarise(rows, interests, as_json=options.json)


def summarise(rows: Sequence[Row], interests: Sequence[Interest], *, as_json: bool) -> None:
    """Medians over the webs, on how many webs tunnelling found more and fewer than simple, and the median of
    ``_needed``."""
    for interest in interests:
        found: dict[str, dict[int, int]] = {}
        for row in rows:
            if row.interest == interest.name:
                found.setdefault(row.strategy, {})[row.seed] = row.found
        medians: dict[str, Any] = {name: statistics.median(by.values()) for name, by in found.items()}
        if "simple" in found and "tunnelling" in found:
            gains = [found["tunnelling"][seed] - simple for seed, simple in found["simple"].items()]
            medians |= {"more": sum(gain > 0 for gain in gains), "fewer": sum(gain < 0 for gain in gains)}
        if "simple" in found and "breadth-first" in found:
            medians["sessions"] = statistics.median(_needed(rows, interest.name))
        line = {"judge": rows[0].judge, "interest": interest.name, **medians}
        show(line, as_json=as_json)


def _needed(rows: Sequence[Row], interest: str) -> list[int]:
    """For each web, after how many sessions simple had found all that breadth-first found in the whole crawl; one more
    than there were where it never had."""
    curves = {(row.strategy, row.seed): row.curve for row in rows if row.interest == interest}
    plain = {seed: curve[-1] for (strategy, seed), curve in curves.items() if strategy == "breadth-first"}
    return [1 + sum(found < most for found in curves["simple", seed]) for seed, most in plain.items()]


def show(line: dict[str, Any], *, as_json: bool) -> None:
    """One line."""
    print(json.dumps(line) if as_json else "  ".join(f"{name} {value}" for name, value in line.items()), flush=True)


if __name__ == "__main__":
    main()
