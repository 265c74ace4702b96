"""What `dse.tracking` has written to MLflow."""

from collections.abc import Mapping

from sqlalchemy import and_, bindparam, func, select, update

from dse.store.base import Database
from dse.store.errors import SweepNotFound
from dse.store.records import Place
from dse.store.retrying import retried
from dse.store.tables import SWEEPS, TRIAL_IS_KNOWN, TRIALS


class TrackedStore(Database):
    """The part of the store that remembers MLflow's runs."""

    @retried
    def set_mlflow_run(self, sweep_id: int, run_id: str) -> None:
        """Remember a sweep's parent run."""
        named = update(SWEEPS).where(SWEEPS.c.id == sweep_id).values(mlflow_run_id=run_id)
        with self._writer.begin() as connection:
            if not connection.execute(named).rowcount:
                raise SweepNotFound(sweep_id)

    @retried
    def set_trial_runs(self, sweep_id: int, runs: Mapping[Place, str], logged: bool) -> None:
        """Remember the run of each trial, and whether the run has its content."""
        if not runs:
            return
        at_place = and_(
            TRIALS.c.sweep_id == sweep_id,
            TRIALS.c.gpu == bindparam("of_gpu"),
            TRIALS.c.point_index == bindparam("of_point"),
        )
        rows = [
            {"of_gpu": gpu, "of_point": index, "mlflow_run_id": run_id, "mlflow_logged": logged}
            for (gpu, index), run_id in runs.items()
        ]
        with self._writer.begin() as connection:
            connection.execute(update(TRIALS).where(at_place), rows)

    @retried
    def untracked(self, sweep_id: int) -> dict[Place, str | None]:
        """The trials with a known result that MLflow does not show in full; their run if one was begun."""
        query = (
            select(TRIALS.c.gpu, TRIALS.c.point_index, TRIALS.c.mlflow_run_id)
            .where(TRIALS.c.sweep_id == sweep_id, TRIALS.c.mlflow_logged.is_(False), TRIAL_IS_KNOWN)
            .order_by(TRIALS.c.gpu, TRIALS.c.point_index)
        )
        with self._engine.connect() as connection:
            return {(gpu, index): run_id for gpu, index, run_id in connection.execute(query)}

    @retried
    def tracked_count(self, sweep_id: int) -> int:
        """How many of a sweep's trials MLflow shows in full."""
        query = select(func.count()).where(TRIALS.c.sweep_id == sweep_id, TRIALS.c.mlflow_logged.is_(True))
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    @retried
    def forget_mlflow_runs(self, sweep_id: int) -> None:
        """Forget every run of a sweep, so that all is written again."""
        forgotten = {"mlflow_run_id": None, "mlflow_logged": False}
        with self._writer.begin() as connection:
            connection.execute(update(TRIALS).where(TRIALS.c.sweep_id == sweep_id).values(forgotten))
            connection.execute(update(SWEEPS).where(SWEEPS.c.id == sweep_id).values(mlflow_run_id=None))
