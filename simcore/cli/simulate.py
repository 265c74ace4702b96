"""`simcore simulate KERNEL ...`: predict one launch."""

from dataclasses import asdict
from typing import Annotated

import typer

from simcore.cli.launch import StatedLaunch, takes_launch
from simcore.cli.output import Output, print_csv, print_json
from simcore.cli.prediction import print_head, print_reasons


@takes_launch
def simulate(
    launch: StatedLaunch,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Predict one launch of a kernel: time, regime, stalls, units, advice."""
    from simcore.simulate import simulate as predict

    result = predict(**launch.arguments)
    if output is Output.JSON:
        print_json(asdict(result))
    elif output is Output.CSV:
        row = asdict(result)
        stalls, units, occupancy = row.pop("stalls"), row.pop("utilisation"), row.pop("occupancy")
        row |= {"theoretical_occupancy": occupancy["theoretical"], "advice": " ".join(result.advice)}
        row |= {f"stall_{name}": value for name, value in stalls.items()}
        print_csv([row | {f"unit_{name}": share for name, share in units.items()}])
    else:
        print_head(f"{launch.arguments['kernel']} on {launch.arguments['gpu']}", result)
        print_reasons(result)
