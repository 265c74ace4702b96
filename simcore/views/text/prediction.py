"""A prediction: the time, what limits it, and what to do about it."""

from rich.console import Group
from rich.text import Text

from simcore.diagnosis.result import SimulationResult
from simcore.model.occupancy import in_words
from simcore.views.text.tables import bars


def headline(title: str, result: SimulationResult) -> Group:
    """The time and the figures that matter most, in a few lines."""
    occupancy = result.occupancy
    lines = (
        f"{result.time_us:,.2f} µs ({result.time_low_us:,.2f} to {result.time_high_us:,.2f}); "
        f"{result.cycles:,} cycles, {result.warp_instructions:,} warp instructions, {result.ipc:.2f} IPC per SM",
        f"regime: {result.limit}; dominant stall: {result.bottleneck}; profile of the GPU: {result.label}",
        f"occupancy {result.achieved_occupancy:.0%} of {occupancy.theoretical:.0%} possible: "
        f"{occupancy.blocks_per_sm} blocks per SM, limited by {in_words(occupancy.limiters)}; "
        f"{result.registers_per_thread} registers per thread, {result.local_bytes_per_thread} bytes of local memory, "
        f"{result.shared_bytes_per_block:,} bytes of shared memory per block",
    )
    return Group(Text(title, style="bold"), *(Text(f"  {line}") for line in lines))


def reasons(result: SimulationResult) -> Group:
    """Why it takes that long: stalls, units and advice."""
    between = sum(result.stalls.values())
    return Group(
        "",
        bars(f"cycles of {between:.1f} between issues", result.stalls, between),
        "",
        bars("share of peak", {"issue": result.issue_active, **result.utilisation}, 1.0),
        "",
        *(Text(f"- {sentence}") for sentence in result.advice),
    )
