"""The jitted core as plain Python."""

import sys

import pytest
from numba.core.dispatcher import Dispatcher

from simcore.core.jit.entries import Entry


def run_core_as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the core's functions be Python functions, which start at once."""
    for name, module in list(sys.modules.items()):
        if name.startswith("simcore.core."):
            for attribute, value in vars(module).copy().items():
                if isinstance(value, Dispatcher | Entry):
                    monkeypatch.setattr(module, attribute, value.py_func)
