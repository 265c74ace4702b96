"""Design-space exploration of CUDA kernels.

`Client` submits a space and returns a `Sweep`; the rows of a sweep are `Trial`s, its answers `Best`s. `AsyncClient` is
the same for asyncio. The names are imported on first use, to keep `import dse` fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dse.answers.best import Best
    from dse.async_client import AsyncClient, AsyncSweep
    from dse.client import Client
    from dse.handles import Sweep
    from dse.store import Trial

__all__ = ["AsyncClient", "AsyncSweep", "Best", "Client", "Sweep", "Trial"]

_MODULES = {
    "AsyncClient": "dse.async_client",
    "AsyncSweep": "dse.async_client",
    "Best": "dse.answers.best",
    "Client": "dse.client",
    "Sweep": "dse.handles",
    "Trial": "dse.store",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'dse' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What completion in a notebook offers: the names of `__all__`, loaded or not."""
    return sorted({*globals(), *__all__})
