"""Time every point of the large space on a GPU: on a machine that has one, with CuPy, and nothing of this project.

    python -m benchmarks.search.measure plan PLAN              # here
    python measure.py run PLAN TIMES                           # there, with this file alone
    python -m benchmarks.search.measure collect TIMES GPU      # here again

Each point is compiled there with CuPy's NVRTC, a process on each core. A time is the median of three batches of ten
launches, after two; a product that differs from the vendor's library is no time.
"""

import argparse
import csv
import gzip
import json
import random
import statistics
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

LAUNCHES, BATCHES, WARM = 10, 3, 2
#: Largest difference from the vendor's product: sums of 1,024 products of numbers up to 1.
TOLERANCE = 0.01


def write_plan(path: Path) -> None:
    """Write what the other machine needs: the source, and for each point its macros and its launch."""
    from benchmarks.search.tables import LARGE
    from search_spaces import load_space

    space = load_space(LARGE)
    points = [
        {
            "index": space.index(point),
            "defines": space.defines(point),
            "register_cap": space.register_cap(point),
            "grid": space.launch(point).grid,
            "block": space.launch(point).block,
        }
        for point in space.points()
    ]
    random.Random(0).shuffle(points)  # so that a change of the clock does not look like a parameter's effect
    path.write_text(json.dumps({"kernel": space.kernel, "source": space.source, "points": points}))
    print(f"{path}: {len(points)} points")


def time_points(plan_path: Path, times_path: Path) -> None:
    """Compile and time the points of a plan on this machine's GPU."""
    import cupy

    plan = json.loads(plan_path.read_text())
    points = plan["points"]
    with ProcessPoolExecutor() as pool, times_path.open("w") as file:
        cubins = pool.map(_compiled, [plan["source"]] * len(points), points, chunksize=8)
        generator = cupy.random.default_rng(0)
        a, b = (generator.random((1024, 1024), dtype=cupy.float32) for _ in range(2))
        writer = csv.writer(file)
        writer.writerow(["index", "time_us", "error"])
        for point, cubin in zip(points, cubins, strict=True):
            try:
                writer.writerow(
                    [point["index"], f"{_microseconds(cubin, plan['kernel'], point, a, b):.2f}", ""]
                )
            except Exception as error:
                writer.writerow([point["index"], "", str(error).splitlines()[0]])


def collect(times_path: Path, gpu: str) -> None:
    """Write the times as the table that the benchmark reads."""
    from benchmarks.search.tables import LARGE
    from search_spaces import load_space

    space = load_space(LARGE)
    with times_path.open() as file:
        times = {int(row["index"]): row["time_us"] or "failed" for row in csv.DictReader(file)}
    lines = [times[space.index(point)] for point in space.points()]
    (LARGE / f"{gpu}.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", 9, mtime=0))


def _compiled(source: str, point: dict[str, Any]) -> bytes | str:
    """A point's cubin for a Hopper GPU, or what the compiler says."""
    from cupy.cuda import nvrtc

    options = ["--gpu-architecture=sm_90", *(f"-D{name}={value}" for name, value in point["defines"].items())]
    if point["register_cap"]:
        options.append(f"--maxrregcount={point['register_cap']}")
    program = nvrtc.createProgram(source, "kernel.cu", (), ())
    try:
        nvrtc.compileProgram(program, tuple(options))
        return bytes(nvrtc.getCUBIN(program))
    except nvrtc.NVRTCError as error:
        return str(error)


def _microseconds(cubin: bytes | str, kernel: str, point: dict[str, Any], a: Any, b: Any) -> float:
    """The time of one launch; ValueError if there is no cubin, or if the product is wrong."""
    import cupy

    if isinstance(cubin, str):
        raise ValueError(cubin)
    module = cupy.cuda.function.Module()
    module.load(cubin)
    function, c, n = module.get_function(kernel), cupy.zeros_like(a), cupy.int32(len(a))
    launch = (tuple(point["grid"]), tuple(point["block"]), (a, b, c, n, n))
    for _ in range(WARM):
        function(*launch)
    if float(cupy.abs(c - a @ b).max()) > TOLERANCE:
        raise ValueError("wrong product")
    batches = []
    for _ in range(BATCHES):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(LAUNCHES):
            function(*launch)
        end.record()
        end.synchronize()
        batches.append(cupy.cuda.get_elapsed_time(begin, end) * 1000 / LAUNCHES)
    return float(statistics.median(batches))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, names in (("plan", ("plan",)), ("run", ("plan", "times")), ("collect", ("times",))):
        command = verbs.add_parser(verb)
        for name in names:
            command.add_argument(name, type=Path)
        if verb == "collect":
            command.add_argument("gpu")
    arguments = parser.parse_args()
    if arguments.verb == "plan":
        write_plan(arguments.plan)
    elif arguments.verb == "run":
        time_points(arguments.plan, arguments.times)
    else:
        collect(arguments.times, arguments.gpu)


if __name__ == "__main__":
    main()
