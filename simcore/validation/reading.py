"""Read a file of measurements, whichever tool wrote it: what it holds tells the format."""

import gzip
from pathlib import Path

from simcore.gpu_profiles import gpu_names
from simcore.validation.measurement import MeasuredFile, MeasurementError
from simcore.validation.nsight_files import read_nsight
from simcore.validation.own_files import read_own
from simcore.validation.tuner_files import read_tuner

FORMATS = (
    "our JSON lines (benchmarks/silicon), a Kernel Tuner cache, T4 results, "
    "or Nsight Compute's `ncu --csv --page raw`"
)


def read_measurements(path: str | Path) -> MeasuredFile:
    """What a file of measurements holds.

    Args:
        path: JSON lines of `benchmarks/silicon`, a Kernel Tuner cache, T4 results or Nsight Compute's raw page
            as CSV; compressed where the name ends in `.gz`.

    Raises:
        MeasurementError: the file, the place in it, and what to do.
    """
    path = Path(path)
    text = _text(path)
    first = text.lstrip().partition("\n")[0]
    if first.startswith('{"header"'):
        return read_own(path, text)
    if first.startswith("{"):
        return read_tuner(path, text)
    if any(line.startswith('"ID"') for line in text.splitlines()):
        return read_nsight(path, text)
    raise MeasurementError(f"{path}: is no file of measurements; it may be {FORMATS}")


def profile_of(device: str | None) -> str | None:
    """The profile of a GPU that its driver calls by this name; None when none or several fit."""
    squashed = (device or "").lower().replace(" ", "").replace("-", "")
    fitting = [name for name in gpu_names() if name.replace("-", "") in squashed]
    return fitting[0] if len(fitting) == 1 else None


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
        return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except OSError as error:
        raise MeasurementError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise MeasurementError(f"{path}: is not text; it may be {FORMATS}") from error
