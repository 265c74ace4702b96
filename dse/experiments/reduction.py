"""The sum of an array: from a thread for each element to many elements and accumulators a thread."""

from dse.experiments.lab import Lab
from dse.experiments.ladders import ladder_picture, ladder_rows, ladder_table, order_claim
from dse.experiments.report import Report
from search_spaces import load_space

TITLE = "A sum: elements and accumulators of a thread"
SOURCE = "M. Harris, Optimizing Parallel Reduction in CUDA, 2007, for its last step"
STEPS = {"4 elements a thread": (4, 1), "16 elements": (16, 1), "16 elements, 4 accumulators": (16, 4)}


def run(lab: Lab) -> Report:
    """The ladder at 256 threads."""
    space = load_space("sum_reduction")
    steps = {
        name: {"accumulators": a, "elements_per_thread": e, "block_size": 256, "register_cap": None}
        for name, (e, a) in STEPS.items()
    }
    rows = ladder_rows(lab, space, steps)
    claim = order_claim(
        "more elements a thread, then several accumulators, are each faster",
        SOURCE,
        "1.42 times for more elements a thread",
        rows,
        "fewer blocks share the closing steps, and accumulators keep more loads in flight, until DRAM binds",
    )
    return Report(
        "reduction", TITLE, [claim], [ladder_table("time of a step, 2^24 floats", rows)], ladder_picture(rows)
    )
