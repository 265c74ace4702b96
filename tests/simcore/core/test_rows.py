"""Rows of items: compiled code finds in them what plain Python does."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core.jit import ALL_AT_ONCE, AT_ONCE, at_most, by_reference, entry, least, row_at_most

ITEMS = 40


class Store(NamedTuple):
    """Some fields, of which one is looked at."""

    number: int
    items: NDArray[np.int64]
    times: NDArray[np.float64]
    rows: NDArray[np.int64]


def a_store() -> Store:
    """Of small numbers and very large ones."""
    random = np.random.default_rng(5)
    items = random.integers(-3, 4, ITEMS + AT_ONCE - 1)
    items[::7] = 1 << 60
    times = random.integers(0, 7, len(items)) / 4.0
    times[::5] = np.inf
    return Store(3, items, times, random.integers(-3, 4, (5, AT_ONCE)))


@entry(cache=False)
def look(store, first, bound, chosen):
    """Both functions, of the same items."""
    s = by_reference(store)
    return at_most(s.items, first, bound), least(s.items, first, chosen)


@entry(cache=False)
def look_at_times(store, first, bound, chosen):
    """The same of floats."""
    s = by_reference(store)
    return at_most(s.times, first, bound), least(s.times, first, chosen)


@entry(cache=False)
def look_at_row(store, row, bound):
    """The same of a row of an array of rows."""
    s = by_reference(store)
    return row_at_most(s.rows, row, bound)


def test_compiled_code_finds_what_plain_python_does() -> None:
    random, store = np.random.default_rng(6), a_store()
    for first in range(ITEMS):
        for bound in (-4, 0, 2, 1 << 60):
            chosen = int(random.integers(0, 1 << AT_ONCE))
            expected = at_most(store.items, first, bound), least(store.items, first, chosen)
            assert look(store, first, bound, chosen) == expected
    assert look(store, 0, 0, 0)[1] == least(store.items, 0, 0) > 1 << 60


def test_floats_that_are_not_negative_are_in_the_order_of_their_bits() -> None:
    store = a_store()
    for first in range(ITEMS):
        for bound in (0.0, 0.3, 1.5, 1e300):
            expected = at_most(store.times, first, bound), least(store.times, first, ALL_AT_ONCE)
            assert look_at_times(store, first, bound, ALL_AT_ONCE) == expected


def test_a_row_is_looked_at_as_a_whole() -> None:
    store = a_store()
    for row in range(5):
        for bound in (-4, 0, 2):
            assert look_at_row(store, row, bound) == at_most(store.rows[row], 0, bound)
