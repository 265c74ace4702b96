"""The version of the predictions."""

SIMULATOR_VERSION = "3"
"""Part of every stored result's identity: raised whenever a prediction may change."""
