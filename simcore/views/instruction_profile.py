"""Where a launch's time goes: issues and stalls of each machine instruction, and of each line of the source.

The figures are of the SM that is simulated, the busiest: how often its warps issued each instruction, and for how many
cycles, summed over warps, they waited before it and why. As in Nsight Compute, a wait counts for the instruction that
waits, not for the one that it waits for.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simcore.diagnosis.result import SimulationResult, result_of
from simcore.diagnosis.stalls import warp_cycles
from simcore.machine_code.source_lines import LineTable, SourceLine, read_line_table
from simcore.session.request import TimingRequest, takes
from simcore.session.timing import Run, run_launch

if TYPE_CHECKING:
    import pandas as pd


class _Waits:
    """What waits have in common, of one instruction or of several."""

    stalls: Mapping[str, int]

    @property
    def stalled(self) -> int:
        """Warp-cycles of waiting, whatever for."""
        return sum(self.stalls.values())


@dataclass(frozen=True)
class InstructionProfile(_Waits):
    """One machine instruction.

    Attributes:
        address: its byte offset in the kernel.
        text: as the disassembler writes it.
        source: the line that it comes from; None when the cubin says nothing of lines.
        issues: how often the SM's warps issued it.
        stalls: warp-cycles of waiting before it, by reason; reasons without any are left out.
        share: of all the stalled warp-cycles of the SM, 0 to 1.
    """

    address: int
    text: str
    source: SourceLine | None
    issues: int
    stalls: Mapping[str, int]
    share: float


@dataclass(frozen=True)
class LineProfile(_Waits):
    """One line of the source: its instructions together.

    Attributes:
        source: None for the instructions of which the cubin does not say where they come from.
        instructions: how many there are.
        issues, stalls, share: as of an instruction.
    """

    source: SourceLine | None
    instructions: int
    issues: int
    stalls: Mapping[str, int]
    share: float


ProfileRow = InstructionProfile | LineProfile


@dataclass(frozen=True)
class Profile:
    """What a launch does, instruction by instruction.

    Attributes:
        kernel: its name.
        result: what `simulate` says of the launch.
        instructions: in the order of their addresses.
        lines: those of the source that have instructions, in order.
    """

    kernel: str
    result: SimulationResult
    instructions: tuple[InstructionProfile, ...]
    lines: tuple[LineProfile, ...]

    def parts(self, by: str = "instruction") -> tuple[ProfileRow, ...]:
        """The instructions or the lines; `by` is `instruction` or `line`."""
        return self.instructions if by == "instruction" else self.lines

    def row(self, part: ProfileRow) -> dict[str, Any]:
        """One of its parts as a flat row, with a column for each stall reason of the GPU."""
        reasons = (reason for reason in self.result.stalls if reason != "selected")
        return _row(part) | {reason: part.stalls.get(reason, 0) for reason in reasons}

    def rows(self, by: str = "instruction") -> list[dict[str, Any]]:
        """All of its parts as flat rows."""
        return [self.row(part) for part in self.parts(by)]

    def to_dataframe(self, by: str = "instruction") -> "pd.DataFrame":
        """The same as a table; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.rows(by))


@takes(TimingRequest)
def profile(request: TimingRequest) -> Profile:
    """Predict one launch and say where its time goes; takes what `simulate` takes, and as long."""
    run = run_launch(request)
    kernel = run.session.launch.kernel.name
    instructions = _instructions(run, read_line_table(request.cubin, kernel))
    return Profile(kernel, result_of(run), instructions, _lines(instructions))


def _instructions(run: Run, lines: LineTable) -> tuple[InstructionProfile, ...]:
    architecture = run.session.gpu.architecture
    stalled = [_stalls(by_reason, architecture) for by_reason in run.sm.ledger.instruction_stalls]
    total = sum(sum(stalls.values()) for stalls in stalled) or 1
    return tuple(
        InstructionProfile(
            instruction.address,
            str(instruction),
            lines.at(instruction.address),
            int(issues),
            stalls,
            sum(stalls.values()) / total,
        )
        for instruction, issues, stalls in zip(
            run.session.program.instructions, run.sm.issues, stalled, strict=True
        )
    )


def _stalls(by_reason: NDArray[np.int64], architecture: str) -> dict[str, int]:
    cycles = warp_cycles(by_reason, architecture)
    return {reason: count for reason, count in cycles.items() if count and reason != "selected"}


def _lines(instructions: tuple[InstructionProfile, ...]) -> tuple[LineProfile, ...]:
    of_line: dict[SourceLine | None, list[InstructionProfile]] = defaultdict(list)
    for instruction in instructions:
        of_line[instruction.source].append(instruction)
    known = sorted(source for source in of_line if source)
    return tuple(_line(source, of_line[source]) for source in (*known, *([None] if None in of_line else [])))


def _line(source: SourceLine | None, instructions: list[InstructionProfile]) -> LineProfile:
    stalls: dict[str, int] = defaultdict(int)
    for instruction in instructions:
        for reason, count in instruction.stalls.items():
            stalls[reason] += count
    issues = sum(instruction.issues for instruction in instructions)
    share = sum(instruction.share for instruction in instructions)
    return LineProfile(source, len(instructions), issues, dict(stalls), share)


def _row(part: ProfileRow) -> dict[str, Any]:
    place = {"file": part.source and part.source.file, "line": part.source and part.source.line}
    figures = {"issues": part.issues, "stalled": part.stalled, "share": part.share}
    if isinstance(part, LineProfile):
        return {**place, "instructions": part.instructions, **figures}
    return {"address": part.address, "text": part.text, **place, **figures}
