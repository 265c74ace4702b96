"""Rows of items: compiled code finds in them what plain Python does."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simcore.core.jit import AT_ONCE, at_most, by_reference, entry, least

ITEMS = 40


class Store(NamedTuple):
    """Some fields, of which one is looked at."""

    number: int
    items: NDArray[np.int64]


@entry(cache=False)
def look(store, first, bound, chosen):
    """Both functions, of the same items."""
    s = by_reference(store)
    return at_most(s.items, first, bound), least(s.items, first, chosen)


def test_compiled_code_finds_what_plain_python_does() -> None:
    random = np.random.default_rng(5)
    items = random.integers(-3, 4, ITEMS + AT_ONCE - 1)
    items[::7] = 1 << 60
    store = Store(3, items)
    for first in range(ITEMS):
        for bound in (-4, 0, 2, 1 << 60):
            chosen = int(random.integers(0, 1 << AT_ONCE))
            expected = at_most(items, first, bound), least(items, first, chosen)
            assert look(store, first, bound, chosen) == expected
    assert look(store, 0, 0, 0)[1] == least(items, 0, 0) > 1 << 60
