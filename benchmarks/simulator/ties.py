"""How far two predictions must lie apart before their order can be trusted, and what measuring a few variants gains.

    python -m benchmarks.simulator.ties [--gpu h200,h100-sxm] [--families saxpy,dot] [--worst N]

For the catalog and the families that do a fixed amount of work, as measured on a GPU, it predicts each variant and asks
by how much the predicted time of the GPU's fastest variant exceeds that of the predicted fastest. The tolerance is the
smallest whole percentage within which the GPU's fastest variant is in 95 % of the cases. A case is a kernel with one
problem: variants that do different work have nothing to be compared with. Families whose work grows with their grid or
their block, and cases of fewer than four variants, are left out. `dse.answers.tolerance` has the tolerances.

The columns `best of 3` and `best of 5` say how much slower the fastest of the variants that `dse measure-list` proposes
is than the fastest of all, on average and at worst, in the cases with at least twice as many variants.

The second table is about `dse calibrate` with the times of 3, 5 and 8 of these: the error of the others before and
after, the share of them whose interval holds the measured time, and how much slower than the fastest variant the one
to take is. The halves are those of `split.yaml`; `validation` has the catalog, too.

The third is about one GPU against another: how far the predicted ratio of the fastest times is from the measured one,
in the cases that were measured on both.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil
from pathlib import Path
from statistics import mean
from typing import Any

from rich.table import Table

from benchmarks.figures import console, figures, parser
from dse.answers.calibration import calibrated
from dse.answers.cases import Case as VariantsOfACase
from dse.answers.cases import Variant
from dse.answers.measuring import to_measure
from dse.answers.similarity import TYPICAL, Errors
from dse.store import VariantRecord
from simcore import load_gpu, read_kernel
from simcore.validation import Measurement, Prediction, predict_all, read_measurements, read_split

MEASURED = Path(__file__).parents[2] / "tests" / "silicon"
SPLIT = Path(__file__).parents[1] / "silicon" / "split.yaml"
FILES = ("catalog.jsonl.gz", "families.jsonl.gz")
COVERAGE = 0.95
FEWEST_VARIANTS = 4
MEASURED_VARIANTS = (3, 5)
CALIBRATED_VARIANTS = (3, 5, 8)

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
class Gain:
    """What a calibration does to a case, as fractions.

    Attributes:
        before, after: the mean error of the variants that are not measured.
        held: the share of them whose interval holds the measured time.
        regret_before, regret_after: how much slower than the fastest variant the one ranked first is.
    """

    before: float
    after: float
    held: float
    regret_before: float
    regret_after: float


@dataclass(frozen=True)
class Case:
    """The variants of one kernel that solve one problem on one GPU.

    Attributes:
        gpu: its name.
        name: kernel and problem.
        variants: measured and predicted.
    """

    gpu: str
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

    def left(self, count: int, errors: Errors = TYPICAL) -> float:
        """How much slower the fastest of so many measured variants is than the fastest of all."""
        times = [variant.measurement.time_us for variant in self.variants]
        return min(times[each.number] for each in self._to_measure(count, errors)) / min(times) - 1

    def calibrated(self, count: int) -> "Gain":
        """What measuring so many variants says of the others."""
        records, measured = self.records, [variant.measurement.time_us for variant in self.variants]
        known: dict[Variant, float] = {
            (each.number,): measured[each.number] for each in self._to_measure(count)
        }
        case = VariantsOfACase("", {}, {(each.number,): each for each in records})
        found = calibrated(case, self.metrics_of, known)
        others = [each for each in found.variants if each.measured_us is None]
        true = [measured[each.trial.number] for each in others]
        pairs = list(zip(others, true, strict=True))
        return Gain(
            before=mean(abs(each.trial.score / time - 1) for each, time in pairs),
            after=mean(abs(each.time_us / time - 1) for each, time in pairs),
            held=mean(each.low_us <= time <= each.high_us for each, time in pairs),
            regret_before=measured[min(records, key=lambda each: each.score).number] / min(measured) - 1,
            regret_after=measured[found.best.trial.number] / min(measured) - 1,
        )

    def _to_measure(self, count: int, errors: Errors = TYPICAL) -> list[VariantRecord]:
        return to_measure(self.records, self.metrics_of, count, errors)

    def metrics_of(self, some: Sequence[VariantRecord]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The metrics of variants, as predicted, that say how they load the GPU; by number."""
        names = ("time_us", "theoretical_occupancy", "achieved_occupancy", "utilisation")
        for number in (each.number for each in some):
            variant = self.variants[number]
            blocks = {"blocks_per_sm": variant.measurement.blocks_per_sm}
            yield number, {name: getattr(variant, name) for name in names} | blocks

    @cached_property
    def records(self) -> list[VariantRecord]:
        """The variants as a sweep would store them, with the predicted times."""
        return [
            VariantRecord(
                *("", place, place, variant.measurement.parameters, variant.time_us),
                registers=variant.measurement.registers,
                code_bytes=_code_bytes(variant.measurement, self.gpu),
            )
            for place, variant in enumerate(self.variants)
        ]

    def predicted_ratio(self, other: "Case") -> float:
        """How many times faster the other GPU is with its fastest variant, as predicted."""
        return self._predicted_best / other._predicted_best

    def measured_ratio(self, other: "Case") -> float:
        """The same as measured."""
        return self.measured_best / other.measured_best

    @property
    def measured_best(self) -> float:
        """Microseconds of the fastest variant on the GPU."""
        return min(variant.measurement.time_us for variant in self.variants)

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
    gains = ("error of the others", "intervals hold", "regret")
    calibrations = figures(None, "GPU", "families", "measured", "cases", *gains)
    by_gpu = {gpu: cases_of(gpu, asked.families.split(","), asked.jobs) for gpu in asked.gpu.split(",")}
    for gpu, cases in by_gpu.items():
        tolerance = smallest(cases)
        held = sum(case.needed <= tolerance for case in cases)
        share = sum(case.share(tolerance) for case in cases) / len(cases)
        row = (str(len(cases)), f"{tolerance:.0%}", f"{held} of {len(cases)}", f"{share:.0%}")
        table.add_row(gpu, load_gpu(gpu).label, *row, *(_left(cases, count) for count in MEASURED_VARIANTS))
        for case in sorted(cases, key=lambda case: -case.needed)[: asked.worst]:
            console().print(f"{gpu}: {case.name} needs {case.needed:.1%}, {len(case.variants)} variants")
        for half in ("calibration", "validation"):
            _add_gains(calibrations, gpu, half, [case for case in cases if _half(case) == half])
    console().print(table)
    console().print(calibrations)
    console().print(_between(by_gpu))


