"""Design-space exploration of CUDA kernels.

`Client` submits a space and returns a `Sweep`; the rows of a sweep are `Trial`s, its answers `Best`s. The names are
imported on first use, to keep `import dse` fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dse.answers.best import Best
    from dse.client import Client
    from dse.handles import Sweep
    from dse.store import Trial

__all__ = ["Best", "Client", "Sweep", "Trial"]

_MODULES = {"Best": "dse.answers.best", "Client": "dse.client", "Sweep": "dse.handles", "Trial": "dse.store"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'dse' has no attribute {name!r}")
