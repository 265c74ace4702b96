"""Loops with a YIELD in each, run by a few lanes of a warp on a GPU; and rules of turns that are tried on what it did.

The compiler's YIELDs are taken out of the machine code, and others put in: one between two notes in each loop. Each
lane notes the places that it comes to, and the clock there, so that nothing a warp does goes unseen.

    python -m benchmarks.simulator.few_lanes bundle BUNDLE     # no GPU needed
    python -m benchmarks.simulator.few_lanes run BUNDLE OUT    # on the GPU: numpy, cuda-bindings
    python -m benchmarks.simulator.few_lanes compare OUT       # how many warps the rules run in the GPU's order
    python -m benchmarks.simulator.few_lanes clocks OUT        # which BSYNCs take as long as two, by its clocks

OUT/few_lanes.npz has, for each launch, `inputs` [warp, lane] and `notes` [warp, lane, note, (place, clock)]. A lane
that takes part has bit 31 of its input, and its notes end at place 0. Clocks are those since the warp's first note.
"""
