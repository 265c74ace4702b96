"""What a GPU itself records of a warp's lanes: their states, the stack of lanes left for later, convergence barriers.

BMOV reads more than convergence barriers: the state of each lane, bit by bit (THREAD_STATE_ENUM.0 to .4), the stack of
the first lanes of what branches left (OPT_STACK), that split's lanes and place (TRAP_RETURN_MASK, TRAP_RETURN_PC.LO).
The kernels of `benchmarks.simulator.few_lanes` and random control flow note them, with the place and the lanes there.

    python -m benchmarks.simulator.lane_states bundle BUNDLE   # no GPU needed; --barriers notes B0, B1 and B2 instead
    python -m benchmarks.simulator.lane_states run BUNDLE OUT  # on the GPU: numpy, cuda-bindings
    python -m benchmarks.simulator.lane_states compare OUT     # warps of few lanes that the simulator runs in its order

OUT/lane_states.npz has for each kernel `inputs` [warp, lane] and `notes` [warp, note, word]: place, lanes, clock, five
words of states, three of `PLACES` or `BARRIERS`, and the note's number; a warp's notes end at place 0.
"""
