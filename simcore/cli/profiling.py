"""`simcore profile KERNEL ...`: where a launch's time goes, by source line or by machine instruction."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simcore.cli.launch import StatedLaunch, takes_launch
from simcore.cli.output import Output, print_csv, print_json, print_page

if TYPE_CHECKING:
    from simcore.views.instruction_profile import Profile

#: Rows of a table sorted by stalls.
TOP_ROWS = 20


class Sort(StrEnum):
    """Sort order."""

    STALLS = "stalls"
    ADDRESS = "address"


class By(StrEnum):
    """Granularity of the rows."""

    LINE = "line"
    INSTRUCTION = "instruction"


@takes_launch
def profile(
    launch: StatedLaunch,
    by: Annotated[By, typer.Option("--by", help="Granularity of the rows.")] = By.LINE,
    sort: Annotated[
        Sort, typer.Option("--sort", help="Most stalls first, or in address order.")
    ] = Sort.STALLS,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            help=f"Rows; default: {TOP_ROWS} in a table by stalls, otherwise all.",
        ),
    ] = None,
    source_folder: Annotated[
        Path | None,
        typer.Option(
            "--source-folder",
            help="Where the source files of machine code are, to show their lines; default: the folder of KERNEL.",
        ),
    ] = None,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Show where a launch's time goes: issues and stalls of each source line or machine instruction.

    A stall counts where the warp waits. A scheduler keeps to one warp as long as that can issue, so the others'
    waits, not_selected above all, gather on few instructions: read those by line, not one by one.
    """
    from simcore.views.instruction_profile import profile as explain
    from simcore.views.text.instruction_profile import profile_table
    from simcore.views.text.prediction import headline

    found = explain(**launch.keywords)
    if by is By.LINE and output is Output.TABLE and not found.has_lines:
        print("no line information in this machine code, which -lineinfo adds; by instruction:\n")
        by = By.INSTRUCTION
    parts = list(found.parts(by.value))
    if sort is Sort.STALLS:
        parts.sort(key=lambda part: (-part.stalled, -part.issues))
    chosen = parts[: limit or (TOP_ROWS if output is Output.TABLE and sort is Sort.STALLS else len(parts))]
    if output is Output.JSON:
        print_json([found.row(part) for part in chosen])
    elif output is Output.CSV:
        print_csv([found.row(part) for part in chosen])
    else:
        source = launch.source or _read_sources(found, source_folder or launch.file.parent)
        print_page(headline(launch.title, found.result), "", profile_table(chosen, source))
        if len(chosen) < len(parts):
            print(
                f"the first {len(chosen)} of {len(parts)}; --limit N shows more, --sort address all in order"
            )


def _read_sources(found: "Profile", folder: Path) -> dict[str, list[str]]:
    """The lines of the source files that the line table names, as far as the folder has them."""
    files = {folder / line.source.file for line in found.lines if line.source}
    return {file.name: file.read_text(errors="replace").splitlines() for file in files if file.is_file()}
