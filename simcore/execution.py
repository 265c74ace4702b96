"""Public call: run a kernel for its results, every block and every lane, without timing."""

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import native
from simcore.core.machine import Machine
from simcore.model.launch import Launch
from simcore.session.counting import run_one_by_one
from simcore.session.request import LaunchRequest, takes
from simcore.session.running import Counts, run_some
from simcore.session.session import Session, prepare


@takes(LaunchRequest)
def execute(request: LaunchRequest) -> int:
    """Run the whole grid and write the results into the numpy arrays among the arguments.

    The keywords are the attributes of `simcore.session.request.LaunchRequest`.

    Returns:
        Warp instructions executed, as Nsight Compute's `smsp__inst_executed.sum`.

    Raises:
        SimcoreError: a subclass of it; see `simcore.errors`.
    """
    return execute_prepared(prepare(request))


def execute_prepared(session: Session, found: int | None = None) -> int:
    """Run the whole grid of a session and write the results into the numpy arrays among its arguments.

    Args:
        found: the word of which registers and shared memory are full when a block starts; None leaves there what the
            block before it left.

    Returns:
        Warp instructions executed.
    """
    launch = session.launch
    blocks = np.arange(launch.blocks)

    def core(machine: Machine) -> tuple[Machine, Counts]:
        if found is None:
            return machine, run_one_by_one(session, machine, blocks)
        return machine, Counts.joined(
            [_from(found, machine, block) for block in np.split(blocks, len(blocks))]
        )

    backed = range(launch.memories)
    machine, counts = session.run(slicing.everything, launch.warps_per_block, 1, core, backed)
    _write_back(machine, launch)
    return int(counts.executed.sum())


def _from(found: int, machine: Machine, block: NDArray[np.int64]) -> Counts:
    machine.registers[machine.first_own_row * isa.LANES :] = found
    machine.memory[machine.shared_word : machine.shared_word + machine.shared_words] = found
    return run_some(machine, np.zeros(native.CONTEXT, np.int64), block)


def _write_back(machine: Machine, launch: Launch) -> None:
    for first, buffer in zip(machine.buffer_word.tolist(), launch.buffers(), strict=False):
        if isinstance(buffer, np.ndarray):
            content: NDArray[np.uint8] = machine.memory[first:].view(np.uint8)[: buffer.nbytes]
            buffer.reshape(-1).view(np.uint8)[:] = content
