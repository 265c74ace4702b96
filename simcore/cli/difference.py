"""`simcore diff KERNEL OTHER ...`: what changes from one launch to another, and so why the time does."""

from typing import Annotated

import typer

from simcore.cli.launch import StatedLaunch, takes_two_launches
from simcore.cli.output import Output, print_csv, print_json, print_page


@takes_two_launches
def diff(
    launch: StatedLaunch,
    other: StatedLaunch,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Show what changes from one launch to another: metrics, warp states, instructions, and so why.

    OTHER is launched as KERNEL is, but for the options that begin with --other.
    """
    from simcore.views.difference import Figures, as_rows, changes, reasons
    from simcore.views.instruction_profile import profile
    from simcore.views.text.difference import difference

    profiles = [profile(**each.keywords) for each in (launch, other)]
    before, after = (Figures.of(each.result) for each in profiles)
    found = changes(before, after, profiles)
    if output is Output.JSON:
        print_json(as_rows(found))
    elif output is Output.CSV:
        print_csv(as_rows(found))
    else:
        tables = {
            "metric": found["metric"],
            "warp state (warps per issue)": found["warp state"],
            "issued by the timed SM": found["opcode"],
        }
        ratio = after.metrics["time_us"] / before.metrics["time_us"]
        print_page(difference(_title(launch, other), ratio, reasons(before, after), tables))


def _title(launch: StatedLaunch, other: StatedLaunch) -> str:
    """Both kernels and their GPUs, and the files where there are two."""
    if launch.file == other.file:
        return f"{launch.title} -> {other.title}"
    return f"{launch.file}: {launch.title} -> {other.file}: {other.title}"
