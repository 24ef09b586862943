"""TF-IDF vectors by hand."""

from __future__ import annotations

import numpy as np
import pytest

from clew.judges.vectors import Vectors


def test_only_the_heaviest_features_stay_in_a_reduced_vector() -> None:
    """Weights tf·idf: 3·1, 1·4, 2·1, 1·0.5; the two heaviest are 4 and 3, of length 5 (CFC-21)."""
    idf = np.array([1.0, 4.0, 1.0, 0.5])
    places, counts = np.arange(4), np.array([3.0, 1.0, 2.0, 1.0], np.float32)
    reduced = Vectors(logarithmic=False, heaviest=2, idf=idf).of(places, counts)
    assert reduced.tolist() == pytest.approx([0.6, 0.8, 0.0, 0.0])
    whole = Vectors(logarithmic=False, idf=idf).of(places, counts)
    assert np.count_nonzero(whole) == 4 and float(whole @ whole) == pytest.approx(1.0)
    assert Vectors(logarithmic=False, heaviest=9, idf=idf).of(places, counts).tolist() == whole.tolist()
