"""The lines that an access touches, and the words of each."""

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simcore.core.geometry import LINE_BYTES, LINE_SHIFT, MAX_LINES
from simcore.core.jit import entry
from simcore.core.timing import l1

Ints = NDArray[np.int64]

FIRST = 1 << 33


class Machine(NamedTuple):
    address: Ints
    local_words: int = 0


class Gathered(NamedTuple):
    line: Ints
    line_words: Ints


@entry()
def gather(m, sm, lanes, width):
    """Of an access to global memory."""
    return l1.gather_lines(m, sm, 0, lanes, width, False)


def expected_lines(addresses: list[int], lanes: int, width: int) -> dict[int, int]:
    """Words of each line, a bit each."""
    lines: dict[int, int] = {}
    for lane, address in enumerate(addresses):
        for byte in range(address, address + width, min(width, 4)) if lanes >> lane & 1 else ():
            line = byte >> LINE_SHIFT
            lines[line] = lines.get(line, 0) | 1 << (byte % LINE_BYTES >> 2)
    return lines


def check(addresses: list[int], lanes: int, width: int) -> None:
    gathered = Gathered(np.zeros(MAX_LINES, np.int64), np.zeros(MAX_LINES, np.int64))
    count = gather(Machine(np.array(addresses, np.int64)), gathered, lanes, width)
    found = dict(zip(gathered.line[:count].tolist(), gathered.line_words[:count].tolist(), strict=True))
    assert found == expected_lines(addresses, lanes, width)
    assert len(found) == count


LANES = st.integers(1, 2**32 - 1)
WIDTHS = st.sampled_from([1, 2, 4, 8, 16])


@settings(deadline=None)  # the first example compiles
@given(st.integers(0, 64), st.integers(-3, 3), LANES, WIDTHS)
def test_lanes_at_a_stride_touch_what_their_addresses_say(offset, stride, lanes, width):
    check([FIRST + width * (offset + stride * lane) for lane in range(32)], lanes, width)


@settings(deadline=None)
@given(st.lists(st.integers(0, 255), min_size=32, max_size=32), LANES, WIDTHS)
def test_scattered_lanes_touch_what_their_addresses_say(places, lanes, width):
    check([FIRST + width * place for place in places], lanes, width)


def test_an_inactive_lane_may_be_anywhere():
    addresses = [FIRST + 4 * lane for lane in range(32)]
    addresses[0] = addresses[9] = 1
    check(addresses, 0xFFFF_FDFE, 4)
