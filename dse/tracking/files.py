"""The files of a sweep's run at its end: results and plots.

A file that cannot be created does not prevent the others; a text with the error takes its place.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from dse.store import Store, SweepRecord, TrialRecord
from dse.tables.parquet import ROW_GROUP
from dse.tables.text import shown
from dse.tracking.table import ResultTable


@contextmanager
def result_table(store: Store, sweep: SweepRecord) -> Iterator[tuple[Path, ResultTable]]:
    """A temporary folder with `results.parquet`."""
    with TemporaryDirectory(prefix="dse-results-") as folder:
        trials = store.stream_trials(sweep.id, batch=ROW_GROUP)
        yield Path(folder), ResultTable(sweep.spec, Path(folder) / "results.parquet", trials)


def add_views(folder: Path, store: Store, sweep: SweepRecord, table: ResultTable) -> None:
    """Write the plots, and the machine code of the best variant of each GPU, to the folder of the table."""
    from dse.tracking import plots

    winners = store.winners(sweep.id)
    views: dict[str, Callable[[Path], None]] = {
        "plots/parameters.png": lambda path: plots.draw_parameters(table, path),
        "plots/progress.png": lambda path: plots.draw_progress(table, path),
        "plots/stalls.png": lambda path: plots.draw_stalls(winners, path),
    }
    if len(sweep.spec.objectives) > 1:
        views["plots/front.png"] = lambda path: plots.draw_front(table, path)
    for gpu, trial in store.best(sweep.id).items():
        views[f"sass/{gpu}.sass"] = partial(_write_listing, sweep, trial)
    for name, make in views.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        try:
            make(path)
        except Exception as error:  # no error may prevent the other files
            path.unlink(missing_ok=True)
            message = f"{name} cannot be created: {type(error).__name__}: {error}\n"
            path.with_suffix(".missing.txt").write_text(message)


def _write_listing(sweep: SweepRecord, trial: TrialRecord, path: Path) -> None:
    """The disassembled machine code of a trial, with the variant in a header."""
    from dse.evaluation.machine_code import compile_task
    from dse.evaluation.points import task_for
    from dse.requests.specs import restore_space
    from simcore import read_kernel
    from simcore.machine_code.sass import decode

    task = task_for(restore_space(sweep.spec), trial.parameters, trial.gpu)
    kernel = read_kernel(*compile_task(task))
    variant = ", ".join(f"{name} {shown(value)}" for name, value in trial.parameters.items())
    metric = sweep.spec.objectives[0][1]
    head = [
        f"// {kernel.name} on {trial.gpu} ({kernel.architecture}): {variant}",
        f"// {metric} {trial.metrics[metric]:g}; {kernel.registers} registers per thread",
    ]
    lines = [f"/*{each.address:04x}*/  {each}" for each in decode(kernel.code, kernel.architecture)]
    path.write_text("\n".join([*head, *lines, ""]))
