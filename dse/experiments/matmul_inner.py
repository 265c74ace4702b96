"""A product of matrices with a thread for each number: its inner product unrolled."""

from dse.experiments.lab import Lab
from dse.experiments.ladders import ladder_picture, ladder_rows, ladder_table, order_claim
from dse.experiments.report import Report
from search_spaces import load_space

TITLE = "An inner product in a loop, unrolled four times"
SOURCE = "the usual advice for a product of matrices written as a loop"
STEPS = {"one product a round": (1, 1), "two": (2, 1), "four": (4, 1), "four, in four sums": (4, 4)}


def run(lab: Lab) -> Report:
    """The ladder at k = 512 and 128 threads."""
    space = load_space("matmul_inner")
    steps = {
        name: {"k": 512, "unroll": unroll, "accumulators": sums, "block_size": 128}
        for name, (unroll, sums) in STEPS.items()
    }
    rows = ladder_rows(lab, space, steps)
    claim = order_claim(
        "each unrolling is faster, and sums side by side are no slower",
        SOURCE,
        "in this order",
        rows,
        "the loads of a round are in flight together, and its addresses and test are paid once; the chain of FMAs is "
        "not what warps wait for, so further sums bring nothing. Two products a round gain little: blocks of one "
        "column of the grid wait for its lines together, and an SM with a block of another column ends last, long "
        "after the others",
    )
    return Report(
        "matmul_inner",
        TITLE,
        [claim],
        [ladder_table("time of a step, 512 x 512 x 512", rows)],
        ladder_picture(rows),
    )
