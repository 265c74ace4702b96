"""Rows on standard output: as a table, as JSON or as CSV. Progress goes to standard error."""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

#: How wide a table may be where no terminal says.
WIDTH_OF_A_FILE = 160


class Output(StrEnum):
    """How rows are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def print_json(document: object) -> None:
    """Write a document, indented."""
    print(json.dumps(document, indent=2))


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows with a header; what is None stays blank."""
    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str]) -> None:
    """Write cells in aligned columns: those named in `left` to the left, numbers to the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column in left else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console().print(table)


def console() -> "Console":
    """Standard output, with room for a table where it is no terminal."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_OF_A_FILE)
