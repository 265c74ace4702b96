"""Results on standard output, as text, JSON or CSV. Progress goes to standard error."""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

#: Maximum width of a table if the output is not a terminal.
WIDTH_OF_A_FILE = 160


class Output(StrEnum):
    """Output format."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def print_json(document: object) -> None:
    """Write a document, indented."""
    print(json.dumps(document, indent=2))


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows with a header; None becomes blank."""
    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def print_page(*parts: "RenderableType") -> None:
    """Print renderables, one below the other."""
    page = console()
    for part in parts:
        page.print(part)


def console() -> "Console":
    """Standard output, wide enough for a table if it is not a terminal."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_OF_A_FILE)
