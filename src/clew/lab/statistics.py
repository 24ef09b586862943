"""How real a web is: its degrees, and how alike pages are that links connect.

Topical locality as Davison measured it (Topical locality in the Web, SIGIR 2000): cosines of TF-IDF vectors of linked
pages, of siblings (two pages that one page links to) and of random pairs. By link distance as Menczer did (Lexical and
semantic clustering by Web links, JASIST 2004): mean similarity s(d) at distance d with the fit
s(d) = b + (1 - b) exp(-rate d^shape), where b is the similarity of random pairs, and the chance that a page d links
from a relevant one is relevant, beside the share of relevant pages in the web.

Everything sampled is drawn from a seed; webs with fewer pages than STARTS and at most two links a page are measured
without sampling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import curve_fit
from scipy.sparse import csr_matrix

from clew.lab.results import Graph
from clew.model import Doubles, Floats, Ints, TermIds

STARTS = 400
"""Pages whose links, siblings and surroundings are looked at."""
WALKS = 200
"""Start pages from which distances are measured, and as many relevant pages."""
DEEPEST = 5
"""Longest link distance that is looked at."""
TAIL = 0.1
"""Share of the pages with the highest degrees to which the slope of the tail is fitted."""

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """What a page says. ``ids`` uint32[t] sorted and distinct, ``counts`` float32[t] of title and body; ``title``
    uint32[u]; ``anchors``: the terms of the links' texts by the number of the page that they lead to."""

    ids: TermIds
    counts: Floats
    title: TermIds
    anchors: dict[int, TermIds]


@dataclass(frozen=True, slots=True, eq=False)
class Web:
    """A link graph whose pages can be read: ``hosts`` int32[n] numbers of the pages' hosts, ``read(page)`` a Text."""

    name: str
    graph: Graph
    hosts: Ints
    read: Callable[[int], Text]


