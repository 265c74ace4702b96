"""Random kernels: do they compute the same on every architecture, and what the host's C++ compiler says?

    python -m benchmarks.simulator.random_programs [--programs N] [--seed N] [--gpu NAMES]

Each program comes from its seed alone. Those without exchanges between threads are also compiled by g++ and run on the
host, thread by thread, which is an oracle for all that integers and floating-point numbers do.
"""
