"""Hot spots: the source lines with the most stalls."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import simcore
from dse.evaluation.evaluate import profile_task
from dse.evaluation.points import task_for
from dse.requests.specs import restore_space
from dse.store import SweepSpec, Trial

if TYPE_CHECKING:
    from simcore.views.instruction_profile import ProfileRow

LINES = 5
#: Lines with a smaller share of the stalls are left out.
LEAST_SHARE = 0.01


@dataclass(frozen=True)
class HotSpot:
    """A source line at which warps stall, or a machine instruction if the code has no line information.

    Attributes:
        place: file and line, or the instruction's address in the kernel.
        text: the line, or the instruction.
        share: fraction of all stalled warp-cycles of the SM, 0 to 1.
        waits_for: the most frequent stall reason, with its share of the line's stalls.
    """

    place: str
    text: str
    share: float
    waits_for: str


def hot_spots(spec: SweepSpec, trial: Trial) -> list[HotSpot]:
    """The lines with the most stalls, the hottest first; instructions if the code has no line information.

    Raises:
        SimcoreError: the trial can no longer be simulated.
    """
    task = task_for(restore_space(spec), trial.parameters, trial.gpu)
    texts = {task.file_name: task.source, **task.headers}
    # Line tables contain file names without folders.
    lines = {PurePosixPath(path).name: text.splitlines() for path, text in texts.items()}
    profile = profile_task(task)
    parts = profile.parts("line" if profile.has_lines else "instruction")
    hottest = sorted(parts, key=lambda part: -part.stalled)[:LINES]
    found = []
    for part in (part for part in hottest if part.share >= LEAST_SHARE):
        place, text = _place(part, lines)
        reason = max(part.stalls, key=part.stalls.__getitem__)
        waits_for = f"{reason} {part.stalls[reason] / part.stalled:.0%}"
        found.append(HotSpot(place, text, part.share, waits_for))
    return found


def _place(part: "ProfileRow", lines: Mapping[str, list[str]]) -> tuple[str, str]:
    """Where a line or an instruction is, and its text."""
    if isinstance(part, simcore.InstructionProfile):
        return f"+{part.address:#06x}", part.text
    place = part.source
    if place is None:
        return "other code", ""
    known = lines.get(place.file, [])
    return str(place), known[place.line - 1].strip() if place.line <= len(known) else ""
