"""How a kernel's loads fare in L1, and its accesses in shared memory, as Nsight Compute's memory tables show it."""

from simcore.core.timing.state import (
    COUNT_BANK_CONFLICTS,
    COUNT_L1_MISSES,
    COUNT_LOAD_SECTORS,
    COUNT_LOADS,
    COUNT_SHARED,
    COUNT_SHARED_WAVEFRONTS,
    Sm,
)


def memory(sm: Sm) -> dict[str, float]:
    """Rates of the timed SM, by name; those of accesses that a kernel does not make are left out.

    - `l1_hit_rate`: share of the sectors read by global and local loads that L1 holds, or has asked for, 0 to 1.
    - `sectors_per_load`: sectors that such a load of a warp touches, 1 to 128.
    - `wavefronts_per_shared_access`: passes through the banks of shared memory.
    - `bank_conflicts`: share of these beyond the fewest that the width of the access takes, 0 to 1.
    """
    counted = sm.counters
    rates = {}
    if counted[COUNT_LOADS]:
        rates["l1_hit_rate"] = float(1.0 - counted[COUNT_L1_MISSES] / counted[COUNT_LOAD_SECTORS])
        rates["sectors_per_load"] = float(counted[COUNT_LOAD_SECTORS] / counted[COUNT_LOADS])
    if counted[COUNT_SHARED]:
        wavefronts = counted[COUNT_SHARED_WAVEFRONTS]
        rates["wavefronts_per_shared_access"] = float(wavefronts / counted[COUNT_SHARED])
        rates["bank_conflicts"] = float(counted[COUNT_BANK_CONFLICTS] / wavefronts)
    return rates
