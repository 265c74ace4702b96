"""See the package."""

import argparse
from pathlib import Path

from benchmarks.simulator.random_flow import __doc__ as description


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    asked = _parser().parse_args()
    match asked.command:
        case "bundle":
            from benchmarks.simulator.random_flow.generator import cuda
            from benchmarks.simulator.random_programs.bundle import write_bundle

            write_bundle(asked.bundle, asked.seed, asked.programs, asked.gpu, cuda)
        case "run":
            from benchmarks.simulator.random_flow.silicon import run_bundle

            run_bundle(asked.bundle, asked.out)
        case "counters":
            from benchmarks.simulator.random_flow.silicon import BENCHMARK, count_warps
            from benchmarks.simulator.random_programs.silicon import count_bundle

            count_bundle(asked.bundle, asked.out, asked.programs, BENCHMARK)
            count_warps(asked.bundle, asked.out, asked.programs)
        case "launch":
            from benchmarks.simulator.random_flow.silicon import launch_apart, launch_first

            (launch_apart if asked.apart else launch_first)(asked.bundle, asked.programs)
        case "compare":
            from benchmarks.simulator.random_flow.comparison import compare

            compare(asked.bundle, asked.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    bundle = commands.add_parser("bundle", help="compile programs for a GPU machine")
    bundle.add_argument("--gpu", default="h200")
    bundle.add_argument("--seed", type=int, default=1, help="of the first program; the others follow")
    running = commands.add_parser("run", help="on the GPU: run all programs of a bundle")
    counters = commands.add_parser(
        "counters", help="on the GPU: count warp instructions under Nsight Compute"
    )
    launch = commands.add_parser("launch", help="what `counters` starts under the profiler")
    launch.add_argument("--apart", action="store_true", help="each warp alone")
    for command in (bundle, counters, launch):
        command.add_argument("--programs", type=int, default=500)
    compare = commands.add_parser("compare", help="execute a bundle in the simulator, and compare with a GPU")
    for command in (bundle, running, counters, launch, compare):
        command.add_argument("bundle", type=Path)
    for command in (running, counters, compare):
        command.add_argument("out", type=Path)
    return parser


if __name__ == "__main__":
    main()
