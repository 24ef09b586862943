"""From pages of context graphs to the layer model: their terms, the vocabulary, the classifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.judges.reduced import ReducedVocabulary
from clew.judges.reference import Reference
from clew.model import Example, Outcome, TermIds, Visit
from clew.strategies.base import View
from clew.strategies.context_graph.build import Graphs
from clew.strategies.context_graph.layers import Form, LayerModel, Sample
from clew.strategies.context_graph.settings import Settings
from clew.text.terms import name
from clew.topics.formula import topics_of
from clew.topics.interest import RELEVANT

WORDS = 4
"""Words of a query of the bootstrap."""

IsTarget = Callable[[Visit], bool]


@dataclass(slots=True)
class Trainer:
    """Learns with ``settings``. ``examples``: the targets among the user's, layer 0 of every model. ``topics``: for
    each alternative of the interest the name and the examples of each of its topics. ``languages`` of all examples."""

    settings: Settings
    examples: tuple[Example, ...]
    topics: tuple[tuple[tuple[str, tuple[Example, ...]], ...], ...] = ()
    languages: tuple[str, ...] = ()
    _reference: Reference = field(init=False)

    def __post_init__(self) -> None:
        own = [one.page.language for one in self.examples if one.page.language]
        self._reference = Reference.shipped(own or self.languages)

    @classmethod
    def of(cls, settings: Settings, view: View) -> Trainer:
        """For a crawl."""
        interest = view.interest

        def of_topic(topic: int) -> tuple[str, tuple[Example, ...]]:
            path = interest.topics[topic]
            examples = tuple(one for one in view.examples if one.topic >= 0 and interest.is_below(one.topic, topic))
            return "" if path == RELEVANT else path.rpartition("/")[2], examples

        return cls(
            settings,
            tuple(interest.targets(view.examples, view.judge.judge)),
            tuple(tuple(map(of_topic, topics_of(one))) for one in interest.alternatives),
            tuple(one.page.language for one in view.examples if one.page.language),
        )

    def known(self) -> list[Sample]:
        """The examples."""
        return [Sample(one.page.leaves.ids, 0) for one in self.examples]

    def samples(self, graphs: Graphs, visits: Iterable[Visit], is_target: IsTarget) -> list[Sample]:
        """The examples and what was read of the graphs."""
        found, own = self.known(), {one.url for one in self.examples}
        places = graphs.places(self.settings.allow_conflict)
        for url, visit in _read({url: layers for url, layers in places.items() if url not in own}, visits):
            if visit.links is not None:
                found += self._placed(visit.links.leaves.ids, places[url], target=is_target(visit))
        return found

    def _placed(self, terms: TermIds, layers: Mapping[int, int], *, target: bool) -> list[Sample]:
        if target and min(layers) > 0 and self.settings.targets != "keep":
            return [Sample(terms, 0)] if self.settings.targets == "layer 0" else []
        return [Sample(terms, layer, nodes) for layer, nodes in layers.items()]

    def model(self, samples: Sequence[Sample]) -> LayerModel | None:
        """N + 1 classifiers; None without samples."""
        if not samples:
            return None
        settings = self.settings
        deepest = {"seeds": 0, "layer 1": 1}.get(settings.vocabulary, settings.depth)
        words = self._master([one.terms for one in samples if one.layer <= deepest])
        form = Form(settings.occurrences, settings.raw, settings.prior == "equal", settings.quantile)
        model = LayerModel.train(words, samples, settings.depth + 1, form)
        for layer, threshold in settings.thresholds.items():
            model.thresholds[int(layer)] = threshold
        return model

    def _master(self, texts: Sequence[TermIds]) -> ReducedVocabulary:
        """V of the document that ``texts`` make together."""
        settings = self.settings
        return ReducedVocabulary.of_texts(
            texts, self._reference, keep=settings.top_features, max_vocab=settings.max_vocab, pairs=settings.pairs
        )

    def queries(self, model: LayerModel | None) -> list[str]:
        """The heaviest words of all targets together and of each, as queries for a search engine. Without a target:
        for each alternative of the interest, words of all its topics."""
        texts = [one.page.leaves.ids for one in self.examples]
        if model is None or not texts:
            found = dict.fromkeys(map(self._joint, self.topics))
        else:
            words = model.vocabulary
            found = dict.fromkeys(_heaviest(words, text) for text in (np.concatenate(texts), *texts))
        return [query for query in found if query]

    def _joint(self, topics: Sequence[tuple[str, Sequence[Example]]]) -> str:
        """The heaviest words of the examples of each topic, as many of each; the name of one that has none."""
        texts = [[one.page.leaves.ids for one in examples] for _, examples in topics]
        words = self._master([text for row in texts for text in row])
        share = max(WORDS // max(len(topics), 1), 1)
        parts = [
            _heaviest(words, np.concatenate(row), share) if row else named
            for (named, _), row in zip(topics, texts, strict=True)
        ]
        return " ".join(filter(None, parts))


def facts(model: LayerModel | None, samples: Sequence[Sample]) -> dict[str, str | int | float | bool]:
    """What a training came to, for the decision log."""
    if model is None:
        return {"refused": "there are no examples"}
    placed = [model.place(one.terms)[0] for one in samples]
    right = sum(layer == one.layer for layer, one in zip(placed, samples, strict=True))
    sizes = {f"pages of layer {layer}": size for layer, size in enumerate(model.sizes)}
    thresholds = {
        f"threshold of layer {layer}": round(float(value), 4)
        for layer, value in enumerate(model.thresholds)
        if np.isfinite(value)
    }
    accuracy = round(right / max(len(samples), 1), 4)
    return {"phrases": len(model.vocabulary), **sizes, **thresholds, "accuracy in training": accuracy}


def _read(urls: Iterable[str], visits: Iterable[Visit]) -> Iterator[tuple[str, Visit]]:
    """The visits of these pages; what a redirect led to stands for the page that redirects."""
    named = {url: url for url in urls}
    for visit in visits:
        url = named.get(visit.link.url)
        if url is None or visit.links is None:
            continue
        if visit.response.outcome is Outcome.REDIRECT:
            named.setdefault(visit.links.links.urls[0], url)
        else:
            yield url, visit


def _heaviest(vocabulary: ReducedVocabulary, text: TermIds, count: int = WORDS) -> str:
    vector = vocabulary.of_terms(text)
    ids = vector.ids[np.argsort(-vector.weights, kind="stable")].tolist()
    return " ".join([word for number in ids if (word := name(number))][:count])
