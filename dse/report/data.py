"""What the figures of a sweep are drawn from: its complete trials as a data frame, its answers, some whole trials."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from dse.answers.best import Best, find_best
from dse.answers.cases import Case, CaseKey, cases_of, is_sample
from dse.answers.failed_values import FailedValues, failed_values
from dse.answers.portability import Portability, find_portable
from dse.errors import InputError
from dse.service import Service, SweepStatus
from dse.store import SweepSpec, TrialQuery, TrialRecord, VariantRecord
from dse.store.records import Place
from dse.tables.text import shown, variant

#: Whole trials that are read of each GPU.
SAMPLED = 150


class ReportData:
    """A sweep as its figures see it; everything is read once, when it is first needed.

    Args:
        service: where the sweep is.
        sweep: its id.
        profiles: whether its best variants may be compiled and simulated again in this process.
    """

    def __init__(self, service: Service, sweep: str, profiles: bool = True) -> None:
        self._service = service
        self.sweep = sweep
        self.profiles = profiles

    @cached_property
    def status(self) -> SweepStatus:
        """The state of the sweep."""
        return self._service.status(self.sweep)

    @cached_property
    def spec(self) -> SweepSpec:
        """The specification of the sweep."""
        return self._service.spec(self.sweep)

    @cached_property
    def variants(self) -> list[VariantRecord]:
        """The complete trials."""
        return list(self._service.variants(self.sweep))

    @cached_property
    def winners(self) -> list[Best]:
        """The best of each GPU and workload."""
        return find_best(self.spec, self._cases, self.read)

    def speedup(self, trial: TrialRecord) -> float | None:
        """How many times faster a trial is than the first point of its workload."""
        return self._service.speedup(self.sweep, trial)

    @cached_property
    def failed_values(self) -> list[FailedValues]:
        """Values of parameters with which every point that was tried failed."""
        return failed_values(self.spec, self.trials)

    @cached_property
    def portability(self) -> Portability | str:
        """One variant for all, or the reason why there is none."""
        try:
            return find_portable(self.spec, self._cases)
        except InputError as error:
            return error.message

    @cached_property
    def _cases(self) -> dict[CaseKey, Case]:
        return cases_of(self.spec, self.variants)

    @property
    def varied(self) -> list[str]:
        """The parameters with more than one value, apart from the workload."""
        parameters = self.spec.parameters
        return [name for name in parameters if len(parameters[name]) > 1 and name not in self.spec.workload]

    @property
    def is_sample(self) -> bool:
        """Whether there are variants that nobody tried."""
        return is_sample(self.spec, self._cases)

    @property
    def objective(self) -> str:
        """The first objective, with its unit if that is known."""
        metric = self.spec.objectives[0][1]
        return "time (µs)" if metric == "time_us" else metric

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per complete trial, best first.

        Columns: `gpu`, `case` (GPU and workload), `number`, `point_index`, `value` (of the objective), `slowdown` (its
        ratio to the best of the case, 1 or more), `registers`, `code_bytes`, `occupancy`, `local_bytes`, each further
        objective by its name, and `parameters.<name>` as words in the order of the space.
        """
        spec = self.spec
        held = dict(zip(VariantRecord._fields, zip(*self.variants, strict=True), strict=True))
        columns: dict[str, object] = {"gpu": pd.Categorical(held["gpu"], spec.gpus)}
        for name in ("number", "point_index", "score"):
            columns[name] = np.array(held[name])
        further = [metric for _, metric in spec.objectives[1:]]
        columns |= zip(further, np.array(held["others"], float).T, strict=True)
        for name in ("registers", "code_bytes", "occupancy", "local_bytes"):
            columns[name] = np.array(held[name], float)
        points = held["parameters"]
        _, firsts, rows = np.unique(
            [*map(id, points)], return_index=True, return_inverse=True
        )  # GPUs share theirs
        for name, values in spec.parameters.items():
            place = {value: code for code, value in enumerate(values)}
            words = pd.CategoricalDtype([*map(shown, values)])
            codes = np.array([place[points[first][name]] for first in firsts])
            columns[column(name)] = pd.Categorical.from_codes(codes[rows], dtype=words)
        frame = pd.DataFrame(columns)
        case = frame["gpu"].cat.codes.astype(int)
        for name in spec.workload:
            case = case * len(spec.parameters[name]) + frame[column(name)].cat.codes
        every = [
            " ".join([gpu, variant(workload)]).strip() for gpu in spec.gpus for workload in spec.workloads
        ]
        frame["case"] = pd.Categorical.from_codes(case, dtype=pd.CategoricalDtype(every))
        best = frame.groupby("case", observed=True)["score"].transform("min")
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(best >= 0, frame["score"] / best, best / frame["score"])
        frame["slowdown"] = np.where(frame["score"] == best, 1.0, ratio)
        frame["value"] = -frame["score"] if spec.objectives[0][0] == "maximize" else frame["score"]
        return frame.sort_values(["slowdown", "case", "point_index"], ignore_index=True)

    @cached_property
    def cases(self) -> list[tuple[str, pd.DataFrame]]:
        """The rows of each GPU and workload, best first."""
        return [(str(case), rows) for case, rows in self.frame.groupby("case", observed=True)]

    @cached_property
    def sampled(self) -> list[TrialRecord]:
        """Whole trials: of each GPU the best, and an even spread of the others."""
        few = [thinned(rows, SAMPLED) for _, rows in self.frame.groupby("gpu", observed=True)]
        places = [rows[["gpu", "point_index"]].itertuples(index=False, name=None) for rows in few]
        return self.read([(str(gpu), int(index)) for each in places for gpu, index in each])

    def read(self, places: Sequence[Place]) -> list[TrialRecord]:
        """The whole trials at some places."""
        indices: defaultdict[str, list[int]] = defaultdict(list)
        for gpu, index in places:
            indices[gpu].append(index)
        return [
            trial
            for gpu, here in indices.items()
            for trial in self.trials(
                TrialQuery(f"gpu = '{gpu}' and point_index in ({', '.join(map(str, dict.fromkeys(here)))})")
            )
        ]

    def trials(self, query: TrialQuery) -> Iterator[TrialRecord]:
        """The trials that match a query."""
        return self._service.trials(self.sweep, query)

    def written(self, row: "pd.Series[str]") -> str:
        """The variant of a row in one line."""
        return " ".join(f"{name}={row[column(name)]}" for name in self.varied)


def column(parameter: str) -> str:
    """The column of a parameter in the frame."""
    return f"parameters.{parameter}"


def thinned(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """At most this many of rows that are sorted best first: half of them the best, the others evenly spread."""
    if len(rows) <= most:
        return rows
    best = most // 2
    spread = np.linspace(best, len(rows) - 1, most - best).astype(int)
    return rows.iloc[[*range(best), *spread]]
