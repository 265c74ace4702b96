"""A sweep as a file of another tool."""

from collections.abc import Callable, Iterable
from pathlib import Path

from dse.errors import InputError
from dse.store import SweepSpec, TrialQuery, TrialRecord
from dse.tables.kernel_tuner import write_cache
from dse.tables.tuning_results import write_results
from search_spaces import Space
from search_spaces.tuning_problem import problem_size, write_problem

Read = Callable[[TrialQuery], Iterable[TrialRecord]]


def write_export(
    read: Read,
    path: Path,
    spec: SweepSpec,
    sweep: str,
    gpu: str | None,
    format: str,
    space: Callable[[], Space],
) -> int:
    """Write the trials of a sweep, or the problem that it solves; returns the number of variants.

    Raises:
        InputError: it is unclear which GPU, the file exists, or it cannot be written.
    """
    if format == "optuna":
        return _write_studies(read, path, spec, sweep, gpu)
    chosen = gpu or (spec.gpus[0] if len(spec.gpus) == 1 else None)
    if chosen not in spec.gpus:
        raise InputError(f"a file of this format is of one GPU: name one of {', '.join(spec.gpus)}", "gpu")
    try:
        if format == "t1":
            problem = space()
            write_problem(problem, chosen, path)
            return problem.count()
        trials = read(TrialQuery(f"gpu = '{chosen}'"))
        with path.open("w") as sink:
            if format == "t4":
                return write_results(trials, sink, spec, chosen)
            return write_cache(trials, sink, spec, chosen, problem_size(space()))
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
