"""Where the time of a point goes: compiling, decoding, counting, timing; for the spaces of the catalog.

    python -m benchmarks.simulator.points [SPACE ...] [--points N] [--gpu a100-80gb,h100-sxm,b200]

One process evaluates some points of each space, as a worker does, with empty caches; the jitted core is compiled
beforehand. Times are of Python's profiler, whose own time counts, too.
"""

import cProfile
import pstats
from collections.abc import Iterator
from itertools import islice
from time import perf_counter

from rich.table import Table

from benchmarks.caches import empty_caches
from benchmarks.figures import console, figures, machine, parser
from dse.evaluation.evaluate import evaluate, prepare
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Task
from search_spaces import Space, catalog_names, load_space

PHASES = {
    "NVRTC": ("nvrtc.py", "translate"),
    "disassembler": ("disassembler.py", "disassemble"),
    "decoding": ("session.py", "_program"),
    "counting": ("counting.py", "count_instructions"),
    "timing": ("timing.py", "_run_sm"),
    "tracing": ("first_blocks.py", "trace_first_blocks"),
    "replay": ("replay.py", "fetched_by_all"),
    "outputs": ("outputs.py", "check_outputs"),
}
"""The file and the function of each; the disassembler is a part of decoding."""

UNASKED = "rtx4090"
"""A GPU of another architecture than those that are usually asked for."""


def main() -> None:
    """Evaluate, and print a row a space."""
    command = parser(__doc__)
    command.add_argument("spaces", nargs="*", help="names of the catalog, or folders; all of the catalog")
    command.add_argument("--points", type=int, default=4, help="of each space and GPU (default: 4)")
    command.add_argument("--gpu", default="a100-80gb,h100-sxm,b200")
    asked = command.parse_args()
    prepare()
    print(machine())
    gpus = asked.gpu.split(",")
    spaces = [load_space(name) for name in asked.spaces or catalog_names()]
    with empty_caches():
        measure([*tasks(spaces[0], 1, [UNASKED])])  # what a process does once is not of a point
        rows = {space.kernel: measure([*tasks(space, asked.points, gpus)]) for space in spaces}
    console().print(table(rows))


def tasks(space: Space, count: int, gpus: list[str]) -> Iterator[Task]:
    """Some points of a space, evenly spread, on each GPU."""
    step = max(space.count() // count, 1)
    for point in islice(space.points(), 0, count * step, step):
        for gpu in gpus:
            yield task_for(space, point, gpu)


def measure(points: list[Task]) -> dict[str, float]:
    """Seconds a point: of each phase, and of all."""
    profiler = cProfile.Profile()
    began = perf_counter()
    profiler.runcall(lambda: [evaluate(point) for point in points])
    found = {"all": (perf_counter() - began) / len(points)}
    functions = pstats.Stats(profiler).stats  # type: ignore[attr-defined]  # undeclared in typeshed
    for phase, (file, name) in PHASES.items():
        seconds = sum(
            cumulative
            for (path, _, function), (_, _, _, cumulative, _) in functions.items()
            if function == name and path.endswith(f"/{file}")
        )
        found[phase] = seconds / len(points)
    return found


def table(rows: dict[str, dict[str, float]]) -> Table:
    """Milliseconds a point, and points a second and core."""
    found = figures("Milliseconds a point", "space", "points/s", "all", *PHASES)
    mean = {name: sum(row[name] for row in rows.values()) / len(rows) for name in ("all", *PHASES)}
    for name, row in {**rows, "mean": mean}.items():
        numbers = (f"{row[phase] * 1e3:.0f}" for phase in ("all", *PHASES))
        found.add_row(name, f"{1 / row['all']:.1f}", *numbers)
    return found


if __name__ == "__main__":
    main()
