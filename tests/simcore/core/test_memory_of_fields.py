"""Arrays of the core's named tuples do not overlap, and extend as far as its compiled code takes for granted."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simcore import compile_cuda
from simcore.analysis import slicing
from simcore.core.execution.slopes.state import slopes_of
from simcore.core.execution.trail import trail_of
from simcore.core.jit.arrays import EXTENTS, SAME_MEMORY
from simcore.core.likes import moving_of
from simcore.core.machine import Machine
from simcore.core.trail_order import order_of
from simcore.gpu_profiles import load_gpu
from simcore.model.machine_model import build_sm, build_timing
from simcore.model.occupancy import occupancy
from simcore.model.sharing import first_guess
from simcore.session.first_blocks import Lines
from simcore.session.known import Known
from simcore.session.request import LaunchRequest
from simcore.session.sampled_l2 import SampledL2
from simcore.session.session import prepare

Records = tuple[tuple[Any, ...], ...]

SCALE = 'extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= 3.0f; }'


def _arrays(record: object) -> Iterator[tuple[str, NDArray[np.generic]]]:
    for name, field in record._asdict().items():  # type: ignore[attr-defined]
        if isinstance(field, np.ndarray):
            yield name, field
        elif isinstance(field, tuple):
            yield from _arrays(field)


def _of_a_replay() -> Records:
    """What one entry is moved, numbered, put into order and replayed with."""
    one, lines = np.zeros(1, np.int64), Lines(trail_of(1, 0, 1).entries)
    order = order_of(trail_of(1, 0, 1).entries, one, one.copy())
    return lines.numbers, order, SampledL2(load_gpu("h200"), one, 1).places, Known().runs, moving_of(1)


def _look_at_records(look: Callable[[Records], None]) -> None:
    """Show what the core is given for a small launch."""
    cubin, x = compile_cuda(SCALE, "h200"), np.zeros(32, np.float32)
    session = prepare(LaunchRequest(cubin=cubin, grid=1, block=32, arguments=[x], gpu="h200"))
    gpu, launch, program = session.gpu, session.launch, session.program
    room = occupancy(gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)
    timing = build_timing(gpu, launch, room, first_guess(gpu, launch, room, 1, False))

    def core(machine: Machine) -> None:
        sm = build_sm(timing, program, launch, 1, 1, False)
        look((machine, sm, timing, slopes_of(machine, 1), trail_of(1, 0, 1), *_of_a_replay()))

    session.run(slicing.everything, 1, 1, core)


def test_no_two_fields_share_memory_but_those_of_another_type() -> None:
    def look(records: Records) -> None:
        arrays = [field for record in records for field in _arrays(record)]
        shared = {(a, b) for (a, one), (b, other) in combinations(arrays, 2) if np.shares_memory(one, other)}
        assert shared == {(field, other) for other, field in SAME_MEMORY.items()}

    _look_at_records(look)


def test_arrays_extend_as_the_core_is_compiled_for() -> None:
    def look(records: Records) -> None:
        of_records = (field for record in records for field in (record, *record))
        owners = {type(field).__name__: field for field in of_records if isinstance(field, tuple)}
        for name, extents in EXTENTS.items():
            owner, field = name.split(".")
            shape: tuple[int, ...] = getattr(owners[owner], field).shape
            assert shape[len(shape) - len(extents) :] == extents, name

    _look_at_records(look)
