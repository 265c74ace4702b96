"""Random kernels: do they compute the same on every architecture, as the host's C++ compiler says, and as a GPU does?

    python -m benchmarks.simulator.random_programs architectures [--programs N] [--seed N] [--gpu NAMES]
    python -m benchmarks.simulator.random_programs bundle BUNDLE --programs N    # no GPU needed
    python -m benchmarks.simulator.random_programs run BUNDLE OUT                # on the GPU: numpy and cuda-bindings
    python -m benchmarks.simulator.random_programs counters BUNDLE OUT           # on the GPU: Nsight Compute
    python -m benchmarks.simulator.random_programs compare BUNDLE OUT            # no GPU needed

Each program comes from its seed alone. Those without exchanges between threads are also compiled by g++ and run on the
host, thread by thread, which is an oracle for all that integers and floating-point numbers do.
"""
