"""What each warp does cycle by cycle: when it issues which instruction, and what it waits for in between.

The timeline is of the SM that is simulated. In each cycle each resident warp is in exactly one of Nsight Compute's
warp states, so the events of a warp follow each other without a gap from its start to its exit.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from simcore.core.geometry import MAX_WARPS_PER_BLOCK
from simcore.diagnosis.stalls import REASONS, reasons_on
from simcore.errors import LaunchError
from simcore.simulate import Run, SimulateArguments, run_launch

if TYPE_CHECKING:
    import pandas as pd

MAX_CYCLES = 20_000
"""The longest window; 64 warps then have up to 1.3 million events."""


@dataclass(frozen=True)
class Event:
    """A warp in one state for some cycles.

    Attributes:
        scheduler: of the SM's.
        slot: the warp's place there.
        block: its block's number in the grid (x + width * (y + height * z)).
        warp: its number in the block.
        address: of the instruction that it issues or waits to issue, a byte offset in the kernel.
        state: `selected` when it issues, otherwise the stall reason.
        start, end: the first cycle, and the first that no longer is one; either may lie outside of the window.
    """

    scheduler: int
    slot: int
    block: int
    warp: int
    address: int
    state: str
    start: int
    end: int


@dataclass(frozen=True)
class Timeline:
    """A window of time on the SM that is simulated.

    Attributes:
        kernel: its name.
        cycles: of the whole run.
        start, end: the window's first cycle, and the first after it.
        events: what reaches into the window, by warp and in the order of time.
        texts: each instruction as the disassembler writes it, by address.
    """

    kernel: str
    cycles: int
    start: int
    end: int
    events: tuple[Event, ...]
    texts: dict[int, str]

    @property
    def issues(self) -> tuple[Event, ...]:
        """The issues, in the order of time."""
        return self._of_state(issued=True)

    @property
    def waits(self) -> tuple[Event, ...]:
        """What is between them, in the order of time."""
        return self._of_state(issued=False)

    @cached_property
    def warps(self) -> dict[tuple[int, int, int, int], tuple[Event, ...]]:
        """The events of each warp, by (scheduler, slot, block, warp)."""
        found: dict[tuple[int, int, int, int], list[Event]] = {}
        for event in self.events:
            found.setdefault((event.scheduler, event.slot, event.block, event.warp), []).append(event)
        return {warp: tuple(events) for warp, events in sorted(found.items())}

    def of_scheduler(self, scheduler: int | None) -> "Timeline":
        """The part of one scheduler; None is all of them."""
        if scheduler is None:
            return self
        return replace(self, events=tuple(e for e in self.events if e.scheduler == scheduler))

    def rows(self) -> list[dict[str, Any]]:
        """The events as flat rows, with the instruction's text."""
        return [vars(event) | {"text": self.texts[event.address]} for event in self.events]

    def to_dataframe(self) -> "pd.DataFrame":
        """The same as a table."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def _of_state(self, issued: bool) -> tuple[Event, ...]:
        chosen = (event for event in self.events if (event.state == "selected") == issued)
        return tuple(sorted(chosen, key=lambda event: (event.start, event.scheduler, event.slot)))


def timeline(start: int = 0, cycles: int = 200, **arguments: Unpack[SimulateArguments]) -> Timeline:
    """Predict one launch and record what its warps do in a window of time.

    Args:
        start: the window's first cycle; 0 is the launch of the SM's first block.
        cycles: how many.
        arguments: as of `simulate`.

    Raises:
        LaunchError: no such window.
        SimcoreError: as of `simulate`.
    """
    if start < 0 or not 1 <= cycles <= MAX_CYCLES:
        raise LaunchError(
            f"a timeline from cycle {start} for {cycles} cycles: begin at 0 or later, "
            f"and ask for 1 to {MAX_CYCLES:,} cycles"
        )
    run = run_launch(**arguments, window=(start, start + cycles))
    texts = {instruction.address: str(instruction) for instruction in run.program.instructions}
    events = tuple(sorted(_events(run), key=lambda e: (e.scheduler, e.slot, e.start)))
    return Timeline(run.launch.kernel.name, run.cycles, start, start + cycles, events, texts)


def _events(run: Run) -> Iterator[Event]:
    """The core's record, in words."""
    ledger = run.sm.ledger
    slots = run.gpu.max_warps_per_sm // run.gpu.schedulers_per_sm
    known = reasons_on(run.gpu.architecture)
    for place, who, instruction, reason, start, end in ledger.events[: ledger.recorded[0]].tolist():
        launched, warp = divmod(who, MAX_WARPS_PER_BLOCK)
        name = REASONS[reason].name
        yield Event(
            scheduler=place // slots,
            slot=place % slots,
            block=int(run.blocks[launched - 1]),
            warp=warp,
            address=run.program.instructions[instruction].address,
            state=name if name in known else "misc",
            start=start,
            end=end,
        )
