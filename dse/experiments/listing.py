"""The experiments by name, in the order of the page."""

from importlib import import_module

from dse.errors import InputError
from dse.experiments.lab import Lab
from dse.experiments.report import Report
from simcore.errors import did_you_mean

NAMES = (
    "latency_hiding",
    "rsqrt_unroll",
    "accumulators",
    "ilp_against_occupancy",
    "stall_reasons",
    "vector_and_fused",
    "instruction_cache",
    "spills",
    "transpose",
    "reduction",
    "matmul_inner",
    "scan",
)


def titles() -> dict[str, str]:
    """What each experiment is about."""
    return {name: import_module(f"dse.experiments.{name}").TITLE for name in NAMES}


def check_name(name: str) -> None:
    """Refuse an unknown experiment.

    Raises:
        InputError: names the closest one.
    """
    if name not in NAMES:
        raise InputError(f"no experiment {name!r}{did_you_mean(name, NAMES)} (there are {', '.join(NAMES)})")


def run_experiment(name: str, lab: Lab) -> Report:
    """Run one experiment; InputError if there is none of that name."""
    check_name(name)
    report: Report = import_module(f"dse.experiments.{name}").run(lab)
    return report
