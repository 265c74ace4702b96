"""Kernels, servers and data that tests and benchmarks share."""
