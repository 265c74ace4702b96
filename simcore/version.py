"""The version of the predictions."""

SIMULATOR_VERSION = "54"
"""Part of the identity of every stored result; raised whenever a prediction may change."""
