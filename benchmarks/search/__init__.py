"""Searches replayed on exhaustive tables of times, beside Kernel Tuner's and plain Optuna's."""
