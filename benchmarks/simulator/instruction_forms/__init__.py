"""Each form of PTX's instructions on a GPU and in the simulator: every rounding, saturation, mode and type.

A form is executed for all pairs of special values of its operands' types (zeros, denormals, infinities, NaN, the ends
of integers) and for random ones. What it leaves must be the same, bit for bit; approximations within their stated
error.

    python -m benchmarks.simulator.instruction_forms bundle BUNDLE                # no GPU needed
    python -m benchmarks.simulator.instruction_forms run BUNDLE OUT               # on the GPU: numpy and cuda-bindings
    python -m benchmarks.simulator.instruction_forms record OUT FILE              # small enough for the tests
    python -m benchmarks.simulator.instruction_forms compare OUT --gpu b200       # of any architecture
"""
