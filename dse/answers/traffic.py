"""What a trial moves through memory, relative to what its GPU achieves, and where that puts it in the roofline."""

from collections.abc import Mapping
from typing import Any

from dse.store.records import Trial
from simcore import Gpu
from simcore.gpu_rates import stated_dram_gb_per_s

#: The stalls of a kernel that waits for global memory.
MEMORY_STALLS = ("long_scoreboard", "lg_throttle", "drain")
#: The share of L2's traffic below which DRAM has no part in it.
ALMOST_NONE = 0.01
#: What `from L2` means, in a note.
FROM_L2 = (
    "from L2: caches are warm, as after an earlier launch, and hold the data; `cache: cold` in the space times a "
    "launch with empty caches"
)


def traffic(trial: Trial, gpu: Gpu, buffers: int | None = None) -> list[str]:
    """Bandwidths, the share of L2's traffic that it answers by itself, and the roofline, in words.

    Args:
        trial: a complete trial.
        gpu: its GPU.
        buffers: the bytes of the buffers that the kernel is given, if they are known.
    """
    metrics = trial.metrics
    seconds, dram, l2 = metrics["time_us"] * 1e-6, metrics.get("dram_bytes"), metrics.get("l2_bytes")
    if dram is None or not l2:
        return []
    achieved, alone = dram / seconds / 1e9, max(1 - dram / l2, 0.0)
    lines = [
        f"DRAM {achieved:,.4g} GB/s over the launch, {achieved / gpu.dram_gb_per_s:.0%} of the "
        f"{gpu.dram_gb_per_s:,.0f} GB/s that a streaming kernel achieves"
        f"{_of_data_sheet(achieved, gpu)}{_busy(metrics)}",
        f"L2 {l2 / seconds / 1e9:,.4g} GB/s, {alone:.0%} of which does not reach DRAM",
    ]
    if dram and buffers:
        lines.append(
            f"DRAM moves {dram / 1e6:,.4g} MB, {dram / buffers:.3g} times the {buffers / 1e6:,.4g} MB of the buffers; "
            "reading and writing all of them once is 2 times"
        )
    if dram:
        issues = gpu.sms * gpu.schedulers_per_sm * gpu.clock_mhz * 1e6
        ridge, here = issues / (gpu.dram_gb_per_s * 1e9), metrics["warp_instructions"] / dram
        side = (
            "left of the ridge, where DRAM is"
            if here < ridge
            else "right of the ridge, where issue slots are"
        )
        lines.append(
            f"roofline: {here:.3g} warp instructions for each byte of DRAM, {side} the ceiling (ridge at {ridge:.3g})"
            f"{_reached_before(trial, 'DRAM' if here < ridge else 'issue slots')}"
        )
    return [*_accesses(metrics.get("memory") or {}), *lines]


def _reached_before(trial: Trial, ceiling: str) -> str:
    """The unit that is near its peak below the ceiling of the roofline, in words; empty if none is."""
    limit = trial.limit or ""
    return f"; {limit} is reached before" if limit.endswith(")") and f"({ceiling})" not in limit else ""


def share_from_l2(metrics: Mapping[str, Any]) -> float | None:
    """Of a trial that waits for memory, the share of its data that come from L2 and not from DRAM; else None."""
    dram, l2 = metrics.get("dram_bytes"), metrics.get("l2_bytes")
    waits = metrics.get("regime") in ("bandwidth", "latency") and metrics.get("bottleneck") in MEMORY_STALLS
    return max(1 - dram / l2, 0.0) if waits and dram is not None and l2 else None


def is_almost_all(share: float) -> bool:
    """Whether that share of the data from L2 is so large that DRAM has no part in it."""
    return share > 1 - ALMOST_NONE


def is_from_l2(metrics: Mapping[str, Any]) -> bool:
    """Whether a trial waits for data that come from L2 alone, since an earlier launch left them there."""
    share = share_from_l2(metrics)
    return share is not None and is_almost_all(share)


def limit_in_words(trial: Trial) -> str:
    """What limits a trial, with `from L2` where warm caches decide it; a dash if it is unknown."""
    limit = trial.limit or "-"
    return f"{limit}, from L2" if is_from_l2(trial.metrics) else limit


def _of_data_sheet(achieved: float, gpu: Gpu) -> str:
    """The share of the data sheet's bandwidth, in words; empty if there is no data sheet."""
    stated = stated_dram_gb_per_s(gpu)
    return "" if stated is None else f", {achieved / stated:.0%} of the data sheet's {stated:,.0f}"


def _busy(metrics: Mapping[str, Any]) -> str:
    """For how much of the time DRAM is busy, which includes turning between reads and writes."""
    share = (metrics.get("utilisation") or {}).get("dram")
    return "" if share is None else f"; busy {share:.0%} of the time"


def _accesses(memory: Mapping[str, float]) -> list[str]:
    """How loads fare in L1, and accesses in shared memory."""
    lines = []
    if "l1_hit_rate" in memory:
        hits, sectors = memory["l1_hit_rate"], memory["sectors_per_load"]
        lines.append(f"L1 holds {hits:.0%} of the sectors that loads read, {sectors:.3g} a load")
    if "bank_conflicts" in memory:
        wavefronts, conflicts = memory["wavefronts_per_shared_access"], memory["bank_conflicts"]
        passes = "1 wavefront" if wavefronts == 1 else f"{wavefronts:.3g} wavefronts"
        lines.append(f"shared memory takes {passes} an access, {conflicts:.0%} of them for bank conflicts")
    return lines
