"""The files of a sweep's run: its question from the start, its results and what can be seen in them at its end.

A file that cannot be made does not keep the others from being made; what went wrong is said in its place.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from dse.store import Store, SweepRecord, TrialRecord
from dse.tables.parquet import ROW_GROUP
from dse.tracking.children import text
from dse.tracking.table import ResultTable


def add_question(folder: Path, sweep: SweepRecord) -> None:
    """What was asked: `sweep.json`, and the space, the source and its headers as their authors wrote them."""
    question = asdict(sweep.spec)
    head = {"id": sweep.key, "created_at": sweep.created_at.isoformat()}
    (folder / "space.yaml").write_text(question.pop("space_yaml"))
    (folder / Path(sweep.spec.source_file).name).write_text(question.pop("source"))
    for name, header in sweep.spec.headers.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header)
    (folder / "sweep.json").write_text(json.dumps(head | question, indent=2) + "\n")


@contextmanager
def result_table(store: Store, sweep: SweepRecord) -> Iterator[tuple[Path, ResultTable]]:
    """A folder that is there for a while, with `results.parquet` in it."""
    with TemporaryDirectory(prefix="dse-results-") as folder:
        trials = store.stream_trials(sweep.id, batch=ROW_GROUP)
        yield Path(folder), ResultTable(sweep.spec, Path(folder) / "results.parquet", trials)


def add_views(folder: Path, store: Store, sweep: SweepRecord, table: ResultTable) -> None:
    """The figures, and the machine code of the best of each GPU, into the folder of the table."""
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
        except Exception as error:  # whatever it is, it is no reason to keep back the rest
            path.unlink(missing_ok=True)
            message = f"{name} cannot be made: {type(error).__name__}: {error}\n"
            path.with_suffix(".missing.txt").write_text(message)


def _write_listing(sweep: SweepRecord, trial: TrialRecord, path: Path) -> None:
    """The machine code of a trial, as the disassembler writes it, with the variant above."""
    from dse.evaluation.evaluate import compile_task
    from dse.evaluation.points import task_for
    from dse.requests.specs import restore_space
    from simcore import read_kernel
    from simcore.machine_code.sass import decode

    task = task_for(restore_space(sweep.spec), trial.parameters, trial.gpu)
    kernel = read_kernel(compile_task(task), task.kernel)
    variant = ", ".join(f"{name} {text(value)}" for name, value in trial.parameters.items())
    metric = sweep.spec.objectives[0][1]
    head = [
        f"// {kernel.name} on {trial.gpu} ({kernel.architecture}): {variant}",
        f"// {metric} {trial.result.metrics[metric]:g}; {kernel.registers} registers a thread",
    ]
    lines = [f"/*{each.address:04x}*/  {each}" for each in decode(kernel.code, kernel.architecture)]
    path.write_text("\n".join([*head, *lines, ""]))