@dataclass(frozen=True, slots=True, eq=False)
class Degrees:
    """In- or out-degrees. ``centres`` and ``density`` float64[k]: share of pages a degree in bins of doubled width
    (degree 0 in ``none``) · ``slope``: exponent a of the tail P(k) ~ k^-a, estimated by maximum likelihood,
    a = 1 + n / sum ln(k_i / (m - 1/2)), over the n pages with degrees of at least m, where m is the degree that the
    top TAIL of the pages reach (Clauset, Shalizi and Newman 2009, equation 3.7); NaN with fewer than two such pages.
    """

    mean: float
    none: float
    slope: float
    centres: Doubles
    density: Doubles


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The statistics of one web.

    ``same_host``, ``answered``: shares of links that stay on their host, and whose target links back · ``linked``,
    ``siblings``, ``random``: mean cosines · ``by_distance`` float64[DEEPEST + 1], NaN where no page lies, 1 at 0 ·
    ``rate``, ``shape`` of the fit, NaN where too little decays · ``relevant``: share of relevant pages · ``onward``
    float64[3]: chance to be relevant 1, 2 and 3 links after a relevant page, NaN where nothing lies ·
    ``anchor_title``: mean cosine of the sets of terms of a link's text and of its target's title; ``anchor_other``:
    with the title of a random page.
    """

    name: str
    pages: int
    links: int
    hosts: int
    same_host: float
    answered: float
    indegree: Degrees
    outdegree: Degrees
    linked: float
    siblings: float
    random: float
    by_distance: Doubles
    rate: float
    shape: float
    relevant: float
    onward: Doubles
    anchor_title: float
    anchor_other: float


def statistics(web: Web, seed: int = 1) -> Statistics:
    """All statistics of a web: some two thousand pages are read."""
    graph, rng = web.graph, np.random.default_rng(seed)
    n, outs = len(graph.urls), np.diff(graph.starts)
    sources = np.repeat(np.arange(n), outs)
    starts = rng.permutation(np.flatnonzero(outs > 0))[:STARTS]
    texts = _Texts(web)
    children = [_two(graph, start, rng) for start in starts.tolist()]
    pairs = [(start, child) for start, row in zip(starts.tolist(), children, strict=True) for child in row]
    siblings = [(row[0], row[1]) for row in children if len(row) > 1]
    walks = _walks(graph, starts[:WALKS], rng)
    for page in {*starts.tolist(), *(child for row in children for child in row), *(b for _, _, b in walks)}:
        texts.add(page)
    background = texts.background(starts)
    by_distance = _by_distance(texts, walks)
    rate, shape = decay(by_distance, background)
    own, other = _anchors(texts, pairs)
    return Statistics(
        name=web.name,
        pages=n,
        links=len(graph.targets),
        hosts=len(np.unique(web.hosts)),
        same_host=_mean(web.hosts[sources] == web.hosts[graph.targets]),
        answered=_answered(sources, graph.targets, n),
        indegree=degrees(np.bincount(graph.targets, minlength=n)),
        outdegree=degrees(outs),
        linked=_mean(texts.cosines(pairs)),
        siblings=_mean(texts.cosines(siblings)),
        random=background,
        by_distance=by_distance,
        rate=rate,
        shape=shape,
        relevant=_mean(graph.relevant),
        onward=_onward(graph, sources, rng),
        anchor_title=own,
        anchor_other=other,
    )


# degrees


def degrees(counts: npt.NDArray[np.integer]) -> Degrees:
    """The distribution of degrees int[n]."""
    positive = counts[counts > 0]
    top = int(positive.max()) if len(positive) else 1
    edges = 2.0 ** np.arange(int(np.ceil(np.log2(top + 1))) + 1)  # 1, 2-3, 4-7, 8-15 ...
    found, _ = np.histogram(positive, edges)
    density = found / np.diff(edges) / max(len(counts), 1)
    centres = np.sqrt(edges[:-1] * (edges[1:] - 1))
    seen = found > 0
    return Degrees(_mean(counts), _mean(counts == 0), tail_slope(counts), centres[seen], density[seen])


def tail_slope(counts: npt.NDArray[np.integer]) -> float:
    """The exponent of the tail; see Degrees."""
    if not len(counts):
        return float("nan")
    least = max(int(np.quantile(counts, 1 - TAIL, method="higher")), 1)
    tail = counts[counts >= least]
    return 1.0 + len(tail) / float(np.log(tail / (least - 0.5)).sum()) if len(tail) > 1 else float("nan")


def _answered(sources: Numbers, targets: Ints, n: int) -> float:
    there = sources * n + targets
    return _mean(np.isin(targets.astype(np.int64) * n + sources, there))


# distances


def distances(graph: Graph, start: int, deepest: int) -> Ints:
    """int32[n]: links from ``start`` to each page, -1 where there are more than ``deepest``."""
    found = np.full(len(graph.urls), -1, np.int32)
    found[start] = 0
    front = np.array([start])
    for depth in range(1, deepest + 1):
        ends = _ends(graph, front)
        front = np.unique(ends[found[ends] < 0])
        found[front] = depth
    return found


def _ends(graph: Graph, pages: Numbers) -> Ints:
    """The targets of all links on some pages."""
    lengths = graph.starts[pages + 1] - graph.starts[pages]
    before = np.cumsum(lengths) - lengths
    ends: Ints = graph.targets[np.arange(lengths.sum()) + np.repeat(graph.starts[pages] - before, lengths)]
    return ends


def _two(graph: Graph, page: int, rng: np.random.Generator) -> list[int]:
    """Two of the pages that a page links to, drawn at random; all where there are no more."""
    row = graph.targets[graph.starts[page] : graph.starts[page + 1]]
    chosen: list[int] = (row if len(row) <= 2 else rng.choice(row, 2, replace=False)).tolist()
    return chosen


def _walks(graph: Graph, starts: Numbers, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """(distance, start, page): a page at each distance from each start, drawn at random."""
    walks = []
    for start in starts.tolist():
        found = distances(graph, start, DEEPEST)
        for depth in range(1, DEEPEST + 1):
            there = np.flatnonzero(found == depth)
            if len(there):
                walks.append((depth, start, int(there[rng.integers(len(there))])))
    return walks


def _by_distance(texts: _Texts, walks: list[tuple[int, int, int]]) -> Doubles:
    cosines = texts.cosines([(start, page) for _, start, page in walks])
    depths = np.array([depth for depth, _, _ in walks])
    return np.array([1.0, *(_mean(cosines[depths == depth]) for depth in range(1, DEEPEST + 1))])


def decay(similarity: Doubles, background: float) -> tuple[float, float]:
    """(rate, shape) of s(d) = b + (1 - b) exp(-rate d^shape) by least squares over the distances; NaN if too few."""
    there = np.flatnonzero(~np.isnan(similarity[1:])) + 1
    if len(there) < 2 or background >= 1:
        return float("nan"), float("nan")

    def model(d: Doubles, rate: float, shape: float) -> Doubles:
        return np.asarray(background + (1 - background) * np.exp(-rate * d**shape), np.float64)

    bounds = ([0.0, 0.05], [20.0, 5.0])
    found, _ = curve_fit(model, there.astype(np.float64), similarity[there], (1.0, 1.0), bounds=bounds, maxfev=5_000)
    return float(found[0]), float(found[1])


def _onward(graph: Graph, sources: Numbers, rng: np.random.Generator) -> Doubles:
    """All links count at distance 1; further on each of up to WALKS relevant pages counts once."""
    first = _mean(graph.relevant[graph.targets[graph.relevant[sources]]])
    shares: tuple[list[float], list[float]] = ([], [])
    for start in rng.permutation(np.flatnonzero(graph.relevant))[:WALKS].tolist():
        found = distances(graph, start, 3)
        for row, depth in zip(shares, (2, 3), strict=True):
            if np.any(found == depth):
                row.append(float(graph.relevant[found == depth].mean()))
    return np.array([first, *(_mean(np.array(row)) for row in shares)])


# texts


class _Texts:
    """The texts of the pages that were read, and their TF-IDF vectors: (1 + ln tf) ln(N / df) of the N texts."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self.texts: dict[int, Text] = {}
        self._rows: dict[int, int] = {}
        self._matrix: csr_matrix | None = None

    def add(self, page: int) -> None:
        """Read a page."""
        if page not in self.texts:
            self._rows[page] = len(self.texts)
            self.texts[page] = self._web.read(page)

    @property
    def matrix(self) -> csr_matrix:
        """Rows of length 1 (or 0 for pages that say nothing)."""
        if self._matrix is None:
            self._matrix = _weighted(list(self.texts.values()))
        return self._matrix

    def cosines(self, pairs: list[tuple[int, int]]) -> Doubles:
        """float64[k], one a pair."""
        if not pairs:
            return np.zeros(0)
        left, right = (self.matrix[[self._rows[pair[side]] for pair in pairs]] for side in (0, 1))
        return np.asarray(left.multiply(right).sum(axis=1), np.float64).ravel()

    def background(self, pages: Numbers) -> float:
        """The mean cosine of all pairs of different pages of ``pages``."""
        rows = self.matrix[[self._rows[page] for page in pages.tolist()]]
        total = np.asarray(rows.sum(axis=0)).ravel()
        own = float(rows.multiply(rows).sum())
        k = len(pages)
        return (float(total @ total) - own) / (k * (k - 1)) if k > 1 else float("nan")


