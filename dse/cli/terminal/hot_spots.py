"""Hot spots: the source lines with the most stalls, found by simulating the trial again."""

from pathlib import PurePosixPath

from rich.table import Table
from rich.text import Text

from dse.evaluation.evaluate import profile_task
from dse.evaluation.points import task_for
from dse.handles import Sweep
from dse.requests.specs import restore_space
from dse.store import Trial

LINES_SHOWN = 5
HEADINGS = ("hot spots", "", "share of stalls", "waits for")


def line_table(sweep: Sweep, trial: Trial) -> Table:
    """The source lines with the most stalls, their text, and what warps wait for there.

    Raises:
        SimcoreError: the trial can no longer be simulated.
    """
    task = task_for(restore_space(sweep.spec), trial.parameters, trial.gpu)
    texts = {task.file_name: task.source, **task.headers}
    # Line tables contain file names without folders.
    lines = {PurePosixPath(path).name: text.splitlines() for path, text in texts.items()}
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading == "share of stalls" else "left")
    hottest = sorted(profile_task(task).lines, key=lambda line: -line.stalled)[:LINES_SHOWN]
    for line in (line for line in hottest if line.stalls):
        place = line.source
        known = lines.get(place.file, []) if place else []
        text = known[place.line - 1].strip() if place and place.line <= len(known) else ""
        reason = max(line.stalls, key=line.stalls.__getitem__)
        waits = f"{reason} {line.stalls[reason] / line.stalled:.0%}"
        table.add_row(str(place or "other code"), Text(text), f"{line.share:.0%}", waits)
    return table
