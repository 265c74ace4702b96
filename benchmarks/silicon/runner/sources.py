"""Where the warps of each point of a bundle stall, by Nsight Compute's source page: samples of every instruction."""

import csv
import gzip
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.silicon.runner import MEASURE
from benchmarks.silicon.runner.counters import PROFILER

SOURCES = (
    *("--section", "SourceCounters", "--warp-sampling-interval", "0"),
    *("--page", "source", "--print-source", "sass"),
)
STALL, NOT_ISSUED = "stall_", "(Not Issued)"
COLUMNS = ("space", "parameters", "instruction", "source", "executed", "stall", "samples")


def read_sources(bundle: Path, out: Path) -> None:
    """Profile all points of a bundle in one process, into `out/sources.csv.gz`: a row for each reason for which an
    instruction was seen to stall (`selected`: to issue)."""
    out.mkdir(parents=True, exist_ok=True)
    spaces = {
        space["space"]: space["points"] for space in json.loads((bundle / "plan.json").read_text())["spaces"]
    }
    launches = out / "chunk.json"
    launches.write_text(
        json.dumps([[space, place] for space, points in spaces.items() for place in range(len(points))])
    )
    command = [*PROFILER, *SOURCES, *MEASURE, "counters", str(bundle), str(out), "--launches", str(launches)]
    page = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    done = [json.loads(line) for line in launches.with_suffix(".done").read_text().splitlines()]
    with gzip.open(out / "sources.csv.gz", "wt", newline="") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for (space, place), kernel in zip(done, kernels(page), strict=True):
            table.writerows(_rows(space, spaces[space][place]["parameters"], kernel))
    print(f"{len(done)} of {sum(map(len, spaces.values()))} points")


def kernels(page: str) -> Iterator[list[dict[str, str]]]:
    """The rows of each profiled launch, an instruction each."""
    for kernel in page.split('"Kernel Name"')[1:]:
        yield list(csv.DictReader(line for line in kernel.splitlines()[1:] if line.startswith('"')))


def _rows(space: str, parameters: dict[str, Any], kernel: list[dict[str, str]]) -> Iterator[tuple[Any, ...]]:
    point = " ".join(f"{name}={value}" for name, value in parameters.items())
    for instruction, row in enumerate(kernel):
        for column, samples in row.items():
            if column.startswith(STALL) and NOT_ISSUED not in column and int(samples or 0):
                reason = column.removeprefix(STALL)
                source = " ".join(row["Source"].split())
                yield (
                    space,
                    point,
                    instruction,
                    source,
                    int(row["Instructions Executed"]),
                    reason,
                    int(samples),
                )
