"""What a GPU left, in a small file: a sum of each exact form's results, and the results of the others themselves."""

import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.simulator.instruction_forms.comparison import difference
from benchmarks.simulator.instruction_forms.data import Words
from benchmarks.simulator.instruction_forms.kernels import FORMS


class Recorded(NamedTuple):
    """Of a run on a GPU, by the forms' places.

    Attributes:
        sums: of all forms.
        results: of those that may err.
    """

    sums: dict[int, int]
    results: dict[int, Words]


def write(left: dict[int, Words], file: Path) -> None:
    """Keep what forms left."""
    near = [place for place in left if _may_err(place)]
    np.savez_compressed(
        file,
        places=np.array(list(left), np.uint16),
        sums=np.array([zlib.crc32(results.tobytes()) for results in left.values()], np.uint32),
        near=np.array(near, np.uint16),
        results=np.array([left[place] for place in near]),
    )


def read(file: Path) -> Recorded:
    """What was kept."""
    kept = np.load(file)
    sums = dict(zip(kept["places"].tolist(), kept["sums"].tolist(), strict=True))
    return Recorded(sums, dict(zip(kept["near"].tolist(), kept["results"], strict=True)))


def agrees(place: int, ours: Words, recorded: Recorded) -> bool:
    """Whether a form left what it leaves on the GPU."""
    if _may_err(place):
        return difference(FORMS[place], ours, recorded.results[place]) is None
    return zlib.crc32(ours.tobytes()) == recorded.sums[place]


def _may_err(place: int) -> bool:
    return FORMS[place].relative + FORMS[place].absolute > 0
