"""Links that wait for a time of their own: counted by host, due by time, dropped or made to come sooner."""

from __future__ import annotations

from clew.frontier.postponed import Postponed


def held() -> Postponed:
    """Slots 1 and 2 of host 3 until 5 and 6, slot 4 of host 7 until 5.5."""
    postponed = Postponed()
    for when, slot, host in ((6.0, 2, 3), (5.0, 1, 3), (5.5, 4, 7)):
        postponed.add(when, slot, host)
    return postponed


def test_each_comes_at_its_time_and_the_others_of_its_host_still_count() -> None:
    postponed = held()
    assert (len(postponed), postponed.on(3), postponed.on(7), postponed.on(8)) == (3, 2, 1, 0)
    assert (postponed.next(), postponed.due(4.9)) == (5.0, [])
    assert postponed.due(5.0) == [(1, 3)]
    assert (len(postponed), postponed.on(3), postponed.on(7), postponed.next()) == (2, 1, 1, 5.5)
    assert postponed.due(9.0) == [(4, 7), (2, 3)]
    assert (len(postponed), postponed.on(3), postponed.on(7)) == (0, 0, 0)
    assert (postponed.next(), postponed.due(99.0)) == (None, [])


def test_what_is_dropped_never_comes_and_counts_no_more() -> None:
    postponed = held()
    postponed.drop([1, 4])
    assert (len(postponed), postponed.on(3), postponed.on(7), postponed.next()) == (1, 1, 0, 6.0)
    assert postponed.due(9.0) == [(2, 3)]


def test_sooner_is_never_later_and_leaves_others_alone() -> None:
    postponed = held()
    postponed.sooner(5.2, [1, 2, 99])  # slot 1 comes before that, 99 does not wait
    assert (len(postponed), postponed.on(3), postponed.next()) == (3, 2, 5.0)
    assert postponed.due(5.2) == [(1, 3), (2, 3)]
    assert postponed.due(6.0) == [(4, 7)], "slot 2 does not come a second time"
    postponed.add(8.0, 2, 3)
    assert (postponed.due(7.9), postponed.due(8.0)) == ([], [(2, 3)])
