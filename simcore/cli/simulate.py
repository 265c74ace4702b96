"""`simcore simulate KERNEL ...`: predict one launch."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simcore.cli.launch import StatedLaunch, takes_launch
from simcore.cli.output import Output, print_csv, print_json, print_page

if TYPE_CHECKING:
    from simcore.diagnosis.result import SimulationResult


@takes_launch
def simulate(
    launch: StatedLaunch,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Predict one launch of a kernel: time, regime, stalls, units, advice."""
    from simcore.simulation import simulate as predict
    from simcore.views.text.prediction import headline, reasons

    result = predict(**launch.keywords)
    if output is Output.JSON:
        print_json(asdict(result))
    elif output is Output.CSV:
        print_csv([_row(result)])
    else:
        print_page(headline(launch.title, result), reasons(result))


def _row(result: "SimulationResult") -> dict[str, Any]:
    """A flat row: a column for each stall reason and each unit."""
    row = asdict(result)
    stalls, units, occupancy = row.pop("stalls"), row.pop("utilisation"), row.pop("occupancy")
    row |= row.pop("memory")
    row |= {"theoretical_occupancy": occupancy["theoretical"], "advice": " ".join(result.advice)}
    row |= {f"stall_{name}": value for name, value in stalls.items()}
    return row | {f"unit_{name}": share for name, share in units.items()}
