"""Clocks: the live one waits, the virtual one jumps."""

from __future__ import annotations

import time

import pytest

from clew.web.clock import LiveClock, VirtualClock


async def test_live_clock_waits() -> None:
    clock = LiveClock()
    assert abs(clock.now() - time.time()) < 1
    when = clock.now() + 0.02
    await clock.sleep_until(when)
    assert clock.now() >= when
    await clock.sleep_until(when - 100)
    assert not clock.virtual


async def test_virtual_clock_jumps_and_never_goes_back() -> None:
    clock = VirtualClock(5.0)
    assert clock.virtual
    assert clock.now() == 5.0
    await clock.sleep_until(1e9)
    assert clock.now() == 1e9
    await clock.sleep_until(7.0)
    assert clock.now() == 1e9
    clock.advance(2.5)
    assert clock.now() == 1e9 + 2.5


@pytest.mark.parametrize("step", [-1.0, float("nan")])
def test_virtual_clock_refuses_to_go_back(step: float) -> None:
    with pytest.raises(ValueError, match="cannot go back"):
        VirtualClock().advance(step)
