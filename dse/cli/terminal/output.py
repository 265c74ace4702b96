"""Rows on standard output: as a table, as JSON, as CSV or as Parquet."""

import csv
import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dse.errors import InputError
from dse.tables.text import flat, shown

#: Width of text that is not written to a terminal, and the largest of a table, which is as wide as its cells.
WIDTH_OF_A_FILE, WIDTH_OF_A_TABLE = 160, 2000

Row = Mapping[str, Any]


class Output(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


def command(line: str) -> str:
    """A command line of this environment that can be typed here: with its path if it is not on the shell's path."""
    name, _, rest = line.partition(" ")
    ours = Path(sys.executable).parent / name
    found = shutil.which(name)
    if not ours.exists() or (found and Path(found).samefile(ours)):
        return line
    nearby = ours.is_relative_to(Path.cwd())
    return f"{ours.relative_to(Path.cwd()) if nearby else ours} {rest}"


class _File(Console):
    """Standard output that is not a terminal: no line of a table is folded, and lines end with their text."""

    def __init__(self) -> None:
        super().__init__(highlight=False, width=WIDTH_OF_A_TABLE)

    def print(self, *objects: Any, **options: Any) -> None:
        if not any(isinstance(each, Table) for each in objects):
            options.setdefault("width", WIDTH_OF_A_FILE)
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def stdout() -> Console:
    """Standard output."""
    return Console(highlight=False) if sys.stdout.isatty() else _File()


def print_rows(rows: Sequence[Row], output: Output, columns: Sequence[str] | None = None) -> None:
    """Write rows; `columns` selects the columns of a table, other formats have all of them."""
    if output is Output.TABLE:
        stdout().print(_table(rows, columns))
    else:
        stream_rows(rows, output, list(dict.fromkeys(name for row in rows for name in row)))


def print_record(row: Row, output: Output) -> None:
    """Write one row; as JSON it is an object instead of a list."""
    if output is Output.JSON:
        print(json.dumps(row, indent=2))
    else:
        print_rows([row], output)


def stream_rows(rows: Iterable[Row], output: Output, columns: Sequence[str]) -> None:
    """Write rows in a machine-readable format: JSON, CSV or Parquet. JSON and CSV are streamed."""
    if output is Output.JSON:
        _write_json(rows)
    elif output is Output.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([flat(row.get(name)) for name in columns] for row in rows)
    else:
        from dse.tables.parquet import write_rows

        write_rows(list(rows), binary_stdout(), columns)


def binary_stdout() -> BinaryIO:
    """Standard output for binary data.

    Raises:
        InputError: standard output is a terminal.
    """
    if sys.stdout.isatty():
        raise InputError(
            "-o parquet is a binary format; redirect it to a file, as in `... -o parquet > results.parquet`"
        )
    return sys.stdout.buffer


def _write_json(rows: Iterable[Row]) -> None:
    separator = "["
    for row in rows:
        text = json.dumps(row, indent=2).replace("\n", "\n  ")
        sys.stdout.write(f"{separator}\n  {text}")
        separator = ","
    sys.stdout.write("[]\n" if separator == "[" else "\n]\n")


def _table(rows: Sequence[Row], columns: Sequence[str] | None) -> Table:
    """A table of rows; without `columns`, it omits columns that are empty in all rows."""
    there = dict.fromkeys(name for row in rows for name in row)
    if columns is None:
        names = [name for name in there if any(row.get(name) is not None for row in rows)]
    else:
        names = [name for name in columns if name in there]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in names:
        is_number = all(_looks_like_a_number(row.get(name)) for row in rows)
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        cells = (row.get(name) for name in names)
        table.add_row(*(Text("-" if cell is None else _table_cell(cell)) for cell in cells))
    return table


def _looks_like_a_number(cell: Any) -> bool:
    return isinstance(cell, int | float | None) or cell == shown(None)


def _table_cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_table_cell, value))
    if isinstance(value, dict):
        return " ".join(f"{name}={_table_cell(each).replace(', ', ',')}" for name, each in value.items())
    return shown(value)
