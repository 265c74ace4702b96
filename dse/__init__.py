"""The service: spaces in, answers out.

`Client` submits a space and hands back a `Sweep`; a sweep's rows are `Trial`s. The names are loaded when
first used, so that `import dse` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dse.client import Client, Sweep, Trial

__all__ = ["Client", "Sweep", "Trial"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("dse.client"), name)
    raise AttributeError(f"module 'dse' has no attribute {name!r}")
