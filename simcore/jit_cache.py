"""Where numba keeps the compiled core.

Numba notices a change only in the file of the function that is called, but the core is compiled as one piece
from many files. So the folder is named by the contents of all of them: a changed core is compiled
anew, and an old one is never taken for it. Importing this module sets the folder.
"""

import hashlib
from pathlib import Path

import numba

from simcore.paths import cache_directory


def core_digest() -> str:
    """A hash of the core's sources and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    folder = Path(__file__).parent / "core"
    for source in sorted(folder.rglob("*.py")):
        digest.update(str(source.relative_to(folder)).encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


if not numba.config.CACHE_DIR:
    numba.config.CACHE_DIR = str(cache_directory("numba") / core_digest())
