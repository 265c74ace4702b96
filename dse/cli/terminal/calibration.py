"""A calibration as rows and as a table."""

from typing import Any

from dse.answers.calibration import Calibration
from dse.answers.cases import Target
from dse.cli.terminal.output import Output, print_rows, stdout
from dse.handles import Sweep
from dse.tables.text import variant

SHOWN = 20


def calibration_rows(sweep: Sweep, found: Calibration) -> list[dict[str, Any]]:
    """One row a variant, fastest first."""
    spec = sweep.spec
    return [
        {
            "gpu": found.gpu,
            "workload": variant(found.workload) or None,
            "trial": each.trial.number,
            "variant": variant(spec.chosen_of(each.trial.parameters), spec.parameters),
            "predicted_us": each.trial.score,
            "measured_us": each.measured_us,
            "time_us": each.time_us,
            "low_us": each.low_us,
            "high_us": each.high_us,
        }
        for each in found.variants
    ]


def print_calibration(sweep: Sweep, found: Calibration) -> None:
    """Print the fastest variants of one GPU and workload."""
    measured = len({each.trial.code for each in found.variants if each.measured_us is not None})
    place = Target(found.gpu, found.workload)
    head = f"{place}: {measured} variants take {found.factor:.3f} times what was predicted"
    stdout().print(head, style="bold", markup=False)
    columns = ["trial", "variant", "predicted_us", "measured_us", "time_us", "low_us", "high_us"]
    print_rows(calibration_rows(sweep, found)[:SHOWN], Output.TABLE, columns)
    print(
        f"take trial {found.best.trial.number}, the fastest that was measured; "
        f"{len(found.undecided)} of the others may be faster"
    )
    if found.is_circular:
        print("note: the times are the sweep's own predictions, so they say nothing new")
    if len(found.variants) > SHOWN:
        print(f"the first {SHOWN}; -o csv or -o json prints all of them")
