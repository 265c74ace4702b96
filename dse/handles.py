"""What a client hands out: a `Sweep`, whose rows are `Trial`s.

Everything a handle says is read when it is asked, so it is also true of sweeps that another process runs or ran.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from dse.requests.request import Extension, checked
from dse.requests.specs import restore_space
from dse.service import Service, SweepStatus
from dse.store import SweepSpec, Trial, TrialQuery, TrialRecord
from dse.store.queries import ALL_TRIALS
from dse.tables.columns import trial_row

if TYPE_CHECKING:
    import pandas as pd

    from dse.coordination.progress import Progress
    from search_spaces import Space, Value


class Sweep:
    """A handle on one sweep; made by a `Client`.

    Attributes:
        id: its name: what its submitter chose, or what was made from its content or number.
    """

    def __init__(self, service: Service, sweep_id: str) -> None:
        self.id = sweep_id
        self._service = service

    def __repr__(self) -> str:
        status = self.status()
        return f"Sweep({self.id!r}, {status.name!r}, {status.state})"

    def status(self) -> SweepStatus:
        """Where the sweep is."""
        return self._service.status(self.id)

    @cached_property
    def spec(self) -> SweepSpec:
        """What was asked: the space, the GPUs, the budget."""
        return self._service.spec(self.id)

    @property
    def mlflow_problem(self) -> str | None:
        """Why MLflow lags behind the store, as far as this process writes it; None while it does not."""
        return self._service.mlflow_problem

    @property
    def ui_command(self) -> str | None:
        """The command that shows the sweep in MLflow, where this process knows it."""
        return self._service.ui_command

    @property
    def is_running(self) -> bool:
        """Whether the sweep is queued or running."""
        return self.status().is_active

    def follow(self) -> "Iterator[Progress]":
        """The sweep's progress whenever it has changed, until it changes no more."""
        return self._service.follow_progress(self.id)

    def wait(self, timeout: float | None = None) -> Self:
        """Wait until the sweep has ended, or for `timeout` seconds; returns the sweep.

        Raises:
            Exception: whatever ended a sweep of this process, if it did not end by itself.
        """
        self._service.wait(self.id, timeout)
        return self

    def stop(self) -> None:
        """End the sweep soon; what is done is kept, and `resume` completes it."""
        self._service.stop(self.id)

    def resume(self, trials: int | None = None, timeout: float | None = None) -> Self:
        """Go on where the sweep stopped; with more `trials`, extend it.

        Args:
            trials: the new budget, over all GPUs; None keeps the old one.
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
        """Ask more of the sweep, and run it for that; what it knows already is not evaluated again.

        Args:
            trials: the new budget, over all GPUs; None keeps what each GPU had.
            gpu: further GPU names.
            parameters: further values, by parameter.
            timeout: seconds from now; None for no limit.
        """
        extension = checked(
            Extension, trials=trials, gpus=names(gpu), parameters=lists(parameters), timeout_s=timeout
        )
        self._service.extend(self.id, extension)
        vars(self).pop("spec", None)  # what is asked has changed
        return self

    def prioritize(self, priority: int) -> None:
        """Change the sweep's share of the workers, also while it runs; -10 to 10, each step doubles it."""
        self._service.prioritize(self.id, priority)

    def delete(self) -> None:
        """Forget the sweep and its trials; the results stay known to other sweeps."""
        self._service.delete(self.id)

    def best(self, gpu: str | None = None, filter: str | None = None) -> dict[str, Trial]:
        """The best trial of each GPU, or of one, by the space's first objective.

        Args:
            gpu: only this one.
            filter: only among the trials that pass it, as in `params.n = 512`.
        """
        return {**self._service.best(self.id, gpu, filter)}

    def winners(self) -> list[Trial]:
        """The best trial of each GPU and workload, in the order of the sweep's GPUs."""
        return [*self._service.winners(self.id)]

    def trials(
        self,
        filter: str | None = None,
        order_by: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[Trial]:
        """The recorded trials.

        Args:
            filter: as in `params.unroll >= 4 and metrics.time_us < 10`; see `dse.store.filters`.
            order_by: as in `metrics.ipc desc`; without it, by GPU and point.
            limit: the most trials to return.
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

        return pd.DataFrame(self.rows(TrialQuery(filter, _order(order_by), limit)))

    def records(self, query: TrialQuery = ALL_TRIALS) -> Iterator[TrialRecord]:
        """The trials as stored, read as they are wanted."""
        return self._service.trials(self.id, query)

    def rows(self, query: TrialQuery = ALL_TRIALS, times: bool = False) -> list[dict[str, Any]]:
        """The trials as flat rows, as in `to_dataframe`.

        Args:
            query: which trials.
            times: also whether each was evaluated by this sweep (`source`), and the seconds that took.
        """
        return [trial_row(record, times) for record in self.records(query)]

    def baseline(self, trial: Trial) -> Trial | None:
        """What a trial is measured against: the space's first valid point of its workload, on its GPU.

        None when that point was not tried, or failed.
        """
        first = next(self._space.at_workload(trial.parameters).points())
        index = self._space.index(first)
        trials = self.trials(f"gpu = '{trial.gpu}' and point_index = {index}", limit=1)
        return trials[0] if trials and trials[0].state == "complete" else None

    def speedup(self, trial: Trial) -> float | None:
        """How many times faster a trial is than its baseline."""
        baseline = self.baseline(trial)
        if baseline is None or baseline.time_us is None or trial.time_us is None:
            return None
        return baseline.time_us / trial.time_us

    @property
    def _space(self) -> "Space":
        return restore_space(self.spec)


def _order(terms: str | Sequence[str] | None) -> str | None:
    return terms if terms is None or isinstance(terms, str) else ", ".join(terms)


def names(gpu: str | Sequence[str] | None) -> tuple[str, ...]:
    """GPU names as a request has them: one alone, several, or none."""
    return (gpu,) if isinstance(gpu, str) else tuple(gpu or ())


def lists(parameters: Mapping[str, Sequence["Value"]] | None) -> dict[str, list["Value"]]:
    """Values by parameter as a request has them."""
    return {name: list(values) for name, values in (parameters or {}).items()}
