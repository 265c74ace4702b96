"""See the package."""

from time import perf_counter

from benchmarks.figures import console, parser
from benchmarks.simulator.random_programs import __doc__ as description
from benchmarks.simulator.random_programs.comparison import differences
from benchmarks.simulator.random_programs.generator import program
from simcore import SimcoreError

GPUS = "a100-80gb,rtx3090,h200,b200,rtx5090"
"""One of each architecture."""


def main() -> None:
    """Run the programs and name those that differ."""
    command = parser(description)
    command.add_argument("--programs", type=int, default=1000)
    command.add_argument("--seed", type=int, default=1, help="of the first program; the others follow")
    command.add_argument("--gpu", default=GPUS)
    asked = command.parse_args()
    out, began, wrong = console(), perf_counter(), 0
    for seed in range(asked.seed, asked.seed + asked.programs):
        try:
            found = differences(program(seed), asked.gpu.split(","))
        except SimcoreError as error:
            found = [f"{type(error).__name__}: {error}"]
        wrong += bool(found)
        for line in found:
            out.print(f"program {seed}: {line}", soft_wrap=True)
    seconds = perf_counter() - began
    out.print(f"{asked.programs} programs on {asked.gpu}: {wrong} differ; {seconds:.0f} s")


if __name__ == "__main__":
    main()
