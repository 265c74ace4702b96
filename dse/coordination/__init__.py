"""Sweeps on their way: many on one runner, each with its share."""
