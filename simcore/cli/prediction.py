"""A prediction as text: the time, what limits it, and what to do about it."""

from typing import TYPE_CHECKING

from simcore.cli.output import console
from simcore.views.bars import bar

if TYPE_CHECKING:
    from rich.table import Table

    from simcore.simulate import SimulationResult


def print_head(title: str, result: "SimulationResult") -> None:
    """The time and the figures that matter most, in a few lines."""
    occupancy = result.occupancy
    limiters = " and ".join(occupancy.limiters) or "nothing"
    page = console()
    page.print(title, style="bold", markup=False)
    for line in (
        f"{result.time_us:,.2f} µs; {result.cycles:,} cycles, {result.warp_instructions:,} warp instructions, "
        f"{result.ipc:.2f} IPC an SM",
        f"regime: {result.regime}; dominant stall: {result.bottleneck}; profile of the GPU: {result.label}",
        f"occupancy {result.achieved_occupancy:.0%} of {occupancy.theoretical:.0%} possible: "
        f"{occupancy.blocks_per_sm} blocks an SM, limited by {limiters}; {result.registers_per_thread} registers "
        f"a thread, {result.shared_bytes_per_block:,} bytes of shared memory a block",
    ):
        page.print(f"  {line}", markup=False)


def print_reasons(result: "SimulationResult") -> None:
    """Why it takes that long: stalls, units and advice."""
    page = console()
    between = sum(result.stalls.values())
    page.print()
    page.print(_bars(f"cycles of {between:.1f} between issues", result.stalls, between))
    page.print()
    page.print(_bars("share of peak", {"issue": result.issue_active, **result.utilisation}, 1.0))
    page.print()
    for line in result.advice:
        page.print(f"- {line}", markup=False)


def _bars(heading: str, values: dict[str, float], whole: float) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=True)
    table.add_column("")
    table.add_column(heading, justify="right")
    table.add_column("")
    for name, value in sorted(values.items(), key=lambda item: -item[1]):
        share = value / whole if whole else 0.0
        if share >= 0.001:
            shown = f"{value:.2f} {share:4.0%}" if whole != 1.0 else f"{share:.0%}"
            table.add_row(name, shown, Text(bar(share), style="cyan"))
    return table
