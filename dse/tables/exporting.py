"""A sweep as a file of another tool."""

from collections.abc import Callable, Iterable
from pathlib import Path

from dse.errors import InputError
from dse.store import SweepSpec, TrialQuery, TrialRecord
from dse.tables.kernel_tuner import write_cache
from dse.tables.tuning_results import write_results

#: Writers of text about one GPU, by format.
_WRITERS = {"kernel-tuner": write_cache, "t4": write_results}

Read = Callable[[TrialQuery], Iterable[TrialRecord]]


def write_export(read: Read, path: Path, spec: SweepSpec, sweep: str, gpu: str | None, format: str) -> int:
    """Write the trials of a sweep; returns their number.

    Raises:
        InputError: it is unclear which GPU, the file exists, or it cannot be written.
    """
    if format == "optuna":
        return _write_studies(read, path, spec, sweep, gpu)
    chosen = gpu or (spec.gpus[0] if len(spec.gpus) == 1 else None)
    if chosen not in spec.gpus:
        raise InputError(f"a file of this format is of one GPU: name one of {', '.join(spec.gpus)}", "gpu")
    try:
        with path.open("w") as sink:
            return _WRITERS[format](read(TrialQuery(f"gpu = '{chosen}'")), sink, spec, chosen)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def _write_studies(read: Read, path: Path, spec: SweepSpec, sweep: str, gpu: str | None) -> int:
    if gpu is not None and gpu not in spec.gpus:
        raise InputError(f"the sweep has no {gpu}: name one of {', '.join(spec.gpus)}", "gpu")
    if path.exists():
        raise InputError(f"{path}: exists; name a new file")
    if not path.parent.is_dir():
        raise InputError(f"{path}: cannot be written: there is no folder {path.parent}")
    from dse.tables.optuna_storage import write_studies

    return write_studies(read(TrialQuery(f"gpu = '{gpu}'" if gpu else None)), path, spec, sweep)
