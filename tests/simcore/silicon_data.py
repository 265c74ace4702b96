"""What an H200 did: the points measured by `benchmarks/silicon`, and how to launch the same ones here."""

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from simcore import Buffer, compile_cuda
from simcore.launch import Argument

FOLDER = Path(__file__).parents[1] / "silicon" / "h200"
GPU = "h200"


@dataclass(frozen=True, repr=False)
class Measured:
    """One measured launch: a record of the file, and the text of its kernel."""

    record: dict[str, Any]
    source: str

    def __repr__(self) -> str:
        return f"{self.space}-{self.record['index']}"

    @property
    def space(self) -> str:
        return str(self.record["space"])

    @property
    def executed(self) -> int:
        """Warp instructions, as Nsight Compute counted them."""
        return int(self.record["counters"]["smsp__inst_executed.sum"])

    @property
    def time_us(self) -> float:
        return float(self.record["time_us"])

    def cubin(self, gpu: str = GPU) -> bytes:
        return compile_cuda(self.source, gpu, self.record["defines"], self.record["register_cap"])

    def launch(self, gpu: str = GPU) -> dict[str, Any]:
        """Cubin, shape and buffers, as keywords of `simulate`."""
        return {
            "cubin": self.cubin(gpu),
            "grid": self.record["grid"],
            "block": self.record["block"],
            "arguments": [_argument(a) for a in self.record["arguments"]],
            "gpu": gpu,
            "dynamic_shared_bytes": self.record["dynamic_shared_bytes"],
        }

    def fresh_launch(self, gpu: str = GPU) -> dict[str, Any]:
        """The same with numpy arrays in place of buffers, for `execute` to write to."""
        launch = self.launch(gpu)
        launch["arguments"] = [
            a.materialise().copy() if isinstance(a, Buffer) else a for a in launch["arguments"]
        ]
        return launch


@cache
def measured(name: str) -> tuple[Measured, ...]:
    """All the points of one file, `catalog` or `families`."""
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt") as file:
        header, *records = map(json.loads, file)
    sources = header["header"]["sources"]
    return tuple(Measured(record, sources[record["space"]]) for record in records)


def smallest_of_each(points: Iterable[Measured], most_instructions: float) -> list[Measured]:
    """The point of each space that executes least, where that is little enough."""
    smallest: dict[str, Measured] = {}
    for point in points:
        if point.space not in smallest or point.executed < smallest[point.space].executed:
            smallest[point.space] = point
    return [p for p in smallest.values() if p.executed <= most_instructions]


def _argument(entry: dict[str, Any]) -> Argument:
    if entry["kind"] == "value":
        return np.dtype(entry["dtype"]).type(entry["value"])
    return Buffer(entry["dtype"], entry["elements"], entry["fill"], entry["seed"], entry["high"] or 0)
