"""Numbers for people."""

from __future__ import annotations

import numpy as np
import pytest

from clew.words import digits, interval


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (0.0, "0.000"),
        (0.5, "0.500"),
        (0.9984, "0.998"),
        (0.99962, "0.99962"),
        (0.9999983, "0.9999983"),
        (float(np.float32(0.99999994)), "0.99999994"),
        (1.0, ">0.99999994"),
        (2.5, "2.500"),
        (-3.0, "-3.000"),
    ],
)
def test_scores_near_one_are_told_apart(value: float, says: str) -> None:
    assert digits(value) == says


def test_better_scores_never_read_lower() -> None:
    values = 1.0 - np.logspace(-7.2, -0.1, 400)
    read = [float(digits(float(one)).lstrip(">")) for one in sorted(values)]
    assert read == sorted(read)
    assert len({digits(float(one)) for one in 1.0 - np.logspace(-7, -4, 30)}) == 30


def test_an_interval_in_words() -> None:
    assert interval(0.713, 0.551, 0.839) == "0.71 (0.55 to 0.84)"


def test_a_link_s_score_of_one_is_one() -> None:
    assert digits(1.0, rounded=False) == "1.000" and digits(1.0) == ">0.99999994"
    assert digits(0.99962, rounded=False) == digits(0.99962) == "0.99962"
