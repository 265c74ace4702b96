"""Exhaustive tables: a space, and the measured time of every valid point of it on one GPU."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from search_spaces import Point, Space, load_space

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SILICON = ROOT / "tests" / "silicon"

#: The large space, whose table is here, by GPU.
LARGE = HERE / "matrix_product"
LARGE_GPU = "h100-sxm"
#: Measured spaces, by file; a space with workloads has a table for each.
MEASURED = {
    "catalog": ("sum_reduction", "dot", "fma_chain", "rsqrt_chain"),
    "experiments": (
        *("sgemm", "smith_waterman", "stencil_2d", "index_math", "spmv", "softmax", "histogram", "transpose"),
    ),
    "experiments_second": ("attention", "matmul_inner", "layer_norm", "scan"),
}
#: Smaller tables leave nothing to search; some of Kernel Tuner's strategies draw so many points before they begin.
FEWEST = 20
GPUS = ("h200", "h100-sxm")


@dataclass(frozen=True)
class Table:
    """One study's points and their times.

    Attributes:
        name: of the kernel, with its workload.
        gpu: where it was measured.
        space: the space at that workload.
        times: microseconds by point index; None for a point that fails.
        descending: whether the values of a parameter are listed from the last to the first.
    """

    name: str
    gpu: str
    space: Space
    times: Mapping[int, float | None]
    descending: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.gpu}"

    def __len__(self) -> int:
        return len(self.times)

    @cached_property
    def optimum(self) -> float:
        """The time of the fastest point."""
        return min(time for time in self.times.values() if time is not None)

    def time(self, point: Point) -> float | None:
        """The time of a valid point."""
        return self.times[self.space.index(point)]

    def in_reverse_order(self) -> "Table":
        """The same table with each parameter's values listed in the reverse order."""
        parameters = {name: values[::-1] for name, values in self.space.parameters.items()}
        space = replace(self.space, parameters=parameters)
        times = {space.index(point): self.time(point) for point in space.points()}
        return Table(self.name, self.gpu, space, times, not self.descending)


def tables() -> list[Table]:
    """Every table that is large enough, the largest first."""
    found = [large_table()]
    for gpu in GPUS:
        for file, names in MEASURED.items():
            records = list(_records(SILICON / gpu / f"{file}.jsonl.gz"))
            for name in names:
                found += _tables(name, gpu, records)
    return sorted((table for table in found if len(table) >= FEWEST), key=len, reverse=True)


def large_table() -> Table:
    """The large space, as `benchmarks.search.measure` timed it on a GPU."""
    space = load_space(LARGE)
    lines = gzip.decompress((LARGE / f"{LARGE_GPU}.csv.gz").read_bytes()).decode().split()
    times = {
        space.index(point): float(line) if line != "failed" else None
        for point, line in zip(space.points(), lines, strict=True)
    }
    return Table(space.name, LARGE_GPU, space, times)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as file:
        yield from (json.loads(line) for line in file)


def _tables(name: str, gpu: str, records: list[dict[str, Any]]) -> Iterator[Table]:
    space = load_space(name)
    by_point = {
        json.dumps(record["parameters"], sort_keys=True): record.get("time_us")
        for record in records
        if record.get("space") == name
    }
    for workload in space.workloads():
        part = space.at_workload(workload)
        times = {
            part.index(point): by_point.get(json.dumps(dict(point), sort_keys=True))
            for point in part.points()
        }
        words = " ".join([name, *(f"{key}={value}" for key, value in workload.items())])
        yield Table(words, gpu, part, times)
