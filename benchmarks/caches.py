"""Empty caches for a measurement, so that nothing that was compiled or simulated before is taken."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from simcore.paths import cache_directory


@contextmanager
def empty_caches() -> Iterator[Path]:
    """A new folder. Its `cache`, with the jitted core alone, is the simulator's until the end, in children too."""
    jitted, before = cache_directory("numba"), os.environ.get("SIMCORE_CACHE")
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "cache").mkdir()
        (folder / "cache" / "numba").symlink_to(jitted)
        os.environ["SIMCORE_CACHE"] = str(folder / "cache")
        try:
            yield folder
        finally:
            if before is None:
                del os.environ["SIMCORE_CACHE"]
            else:
                os.environ["SIMCORE_CACHE"] = before
