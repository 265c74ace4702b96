"""Answers on standard output: as a page of text, as JSON or as CSV. Progress goes to standard error."""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

#: How wide a table may be where no terminal says.
WIDTH_OF_A_FILE = 160


class Output(StrEnum):
    """How an answer is written."""

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


def print_page(*parts: "RenderableType") -> None:
    """Write parts of a page, one below the other."""
    page = console()
    for part in parts:
        page.print(part)


def console() -> "Console":
    """Standard output, with room for a table where it is no terminal."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH_OF_A_FILE)
