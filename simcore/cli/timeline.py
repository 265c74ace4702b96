"""`simcore timeline KERNEL ...`: a row for each warp, a column for each cycle, a letter for each state."""

from typing import Annotated

import typer

from simcore.cli.launch import StatedLaunch, takes_launch
from simcore.cli.output import Output, console, print_csv, print_json, print_page


@takes_launch
def timeline(
    launch: StatedLaunch,
    start: Annotated[int, typer.Option("--from", min=0, help="The first cycle.")] = 0,
    cycles: Annotated[int, typer.Option("--cycles", min=1, help="How many cycles.")] = 200,
    scheduler: Annotated[
        int | None, typer.Option("--scheduler", min=0, max=3, help="Only this scheduler of the SM, 0 to 3.")
    ] = None,
    issues: Annotated[bool, typer.Option("--issues", help="Also list the issued instructions.")] = False,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Show what each warp of the simulated SM does, cycle by cycle."""
    from simcore.views.text.timeline import issue_table, picture
    from simcore.views.timeline import timeline as record

    found = record(start, cycles, **launch.keywords).of_scheduler(scheduler)
    if output is Output.JSON:
        print_json(found.rows())
    elif output is Output.CSV:
        print_csv(found.rows())
    else:
        print_page(picture(found, console().width), *([issue_table(found)] if issues else []))
