"""The keywords that keyword-driven peers get: the topic's name, and some words that tell its examples apart.

A word weighs p⁺(w) · log(p⁺(w) / p⁻(w)): what it adds, a token, to the log-likelihood ratio by which multinomial naive
Bayes tells the positive examples from the negative ones. p⁺ and p⁻ are the word's smoothed shares of all tokens. Where
there are no negative examples, p⁻ is the word's share of English text in general, by wordfreq.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from math import log
from pathlib import Path

from wordfreq import word_frequency

WORDS = 10
SMOOTHING = 0.5
RARE = 1e-6
"""Words are taken to be at least so frequent in general."""

_WORD = re.compile(r"[^\W\d_]{4,}")
"""Shorter words would match inside others wherever a peer looks for keywords within URLs."""


def keywords(names: Sequence[str], positive: Sequence[str], negative: Sequence[str], limit: int = WORDS) -> list[str]:
    """``names`` and then the ``limit`` best words of the texts of the positive examples, in lower case, each once.

    Words that only one of several positive examples holds are left out; of equals the alphabetically first counts.
    """
    good = [Counter(_WORD.findall(text.lower())) for text in positive]
    bad = [Counter(_WORD.findall(text.lower())) for text in negative]
    ours, theirs = sum(good, Counter()), sum(bad, Counter())
    holders = Counter(word for counts in good for word in counts)
    kinds = len(ours | theirs)
    weights = {}
    for word in ours:
        if holders[word] > 1 or len(good) == 1:
            share = (ours[word] + SMOOTHING) / (ours.total() + SMOOTHING * kinds)
            other = (theirs[word] + SMOOTHING) / (theirs.total() + SMOOTHING * kinds) if bad else _in_general(word)
            weights[word] = share * log(share / other)
    best = sorted(weights, key=lambda word: (-weights[word], word))
    own = list(dict.fromkeys(name.lower() for name in names))
    return own + [word for word in best if word not in own][:limit]


def _in_general(word: str) -> float:
    """The share of a word in English text."""
    return float(word_frequency(word, "en", minimum=RARE))


def topic_names(task: Path) -> list[str]:
    """The words of the last parts of the labels that make up a task's truth: ``Science.Chemistry`` is called Chemistry,
    ``Design.Railway_transport`` Railway and transport."""
    labels: list[str] = tomllib.loads(task.read_text(encoding="utf-8"))["truth"]["labels"]
    lasts = [label.split(".")[-1] for label in labels]
    return list(dict.fromkeys(word for last in lasts for word in _WORD.findall(last.replace("_", " ")) or [last]))
