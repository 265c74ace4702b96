"""How far two predictions must lie apart before their order can be trusted, and what measuring a few variants gains.

    python -m benchmarks.simulator.ties [--gpu h200,h100-sxm] [--families saxpy,dot] [--worst N]

For the catalog and the families that do a fixed amount of work, as measured on a GPU, it predicts each variant and asks
by how much the predicted time of the GPU's fastest variant exceeds that of the predicted fastest. The tolerance is the
smallest whole percentage within which the GPU's fastest variant is in 95 % of the cases. A case is a kernel with one
problem: variants that do different work have nothing to be compared with. Families whose work grows with their grid or
their block, and cases of fewer than four variants, are left out. `dse.answers.tolerance` has the tolerances.

The columns `best of 3` and `best of 5` say how much slower the fastest of the variants that `dse measure-list` proposes
is than the fastest of all, on average and at worst, in the cases with at least twice as many variants.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import mean

from benchmarks.figures import console, figures, parser
from dse.answers.measuring import to_measure
from dse.store import VariantRecord
from simcore import load_gpu
from simcore.validation import Measurement, Prediction, predict_all, read_measurements

MEASURED = Path(__file__).parents[2] / "tests" / "silicon"
FILES = ("catalog.jsonl.gz", "families.jsonl.gz")
COVERAGE = 0.95
FEWEST_VARIANTS = 4
MEASURED_VARIANTS = (3, 5)

#: The parameters that change what a kernel computes, of each family with at least one other parameter.
PROBLEMS: Mapping[str, Sequence[str]] = {
    "async_matmul": ("size",),
    "block_stride": (),
    "collatz": ("threads",),
    "convolution_argument": ("taps",),
    "convolution_constant": ("filter",),
    "copy": ("size",),
    "dot": (),
    "fma_chain": (),
    "fp64_polynomial": ("degree",),
    "gather": ("table",),
    "global_atomics": ("spread",),
    "histogram": ("bins",),
    "histogram_private": ("bins",),
    "integer_hash": ("wide", "rounds"),
    "layer_norm": ("columns",),
    "mandelbrot": ("limit",),
    "matmul_naive": ("size",),
    "matmul_register": (),
    "matmul_tiled": ("size",),
    "matmul_vector": (),
    "matrix_vector": ("columns",),
    "nbody": (),
    "nbody_global": (),
    "reduction_atomic": (),
    "reduction_tree": (),
    "rsqrt_chain": ("n",),
    "saxpy": ("size",),
    "scan_shared": ("size",),
    "scan_warp": ("size",),
    "softmax_block": ("columns",),
    "softmax_warp": ("columns",),
    "sparse_rows": ("longest", "rows"),
    "stencil_2d": ("size",),
    "stencil_3d": (),
    "sum_reduction": (),
    "transpose_naive": ("size",),
    "transpose_shared": ("size",),
    "triad": (),
}


@dataclass(frozen=True)
class Case:
    """The variants of one kernel that solve one problem on one GPU.

    Attributes:
        name: kernel and problem.
        variants: measured and predicted.
    """

    name: str
    variants: Sequence[Prediction]

    @property
    def needed(self) -> float:
        """By how much the GPU's fastest variant exceeds the predicted fastest, in predicted time."""
        fastest = min(self.variants, key=lambda variant: variant.measurement.time_us)
        return fastest.time_us / self._predicted_best - 1

    def share(self, tolerance: float) -> float:
        """The share of the variants within a tolerance."""
        limit = self._predicted_best * (1 + tolerance)
        return sum(variant.time_us <= limit for variant in self.variants) / len(self.variants)

    def left(self, count: int) -> float:
        """How much slower the fastest of so many measured variants is than the fastest of all."""
        values = {
            name: sorted({v.measurement.parameters[name] for v in self.variants}, key=str)
            for name in self.variants[0].measurement.parameters
        }
        records = [
            VariantRecord("", place, place, variant.measurement.parameters, variant.time_us)
            for place, variant in enumerate(self.variants)
        ]
        times = [variant.measurement.time_us for variant in self.variants]
        return min(times[each.number] for each in to_measure(records, values, count)) / min(times) - 1

    @property
    def _predicted_best(self) -> float:
        return min(variant.time_us for variant in self.variants)


def main() -> None:
    """Print the tolerance of each GPU."""
    command = parser(__doc__)
    command.add_argument("--gpu", default="h200,h100-sxm")
    command.add_argument("--families", default=",".join(PROBLEMS), help="only these")
    command.add_argument("--worst", type=int, default=5, help="number of cases to list that need most")
    command.add_argument("--jobs", type=int, default=1)
    asked = command.parse_args()
    headings = [f"best of {count}" for count in MEASURED_VARIANTS]
    table = figures(
        None, "GPU", "profile", "cases", "tolerance", "holds the fastest", "share of variants", *headings
    )
    for gpu in asked.gpu.split(","):
        cases = cases_of(gpu, asked.families.split(","), asked.jobs)
        tolerance = smallest(cases)
        held = sum(case.needed <= tolerance for case in cases)
        share = sum(case.share(tolerance) for case in cases) / len(cases)
        row = (str(len(cases)), f"{tolerance:.0%}", f"{held} of {len(cases)}", f"{share:.0%}")
        table.add_row(gpu, load_gpu(gpu).label, *row, *(_left(cases, count) for count in MEASURED_VARIANTS))
        for case in sorted(cases, key=lambda case: -case.needed)[: asked.worst]:
            console().print(f"{gpu}: {case.name} needs {case.needed:.1%}, {len(case.variants)} variants")
    console().print(table)


def cases_of(gpu: str, families: Iterable[str], jobs: int) -> list[Case]:
    """The measured cases of a GPU, predicted."""
    contents = [read_measurements(MEASURED / gpu / file) for file in FILES]
    wanted = {family: PROBLEMS[family] for family in families}
    measured = [each for content in contents for each in content.measurements if each.family in wanted]
    found: defaultdict[str, list[Prediction]] = defaultdict(list)
    for outcome in predict_all(measured, gpu, jobs):
        if isinstance(outcome, Prediction):
            found[_name(outcome.measurement)].append(outcome)
    return [Case(name, variants) for name, variants in found.items() if len(variants) >= FEWEST_VARIANTS]


def smallest(cases: Sequence[Case]) -> float:
    """The smallest whole percentage that holds the GPU's fastest variant in 95 % of the cases."""
    needed = sorted(case.needed for case in cases)
    return ceil(needed[ceil(COVERAGE * len(needed)) - 1] * 100) / 100


def _left(cases: Sequence[Case], count: int) -> str:
    """What is left to gain after measuring so many variants: on average, and at worst."""
    left = [case.left(count) for case in cases if len(case.variants) >= 2 * count]
    return f"{mean(left):.2%}, {max(left):.1%}" if left else "-"


def _name(measurement: Measurement) -> str:
    problem = (f"{name}={measurement.parameters[name]}" for name in PROBLEMS[measurement.family])
    return " ".join([measurement.family, *problem])


if __name__ == "__main__":
    main()