def _weighted(texts: list[Text]) -> csr_matrix:
    sizes = [len(text.ids) for text in texts]
    ids = np.concatenate([text.ids for text in texts])
    counts = np.concatenate([text.counts for text in texts]).astype(np.float64)
    terms, columns = np.unique(ids, return_inverse=True)
    spread = np.bincount(columns)
    values = (1 + np.log(counts)) * np.log(len(texts) / spread)[columns]
    rows = np.repeat(np.arange(len(texts)), sizes)
    lengths = np.sqrt(np.bincount(rows, values**2, len(texts)))
    values /= np.where(lengths > 0, lengths, 1)[rows]
    return csr_matrix((values, (rows, columns)), (len(texts), len(terms)))


def _anchors(texts: _Texts, pairs: list[tuple[int, int]]) -> tuple[float, float]:
    """Links whose text has no terms count 0; of two links to one page the first counts."""
    own, other = [], []
    for place, (source, target) in enumerate(pairs):
        anchor = texts.texts[source].anchors.get(target, np.zeros(0, np.uint32))
        own.append(overlap(anchor, texts.texts[target].title))
        other.append(overlap(anchor, texts.texts[pairs[place - 1][1]].title))
    return _mean(np.array(own)), _mean(np.array(other))


def overlap(one: TermIds, two: TermIds) -> float:
    """The cosine of two sets of terms."""
    first, second = np.unique(one), np.unique(two)
    shared = len(np.intersect1d(first, second, assume_unique=True))
    return shared / float(np.sqrt(len(first) * len(second))) if shared else 0.0


def _mean(values: npt.NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else float("nan")
