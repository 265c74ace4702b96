"""A corpus of small kernels as people write them, each with a reference in numpy."""
