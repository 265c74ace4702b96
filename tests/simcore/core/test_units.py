"""What is compiled by itself: families of operations, for the first kernel that needs them."""

import numpy as np
from numba import njit

from simcore import compile_cuda
from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import native
from simcore.core.jit.widening import widened
from simcore.core.machine import Machine
from simcore.session.request import LaunchRequest
from simcore.session.running import run_some
from simcore.session.session import prepare

SINGLES = 'extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= 3.0f; }'


def _addresses(source: str) -> list[int]:
    """What a machine knows of each family after a kernel has run."""
    x = np.arange(32, dtype=np.float32)
    cubin = compile_cuda(source, "h200")
    session = prepare(LaunchRequest(cubin=cubin, grid=1, block=32, arguments=[x], gpu="h200"))

    def core(machine: Machine) -> list[int]:
        run_some(machine, np.zeros(native.CONTEXT, np.int64), np.zeros(1, np.int64))
        return [int(address) for address in machine.units]

    return session.run(slicing.everything, 1, 1, core, backed=[0])


def test_a_kernel_needs_the_families_of_its_operations_alone() -> None:
    found = _addresses(SINGLES)
    present = {family for family in range(isa.FAMILIES) if found[family] != family}
    assert {isa.CONTROL, isa.MEMORY, isa.SINGLE} <= present
    assert not {isa.MATRIX, isa.HALF, isa.DOUBLE} & present


def test_one_unit_serves_several_families() -> None:
    found = _addresses(SINGLES.replace("threadIdx.x", "(threadIdx.x ^ blockIdx.x)"))
    present = [found[family] for family in (isa.INTEGER, isa.BITS, isa.SPECIAL) if found[family] != family]
    assert len(present) >= 2
    assert len(set(present)) == 1


def test_constants_and_narrow_integers_share_one_compiled_function() -> None:
    def twice(x):
        return 2 * x

    doubled = widened(njit(twice), constants=True)

    @njit
    def caller(narrow, wide):
        return doubled(narrow) + doubled(wide) + doubled(5) + doubled(7)

    assert caller(np.int32(1), np.int64(2)) == 30
    assert len(doubled.signatures) == 1
