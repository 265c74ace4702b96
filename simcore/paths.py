"""The simulator's cache directories, and atomic writes to them."""

import os
import tempfile
from pathlib import Path

from simcore.errors import CacheNotWritable


def cache_directory(kind: str) -> Path:
    """The folder for one kind of cached file, created if needed.

    `SIMCORE_CACHE` names the root; without it, `XDG_CACHE_HOME/simcore` or `~/.cache/simcore`.

    Raises:
        CacheNotWritable: it cannot be created.
    """
    base = os.environ.get("SIMCORE_CACHE")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "simcore"
    folder = root / kind
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheNotWritable(
            f"the cache {folder} cannot be created: {error.strerror}; set SIMCORE_CACHE to a folder that can be written"
        ) from None
    return folder


def write_atomically(path: Path, content: bytes) -> None:
    """Write under a temporary name and rename into place, so that no reader sees a partial file."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(temporary, path)
