"""Hot spots as a table."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from dse.report.hot_spots import HotSpot

HEADINGS = ("hot spots", "", "share of stalls", "waits for")


def line_table(spots: Sequence[HotSpot]) -> Table:
    """The source lines with the most stalls, their text, and what warps wait for there."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading == "share of stalls" else "left")
    for spot in spots:
        table.add_row(spot.place, Text(spot.text), f"{spot.share:.0%}", spot.waits_for)
    return table
