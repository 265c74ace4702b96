"""Confined processes for untrusted input."""
