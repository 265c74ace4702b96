"""See the package."""

import argparse
import json
from collections import Counter
from pathlib import Path
from subprocess import run
from time import perf_counter

from benchmarks.simulator.random_programs import __doc__ as description

GPUS = "a100-80gb,rtx3090,h200,b200,rtx5090"
"""One of each architecture."""


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    asked = _parser().parse_args()
    match asked.command:
        case "architectures":
            _architectures(asked.seed, asked.programs, asked.gpu.split(","))
        case "bundle":
            from benchmarks.simulator.random_programs.bundle import write_bundle

            write_bundle(asked.bundle, asked.seed, asked.programs, asked.gpu)
        case "run":
            from benchmarks.simulator.random_programs.silicon import run_bundle

            run_bundle(asked.bundle, asked.out, asked.whole, asked.only)
        case "counters":
            from benchmarks.simulator.random_programs.silicon import count_bundle

            count_bundle(asked.bundle, asked.out, asked.programs)
        case "launch":
            from benchmarks.simulator.random_programs.silicon import launch_first

            launch_first(asked.bundle, asked.programs)
        case "compare":
            _compare(asked.bundle, asked.out, asked.jobs, asked.record)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    across = commands.add_parser("architectures", help="in the simulator, and with g++")
    across.add_argument("--gpu", default=GPUS)
    bundle = commands.add_parser("bundle", help="compile programs for a GPU machine")
    bundle.add_argument("--gpu", default="h200")
    for command in (across, bundle):
        command.add_argument("--programs", type=int, default=1000)
        command.add_argument("--seed", type=int, default=1, help="of the first program; the others follow")
    running = commands.add_parser("run", help="on the GPU: run all programs of a bundle")
    running.add_argument(
        "--whole", type=int, default=2000, help="programs whose outputs are kept as they are"
    )
    running.add_argument("--only", type=int, nargs="*", metavar="SEED", help="run only these")
    counters = commands.add_parser(
        "counters", help="on the GPU: count warp instructions under Nsight Compute"
    )
    launch = commands.add_parser("launch", help="what `counters` starts under the profiler")
    for command in (counters, launch):
        command.add_argument("--programs", type=int, default=500)
    compare = commands.add_parser("compare", help="execute a bundle in the simulator, and compare with a GPU")
    compare.add_argument("--jobs", type=int, default=1)
    compare.add_argument(
        "--record",
        type=Path,
        help="a file that notes each program compared, and the commit; what it holds is not compared again",
    )
    for command in (bundle, running, counters, launch, compare):
        command.add_argument("bundle", type=Path)
    for command in (running, counters, compare):
        command.add_argument("out", type=Path)
    return parser


def _architectures(first: int, programs: int, gpus: list[str]) -> None:
    from benchmarks.simulator.random_programs.comparison import differences
    from benchmarks.simulator.random_programs.generator import program
    from simcore import SimcoreError

    began, wrong = perf_counter(), 0
    for seed in range(first, first + programs):
        try:
            found = differences(program(seed), gpus)
        except SimcoreError as error:
            found = [f"{type(error).__name__}: {error}"]
        wrong += bool(found)
        for line in found:
            print(f"program {seed}: {line}", flush=True)
    print(f"{programs} programs on {','.join(gpus)}: {wrong} differ; {perf_counter() - began:.0f} s")


def _compare(bundle: Path, out: Path, jobs: int, record: Path | None) -> None:
    from benchmarks.simulator.random_programs.against_silicon import APPROXIMATE, compare

    began, commit = perf_counter(), _commit()
    lines = record.read_text().splitlines() if record and record.exists() else []
    found = [json.loads(line) for line in lines]
    for seed, differs in compare(bundle, out, jobs, {one["program"] for one in found}):
        found.append({"program": seed, "commit": commit, "differs": differs})
        for line in differs or ():
            print(f"program {seed}: {line}", flush=True)
        if record:
            with record.open("a") as file:
                file.write(json.dumps(found[-1]) + "\n")
        if len(found) % 100 == 0:
            print(f"{len(found)} programs, {perf_counter() - began:.0f} s", flush=True)
    differs = [one["differs"] for one in found]
    by_commit = ", ".join(f"{n} at {at}" for at, n in Counter(one["commit"] for one in found).items())
    print(
        f"{len(found)} programs ({by_commit}): {sum(map(bool, differs))} differ from the GPU, "
        f"{sum(any(not line.startswith(APPROXIMATE) for line in one or ()) for one in differs)} without a word, "
        f"{sum(one is None for one in differs)} compute with what they never wrote; {perf_counter() - began:.0f} s"
    )


def _commit() -> str:
    said = run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return said.stdout.strip()


if __name__ == "__main__":
    main()
