"""The version of the predictions."""

SIMULATOR_VERSION = "2"
"""Part of every stored result's identity: raised whenever a prediction may change."""
