"""The cache folder of the compiled core. Other jitted functions of the process are cached where numba puts them.

Numba detects a change only in the file of the called function, but the core is compiled as one unit from many files.
The folder is therefore named by the contents of all of them: a changed core is recompiled, and the same core in
another place is not. `register` tells numba.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numba
from numba.core.caching import CacheImpl, _CacheLocator

from simcore.paths import cache_directory

CORE = Path(__file__).parents[1]


@cache
def core_digest() -> str:
    """A hash of the core's sources and tables and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted([*CORE.rglob("*.py"), *CORE.rglob("*.csv")]):
        digest.update(str(source.relative_to(CORE)).encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def compiled_core() -> Path:
    """The folder of the core compiled from the current sources; it may not exist yet."""
    return cache_directory("numba") / core_digest()


class CoreLocator(_CacheLocator):
    """Locates the cache of the core's functions for numba."""

    def __init__(self, function: Callable[..., object], file: str) -> None:
        self._folder = compiled_core() / Path(file).parent.relative_to(CORE)
        self._line = function.__code__.co_firstlineno
        self._py_file = file  # numba names it in its warnings

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> "CoreLocator | None":
        """The locator of a function of the core; None for others, so that numba tries its next locator."""
        return cls(py_func, py_file) if Path(py_file).is_relative_to(CORE) else None

    def get_cache_path(self) -> str:
        """The folder of the function's compiled code."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """A stamp that changes with the source."""
        return core_digest()

    def get_disambiguator(self) -> str:
        """Distinguishes functions of the same name in one file."""
        return str(self._line)


def register() -> None:
    """Let numba look for the core's functions there; before they are decorated."""
    CacheImpl._locator_classes.insert(0, CoreLocator)
