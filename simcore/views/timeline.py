"""What each warp does cycle by cycle: which instruction it issues when, and what it waits for in between.

The timeline shows the simulated SM. In each cycle each resident warp is in exactly one of Nsight Compute's warp states,
so the events of a warp are contiguous from its start to its exit.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simcore.core.geometry import MAX_WARPS_PER_BLOCK
from simcore.diagnosis.stalls import REASONS, reasons_on
from simcore.errors import LaunchError
from simcore.session.request import TimingRequest, takes
from simcore.session.timing import Run, run_launch

if TYPE_CHECKING:
    import pandas as pd

MAX_CYCLES = 20_000
"""The longest window; 64 warps then have up to 1.3 million events."""


@dataclass(frozen=True)
class Event:
    """A warp in one state for some cycles.

    Attributes:
        scheduler: index of the SM's scheduler.
        slot: the warp slot of that scheduler.
        block: its block's index in the grid (x + width * (y + height * z)).
        warp: its index in the block.
        address: byte offset in the kernel of the instruction that it issues or waits to issue.
        state: `selected` if it issues, otherwise the stall reason.
        start, end: the first cycle and the first after it; either may lie outside the window.
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
    """A window of cycles on the simulated SM.

    Attributes:
        kernel: its name.
        cycles: of the whole run.
        start, end: the window's first cycle and the first after it.
        events: those that overlap the window, by warp and in chronological order.
        texts: each instruction as the disassembler prints it, by address.
    """

    kernel: str
    cycles: int
    start: int
    end: int
    events: tuple[Event, ...]
    texts: dict[int, str]

    @property
    def issues(self) -> tuple[Event, ...]:
        """The issues, in chronological order."""
        return self._of_state(issued=True)

    @property
    def waits(self) -> tuple[Event, ...]:
        """The stalls, in chronological order."""
        return self._of_state(issued=False)

    @cached_property
    def warps(self) -> dict[tuple[int, int, int, int], tuple[Event, ...]]:
        """The events of each warp, by (scheduler, slot, block, warp)."""
        found: dict[tuple[int, int, int, int], list[Event]] = {}
        for event in self.events:
            found.setdefault((event.scheduler, event.slot, event.block, event.warp), []).append(event)
        return {warp: tuple(events) for warp, events in sorted(found.items())}

    def of_scheduler(self, scheduler: int | None) -> "Timeline":
        """The events of one scheduler; None for all."""
        if scheduler is None:
            return self
        return replace(self, events=tuple(e for e in self.events if e.scheduler == scheduler))

    def rows(self) -> list[dict[str, Any]]:
        """The events as flat rows, with the instruction's text."""
        return [vars(event) | {"text": self.texts[event.address]} for event in self.events]

    def to_dataframe(self) -> "pd.DataFrame":
        """The same as a table; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def _of_state(self, issued: bool) -> tuple[Event, ...]:
        chosen = (event for event in self.events if (event.state == "selected") == issued)
        return tuple(sorted(chosen, key=lambda event: (event.start, event.scheduler, event.slot)))


@dataclass(frozen=True, eq=False)
class TimelineRequest(TimingRequest):
    """A launch, and the window of cycles to record.

    Attributes:
        start: the window's first cycle; 0 is the launch of the SM's first block.
        cycles: length of the window.
    """

    start: int = 0
    cycles: int = 200


@takes(TimelineRequest)
def timeline(request: TimelineRequest) -> Timeline:
    """Predict one launch and record what its warps do in a window of cycles.

    Takes the window's `start` and `cycles`, then the keywords of `simulate`.

    Raises:
        LaunchError: no such window.
        SimcoreError: as for `simulate`.
    """
    start, cycles = request.start, request.cycles
    if start < 0 or not 1 <= cycles <= MAX_CYCLES:
        raise LaunchError(
            f"a timeline from cycle {start} for {cycles} cycles: begin at 0 or later, "
            f"and ask for 1 to {MAX_CYCLES:,} cycles"
        )
    end = start + cycles
    run = run_launch(request, window=(start, end))
    texts = {instruction.address: str(instruction) for instruction in run.session.program.instructions}
    events = tuple(sorted(_events(run), key=lambda e: (e.scheduler, e.slot, e.start)))
    return Timeline(run.session.launch.kernel.name, run.cycles, start, end, events, texts)


def _events(run: Run) -> Iterator[Event]:
    """The events in the core's ledger."""
    ledger, gpu = run.sm.ledger, run.session.gpu
    slots = gpu.max_warps_per_sm // gpu.schedulers_per_sm
    known = reasons_on(gpu.architecture)
    for place, who, instruction, reason, start, end in ledger.events[: ledger.recorded[0]].tolist():
        launched, warp = divmod(who, MAX_WARPS_PER_BLOCK)
        name = REASONS[reason].name
        yield Event(
            scheduler=place // slots,
            slot=place % slots,
            block=int(run.blocks[launched - 1]),
            warp=warp,
            address=run.session.program.instructions[instruction].address,
            state=name if name in known else "misc",
            start=start,
            end=end,
        )
