"""Machines of a session share the contents of buffers, as long as nobody has changed them."""

import numpy as np

from simcore import Buffer, compile_cuda
from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import native
from simcore.core.machine import Machine
from simcore.model.arguments import Argument
from simcore.session.request import LaunchRequest
from simcore.session.running import run_some
from simcore.session.session import Session, prepare

SOURCE = """
extern "C" __global__ void k(int* y, const int* x)
{
    __shared__ int t[64];
    t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[t[63 - threadIdx.x]] = 1;
}
"""


def session() -> Session:
    arguments: list[Argument] = [np.zeros(64, np.int32), Buffer("int32", 64, "randint", high=64)]
    cubin = compile_cuda(SOURCE, "h200")
    return prepare(LaunchRequest(cubin=cubin, grid=1, block=64, arguments=arguments, gpu="h200"))


def run(session: Session, what: slicing.Slice, slots: int) -> Machine:
    """Run the block on a machine with some slots, which is returned."""

    def core(machine: Machine) -> Machine:
        assert not machine.memory[machine.shared_word :][: machine.shared_words].any()
        run_some(machine, np.zeros(native.CONTEXT, np.int64), np.zeros(1, np.int64))
        return machine

    return session.run(what, 2 * slots, slots, core, backed=[1])


def test_a_machine_takes_the_memory_of_one_that_only_read() -> None:
    launch = session()
    first, second = (run(launch, slicing.for_timing, slots) for slots in (1, 8))
    assert np.shares_memory(first.memory, second.memory)


def test_a_machine_does_not_see_what_another_one_stored() -> None:
    launch = session()
    first, second = (run(launch, slicing.everything, 1) for _ in range(2))
    assert not np.shares_memory(first.memory, second.memory)
    assert first.report[0] == second.report[0] == isa.OK
