"""What anchors and URLs say of topics: a table of terms a topic, learned from the examples.

The judge is made for pages and too slow for the hundred short texts of a page, so each topic of the focus gets its
evaluation function in the paper's simplest form, a weighted keyword query:

    μ_A(t) = σ(logit(neutral) + Σ_{terms x of t} w_A(x))        σ(y) = 1 / (1 + e^−y)
    w_A(x) = log (p + ½)/(P − p + ½) − log (q + ½)/(Q − q + ½)

p of the P examples of A or a topic below it hold x, and q of the Q examples that speak against A. A weight is kept if
it is at least KEPT of its standard deviations away from 0, and cut to ±LIMIT (``judges.odds``); no text weighs more
than twice that. The terms of A's name, keywords and description, and of topics below it, weigh at least ``strong`` (a
description's half as much). Where no example speaks against A, general text does. A text without a term of the table is
worth ``neutral``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from clew.judges.background import document_shares
from clew.judges.hierarchy import Hierarchy
from clew.judges.odds import LIMIT, log_odds
from clew.model import Bools, Doubles, Example, Ints, TermIds
from clew.text.terms import tokeniser
from clew.topics.interest import RELEVANT, Interest
from clew.topics.tree import TopicTree

BACKGROUND = 20
"""Pages of general text that speak against a topic when no example does."""


@dataclass(frozen=True, slots=True, eq=False)
class TermTable:
    """Weights of terms: ids uint32[V] sorted, weights float64[V, k], one column for each of ``topics``."""

    topics: tuple[int, ...]
    ids: TermIds
    weights: Doubles
    bias: float
    columns: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {topic: column for column, topic in enumerate(self.topics)})

    def values(
        self, texts: npt.NDArray[np.integer], terms: TermIds, count: int, topics: Sequence[int], shares: Doubles | None
    ) -> Doubles:
        """μ of topics on ``count`` texts, float64[count, len(topics)]; term i stands in text ``texts[i]`` and counts
        by ``shares[i]`` (None: 1). A topic without a column is worth what a text without known terms is."""
        sums = np.zeros((count, len(topics)))
        known = np.empty(0, np.int64)
        if len(self.ids):
            places = np.minimum(np.searchsorted(self.ids, terms), len(self.ids) - 1)
            known = np.flatnonzero(self.ids[places] == terms)
        if len(known):
            rows, where = places[known], texts[known]
            for place, topic in enumerate(topics):
                if (column := self.columns.get(topic)) is not None:
                    weights = self.weights[rows, column]
                    sums[:, place] = np.bincount(where, weights if shares is None else weights * shares[known], count)
        np.clip(sums, -2 * LIMIT, 2 * LIMIT, out=sums)
        return np.asarray(1.0 / (1.0 + np.exp(-self.bias - sums)), np.float64)


def learned(
    examples: Sequence[Example],
    interest: Interest,
    tree: TopicTree | None,
    topics: Sequence[int],
    neutral: float,
    strong: float,
) -> TermTable:
    """The table of ``topics`` from the examples and what the tree says of them. 0 < neutral < 1."""
    vocabulary, holds = _incidence(examples)
    hierarchy = Hierarchy.of(interest.topics, interest.together)
    labels = [example.topic for example in examples]
    members, outsiders = hierarchy.members(labels), hierarchy.outsiders(labels)
    languages = sorted({example.page.language for example in examples}) or ["en"]
    tables = []
    for topic in topics:
        table = dict(_from_examples(vocabulary, holds, members[topic], outsiders[topic], languages))
        for term, weight in _from_words(tree, topic, languages, strong):
            table[term] = max(table.get(term, 0.0), weight)
        tables.append(table)
    ids = np.array(sorted(set().union(*tables)), np.uint32)
    weights = np.array([[table.get(term, 0.0) for table in tables] for term in ids.tolist()], np.float64)
    bias = float(np.log(neutral / (1.0 - neutral)))
    return TermTable(tuple(topics), ids, weights.reshape(len(ids), len(topics)), bias)


def _incidence(examples: Sequence[Example]) -> tuple[TermIds, csr_array]:
    """The terms of the examples, uint32[V], and which example holds which: float64[n, V]."""
    rows = [example.page.term_counts()[0] for example in examples]
    vocabulary, places = np.unique(np.concatenate([np.empty(0, np.uint32), *rows]), return_inverse=True)
    starts = np.cumsum([0, *map(len, rows)])
    shape = (len(rows), len(vocabulary))
    return vocabulary, csr_array((np.ones(len(places)), places, starts), shape=shape)


def _from_examples(
    vocabulary: TermIds, holds: csr_array, members: Bools, outsiders: Bools, languages: Sequence[str]
) -> Iterator[tuple[int, float]]:
    """Terms and weights of one topic."""
    of, against = float(members.sum()), float(outsiders.sum())
    if not of:
        return
    p = np.asarray(members.astype(np.float64) @ holds)
    if against:
        q = np.asarray(outsiders.astype(np.float64) @ holds)
    else:
        against = float(BACKGROUND)
        q = against * _general(vocabulary, languages)
    weights = log_odds(p, of, q, against)
    for place in np.flatnonzero(weights).tolist():
        yield int(vocabulary[place]), float(weights[place])


def _general(vocabulary: TermIds, languages: Sequence[str]) -> Doubles:
    """The share of pages of general text that hold each term: float64[V]."""
    ids, shares = document_shares(languages)
    places = np.minimum(np.searchsorted(ids, vocabulary), len(ids) - 1)
    return np.where(ids[places] == vocabulary, shares[places], 0.0)


def _from_words(
    tree: TopicTree | None, topic: int, languages: Sequence[str], strong: float
) -> Iterator[tuple[int, float]]:
    """Terms of what people wrote about a topic and those below it, with their weights."""
    if tree is None or not len(tree) or tree.path(topic) == RELEVANT:
        return
    for place in (topic, *tree.below(topic)):
        for text in (tree.name(place), *tree.keywords(place)):
            yield from ((term, strong) for term in terms_of(text, languages))
        yield from ((term, strong / 2) for term in terms_of(tree.description(place), languages))


def terms_of(text: str, languages: Sequence[str]) -> list[int]:
    """The terms of a text in each of the languages, each once."""
    found: Counter[int] = Counter()
    for language in languages:
        found.update(tokeniser(language).ids(text).tolist())
    return list(found)


def text_of_term(starts: Ints) -> npt.NDArray[np.int64]:
    """The text that each term stands in, int64[t], from where each text's terms start, int32[n + 1]."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))
