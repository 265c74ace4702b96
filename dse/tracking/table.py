"""All trials of an ended sweep, written to `results.parquet` once and read back a few columns at a time."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from dse.answers.front import pareto_front
from dse.store import SweepSpec, TrialRecord
from dse.store.parts.outbox import Entry
from dse.store.records import metric_label
from dse.tables.parquet import write_parquet
from dse.tracking.choice import evenly


class ResultTable:
    """The complete trials of a sweep, as columns.

    Args:
        spec: the specification.
        path: path of the file.
        trials: all trials.
    """

    def __init__(self, spec: SweepSpec, path: Path, trials: Iterable[TrialRecord]) -> None:
        self.spec = spec
        self._path = path
        write_parquet(trials, path, spec)
        self._names = set(pq.read_schema(path).names)

    def column(self, metric: str) -> str:
        """The column of a metric; it has a prefix if a parameter has the same name."""
        return metric_label(metric, self.spec.parameters)

    def complete(self, names: Sequence[str]) -> pd.DataFrame:
        """Some columns of the complete trials, in point order; rows with missing numbers are dropped."""
        wanted = [name for name in dict.fromkeys(names) if name in self._names]
        if wanted != list(dict.fromkeys(names)):
            return pd.DataFrame(columns=list(names))
        only = [("state", "=", "complete")]
        table = pq.read_table(self._path, columns=wanted, filters=only)
        frame: pd.DataFrame = table.to_pandas(strings_to_categorical=True)
        return frame

    def cases(self, names: Sequence[str]) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
        """The table split by GPU and workload; each of these cases has its own best variant."""
        keys = ["gpu", *self.spec.workload]
        frame = self.complete([*keys, *names])
        if not frame.empty:
            for key, rows in frame.groupby(keys, sort=False, observed=True, dropna=False):
                yield tuple(map(str, key)), rows

    def front(self, room: int) -> list[Entry]:
        """The Pareto fronts of all GPUs and workloads, at most `room` trials; empty if there is a single objective."""
        objectives = [self.column(metric) for _, metric in self.spec.objectives]
        if len(objectives) < 2:
            return []
        front: list[Entry] = []
        for _, rows in self.cases(["number", *objectives]):
            rows = rows.dropna(subset=objectives)
            best = rows.iloc[pareto_front(rows[objectives].to_numpy(float) * self.spec.signs)]
            front += zip(best["gpu"].astype(str), best["number"].astype(int), strict=True)
        return evenly(front, room)
