"""Where numba keeps the compiled core, and it alone: other jitted functions of the process go where they always go.

Numba notices a change only in the file of the function that is called, but the core is compiled as one piece
from many files. So the folder is named by the contents of all of them: a changed core is compiled again, and the
same core in another place is not. Importing this module tells numba.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numba
from numba.core.caching import CacheImpl, _CacheLocator

from simcore.paths import cache_directory

CORE = Path(__file__).parent / "core"


@cache
def core_digest() -> str:
    """A hash of the core's sources and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(CORE.rglob("*.py")):
        digest.update(str(source.relative_to(CORE)).encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def compiled_core() -> Path:
    """The folder of the compiled core as its sources are now; it may not exist yet."""
    return cache_directory("numba") / core_digest()


class CoreLocator(_CacheLocator):  # type: ignore[misc]
    """Numba's question where a function is cached, answered for functions of the core."""

    def __init__(self, function: Callable[..., object], file: str) -> None:
        self._folder = compiled_core() / Path(file).parent.relative_to(CORE)
        self._line = function.__code__.co_firstlineno
        self._py_file = file  # numba names it in its warnings

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> "CoreLocator | None":
        """The locator of a function in a file; None, so that numba asks the next kind, unless it is the core's."""
        return cls(py_func, py_file) if Path(py_file).is_relative_to(CORE) else None

    def get_cache_path(self) -> str:
        """The folder of the function's compiled code."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What changes when the source does."""
        return core_digest()

    def get_disambiguator(self) -> str:
        """What tells functions of one name in one file apart."""
        return str(self._line)


CacheImpl._locator_classes.insert(0, CoreLocator)
