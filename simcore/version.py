"""The version of the predictions."""

SIMULATOR_VERSION = "1"
"""Part of every stored result's identity: raised whenever a prediction may change."""
