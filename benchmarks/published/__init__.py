"""Microbenchmarks that others published, run on the simulated GPUs and set beside their figures."""