def _between(by_gpu: Mapping[str, Sequence[Case]]) -> Table:
    """How far the predicted ratio of the fastest times of two GPUs is from the measured one."""
    table = figures(None, "GPU over GPU", "cases", "error", "bias", f"{COVERAGE:.0%} within", "worst")
    for one, other in combinations(by_gpu, 2):
        theirs = {case.name: case for case in by_gpu[other]}
        pairs = [(case, theirs[case.name]) for case in by_gpu[one] if case.name in theirs]
        ratios = {a.name: a.predicted_ratio(b) / a.measured_ratio(b) - 1 for a, b in pairs}
        errors = sorted(map(abs, ratios.values()))
        within = errors[ceil(COVERAGE * len(errors)) - 1]
        worst = max(ratios, key=lambda name: abs(ratios[name]))
        row = (f"{mean(errors):.1%}", f"{mean(ratios.values()):+.1%}", f"{within:.1%}")
        table.add_row(f"{other} over {one}", str(len(pairs)), *row, f"{ratios[worst]:+.1%} {worst}")
    return table


def _add_gains(table: Table, gpu: str, half: str, cases: Sequence[Case]) -> None:
    for count in CALIBRATED_VARIANTS:
        gains = [case.calibrated(count) for case in cases if len(case.variants) >= 2 * count]
        if gains:
            error = f"{mean(g.before for g in gains):.1%} > {mean(g.after for g in gains):.1%}"
            regret = f"{mean(g.regret_before for g in gains):.2%} > {mean(g.regret_after for g in gains):.2%}"
            held = f"{mean(g.held for g in gains):.0%}"
            table.add_row(gpu, half, str(count), str(len(gains)), error, held, regret)


def _half(case: Case) -> str:
    calibration = read_split(SPLIT, "calibration")
    return "calibration" if case.variants[0].measurement.family in calibration else "validation"


def cases_of(gpu: str, families: Iterable[str], jobs: int) -> list[Case]:
    """The measured cases of a GPU, predicted."""
    contents = [read_measurements(MEASURED / gpu / file) for file in FILES]
    wanted = {family: PROBLEMS[family] for family in families}
    measured = [each for content in contents for each in content.measurements if each.family in wanted]
    found: defaultdict[str, list[Prediction]] = defaultdict(list)
    for outcome in predict_all(measured, gpu, jobs):
        if isinstance(outcome, Prediction):
            found[_name(outcome.measurement)].append(outcome)
    return [Case(gpu, name, variants) for name, variants in found.items() if len(variants) >= FEWEST_VARIANTS]


def smallest(cases: Sequence[Case]) -> float:
    """The smallest whole percentage that holds the GPU's fastest variant in 95 % of the cases."""
    needed = sorted(case.needed for case in cases)
    return ceil(needed[ceil(COVERAGE * len(needed)) - 1] * 100) / 100


def _left(cases: Sequence[Case], count: int) -> str:
    """What is left to gain after measuring so many variants: on average, and at worst."""
    left = [case.left(count) for case in cases if len(case.variants) >= 2 * count]
    return f"{mean(left):.2%}, {max(left):.1%}" if left else "-"


def _code_bytes(measurement: Measurement, gpu: str) -> int:
    assert measurement.recipe is not None, "these files contain the code"
    launch = measurement.recipe.launch(gpu)
    return len(read_kernel(launch["cubin"], launch["kernel"]).code)


def _name(measurement: Measurement) -> str:
    problem = (f"{name}={measurement.parameters[name]}" for name in PROBLEMS[measurement.family])
    return " ".join([measurement.family, *problem])


if __name__ == "__main__":
    main()
