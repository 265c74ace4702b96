"""Warps and chains hide the same latency; registers decide how many warps there can be."""

from dse.experiments.accumulators import shares_of_peak
from dse.experiments.lab import Lab
from dse.experiments.report import Claim, Curves, Report, Table, percent
from simcore import gpu_names, load_gpu, occupancy

TITLE = "Instruction-level parallelism against occupancy"
SOURCE = "V. Volkov, Better Performance at Lower Occupancy, GTC 2010"
FOLKLORE = "tutorials on occupancy"
GPU = "h100-sxm"
WARPS = (4, 8, 12, 16, 24, 32)
CHAINS = (1, 2, 4, 8)
LATENCY = 4
SCHEDULERS = 4
BLOCK = 256


def run(lab: Lab) -> Report:
    """The share of the FP32 peak by chains of a thread and warps of an SM, and what one more register costs."""
    shares = shares_of_peak(lab, GPU, CHAINS, WARPS)
    needed = {chains: _enough({warps: shares[chains, warps] for warps in WARPS}) for chains in CHAINS}
    heat = [
        {
            "chains": chains,
            **{f"{warps} warps": percent(shares[chains, warps]) for warps in WARPS},
            "enough": needed[chains],
        }
        for chains in CHAINS
    ]
    cliff = {
        gpu: tuple(occupancy(load_gpu(gpu), BLOCK, registers, 0).blocks_per_sm for registers in (64, 65))
        for gpu in gpu_names()
    }
    halved = [gpu for gpu, (before, after) in cliff.items() if 2 * after <= before]
    quarter = needed[1] / needed[4]
    claims = [
        Claim(
            "4 L warps on an SM hide a latency of L cycles",
            FOLKLORE,
            f"{SCHEDULERS * LATENCY} warps",
            f"{needed[1]} warps on {GPU}",
            "agrees" if needed[1] == SCHEDULERS * LATENCY else "differs",
            "with one chain an FMA reads three registers through two ports and takes two cycles: two warps a scheduler "
            "are enough, for half of the peak",
        ),
        Claim(
            "four independent instructions need a quarter of the warps",
            SOURCE,
            "1/4",
            f"{needed[4]} in place of {needed[1]} warps",
            "agrees" if quarter == 4 else "differs",
            "two warps a scheduler fill the pipe at two cycles an FMA; from four chains on the constants are reused, "
            "and one warp a scheduler is enough, for all of it",
        ),
        Claim(
            "near peak at low occupancy",
            SOURCE,
            "near peak",
            f"{percent(shares[8, 4])} of peak at {percent(4 / load_gpu(GPU).max_warps_per_sm)} occupancy",
            "agrees" if shares[8, 4] > 0.85 else "differs",
            "one warp a scheduler is enough with eight chains",
        ),
        Claim(
            "65 registers a thread in place of 64 halve the blocks",
            FOLKLORE,
            "1/2",
            f"{cliff[GPU][0]} blocks of {BLOCK} threads become {cliff[GPU][1]}, the same on all GPUs"
            if len(set(cliff.values())) == 1
            else str(cliff),
            "agrees" if len(halved) == len(cliff) else "not so here",
            "registers are given to warps in units of 256: 65 cost as much as 72, and 28 warps fit in place of 32, of "
            "which whole blocks make 24",
        ),
    ]
    lines = {f"{c} chain{'s' if c > 1 else ''}": {float(w): shares[c, w] for w in WARPS} for c in CHAINS}
    return Report(
        "ilp_against_occupancy",
        TITLE,
        claims,
        [
            Table(
                f"share of the FP32 peak of {GPU}; `enough`: warps for 90 % of what so many chains reach",
                heat,
            )
        ],
        picture=Curves("warps per SM", "share of the FP32 peak", lines),
    )


def _enough(shares: dict[int, float]) -> int:
    """The fewest warps that come close to the best share with so many chains."""
    best = max(shares.values())
    return min(warps for warps, share in shares.items() if share >= 0.9 * best)
