"""Special functions, whose last bits NVIDIA does not state: their arguments, and how far results may lie apart."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.random_programs.data import Reals


class Function(NamedTuple):
    """An approximation of PTX.

    Attributes:
        name: of the device function around it.
        instruction: of PTX, from %1 to %0.
        argument: C++ that makes its argument of a word `u`.
        relative, absolute: the larger of the two errors that PTX ISA states for it, of either side.
    """

    name: str
    instruction: str
    argument: str
    relative: float
    absolute: float


_ANY = "__uint_as_float(u)"
_MODERATE = "(int)u * 1e-8f"
_POSITIVE = "(u >> 7) * 1e-6f"

FUNCTIONS = (
    Function("special_rcp", "rcp.approx.ftz.f32", _ANY, 2**-23, 0.0),
    Function("special_sqrt", "sqrt.approx.ftz.f32", _POSITIVE, 2**-23, 0.0),
    Function("special_rsqrt", "rsqrt.approx.ftz.f32", _ANY, 2**-22.9, 0.0),
    Function("special_ex2", "ex2.approx.ftz.f32", _MODERATE, 2**-22, 0.0),
    Function("special_lg2", "lg2.approx.ftz.f32", _ANY, 2**-22, 2**-22),
    Function("special_sin", "sin.approx.ftz.f32", "(int)u * 1.4e-9f", 0.0, 2**-20.5),
    Function("special_cos", "cos.approx.ftz.f32", "(int)u * 1.4e-9f", 0.0, 2**-20.5),
    Function("special_tanh", "tanh.approx.f32", _MODERATE, 2**-10.987, 0.0),
)


def device_functions() -> str:
    """Each in CUDA C++."""
    return "\n".join(
        f"QUALIFIER float {name}(unsigned u) {{ float x = {argument}, y; "
        f'asm("{instruction} %0,%1;" : "=f"(y) : "f"(x)); return y; }}'
        for name, instruction, argument, _, _ in FUNCTIONS
    )


def too_far_apart(function: Function, ours: Reals, theirs: Reals) -> NDArray[np.bool_]:
    """Where two results differ by more than both may err."""
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        allowed = 2 * np.maximum(function.relative * np.abs(b), function.absolute)
        return np.asarray(~same & ~(np.abs(a - b) <= allowed))
