"""The transpose: from scattered accesses to a padded tile."""

from dse.experiments.lab import Lab
from dse.experiments.ladders import ladder_picture, ladder_rows, ladder_table, order_claim
from dse.experiments.report import Report
from search_spaces import load_space

TITLE = "A transpose through shared memory, with and without a column of padding"
SOURCE = "G. Ruetsch, P. Micikevicius, Optimizing Matrix Transpose in CUDA, 2009"
STEPS = {"writes scattered": 1, "reads scattered": 2, "shared memory": 3, "with padding": 4, "a copy": 0}


def run(lab: Lab) -> Report:
    """The ladder at n = 2048 and 256 threads."""
    space = load_space("transpose")
    steps = {name: {"n": 2048, "method": method, "block_size": 256} for name, method in STEPS.items()}
    rows = ladder_rows(lab, space, steps)
    claim = order_claim(
        "each step is faster: scattered, shared, padded, and a copy is the bound",
        SOURCE,
        "in this order",
        rows,
        "a tile without padding is no faster than scattered reads, since L1 keeps their lines while 32 lanes of a "
        "column wait for one bank; the word of padding brings the gain",
    )
    return Report(
        "transpose", TITLE, [claim], [ladder_table("time of a step, n = 2048", rows)], ladder_picture(rows)
    )
