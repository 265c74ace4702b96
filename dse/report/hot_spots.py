"""Hot spots: the source lines with the most stalls, found by simulating a trial again."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from dse.evaluation.evaluate import profile_task
from dse.evaluation.points import task_for
from dse.requests.specs import restore_space
from dse.store import SweepSpec, Trial

LINES = 5


@dataclass(frozen=True)
class HotSpot:
    """A source line at which warps stall.

    Attributes:
        place: file and line.
        text: the line.
        share: fraction of all stalled warp-cycles of the SM, 0 to 1.
        waits_for: the most frequent stall reason, with its share of the line's stalls.
    """

    place: str
    text: str
    share: float
    waits_for: str


def hot_spots(spec: SweepSpec, trial: Trial) -> list[HotSpot]:
    """The lines with the most stalls, the hottest first.

    Raises:
        SimcoreError: the trial can no longer be simulated.
    """
    task = task_for(restore_space(spec), trial.parameters, trial.gpu)
    texts = {task.file_name: task.source, **task.headers}
    # Line tables contain file names without folders.
    lines = {PurePosixPath(path).name: text.splitlines() for path, text in texts.items()}
    hottest = sorted(profile_task(task).lines, key=lambda line: -line.stalled)[:LINES]
    found = []
    for line in (line for line in hottest if line.stalls):
        place = line.source
        known = lines.get(place.file, []) if place else []
        text = known[place.line - 1].strip() if place and place.line <= len(known) else ""
        reason = max(line.stalls, key=line.stalls.__getitem__)
        waits_for = f"{reason} {line.stalls[reason] / line.stalled:.0%}"
        found.append(HotSpot(str(place or "other code"), text, line.share, waits_for))
    return found
