"""Hot spots as a table."""

from rich.table import Table
from rich.text import Text

from dse.handles import Sweep
from dse.report.hot_spots import hot_spots
from dse.store import Trial

HEADINGS = ("hot spots", "", "share of stalls", "waits for")


def line_table(sweep: Sweep, trial: Trial) -> Table:
    """The source lines with the most stalls, their text, and what warps wait for there.

    Raises:
        SimcoreError: the trial can no longer be simulated.
    """
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading == "share of stalls" else "left")
    for spot in hot_spots(sweep.spec, trial):
        table.add_row(spot.place, Text(spot.text), f"{spot.share:.0%}", spot.waits_for)
    return table
