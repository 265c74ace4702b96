"""What a sweep is: the answer to every question about its request."""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from dse.store.records.digests import hex_digest
from search_spaces import Point, Value
from search_spaces.fields import DEFAULT_SOURCE
from search_spaces.metrics import UserMetrics

#: Fields of a specification that digests and the database keep in a separate mapping.
EXTRA_FIELDS = ("source_file", "headers", "sampler_asked")
#: The same, but only where there are any, so that sweeps without them keep their digest.
ADDED_FIELDS = ("files", "metrics", "values", "search", "profiles")


@dataclass(frozen=True)
class SweepSpec:
    """The specification of a sweep: sufficient to run it on another machine.

    Attributes:
        name: the space's kernel.
        space_yaml: text of the space file.
        source: text of the kernel's source file.
        gpus: GPU names, in the requested order.
        parameters: every parameter's values, overrides applied, in file order.
        workload: the parameters that describe the problem size; each workload has its own best variant.
        objectives: (direction, metric) pairs, direction `minimize` or `maximize`; the first ranks the trials.
        sampler: `exhaustive`, or the name of the sampler that chooses the points.
        seed: seed of the sampler.
        trials: maximum number of trials; None means every valid point.
        timeout_s: seconds of wall clock; None means no limit.
        total: number of trials over all GPUs if nothing stops the sweep.
        source_file: name of the source in compiler messages.
        headers: texts of the files that the source includes, by their names there.
        sampler_asked: the requested sampler, even if the search is exhaustive; None if not given.
        files: the space's .npy files and its source if that is a binary, by name, in base64.
        metrics: metrics of the user's own: expressions, by name.
        values: the space's named expressions, if there are such metrics.
        search: settings of the search that differ from the defaults, as `dse.search.SearchSettings` stores them.
        profiles: for each GPU with a name of somebody's own, the known GPU with overrides that it stands for.
    """

    name: str
    space_yaml: str
    source: str
    gpus: tuple[str, ...]
    parameters: Mapping[str, tuple[Value, ...]]
    workload: tuple[str, ...] = ()
    objectives: tuple[tuple[str, str], ...] = (("minimize", "time_us"),)
    sampler: str = "exhaustive"
    seed: int = 0
    trials: int | None = None
    timeout_s: float | None = None
    total: int = 0
    source_file: str = DEFAULT_SOURCE
    headers: Mapping[str, str] = field(default_factory=dict)
    sampler_asked: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Any]:
        """The fields in the form of digests and the database: `total` is `planned`, newer ones are in `extra`."""
        asked = asdict(self)
        asked["planned"] = asked.pop("total")
        asked["extra"] = {name: asked.pop(name) for name in EXTRA_FIELDS}
        added = {name: asked.pop(name) for name in ADDED_FIELDS}
        asked["extra"] |= {name: value for name, value in added.items() if value}
        return asked

    @property
    def question(self) -> str:
        """The hex digest of the request; without `total`, which follows from the rest."""
        asked = self.asked
        del asked["planned"]
        return hex_digest(asked)

    @cached_property
    def space_digest(self) -> str:
        """The hex digest of the space and its files, which tells apart versions of a kernel with one name."""
        return hex_digest(
            [self.space_yaml, self.source, self.source_file, dict(self.headers), dict(self.files)]
        )

    @property
    def is_exhaustive(self) -> bool:
        """Whether every valid point is tried."""
        return self.sampler == "exhaustive"

    @cached_property
    def user_metrics(self) -> UserMetrics:
        """The metrics of the user's own."""
        return UserMetrics(self.metrics, self.values)

    @property
    def signs(self) -> list[float]:
        """By what the values of the objectives are multiplied so that lower is better; a score needs no sign."""
        return signs(direction for direction, _ in self.objectives)

    @property
    def ratio_in_words(self) -> str:
        """The ratio by which trials are behind the best: `time over the best`, `the best over gflops`."""
        direction, metric = self.objectives[0]
        if direction == "maximize":
            return f"the best over {metric}"
        return f"{'time' if metric == 'time_us' else metric} over the best"

    def machine(self, gpu: str) -> str:
        """What one of its GPUs is: a known one, with overrides perhaps."""
        return self.profiles.get(gpu, gpu)

    def made_from(self, gpu: str) -> str:
        """The known GPU that one of its GPUs is made from, which is itself for one without overrides."""
        return self.machine(gpu).partition(",")[0]

    @property
    def described_gpus(self) -> str:
        """The GPUs, those with a name of somebody's own with what they stand for."""
        return ", ".join(
            f"{gpu} ({self.profiles[gpu]})" if gpu in self.profiles else gpu for gpu in self.gpus
        )

    @property
    def workloads(self) -> list[dict[str, Value]]:
        """Every combination of the workload parameters' values; a single empty one without workload."""
        combinations = product(*(self.parameters[name] for name in self.workload))
        return [dict(zip(self.workload, values, strict=True)) for values in combinations]

    def workload_of(self, parameters: Point) -> dict[str, Value]:
        """The workload of a point."""
        return {name: parameters[name] for name in self.workload}

    def chosen_of(self, parameters: Point) -> dict[str, Value]:
        """What a search chooses of a point: all but its workload."""
        return {name: value for name, value in parameters.items() if name not in self.workload}


def signs(directions: Iterable[str]) -> list[float]:
    """By what values are multiplied so that lower is better."""
    return [1.0 if direction == "minimize" else -1.0 for direction in directions]


def metric_label(name: str, parameters: Container[str]) -> str:
    """The name of a metric in a row that also has these parameters."""
    return f"metrics.{name}" if name in parameters else name


def workload_key(names: Sequence[str], parameters: Point) -> str:
    """The workload of a point as text, as in `trials.workload`."""
    return json.dumps([parameters[name] for name in names])
