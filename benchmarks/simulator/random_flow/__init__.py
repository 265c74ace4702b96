"""Random control flow on a GPU and in the simulator: which lanes of a warp go where, and in which order.

Loops that lanes leave at different times, early exits, jumps out of several loops, tables, calls and recursion; at each
place a warp notes the place and the lanes that are there together. The notes must be the same, entry for entry.

    python -m benchmarks.simulator.random_flow bundle BUNDLE --programs 2000   # no GPU needed
    python -m benchmarks.simulator.random_flow run BUNDLE OUT                  # on the GPU: numpy and cuda-bindings
    python -m benchmarks.simulator.random_flow counters BUNDLE OUT             # on the GPU: Nsight Compute
    python -m benchmarks.simulator.random_flow compare BUNDLE OUT

What differs is to be said in the result: `compare` names programs that differ without a word. `traces` records the
whole order of a warp's parts.
"""
