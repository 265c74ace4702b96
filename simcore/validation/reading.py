"""Read a file of measurements of any supported tool; the format is detected from its contents."""

import gzip
import re
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
    """Read a file of measurements.

    Args:
        path: JSON lines of `benchmarks/silicon`, a Kernel Tuner cache, T4 results or Nsight Compute's raw page
            as CSV; compressed if the name ends in `.gz`.

    Raises:
        MeasurementError: names the file, the place in it, and the fix.
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
    raise MeasurementError(f"{path}: is not a file of measurements; use {FORMATS}")


#: What drivers call boards that have no name of their own profile's words.
_BOARDS = {
    "h100 80gb hbm3": "h100-sxm",
    "a100 sxm4 40gb": "a100-40gb",
    "a100 sxm4 80gb": "a100-80gb",
}


def profile_of(device: str | None) -> str | None:
    """The profile of a GPU with this driver name; None if none or several match."""
    said = (device or "").lower().replace("-", " ")
    for words, name in _BOARDS.items():
        if re.search(rf"\b{words}\b", said):
            return name
    fitting = [name for name in gpu_names() if re.search(_as_drivers_write(name), said)]
    return fitting[0] if len(fitting) == 1 else None


def _as_drivers_write(name: str) -> str:
    """A pattern of a profile's name: `rtx4090` as RTX 4090, but neither RTX 4090 D nor RTX 4090 Laptop GPU."""
    words = re.sub(r"(?<=[a-z])(?=\d)", " ?", name.replace("-", " ?"))
    return rf"\b{words}\b(?! (d|laptop|max|super|ti)\b)"


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
        return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except OSError as error:
        raise MeasurementError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise MeasurementError(f"{path}: is not text; use {FORMATS}") from error
