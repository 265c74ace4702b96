"""What a trial moves through memory, relative to what its GPU achieves, and where that puts it in the roofline."""

from dse.store.records import Trial
from simcore import Gpu


def traffic(trial: Trial, gpu: Gpu) -> list[str]:
    """Bandwidths, the share of L2's traffic that it answers by itself, and the roofline, in words."""
    metrics = trial.metrics
    seconds, dram, l2 = metrics["time_us"] * 1e-6, metrics.get("dram_bytes"), metrics.get("l2_bytes")
    if dram is None or not l2:
        return []
    achieved, alone = dram / seconds / 1e9, max(1 - dram / l2, 0.0)
    lines = [
        f"DRAM {achieved:,.4g} GB/s, {achieved / gpu.dram_gb_per_s:.0%} of the {gpu.dram_gb_per_s:,.0f} GB/s that a "
        f"streaming kernel achieves; L2 {l2 / seconds / 1e9:,.4g} GB/s, {alone:.0%} of it without DRAM"
    ]
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
        )
    return lines
