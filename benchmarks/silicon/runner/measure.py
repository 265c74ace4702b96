"""Measure kernel variants on a real GPU: the command line of this folder.

    python -m benchmarks.silicon.runner.measure bundle BUNDLE SPACE...   # anywhere: compile every point of spaces
    python -m benchmarks.silicon.runner.measure run BUNDLE OUT           # on the GPU: time every point
    python -m benchmarks.silicon.runner.measure counters BUNDLE OUT      # on the GPU: Nsight Compute's counters
    python -m benchmarks.silicon.runner.measure traffic BUNDLE OUT       # on the GPU: bytes and cycles, L2 warm
    python -m benchmarks.silicon.runner.measure sources BUNDLE OUT       # on the GPU: stalls of every instruction
    python -m benchmarks.silicon.runner.measure collect BUNDLE OUT FILE  # anywhere: one file of all

The GPU machine needs this folder, the bundle, numpy and cuda-bindings, and `ncu` for the counters.
"""

import argparse
from pathlib import Path


def main() -> None:
    """Parse the command line and run one of the six steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)

    bundle = steps.add_parser("bundle", help="compile the points of some spaces into a folder")
    bundle.add_argument("bundle", type=Path)
    bundle.add_argument("spaces", nargs="+", help="folders of spaces, or names of the catalog")
    bundle.add_argument("--gpu", default="h200", help="the GPU to compile for (default: h200)")

    run = steps.add_parser("run", help="time every point of a bundle")
    run.add_argument("bundle", type=Path)
    run.add_argument("out", type=Path)
    run.add_argument("--space", help="measure this space alone, in this process")
    run.add_argument("--first", type=int, default=0, help="with --space: the point to begin with")

    counters = steps.add_parser("counters", help="read Nsight Compute's counters of every point")
    counters.add_argument("bundle", type=Path)
    counters.add_argument("out", type=Path)
    counters.add_argument("--launches", type=Path, help="launch the points listed there, in this process")

    traffic = steps.add_parser("traffic", help="read what DRAM and L2 move, in one pass, into traffic.jsonl")
    traffic.add_argument("bundle", type=Path)
    traffic.add_argument("out", type=Path)

    sources = steps.add_parser("sources", help="read Nsight Compute's stalls of every instruction")
    sources.add_argument("bundle", type=Path)
    sources.add_argument("out", type=Path)

    merge = steps.add_parser("collect", help="merge plan, times and counters into one JSON-lines file")
    merge.add_argument("bundle", type=Path)
    merge.add_argument("out", type=Path)
    merge.add_argument("file", type=Path, help="`.jsonl`, or `.jsonl.gz` to compress")

    arguments = parser.parse_args()
    if arguments.step == "bundle":
        from benchmarks.silicon.runner.bundle import found, write_bundle

        write_bundle(arguments.bundle, found(arguments.spaces), arguments.gpu)
    elif arguments.step == "run":
        from benchmarks.silicon.runner.timing import time_bundle, time_space

        if arguments.space:
            time_space(arguments.bundle, arguments.out, arguments.space, arguments.first)
        else:
            time_bundle(arguments.bundle, arguments.out)
    elif arguments.step == "counters":
        from benchmarks.silicon.runner.counters import count_bundle, launch_points

        if arguments.launches:
            launch_points(arguments.bundle, arguments.launches)
        else:
            count_bundle(arguments.bundle, arguments.out)
    elif arguments.step == "traffic":
        from benchmarks.silicon.runner.counters import TRAFFIC, count_bundle

        count_bundle(arguments.bundle, arguments.out, TRAFFIC, "traffic")
    elif arguments.step == "sources":
        from benchmarks.silicon.runner.sources import read_sources

        read_sources(arguments.bundle, arguments.out)
    else:
        from benchmarks.silicon.runner.collect import collect

        collect(arguments.bundle, arguments.out, arguments.file)


if __name__ == "__main__":
    main()
