"""A profile as a table: a row for each source line or machine instruction, and what its warps wait for."""

from collections.abc import Mapping, Sequence

from rich.table import Table

from simcore.machine_code.source_lines import SourceLine
from simcore.views.instruction_profile import LineProfile, ProfileRow
from simcore.views.text.tables import table

REASONS_SHOWN = 3
LEFT = ("address", "instruction", "source", "text", "waits for")

SourceText = Mapping[str, Sequence[str]]
"""The lines of source files, by their names in the line table."""


def profile_table(rows: Sequence[ProfileRow], source: SourceText) -> Table:
    """A table of the rows, in the given order.

    Args:
        rows: at least one; all lines or all instructions.
        source: source text to show next to the lines.
    """
    cells = [_cells(row, source) for row in rows]
    return table(list(cells[0]), [list(row.values()) for row in cells], LEFT)


def _cells(row: ProfileRow, source: SourceText) -> dict[str, str]:
    return {
        **_place(row, source),
        "issues": f"{row.issues:,}",
        "stalled cycles": f"{row.stalled:,}",
        "share": f"{row.share:.1%}",
        "waits for": _reasons(row),
    }


def _place(row: ProfileRow, source: SourceText) -> dict[str, str]:
    place = str(row.source or "")
    if isinstance(row, LineProfile):
        return {"source": place, "text": _text(row.source, source)}
    return {"address": f"{row.address:#06x}", "instruction": row.text, "source": place}


def _text(line: SourceLine | None, source: SourceText) -> str:
    if line is None or line.file not in source or line.line > len(source[line.file]):
        return ""
    return source[line.file][line.line - 1].strip()


def _reasons(row: ProfileRow) -> str:
    most = sorted(row.stalls.items(), key=lambda item: -item[1])[:REASONS_SHOWN]
    return ", ".join(f"{reason} {count / row.stalled:.0%}" for reason, count in most)
