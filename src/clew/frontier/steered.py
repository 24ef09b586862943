"""What somebody who watches and steers a crawl asks of a frontier in columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.frontier.base import HostColumns, Standing, State
from clew.frontier.hosts import Hosts
from clew.frontier.postponed import Postponed
from clew.frontier.slots import DONE, ENDING, HOT, LATER, LEASED, PARKED, Slots
from clew.model import Floats

_STATES: dict[int, State] = {PARKED: "parked", LEASED: "leased", ENDING: "leased", DONE: "done", LATER: "postponed"}


def standing(slots: Slots, key: int) -> Standing | None:
    """See ``Frontier.look_up``."""
    slot = slots.find_one(key)[0]
    if slot < 0:
        return None
    return Standing(_STATES.get(slots.state.item(slot), "waiting"), slots.lease(slot))


def waiting_scores(slots: Slots) -> tuple[Floats, npt.NDArray[np.uint8]]:
    """See ``Frontier.waiting_scores``."""
    waits = slots.state[: slots.count] <= HOT
    scores = slots.score[: slots.count][waits]
    tiers = slots.tier[: slots.count][waits] if slots.tiered else np.zeros(len(scores), np.uint8)
    return scores, tiers


def host_columns(hosts: Hosts, postponed: Postponed) -> HostColumns:
    """See ``Frontier.hosts``."""
    found = [
        (host, queue.waiting + postponed.on(host), queue.busy, queue.ready_at)
        for host, queue in enumerate(hosts.queues)
        if queue.waiting or queue.busy or postponed.on(host)
    ]
    ids, waiting, busy, ready_at = zip(*found, strict=True) if found else ((), (), (), ())
    return HostColumns(
        np.array(ids, np.uint32), np.array(waiting, np.int64), np.array(busy, np.bool_), np.array(ready_at, np.float64)
    )


def park(slots: Slots, queues: Hosts, postponed: Postponed, hosts: npt.NDArray[np.uint32]) -> int:
    """See ``Frontier.park``."""
    state = slots.state[: slots.count]
    mine = np.isin(slots.host[: slots.count], hosts)
    waits, late = np.flatnonzero(mine & (state <= HOT)), np.flatnonzero(mine & (state == LATER))
    hot = state[waits] == HOT
    postponed.drop(late.tolist())
    out = np.concatenate([waits, late])
    state[out] = PARKED
    slots.parked += len(out)
    queues.remove(waits, hot)  # their scores tell where they are in the queues
    slots.forget(out)
    return len(out)


def reopen(slots: Slots, key: int, host: int) -> int:
    """See ``Frontier.reopen``; the slot, -1 where the key is not done."""
    slot = slots.find_one(key)[0]
    if slot < 0 or slots.state.item(slot) != DONE:
        return -1
    slots.state[slot] = PARKED
    slots.parked += 1
    slots.host[slot] = host  # of a key that was finished before any link to it came, it was not known
    slots.forget(np.array([slot]))
    return slot
