"""Public call: run a kernel for its results, every block and every lane, without timing."""

import numpy as np
from numpy.typing import NDArray

from simcore.analysis import slicing
from simcore.core.machine import Machine
from simcore.model.launch import Launch
from simcore.session.counting import Counts, run_one_by_one
from simcore.session.request import LaunchRequest, takes
from simcore.session.session import prepare


@takes(LaunchRequest)
def execute(request: LaunchRequest) -> int:
    """Run the whole grid and write the results into the numpy arrays among the arguments.

    The keywords are the attributes of `simcore.session.request.LaunchRequest`.

    Returns:
        Warp instructions executed, as Nsight Compute's `smsp__inst_executed.sum`.

    Raises:
        SimcoreError: a subclass of it; see `simcore.errors`.
    """
    session = prepare(request)
    launch = session.launch

    def core(machine: Machine) -> tuple[Machine, Counts]:
        return machine, run_one_by_one(session, machine, np.arange(launch.blocks))

    everything = slicing.everything(session.program)
    machine, counts = session.run(everything, launch.warps_per_block, 1, core, backed=range(launch.memories))
    _write_back(machine, launch)
    return int(counts.executed.sum())


def _write_back(machine: Machine, launch: Launch) -> None:
    for order, position in enumerate(launch.buffers()):
        argument = launch.arguments[position]
        if isinstance(argument, np.ndarray):
            first = int(machine.buffer_word[order])
            content: NDArray[np.uint8] = machine.memory[first:].view(np.uint8)[: argument.nbytes]
            argument.reshape(-1).view(np.uint8)[:] = content
