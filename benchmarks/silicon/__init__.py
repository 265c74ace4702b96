"""Kernels for real GPUs, and what measures them."""
