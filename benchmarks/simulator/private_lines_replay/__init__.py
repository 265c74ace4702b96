"""What becomes of private lines in the L1s, the slices of L2 and the DRAM channels of a whole H100, step by step.

    python -m benchmarks.simulator.private_lines_replay --stride 512 --unroll 1

It emulates all SMs in steps of 32 cycles: loads in the order in which warps become ready, a share of the lines of each
L1 that is lost by measured rates, requests to 40 near slices in each of two partitions, misses that pass on to their
home slices, and what is fetched from 40 channels. It shows why the kernel is slow at some strides, and is not good
enough to predict with: `benchmarks/silicon/README.md` says how far off it is.

Where lines lie, and which SM has which block, is measured (`tests/silicon/h100-sxm/slice_pressure/`). The other numbers
stand in `machine.py` with their sources; some are assumed. Two were chosen on this very kernel: `ALLOWED` and
`L1_SHORT`.
"""
