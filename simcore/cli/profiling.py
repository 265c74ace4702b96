"""`simcore profile KERNEL ...`: where a launch's time goes, by source line or by machine instruction."""

from enum import StrEnum
from typing import Annotated

import typer

from simcore.cli.launch import StatedLaunch, takes_launch
from simcore.cli.output import Output, print_csv, print_json, print_page

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
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Show where a launch's time goes: issues and stalls of each source line or machine instruction."""
    from simcore.views.instruction_profile import profile as explain
    from simcore.views.text.instruction_profile import profile_table
    from simcore.views.text.prediction import headline

    found = explain(**launch.keywords)
    parts = list(found.parts(by.value))
    if sort is Sort.STALLS:
        parts.sort(key=lambda part: (-part.stalled, -part.issues))
    chosen = parts[: limit or (TOP_ROWS if output is Output.TABLE and sort is Sort.STALLS else len(parts))]
    if output is Output.JSON:
        print_json([found.row(part) for part in chosen])
    elif output is Output.CSV:
        print_csv([found.row(part) for part in chosen])
    else:
        print_page(headline(launch.title, found.result), "", profile_table(chosen, launch.source))
        if len(chosen) < len(parts):
            print(
                f"the first {len(chosen)} of {len(parts)}; --limit N shows more, --sort address all in order"
            )
