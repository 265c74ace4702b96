"""Loads that wait for lines on their way to L1: an SM has room for so many, and until one is served no other load
passes the tag stage (benchmarks/silicon/micro/l1/pending_batches).

They are served in any order. Which places are free is found out when none is known to be: those of all loads that have
been served since. A load of many lines takes several places (benchmarks/silicon/micro/l1/private_phases).
"""

import numpy as np

from simcore.core.jit import ALL_AT_ONCE, AT_ONCE, at_most, jit, jit_inline, least, lowest_bit
from simcore.core.timing.parameters import Floats, Ints


def places_for(loads: int) -> Floats:
    """When the load in each of so many places is served, all of them at first; behind them, up to whole rows, never."""
    places = np.full(-(-loads // AT_ONCE) * AT_ONCE, np.inf)
    places[:loads] = 0.0
    return places


def free_places_for(loads: int) -> Ints:
    """How many places are free, at first all, and behind that which these are."""
    return np.append(loads, np.arange(loads))


@jit_inline()
def room_from(sm, at):
    """When there is room for one more, from some time on."""
    return at if sm.free_places[0] else _room_again(sm, at)


@jit()
def _room_again(sm, at):
    """The same where no place is known to be free."""
    _free_those_served(sm, at)
    if not sm.free_places[0]:
        at = _earliest(sm)
        _free_those_served(sm, at)
    return at


@jit()
def _free_those_served(sm, at):
    """The places of loads that are served until some time are free."""
    free = sm.free_places[0]
    for first in range(0, sm.pending_loads.size, AT_ONCE):
        served = at_most(sm.pending_loads, first, at)
        while served:
            free += 1
            sm.free_places[free] = first + lowest_bit(served)
            served &= served - 1
    sm.free_places[0] = free


@jit()
def _earliest(sm):
    """When the first load is served."""
    earliest = np.inf
    for first in range(0, sm.pending_loads.size, AT_ONCE):
        earliest = min(earliest, least(sm.pending_loads, first, ALL_AT_ONCE))
    return earliest


@jit()
def add(sm, t, lines, served):
    """A load of some lines that is served at some time takes places that are free or, if there are none, those of the
    loads that are served first."""
    while lines > 0:
        sm.pending_loads[_take_place(sm)] = served
        lines -= t.pending_load_lines


@jit_inline()
def _take_place(sm):
    """A place for one more."""
    free = sm.free_places[0]
    if not free:
        return _place_of_the_earliest(sm)
    sm.free_places[0] = free - 1
    return sm.free_places[free]


@jit()
def _place_of_the_earliest(sm):
    """The place of the load that is served first."""
    earliest, first = _earliest(sm), np.int64(0)
    while not at_most(sm.pending_loads, first, earliest):
        first += AT_ONCE
    return first + lowest_bit(at_most(sm.pending_loads, first, earliest))
