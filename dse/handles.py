"""Handles returned by a client: a `Sweep`, whose rows are `Trial`s.

Handles read everything on demand, so they also work for sweeps that run or ran in another process.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, SupportsIndex

from dse.answers.best import BEST_HEAD, Best
from dse.answers.between_gpus import GpuRatio, between_gpus
from dse.answers.calibration import Calibration
from dse.answers.failed_values import FailedValues, failed_values
from dse.answers.portability import WITHIN, Portability
from dse.answers.summary import why_unranked
from dse.errors import InputError
from dse.notebooks import html_table
from dse.requests.arguments import lists, names
from dse.requests.request import Extension, checked
from dse.requests.specs import restore_space
from dse.service import Service, SweepStatus
from dse.store import SweepSpec, Trial, TrialQuery, TrialRecord, VariantRecord
from dse.store.queries import ALL_TRIALS
from dse.tables.columns import TrialTable

ExportFormat = Literal["kernel-tuner", "t1", "t4", "optuna"]

if TYPE_CHECKING:
    import pandas as pd

    from dse.coordination.progress import Progress
    from dse.explaining.difference import Difference
    from dse.explaining.explanation import Explanation
    from dse.explaining.machine_code import MachineCode
    from dse.report.plots import Plots
    from dse.sensitivity import Sensitivity, Tell
    from search_spaces import Space, Value


class Sweep:
    """A handle to one sweep, created by a `Client`.

    Attributes:
        id: its id: chosen by its submitter, or derived from its content or number.
    """

    def __init__(self, service: Service, sweep_id: str) -> None:
        self.id = sweep_id
        self._service = service

    def __repr__(self) -> str:
        status = self.status()
        done = f"{status.counts.done:,} of {status.total:,} trials"
        return f"Sweep({self.id!r}, {status.name!r}, {status.state}: {done})"

    def _repr_html_(self) -> str:
        """The best variants as a table, for notebooks."""
        return html_table(repr(self), BEST_HEAD, [best.cells for best in self.winners()])

    def status(self) -> SweepStatus:
        """The status of the sweep."""
        return self._service.status(self.id)

    @cached_property
    def spec(self) -> SweepSpec:
        """The specification: space, GPUs, budget."""
        return self._service.spec(self.id)

    @property
    def mlflow_problem(self) -> str | None:
        """Why the export to MLflow by this process is behind; None if it is not."""
        return self._service.mlflow_problem

    @property
    def ui_command(self) -> str | None:
        """The command that serves MLflow's file to the browser; None if MLflow is a server, or another process's."""
        return self._service.ui_command

    @property
    def mlflow_url(self) -> str | None:
        """The sweep's runs in MLflow, as a table with charts; None if they are not exported yet."""
        return self.status().mlflow_url

    @property
    def is_running(self) -> bool:
        """Whether the sweep is queued or running."""
        return self.status().is_active

    def follow(self) -> "Iterator[Progress]":
        """Yield the sweep's progress after each change, until it has ended."""
        return self._service.follow_progress(self.id)

    def wait(self, timeout: float | None = None) -> Self:
        """Wait until the sweep has ended, or for `timeout` seconds; returns the sweep.

        Raises:
            Exception: the error that ended a sweep of this process, if any.
        """
        self._service.wait(self.id, timeout)
        return self

    def stop(self) -> None:
        """Stop the sweep soon; completed trials are kept, and `resume` completes it."""
        self._service.stop(self.id)

    def resume(self, trials: int | None = None, timeout: float | None = None) -> Self:
        """Continue where the sweep stopped; with more `trials`, extend it.

        Args:
            trials: the new budget over all GPUs; None keeps the old one.
            timeout: seconds from now; None for no limit.
        """
        if trials is None:
            self._service.resume(self.id, timeout)
            return self
        return self.extend(trials, timeout=timeout)

    def extend(
        self,
        trials: int | None = None,
        gpu: str | Sequence[str] | None = None,
        parameters: Mapping[str, Sequence["Value"]] | None = None,
        timeout: float | None = None,
    ) -> Self:
        """Extend the sweep and run it; known results are not evaluated again.

        Args:
            trials: the new budget over all GPUs; None keeps the budget per GPU.
            gpu: additional GPU names.
            parameters: additional values, by parameter.
            timeout: seconds from now; None for no limit.
        """
        extension = checked(
            Extension, trials=trials, gpus=names(gpu), parameters=lists(parameters), timeout_s=timeout
        )
        self._service.extend(self.id, extension)
        vars(self).pop("spec", None)  # the specification has changed
        return self

    def prioritize(self, priority: int) -> None:
        """Change the priority, even while the sweep runs; -10 to 10, each step doubles its share of the workers."""
        self._service.prioritize(self.id, priority)

    def sync_mlflow(self, again: bool = False) -> int:
        """Export to MLflow what is missing there; returns the number of runs written.

        Args:
            again: delete the sweep's runs there first, and export everything again.

        Raises:
            TrackingError: MLflow is down, or refuses the export.
        """
        return self._service.sync_mlflow(self.id, again).runs

    def delete(self) -> None:
        """Delete the sweep and its trials; the results remain available to other sweeps."""
        self._service.delete(self.id)

    def best(self, gpu: str | None = None, filter: str | None = None) -> dict[str, Trial]:
        """The best trial of each GPU, or of one, by the space's first objective.

        Args:
            gpu: only this one.
            filter: only trials that match it, such as `params.n = 512`.

        Raises:
            InputError: the sweep has several workloads, whose times do not compare, and no filter chooses one.
        """
        return {**self._service.best(self.id, gpu, filter)}

    def winners(self) -> list[Best]:
        """The best of each GPU and workload: the trial, its ties, what they share, and which one to take."""
        return self._service.answers(self.id)

    def failed_values(self) -> list[FailedValues]:
        """Values of parameters with which every point that was tried failed, so that `winners` leaves them out."""
        return failed_values(self.spec, self.records)

    def between_gpus(self) -> list[GpuRatio]:
        """How many times faster each GPU is than the sweep's first, by workload, each with its own best variant.

        Empty with a single GPU, or if the objective is not the time.
        """
        return between_gpus(self.spec, self.winners())

    def front(self) -> list[Trial]:
        """The Pareto front of each GPU and workload, sorted by the first objective.

        Raises:
            InputError: the sweep has a single objective.
        """
        return [*self._service.front(self.id)]

    def portable(self, weights: Mapping[str, float] | None = None, within: float = WITHIN) -> Portability:
        """One variant for all GPUs and workloads, the portability matrix, and sets of two or three variants.

        Args:
            weights: of the GPUs in the mean slowdown, which add up to 1; None means equal.
            within: the slowdown that the smallest set may have.

        Raises:
            InputError: a single GPU and workload, no variant that completed everywhere, or wrong weights.
        """
        return self._service.portable(self.id, weights, within)

    @property
    def plot(self) -> "Plots":
        """The figures of the report, for a notebook: `sweep.plot.parameters()`."""
        from dse.report.plots import Plots

        return Plots(self._service, self.id)

    def report(self, path: str | Path) -> Path:
        """Write the report of what is recorded now: one HTML file that needs no network.

        Raises:
            InputError: the file cannot be written.
        """
        from dse.report.page import write_report

        return write_report(self._service, self.id, Path(path))

    def export(self, path: str | Path, gpu: str | None = None, format: ExportFormat = "kernel-tuner") -> int:
        """Write the trials for another tool; returns their number.

        Args:
            path: the file.
            gpu: one GPU of the sweep; may be left out if it has a single one, and for Optuna, which takes them all.
            format: a cache of `kernel-tuner`, the `t1` problem of an autotuner with its source in a file beside it, the
                `t4` results, or an `optuna` storage in SQLite.

        Raises:
            InputError: it is unclear which GPU, or the file cannot be written.
            SpaceError: the space has what T1 cannot say.
        """
        from dse.tables.exporting import write_export

        return write_export(self.records, Path(path), self.spec, self.id, gpu, format, lambda: self._space)

    def explain(self, trial: Trial | int) -> "Explanation":
        """Where the time of a trial goes: hot spots, occupancy, memory; the trial has its stalls and its advice.

        Args:
            trial: a trial of this sweep, or its number; it is compiled again, and simulated again if it was on another
                machine.

        Raises:
            InputError: there is no such trial.
            SimcoreError: it can no longer be simulated.
        """
        from dse.explaining.explanation import explanation

        found = self._trial(trial)
        return explanation(self.spec, found, self.speedup(found))

    def diff(self, before: Trial | int, after: Trial | int) -> "Difference":
        """What changed from one trial to another, and by what factors the time did.

        Raises:
            InputError: there is no such trial, or it failed.
            SimcoreError: one can no longer be simulated.
        """
        from dse.explaining.difference import difference

        return difference(self.spec, self._complete(before), self._complete(after))

    def sass(self, trial: Trial | int) -> "MachineCode":
        """The machine code of a trial, with the predicted issues and stalls of each instruction.

        Raises:
            InputError: there is no such trial, or it failed.
            SimcoreError: it can no longer be simulated.
        """
        from dse.explaining.machine_code import machine_code

        return machine_code(self.spec, self._complete(trial))

    def sensitivity(
        self,
        trial: Trial | int | None = None,
        by: float = 0.1,
        fields: Sequence[str] = (),
        workers: int | None = None,
        tell: "Tell | None" = None,
    ) -> "Sensitivity":
        """How the time of a trial depends on each number of its GPU, found by simulating it with others.

        Args:
            trial: a trial or its number; None means the best of the first GPU.
            by: relative change, such as 0.1 for 10 %.
            fields: only these numbers; empty means all that can change a time.
            workers: processes; None means one per core.
            tell: is called with how many changes are known, and of how many.

        Raises:
            InputError: there is no such trial, or it failed.
            UnknownGpu: a GPU has no such field.
        """
        from dse.runners.local import LocalRunner
        from dse.sensitivity import sensitivity, silent

        chosen = self._complete(self._first_winner() if trial is None else trial)
        with LocalRunner(workers=workers) as runner:
            return sensitivity(self.spec, chosen, runner, by, fields, tell or silent)

    def to_measure(
        self, count: int = 5, gpu: str | None = None, filter: str | None = None
    ) -> list[VariantRecord]:
        """The variants worth measuring: for each GPU and workload fast ones that differ, in the order of their worth.

        Args:
            count: their number for each GPU and workload.
            gpu: only this one.
            filter: only among the trials that it selects, for example `params.unroll <= 8`.

        Raises:
            InputError: the sweep is not about time, or has no complete trial there.
        """
        from dse.measuring.choice import worth_measuring

        return worth_measuring(self._service, self.id, count, gpu, filter)

    def calibrate(self, path: str | Path, gpu: str | None = None) -> list[Calibration]:
        """Rescale and re-rank the variants by measured times of a few: for each GPU and workload with any.

        Args:
            path: a CSV or Parquet file with a column for each parameter and `time_us` (or `time_ns`, `time_ms`,
                `time_s`), and perhaps `gpu`; an Optuna storage in SQLite whose studies name their value so; a cache of
                Kernel Tuner such as the `times.json` of `write_bundles`; or results in the T4 schema.
            gpu: the GPU that was measured; None for the one that the file names, or the sweep's only one.

        Raises:
            InputError, MeasurementError: the file belongs to another kernel, or to other variants.
        """
        from dse.measuring.choice import calibrations

        return calibrations(self._service, self.id, Path(path), gpu)

    def write_bundles(self, variants: Sequence[VariantRecord], folder: str | Path) -> list[Path]:
        """Write a folder for each GPU that measures these variants there; returns the programs to run.

        Raises:
            InputError: a folder is in use or cannot be made, or the space asks for cold caches.
        """
        from dse.measuring.bundle import write_bundle

        gpus = dict.fromkeys(each.gpu for each in variants)
        return [
            write_bundle(self._space, gpu, [each for each in variants if each.gpu == gpu], Path(folder) / gpu)
            for gpu in gpus
        ]

    def trials(
        self,
        filter: str | None = None,
        order_by: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[Trial]:
        """The recorded trials.

        Args:
            filter: for example `params.unroll >= 4 and metrics.time_us < 10`; see `dse.store.filters`.
            order_by: for example `metrics.ipc desc`; default: by GPU and point.
            limit: maximum number of trials.
        """
        return [*self.records(TrialQuery(filter, _order(order_by), limit))]

    def to_dataframe(
        self,
        filter: str | None = None,
        order_by: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> "pd.DataFrame":
        """One row per trial: GPU, parameters, state and metrics; the arguments are those of `trials`."""
        import pandas as pd

        rows = self.rows(TrialQuery(filter, _order(order_by), limit))
        return pd.DataFrame(rows, columns=list(TrialTable(self.spec).columns))

    def records(self, query: TrialQuery = ALL_TRIALS) -> Iterator[TrialRecord]:
        """The trials as stored, read lazily."""
        return self._service.trials(self.id, query)

    def rows(self, query: TrialQuery = ALL_TRIALS, times: bool = False) -> list[dict[str, Any]]:
        """The trials as flat rows, as in `to_dataframe`.

        Args:
            query: which trials.
            times: also include whether this sweep evaluated each trial (`source`), and the seconds that it took.
        """
        return [*map(TrialTable(self.spec, times).row, self.records(query))]

    def baseline(self, trial: Trial) -> Trial | None:
        """The baseline of a trial: the space's first valid point of its workload, on its GPU.

        None if that point was not tried, or failed.
        """
        return self._service.baseline(self.id, trial)

    def speedup(self, trial: Trial) -> float | None:
        """How many times faster a trial is than its baseline."""
        return self._service.speedup(self.id, trial)

    def _trial(self, trial: Trial | int) -> Trial:
        """A trial, also by its number."""
        if isinstance(trial, Trial):
            return trial
        if not isinstance(trial, SupportsIndex):
            raise InputError(f"{trial!r} is no trial; give its number, as `dse results {self.id}` lists them")
        found = self.trials(f"number = {trial.__index__()}")
        if not found:
            raise InputError(
                f"sweep {self.id} has no trial {trial}; `dse results {self.id}` lists its trials"
            )
        return found[0]

    def _complete(self, trial: Trial | int) -> Trial:
        """The same, of one that completed."""
        found = self._trial(trial)
        if found.state == "failed":
            raise InputError(
                f"trial {found.number} failed ({found.reason}), so there is nothing to simulate again"
            )
        return found

    def _first_winner(self) -> Trial:
        winners = self.winners()
        if not winners:
            raise InputError(f"sweep {self.id} has {why_unranked(self.status().counts.complete, self.spec)}")
        return winners[0].trial

    @property
    def _space(self) -> "Space":
        return restore_space(self.spec)


def _order(terms: str | Sequence[str] | None) -> str | None:
    return terms if terms is None or isinstance(terms, str) else ", ".join(terms)
