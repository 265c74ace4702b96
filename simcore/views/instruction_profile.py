"""Where a launch's time goes: issues and stalls of each machine instruction and source line.

The figures are for the simulated SM, the busiest one: how often its warps issued each instruction, how many cycles,
summed over warps, they stalled before it, and why. As in Nsight Compute, a stall is attributed to the instruction that
waits, not to the one that it waits for.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simcore.diagnosis.stalls import warp_cycles
from simcore.machine_code.cubin import read_kernel
from simcore.machine_code.sass import decode
from simcore.machine_code.source_lines import SourceLine, read_line_table
from simcore.session.request import TimingRequest, takes

if TYPE_CHECKING:
    import pandas as pd

    from simcore.diagnosis.result import SimulationResult


class _Waits:
    """The stalls of one or several instructions."""

    stalls: Mapping[str, int]

    @property
    def stalled(self) -> int:
        """Stalled warp-cycles, for all reasons."""
        return sum(self.stalls.values())


@dataclass(frozen=True)
class InstructionProfile(_Waits):
    """One machine instruction.

    Attributes:
        address: its byte offset in the kernel.
        text: as the disassembler prints it.
        source: its source line; None if the cubin has no line information.
        issues: how often the SM's warps issued it.
        stalls: stalled warp-cycles before it, by reason; reasons without any are omitted.
        share: fraction of all stalled warp-cycles of the SM, 0 to 1.
    """

    address: int
    text: str
    source: SourceLine | None
    issues: int
    stalls: Mapping[str, int]
    share: float


@dataclass(frozen=True)
class LineProfile(_Waits):
    """One source line: the sum of its instructions.

    Attributes:
        source: None for instructions without line information.
        instructions: number of instructions.
        issues, stalls, share: as for an instruction.
    """

    source: SourceLine | None
    instructions: int
    issues: int
    stalls: Mapping[str, int]
    share: float


ProfileRow = InstructionProfile | LineProfile


@dataclass(frozen=True)
class CodeProfile:
    """What happens at each instruction of a kernel's machine code.

    Attributes:
        cubin: the file's bytes or path.
        kernel: its name, in the cubin or in C++.
        issues: how often the SM's warps issued each instruction, in address order.
        stalls: stalled warp-cycles before it, by reason; reasons without any are omitted.
    """

    cubin: bytes | str | Path = field(repr=False)
    kernel: str
    issues: Sequence[int] = field(repr=False)
    stalls: Sequence[Mapping[str, int]] = field(repr=False)

    @cached_property
    def instructions(self) -> tuple[InstructionProfile, ...]:
        """The machine instructions, in address order."""
        kernel = read_kernel(self.cubin, self.kernel)
        lines = read_line_table(self.cubin, kernel.name)
        decoded = decode(kernel.code, kernel.architecture)
        total = sum(sum(stalls.values()) for stalls in self.stalls) or 1
        return tuple(
            InstructionProfile(
                instruction.address,
                str(instruction),
                lines.at(instruction.address),
                issues,
                stalls,
                sum(stalls.values()) / total,
            )
            for instruction, issues, stalls in zip(decoded, self.issues, self.stalls, strict=True)
        )

    @cached_property
    def lines(self) -> tuple[LineProfile, ...]:
        """The source lines that have instructions, in order."""
        of_line: dict[SourceLine | None, list[InstructionProfile]] = defaultdict(list)
        for instruction in self.instructions:
            of_line[instruction.source].append(instruction)
        known = sorted(source for source in of_line if source)
        return tuple(
            _line(source, of_line[source]) for source in (*known, *([None] if None in of_line else []))
        )

    @property
    def has_lines(self) -> bool:
        """Whether the machine code has line information."""
        return any(line.source for line in self.lines)

    def parts(self, by: str = "instruction") -> tuple[ProfileRow, ...]:
        """The instructions or the lines; `by` is `instruction` or `line`."""
        return self.instructions if by == "instruction" else self.lines


@dataclass(frozen=True)
class Profile(CodeProfile):
    """A launch, instruction by instruction.

    Attributes:
        result: as `simulate` returns it for the launch.
    """

    result: "SimulationResult"

    def row(self, part: ProfileRow) -> dict[str, Any]:
        """An instruction or line as a flat row, with a column for each stall reason of the GPU."""
        reasons = (reason for reason in self.result.stalls if reason != "selected")
        return _row(part) | {reason: part.stalls.get(reason, 0) for reason in reasons}

    def rows(self, by: str = "instruction") -> list[dict[str, Any]]:
        """All instructions or lines as flat rows."""
        return [self.row(part) for part in self.parts(by)]

    def to_dataframe(self, by: str = "instruction") -> "pd.DataFrame":
        """The same as a table; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.rows(by))


@takes(TimingRequest)
def profile(request: TimingRequest) -> Profile:
    """Predict one launch and where its time goes; takes the keywords of `simulate`, and as long."""
    # Imported here, since a profile that is kept needs none of the jitted core.
    from simcore.diagnosis.result import result_of
    from simcore.session.timing import run_launch

    run = run_launch(request)
    architecture = run.session.gpu.architecture
    return Profile(
        request.cubin,
        run.session.launch.kernel.name,
        [int(issues) for issues in run.sm.issues],
        [_stalls(by_reason, architecture) for by_reason in run.sm.ledger.instruction_stalls],
        result_of(run),
    )


def _stalls(by_reason: NDArray[np.int64], architecture: str) -> dict[str, int]:
    cycles = warp_cycles(by_reason, architecture)
    return {reason: count for reason, count in cycles.items() if count and reason != "selected"}


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
