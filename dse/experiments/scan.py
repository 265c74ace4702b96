"""Running sums: the ways of threads to scan together, and how many of them wait at a barrier."""

from dse.experiments.lab import Lab
from dse.experiments.ladders import ladder_picture, ladder_rows, ladder_table, order_claim
from dse.experiments.report import Report
from search_spaces import Point, load_space

TITLE = "Running sums: steps, a tree and shuffles, and barriers of large and small blocks"
METHODS = {"a step for each power of two": 0, "a tree, up and down": 1, "shuffles": 2}
BLOCKS = {"2 blocks of 1,024 threads on an SM": 1024, "4 of 512": 512, "8 of 256": 256}


def run(lab: Lab) -> Report:
    """Both ladders: segments of 256 numbers, one a thread."""
    space = load_space("scan")
    by_method = ladder_rows(lab, space, {name: _point(method, 256) for name, method in METHODS.items()})
    by_block = ladder_rows(lab, space, {name: _point(0, threads) for name, threads in BLOCKS.items()})
    claims = [
        order_claim(
            "a tree, with fewer additions, is faster than a step for each power of two, and shuffles are the fastest",
            "M. Harris, S. Sengupta, J. Owens, Parallel Prefix Sum with CUDA, GPU Gems 3, 2007; CUDA's sample "
            "shuffle_scan",
            "in this order",
            by_method,
            "shuffles are, but the additions saved were not what took the time: the tree has twice the steps, each "
            "with a barrier, and its strides put lanes on the same banks",
        ),
        order_claim(
            "several small blocks on an SM are faster than few large ones if barriers are frequent",
            "CUDA C++ Best Practices Guide, Thread and Block Heuristics",
            "in this order",
            by_block,
            "the same sums with the same barriers, but while a block's warps wait for its last one, other blocks issue",
        ),
    ]
    tables = [
        ladder_table("by method, 256 threads", by_method),
        ladder_table("by threads that share a barrier, a step for each power of two", by_block),
    ]
    return Report("scan", TITLE, claims, tables, ladder_picture([*by_method, *by_block]))


def _point(method: int, threads: int) -> Point:
    return {"segment": 256, "method": method, "items": 1, "block_size": threads}
