"""Utilisation of the SM's units and of the shared memory system, relative to peak."""

import numpy as np

from simcore.core import isa
from simcore.core.timing.state import (
    PORT_ADU,
    PORT_ATOMIC,
    PORT_DATA,
    PORT_DRAM,
    PORT_HOT_SLICE,
    PORT_L2,
    PORT_L2_FILL,
    PORT_L2_WRITE,
    PORT_TAGS,
    Sm,
)
from simcore.gpu import Gpu
from simcore.lowering.program import Program
from simcore.model.machine_model import unit_cycles

_EITHER = [isa.UNIT_FMA, isa.UNIT_FMA_HEAVY, isa.UNIT_FMA_LITE]
_PIPES = {
    "alu": isa.UNIT_ALU,
    "half": isa.UNIT_HALF,
    "fp64": isa.UNIT_FP64,
    "xu": isa.UNIT_XU,
    "uniform": isa.UNIT_UNIFORM,
    "tensor": isa.UNIT_TENSOR,
}


def utilisation(gpu: Gpu, program: Program, sm: Sm, cycles: int, sms: int) -> dict[str, float]:
    """Utilisation over a run as fractions of peak, 0 to 1, by the names of `simcore.diagnosis.units.UNITS`.

    Utilisation of pipes comes from issued instructions; that of the memory stages from the time they were busy. `l2`
    is relative to this SM's share of the L2 bandwidth, for reads, writes or atomics, whichever is highest; `dram` is
    the traffic of all SMs relative to DRAM bandwidth.

    Args:
        sm: its state after the run.
        cycles: length of the run.
        sms: number of busy SMs.
    """
    each = cycles * gpu.schedulers_per_sm
    held_cycles = sm.issues * unit_cycles(gpu, program.code) / each
    held = np.bincount(program.code["unit"], weights=held_cycles, minlength=isa.UNITS)
    busy = sm.busy / cycles
    fp32_pipes = 2 if gpu.fma_lite_interval else 1
    reachable = gpu.dram_bytes_per_cycle_one_sm * sms * gpu.clock_mhz / (gpu.dram_gb_per_s * 1e3)
    shares = {
        "fma": held[_EITHER].sum() / fp32_pipes + held[isa.UNIT_FMA_PAIR],
        "fma_heavy": held[isa.UNIT_FMA_HEAVY] + held[isa.UNIT_FMA_PAIR],
        **{name: held[unit] for name, unit in _PIPES.items()},
        "lsu": busy[PORT_DATA],
        "tags": busy[PORT_TAGS],
        "constants": busy[PORT_ADU],
        "l2": max(
            busy[[PORT_L2, PORT_L2_WRITE, PORT_L2_FILL, PORT_ATOMIC, PORT_HOT_SLICE]].max(),
            sm.contended_busy.max() / cycles,
        ),
        "dram": busy[PORT_DRAM] * min(reachable, 1.0),
    }
    return {name: min(float(share), 1.0) for name, share in shares.items()}
